"""Counters of a link since it was created, and the rule by which refusals are reported.

A stranger on the line, or a bad cable, can produce thousands of refused frames a minute. Each is counted; the
first, the tenth, the hundredth are reported, so that the log shows the extent without being flooded.
"""

import msgspec

from firmware_protocol.link import Refused, RefusedCause
from firmware_protocol.native.session import FORGED, REPLAYED

MALFORMED = "a frame whose content does not match its type"
REFLECTED = "a frame of our own direction: the line reflects what we send"
TOO_MANY_REASONS = "refused for more different reasons than are counted separately"
MAX_REASONS = 16

_CAUSES = {
    FORGED: RefusedCause.FORGED,
    REPLAYED: RefusedCause.REPLAYED,
    MALFORMED: RefusedCause.MALFORMED,
    REFLECTED: RefusedCause.REFLECTED,
}


class LinkCounts(msgspec.Struct):
    frames: int = 0
    """Whole frames, with a right checksum."""
    line_errors: int = 0
    """Bytes between two ends of frames that were no frame: damaged, cut off, or noise."""
    refused: dict[str, int] = msgspec.field(default_factory=dict)
    """Refused frames by reason, worded as in the reports."""
    unknown: int = 0
    """Authenticated frames of an unknown type, from a newer version: skipped."""
    unexpected: int = 0
    """Frames that belong to no session and no handshake of ours: normal when one side has restarted."""
    duplicates: int = 0
    """Events that came again after they were delivered."""
    held_back: int = 0
    """Events not taken because too many before them are not stored yet."""
    naks: int = 0
    """NAKs sent by the controller, or obeyed by the shoe."""
    resent: int = 0
    """EVENT frames that the shoe sent again."""
    sessions: int = 0
    unsent: int = 0
    """Frames dropped because the outbox was full; all of them are repeated in time."""


class Refusals:
    """Counts refusals in `LinkCounts.refused` and decides which are reported."""

    def __init__(self, counts: LinkCounts) -> None:
        self._refused = counts.refused
        self._reported: set[str] = set()

    def count(self, reason: str) -> list[Refused]:
        """Count one refused frame."""
        refused = self._counted(reason, _CAUSES.get(reason, RefusedCause.OTHER))
        return [refused] if str(refused.count).strip("0") == "1" else []

    def once(self, reason: str, cause: RefusedCause = RefusedCause.OTHER) -> list[Refused]:
        """Count a reason that lasts until a person acts: reported when it is new."""
        refused = self._counted(reason, cause)
        if refused.reason in self._reported:
            return []
        self._reported.add(refused.reason)
        return [refused]

    def _counted(self, reason: str, cause: RefusedCause) -> Refused:
        if reason not in self._refused and len(self._refused) >= MAX_REASONS:
            # Some reasons contain the other side's numbers: an attacker who invents numbers must not fill our memory.
            reason = TOO_MANY_REASONS
        number = self._refused.get(reason, 0) + 1
        self._refused[reason] = number
        return Refused(cause=cause, reason=reason, count=number)

    def start_afresh(self) -> None:
        """Reset for a new line or session: what lasted may have been fixed."""
        self._reported.clear()
