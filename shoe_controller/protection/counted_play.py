"""What a counter would win: simulated shoes, in which every wager is played whenever it favours the player.

What is added up is the exact edge of each wager that is played, not what the cards then made of it: it has the same
mean, and a small part of the variance. A counter has seen what everybody sees: cards that were burned unseen are not
known.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import perm
from random import Random
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.composition import DRAWN, full_shoe
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.facts import Facts
from shoe_controller.baccarat.odds import rows_reached
from shoe_controller.baccarat.wagers import PayTable
from shoe_controller.protection.figures import SCALES, Figures
from shoe_controller.protection.quick_counts import RowCounter

Array = NDArray[np.float64]


class ShoeRules(msgspec.Struct, frozen=True):
    """How a shoe is begun and ended."""

    decks: int
    cut: int
    """Cards behind the cut card."""
    last_rounds: int = 1
    """Rounds dealt after the one in which the cut card comes; where it comes before a round, that is one of them."""
    burn: bool = True
    """The first card is shown, and as many as it counts are burned unseen; a ten or a court card counts 10."""


class Count(msgspec.Struct, frozen=True):
    """A published count: a tag for each card that is seen; a bet is made from the trigger on."""

    tags: tuple[float, ...]
    """By points, beginning with the cards that count 0."""
    trigger: float
    """The true count: the sum of the tags of the cards seen, divided by the decks that were not."""


class Priced(NamedTuple):
    """A wager's pay table as it is played: the winnings of each row for a stake of one; `None` is a push."""

    table: PayTable
    pays: tuple[Fraction | None, ...]


class Round(NamedTuple):
    seen: tuple[int, ...]
    """Copies of each card that have been seen, before its first card."""
    dealt: int
    """Cards that have left the shoe."""
    facts: Facts
    """How it ended."""


def dealt_shoe(rules: ShoeRules, chance: Random) -> tuple[list[Round], list[int]]:
    """Deal a shoe; return its rounds, and the number of cards that are gone after each."""
    shoe = [card.number for card in CARDS_BY_NUMBER for _ in range(rules.decks)]
    chance.shuffle(shoe)
    seen = [0] * len(CARDS_BY_NUMBER)
    at = 0
    if rules.burn:
        seen[shoe[0]] += 1
        at = 1 + (CARDS_BY_NUMBER[shoe[0]].points or 10)
    rounds: list[Round] = []
    ends: list[int] = []
    last = len(shoe) - rules.cut
    left: int | None = None
    while left != 0 and len(shoe) - at >= DRAWN:
        if left is None and at == last:
            left = max(rules.last_rounds, 1)
        before, begins = tuple(seen), at
        deal = Deal()
        while not deal.complete:
            seen[shoe[at]] += 1
            deal.feed(CARDS_BY_NUMBER[shoe[at]])
            at += 1
        rounds.append(Round(before, begins, deal.facts))
        ends.append(at)
        if left is not None:
            left -= 1
        elif at > last:
            left = rules.last_rounds
    return rounds, ends


def rounds_with_cut(rules: ShoeRules, cut: int, rounds: Sequence[Round], ends: Sequence[int]) -> int:
    """How many of a shoe's rounds would be dealt with the cut card before more cards."""
    last = 52 * rules.decks - cut
    for number, (playing, end) in enumerate(zip(rounds, ends, strict=True)):
        if playing.dealt >= last:
            return min(number + max(rules.last_rounds, 1), len(rounds))
        if end > last:
            return min(number + 1 + rules.last_rounds, len(rounds))
    return len(rounds)


_AT_ONCE = 8
"""Rounds whose arrays fit into a processor's cache together."""


class EdgeCounter:
    """The exact edge of wagers from what is left of a shoe, and the winnings in it."""

    def __init__(self, wagers: Sequence[Priced]) -> None:
        rows = [reached for wager in wagers for reached in rows_reached(wager.table)]
        self._counter = RowCounter(rows)
        self._winnings = np.zeros((len(rows), len(wagers)))
        self._kept = np.zeros((len(rows), len(wagers)))
        at = 0
        for number, wager in enumerate(wagers):
            for pays in wager.pays:
                self._winnings[at, number] = 0 if pays is None else float(pays)
                self._kept[at, number] = 1
                at += 1

    def edges(self, compositions: NDArray[np.int64]) -> tuple[Array, Array]:
        """For each composition and wager: the player's edge, and the mean winnings for a stake of one.

        Counts are whole and below 2**53, prices and the quotient are rounded: an edge is wrong by less than 1e-12 of
        the highest price, and one as close to 0 as that makes no difference to a counter.
        """
        edges, winnings = [], []
        for begin in range(0, len(compositions), _AT_ONCE):
            some = compositions[begin : begin + _AT_ONCE]
            draws = np.array([float(perm(int(cards), DRAWN)) for cards in some.sum(axis=1)])[:, None]
            counts = self._counter.draws(some).astype(np.float64)
            won = counts @ self._winnings / draws
            winnings.append(won)
            edges.append(won - (1 - counts @ self._kept / draws))
        return np.concatenate(edges), np.concatenate(winnings)


class Sums(msgspec.Struct):
    """What is added up over shoes. Arrays are by depth of the cut card and wager, unless it says otherwise."""

    shoes: int
    rounds: Array
    """By depth."""
    bets: Array
    units: Array
    squares: Array
    """Of the units of each shoe."""
    scaled: Array
    """Units at lowered prices, by `SCALES` and wager, at the first depth."""

    def add(self, other: "Sums") -> None:
        self.shoes += other.shoes
        self.rounds += other.rounds
        self.bets += other.bets
        self.units += other.units
        self.squares += other.squares
        self.scaled += other.scaled


class PlayedShoe(NamedTuple):
    """A shoe that was dealt, with what a counter knew before each of its rounds."""

    rounds: list[Round]
    ends: list[int]
    edges: Array
    """By round and wager."""
    winnings: Array


class CountedPlay:
    """Plays some wagers through shoes, perfectly or by a published count."""

    def __init__(self, rules: ShoeRules, wagers: Sequence[Priced], deeper: Sequence[int] = ()) -> None:
        self.rules = rules
        self.cuts = (rules.cut, *deeper)
        """Depths of the cut card for which the same shoes are counted; the first is the least."""
        self._wagers = len(wagers)
        self._edges = EdgeCounter(wagers)
        self._full = np.array(full_shoe(rules.decks))

    def no_shoes(self) -> Sums:
        by_cut = (len(self.cuts), self._wagers)
        return Sums(
            shoes=0,
            rounds=np.zeros(len(self.cuts)),
            bets=np.zeros(by_cut),
            units=np.zeros(by_cut),
            squares=np.zeros(by_cut),
            scaled=np.zeros((len(SCALES), self._wagers)),
        )

    def deal(self, chance: Random) -> PlayedShoe:
        rounds, ends = dealt_shoe(self.rules, chance)
        edges, winnings = self._edges.edges(self._full - np.array([playing.seen for playing in rounds]))
        return PlayedShoe(rounds, ends, edges, winnings)

    def sums(self, shoe: PlayedShoe, count: Count | None = None) -> Sums:
        """What perfect play wins in a shoe, or this count."""
        rounds, ends, edges, winnings = shoe
        bets = edges > 0 if count is None else self._bets_by(count, shoe)
        units = np.where(bets, edges, 0).cumsum(axis=0)
        bet_so_far = bets.cumsum(axis=0)
        sums = self.no_shoes()
        sums.shoes = 1
        for at, cut in enumerate(self.cuts):
            dealt = rounds_with_cut(self.rules, cut, rounds, ends)
            sums.rounds[at] = dealt
            sums.units[at] = units[dealt - 1]
            sums.bets[at] = bet_so_far[dealt - 1]
        sums.squares = sums.units**2
        for at, scale in enumerate(SCALES):
            scaled = edges - scale * winnings
            sums.scaled[at] = (scaled.clip(min=0) if count is None else scaled * bets).sum(axis=0)
        return sums

    def _bets_by(self, count: Count, shoe: PlayedShoe) -> NDArray[np.bool_]:
        tags = np.array([count.tags[card.points] for card in CARDS_BY_NUMBER])
        seen = np.array([playing.seen for playing in shoe.rounds])
        # Cards that were burned unseen are to the counter as those in the shoe. So are the published figures reckoned.
        true_count = seen @ tags / ((self._full - seen).sum(axis=1) / 52)
        return np.broadcast_to((true_count >= count.trigger)[:, None], shoe.edges.shape)


def played(play: CountedPlay, count: Count | None, seed: int, numbers: range) -> Sums:
    """Play the shoes of these numbers: each has cards of its own, whichever process plays it."""
    sums = play.no_shoes()
    for number in numbers:
        sums.add(play.sums(play.deal(chance_of(seed, number)), count))
    return sums


def chance_of(seed: int, number: int) -> Random:
    return Random(f"{seed}/{number}")  # noqa: S311 - a simulation, reproducible by its seed


def figures(sums: Sums, cuts: Sequence[int], wager: int) -> Iterator[Figures]:
    """Yield the figures of a wager, by depth of the cut card."""
    for at, cut in enumerate(cuts):
        rounds, bets, units = float(sums.rounds[at]), float(sums.bets[at, wager]), float(sums.units[at, wager])
        mean = units / sums.shoes
        variance = max(float(sums.squares[at, wager]) / sums.shoes - mean**2, 0.0)
        yield Figures(
            cut=cut,
            rounds_per_shoe=rounds / sums.shoes,
            bets=bets / rounds,
            mean_edge=units / bets if bets else 0.0,
            per_100_rounds=100 * units / rounds,
            per_shoe=mean,
            standard_error=(variance / max(sums.shoes - 1, 1)) ** 0.5,
        )
