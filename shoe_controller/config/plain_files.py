"""Reads and makes files that people name: no pipe is waited for, no device read for ever, no mode left to chance."""

import os
import stat
from pathlib import Path

MOST_BYTES = 1 << 20
"""Far more than any configuration, catalogue or list of wagers."""

PRIVATE_FOLDER = 0o750
OPEN_FOLDER = 0o755

OTHERS_MAY_WRITE = stat.S_IWOTH


class NotPlainFileError(OSError):
    """A path that leads to something that cannot be used as a file; the message says what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, reason)


def read_plain(file: Path, most: int = MOST_BYTES, *, only_ours: bool = False) -> bytes:
    """The content of a regular file of a reasonable size; with `only_ours`, of one that not everybody can change."""
    # Non-blocking, so that a pipe without a writer is refused below instead of waited for.
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a NUL in its name
        raise NotPlainFileError(str(error)) from None
    with os.fdopen(descriptor, "rb") as opened:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise NotPlainFileError("it is not a regular file")
        if only_ours and mode & OTHERS_MAY_WRITE:
            raise NotPlainFileError(
                f"everybody on this machine can change it (mode {stat.S_IMODE(mode):04o}): "
                "look through it, and remove that right with `chmod o-w`"
            )
        content = opened.read(most + 1)
    if len(content) > most:
        raise NotPlainFileError(f"it has more than {most} bytes")
    return content


def check_plain(file: Path) -> None:
    """Raise an error unless the path leads to a regular file or to nothing; for files that others open."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return
    except ValueError as error:
        raise NotPlainFileError(str(error)) from None
    if not stat.S_ISREG(mode):
        raise NotPlainFileError("it is not a regular file")


def make_folder(folder: Path, mode: int = PRIVATE_FOLDER) -> None:
    """Make the folder and those above it that are missing, all with this mode whatever the umask is."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode)
    try:
        folder.mkdir(mode)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(mode)
