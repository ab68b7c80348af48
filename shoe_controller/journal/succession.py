"""The journal that replaces one that was rolled back: it begins with an entry about that one, which is kept.

1. the successor is complete under a name of its own, `FILE.successor-STAMP`: from here on there is no way back
2. the old journal and its log become `FILE.rolled-back-STAMP`
3. the successor becomes `FILE`

`finish` does the last two, and again at every start: a crash between any two steps leads to the same end.

A journal that is begun where there is none has no successor: it gets its name as soon as it is complete, or never.
"""

from pathlib import Path

from shoe_controller.journal import opening
from shoe_controller.journal.database import files_of
from shoe_controller.journal.errors import ReadOnlyError, StorageError
from shoe_controller.journal.opening import Identity, WriterLock, real_path, sync
from shoe_controller.journal.records import Entry
from shoe_controller.journal.store import BatchWriter, Submission

_SUCCESSOR, _OLD = ".successor-", ".rolled-back-"


def free_stamp(path: Path, stamp: str) -> str:
    """The stamp, with a number where a journal is kept under it already."""
    free, count = stamp, 1
    while any(file.exists() for file in files_of(path.with_name(name_of_old(path, free)))):
        count += 1
        free = f"{stamp}-{count}"
    return free


def name_of_old(path: Path, stamp: str) -> str:
    """The name under which the old journal is kept."""
    return f"{path.name}{_OLD}{stamp}"


def begin(path: Path, identity: Identity, entry: Entry, *, created_ms: int, software: str) -> None:
    """Begin a journal with its first entry, where there is none. What fails leaves nothing that is used later."""
    path = real_path(path)
    lock = WriterLock(path)
    try:
        if any(file.exists() for file in files_of(path)):
            raise StorageError(path, "a journal already exists here; it is never overwritten.")
        _draft(path, identity, entry, created_ms=created_ms, software=software).rename(path)
        sync(path.parent)
    finally:
        lock.release()


def succeed(  # noqa: PLR0913 - what a journal must not find out by itself is passed in, by name
    path: Path, identity: Identity, entry: Entry, *, created_ms: int, software: str, stamp: str
) -> None:
    """Begin a journal with its first entry, and put it in the place of the one that is there."""
    path = real_path(path)
    lock = WriterLock(path)
    try:
        draft = _draft(path, identity, entry, created_ms=created_ms, software=software)
        draft.rename(path.with_name(f"{path.name}{_SUCCESSOR}{stamp}"))
        sync(path.parent)
        _put_in_place(path)
    finally:
        lock.release()


def _draft(path: Path, identity: Identity, entry: Entry, *, created_ms: int, software: str) -> Path:
    """A journal with one entry, complete under a name that nothing reads."""
    draft = path.with_name(f"{path.name}.draft")
    for file in files_of(draft):
        file.unlink(missing_ok=True)
    opening.create(draft, identity, created_ms=created_ms)
    writer = BatchWriter(draft, software)
    (outcome,) = writer.write([Submission(entry, lambda _: None)])
    writer.close()
    if isinstance(outcome, BaseException):
        raise outcome
    if files_of(draft)[1].exists():
        raise StorageError(draft, "its log could not be emptied into it.")
    sync(draft)
    return draft


def finish(path: Path) -> None:
    """Put a successor in the place of its journal, if there is one."""
    path = real_path(path)
    if not _begun(path):
        return
    lock = WriterLock(path)
    try:
        _put_in_place(path)
    finally:
        lock.release()


def _begun(path: Path) -> list[Path]:
    first = f"{path.name}{_SUCCESSOR}"
    return sorted(file for file in path.parent.iterdir() if file.name.startswith(first)) if path.parent.is_dir() else []


def _put_in_place(path: Path) -> None:
    """While the lock is held; another program may have done it meanwhile."""
    try:
        for successor in _begun(path):
            stamp = successor.name.removeprefix(f"{path.name}{_SUCCESSOR}")
            _replace(path, successor, path.with_name(name_of_old(path, stamp)))
    except OSError as error:
        raise ReadOnlyError(path, f"the rolled-back journal cannot be set aside: {error.strerror}.") from error


def _replace(path: Path, successor: Path, kept: Path) -> None:
    for old, new in zip(files_of(path), files_of(kept), strict=True):
        if old.exists():
            if new.exists():
                raise StorageError(new, "a journal of this name is kept already; give it another name.")
            old.rename(new)
    sync(path.absolute().parent)
    successor.rename(path)
    sync(path.absolute().parent)
