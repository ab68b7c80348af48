"""Plays shoes with players who count cards and players who do not, and lets the test of stakes judge them.

Run it as `python -m tests.protection.following`. It ends with two tables: how soon each counter was found, and how many
of the others were. Edges are computed once for each shoe, whoever stakes in it.
"""

# ruff: noqa: T201, S311 - it reports to the terminal; players and shoes are reproducible

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from math import exp
from random import Random
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.baccarat.conditions import describe, facts_where
from shoe_controller.baccarat.facts import number_of
from shoe_controller.baccarat.wagers import Row
from shoe_controller.demo.strategies import COUNTS, PublishedCount, after_losses
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.campaign import priced
from shoe_controller.protection.counted_play import (
    EdgeCounter,
    Priced,
    ShoeRules,
    chance_of,
    dealt_shoe,
    rounds_with_cut,
)
from shoe_controller.protection.following import Following, Follows, calibrated, p_value
from shoe_controller.protection.fresh_shoes import CUT, SHOES, FreshShoes
from shoe_controller.protection.shoe_record import ShoeRecord

LEAST, MOST = 100, 10_000
"""Limits of the wagers, in minor units."""

SPREAD = 20
"""A counter who never stays away stakes this many times the least where the wager is the player's."""

BASE = "base.player"

CUTS = (CUT, 26, 52, 104)
"""Depths of the cut card in the shoes that are judged; in those that they are compared with it is always the first."""

Ints = NDArray[np.int64]


class Played(NamedTuple):
    """A shoe that was dealt, for one wager."""

    decks: int
    edges: NDArray[np.float32]
    seen: Ints
    """Before each round: cards shown, by points."""
    won: NDArray[np.bool_]
    lasts: tuple[int, ...]
    """How many rounds it would have with the cut card before `CUTS` cards."""


def wagers_to_play(names: Sequence[str]) -> list[Priced]:
    """The wagers of these counts at the prices that they were published for."""
    schedule = built_in_catalogue().schedule("nepal")
    found = {name: priced(schedule, [COUNTS[name].wager])[0] for name in names}
    if "tie_7" in found:
        when = {"winner": "tie", "player_total": 7}
        found["tie_7"] = Priced((Row(describe(when), facts_where(when), Fraction(45)),), (Fraction(45),))
    return list(found.values())


BY_POINTS = np.array([[card.points == points for points in range(10)] for card in CARDS_BY_NUMBER], dtype=np.int64)


class _Worker:
    rules: ShoeRules
    wagers: Sequence[Priced]
    counter: EdgeCounter


def begin(rules: ShoeRules, wagers: Sequence[Priced]) -> None:
    _Worker.rules, _Worker.wagers, _Worker.counter = rules, wagers, EdgeCounter(wagers)


def played(seed: int, number: int) -> list[Played]:
    """Deal the shoe of this number; return it by wager."""
    rules = _Worker.rules
    rounds, ends = dealt_shoe(rules, chance_of(seed, number))
    lasts = tuple(rounds_with_cut(rules, cut, rounds, ends) for cut in CUTS)
    seen = np.array([playing.seen for playing in rounds])
    edges, _ = _Worker.counter.edges(np.array(full_shoe(rules.decks)) - seen)
    bits = [number_of(playing.facts) for playing in rounds]
    return [
        Played(
            rules.decks,
            edges[:, at].astype(np.float32),
            seen @ BY_POINTS,
            np.array([any(row.pays is not None and row.holds >> bit & 1 for row in wager.table) for bit in bits]),
            lasts,
        )
        for at, wager in enumerate(_Worker.wagers)
    ]


# --- players ---------------------------------------------------------------------------------------------------------


def raisers_plan(rounds: int, chance: Random) -> Ints:
    """Stakes that vary in one of several ways, and know nothing of the cards."""
    stakes: Ints
    at = np.arange(rounds)
    begins, lasts = chance.randrange(rounds), chance.randrange(1, rounds)
    within = (at >= begins) & (at < begins + lasts)
    match chance.randrange(5):
        case 0:
            stakes = np.array([chance.choice((100, 200, 500, 1000)) for _ in at])
        case 1:
            stakes = np.where(within, MOST, 0)
        case 2:
            stakes = np.where(within, MOST, LEAST)
        case 3:
            stakes = np.where(at >= 0.8 * rounds, MOST, LEAST)
        case _:
            stakes = LEAST * 2 ** np.clip(np.cumsum([chance.choice((-1, 0, 1)) for _ in at]), 0, 6)
    return stakes


class Doubler:
    """Doubles after a loss, from one shoe to the next."""

    def __init__(self) -> None:
        self._losses = 0

    def stakes(self, won: NDArray[np.bool_]) -> Ints:
        stakes = []
        for wins in won:
            stakes.append(after_losses(self._losses, LEAST, MOST))
            self._losses = 0 if wins else self._losses + 1
        return np.array(stakes)


def counters_bets(count: PublishedCount, shoe: Played) -> NDArray[np.bool_]:
    return np.array([count.favours_player(seen, shoe.decks) for seen in shoe.seen.tolist()])


# --- the judge -------------------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    wager: str
    found_after: dict[str, list[int]]
    """By counter: shoes until it was found, each time by a test that knew nothing of it."""
    sought: dict[str, int]
    """By counter: shoes since it was found last."""
    false_alarms: dict[str, dict[float, int]]
    """By player who does not count, and threshold."""
    e_values: list[NDArray[np.float64]]
    """Of stakes that are raised without looking at the cards, by depth of the cut card."""


THRESHOLDS = (100.0, 10_000.0)
PLAYERS = ("flat", "doubles", "raises", "after wins")
COUNTERS = ("stays away", "twenty times", "comes and goes")


def judged(name: str, fresh: FreshShoes, shoes: Sequence[Played], counted: int) -> Judged:
    """Let players of one wager stake through all these shoes; the counters through the first `counted` of them."""
    wager, chance, doubler = COUNTS[name].wager, Random(name), Doubler()
    innocent = {threshold: Following(threshold) for threshold in THRESHOLDS}
    false_alarms = {player: dict.fromkeys(THRESHOLDS, 0) for player in PLAYERS}
    searching = {counter: Following() for counter in COUNTERS}
    found_after: dict[str, list[int]] = {counter: [] for counter in COUNTERS}
    sought = dict.fromkeys(COUNTERS, 0)
    for number, shoe in enumerate(shoes):
        rounds = len(shoe.edges)
        plans = {
            "flat": np.full(rounds, LEAST),
            "doubles": doubler.stakes(shoe.won),
            "raises": raisers_plan(rounds, chance),
            "after wins": np.where(np.concatenate([[False], shoe.won[:-1]]), MOST, LEAST),
        }
        for threshold, following in innocent.items():
            for follows in _take(following, wager, shoe, plans, fresh):
                false_alarms[follows.seat][threshold] += 1
        if number >= counted:
            continue
        bets = counters_bets(COUNTS[name], shoe)
        for counter, following in searching.items():
            stakes = np.where(bets, SPREAD * LEAST, LEAST if counter == "twenty times" else 0)
            sought[counter] += 1
            if _take(following, wager, shoe, {counter: stakes}, fresh, also=counter != "comes and goes"):
                found_after[counter].append(sought[counter])
                sought[counter] = 0
                searching[counter] = Following()
    e_values = [raisers_e_values(shoes, cut, fresh) for cut in range(len(CUTS))]
    return Judged(name, found_after, sought, false_alarms, e_values)


def raisers_e_values(shoes: Sequence[Played], cut: int, fresh: FreshShoes) -> NDArray[np.float64]:
    chance = Random(cut)
    found = []
    for shoe in shoes:
        rounds = shoe.lasts[cut]
        if rounds == 1:  # so few decks
            continue
        stakes = raisers_plan(rounds, chance).astype(np.float64)
        weights = stakes - stakes.mean()
        edges = shoe.edges[:rounds].astype(np.float64)
        if weights.any():
            found.append(calibrated(p_value(tuple(range(1, rounds + 1)), weights, edges, fresh)))
    return np.array(found)


def _take(
    following: Following, wager: str, shoe: Played, plans: dict[str, Ints], fresh: FreshShoes, *, also: bool = True
) -> list[Follows]:
    """`also`: whether the seats have another wager in each round."""
    rounds = len(shoe.edges)
    stakes = {(seat, wager): tuple(plan.tolist()) for seat, plan in plans.items()}
    if also:
        stakes |= {(seat, BASE): (LEAST,) * rounds for seat in plans}
    edges = {wager: tuple(shoe.edges.tolist()), BASE: (0.0,) * rounds}
    record = ShoeRecord(shoe.decks, 1, tuple(range(1, rounds + 1)), edges, stakes)
    return following.take("table", record, {wager: fresh})


def most_by_chance(mean: float) -> int:
    """The number that a Poisson variable of this mean exceeds once in a thousand times."""
    number, term = 0, exp(-mean)
    total = term
    while total < 0.999:
        number += 1
        term *= mean / number
        total += term
    return number


class Campaign(NamedTuple):
    names: Sequence[str]
    """The counts that are played, each with its wager."""
    decks: int
    shoes: int
    counted: int
    """Shoes in which the counters play."""
    fresh: int
    seed: int


def run(campaign: Campaign, processes: int) -> Iterator[Judged]:
    names, decks, shoes, counted, fresh, seed = campaign
    wagers = wagers_to_play(names)
    rules = ShoeRules(decks, CUT)
    if processes == 1:
        begin(rules, wagers)
        compared = [played(seed, number) for number in range(fresh)]
        dealt = [played(seed + 1, number) for number in range(shoes)]
        for at, name in enumerate(names):
            yield judged(name, *_of(at, compared, dealt), counted)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, begin, (rules, wagers)) as pool:
        compared = list(pool.map(partial(played, seed), range(fresh), chunksize=50))
        dealt = list(pool.map(partial(played, seed + 1), range(shoes), chunksize=50))
        tasks = [pool.submit(judged, name, *_of(at, compared, dealt), counted) for at, name in enumerate(names)]
        for task in tasks:
            yield task.result()


def _of(
    wager: int, compared: Sequence[Sequence[Played]], dealt: Sequence[Sequence[Played]]
) -> tuple[FreshShoes, list[Played]]:
    return FreshShoes([shoe[wager].edges for shoe in compared]), [shoe[wager] for shoe in dealt]


NINE_OF_TEN = 0.9
FOUND_WITHIN: dict[str, dict[str, int]] = {
    "natural_9_over_7": {"stays away": 17, "twenty times": 18, "comes and goes": 20},
    "natural_9_over_natural_8": {"stays away": 17, "twenty times": 18, "comes and goes": 20},
    "tie_7": {"stays away": 14, "twenty times": 14, "comes and goes": 15},
    "dragon_7": {"stays away": 20, "twenty times": 24, "comes and goes": 24},
    "panda_8": {"stays away": 32, "comes and goes": 32},
}
"""What `docs/protection.md` states: in how many shoes nine of ten are found."""


def wrongs(results: Sequence[Judged], shoes: int) -> list[str]:
    """Whatever is not as it is stated, by more than chance explains."""
    wrong = []
    for judgement in results:
        for counter, within in FOUND_WITHIN[judgement.wager].items():
            after = judgement.found_after[counter]
            soon = sum(number <= within for number in after)
            if soon < NINE_OF_TEN * len(after) - 3 * (NINE_OF_TEN * (1 - NINE_OF_TEN) * len(after)) ** 0.5 or not after:
                wrong.append(f"{judgement.wager}, {counter}: {soon} of {len(after)} within {within} shoes")
    for player in PLAYERS:
        for threshold in THRESHOLDS:
            alarms = sum(judgement.false_alarms[player][threshold] for judgement in results)
            if alarms > most_by_chance(len(results) * shoes / threshold):
                wrong.append(f"{player}: {alarms} false alarms at {threshold:,.0f}")
    for at, cut in enumerate(CUTS):
        mean, error = mean_of_e(results, at)
        if mean > 1 + 3 * error:
            wrong.append(f"the mean of e with the cut card before {cut} cards is {mean:.3f} ± {error:.3f}")
    return wrong


def mean_of_e(results: Sequence[Judged], cut: int) -> tuple[float, float]:
    """Over all wagers, with its standard error. They share the shoes: the errors are not taken as independent."""
    by_wager = [judgement.e_values[cut] for judgement in results]
    errors = [float(values.std()) / len(values) ** 0.5 for values in by_wager]
    return float(np.mean(np.concatenate(by_wager))), float(np.mean(errors))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shoes", type=int, default=10_000)
    parser.add_argument("--counted", type=int, default=2_000)
    parser.add_argument("--fresh", type=int, default=SHOES)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    processes = len(os.sched_getaffinity(0))
    results = list(run(Campaign(list(COUNTS), 8, args.shoes, args.counted, args.fresh, args.seed), processes))
    print("| count | player | found | shoes to the alarm: half | nine of ten | most |\n|---|---|---|---|---|---|")
    for judgement in results:
        for counter, after in judgement.found_after.items():
            half, nine = (int(np.quantile(after or [0], share, method="higher")) for share in (0.5, NINE_OF_TEN))
            print(f"| {judgement.wager} | {counter} | {len(after)} | {half} | {nine} | {max(after, default=0)} |")
    print("\n| player | shoes | threshold | alarms | no more than, by the theorem |\n|---|---|---|---|---|")
    for player in PLAYERS:
        for threshold in THRESHOLDS:
            alarms = sum(judgement.false_alarms[player][threshold] for judgement in results)
            tests = len(results) * args.shoes
            print(f"| {player} | {tests:,} | {threshold:,.0f} | {alarms} | {tests / threshold:,.0f} |")
    print("\n| cut card before | mean of e |\n|---|---|")
    for at, cut in enumerate(CUTS):
        mean, error = mean_of_e(results, at)
        print(f"| {cut} | {mean:.3f} ± {error:.3f} |")
    wrong = wrongs(results, args.shoes)
    print("\n".join(["", *wrong]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
