"""What a link has seen since it was made: numbers for the health page, and the rule by which refusals are reported.

A stranger on the line, or a bad cable, can produce thousands of refused frames a minute. Each is counted; a report is
made of the first, the tenth, the hundredth, so that the log shows the extent without being flooded.
"""

import msgspec

from firmware_protocol.link import Refused

MALFORMED = "a frame that is not filled as its type says"
REFLECTED = "a frame of our own direction: the line sends back what we say"
TOO_MANY_REASONS = "refused for more different reasons than are kept apart"
MAX_REASONS = 16


class LinkCounts(msgspec.Struct):
    line_errors: int = 0
    refused: dict[str, int] = msgspec.field(default_factory=dict)
    """By reason; the sentences are those of the reports."""
    unknown: int = 0
    """Frames of a type that only a newer version knows: believed, and skipped."""
    unexpected: int = 0
    """Frames that belong to no session and no handshake of ours: normal when one side has restarted."""
    duplicates: int = 0
    """Events that came again after they were delivered."""
    held_back: int = 0
    """Events not taken because too many before them are not stored yet."""
    naks: int = 0
    """Sent by the controller, obeyed by the shoe."""
    resent: int = 0
    """Events that the shoe sent more than once, counted by frame."""
    sessions: int = 0
    unsent: int = 0
    """Frames dropped because nobody took what was to be sent; all of them are repeated in time."""


class Refusals:
    """Counts refusals into `LinkCounts.refused`, and says which are worth a report."""

    def __init__(self, counts: LinkCounts) -> None:
        self._refused = counts.refused
        self._told: set[str] = set()

    def count(self, reason: str) -> list[Refused]:
        """One frame that was not believed."""
        refused = self._counted(reason)
        return [refused] if str(refused.count).strip("0") == "1" else []

    def once(self, reason: str) -> list[Refused]:
        """A reason that lasts until somebody acts: reported when it is new."""
        refused = self._counted(reason)
        if refused.reason in self._told:
            return []
        self._told.add(refused.reason)
        return [refused]

    def _counted(self, reason: str) -> Refused:
        if reason not in self._refused and len(self._refused) >= MAX_REASONS:
            # Some reasons have the other side's numbers in them: whoever invents such numbers must not fill our memory.
            reason = TOO_MANY_REASONS
        number = self._refused.get(reason, 0) + 1
        self._refused[reason] = number
        return Refused(reason=reason, count=number)

    def start_afresh(self) -> None:
        """A new line or a new session: what lasted may have been put right."""
        self._told.clear()
