"""What may be chosen of a demonstration, with its limits. `commands/demo.py` reads it from the command line."""

from typing import NamedTuple

WIRES = ("native", "angel_eye", "lines")
GAMES = ("nepal", "commission", "no_commission")
BROKERS = ("auto", "mosquitto", "emulated")

SLOWEST, FASTEST = 0.1, 100.0
"""Times a person's pace. Faster, the first card would be out before anybody could bet."""
USUAL_SPEED = 4.0
MOST_TABLES = 16
"""Each is two programs more."""

SITE = "demo"
DECKS = 8
OFFER = ("base", "pairs", "lucky_6")
"""What the tables offer."""
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


def table_name(number: int) -> str:
    return f"table-{number}"
