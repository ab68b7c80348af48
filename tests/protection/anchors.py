"""Plays the published counts through the same shoes, and both pairs perfectly; prints what each wins.

Run it as `python -m tests.protection.anchors`; the table of `docs/protection.md` has these figures beside the published
ones. Each 1,000 shoes it prints what there is so far. It fails where a figure is further than three standard errors
from the published one.
"""

# ruff: noqa: T201 - it reports to the terminal

import argparse
import multiprocessing
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.demo.strategies import COUNTS
from shoe_controller.protection.counted_play import EdgeCounter, Priced, Round, ShoeRules, chance_of, dealt_shoe
from shoe_controller.protection.fresh_shoes import CUT
from tests.protection.following import BY_POINTS, wagers_to_play

Array = NDArray[np.float64]

DECKS = 8

EVERY = 4
"""Of the rounds of a shoe each fourth is looked at, for four: those beside it have nearly the same cards left."""

BOTH_PAIRS = "both_pairs"


class Published(NamedTuple):
    """Units won, as it was published; half of the last digit is rounding."""

    units: float
    rounding: float
    in_100_rounds: bool
    """In 100 rounds dealt, or in a shoe."""


PUBLISHED = {
    "natural_9_over_7": Published(1.56, 0.005, in_100_rounds=True),
    "natural_9_over_natural_8": Published(1.51, 0.005, in_100_rounds=True),
    "tie_7": Published(2.65, 0.005, in_100_rounds=True),
    "dragon_7": Published(0.597, 0.0005, in_100_rounds=False),
    "panda_8": Published(0.237, 0.0005, in_100_rounds=False),
    BOTH_PAIRS: Published(0.375, 0.0005, in_100_rounds=False),
}
"""By Eliot Jacobson, for eight decks with the cut card before 14 cards."""


class _Worker:
    """What a process of the pool keeps between its shoes."""

    rules: ShoeRules
    counter: EdgeCounter


def begin(rules: ShoeRules, wagers: Sequence[Priced]) -> None:
    _Worker.rules, _Worker.counter = rules, EdgeCounter(wagers)


def counted(seed: int, number: int) -> list[tuple[int, int, float]]:
    """By anchor: rounds of the shoe of this number, bets, and units won on average."""
    rounds, _ = dealt_shoe(_Worker.rules, chance_of(seed, number))
    return counted_in(rounds, number % EVERY)


def counted_in(rounds: Sequence[Round], first: int) -> list[tuple[int, int, float]]:
    """Of the rounds, every fourth from the first is looked at."""
    seen = np.array([playing.seen for playing in rounds])
    by_points = (seen @ BY_POINTS).tolist()
    bets = np.array([[count.favours_player(each, DECKS) for each in by_points] for count in COUNTS.values()])
    # Nearly all the time goes into these edges.
    looked_at = bets.any(axis=0) & (np.arange(len(rounds)) % EVERY == first)
    left = np.array(full_shoe(DECKS)) - seen
    units = np.zeros(len(bets))
    if looked_at.any():
        edges, _ = _Worker.counter.edges(left[looked_at])
        units = EVERY * (edges.T * bets[:, looked_at]).sum(axis=1)
    by_count = [(len(rounds), int(of_count.sum()), float(won)) for of_count, won in zip(bets, units, strict=True)]
    pair = pair_edges(left)
    return [*by_count, (len(rounds), int((pair > 0).sum()), 2 * float(pair[pair > 0].sum()))]


def pair_edges(left: NDArray[np.int64]) -> Array:
    """The edge of a pair at 11 to 1: any second card of the first one's rank. That of the other hand is the same."""
    ranks = left.reshape(-1, 13, 4).sum(axis=2)
    cards = ranks.sum(axis=1)
    edges: Array = 12 * (ranks * (ranks - 1)).sum(axis=1) / (cards * (cards - 1)) - 1
    return edges


class Figure(NamedTuple):
    name: str
    bets: float
    """How much of the rounds are bet."""
    mean_edge: float
    in_100_rounds: float
    per_shoe: float
    error: float
    """The standard error of the units won, as a part of them."""

    @property
    def is_as_published(self) -> bool:
        published = PUBLISHED[self.name]
        units = self.in_100_rounds if published.in_100_rounds else self.per_shoe
        return abs(units - published.units) <= 3 * self.error * units + published.rounding


def figures(shoes: Array) -> list[Figure]:
    """`shoes`: by shoe and anchor."""
    found = []
    for at, name in enumerate(PUBLISHED):
        rounds, bets, units = shoes[:, at].sum(axis=0)
        error = float(shoes[:, at, 2].std(ddof=1)) * len(shoes) ** 0.5 / units
        # Both pairs are two bets.
        mean_edge = units / bets / (2 if name == BOTH_PAIRS else 1)
        found.append(Figure(name, bets / rounds, mean_edge, 100 * units / rounds, units / len(shoes), error))
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shoes", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    processes = len(os.sched_getaffinity(0))
    shoes = []
    playing = (ShoeRules(DECKS, CUT), wagers_to_play(list(COUNTS)))
    with ProcessPoolExecutor(processes, context, begin, playing) as pool:
        for shoe in pool.map(partial(counted, args.seed), range(args.shoes), chunksize=50):
            shoes.append(shoe)
            if len(shoes) % 1000 == 0 or len(shoes) == args.shoes:
                found = figures(np.array(shoes))
                report(len(shoes), found)
    return int(not all(figure.is_as_published for figure in found))


def report(shoes: int, found: Sequence[Figure]) -> None:
    print(f"{shoes:,} shoes", flush=True)
    for each in found:
        published = PUBLISHED[each.name]
        print(
            f"{each.name}: {each.bets:.2%} bet, mean edge {each.mean_edge:.2%}, {each.in_100_rounds:.4f} ± "
            f"{each.error * each.in_100_rounds:.4f} in 100 rounds, {each.per_shoe:.4f} ± "
            f"{each.error * each.per_shoe:.4f} in a shoe, error {each.error:.2%} of it; published "
            f"{published.units} in {'100 rounds' if published.in_100_rounds else 'a shoe'}"
            f"{'' if each.is_as_published else ': NOT WITHIN THREE ERRORS'}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
