"""What may be chosen of a demonstration, with its limits. `commands/demo.py` reads it from the command line."""

from typing import NamedTuple

WIRES = ("native", "angel_eye", "lines")
GAMES = ("nepal", "commission", "no_commission")
BROKERS = ("auto", "mosquitto", "emulated")

SLOWEST, FASTEST = 0.1, 100.0
"""Times a person's pace. Faster, the first card would be out before anybody could bet."""
USUAL_SPEED = 4.0
COUNTERS_SPEED = 40.0
"""With a player who counts: found after a few shoes, which are to take minutes."""
USUAL_SEED = 7
COUNTERS_SEED = 6
"""With a player who counts: found after 8 to 10 shoes, as half of all are. With the usual seed it would be 20."""
MOST_TABLES = 16
"""Each is two programs more."""

SITE = "demo"
DECKS = 8
OFFER = ("base", "pairs", "lucky_6")
"""What the tables offer."""
COUNTERS_DECKS = 2
"""With a player who counts: a shoe is over after some 18 rounds."""
COUNTERS_OFFER = ("base", "lucky_6")
"""With a player who counts, beside the wager that is counted. What pairs are compared with takes long to deal."""
FALSE_ALARM_AFTER = 1000
"""Shoes, for the pit's process beside a player who counts; a house waits longer, to be surer."""
SEATS = ("1", "2", "3", "5", "6")


class DemoSettings(NamedTuple):
    wire: str
    game: str
    speed: float
    tables: int
    rounds: int | None
    """Settled rounds of each table after which it ends; `None` goes on until Ctrl-C, or until all faults are over."""
    seed: int
    faults: tuple[str, ...]
    """What goes wrong, in this order; nothing of the sort if it is empty."""
    broker: str
    pages: bool
    """Whether the boards, the pit view and a console are served to browsers."""
    counter: str | None = None
    """The count that the last seat goes by, of `COUNTS`; its wager is offered then."""

    @property
    def decks(self) -> int:
        return DECKS if self.counter is None else COUNTERS_DECKS


def table_name(number: int) -> str:
    return f"table-{number}"
