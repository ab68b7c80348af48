"""What one open page gets: first everything, then whatever has changed. Pure.

Each message is a JSON object of which a page replaces the parts that are in it; `null` takes a part away.
"""

from collections.abc import Callable

from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import PitRow, board_sections, pit_row
from shoe_controller.web.push import SentSections


class BoardFeed:
    """The sections of one table's board."""

    def __init__(self, floor: Floor, name: str) -> None:
        self._floor = floor
        self._name = name
        self._seen = -1
        self._sent = SentSections()

    def news(self) -> bytes | None:
        version = self._floor.versions.get(self._name, 0)
        if version == self._seen:
            return None
        self._seen = version
        return self._sent.message(board_sections(self._floor, self._floor.tables.get(self._name)))


WAITING = ":waiting"
"""In place of a table's name, what is waited for; no table can be called so."""


class PitFeed:
    """A row for each table of the site."""

    def __init__(self, floor: Floor, clock: Callable[[], float]) -> None:
        self._floor = floor
        self._clock = clock
        self._seen = -1
        self._versions: dict[str, int] = {}
        self._waited = False
        self._sent = SentSections()

    def news(self) -> bytes | None:
        floor = self._floor
        if floor.version == self._seen:
            return None
        is_first, self._seen = self._seen < 0, floor.version
        rows: dict[str, PitRow | None] = {
            name: pit_row(floor, name, self._clock())
            for name, version in floor.versions.items()
            if self._versions.get(name) != version
        }
        gone = [name for name in self._versions if name not in floor.versions]
        self._versions = dict(floor.versions)
        waiting = floor.waiting
        waits = {WAITING: waiting} if waiting is not None or self._waited else {}
        self._waited = waiting is not None
        message = self._sent.message(rows | dict.fromkeys(gone) | waits)
        for name in gone:
            self._sent.forget(name)
        # A page without tables must be sent that there are none.
        return b"{}" if message is None and is_first else message
