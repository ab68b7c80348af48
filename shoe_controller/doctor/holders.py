"""Finds the processes that have a file open or locked, from /proc."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MASTERS = {Path("/dev/ptmx"), Path("/dev/pts/ptmx")}


class Holder(NamedTuple):
    pid: int
    program: str

    def __str__(self) -> str:
        return f"process {self.pid} ({self.program})"


def holders_of(file: Path, proc: Path) -> list[Holder]:
    """The other processes that hold a file. Only root sees what other users' processes have open; locks are public."""
    pids = {*_lockers(file, proc), *_openers(file, proc)} - {os.getpid()}
    return sorted(Holder(pid, _program(pid, proc)) for pid in pids)


def writers_of(journal: Path, proc: Path) -> set[int]:
    """The process that writes to this journal: its table's own controller, if it runs."""
    journal = Path(os.path.realpath(journal))
    try:
        return set(_lockers(journal.with_name(f"{journal.name}.lock"), proc))
    except OSError:
        return set()


def _lockers(file: Path, proc: Path) -> list[int]:
    status = file.stat()
    wanted = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    lines = (line.split() for line in (proc / "locks").read_text(encoding="ascii").splitlines())
    return [int(fields[4]) for fields in lines if len(fields) > 5 and fields[1] == "FLOCK" and fields[5] == wanted]


def _openers(file: Path, proc: Path) -> list[int]:
    real, status = file.resolve(), file.stat()
    found = []
    for process in proc.glob("[0-9]*"):
        with suppress(OSError):  # the process has ended meanwhile, or belongs to another user
            opened = {link.readlink(): link for link in (process / "fd").iterdir()}
            # The holder of the other end of a pseudo-terminal is the emulated shoe itself.
            if real in opened and not opened.keys() & MASTERS and _is_same(opened[real], status):
                found.append(int(process.name))
    return found


def _is_same(link: Path, status: os.stat_result) -> bool:
    """Whether a process has this same file open: in a container, another file may have the same name."""
    opened = link.stat()
    return (opened.st_dev, opened.st_ino) == (status.st_dev, status.st_ino)


def _program(pid: int, proc: Path) -> str:
    with suppress(OSError):
        return (proc / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    return "has ended"
