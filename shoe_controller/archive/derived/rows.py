"""What an event means for the tables: rows to add, changes of rows, and rows that it takes the place of."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

import msgspec

from shoe_controller.archive.derived.tables import Table
from shoe_controller.archive.event import ArchivedEvent

Value = object
Row = tuple[Value, ...]
Key = tuple[Value, ...]


class Patch(NamedTuple):
    """Values for some columns of one row, which is added if there is none; the table says how each is merged."""

    table: Table
    key: Key
    values: Mapping[str, Value]


class Sweep(NamedTuple):
    """Values for all rows of a table that have certain others."""

    table: Table
    where: Mapping[str, Value]
    values: Mapping[str, Value]


class Replaced(NamedTuple):
    """Rows of a round, with a smaller `seq`, that stood and are replaced by this event."""

    table: Table
    journal_id: int
    shoe: int
    round: int
    by: int
    """The `seq` of the event."""
    having: Mapping[str, Value]
    """Only rows with these values."""
    forget: bool = False
    """Such rows are removed rather than marked: wagers that were changed while wagers were open."""


class Rows:
    """Everything that one event means."""

    __slots__ = ("added", "patches", "replaced", "sweeps")

    def __init__(self) -> None:
        self.added: list[tuple[Table, Row]] = []
        self.patches: list[Patch] = []
        self.replaced: list[Replaced] = []
        self.sweeps: list[Sweep] = []

    def add(self, table: Table, begin: Row, /, **values: Value) -> None:
        """Add a row that begins with these values; the others are given by name, and null where they are not."""
        self.added.append((table, begin + tuple([values.get(name) for name in table.names[len(begin) :]])))

    def patch(self, table: Table, key: Key, /, **values: Value) -> None:
        self.patches.append(Patch(table, key, values))

    def values(self) -> Iterator[Iterable[Value]]:
        """Everything that goes into columns."""
        for _, row in self.added:
            yield row
        for patch in self.patches:
            yield patch.key
            yield patch.values.values()


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MS, _LAST_MS = 0, 7_258_118_399_999
"""The times that a month of `archive.event` can be for; a clock that shows another one shows the nearest of these."""


@lru_cache(maxsize=1000)
def when(at_ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=min(max(at_ms, _FIRST_MS), _LAST_MS))


def head(event: ArchivedEvent, of: tuple[int, int] | None = None) -> Row:
    """The first columns of a row about an event; `of` is the shoe and the round, where they are not its own."""
    shoe, round_ = of or (event.shoe, event.round)
    return event.journal_id, event.seq, when(event.at_ms), event.site, event.table, shoe, round_


def line_head(event: ArchivedEvent, line: int, of: tuple[int, int] | None = None) -> Row:
    shoe, round_ = of or (event.shoe, event.round)
    return event.journal_id, event.seq, line, when(event.at_ms), shoe, round_


def as_text(text: str | None) -> str | None:
    """Text of people as PostgreSQL can store it: a NUL, which it refuses, is shown by its symbol."""
    return text if text is None or "\x00" not in text else text.replace("\x00", "\u2400")


def as_json(value: object) -> str | None:
    """A value as `jsonb` can store it."""
    if value is None:
        return None
    encoded = msgspec.json.encode(value).decode()
    if "\\u0000" in encoded:
        encoded = msgspec.json.encode(_without_nul(msgspec.to_builtins(value))).decode()
    return encoded


def _without_nul(value: object) -> object:
    match value:
        case str():
            return as_text(value)
        case dict():
            return {_without_nul(name): _without_nul(each) for name, each in value.items()}
        case list() | tuple():
            return [_without_nul(each) for each in value]
        case _:
            return value
