"""Why a hand draws or stands, one struct for each reason. `drawing.py` decides which one applies.

Totals are points of a hand, `player_third` the points of Player's third card.
"""

from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.sides import Side


class Reason(Code, frozen=True):
    """Why a card is due, or why none is."""


class FirstCard(Reason, frozen=True):
    """The first card of a hand is always dealt."""

    hand: Side
    """The hand that is due."""


class SecondCard(Reason, frozen=True):
    """The second card of a hand is always dealt."""

    hand: Side
    """The hand that is due."""


class PlayerNatural(Reason, frozen=True):
    """Player has 8 or 9 on two cards: no more cards."""

    player_total: int
    """Points of Player's hand."""


class BankerNatural(Reason, frozen=True):
    """Banker has 8 or 9 on two cards: no more cards."""

    banker_total: int
    """Points of Banker's hand."""


class BothNatural(Reason, frozen=True):
    """Both hands have 8 or 9 on two cards: no more cards."""

    player_total: int
    """Points of Player's hand."""
    banker_total: int
    """Points of Banker's hand."""


class PlayerDraws(Reason, frozen=True):
    """Player has 0 to 5 on two cards and draws a third."""

    player_total: int
    """Points of Player's hand."""


class BankerDraws(Reason, frozen=True):
    """Player stands, and Banker draws on its own total."""

    player_total: int
    """Points of Player's hand."""
    banker_total: int
    """Points of Banker's hand."""


class BothStand(Reason, frozen=True):
    """Neither hand draws: no more cards."""

    player_total: int
    """Points of Player's hand."""
    banker_total: int
    """Points of Banker's hand."""


class BankerDrawsAfterThird(Reason, frozen=True):
    """Banker draws, by the table for Player's third card."""

    banker_total: int
    """Points of Banker's hand."""
    player_third: int
    """Points of Player's third card."""


class BankerStandsAfterThird(Reason, frozen=True):
    """Banker stands, by the table for Player's third card: no more cards."""

    banker_total: int
    """Points of Banker's hand."""
    player_third: int
    """Points of Player's third card."""


class BankerHasDrawn(Reason, frozen=True):
    """Banker has its third card: no more cards."""

    banker_total: int
    """Points of Banker's hand."""


class CardsFaceDown(Reason, frozen=True):
    """Cards that decide it still lie face down."""


class NotDue(Reason, frozen=True):
    """The card was dealt, and is not due by the cards as they are known now."""


class NotShown(Reason, frozen=True):
    """A card before it is not shown."""


class EarlierReason(Reason, frozen=True):
    """A reason from a journal of layout version 1, which stored it as an English sentence."""

    text: str
    """The sentence that was stored."""


AnyReason = (
    FirstCard
    | SecondCard
    | PlayerNatural
    | BankerNatural
    | BothNatural
    | PlayerDraws
    | BankerDraws
    | BothStand
    | BankerDrawsAfterThird
    | BankerStandsAfterThird
    | BankerHasDrawn
    | CardsFaceDown
    | NotDue
    | NotShown
    | EarlierReason
)
