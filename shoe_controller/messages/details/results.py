"""What is wrong with a result of the shoe."""

from enum import StrEnum

from shoe_controller.baccarat.facts import Winner
from shoe_controller.messages.details.base import Detail


class ResultMark(StrEnum):
    """What a shoe can indicate beside the winner."""

    PLAYER_PAIR = "player_pair"
    BANKER_PAIR = "banker_pair"
    BANKER_SIX = "banker_six"


class ShoeIndicates(Detail, frozen=True):
    """The result that the shoe indicates."""

    winner: Winner
    """The winner that the shoe indicates."""


class WinnerDiffers(Detail, frozen=True):
    """The shoe indicates another winner than the cards give."""

    round: int
    """The round's number."""
    shoe: Winner
    """The winner that the shoe indicates."""
    cards: Winner
    """The winner by the cards."""


class NoWinnerIndicated(Detail, frozen=True):
    """The shoe ended the round without a winner."""

    round: int
    """The round's number."""
    cards: Winner
    """The winner by the cards."""


class MarkDiffers(Detail, frozen=True):
    """The shoe indicates a mark that the cards do not have."""

    round: int
    """The round's number."""
    mark: ResultMark
    """The mark that the shoe indicates."""


class ResultDiffersFaceDown(Detail, frozen=True):
    """The shoe's result is not that of the cards, which still lie face down: what they give is not said."""

    round: int
    """The round's number."""
