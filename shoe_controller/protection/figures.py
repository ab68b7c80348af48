"""What a counter would win, as it is stored and shown: by pay table, so that a wager under another name has it too."""

from collections.abc import Iterable
from functools import cache
from importlib import resources

import msgspec

from shoe_controller.baccarat.wagers import Result, Schedule, odds_text

STORED = "counted.json"
"""The figures of the built-in pay tables, which come with the program."""

SCALES = tuple(step / 20 for step in range(11))
"""By how much all prices of a wager are lowered, to find one at which counting it wins less."""


class Figures(msgspec.Struct, frozen=True):
    """What a counter would win with one wager and one depth of the cut card."""

    cut: int
    """Cards behind the cut card."""
    rounds_per_shoe: float
    bets: float
    """How much of the rounds are played."""
    mean_edge: float
    """The mean edge of those that are played."""
    per_100_rounds: float
    """Units won in 100 rounds dealt."""
    per_shoe: float
    standard_error: float
    """Of the units won in a shoe."""


class Counted(msgspec.Struct, frozen=True):
    """The figures of one pay table and number of decks."""

    pay_table: str
    """In words: what it pays on what."""
    decks: int
    last_rounds: int
    shoes: int
    by_depth: tuple[Figures, ...]
    """The depths of the cut card, beginning with the least."""
    scaled: tuple[float, ...]
    """Units won in a shoe at the first depth with prices lowered by each of `SCALES`."""

    def depth_under(self, limit: float) -> int | None:
        """The least of the depths at which a counter wins no more than this in a shoe."""
        return next((figures.cut for figures in self.by_depth if figures.per_shoe <= limit), None)

    def scale_under(self, limit: float) -> float | None:
        """The least lowering of all prices at which a counter wins no more than this in a shoe."""
        return next((scale for scale, units in zip(SCALES, self.scaled, strict=True) if units <= limit), None)


class CountedFile(msgspec.Struct, frozen=True):
    counted: tuple[Counted, ...]


def pay_table_text(schedule: Schedule, wager: str) -> str:
    """Return what a wager pays on what: equal for equal pay tables, whatever the wager is called."""
    rows = []
    for row in schedule.pay_tables[wager]:
        outcome = schedule.row_result(row)
        rows.append(f"{row.when}: {odds_text(outcome.pays) if outcome.result is Result.WIN else 'push'}")
    return "; ".join(rows)


def read_counted(text: bytes) -> CountedFile:
    """Read a file of figures; raise `msgspec.DecodeError` if it is none."""
    return msgspec.json.decode(text, type=CountedFile)


def written(counted: Iterable[Counted]) -> bytes:
    ordered = sorted(counted, key=lambda each: (each.decks, each.pay_table))
    return msgspec.json.format(msgspec.json.encode(CountedFile(tuple(ordered))), indent=1) + b"\n"


@cache
def stored_figures() -> CountedFile:
    """The figures that come with the program."""
    return read_counted((resources.files("shoe_controller.protection") / STORED).read_bytes())


def find(counted: Iterable[Counted], pay_table: str, decks: int, last_rounds: int) -> Counted | None:
    """Return the first figures of this pay table, for shoes that go on for at least as many rounds after the cut card.

    More rounds are more to win: figures for fewer than the house deals would be too low.
    """
    fitting = (each for each in counted if each.pay_table == pay_table and each.decks == decks)
    return next((each for each in fitting if each.last_rounds >= last_rounds), None)
