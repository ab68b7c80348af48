"""What the details of one table get: first everything, then whatever has changed. Pure.

The rows of all tables come from the board's `PitFeed`.
"""

from collections.abc import Callable

from shoe_controller.board.floor import Floor
from shoe_controller.pit.exposures import Exposures
from shoe_controller.pit.sections import Moment, table_details
from shoe_controller.web.push import SentSections


class DetailsFeed:
    """All wagers of one table."""

    def __init__(self, floor: Floor, exposures: Exposures, name: str, clock: Callable[[], Moment]) -> None:
        self._floor = floor
        self._exposures = exposures
        self._name = name
        self._clock = clock
        self._seen = (-1, -1)
        self._sent = SentSections()

    def news(self) -> bytes | None:
        seen = self._floor.versions.get(self._name, 0), self._exposures.version_of(self._name)
        if seen == self._seen:
            return None
        self._seen = seen
        details = table_details(self._floor, self._name, self._exposures.of(self._name), self._clock())
        return self._sent.message({"table": details})
