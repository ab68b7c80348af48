"""Counts of the Dragon Bonus, made as Eliot Jacobson makes his, and what each wins from its best trigger.

The exact effects of removal are scaled and rounded to small whole numbers that add up to 0 over a deck, as those of his
published counts do. His for this wager was not found. Run it as `python -m tests.protection.dragon_bonus`.
"""

# ruff: noqa: T201 - it reports to the terminal

import argparse
import os
from collections.abc import Iterator, Sequence

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from firmware_protocol.cards import Card
from shoe_controller.baccarat.composition import full_shoe, shoe_without
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.campaign import priced
from shoe_controller.protection.counted_play import EdgeCounter, ShoeRules, chance_of, dealt_shoe
from shoe_controller.protection.fresh_shoes import CUT
from shoe_controller.protection.live_odds import LiveOdds
from tests.protection.anchors import DECKS, EVERY
from tests.protection.following import BY_POINTS

Array = NDArray[np.float64]

WAGER = "phoenix_bonus.player"
SCHEDULE = built_in_catalogue().schedule("nepal")
LARGEST = 6
"""A person who counts can add up no larger tags."""

HOW = (-1, 1, 2, 2, 1, 1, 0, -1, -1, -1)
"""Published for this wager by Stephen How (discountgambling.net)."""

LOW, LOWEST = -0.0089, -0.04
"""Edges, as the effects estimate them. Few rounds below the first are a bet of any count, and none below the second."""

EVERY_SHOE = 8
"""Of the rounds between the two, those of each eighth shoe are looked at, for eight."""

AT_ONCE = 200


def effects_of_removal() -> tuple[float, Array]:
    """The player's edge from a full shoe, and by points what one card less adds to it."""
    live = LiveOdds(SCHEDULE, [WAGER])

    def edge(gone: list[Card]) -> float:
        (odds,) = live.odds(shoe_without(DECKS, gone), DECKS)
        return float(odds.expectation)

    full = edge([])
    by_points = {card.points: card for card in Card}
    return full, np.array([edge([by_points[points]]) - full for points in range(10)])


def balanced_counts(effects: Array) -> list[tuple[int, ...]]:
    """The effects in every scale that gives other small tags; by points, beginning with the cards that count 0.

    Those without a tag for these, a third of all cards, win little.
    """
    found: dict[tuple[int, ...], None] = {}
    for scale in np.linspace(0.5, LARGEST + 0.5, 2000) / np.abs(effects).max():
        tags = tuple(int(tag) for tag in np.copysign(np.floor(np.abs(effects * scale) + 0.5), effects))
        if tags[0] and 3 * tags[0] + sum(tags) == 0 and max(map(abs, tags)) <= LARGEST:
            found[tags] = None
    return list(found)


class Rounds:
    """Every fourth round, as far as some count may bet."""

    def __init__(self, full: float, effects: Array, shoes: int, seed: int) -> None:
        self.shoes = shoes
        counter, whole = EdgeCounter(priced(SCHEDULE, [WAGER])), np.array(full_shoe(DECKS))
        seen_of, edges_of, shoe_of, for_so_many_of = [], [], [], []
        for begin in range(0, shoes, AT_ONCE):
            left = []
            for number in range(begin, min(begin + AT_ONCE, shoes)):
                rounds, _ = dealt_shoe(ShoeRules(DECKS, CUT), chance_of(seed, number))
                seen = np.array([playing.seen for playing in rounds])
                points = seen @ BY_POINTS
                estimated = full + points @ effects * whole.sum() / (whole.sum() - points.sum(axis=1))
                fourth = np.arange(len(rounds)) % EVERY
                some = (estimated > LOW) & (fourth == number % EVERY)
                if number % EVERY_SHOE == 0:
                    some |= (estimated > LOWEST) & (estimated <= LOW) & (fourth == number // EVERY_SHOE % EVERY)
                left.append(whole - seen[some])
                seen_of.append(points[some])
                shoe_of.append(np.full(some.sum(), number))
                for_so_many_of.append(np.where(estimated[some] > LOW, EVERY, EVERY * EVERY_SHOE))
            edges_of.append(counter.edges(np.concatenate(left))[0][:, 0])
        self._seen, self._edges, self._shoe = map(np.concatenate, (seen_of, edges_of, shoe_of))
        self._for_so_many = np.concatenate(for_so_many_of)
        self._unseen = whole.sum() - self._seen.sum(axis=1)

    def won(self, bets: NDArray[np.bool_]) -> tuple[float, float]:
        """Units in a shoe, with the standard error."""
        units = (self._for_so_many * self._edges)[bets]
        by_shoe = np.bincount(self._shoe[bets], units, minlength=self.shoes)
        return float(by_shoe.mean()), float(by_shoe.std(ddof=1)) / self.shoes**0.5

    def by_trigger(self, tags: Sequence[int]) -> Iterator[tuple[float, float, int]]:
        true_count = 52 * (self._seen @ np.array(tags)) / self._unseen
        for trigger in range(1, 30):
            yield *self.won(true_count >= trigger), trigger


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shoes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    full, effects = effects_of_removal()
    print("effects of removal:", " ".join(f"{effect:+.6f}" for effect in effects))
    rounds = Rounds(full, effects, args.shoes, args.seed)
    for tags in (HOW, *balanced_counts(effects)):
        units, error, trigger = max(rounds.by_trigger(tags))
        ace_first = ",".join(map(str, (*tags[1:], tags[0])))
        print(f"tags {ace_first}: {units:.4f} ± {error:.4f} in a shoe from +{trigger}")


if __name__ == "__main__":
    main()
