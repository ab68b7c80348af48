"""The choices of a house that displays must know: when wagers close, and when cards are shown."""

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
