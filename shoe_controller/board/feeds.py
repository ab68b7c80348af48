"""What one open page gets: first everything, then whatever has changed. Pure.

A feed remembers what it has sent, so a page that is slow is told less often, and never anything that is out of date.
Each message is a JSON object of which a page replaces the parts that are in it; `null` takes a part away.
"""

from collections.abc import Callable

import msgspec

from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import board_sections, pit_row

_encode = msgspec.json.Encoder().encode


class BoardFeed:
    """The sections of one table's board."""

    def __init__(self, floor: Floor, name: str) -> None:
        self._floor = floor
        self._name = name
        self._seen = -1
        self._sent: dict[str, bytes] = {}

    def news(self) -> bytes | None:
        version = self._floor.versions.get(self._name, 0)
        if version == self._seen:
            return None
        self._seen = version
        sections = board_sections(self._floor, self._floor.tables.get(self._name))
        made = {name: _encode(section) for name, section in sections.items()}
        changed = {name: part for name, part in made.items() if self._sent.get(name) != part}
        self._sent = made
        return _joined(changed) if changed else None


class PitFeed:
    """A row for each table of the site."""

    def __init__(self, floor: Floor, clock: Callable[[], float]) -> None:
        self._floor = floor
        self._clock = clock
        self._seen = -1
        self._versions: dict[str, int] = {}
        self._sent: dict[str, bytes] = {}

    def news(self) -> bytes | None:
        floor = self._floor
        if floor.version == self._seen:
            return None
        first, self._seen = self._seen < 0, floor.version
        changed: dict[str, bytes] = {}
        for name, version in floor.versions.items():
            if self._versions.get(name) != version:
                row = _encode(pit_row(floor, floor.tables[name], self._clock()))
                if self._sent.get(name) != row:
                    changed[name] = self._sent[name] = row
        for name in [name for name in self._sent if name not in floor.versions]:
            del self._sent[name]
            changed[name] = b"null"
        self._versions = dict(floor.versions)
        return _joined(changed) if changed or first else None


def _joined(parts: dict[str, bytes]) -> bytes:
    return _encode({name: msgspec.Raw(part) for name, part in parts.items()})
