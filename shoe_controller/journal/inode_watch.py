"""Checks whether a name still belongs to the same file; `store.py` does so before every commit.

SQLite goes on writing to a file that was removed or replaced, and what it wrote would be lost. The question
must not be put with `os.stat`, which also asks when the file was last written: newer versions of Linux then note a
new time at the next write, and every commit to the log takes a fifth longer.
"""

import ctypes
import os
import struct
from collections.abc import Callable, Iterable
from pathlib import Path

_FROM_THE_WORKING_FOLDER = -100
_STATX_INO = 0x100
_STATX_BYTES = 256
_INO = struct.Struct("=32xQ")
"""Offset of the inode number in the result of statx; see statx(2)."""

WhichFile = Callable[[bytes], int | None]
"""The inode number, which identifies a file; `None` where no file has that name."""


def by_stat(name: bytes) -> int | None:
    try:
        return os.stat(name).st_ino  # noqa: PTH116 - Path takes ten times as long
    except OSError:
        return None


def by_statx() -> WhichFile | None:
    statx = getattr(ctypes.CDLL(None), "statx", None)
    if statx is None:
        return None
    answer = ctypes.create_string_buffer(_STATX_BYTES)

    def which_file(name: bytes) -> int | None:
        failed = statx(_FROM_THE_WORKING_FOLDER, name, 0, _STATX_INO, answer)
        return None if failed else int(_INO.unpack_from(answer)[0])

    return which_file


class InodeWatch:
    """Remembers which files have these names now; for use in one thread."""

    def __init__(self, paths: Iterable[Path], which_file: WhichFile | None = None) -> None:
        # Every libc of the last years has statx; without it commits are slower.
        self._which_file = which_file or by_statx() or by_stat
        self._files = [(name, self._which_file(name)) for name in map(os.fsencode, paths)]

    def are_still_there(self) -> bool:
        for name, file in self._files:  # noqa: SIM110 - before every commit; a generator takes longer
            if file is None or self._which_file(name) != file:
                return False
        return True
