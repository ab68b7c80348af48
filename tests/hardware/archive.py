"""Writes archives that a Linux kernel unpacks as its first file system: the `newc` form of cpio."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_ALIGNMENT = 4
_TRAILER = "TRAILER!!!"


def archive(folder: Path) -> bytes:
    """Everything below `folder`, as it is, with root as its owner and no times."""
    entries = [_entry(str(path.relative_to(folder)), *_content(path)) for path in _everything_below(folder)]
    return b"".join([*entries, _entry(_TRAILER, 0, b"")])


def _everything_below(folder: Path) -> Iterator[Path]:
    """Sorted, so that a folder comes before what is in it and two runs give the same archive."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted([*folders, *files]):
            yield Path(parent) / name


def _content(path: Path) -> tuple[int, bytes]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return mode, os.fsencode(path.readlink())
    if stat.S_ISREG(mode):
        return mode, path.read_bytes()
    return mode, b""


def _entry(name: str, mode: int, content: bytes) -> bytes:
    encoded = os.fsencode(name) + b"\0"
    # inode, mode, user, group, links, time, size, four device numbers, size of the name, checksum
    numbers = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers)
    return _padded(head + encoded) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)
