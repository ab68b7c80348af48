"""A process's own file: lines are added at its end, each synced before anything follows from it.

Nothing in the file is ever changed, so it may have the append-only attribute (`chattr +a`). What a power cut left of an
unfinished line stays, and the next line says how many bytes of it to pass over. A file that was changed anywhere else
is refused.
"""

import fcntl
import os
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from shoe_controller.config.plain_files import NotPlainFileError, check_plain

GENESIS = bytes(32)
"""What the first line follows."""

MOST_REMEMBERED = 5000
"""Newest lines whose hashes are kept in memory, to be compared with what was published."""

LONGEST_LINE = 64 * 1024


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """The common base. The file gives a line its number and its time."""

    line: int = 0
    time: int = 0
    """Milliseconds since 1970, by the clock of the process."""


class Started(Line, frozen=True, kw_only=True, tag="started"):
    """The process was started."""

    version: str
    torn: int = 0
    """Bytes before this line that a power cut left of an unfinished one; they count for nothing."""
    acknowledged: int = 0
    """Alarms up to this line were looked into by a person."""


L = TypeVar("L", bound=Line)
T = TypeVar("T", bound=Line)


class Written(NamedTuple, Generic[L]):
    """A line as it stands in the file."""

    line: L
    hash: bytes
    text: bytes
    """With its hash and its line break."""

    @property
    def end(self) -> str:
        """The line's number, a colon and its hash, as it is published."""
        return f"{self.line.line}:{self.hash.hex()}"


class Chain(Protocol[L]):
    """Writes or reads the lines of one file in order, each bound to the one before it."""

    number: int
    """That of the last line."""

    def write(self, line: Any, time_ms: int) -> Written[L]:  # noqa: ANN401 - a line of this file, or its start
        """The next line."""

    def read(self, text: bytes) -> Written[L] | None:
        """The line, if it is whole and follows the one before; otherwise nothing has changed."""

    def has_shape(self, text: bytes) -> bool:
        """Whether it was a whole line once: no power cut leaves that of a line that was not written to its end."""


class LinesFileError(Exception):
    """The file cannot be used; the message is a sentence."""


class TornTail(msgspec.Struct):
    """What a power cut left after the last whole line."""

    bytes: int = 0
    """Counted while a file is read; 0 if it ends with a whole line."""
    ends_with_break: bool = True


def read_lines(path: Path, torn: TornTail, chain: Chain[L]) -> Iterator[Written[L]]:
    """All lines in order, each checked; `LinesFileError` at the first that is not as it was written.

    `chain` is new; with it, lines can be added after the last one.
    """
    _check_plain(path)
    with path.open("rb") as file:
        while text := file.readline(LONGEST_LINE):
            number = chain.number
            # A last line that lacks nothing but its break is whole; `start` adds the break.
            written = chain.read(text if text.endswith(b"\n") else text + b"\n")
            passed = written.line.torn if written is not None and isinstance(written.line, Started) else 0
            if written is None or passed != torn.bytes:
                if written is not None or chain.has_shape(text) or torn.bytes > LONGEST_LINE:
                    raise LinesFileError(
                        f"{path}: line {number + 1} is not the one that was written there. Keep this file as it is, "
                        "find out who changed it, and begin another under a new name."
                    )
                torn.bytes += len(text)
                torn.ends_with_break = text.endswith(b"\n")
                continue
            torn.bytes, torn.ends_with_break = 0, text.endswith(b"\n")
            yield written


class LinesFile(Generic[L]):
    """The file, open for one process alone."""

    def __init__(self, path: Path, chain: Chain[L]) -> None:
        """Open or make the file; `restored` yields what is in it, and must be read to its end before `add`."""
        self.path = path
        self.last: Written[L] | None = None
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=MOST_REMEMBERED)
        self._torn = TornTail()
        _check_plain(path)
        if not path.parent.is_dir():
            raise LinesFileError(
                f"{path}: its folder {path.parent} does not exist: make it, or correct the file's path."
            )
        self._chain = chain
        is_new = not path.exists()
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise LinesFileError(f"{path} is in use by another process: end that one, or name another file.") from None
        if is_new:
            _sync_folder(path.parent)

    def close(self) -> None:
        os.close(self._descriptor)

    def restored(self) -> Iterator[L]:
        """The lines that are in the file."""
        for written in read_lines(self.path, self._torn, self._chain):
            self._remember(written)
            yield written.line

    def start(self, version: str, acknowledged: int, time_ms: int) -> Started:
        """Write the line of this start, after what is left of an unfinished line."""
        torn = self._torn.bytes
        if not self._torn.ends_with_break:
            self._write(b"\n")
            torn += 1 if torn else 0
        line = Started(version=version, torn=torn, acknowledged=acknowledged)
        self._torn = TornTail()
        return self.add(line, time_ms)

    def add(self, line: T, time_ms: int) -> T:
        """Write a line and sync it; `OSError` if that fails, after which the file must be opened anew."""
        (written,) = self.add_all([line], time_ms)
        return written

    def add_all(self, lines: Sequence[T], time_ms: int) -> list[T]:
        """The same for several lines, synced once."""
        chained = [self._chain.write(line, time_ms) for line in lines]
        self._write(b"".join(written.text for written in chained))
        os.fsync(self._descriptor)
        for written in chained:
            self._remember(written)
        return [
            msgspec.structs.replace(line, line=written.line.line, time=time_ms)
            for line, written in zip(lines, chained, strict=True)
        ]

    def lacks(self, number: int, digest: bytes) -> bool:
        """Whether the file certainly has no such line."""
        last = 0 if self.last is None else self.last.line.line
        return number > last or any(known == number and has != digest for known, has in self._recent)

    def _remember(self, written: Written[L]) -> None:
        self.last = written
        self._recent.append((written.line.line, written.hash))

    def _write(self, text: bytes) -> None:
        while text:
            text = text[os.write(self._descriptor, text) :]


def _check_plain(path: Path) -> None:
    """A pipe would be waited for."""
    try:
        check_plain(path)
    except NotPlainFileError as error:
        raise LinesFileError(f"{path} cannot be used: {error.strerror}.") from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
