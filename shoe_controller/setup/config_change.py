"""Changes a table's file: checked before it is written, written atomically, with its owner and mode.

Two changes at a time wait for one another, and one that an editor has made meanwhile is never overwritten.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from shoe_controller.config.strict_reading import BadFileError, Problem, read_text
from shoe_controller.config.table_file import Config, for_running, load_config

Edit = Callable[[str, Config], str]
"""From the text of a valid file to the changed one."""


class NotChangedError(ValueError):
    """The file was left as it is; the message says why, and what to do."""


class Changed(NamedTuple):
    before: Config
    after: Config


def change(file: Path, edit: Edit) -> Changed | None:
    """Change the file; `None` if there was nothing to change.

    Raises `BadFileError` with what would be wrong afterwards, and `NotChangedError`.
    """
    with _alone(file) as real:
        text = read_text(real)
        before = _as_it_is(file)
        changed = edit(text, before)
        if changed == text:
            return None
        try:
            after = _put(changed, real, file, text)
        except OSError as error:
            raise NotChangedError(f"{real} cannot be written: {error.strerror}{_advice(error)}") from None
    return Changed(before, after)


def _put(changed: str, real: Path, file: Path, text: str) -> Config:
    """Put a new file in place of the one that has this text."""
    draft = _draft_of(real)
    try:
        _fill(draft, changed.encode(), real)
        after = _checked(draft, file)
        _check_unchanged(real, text)
        draft.replace(real)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(real.parent)
    return after


@contextmanager
def _alone(file: Path) -> Iterator[Path]:
    """Yield the file itself, where the path is a link to it, while no other command changes it."""
    try:
        real, descriptor = _locked(file)
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, and a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise NotChangedError(f"{file} cannot be changed: {reason}{_advice(error)}") from None
    try:
        yield real
    finally:
        os.close(descriptor)


def _locked(file: Path) -> tuple[Path, int]:
    while True:
        real = file.resolve(strict=True)
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(descriptor), real.stat()):
                return real, descriptor
        except BaseException:
            os.close(descriptor)
            raise
        # The one before us has put a new file in its place.
        os.close(descriptor)


def _advice(error: Exception) -> str:
    return "; use sudo" if isinstance(error, PermissionError) else ""


def _as_it_is(file: Path) -> Config:
    try:
        return load_config(file, guarded=False)
    except BadFileError as error:
        first = Problem("", "was wrong before, so correct it with an editor first")
        raise BadFileError(error.file, [first, *error.problems]) from None


def _draft_of(real: Path) -> Path:
    """An empty file of ours beside it: paths in it are relative to this folder."""
    descriptor, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".new", dir=real.parent)
    os.close(descriptor)
    return Path(name)


def _fill(draft: Path, content: bytes, real: Path) -> None:
    was = real.stat()
    with draft.open("wb") as opened:
        opened.write(content)
        mine = os.fstat(opened.fileno())
        if (mine.st_uid, mine.st_gid) != (was.st_uid, was.st_gid):
            os.fchown(opened.fileno(), was.st_uid, was.st_gid)
        os.fchmod(opened.fileno(), was.st_mode & 0o7777)
        for name in os.listxattr(real):  # among them who else may read it
            with suppress(OSError):
                os.setxattr(opened.fileno(), name, os.getxattr(real, name))
        opened.flush()
        os.fsync(opened.fileno())


def _checked(draft: Path, file: Path) -> Config:
    """As `config check` does; what a running table needs may be no worse than before."""
    try:
        config = load_config(draft)
        problems = [problem for problem in _running_problems(draft) if problem not in _running_problems(file)]
    except BadFileError as error:
        problems = error.problems
    if problems:
        raise BadFileError(str(file), problems)
    return config._replace(file=file)


def _running_problems(file: Path) -> list[Problem]:
    try:
        for_running(load_config(file, guarded=False))
    except BadFileError as error:
        return error.problems
    return []


def _check_unchanged(real: Path, text: str) -> None:
    try:
        same = read_text(real) == text
    except BadFileError:
        same = False
    if not same:
        raise NotChangedError(f"{real} was changed by another program meanwhile, and was left alone: try again")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
