"""The hands that two or three cards can make, by points alone, and which hands of the other side may stand beside each.

A draw without replacement can be counted in any order of the cards. So one hand is counted first, completely, then
the other from what is left; these tables are about the hand that is counted first.
"""

from functools import cache
from typing import NamedTuple

from shoe_controller.baccarat.drawing import BANKER_DRAWS_ON, PLAYER_DRAWS_ON, HandTotals, dealt, next_side
from shoe_controller.baccarat.sides import Side

POINTS = range(10)


class HandRow(NamedTuple):
    """A hand by its points. The order of its first two cards makes no difference."""

    first: int
    second: int
    third: int | None
    two_card_total: int
    total: int
    cards: int
    orders: int
    """In how many orders its first two cards can come."""
    taken: tuple[int, ...]
    """How many cards of each number of points it takes."""


@cache
def hand_row(first: int, second: int, third: int | None) -> HandRow:
    return HandRow(
        first,
        second,
        third,
        two_card_total=(first + second) % 10,
        total=(first + second + (third or 0)) % 10,
        cards=2 if third is None else 3,
        orders=1 if first == second else 2,
        taken=tuple((first, second, third).count(points) for points in POINTS),
    )


@cache
def hand_rows(side: Side) -> tuple[HandRow, ...]:
    """Every hand of a side; with a third card only where its two-card total can draw one."""
    draws_on = PLAYER_DRAWS_ON if side is Side.PLAYER else {total for total, on in BANKER_DRAWS_ON.items() if on}
    rows = []
    for first in POINTS:
        for second in range(first, 10):
            rows.append(hand_row(first, second, None))
            if (first + second) % 10 in draws_on:
                rows += [hand_row(first, second, third) for third in POINTS]
    return tuple(rows)


@cache
def thirds_beside(side: Side, total: int, third: int | None) -> tuple[tuple[int | None, ...], ...]:
    """For each two-card total of the other side's hand: its third cards that are legal beside this side's hand."""
    legal = legal_beside(side, total, third)
    return tuple(tuple(card for other, card in legal if other == other_total) for other_total in POINTS)


@cache
def legal_beside(side: Side, total: int, third: int | None) -> tuple[tuple[int, int | None], ...]:
    """The other side's hands, by two-card total and third card, that are legal beside this side's hand."""
    hands = [(other, other_third) for other in POINTS for other_third in (None, *POINTS)]
    if side is Side.PLAYER:
        return tuple(hand for hand in hands if _legal(total, third, *hand))
    return tuple(hand for hand in hands if _legal(*hand, total, third))


def _legal(player_total: int, player_third: int | None, banker_total: int, banker_third: int | None) -> bool:
    at = HandTotals(2, 2, player_total, banker_total, None)
    if (next_side(at) is Side.PLAYER) != (player_third is not None):
        return False
    if player_third is not None:
        at = dealt(at, player_third)
    return (next_side(at) is Side.BANKER) == (banker_third is not None)


SHAPES = 400
"""Ends of a round without pairs and suits: both totals and both numbers of cards, as `shape` numbers them."""


def shape(player_total: int, banker_total: int, player_cards: int, banker_cards: int) -> int:
    return ((player_cards - 2) * 2 + banker_cards - 2) * 100 + player_total * 10 + banker_total
