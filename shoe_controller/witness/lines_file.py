"""The file of a witness: lines are added at its end, each synced before anything follows from it.

Nothing in the file is ever changed, so it may have the append-only attribute (`chattr +a`). What a power cut left of an
unfinished line stays, and the next line says how many bytes of it to pass over. A file that was changed anywhere else
is refused.
"""

import fcntl
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from shoe_controller.config.plain_files import NotPlainFileError, check_plain
from shoe_controller.witness.lines import AnyLine, LineChain, Started, Written, has_shape

MOST_REMEMBERED = 5000
"""Newest lines whose hashes are kept in memory, to be compared with what was published."""

LONGEST_LINE = 64 * 1024

T = TypeVar("T", bound=AnyLine)


class WitnessFileError(Exception):
    """The file cannot be used; the message is a sentence."""


class TornTail(msgspec.Struct):
    """What a power cut left after the last whole line."""

    bytes: int = 0
    """Counted while a file is read; 0 if it ends with a whole line."""
    ends_with_break: bool = True


def read_lines(path: Path, torn: TornTail, chain: LineChain | None = None) -> Iterator[Written]:
    """All lines in order, each checked; `WitnessFileError` at the first that is not as it was written.

    With `chain`, which is new, lines can be added after the last one.
    """
    chain = LineChain() if chain is None else chain
    _check_plain(path)
    with path.open("rb") as file:
        while text := file.readline(LONGEST_LINE):
            number = chain.number
            # A last line that lacks nothing but its break is whole; `start` adds the break.
            written = chain.read(text if text.endswith(b"\n") else text + b"\n")
            passed = written.line.torn if written is not None and isinstance(written.line, Started) else 0
            if written is None or passed != torn.bytes:
                if written is not None or has_shape(text) or torn.bytes > LONGEST_LINE:
                    raise WitnessFileError(
                        f"{path}: line {number + 1} is not the one that was written there. Keep this file as it is, "
                        "find out who changed it, and begin another under a new name."
                    )
                torn.bytes += len(text)
                torn.ends_with_break = text.endswith(b"\n")
                continue
            torn.bytes, torn.ends_with_break = 0, text.endswith(b"\n")
            yield written


class LinesFile:
    """The file, open for one process alone."""

    def __init__(self, path: Path) -> None:
        """Open or make the file; `restored` yields what is in it, and must be read to its end before `add`."""
        self.path = path
        self.last: Written | None = None
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=MOST_REMEMBERED)
        self._torn = TornTail()
        _check_plain(path)
        if not path.parent.is_dir():
            raise WitnessFileError(
                f"{path}: its folder {path.parent} does not exist: make it, or correct file in the section [witness]."
            )
        self._chain = LineChain()
        is_new = not path.exists()
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise WitnessFileError(
                f"{path} is in use by another witness: end that one, or name another file."
            ) from None
        if is_new:
            _sync_folder(path.parent)

    def close(self) -> None:
        os.close(self._descriptor)

    def restored(self) -> Iterator[AnyLine]:
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
        written = self._chain.write(line, time_ms)
        self._write(written.text)
        os.fsync(self._descriptor)
        self._remember(written)
        return msgspec.structs.replace(line, line=written.line.line, time=time_ms)

    def lacks(self, number: int, digest: bytes) -> bool:
        """Whether the file certainly has no such line."""
        last = 0 if self.last is None else self.last.line.line
        return number > last or any(known == number and has != digest for known, has in self._recent)

    def _remember(self, written: Written) -> None:
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
        raise WitnessFileError(f"{path} cannot be used: {error.strerror}.") from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
