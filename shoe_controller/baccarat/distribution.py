"""Counts the ordered six-card draws from a shoe of any composition that lead to each of the facts: exact.

Six cards are counted however many the round needs, so that all counts have the same total. Working through all draws
one by one would take years; four observations make it a fraction of a second without giving up exactness:

- A draw without replacement can be counted in any order of the cards. One hand is counted first, completely, then
  the other from what is left.
- Where nothing is asked of the second hand but its points, what the first one took matters by points alone.
- What a hand's cards have in common (`Likeness`) follows from five events that are easier to count, by inclusion and
  exclusion (`Event`).
- A hand of one suit is a hand from the cards of that suit alone.

`shoe_controller/protection/quick_counts.py` counts the same with arrays, for many compositions in a row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import product
from math import perm
from typing import NamedTuple

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.composition import DRAWN, Composition, full_shoe
from shoe_controller.baccarat.facts import Facts, Likeness, all_facts
from shoe_controller.baccarat.hand_rows import (
    POINTS,
    SHAPES,
    HandRow,
    hand_row,
    hand_rows,
    legal_beside,
    shape,
    thirds_beside,
)
from shoe_controller.baccarat.sides import Side

SUITS = range(4)

RANKS_OF: tuple[tuple[int, ...], ...] = tuple(
    tuple(number // 4 for number in range(0, 52, 4) if CARDS_BY_NUMBER[number].points == points) for points in POINTS
)
"""The ranks, 0 to 12, by their points: four of them count 0."""


class Event(Enum):
    """What is asked of a hand beside its points."""

    ANY = 0
    PAIR = 1
    """Its first two cards have one rank."""
    PERFECT = 2
    """Its first two cards have one rank and one suit."""
    SUITED = 3
    """All its cards have one suit."""
    SUITED_PAIR = 4
    """Both of the last two."""

    # Compared by identity, and so hashed by it too; Enum's own hash is a Python call.
    __hash__ = object.__hash__


EVENTS_OF: Mapping[Likeness, Mapping[Event, int]] = {
    Likeness.NOTHING: {Event.ANY: 1, Event.PAIR: -1, Event.SUITED: -1, Event.SUITED_PAIR: 1},
    Likeness.SUITED: {Event.SUITED: 1, Event.SUITED_PAIR: -1},
    Likeness.PAIR: {Event.PAIR: 1, Event.PERFECT: -1},
    Likeness.PERFECT_PAIR: {Event.PERFECT: 1, Event.SUITED_PAIR: -1},
    Likeness.SUITED_PAIR: {Event.SUITED_PAIR: 1},
}
"""How hands with exactly this likeness are counted from the events, which overlap: added or taken away."""

_Counts = list[int]
"""By shape."""


@cache
def draws_by_facts(decks: int) -> tuple[int, ...]:
    """For each of `all_facts`, in its order: how many of the draws from a full shoe lead to it."""
    return draws_from(full_shoe(decks))


def draws_from(composition: Composition) -> tuple[int, ...]:
    """For each of `all_facts`, in its order: how many of the draws from this composition lead to it."""
    counts = event_counts(composition)
    return tuple(sum(sign * counts[events][at] for events, sign in terms) for at, terms in _terms_of_facts())


@cache
def _terms_of_facts() -> tuple[tuple[int, tuple[tuple[tuple[Event, Event], int], ...]], ...]:
    """For each of the facts its shape, and the events that are added or taken away to count it."""
    return tuple((shape_of(facts), _terms(*likenesses_of(facts))) for facts in all_facts())


@cache
def _terms(player: Likeness, banker: Likeness) -> tuple[tuple[tuple[Event, Event], int], ...]:
    both = product(EVENTS_OF[player].items(), EVENTS_OF[banker].items())
    return tuple(((of_player, of_banker), one * other) for (of_player, one), (of_banker, other) in both)


def shape_of(facts: Facts) -> int:
    return shape(facts.player_total, facts.banker_total, facts.player_cards, facts.banker_cards)


def likenesses_of(facts: Facts) -> tuple[Likeness, Likeness]:
    """What Player's cards have in common, and what Banker's."""
    player = facts.player_pair, facts.player_perfect_pair, facts.player_suited
    banker = facts.banker_pair, facts.banker_perfect_pair, facts.banker_suited
    return _BY_FLAGS[player], _BY_FLAGS[banker]


_BY_FLAGS = {(likeness.pair, likeness.perfect, likeness.suited): likeness for likeness in Likeness}


def event_counts(composition: Composition) -> dict[tuple[Event, Event], _Counts]:
    """Count the draws by shape in which Player's hand and Banker's have these events."""
    whole = _Deck(composition)
    suits = [_Deck(tuple(n if number % 4 == suit else 0 for number, n in enumerate(composition))) for suit in SUITS]
    counts = {both: [0] * SHAPES for both in product(Event, Event)}
    _count_by_points(whole, (Event.ANY, Event.PAIR, Event.PERFECT), counts, (Event.ANY, Event.PAIR, Event.PERFECT))
    for deck in suits:
        # In the cards of one suit, any hand is suited and any pair perfect.
        _count_by_points(deck, (Event.ANY, Event.PAIR), counts, (Event.SUITED, Event.SUITED_PAIR))
    _count_suited_beside_any(whole, suits, counts)
    _count_suited_beside_pairs(whole, suits, counts)
    _count_two_suits(suits, counts)
    used = {cards: perm(whole.cards - cards, DRAWN - cards) for cards in (4, 5, 6)}
    continuations = [used[4]] * 100 + [used[5]] * 200 + [used[6]] * 100
    return {both: [n * more for n, more in zip(found, continuations, strict=True)] for both, found in counts.items()}


def _pairs(copies: int) -> int:
    """Ordered draws of two out of so many; also for -1, which stands beside a factor of 0."""
    return copies * (copies - 1)


class _Deck:
    """Cards to draw from, counted in the ways that are needed."""

    def __init__(self, composition: Composition) -> None:
        self.cards = sum(composition)
        self.by_rank = [composition[rank * 4 : rank * 4 + 4] for rank in range(13)]
        """Copies of each suit, by rank."""
        self.ranks = [sum(suits) for suits in self.by_rank]
        self.points = [sum(self.ranks[rank] for rank in ranks) for ranks in RANKS_OF]
        self.pairs = {
            Event.PAIR: [sum(_pairs(self.ranks[rank]) for rank in ranks) for ranks in RANKS_OF],
            Event.PERFECT: [sum(_pairs(n) for rank in ranks for n in self.by_rank[rank]) for ranks in RANKS_OF],
        }
        """Ordered draws of a pair, by the points of its cards."""
        self._left: dict[tuple[int, ...], tuple[list[int], list[int]]] = {}
        self._beside: dict[tuple[Side, int, int, int | None], list[int]] = {}

    def left_after(self, taken: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """The cards left by points, and the ways to make each total of two of them."""
        if taken not in self._left:
            left = [n - gone for n, gone in zip(self.points, taken, strict=True)]
            ways = [
                sum(
                    left[one] * left[total - one] for one in POINTS
                )  # an index below 0 counts from the end, as it should
                - (0 if total % 2 else left[total // 2] + left[total // 2 + 5])
                for total in POINTS
            ]
            self._left[taken] = left, ways
        return self._left[taken]

    def any_beside(self, side: Side, row: HandRow) -> list[int]:
        """The other side's legal hands from what this one leaves: by two cards and total, three cards and total."""
        hand = side, row.first, row.second, row.third
        if hand not in self._beside:
            left, ways = self.left_after(row.taken)
            self._beside[hand] = beside = [0] * 20
            for total, third in legal_beside(side, row.two_card_total, row.third):
                if third is None:
                    beside[total] += ways[total]
                else:
                    # Of the cards with the third one's points the first two have taken some: in these ways one, or two.
                    taking = 2 * (left[total - third] - (2 * third % 10 == total))
                    beside[10 + (total + third) % 10] += left[third] * (ways[total] - taking)
        return self._beside[hand]

    def ways(self, row: HandRow, event: Event) -> int:
        """In how many ways this hand can be drawn first."""
        if event is Event.ANY:
            ways = row.orders * self.points[row.first] * (self.points[row.second] - (row.first == row.second))
        elif row.first == row.second:
            ways = self.pairs[event][row.first]
        else:
            return 0
        if row.third is None:
            return ways
        return ways * (self.points[row.third] - (row.third == row.first) - (row.third == row.second))

    def two_pairs(self, one: Event, one_points: int, other: Event, other_points: int) -> int:
        """In how many ways both hands can begin with a pair of such cards."""
        if one_points != other_points:
            return self.pairs[one][one_points] * self.pairs[other][other_points]
        if one is Event.PAIR and other is Event.PERFECT:
            return self.two_pairs(other, one_points, one, other_points)  # in either order, and so the first is simpler
        ways = 0
        for rank in RANKS_OF[one_points]:
            for copies in (self.ranks[rank],) if one is Event.PAIR else self.by_rank[rank]:
                held = self.ranks[rank] if other is Event.PAIR else copies
                ways += _pairs(copies) * (self.pairs[other][one_points] + _pairs(held - 2) - _pairs(held))
        return ways


def _blocks(side: Side, first: Event, second: Event, counts: dict[tuple[Event, Event], _Counts]) -> _Counts:
    return counts[(first, second) if side is Side.PLAYER else (second, first)]


def _add(side: Side, row: HandRow, beside: Sequence[int], ways: int, counts: _Counts) -> None:
    """Add the hand of this side, with the other side's hands beside it by their cards and totals."""
    if not ways:
        return
    for end, at in zip(beside, _ends_beside(side, row.total, row.cards), strict=True):
        if end:
            counts[at] += ways * end


@cache
def _ends_beside(side: Side, total: int, cards: int) -> tuple[int, ...]:
    """The shapes of the other side's ends: two cards and each total, three cards and each total."""
    others = [(other, other_cards) for other_cards in (2, 3) for other in POINTS]
    if side is Side.PLAYER:
        return tuple(shape(total, other, cards, other_cards) for other, other_cards in others)
    return tuple(shape(other, total, other_cards, cards) for other, other_cards in others)


def _count_by_points(
    deck: _Deck,
    events: tuple[Event, ...],
    counts: dict[tuple[Event, Event], _Counts],
    counted_as: tuple[Event, ...],
) -> None:
    """Count the events that ask nothing of a third card: `Event.ANY` first, and pairs."""
    names = dict(zip(events, counted_as, strict=True))
    for side in Side:
        for row in hand_rows(side):
            beside = deck.any_beside(side, row)
            for event in events:
                if event is not Event.ANY or side is Side.PLAYER:
                    ways = deck.ways(row, event)
                    _add(side, row, beside, ways, _blocks(side, names[event], names[Event.ANY], counts))
    for player, banker in product(events[1:], events[1:]):
        _count_two_pairs(deck, player, banker, counts[names[player], names[banker]])


def _count_two_pairs(deck: _Deck, player: Event, banker: Event, counts: _Counts) -> None:
    for one, other in product(POINTS, repeat=2):
        ways = deck.two_pairs(player, one, banker, other)
        if not ways:
            continue
        left = list(deck.points)
        left[one] -= 2
        left[other] -= 2
        for third in (None, *POINTS):
            row = hand_row(one, one, third)
            for other_third in thirds_beside(Side.PLAYER, row.two_card_total, third)[2 * other % 10]:
                end = hand_row(other, other, other_third)
                thirds = 1 if third is None else left[third]
                if other_third is not None:
                    thirds *= left[other_third] - (third == other_third)
                counts[shape(row.total, end.total, row.cards, end.cards)] += ways * thirds


_SUITED = (Event.SUITED, Event.SUITED_PAIR)


def _suited_ways(suit: _Deck, row: HandRow, event: Event) -> int:
    return suit.ways(row, Event.ANY if event is Event.SUITED else Event.PAIR)


def _count_suited_beside_any(whole: _Deck, suits: Sequence[_Deck], counts: dict[tuple[Event, Event], _Counts]) -> None:
    for side in Side:
        for row in hand_rows(side):
            beside = whole.any_beside(side, row)
            for event in _SUITED:
                ways = sum(_suited_ways(suit, row, event) for suit in suits)
                _add(side, row, beside, ways, _blocks(side, event, Event.ANY, counts))


def _count_suited_beside_pairs(
    whole: _Deck, suits: Sequence[_Deck], counts: dict[tuple[Event, Event], _Counts]
) -> None:
    """One hand of one suit, the other with a pair, whose third card can be any."""
    zeros = _zeros_beside_pairs(whole)
    for side in Side:
        for row in hand_rows(side):
            left = [n - gone for n, gone in zip(whole.points, row.taken, strict=True)]
            thirds = thirds_beside(side, row.two_card_total, row.third)
            without_zeros = [_ways_without_zeros(suit, row.taken) for suit in suits]
            for suited, pair in product(_SUITED, (Event.PAIR, Event.PERFECT)):
                if suited is Event.SUITED_PAIR and row.first != row.second:
                    continue
                of_zeros = zeros[pair, suited is Event.SUITED_PAIR and row.first == 0]
                of_suits = [
                    _Zeros(ways * each[row.taken[0]].ways, ways * each[row.taken[0]].with_pair)
                    for ways, each in zip(without_zeros, of_zeros, strict=True)
                ]
                beside = [0] * 20
                for points in POINTS:
                    ways = _pairs_beside_suited(whole, row.taken[points], of_suits, pair, points)
                    total = 2 * points % 10
                    for third in thirds[total]:
                        if third is None:
                            beside[total] += ways
                        else:
                            beside[10 + (total + third) % 10] += ways * (left[third] - 2 * (third == points))
                _add(side, row, beside, row.orders, _blocks(side, suited, pair, counts))


class _Zeros(NamedTuple):
    """The draws of so many cards that count 0 from one suit."""

    ways: int
    with_pair: int
    """The same, times the pairs of cards that count 0 that they leave."""


def _zeros_beside_pairs(whole: _Deck) -> dict[tuple[Event, bool], list[list[_Zeros]]]:
    """By the pair beside them, and whether the first two are of one rank: by suit, and by how many they are."""
    return {
        (pair, alike): [
            [_zeros(whole, pair, suit, list(_ranks_of_zeros(number, alike=alike))) for number in range(4)]
            for suit in SUITS
        ]
        for pair in (Event.PAIR, Event.PERFECT)
        for alike in (False, True)
    }


def _ranks_of_zeros(number: int, *, alike: bool) -> Iterator[tuple[int, ...]]:
    for ranks in product(RANKS_OF[0], repeat=number):
        if not alike or ranks[0:1] == ranks[1:2]:
            yield ranks


def _zeros(whole: _Deck, pair: Event, suit: int, draws: list[tuple[int, ...]]) -> _Zeros:
    all_ways = all_with_pair = 0
    for ranks in draws:
        ways = 1
        left = whole.pairs[pair][0]
        for rank in set(ranks):
            gone = ranks.count(rank)
            copies = whole.by_rank[rank][suit]
            ways *= perm(copies, gone)
            held = whole.ranks[rank] if pair is Event.PAIR else copies
            left += _pairs(held - gone) - _pairs(held)
        all_ways += ways
        all_with_pair += ways * left
    return _Zeros(all_ways, all_with_pair)


def _ways_without_zeros(suit: _Deck, taken: tuple[int, ...]) -> int:
    ways = 1
    for points in POINTS[1:]:
        if taken[points]:
            ways *= perm(suit.points[points], taken[points])
    return ways


def _pairs_beside_suited(whole: _Deck, taken: int, of_suits: Sequence[_Zeros], pair: Event, points: int) -> int:
    """In how many ways one hand has one suit, and the other a pair of cards with so many points."""
    if points == 0:
        return sum(of_suit.with_pair for of_suit in of_suits)
    ways = sum(of_suit.ways for of_suit in of_suits) * whole.pairs[pair][points]
    if taken:
        (rank,) = RANKS_OF[points]
        for of_suit, copies in zip(of_suits, whole.by_rank[rank], strict=True):
            held = whole.ranks[rank] if pair is Event.PAIR else copies
            ways += of_suit.ways * (_pairs(held - taken) - _pairs(held))
    return ways


def _count_two_suits(suits: Sequence[_Deck], counts: dict[tuple[Event, Event], _Counts]) -> None:
    """Both hands suited, each in another suit: neither takes cards of the other."""
    hands = {(side, event): [_ways_by_hand(side, suit, event) for suit in suits] for side in Side for event in _SUITED}
    for events in product(_SUITED, _SUITED):
        of_player, of_banker = (hands[side, event] for side, event in zip(Side, events, strict=True))
        any_player, any_banker = _together(of_player), _together(of_banker)
        found = counts[events]
        for total, third in any_player:
            row = hand_row(0, total, third)
            for other in legal_beside(Side.PLAYER, total, third):
                ways = any_player[total, third] * any_banker[other]
                ways -= sum(one[total, third] * two[other] for one, two in zip(of_player, of_banker, strict=True))
                end = hand_row(0, *other)
                found[shape(row.total, end.total, row.cards, end.cards)] += ways


_WaysByHand = dict[tuple[int, int | None], int]
"""By two-card total and third card."""


def _ways_by_hand(side: Side, suit: _Deck, event: Event) -> _WaysByHand:
    ways: _WaysByHand = {}
    for row in hand_rows(side):
        hand = row.two_card_total, row.third
        ways[hand] = ways.get(hand, 0) + _suited_ways(suit, row, event)
    return ways


def _together(hands: Iterable[_WaysByHand]) -> _WaysByHand:
    hands = list(hands)
    return {hand: sum(each[hand] for each in hands) for hand in hands[0]}
