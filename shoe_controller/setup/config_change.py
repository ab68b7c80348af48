"""Changes a configuration file, or that of a site's people: checked first, written atomically, with its owner and mode.

Two changes at a time wait for one another, and one that an editor has made meanwhile is never overwritten.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from shoe_controller.config.file_kind import FileKind, kind_of
from shoe_controller.config.site_people import SitePerson, read_site_people, site_people_in
from shoe_controller.config.strict_reading import BYTE_ORDER_MARK, BadFileError, Problem, read_text
from shoe_controller.config.table_file import (
    LOADERS,
    Config,
    OtherConfig,
    for_running,
    load_config,
)

Loaded = Config | OtherConfig
Edit = Callable[[str, Loaded], str]
"""From the text of a valid file to the changed one."""


class NotChangedError(ValueError):
    """The file was left as it is; the message says why, and what to do."""


L = TypeVar("L")


class Changed(NamedTuple):
    before: Loaded
    after: Loaded


def change(file: Path, edit: Edit) -> Changed | None:
    """Change the file; `None` if there was nothing to change.

    Raises `BadFileError` with what would be wrong afterwards, and `NotChangedError`.
    """
    changed = _change(
        file,
        edit,
        read=lambda _, text: _load(file, text, guarded=False),
        check=lambda draft, before: _checked(draft, file, before),
    )
    return None if changed is None else Changed(*changed)


def change_site_people(file: Path, edit: Callable[[str, tuple[SitePerson, ...]], str]) -> bool:
    """Change the file of a site's people; whether there was anything to change. Raises as `change` does."""
    return (
        _change(
            file,
            edit,
            read=lambda real, _: read_site_people(real),
            check=lambda draft, _: site_people_in(file, read_text(draft)),
        )
        is not None
    )


def _change(
    file: Path, edit: Callable[[str, L], str], *, read: Callable[[Path, str], L], check: Callable[[Path, str], L]
) -> tuple[L, L] | None:
    """Return what the file means before and after, as `read` and `check` find it, given the text before."""
    with _alone(file) as real:
        text = read_text(real)
        try:
            before = read(real, text)
        except BadFileError as error:
            raise NotChangedError(f"it was wrong before, so correct it with an editor first:\n{error}") from None
        plain = text.removeprefix(BYTE_ORDER_MARK)
        changed = edit(plain, before)
        if changed == plain:
            return None
        mark = BYTE_ORDER_MARK if plain != text else ""
        try:
            after = _put(mark + changed, real, text, check)
        except OSError as error:
            raise NotChangedError(
                f"{error.filename or real} cannot be written: {error.strerror}{_advice(error)}"
            ) from None
    return before, after


def _put(changed: str, real: Path, text: str, check: Callable[[Path, str], L]) -> L:
    """Put a new file in place of the one that has this text."""
    draft = _draft_of(real)
    try:
        _fill(draft, changed.encode(), real)
        after = check(draft, text)
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
        raise NotChangedError(f"it cannot be opened: {reason}{_advice(error)}") from None
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
    match error:
        case PermissionError():
            return "; use sudo"
        case FileNotFoundError():
            return "; correct its path"
        case _:
            return ""


def _load(file: Path, text: str, *, guarded: bool = True) -> Loaded:
    """As if the file said this. Paths in it are relative to where it is named, which a link may be."""
    kind = kind_of(file, text)
    return load_config(file, text, guarded=guarded) if kind is FileKind.TABLE else LOADERS[kind](file, text)


def _draft_of(real: Path) -> Path:
    """An empty file of ours beside it, on the same file system."""
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


def _checked(draft: Path, file: Path, before: str) -> Loaded:
    """As `config check` does; what a running table needs may be no worse than before."""
    try:
        text = read_text(draft)
    except BadFileError as error:
        raise BadFileError(str(file), error.problems) from None
    loaded = _load(file, text)
    if isinstance(loaded, Config):
        known = _running_problems(file, before)
        problems = [problem for problem in _running_problems(file, text) if problem not in known]
        if problems:
            raise BadFileError(str(file), problems)
    return loaded


def _running_problems(file: Path, text: str) -> list[Problem]:
    try:
        for_running(load_config(file, text, guarded=False))
    except BadFileError as error:
        return error.problems
    return []


def _check_unchanged(real: Path, text: str) -> None:
    try:
        same = read_text(real) == text
    except BadFileError:
        same = False
    if not same:
        raise NotChangedError("another program has changed it meanwhile: try again")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
