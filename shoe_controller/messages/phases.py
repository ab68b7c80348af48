"""The phases in the life of a shoe and of its rounds. The moves between them are in `table/phases.py`."""

from enum import StrEnum


class Phase(StrEnum):
    """What the table is doing."""

    NO_SHOE = "no_shoe"
    """No shoe is open yet."""
    FIRST_CARD = "first_card"
    """A new shoe: its first card says how many are burned."""
    BURNING = "burning"
    """Cards are burned, as many as the first card says."""
    BETTING = "betting"
    """Wagers are open. Where the first card closes them, it may come."""
    CLOSED = "closed"
    """No more bets: the first card may come."""
    DEALING = "dealing"
    """Cards of the round lie on the table, and more may come."""
    COMPLETE = "complete"
    """The rules allow no more cards; the result is not yet confirmed."""
    ENDED = "ended"
    """The last round of the shoe is over."""
