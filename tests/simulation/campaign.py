"""Many seeds on all cores: progress, speed, what was met in which phase, and how to replay a seed that fails."""

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from rich.console import Console

from tests.simulation.coverage import acts_table, alerts_table, blind_spots, coverage_table, facts_table, wagers_line
from tests.simulation.seeds import plan_of
from tests.simulation.shrink import fewest_mishaps
from tests.simulation.world import Ran, run

TELL_EVERY = 5.0
"""Seconds between two lines of progress."""


class Result(NamedTuple):
    """What came of a seed, without what a process would have to carry to another."""

    seed: int
    broken: str
    rounds: int
    seconds: float
    met: Counter[tuple[str, str]]
    alerts: Counter[str]
    acts: Counter[str]
    facts: Counter[str]
    settled: Counter[tuple[str, str]]


def run_seed(seed: int) -> Result:
    try:
        ran = run(plan_of(seed))
    except Exception as error:  # noqa: BLE001 - a campaign goes on, and the seed that stopped is reported
        return Result(seed, f"{type(error).__name__}: {error}", 0, 0.0, *(Counter() for _ in range(5)))
    return _result(ran)


def _result(ran: Ran) -> Result:
    return Result(
        ran.plan.seed, ran.broken, ran.rounds, ran.seconds, ran.met, ran.alerts, ran.acts, ran.facts, ran.settled
    )


def on_all_cores(seeds: Iterable[int]) -> Iterator[Result]:
    with _workers() as pool:
        yield from pool.imap_unordered(run_seed, seeds, chunksize=4)


@contextmanager
def _workers() -> Iterator["multiprocessing.pool.Pool"]:
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        yield pool


def how_to_replay(seed: int) -> str:
    return f"python -m tests.simulation {seed}"


def simulate(first: int, seeds: int, console: Console) -> bool:
    """Run them all and tell of it; whether all promises were kept, and nothing that can be met stayed unmet."""
    began = told = time.monotonic()
    met: Counter[tuple[str, str]] = Counter()
    alerts: Counter[str] = Counter()
    acts: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    settled: Counter[tuple[str, str]] = Counter()
    rounds, seconds = 0, 0.0
    broken: list[Result] = []
    for done, result in enumerate(on_all_cores(range(first, first + seeds)), 1):
        rounds += result.rounds
        seconds += result.seconds
        met += result.met
        alerts += result.alerts
        acts += result.acts
        facts += result.facts
        settled += result.settled
        if result.broken:
            broken.append(result)
            console.print(f"seed {result.seed}: {result.broken}\n    {how_to_replay(result.seed)}", markup=False)
        now = time.monotonic()
        if now - told > TELL_EVERY or done == seeds:
            told = now
            real = now - began
            console.print(
                f"{done} of {seeds} seeds, {rounds} rounds, {len(broken)} broken; {60 * done / real:.0f} seeds/min, "
                f"{rounds / real:.1f} rounds/s, {seconds / real:.0f} times real time",
                markup=False,
            )
    console.print(coverage_table(met))
    console.print(alerts_table(alerts))
    console.print(acts_table(acts))
    console.print(facts_table(facts))
    console.print(wagers_line(settled), markup=False)
    unseen = blind_spots(met, settled, acts, facts, seeds)
    for sentence in unseen:
        console.print(f"BLIND SPOT: {sentence}", markup=False)
    for result in broken[:3]:
        console.print(f"\nseed {result.seed} with the fewest mishaps that still break it:", markup=False)
        console.print(str(fewest_mishaps(plan_of(result.seed))), markup=False)
    return not broken and not unseen
