"""The choices of a house that displays must know: when wagers close, when cards are shown, which of them go out."""

from enum import StrEnum


class BetsClose(StrEnum):
    """What closes the wagers of a round."""

    FIRST_CARD = "first_card"
    """The first card that leaves the shoe."""
    DEALER = "dealer"
    """The dealer announces "no more bets"; a card before that is a fault."""


class Reveal(StrEnum):
    """When the cards of a round are shown to anybody."""

    AT_DRAW = "at_draw"
    """As they leave the shoe."""
    BY_DEALER = "by_dealer"
    """When the dealer shows them."""
    AT_RESULT = "at_result"
    """With the confirmed result."""


class ShownCard(StrEnum):
    """What becomes of an extra card that everyone has seen: it never begins a round with wagers."""

    BURN = "burn"
    FREE_HAND = "free_hand"
    """It may begin the next round, which is then dealt without wagers."""


class DiscardedCard(StrEnum):
    """What becomes of a round in which a card is found face up, damaged or foreign."""

    VOID = "void"
    NEXT_CARD = "next_card"
    """A supervisor may discard the card, and the next one takes its place."""


class Remainder(StrEnum):
    """What becomes of the cards that are left in a shoe when it has ended."""

    NOT_COUNTED = "not_counted"
    """They may be counted; the next shoe does not wait for it."""
    COUNTED = "counted"
    """A supervisor has them counted before the next shoe is opened."""
