"""What proves that a shoe is bad, and what its remainder lacks."""

from enum import StrEnum

from shoe_controller.messages.details.base import Detail


class ShoeProof(StrEnum):
    """What proves that a shoe does not hold its decks and nothing else."""

    TOO_MANY_COPIES = "too_many_copies"
    CARD_TWICE = "card_twice"
    FOREIGN_CARD = "foreign_card"
    TOO_MANY_CARDS = "too_many_cards"


class ProvenBad(Detail, frozen=True):
    """Why the shoe is bad."""

    proof: ShoeProof
    """What came out of the shoe that its decks do not hold."""


class FromBadShoe(Detail, frozen=True):
    """It came from a shoe that is proven bad, of which nothing more is dealt."""


class ButtonBeforeEnd(Detail, frozen=True):
    """The button for a new shoe was pressed."""


class FirstCardBeforeEnd(Detail, frozen=True):
    """A card came that the shoe marks as the first of a new one; it waits, and so does every card after it."""


class RemainderOff(Detail, frozen=True):
    """What the count of the remainder came to."""

    shoe: int
    """The shoe that was counted."""
    expected: int
    """Cards that must be left."""
    found: int
    """Cards that are left."""


class OldShoeUnheard(Detail, frozen=True):
    """The shoe was exchanged while it was not connected: what it had kept is not known."""


class ShoeExchangedNow(Detail, frozen=True):
    """The shoe was exchanged for another."""
