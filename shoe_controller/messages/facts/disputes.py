"""Facts about rounds that people look at again: notes, disputes, and payments put right by hand."""

from typing import ClassVar

import msgspec

from shoe_controller.messages.facts.base import EventTopic, Fact


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A round that a player disputes, until it is decided."""

    number: int
    """Counts up from 1 with every dispute of this journal, and names it in `close_dispute`."""
    shoe: int
    """The shoe of the disputed round;"""
    round: int
    """and the round: 0 where none had begun."""
    seat: str | None
    """The seat whose player disputes it; null where it is none, or more than one."""
    text: str
    """What is disputed, as the supervisor wrote it."""
    person: str
    """The id of the supervisor who opened it."""
    time: int
    """When it was opened, in milliseconds since 1970."""


class NoteMade(Fact, frozen=True, kw_only=True, tag="note_made"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    of_shoe: int
    """The shoe of the round that the note is on;"""
    of_round: int
    """and the round: 0 where none had begun."""
    text: str
    """The note."""


class DisputeOpened(Fact, frozen=True, kw_only=True, tag="dispute_opened"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    dispute: Dispute
    """The dispute."""


class DisputeClosed(Fact, frozen=True, kw_only=True, tag="dispute_closed"):
    TOPIC: ClassVar[EventTopic] = EventTopic.OPERATOR

    dispute: Dispute
    """The dispute, as it was opened."""
    decision: str
    """How it was decided, as the supervisor wrote it."""


class PaymentAdjusted(Fact, frozen=True, kw_only=True, tag="payment_adjusted"):
    """Beside the settlement of the round, which stays as it is."""

    TOPIC: ClassVar[EventTopic] = EventTopic.SETTLEMENT

    of_shoe: int
    """The shoe of the round whose payment is put right;"""
    of_round: int
    """and the round: 0 where none had begun."""
    seat: str
    """The seat."""
    amount: int
    """In minor units: above 0 it is paid to the seat, below 0 it is collected from it."""
