"""The drawing rules, as one table, and the reason for each of their answers (`reasons.py`).

Totals and cards are points here (ace 1, tens and faces 0). `deal.py` feeds real cards through these rules.
"""

from typing import NamedTuple

from shoe_controller.baccarat.reasons import (
    AnyReason,
    BankerDraws,
    BankerDrawsAfterThird,
    BankerHasDrawn,
    BankerNatural,
    BankerStandsAfterThird,
    BothNatural,
    BothStand,
    FirstCard,
    PlayerDraws,
    PlayerNatural,
    SecondCard,
)
from shoe_controller.baccarat.sides import Side

NATURAL_TOTALS = frozenset({8, 9})
"""Either hand has one of these on two cards: no more cards."""

PLAYER_DRAWS_ON = frozenset({0, 1, 2, 3, 4, 5})
"""Two-card totals on which Player takes a third card; on 6 and 7 Player stands."""

PLAYER_STOOD = None
"""Stands in the table below for a third card that Player did not take."""

BANKER_DRAWS_ON: dict[int, frozenset[int | None]] = {
    0: frozenset({PLAYER_STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
    1: frozenset({PLAYER_STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
    2: frozenset({PLAYER_STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
    3: frozenset({PLAYER_STOOD, 0, 1, 2, 3, 4, 5, 6, 7, 9}),
    4: frozenset({PLAYER_STOOD, 2, 3, 4, 5, 6, 7}),
    5: frozenset({PLAYER_STOOD, 4, 5, 6, 7}),
    6: frozenset({6, 7}),
    7: frozenset(),
}
"""For Banker's two-card total: the points of Player's third card on which Banker takes a third card too."""


class HandTotals(NamedTuple):
    """How a round stands, as far as the drawing rules look at it. Totals are of the cards dealt so far."""

    player_cards: int
    banker_cards: int
    player_total: int
    banker_total: int
    player_third: int | None
    """Points of Player's third card, once it is there."""


NOTHING_DEALT = HandTotals(0, 0, 0, 0, None)


def next_side(at: HandTotals) -> Side | None:
    """Whose card comes next, or `None` when the round is complete."""
    if at.banker_cards < 2:
        return Side.PLAYER if at.player_cards == at.banker_cards else Side.BANKER
    if at.banker_cards == 3:
        return None
    if at.player_cards == 2:
        if at.player_total in NATURAL_TOTALS or at.banker_total in NATURAL_TOTALS:
            return None
        if at.player_total in PLAYER_DRAWS_ON:
            return Side.PLAYER
    return Side.BANKER if at.player_third in BANKER_DRAWS_ON[at.banker_total] else None


def dealt(at: HandTotals, points: int) -> HandTotals:
    """The standing after a card of that many points went to the side whose turn it was."""
    player_cards, banker_cards, player_total, banker_total, _ = at
    if next_side(at) is Side.PLAYER:
        third = points if player_cards == 2 else None
        return HandTotals(player_cards + 1, banker_cards, (player_total + points) % 10, banker_total, third)
    return HandTotals(player_cards, banker_cards + 1, player_total, (banker_total + points) % 10, at.player_third)


def reason(at: HandTotals) -> AnyReason:
    """Why `next_side` answers as it does."""
    due = next_side(at)
    if at.banker_cards < 2:
        hand = Side.BANKER if due is Side.BANKER else Side.PLAYER
        return FirstCard(hand=hand) if at.player_cards + at.banker_cards < 2 else SecondCard(hand=hand)
    if at.banker_cards == 3:
        return BankerHasDrawn(banker_total=at.banker_total)
    if at.player_third is not None:
        after_third = BankerDrawsAfterThird if due is Side.BANKER else BankerStandsAfterThird
        return after_third(banker_total=at.banker_total, player_third=at.player_third)
    natural = _natural(at)
    if natural is not None:
        return natural
    if at.player_total in PLAYER_DRAWS_ON:
        return PlayerDraws(player_total=at.player_total)
    stood = BankerDraws if due is Side.BANKER else BothStand
    return stood(player_total=at.player_total, banker_total=at.banker_total)


def _natural(at: HandTotals) -> PlayerNatural | BankerNatural | BothNatural | None:
    match (at.player_total in NATURAL_TOTALS, at.banker_total in NATURAL_TOTALS):
        case (True, True):
            return BothNatural(player_total=at.player_total, banker_total=at.banker_total)
        case (True, False):
            return PlayerNatural(player_total=at.player_total)
        case (False, True):
            return BankerNatural(banker_total=at.banker_total)
    return None
