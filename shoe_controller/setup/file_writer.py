"""Writes files with the right owner and mode, never half of one, and never over one that is there unless it may.

A secret is made for its owner alone before anything is in it, and only then handed to a group.
"""

import grp
import os
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple


class WriteOutcome(Enum):
    MADE = "made"
    SAME = "is there already, and as it should be"
    LEFT = "is there already, and was left alone"
    CHANGED = "changed"


class Planned(NamedTuple):
    file: Path
    content: bytes
    secret: bool = True
    group: str | None = None
    """Who may read a secret besides its owner, if this machine has such a group and we may give it away."""
    ours: bool = False
    """Whether it is made from other files, so that it may be made anew; a person's own file is never changed."""


def differs(planned: Planned) -> bool:
    """Whether the file is there with other content."""
    with suppress(FileNotFoundError):
        return planned.file.read_bytes() != planned.content
    return False


def write(planned: Planned, *, over: bool = False) -> WriteOutcome:
    """Make the file; one with other content is changed only if it is ours to change, and `over` allows it."""
    outcome = WriteOutcome.MADE
    if planned.file.exists():
        if not differs(planned):
            return WriteOutcome.SAME
        if not (over and planned.ours):
            return WriteOutcome.LEFT
        outcome = WriteOutcome.CHANGED
    planned.file.parent.mkdir(parents=True, exist_ok=True)
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
