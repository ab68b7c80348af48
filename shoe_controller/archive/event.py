"""An event as the archive stores it."""

from typing import NamedTuple


class ArchivedEvent(NamedTuple):
    """One event of one journal, with what is read of it to find it again; `payload` is as it was published."""

    journal_id: int
    """The journal's number in the table `archive.journal`."""
    site: str
    table: str
    journal: str
    """The journal's own id."""
    seq: int
    at_ms: int
    """When it happened, by the clock of the table: milliseconds since 1970."""
    fact: str
    """The name of the event."""
    shoe: int
    round: int
    topic: str
    """Below the table's own topic: "event/card"."""
    payload: bytes
    """The message, byte for byte, without what a replay puts before it."""
