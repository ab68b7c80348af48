"""Which card, and why it has no place or its face does not fit."""

from enum import StrEnum

from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.details.base import Detail


class CardProblem(StrEnum):
    """What can be wrong with a card itself."""

    MISREAD = "misread"
    FOREIGN_CARD = "foreign_card"
    CARD_TWICE = "card_twice"
    TOO_MANY_COPIES = "too_many_copies"


class CardOfRound(Detail, frozen=True):
    """It is about a card of the round."""

    number: int
    """1-based position in the round."""
    hand: Side
    """The hand that the card lies in."""


class FirstCardOfShoe(Detail, frozen=True):
    """It is about the first card of the shoe."""


class ProblemCard(Detail, frozen=True):
    """What is wrong with a card that lies in no hand."""

    problem: CardProblem
    """What is wrong with the card."""


class CardsTogether(Detail, frozen=True):
    """Several cards left the shoe at once."""

    cards: int
    """How many cards."""


class NoShoeOpen(Detail, frozen=True):
    """No shoe is open."""


class AfterShoeEnd(Detail, frozen=True):
    """The shoe has ended."""


class OneTooMany(Detail, frozen=True):
    """The round needs no more cards."""


# --- a card that has no place ----------------------------------------------------------------------------------------


class WrongHand(Detail, frozen=True):
    """A card went to one hand when it was the other's turn."""

    hand: Side
    """The hand that the card went to."""
    due: Side
    """The hand whose turn it was."""


class HandNotNamed(Detail, frozen=True):
    """The shoe does not report to which hand the card went."""


class CardMissingBefore(Detail, frozen=True):
    """The shoe reports a later card of the hand than the next one."""

    hand: Side
    """The hand that the card is reported for."""
    position: int
    """1-based position in the hand."""


class PlaceTaken(Detail, frozen=True):
    """The shoe reports a card for a place that has one already."""

    hand: Side
    """The hand that the card is reported for."""
    position: int
    """1-based position in the hand."""


class CardRenamed(Detail, frozen=True):
    """The shoe reports another face for a card than before."""

    number: int
    """1-based position in the round."""
    hand: Side
    """The hand that the card lies in."""


class StrayRenamed(Detail, frozen=True):
    """The shoe reports another face for a card of a hand that was set aside."""

    hand: Side
    """The hand that the shoe gave as the card's place."""


class BurnedInRound(Detail, frozen=True):
    """The shoe reports a burned card in the middle of a round."""


class FirstOfNewShoe(Detail, frozen=True):
    """The shoe reports a card as the first of a new shoe."""


class CarriedCardDiffers(Detail, frozen=True):
    """The shoe reports another card than the one that was carried over."""


class BurnedCardReused(Detail, frozen=True):
    """The shoe carries over an extra card that was burned."""


class DueCardElsewhere(Detail, frozen=True):
    """The card that is due now had left the shoe before the result was undone, and lies in no place of the round."""


class AnotherRoundBegun(Detail, frozen=True):
    """The shoe begins another round with an extra card as Player's first."""


class UnknownCardCarried(Detail, frozen=True):
    """The shoe carries over an extra card that it never reported."""


# --- cards that people entered --------------------------------------------------------------------------------------


class EnteredDiffers(Detail, frozen=True):
    """The shoe reports another card than the one that was entered."""

    shoe: int
    """The shoe that the card was entered in."""
    round: int
    """The round that the card was entered in; 0 before the first."""
    number: int
    """1-based position in the round; 0 for the first card of a shoe and for burned cards."""


class NotEntered(Detail, frozen=True):
    """The shoe reports a card that was dealt by hand, and nobody entered it."""


# --- faces that come later -------------------------------------------------------------------------------------------


class IdentifiedTwice(Detail, frozen=True):
    """The shoe identifies a card although every card that came is known."""


class IdentifiedMissingCard(Detail, frozen=True):
    """The shoe identifies a card of a hand that never came."""

    hand: Side
    """The hand that the card is reported for."""


class IdentifiedOutOfRound(Detail, frozen=True):
    """The shoe identifies a card of a hand when no round was under way."""

    hand: Side
    """The hand that the card is reported for."""
