"""What one open page gets: first everything, then whatever has changed. Pure.

Each message is a JSON object of which a page replaces the parts that are in it; `null` takes a part away.
"""

from collections.abc import Callable

from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import PitRow, board_sections
from shoe_controller.follow.in_sight import Waiting
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

    def __init__(
        self, floor: Floor, row: Callable[[str], PitRow], version_beside: Callable[[str], int] = lambda _name: 0
    ) -> None:
        """`version_beside` grows with what `row` makes its rows of beside the floor."""
        self._floor = floor
        self._row = row
        self._version_beside = version_beside
        self._versions: dict[str, tuple[int, int]] | None = None
        self._waiting: Waiting | None = None
        self._sent = SentSections()

    def news(self) -> bytes | None:
        floor = self._floor
        versions = {name: (version, self._version_beside(name)) for name, version in floor.versions.items()}
        waiting = floor.waiting
        if versions == self._versions and waiting == self._waiting:
            return None
        is_first, known = self._versions is None, self._versions or {}
        rows: dict[str, PitRow | None] = {
            name: self._row(name) for name, version in versions.items() if known.get(name) != version
        }
        gone = [name for name in known if name not in versions]
        waits = {WAITING: waiting} if waiting is not None or self._waiting is not None else {}
        self._versions, self._waiting = versions, waiting
        message = self._sent.message(rows | dict.fromkeys(gone) | waits)
        for name in gone:
            self._sent.forget(name)
        # A page without tables must be sent that there are none.
        return b"{}" if message is None and is_first else message
