"""Facts about marked commission: collected when a player leaves or the shoe is over, or waived."""

from typing import ClassVar

import msgspec

from shoe_controller.messages.facts.base import EventTopic, Fact


class DueCommission(msgspec.Struct, frozen=True, kw_only=True):
    """Commission that was marked and not collected yet."""

    shoe: int
    """The shoe in which it was marked."""
    since: int | None = None
    """Where what a seat owes of several shoes was added up, the first of them; `shoe` is the last. Null otherwise."""
    seat: str
    """The seat that owes it."""
    amount: int
    """In minor units."""


class CommissionCollected(Fact, frozen=True, kw_only=True, tag="commission_collected"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    seat: str
    """The seat."""
    amount: int
    """What was collected, in minor units."""
    due: tuple[DueCommission, ...]
    """What it is made up of, by the shoe in which it was marked."""


class CommissionWaived(Fact, frozen=True, kw_only=True, tag="commission_waived"):
    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    seat: str
    """The seat."""
    amount: int
    """What is not collected, in minor units."""
    due: tuple[DueCommission, ...]
    """What it is made up of, by the shoe in which it was marked."""
