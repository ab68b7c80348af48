"""A second counter of full shoes, by another method than the product's: with whole decks and with decks of one suit.

It knows nothing of perfect pairs.

Working through all draws one by one would take years; three observations make it a fraction of a second:

- A draw without replacement can be counted in any order of the cards. One hand is counted first, completely, then
  the other from what is left.
- Two cards of a hand matter by their ranks, for the pair; a third card matters by its points alone.
- Suits matter only as "this hand is of one suit". A hand of one suit is a hand from a deck that has that suit only.
  So counting with whole decks and with one-suit decks gives the draws in which Player's hand, Banker's hand, both or
  neither are suited, by inclusion and exclusion.
"""

from collections import Counter
from functools import cache
from math import perm
from typing import NamedTuple

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.drawing import BANKER_DRAWS_ON, PLAYER_DRAWS_ON, HandTotals, dealt, next_side
from shoe_controller.baccarat.sides import Side

SUITS = 4
DRAWN = 6
"""The longest round; shorter ones are counted with every continuation."""

_POINTS = tuple(card.points for card in CARDS_BY_NUMBER[::SUITS])
"""Points of the 13 ranks."""
_RANKS = range(len(_POINTS))
_ZERO_RANKS = tuple(rank for rank in _RANKS if _POINTS[rank] == 0)

_Shape = tuple[int, int, int, int, bool, bool]
"""Facts without their suits: totals, numbers of cards, pairs."""


Kind = tuple[int, int, int, int, bool, bool, bool, bool]
"""The first eight of the facts: without perfect pairs."""


def draws_without_perfect_pairs(decks: int) -> Counter[Kind]:
    """How many of the six-card draws from a full shoe lead to each kind of round."""
    whole, suit = SUITS * decks, decks
    any_suits = _count(Side.PLAYER, whole, whole, shared=True)
    player_suited = _scaled(_count(Side.PLAYER, suit, whole, shared=True), SUITS)
    banker_suited = _scaled(_count(Side.BANKER, suit, whole, shared=True), SUITS)
    both_of_one_suit = _scaled(_count(Side.PLAYER, suit, suit, shared=True), SUITS)
    both_of_two_suits = _scaled(_count(Side.PLAYER, suit, suit, shared=False), SUITS * (SUITS - 1))
    draws: Counter[Kind] = Counter()
    for shape, ways in any_suits.items():
        both = both_of_one_suit[shape] + both_of_two_suits[shape]
        used = shape[2] + shape[3]
        continuations = perm(52 * decks - used, DRAWN - used)
        by_suits = {
            (True, True): both,
            (True, False): player_suited[shape] - both,
            (False, True): banker_suited[shape] - both,
            (False, False): ways - player_suited[shape] - banker_suited[shape] + both,
        }
        for suited, of_these in by_suits.items():
            draws[*shape, *suited] = of_these * continuations
    return draws


def _scaled(counts: Counter[_Shape], factor: int) -> Counter[_Shape]:
    return Counter({shape: ways * factor for shape, ways in counts.items()})


class _FirstHand(NamedTuple):
    """The hand that is counted first: the number of ways to deal it, and the ranks it takes."""

    total: int
    """Of its first two cards."""
    pair: bool
    third: int | None
    """Points of its third card, if it has one."""
    ranks: tuple[int, ...]
    ways: int


def _first_hands(copies: int) -> list[_FirstHand]:
    """Every hand of two or three cards from a deck with `copies` of each rank, with equivalent hands merged."""
    merged: Counter[tuple[int, bool, int | None, tuple[int, ...]]] = Counter()
    for one in _RANKS:
        for two in _RANKS:
            total, pair = (_POINTS[one] + _POINTS[two]) % 10, one == two
            ways = copies * (copies - pair)
            merged[total, pair, None, _canonical((one, two))] += ways
            if total in PLAYER_DRAWS_ON or BANKER_DRAWS_ON.get(total):
                for three in _RANKS:
                    left = copies - (one == three) - (two == three)
                    merged[total, pair, _POINTS[three], _canonical((one, two, three))] += ways * left
    return [_FirstHand(*hand, ways) for hand, ways in merged.items() if ways]


@cache
def _canonical(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Ranks in order, with tens and court cards renamed by frequency: which of them it is makes no difference."""
    often = Counter(rank for rank in ranks if _POINTS[rank] == 0).most_common()
    renamed = [new for new, (_, count) in zip(_ZERO_RANKS, often, strict=False) for _ in range(count)]
    return tuple(sorted(rank for rank in ranks if _POINTS[rank])) + tuple(renamed)


class _SecondHand(NamedTuple):
    """A hand that is counted from what the first one has left, by the first two of its cards."""

    total: int
    pair: bool
    ways: int
    ways_with_third: list[int]
    """By the points of the third card."""


def _second_hands(copies: int, missing: tuple[int, ...]) -> list[_SecondHand]:
    """The hands from a deck with `copies` of each rank, without the missing ones."""
    left = [copies] * len(_POINTS)
    for rank in missing:
        left[rank] -= 1
    left_by_points = [0] * 10
    ways_to = dict.fromkeys(_TWO_CARD_KINDS, 0)
    taken = {kind: [0] * 10 for kind in _TWO_CARD_KINDS}  # ways, times the cards of these points that they take
    for one in _RANKS:
        left_by_points[_POINTS[one]] += left[one]
        for two in _RANKS[one:]:
            ways = left[one] * (left[one] - 1) if one == two else 2 * left[one] * left[two]
            kind = (_POINTS[one] + _POINTS[two]) % 10, one == two
            ways_to[kind] += ways
            taken[kind][_POINTS[one]] += ways
            taken[kind][_POINTS[two]] += ways
    return [
        _SecondHand(*kind, ways, [ways * left - gone for left, gone in zip(left_by_points, taken[kind], strict=True)])
        for kind, ways in ways_to.items()
    ]


_TWO_CARD_KINDS = tuple({((_POINTS[one] + _POINTS[two]) % 10, one == two) for one in _RANKS for two in _RANKS})
"""What two cards can make: total, and whether they are a pair."""


@cache
def _legal_thirds(first: Side, total: int, third: int | None, other_total: int) -> tuple[int | None, ...]:
    """The second hand's third cards, by points, that are legal beside that first hand; `None` is no third card."""
    if first is Side.PLAYER:
        return tuple(
            banker_third for banker_third in (None, *range(10)) if _legal(total, third, other_total, banker_third)
        )
    return tuple(player_third for player_third in (None, *range(10)) if _legal(other_total, player_third, total, third))


def _legal(player_total: int, player_third: int | None, banker_total: int, banker_third: int | None) -> bool:
    at = HandTotals(2, 2, player_total, banker_total, None)
    if (next_side(at) is Side.PLAYER) != (player_third is not None):
        return False
    if player_third is not None:
        at = dealt(at, player_third)
    return (next_side(at) is Side.BANKER) == (banker_third is not None)


def _count(first: Side, first_copies: int, second_copies: int, *, shared: bool) -> Counter[_Shape]:
    """Count the ways of dealing the two hands from decks with these copies of each rank.

    With `shared`, the first hand's cards are missing from the second hand's deck.
    """
    counts: Counter[_Shape] = Counter()
    after: dict[tuple[int, ...], list[_SecondHand]] = {}
    for hand in _first_hands(first_copies):
        missing = hand.ranks if shared else ()
        if missing not in after:
            after[missing] = _second_hands(second_copies, missing)
        first_end = (hand.total + (hand.third or 0)) % 10, 2 if hand.third is None else 3, hand.pair
        for total, pair, ways, ways_with_third in after[missing]:
            for third in _legal_thirds(first, hand.total, hand.third, total):
                if third is None:
                    second_end, second_ways = (total, 2, pair), ways
                else:
                    second_end, second_ways = ((total + third) % 10, 3, pair), ways_with_third[third]
                player, banker = (first_end, second_end) if first is Side.PLAYER else (second_end, first_end)
                counts[player[0], banker[0], player[1], banker[1], player[2], banker[2]] += hand.ways * second_ways
    return counts
