"""A file that is created at the first write, so that a failed start leaves everything as it was."""

import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

_DATABASE = b"SQLite format 3\0"


class UnwritableError(Exception):
    """The file cannot be written; the message says why."""


class LateFile:
    """Raises at once if the path cannot be written; replaces an existing file at the first write."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._path = Path(name)
        self._file: BinaryIO | None = None
        folder = self._path.absolute().parent
        if self._path.is_file() and os.access(self._path, os.R_OK) and self._begins_with(_DATABASE):
            raise UnwritableError(f"{name} is a journal, or another database, and was left alone: name another file")
        if self._path.is_dir():
            raise UnwritableError(f"{name} cannot be written: it is a folder")
        if self._path.is_fifo():  # its reader would be waited for
            raise UnwritableError(f"{name} cannot be written: it is a pipe")
        if not folder.is_dir():
            raise UnwritableError(f"{name} cannot be written: there is no folder {folder}")
        if not os.access(self._path if self._path.exists() else folder, os.W_OK):
            raise UnwritableError(f"{name} cannot be written: permission denied")

    def _begins_with(self, magic: bytes) -> bool:
        with self._path.open("rb") as file:
            return file.read(len(magic)) == magic

    def write(self, data: bytes) -> None:
        """Write unbuffered, so that each line is in the file at once."""
        if self._file is None:
            self._file = self._path.open("wb")
        self._file.write(data)
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
