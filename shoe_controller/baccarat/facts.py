"""The facts of a round: everything a wager can depend on, and all possible facts.

There are only a few thousand, so they are numbered once, here. A set of facts is then one integer with a bit for each,
which is what makes conditions, prices and exact odds fast (`conditions.py`, `odds.py`).
"""

from collections.abc import Iterator
from enum import Enum
from functools import cache
from itertools import product
from typing import NamedTuple

from shoe_controller.baccarat.drawing import NATURAL_TOTALS, HandTotals, dealt, next_side


class Winner(Enum):
    """The hand that won, or a tie."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Likeness(Enum):
    """What the cards of a hand have in common."""

    NOTHING = 0
    SUITED = 1
    """All of one suit, and no pair."""
    PAIR = 2
    """Its first two cards are of one rank and of two suits."""
    PERFECT_PAIR = 3
    """Its first two cards are of one rank and one suit, and a third card of another."""
    SUITED_PAIR = 4
    """Its first two cards are of one rank, and all of one suit."""

    @property
    def pair(self) -> bool:
        return self in {Likeness.PAIR, Likeness.PERFECT_PAIR, Likeness.SUITED_PAIR}

    @property
    def perfect(self) -> bool:
        return self in {Likeness.PERFECT_PAIR, Likeness.SUITED_PAIR}

    @property
    def suited(self) -> bool:
        return self in {Likeness.SUITED, Likeness.SUITED_PAIR}


class Facts(NamedTuple):
    """One complete round, as its wagers see it."""

    player_total: int
    banker_total: int
    player_cards: int
    banker_cards: int
    player_pair: bool
    """The first two cards of the hand have the same rank; suits do not matter, and a ten and a king are not a pair."""
    banker_pair: bool
    player_suited: bool
    """All cards of the hand, two or three, have one suit."""
    banker_suited: bool
    player_perfect_pair: bool
    """The first two cards of the hand have the same rank and the same suit."""
    banker_perfect_pair: bool

    @property
    def winner(self) -> Winner:
        if self.player_total == self.banker_total:
            return Winner.TIE
        return Winner.PLAYER if self.player_total > self.banker_total else Winner.BANKER

    @property
    def margin(self) -> int:
        return abs(self.player_total - self.banker_total)

    @property
    def player_natural(self) -> bool:
        return self.player_cards == 2 and self.player_total in NATURAL_TOTALS

    @property
    def banker_natural(self) -> bool:
        return self.banker_cards == 2 and self.banker_total in NATURAL_TOTALS


@cache
def all_facts() -> tuple[Facts, ...]:
    """Every possible `Facts` value. A value's position is its bit in a `FactSet`."""
    without_suits = sorted(
        {
            (end.player_total, end.banker_total, end.player_cards, end.banker_cards, player_pair, banker_pair)
            for (player_total, player_pair), (banker_total, banker_pair) in product(_two_card_hands(), repeat=2)
            for end in _ends(HandTotals(2, 2, player_total, banker_total, None))
        }
    )
    return tuple(
        Facts(
            *numbers,
            player_suited=player_suited,
            banker_suited=banker_suited,
            player_perfect_pair=player_perfect,
            banker_perfect_pair=banker_perfect,
        )
        for numbers in without_suits
        for player_suited, player_perfect in _suits(cards=numbers[2], pair=numbers[4])
        for banker_suited, banker_perfect in _suits(cards=numbers[3], pair=numbers[5])
    )


def _suits(*, cards: int, pair: bool) -> Iterator[tuple[bool, bool]]:
    """Whether the hand is suited, and whether its pair is perfect, in every way that its suits permit."""
    for likeness in Likeness:
        # Two cards that are a perfect pair are of one suit.
        if likeness.pair == pair and not (cards == 2 and likeness is Likeness.PERFECT_PAIR):
            yield likeness.suited, likeness.perfect


def number_of(facts: Facts) -> int:
    """Position of a value in `all_facts`."""
    return _numbers()[facts]


@cache
def _numbers() -> dict[Facts, int]:
    return {facts: number for number, facts in enumerate(all_facts())}


def _two_card_hands() -> Iterator[tuple[int, bool]]:
    """Totals of two cards, with and without a pair. A pair's total is even; without one every total is possible."""
    for total in range(10):
        yield total, False
        if total % 2 == 0:
            yield total, True


@cache
def _ends(at: HandTotals) -> tuple[HandTotals, ...]:
    """Every way in which the round can end from here."""
    if next_side(at) is None:
        return (at,)
    return tuple({end for points in range(10) for end in _ends(dealt(at, points))})
