"""The anchor: a small file, away from the journal, that says how far the journal had come.

An older copy of a journal, or one that has lost its log, is sound in itself: it shows only against what was noted
elsewhere. The anchor is written after commits and never before them, so a journal that was merely interrupted is never
behind it. It has a line for each journal of the table, the present one last: `JOURNAL NUMBER:HASH`.

A `Claim` can also come from a message that the table published. `seal` is how the table recognises its own.
"""

import hmac
import os
import stat
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from shoe_controller.journal.errors import FileError, NotAnAnchorError, StorageError, UnreadableAnchorError
from shoe_controller.journal.opening import sync
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, head_from

MOST_JOURNALS = 16
"""Journals that an anchor keeps a line for; a table begins a new one only when one is damaged or rolled back."""

MOST_BYTES = 65_536

_SEAL = b"shoe-controller status 1"


class Claim(NamedTuple):
    """This journal has had this head."""

    journal: str
    head: Head


def contradicts(claim: Claim, reader: JournalReader) -> bool:
    """Whether the claim is about this journal, and the journal ends before it or has another record there.

    What was pruned cannot be compared, and contradicts nothing.
    """
    if claim.journal != reader.identity.journal_id:
        return False
    if claim.head.number > reader.position().head.number:
        return True
    found = reader.hash_at(claim.head.number)
    return found is not None and found != claim.head.hash


def seal(key: bytes, table: str, claim: Claim) -> str:
    """What only a holder of the key can make for this claim of this table."""
    parts = (_SEAL, table.encode(), claim.journal.encode(), str(claim.head).encode())
    return hmac.new(key, b"\0".join(parts), "sha256").hexdigest()


def is_sealed(key: bytes, table: str, claim: Claim, given: str) -> bool:
    return hmac.compare_digest(seal(key, table, claim).encode(), given.encode())


def read_anchor(path: Path) -> tuple[Claim, ...]:
    """The claims in an anchor, the newest last; none where there is no file."""
    try:
        # Non-blocking, so that a pipe without a writer is refused instead of waited for.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NotAnAnchorError(path, "this is not an anchor: it is not a regular file.")
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UnreadableAnchorError(path, f"the anchor cannot be read: {error.strerror}.") from error
    try:
        return tuple(_claim(line) for line in content.decode("ascii").splitlines())
    except ValueError as error:
        raise NotAnAnchorError(path, "this is not an anchor: a line in it is not a journal's head.") from error


def _claim(line: str) -> Claim:
    journal, head = line.split()
    return Claim(journal, head_from(head))


def write_anchor(path: Path, claims: Iterable[Claim]) -> None:
    """Replace the anchor. After a power cut there is the old one or the new one, whole."""
    unfinished = path.with_name(f".{path.name}.new")
    text = "".join(f"{claim.journal} {claim.head}\n" for claim in claims)
    try:
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(descriptor)
        unfinished.replace(path)
    except OSError as error:
        raise StorageError(path, f"the anchor cannot be written: {error.strerror}.") from error
    sync(path.absolute().parent)


def with_newest(claims: tuple[Claim, ...], newest: Claim) -> tuple[Claim, ...]:
    """The claims of an anchor after this one, which replaces the one of the same journal."""
    others = [claim for claim in claims if claim.journal != newest.journal]
    return (*others[1 - MOST_JOURNALS :], newest)


class AnchorWriter:
    """Writes an anchor in a thread of its own: a disk that hangs holds up nothing but the anchor.

    Only the newest claim counts. One that comes while another is being written waits, and replaces one that waited.
    """

    def __init__(self, path: Path, claims: tuple[Claim, ...], trouble: str = "") -> None:
        self.claims = claims
        """As they were found at start-up."""
        self.trouble = trouble
        """Why the anchor could not be read, or the last claim not be written; empty when it could."""
        self._path = path
        self._kept = claims
        self._waiting: Claim | None = None
        self._changed = threading.Condition()
        self._idle = True
        self._closed = False
        self._thread: threading.Thread | None = None

    def keep(self, claim: Claim) -> None:
        """Write this claim soon; returns at once."""
        with self._changed:
            if self._closed:
                return
            self._waiting, self._idle = claim, False
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"anchor {self._path.name}", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self, patience: float) -> None:
        """Wait until everything is written, but no longer than this many seconds. May be called twice."""
        with self._changed:
            self._changed.wait_for(lambda: self._idle, patience)
            self._closed = True
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._waiting is not None)
                claim, self._waiting = self._waiting, None
                if claim is None or self._closed:
                    return
            self._kept = with_newest(self._kept, claim)
            try:
                write_anchor(self._path, self._kept)
                trouble = ""
            except FileError as error:
                trouble = str(error)
            with self._changed:
                self.trouble = trouble
                self._idle = self._waiting is None
                self._changed.notify_all()
