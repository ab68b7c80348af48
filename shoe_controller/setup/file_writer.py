"""Writes files atomically with the right owner and mode, and never over an existing one unless allowed.

A secret's file is private to its owner before anything is in it, and only then given to a group.
"""

import grp
import os
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from shoe_controller.config.plain_files import OPEN_FOLDER, make_folder, read_plain


class WriteOutcome(Enum):
    MADE = "made"
    SAME = "exists already, and is up to date"
    LEFT = "exists already, and was left alone"
    CHANGED = "changed"


class Planned(NamedTuple):
    file: Path
    content: bytes
    secret: bool = True
    group: str | None = None
    """The group that may read a secret besides its owner, if this machine has it and we may change the group."""
    ours: bool = False
    """Whether it is generated, so that it may be written again; a file that people edit is never changed."""


def differs(planned: Planned) -> bool:
    """Whether the file exists with other content."""
    with suppress(FileNotFoundError):
        return read_plain(planned.file) != planned.content
    return False


def write(planned: Planned, *, over: bool = False) -> WriteOutcome:
    """Write the file; one with other content is replaced only if it is generated and `over` allows it."""
    outcome = WriteOutcome.MADE
    if planned.file.exists():
        if not differs(planned):
            return WriteOutcome.SAME
        if not (over and planned.ours):
            return WriteOutcome.LEFT
        outcome = WriteOutcome.CHANGED
    make_folder(planned.file.parent, OPEN_FOLDER)
    unfinished = planned.file.with_name(f".{planned.file.name}.new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(planned.content)
            opened.flush()
            os.fsync(descriptor)
        _hand_over(unfinished, planned)
        unfinished.replace(planned.file)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return outcome


def _hand_over(file: Path, planned: Planned) -> None:
    group = _group(planned.group)
    if group is not None:
        os.chown(file, -1, group)
    if not planned.secret:
        file.chmod(0o644)
    elif group is not None:
        file.chmod(0o640)


def _group(name: str | None) -> int | None:
    if name is None or os.geteuid() != 0:
        return None
    with suppress(KeyError):
        return grp.getgrnam(name).gr_gid
    return None
