"""The fields that stand before those of a published event. `mqtt/envelope.py` puts them there."""

from typing import Annotated

import msgspec


class EventEnvelope(msgspec.Struct, frozen=True, kw_only=True):
    """The fields before those of the event itself."""

    journal: str
    """The id of the journal that numbers the events. With another id, `seq` counts from 1 again."""
    round_id: str
    """Unlike that of any other round, also of another journal: the journal's id, the shoe and the round.

    Round 0 of a shoe is what comes before its first round.
    """


class OutcomeEnvelope(EventEnvelope, frozen=True, kw_only=True):
    """That of an outcome, which also says where the journal stood."""

    head: Annotated[str, msgspec.Meta(pattern="^[0-9]+:[0-9a-f]{64}$")]
    """The number of the event's record in the journal and the hash of everything up to and including it.

    Kept outside the house, it shows later whether the journal was changed.
    """
