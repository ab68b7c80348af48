"""What the pit's process knows of one table, for its page."""

from typing import NamedTuple

from shoe_controller.messages.pit import EdgesMessage, RaisedPitAlarm


class CurvePoint(NamedTuple):
    """The most exposed wager of one round of the present shoe, when wagers opened for it."""

    round: int
    wager: str
    edge: float


class Exposure(NamedTuple):
    """The edges and alarms of one table, as they were last published."""

    edges: EdgesMessage | None
    """`None` before anything is known of the table."""
    curve: tuple[CurvePoint, ...]
    """By round, of the present shoe."""
    alarms: tuple[RaisedPitAlarm, ...]
    """Those that stand, the oldest first."""
