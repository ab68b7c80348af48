"""The exports of pruned shoes, read again for `verify.py`: the records that a journal no longer has."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from shoe_controller.journal.errors import StorageError
from shoe_controller.journal.export import record_of
from shoe_controller.journal.records import Record, Tombstone

LONGEST_LINE = 1 << 26
"""Bytes; a longer line is no record."""


class Export:
    """The records in one file, in order; `digest` is known when all of it was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest = hashlib.blake2s()

    @property
    def digest(self) -> bytes:
        return self._digest.digest()

    def records(self) -> Iterator[Record]:
        """Ends with a `ValueError` where a line holds no record."""
        try:
            with self.path.open("rb") as file:
                while line := file.readline(LONGEST_LINE):
                    self._digest.update(line)
                    yield record_of(line)
        except OSError as error:
            raise StorageError(self.path, f"the export cannot be read: {error.strerror}.") from error


def exports_of(tombstones: Sequence[Tombstone], places: Iterable[Path]) -> tuple[dict[int, Export], list[Path]]:
    """The exports at these places, by the first record of their tombstones; and those files that are none of them.

    A place is a file, or a folder with files under the names that the tombstones give.
    """
    firsts = {tombstone.first for tombstone in tombstones}
    found: dict[int, Export] = {}
    others: list[Path] = []
    for place in places:
        if place.is_dir():
            for tombstone in tombstones:
                name = place / Path(tombstone.export_name).name
                if tombstone.export_name == name.name and name.is_file():
                    found[tombstone.first] = Export(name)
            continue
        first = _first_of(place)
        if first in firsts:
            found[first] = Export(place)
        else:
            others.append(place)
    return found, others


def _first_of(path: Path) -> int:
    """The number of the first record; 0 where there is none."""
    if not path.is_file():
        raise StorageError(path, "the export does not exist, or is not a file.")
    try:
        return next(Export(path).records()).number
    except (StopIteration, ValueError):
        return 0
