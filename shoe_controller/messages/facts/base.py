"""What every fact has, and the topics on which facts are published."""

from enum import StrEnum
from typing import ClassVar

import msgspec


class EventTopic(StrEnum):
    """The last part of the topics on which events are published."""

    SHOE = "shoe"
    ROUND = "round"
    CARD = "card"
    OUTCOME = "outcome"
    SETTLEMENT = "settlement"
    ALERT = "alert"
    OPERATOR = "operator"
    CHECKPOINT = "checkpoint"


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact"):
    """The common base; never instantiated itself."""

    TOPIC: ClassVar[EventTopic]

    schema: int = 1
    """The version of this message."""
    seq: int
    """Counts up by one with every event of this journal, over all event topics."""
    time: int
    """Milliseconds since 1970, by the controller's clock."""
    shoe: int
    """The shoe it belongs to, counted from 1; 0 before the first."""
    round: int
    """The round of the shoe it belongs to, counted from 1; 0 before the first."""
