"""Counts the draws from many compositions at once, with arrays: the twin of `baccarat/distribution.py`, which says how.

Only the events that a pay table asks for are counted: totals and numbers of cards need one of the 25 pairs of events.
Equal hands of the side that is counted first are taken together: what three cards take from the shoe, and in how many
ways they can be drawn, does not depend on which of them came third.

Everything is counted in floating point, and exactly: each number on the way is whole, and the largest is no more than
the ordered draws of six out of eight decks, or the square of those of three, 5.2e15. Up to 2**53 = 9.0e15 every whole
number is itself in floating point, in whatever order terms are added.
"""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from shoe_controller.baccarat.conditions import FactSet
from shoe_controller.baccarat.distribution import EVENTS_OF, RANKS_OF, Event, likenesses_of, shape_of
from shoe_controller.baccarat.facts import Likeness, all_facts
from shoe_controller.baccarat.hand_rows import POINTS, SHAPES, hand_row, legal_beside, shape, thirds_beside
from shoe_controller.baccarat.sides import Side

Array = NDArray[np.float64]
"""Leading axes: the compositions, and the suits where each is counted by itself."""

Counts = NDArray[np.int64]

_FACES = 52
_TAKEN = [
    tuple(hand.count(points) for points in POINTS)
    for cards in (2, 3)
    for hand in combinations_with_replacement(POINTS, cards)
]
"""What two or three cards take from the shoe, by points. They are called a hand here; its third card is any of them."""
_HANDS = len(_TAKEN)
_NUMBER = {taken: number for number, taken in enumerate(_TAKEN)}
_TAKEN_ARRAY = np.array(_TAKEN, dtype=np.float64)
_TOTALS = np.array([sum(points * n for points, n in enumerate(taken)) % 10 for taken in _TAKEN])
_CARDS = np.array([sum(taken) for taken in _TAKEN])
_ZEROS = np.array([taken[0] for taken in _TAKEN])

_ENDS = (_CARDS - 2) * 10 + _TOTALS
"""How each hand ends: two cards and a total, or three and a total."""
_BY_END = np.argsort(_ENDS, kind="stable")
_END_BEGINS = np.searchsorted(_ENDS[_BY_END], np.arange(20))

_OTHER = np.array([[total] * 10 for total in POINTS])
_THIRD = np.array([[(end - total) % 10 for end in POINTS] for total in POINTS])
"""The third card with which the other hand comes from this total (row) to this end (column)."""
_BEFORE = (_OTHER - _THIRD) % 10
_SAME = (2 * _THIRD % 10 == _OTHER).astype(np.float64)
_PAIR_TOTAL = np.array([2 * points % 10 for points in POINTS])
_PAIR_THIRD = _THIRD[_PAIR_TOTAL]
_PAIR_TAKES = 2.0 * np.equal(_PAIR_THIRD, np.arange(10)[:, None])


def _pairs(copies: Array) -> Array:
    return copies * (copies - 1)


def _added(counts: Array, axis: int) -> Array:
    total: Array = counts.sum(axis=axis)
    return total


class _Beside:
    """For each hand of a side: in how many orders it leaves the other side, by total, without or with a third card."""

    def __init__(self, side: Side, *, alike: bool) -> None:
        """With `alike`, only orders in which the first two cards have the same points."""
        self.standing = np.zeros((_HANDS, 10))
        self.drawing = np.zeros((_HANDS, 10, 10))
        """By total and end."""
        for first, second in combinations_with_replacement(POINTS, 2):
            if alike and first != second:
                continue
            for third in (None, *POINTS):
                row = hand_row(first, second, third)
                hand = _NUMBER[row.taken]
                for total, other_third in legal_beside(side, row.two_card_total, third):
                    if other_third is None:
                        self.standing[hand, total] += row.orders
                    else:
                        self.drawing[hand, total, (total + other_third) % 10] += row.orders


@cache
def _beside(side: Side, *, alike: bool) -> _Beside:
    return _Beside(side, alike=alike)


def _placed(side: Side, two: Array, three: Array) -> Array:
    """By shape, from the draws by hand and the other side's total, with two cards and with three."""
    counts = np.stack([two, three], axis=-2)[..., _BY_END, :, :]
    by_end = np.add.reduceat(counts, _END_BEGINS, axis=-3)  # own cards and total, other's cards, other's total
    leading = by_end.shape[:-3]
    parts = by_end.reshape(*leading, 2, 10, 2, 10)
    # Player's cards, Banker's cards, Player's total, Banker's total.
    order = (0, 2, 1, 3) if side is Side.PLAYER else (2, 0, 3, 1)
    axes = tuple(range(len(leading))) + tuple(len(leading) + axis for axis in order)
    return parts.transpose(axes).reshape(*leading, SHAPES)


class _Deck:
    """Cards to draw from, by points: of all suits, or of each suit by itself."""

    def __init__(self, points: Array, pairs: Array) -> None:
        self.points = points
        self.pairs = pairs
        """Ordered draws of a pair, by the points of its cards."""

    @cached_property
    def left(self) -> Array:
        """The cards left by hand taken and points."""
        return self.points[..., None, :] - _TAKEN_ARRAY

    @cached_property
    def falling(self) -> Array:
        """In how many ways each hand can be drawn in one order of its cards."""
        return self.falling_without_zeros * _falling(self.points[..., 0], _ZEROS)

    @cached_property
    def falling_without_zeros(self) -> Array:
        """The same, of its cards that do not count 0."""
        return _falling_products(self.points)

    @cached_property
    def two_card_ways(self) -> Array:
        """By hand taken: the ways to make each total of two of the cards left."""
        left = self.left
        ways = np.zeros_like(left)
        for points in POINTS:
            ways += left[..., points : points + 1] * left[..., (np.arange(10) - points) % 10]
        ways[..., ::2] -= left[..., :5] + left[..., 5:]
        return ways

    @cached_property
    def three_card_ways(self) -> Array:
        """By hand taken, total of two cards and end: the ways to come there with the cards left."""
        left = self.left
        taking: Array = self.two_card_ways[..., :, None] - 2 * (left[..., _BEFORE] - _SAME)
        taking *= left[..., _THIRD]
        return taking

    def any_beside(self, side: Side, ways: Array, *, alike: bool) -> Array:
        """Count this side's hands, of which each can be drawn in so many ways, beside any of the other side."""
        beside = _beside(side, alike=alike)
        two = ways[..., None] * beside.standing * self.two_card_ways
        three = ways[..., None] * np.einsum("hof,...hof->...hf", beside.drawing, self.three_card_ways)
        return _placed(side, two, three)

    @cached_property
    def pair_ways(self) -> Array:
        """In how many ways each hand can be drawn with a pair as its first two cards."""
        return _pair_ways(self.points, self.pairs)


def _falling(copies: Array, drawn: NDArray[np.int64]) -> Array:
    """Ordered draws of 0 to 3 out of so many copies."""
    one = copies[..., None]
    powers = np.concatenate([np.ones_like(one), one, one * (one - 1), one * (one - 1) * (one - 2)], axis=-1)
    return powers[..., drawn]


_KINDS = [[(points, taken[points]) for points in POINTS[1:] if taken[points]] for taken in _TAKEN]
_FACTORS = np.array([[points * 4 + drawn for points, drawn in kinds] + [0] * (3 - len(kinds)) for kinds in _KINDS])
"""For each hand, up to three kinds of cards that do not count 0, as points times four plus how many; 0 for none."""


def _falling_products(points: Array) -> Array:
    falling = _falling(points, np.arange(4)).reshape(*points.shape[:-1], 40)
    return falling[..., _FACTORS[:, 0]] * falling[..., _FACTORS[:, 1]] * falling[..., _FACTORS[:, 2]]


_PAIR_HANDS = [
    (_NUMBER[hand_row(points, points, third).taken], points, third) for points in POINTS for third in (None, *POINTS)
]
_PAIR_HAND = np.array([hand for hand, _, _ in _PAIR_HANDS])
_PAIR_POINTS = np.array([points for _, points, _ in _PAIR_HANDS])
_HAS_THIRD = np.array([third is not None for _, _, third in _PAIR_HANDS])
_PAIR_HAND_THIRD = np.array([0 if third is None else third for _, _, third in _PAIR_HANDS])
_PAIR_HAND_TAKES = np.array([2.0 * (points == third) for _, points, third in _PAIR_HANDS])


def _pair_ways(points: Array, pairs: Array) -> Array:
    thirds = np.where(_HAS_THIRD, points[..., _PAIR_HAND_THIRD] - _PAIR_HAND_TAKES, 1.0)
    ways = np.zeros((*points.shape[:-1], _HANDS))
    ways[..., _PAIR_HAND] = pairs[..., _PAIR_POINTS] * thirds
    return ways


class _Cells:
    """Products to be added up by shape."""

    def __init__(self, shapes: Sequence[int]) -> None:
        self.order = np.argsort(shapes, kind="stable")
        found = np.array(shapes)[self.order]
        self.shapes, self.begins = np.unique(found, return_index=True)

    def placed(self, products: Array) -> Array:
        counts = np.zeros((*products.shape[:-1], SHAPES))
        counts[..., self.shapes] = np.add.reduceat(products[..., self.order], self.begins, axis=-1)
        return counts


class _TwoPairs:
    """Both hands begin with pairs of these points, and may draw these third cards: every legal case."""

    def __init__(self) -> None:
        cases = [
            (one, third, other, other_third)
            for one, third, other in product(POINTS, (None, *POINTS), POINTS)
            for other_third in thirds_beside(Side.PLAYER, 2 * one % 10, third)[2 * other % 10]
        ]
        ends = [(hand_row(one, one, third), hand_row(other, other, last)) for one, third, other, last in cases]
        self.cells = _Cells([shape(one.total, two.total, one.cards, two.cards) for one, two in ends])
        self.player = np.array([case[0] for case in cases])
        self.banker = np.array([case[2] for case in cases])
        self.thirds = [
            np.array([10 if case[at] is None else case[at] for case in cases], dtype=np.int64) for at in (1, 3)
        ]
        """10, where a factor of 1 stands, for none."""
        self.taken = [
            np.array([
                0 if case[at] is None
                else 2 * (case[at] == case[0]) + 2 * (case[at] == case[2]) + (at == 3 and case[1] == case[3])
                for case in cases
            ], dtype=np.float64)
            for at in (1, 3)
        ]  # fmt: skip

    def placed(self, points: Array, pairs: Array) -> Array:
        """`pairs`: ways for both pairs, by the points of Player's and of Banker's."""
        copies = np.concatenate([points, np.ones_like(points[..., :1])], axis=-1)
        products = pairs[..., self.player, self.banker]
        for third, taken in zip(self.thirds, self.taken, strict=True):
            products = products * (copies[..., third] - taken)
        return self.cells.placed(products)


@cache
def _two_pairs() -> _TwoPairs:
    return _TwoPairs()


class _TwoSuits:
    """Both hands, each from cards of its own: every legal case by two-card totals and third cards."""

    def __init__(self) -> None:
        hands = [(total, third) for total in POINTS for third in (None, *POINTS)]
        cases = [(hand, other) for hand in hands for other in legal_beside(Side.PLAYER, *hand)]
        number = {hand: at for at, hand in enumerate(hands)}
        self.player = np.array([number[hand] for hand, _ in cases])
        self.banker = np.array([number[other] for _, other in cases])
        ends = [(hand_row(0, *hand), hand_row(0, *other)) for hand, other in cases]
        self.cells = _Cells([shape(one.total, two.total, one.cards, two.cards) for one, two in ends])
        rows = [
            hand_row(first, second, third)
            for first, second in combinations_with_replacement(POINTS, 2)
            for third in (None, *POINTS)
        ]
        self.to_hands = {alike: np.zeros((_HANDS, len(hands))) for alike in (False, True)}
        """In how many orders what is taken is this hand."""
        for row in rows:
            at = _NUMBER[row.taken], number[row.two_card_total, row.third]
            self.to_hands[False][at] += row.orders
            self.to_hands[True][at] += row.first == row.second

    def placed(self, player: Array, banker: Array) -> Array:
        """The ways to draw each hand, by suit on the axis before the last."""
        apart = player.sum(axis=-2)[..., self.player] * banker.sum(axis=-2)[..., self.banker]
        apart -= (player[..., self.player] * banker[..., self.banker]).sum(axis=-2)
        return self.cells.placed(apart)


@cache
def _two_suits() -> _TwoSuits:
    return _TwoSuits()


_ZERO_RANKS = np.array(RANKS_OF[0])
_FIRST_ZERO = np.array([0 if taken[0] < 2 else 1 for taken in _TAKEN])


class _Shoes:
    """The compositions, with what is counted of them once it is needed."""

    def __init__(self, compositions: Counts) -> None:
        self.faces = compositions.astype(np.float64).reshape(-1, 13, 4)
        """By rank and suit."""
        self.cards = self.faces.sum(axis=(1, 2))

    @cached_property
    def ranks(self) -> Array:
        return _added(self.faces, 2)

    @cached_property
    def pairs(self) -> dict[Event, Array]:
        return {
            Event.PAIR: _by_points(_pairs(self.ranks)),
            Event.PERFECT: _by_points(_pairs(self.faces).sum(axis=2)),
        }

    @cached_property
    def whole(self) -> _Deck:
        return _Deck(_by_points(self.ranks), self.pairs[Event.PAIR])

    @cached_property
    def suits(self) -> _Deck:
        by_suit = self.faces.transpose(0, 2, 1)
        return _Deck(_by_points(by_suit), _by_points(_pairs(by_suit)))

    def count(self, player: Event, banker: Event) -> Array:
        """Draws of the cards of the round alone, by shape, in which the two hands have these events."""
        if banker is Event.ANY:
            return self._beside_any(Side.PLAYER, player)
        if player is Event.ANY:
            return self._beside_any(Side.BANKER, banker)
        match player in _SUITED, banker in _SUITED:
            case False, False:
                return self._two_pairs(player, banker)
            case True, True:
                return self._one_suit(player, banker) + self._two_suits(player, banker)
            case True, False:
                return self._suited_beside_pair(Side.PLAYER, player, banker)
        return self._suited_beside_pair(Side.BANKER, banker, player)

    def _beside_any(self, side: Side, event: Event) -> Array:
        match event:
            case Event.ANY:
                return self.whole.any_beside(side, self.whole.falling, alike=False)
            case Event.SUITED:
                return self.whole.any_beside(side, self.suits.falling.sum(axis=1), alike=False)
            case Event.SUITED_PAIR:
                return self.whole.any_beside(side, self.suits.pair_ways.sum(axis=1), alike=True)
        return self.whole.any_beside(side, _pair_ways(self.whole.points, self.pairs[event]), alike=True)

    def _two_pairs(self, player: Event, banker: Event) -> Array:
        both = self.pairs[player][:, :, None] * self.pairs[banker][:, None, :]
        both[:, np.arange(10), np.arange(10)] = self._pairs_of_same_points(player, banker)
        return _two_pairs().placed(self.whole.points, both)

    def _pairs_of_same_points(self, one: Event, other: Event) -> Array:
        """The ways for two pairs of the same points: the second misses the cards of the first."""
        copies = self.ranks[:, :, None] if one is other is Event.PAIR else self.faces
        held = self.faces if one is other is Event.PERFECT else self.ranks[:, :, None]
        seconds = self.pairs[other if one is other else Event.PAIR][:, _POINTS_OF_RANK, None]
        ways = (_pairs(copies) * (seconds + _pairs(held - 2) - _pairs(held))).sum(axis=2)
        return _by_points(ways)

    def _one_suit(self, player: Event, banker: Event) -> Array:
        """Both hands from the cards of the same suit."""
        suits = self.suits
        if banker is Event.SUITED:
            alike = player is Event.SUITED_PAIR
            ways = suits.pair_ways if alike else suits.falling
            return _added(suits.any_beside(Side.PLAYER, ways, alike=alike), 1)
        if player is Event.SUITED:
            return _added(suits.any_beside(Side.BANKER, suits.pair_ways, alike=True), 1)
        both = suits.pairs[..., :, None] * suits.pairs[..., None, :]
        by_suit = self.faces.transpose(0, 2, 1)
        seconds = suits.pairs[..., _POINTS_OF_RANK] + _pairs(by_suit - 2) - _pairs(by_suit)
        both[..., np.arange(10), np.arange(10)] = _by_points(_pairs(by_suit) * seconds)
        return _added(_two_pairs().placed(suits.points, both), 1)

    def _two_suits(self, player: Event, banker: Event) -> Array:
        hands = [self._suited_hands(event is Event.SUITED_PAIR) for event in (player, banker)]
        return _two_suits().placed(*hands)

    def _suited_hands(self, alike: bool) -> Array:  # noqa: FBT001 - a key
        ways = self.suits.pair_ways if alike else self.suits.falling
        return ways @ _two_suits().to_hands[alike]

    def _suited_beside_pair(self, side: Side, suited: Event, pair: Event) -> Array:
        """One hand of one suit, the other with a pair, whose third card can be any."""
        alike = suited is Event.SUITED_PAIR
        beside = _beside(side, alike=alike)
        pairs = self._pairs_beside_suited(pair, alike=alike)
        thirds = self.whole.left[..., _PAIR_THIRD] - _PAIR_TAKES
        standing = np.zeros((*pairs.shape[:-1], 10))
        for points in POINTS:
            standing[..., 2 * points % 10] += pairs[..., points]
        two = standing * beside.standing
        three = (beside.drawing[:, _PAIR_TOTAL, :] * thirds * pairs[..., None]).sum(axis=-2)
        return _placed(side, two, three)

    def _pairs_beside_suited(self, pair: Event, *, alike: bool) -> Array:
        """By hand and the points of the pair: the ways to draw both, in one order of the cards of the suited hand."""
        ways, with_pair = self._zeros
        # Only where the first two cards count 0 does it matter whether they are of one rank.
        at = _ZEROS, (_FIRST_ZERO if alike else np.zeros_like(_FIRST_ZERO))
        without_zeros = self.suits.falling_without_zeros
        of_suit = without_zeros * ways[..., at[0], at[1]]
        held = self.whole.points[:, None, :] if pair is Event.PAIR else self.suits.points
        missing = _pairs(held[..., None, :] - _TAKEN_ARRAY) - _pairs(held)[..., None, :]
        found: Array = of_suit.sum(axis=1)[..., None] * self.pairs[pair][:, None, :]
        found += (of_suit[..., None] * missing).sum(axis=1)
        found[..., 0] = (without_zeros * with_pair[pair][..., at[0], at[1]]).sum(axis=1)
        return found

    @cached_property
    def _zeros(self) -> tuple[Array, dict[Event, Array]]:
        """The ways to draw up to three zeros (cards that count 0) of one suit, and these times the pairs of zeros left.

        By suit, by how many cards, and by whether the first two are of one rank; the pairs also by their event.
        """
        suits = self.faces[:, _ZERO_RANKS, :].transpose(0, 2, 1)
        ranks = self.ranks[:, None, _ZERO_RANKS]
        zeros = _zeros_of_one_suit()
        ways = np.ones((*suits.shape[:2], len(zeros.taken)))
        for rank in range(len(_ZERO_RANKS)):
            ways *= _falling(suits[..., rank], zeros.taken[:, rank])
        with_pair = {}
        for pair, held in ((Event.PAIR, ranks), (Event.PERFECT, suits)):
            missing = (_pairs(held[..., None, :] - zeros.taken) - _pairs(held)[..., None, :]).sum(axis=-1)
            left = self.pairs[pair][:, None, :1] + missing
            with_pair[pair] = np.tensordot(ways * left, zeros.orders, axes=1)
        return np.tensordot(ways, zeros.orders, axes=1), with_pair


_SUITED = (Event.SUITED, Event.SUITED_PAIR)
_POINTS_OF_RANK = np.array([points for rank in range(13) for points in POINTS if rank in RANKS_OF[points]])


def _by_points(by_rank: Array) -> Array:
    """Add up what is counted by rank, on the last axis."""
    return np.concatenate([by_rank[..., _ZERO_RANKS].sum(axis=-1, keepdims=True), by_rank[..., :9]], axis=-1)


class _ZerosOfOneSuit:
    """What up to three cards that count 0 take from one suit, by rank, and in how many orders."""

    def __init__(self) -> None:
        draws = [ranks for number in range(4) for ranks in product(range(len(_ZERO_RANKS)), repeat=number)]
        taken = [tuple(map(ranks.count, range(len(_ZERO_RANKS)))) for ranks in draws]
        kinds = sorted(set(taken))
        self.taken = np.array(kinds)
        self.orders = np.zeros((len(kinds), 4, 2))
        """By number of cards, and whether the first two have to be of one rank."""
        for ranks, kind in zip(draws, taken, strict=True):
            self.orders[kinds.index(kind), len(ranks), 0] += 1
            self.orders[kinds.index(kind), len(ranks), 1] += ranks[0:1] == ranks[1:2]


@cache
def _zeros_of_one_suit() -> _ZerosOfOneSuit:
    return _ZerosOfOneSuit()


class RowCounter:
    """Counts the draws that reach each of some sets of facts, such as the rows of pay tables."""

    def __init__(self, rows: Sequence[FactSet]) -> None:
        self.rows = len(rows)
        weights = _event_weights(rows)
        events = [(player, banker) for player, banker in product(Event, Event)]
        needed = [both for both in events if weights[:, both[0].value, both[1].value].any()]
        self._events = [(both, weights[:, both[0].value, both[1].value].T.astype(np.int64)) for both in needed]
        self.events = frozenset(needed)

    def draws(self, compositions: Counts) -> Counts:
        """For each composition (52 counts), how many ordered draws of six reach each row."""
        shoes = _Shoes(compositions)
        left = shoes.cards[:, None] - _CARDS_OF_SHAPE
        continuations = np.where(_CARDS_OF_SHAPE <= 5, left, 1) * np.where(_CARDS_OF_SHAPE == 4, left - 1, 1)
        found = np.zeros((len(compositions), self.rows), dtype=np.int64)
        for (player, banker), weights in self._events:
            draws = shoes.count(player, banker) * continuations
            found += draws.astype(np.int64) @ weights
        return found


_CARDS_OF_SHAPE = np.array([4] * 100 + [5] * 200 + [6] * 100)

_LIKENESSES = tuple(Likeness)
_INSTEAD = {
    Likeness.PERFECT_PAIR: Likeness.SUITED_PAIR,
    Likeness.SUITED_PAIR: Likeness.SUITED,
    Likeness.PAIR: Likeness.NOTHING,
}
"""What stands for a likeness that no hand of this end has (a pair that counts 9): so it makes no difference."""


@cache
def _facts_by_likeness() -> Counts:
    """The number of the facts by both likenesses and shape; one more than the last where there are none."""
    numbers = {(*likenesses_of(facts), shape_of(facts)): number for number, facts in enumerate(all_facts())}
    found = np.full((5, 5, SHAPES), len(numbers))
    for at in sorted({at for _, _, at in numbers}):
        for player, banker in product(_LIKENESSES, repeat=2):
            choices = product(_or_instead(player), _or_instead(banker))
            found[player.value, banker.value, at] = next(
                number for one, two in choices if (number := numbers.get((one, two, at))) is not None
            )
    return found


def _or_instead(likeness: Likeness) -> Iterator[Likeness]:
    yield likeness
    if likeness in _INSTEAD:
        yield from _or_instead(_INSTEAD[likeness])


def _event_weights(rows: Sequence[FactSet]) -> Counts:
    """How often the draws of each pair of events and shape count for each row."""
    length = len(all_facts()) + 1
    held = np.array(
        [np.frombuffer(row.to_bytes(length // 8 + 1, "little"), dtype=np.uint8) for row in rows], dtype=np.uint8
    )
    bits = np.unpackbits(held, axis=1, bitorder="little")[:, :length].astype(np.int64)
    signs = np.zeros((5, 5), dtype=np.int64)
    for likeness, events in EVENTS_OF.items():
        for event, sign in events.items():
            signs[likeness.value, event.value] = sign
    by_likeness = bits[:, _facts_by_likeness()]
    weights: Counts = np.einsum("pe,qf,rpqs->refs", signs, signs, by_likeness, optimize=True)
    return weights
