"""The page and the event stream at each address of the board."""

from collections.abc import Callable, Mapping

from shoe_controller.board.feeds import BoardFeed, PitFeed
from shoe_controller.board.floor import TABLE_NAME, Floor
from shoe_controller.board.sections import PitRow, pit_row
from shoe_controller.web.push import Stream
from shoe_controller.web.static_files import File, in_language, in_look

PIT_PAUSE = 0.2
"""Seconds between two messages to a pit view: with many tables something always happens."""


class BoardAddresses:
    """An `Answers`: /table/NAME for each table, /pit for all of them; both take ?lang= and ?look=."""

    def __init__(  # noqa: PLR0913 - each given by name
        self,
        floor: Floor,
        files: Mapping[str, File],
        *,
        language: str,
        look: str,
        pit: bool,
        home: str | None,
        clock: Callable[[], float],
    ) -> None:
        self._floor = floor
        self._files = files
        self._language = language
        self._look = look
        self._pit = pit
        self._home = home
        self._clock = clock

    def moved(self, path: str) -> str | None:
        if path:
            return None
        if self._pit:
            return "/pit"
        return None if self._home is None else f"/table/{self._home}"

    def page(self, path: str, query: Mapping[str, str]) -> bytes | None:
        if path == "pit" and self._pit:
            return self._dressed("pit.html", query)
        return None if _table_in(path) is None else self._dressed("board.html", query)

    def stream(self, path: str) -> Stream | None:
        if path == "pit" and self._pit:
            return Stream(PitFeed(self._floor, self._pit_row), PIT_PAUSE)
        name = _table_in(path)
        return None if name is None else Stream(BoardFeed(self._floor, name))

    def _pit_row(self, name: str) -> PitRow:
        return pit_row(self._floor, name, self._clock())

    def _dressed(self, file: str, query: Mapping[str, str]) -> bytes:
        """The page in the language and the look that its address requests, where they exist."""
        page = in_language(self._files[file].content, query.get("lang", ""), self._language)
        return in_look(page, query.get("look", ""), self._look)


def _table_in(path: str) -> str | None:
    folder, _, name = path.partition("/")
    return name if folder == "table" and TABLE_NAME.fullmatch(name) else None
