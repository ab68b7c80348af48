"""A file system that forgets at a power cut what was not synced. A program of its own; `power_cuts.py` drives it.

Programs see what they wrote. The disk has only what was synced: the contents of a file after its fsync, the names in
the folder after the folder's. At the cut some of the rest may have reached the disk as well, in any order and torn at
sectors: chance decides, from a seed. After the cut nothing can be written any more. One flat folder, in memory.
It can also be full: then nothing can grow, and what would is refused as a whole.

Commands come on standard input, one a line, each answered with a line: `cut AFTER SEED` (the power goes after so many
changes from now), `load NAME FILE` (a file that was on the disk before), `dump FOLDER` (what is on the disk),
`room BYTES` (so much can be added from now on; `room all` for as much as anybody likes).
"""

import errno
import os
import random
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import mfusepy  # type: ignore[import-untyped,unused-ignore]  # has no types

SECTOR = 512

Change = tuple[int, bytes] | int
"""A piece written at a place, or a new length."""


class File:
    def __init__(self) -> None:
        self.seen = bytearray()
        """As programs see it."""
        self.kept = bytearray()
        """As it is on the disk."""
        self.pending: list[Change] = []

    def change(self, change: Change) -> None:
        apply(self.seen, change)
        self.pending.append(change)

    def sync(self) -> None:
        for change in self.pending:
            apply(self.kept, change)
        self.pending.clear()

    def lose_power(self, chance: random.Random) -> None:
        for change in self.pending:
            if chance.random() < 0.5:
                apply(self.kept, torn(change, chance))
        self.pending.clear()


def apply(data: bytearray, change: Change) -> None:
    if isinstance(change, int):
        del data[change:]
        data.extend(bytes(change - len(data)))
    else:
        offset, piece = change
        data.extend(bytes(max(0, offset - len(data))))
        data[offset : offset + len(piece)] = piece


def torn(change: Change, chance: random.Random) -> Change:
    """Now and then only the first sectors of a piece arrive."""
    if isinstance(change, int) or chance.random() < 0.7:
        return change
    offset, piece = change
    return offset, piece[: SECTOR * chance.randint(0, len(piece) // SECTOR)]


class Disk:
    def __init__(self) -> None:
        self.seen: dict[str, File] = {}
        self.kept: dict[str, File] = {}
        self.chance = random.Random(0)  # noqa: S311 - the same cut every time
        self.changes_left: int | None = None
        self.dead = False
        self.capacity: int | None = None

    def about_to_change(self, name: str) -> None:
        """One more change; the power goes just before the last one."""
        if name.endswith("-shm"):
            return  # memory shared between programs, which nobody expects to find again
        if self.changes_left is not None and not self.dead:
            self.changes_left -= 1
            if self.changes_left <= 0:
                self.lose_power()
        if self.dead:
            raise mfusepy.FuseOSError(errno.EIO)

    def about_to_grow(self, name: str, by: int) -> None:
        if self.capacity is None or by <= 0 or name.endswith("-shm"):
            return
        if self.used() + by > self.capacity:
            raise mfusepy.FuseOSError(errno.ENOSPC)

    def used(self) -> int:
        return sum(len(file.seen) for name, file in self.seen.items() if not name.endswith("-shm"))

    def lose_power(self) -> None:
        self.dead = True
        if self.chance.random() < 0.5:
            self.kept = dict(self.seen)
        for name in sorted(self.kept):
            self.kept[name].lose_power(self.chance)

    def cut(self, after: int, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - the same cut every time
        self.changes_left = after
        self.dead = False

    def load(self, name: str, source: Path) -> None:
        file = File()
        file.seen[:] = file.kept[:] = source.read_bytes()
        self.seen[name] = self.kept[name] = file

    def dump(self, folder: Path) -> None:
        """Write what is on the disk to real files, and begin with an empty one."""
        if not self.dead:
            self.lose_power()
        for name, file in self.kept.items():
            (folder / name).write_bytes(file.kept)
        self.seen, self.kept = {}, {}


class ForgetfulFiles(mfusepy.Operations):  # type: ignore[misc,unused-ignore]  # the library has no types
    use_ns = True

    def __init__(self, disk: Disk, lock: threading.Lock) -> None:
        self._disk = disk
        self._lock = lock
        self._open: dict[int, tuple[str, File]] = {}
        self._next = 1

    def _named(self, path: str) -> File:
        file = self._disk.seen.get(path[1:])
        if file is None:
            raise mfusepy.FuseOSError(errno.ENOENT)
        return file

    def _handle(self, path: str, file: File) -> int:
        self._next += 1
        self._open[self._next] = path[1:], file
        return self._next

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        with self._lock:
            owner = {"st_uid": os.getuid(), "st_gid": os.getgid()}
            if path == "/":
                return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2, **owner}
            file = self._open[fh][1] if fh in self._open else self._named(path)
            return {"st_mode": stat.S_IFREG | 0o644, "st_nlink": 1, "st_size": len(file.seen), **owner}

    def readdir(self, _path: str, _fh: int) -> list[str]:
        with self._lock:
            return [".", "..", *self._disk.seen]

    def create(self, path: str, _mode: int, _fi: object = None) -> int:
        with self._lock:
            self._disk.about_to_change(path[1:])
            file = self._disk.seen[path[1:]] = File()
            return self._handle(path, file)

    def open(self, path: str, _flags: int) -> int:
        with self._lock:
            return self._handle(path, self._named(path))

    def release(self, _path: str, fh: int) -> int:
        with self._lock:
            self._open.pop(fh, None)
            return 0

    def read(self, _path: str, size: int, offset: int, fh: int) -> bytes:
        with self._lock:
            return bytes(self._open[fh][1].seen[offset : offset + size])

    def write(self, _path: str, data: bytes, offset: int, fh: int) -> int:
        with self._lock:
            name, file = self._open[fh]
            self._disk.about_to_grow(name, offset + len(data) - len(file.seen))
            self._disk.about_to_change(name)
            file.change((offset, data))
            return len(data)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        with self._lock:
            file = self._open[fh][1] if fh in self._open else self._named(path)
            self._disk.about_to_grow(path[1:], length - len(file.seen))
            self._disk.about_to_change(path[1:])
            file.change(length)
            return 0

    def fsync(self, _path: str, _datasync: int, fh: int) -> int:
        with self._lock:
            name, file = self._open[fh]
            self._disk.about_to_change(name)
            file.sync()
            return 0

    def fsyncdir(self, path: str, _datasync: int, _fh: int) -> int:
        with self._lock:
            self._disk.about_to_change(path)
            self._disk.kept = dict(self._disk.seen)
            return 0

    def unlink(self, path: str) -> int:
        with self._lock:
            self._named(path)
            self._disk.about_to_change(path[1:])
            del self._disk.seen[path[1:]]
            return 0

    def rename(self, old: str, new: str) -> int:
        with self._lock:
            file = self._named(old)
            self._disk.about_to_change(new[1:])
            del self._disk.seen[old[1:]]
            self._disk.seen[new[1:]] = file
            return 0

    def utimens(self, _path: str, _times: object = None) -> int:
        return 0

    def statfs(self, _path: str) -> dict[str, int]:
        return {"f_bsize": 4096, "f_frsize": 4096, "f_blocks": 1 << 20, "f_bavail": 1 << 20, "f_bfree": 1 << 20}


def obey(disk: Disk, lock: threading.Lock) -> None:
    """Do what standard input says; when it ends, so does the program."""
    for line in sys.stdin:
        command, *arguments = line.rstrip("\n").split("\t")
        with lock:
            if command == "cut":
                disk.cut(int(arguments[0]), int(arguments[1]))
            elif command == "load":
                disk.load(arguments[0], Path(arguments[1]))
            elif command == "dump":
                disk.dump(Path(arguments[0]))
            elif command == "room":
                disk.capacity = None if arguments[0] == "all" else disk.used() + int(arguments[0])
        sys.stdout.write("done\n")
        sys.stdout.flush()
    os._exit(0)


def main() -> None:
    disk, lock = Disk(), threading.Lock()
    threading.Thread(target=obey, args=(disk, lock), daemon=True).start()
    mfusepy.FUSE(ForgetfulFiles(disk, lock), sys.argv[1], foreground=True, nothreads=True, hard_remove=True)


if __name__ == "__main__":
    main()
