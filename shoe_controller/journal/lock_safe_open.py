"""Opens files that SQLite has open in this process without losing SQLite's locks on them.

When a process closes any descriptor of a file, it loses all its locks on that file (see fcntl(2)), SQLite's too.
Another program would then take itself for the last one, and remove the log that we go on writing to. So what was opened
for a look stays open until the last connection to that file is closed. `database.py` registers every connection here.
"""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

_connections: Counter[Path] = Counter()
_kept: dict[Path, list[FileIO]] = {}
"""More than one where a file was replaced by another."""
_turn = threading.Lock()


def connecting(path: Path) -> None:
    with _turn:
        _connections[path.resolve()] += 1


def disconnected(path: Path) -> None:
    with _turn:
        name = path.resolve()
        _connections[name] -= 1
        if not _connections[name]:
            del _connections[name]
            for file in _kept.pop(name, ()):
                file.close()


@contextmanager
def look(path: Path) -> Iterator[FileIO]:
    """The file, open for reading from its start."""
    with _turn:
        name = path.resolve()
        for kept in _kept.get(name, ()):
            if os.path.samestat(os.fstat(kept.fileno()), path.stat()):
                kept.seek(0)
                yield kept
                return
        file = path.open("rb", buffering=0)
        try:
            yield file
        finally:
            _close_when_unused(name, file)


def hold(path: Path) -> FileIO:
    """The file, open for as long as the caller wants: for a lock of its own. `let_go` ends it."""
    with _turn:
        return path.open("rb", buffering=0)


def let_go(path: Path, file: FileIO) -> None:
    with _turn:
        _close_when_unused(path.resolve(), file)


def _close_when_unused(name: Path, file: FileIO) -> None:
    if _connections[name]:
        _kept.setdefault(name, []).append(file)
    else:
        file.close()
