"""The simulation on one core: seeds a minute, rounds a second, and how many times faster than the table it stands for.

Seeds deal faster than people do, so that more happens in a second of theirs; so the same seeds are measured once more
with a dealer at a person's pace. There is no floor but the time that would pass at a real table.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import time

from tests.simulation.plan import Plan
from tests.simulation.seeds import plan_of
from tests.simulation.world import run

SEEDS = range(100)
PERSONS_PACE = 1.0


def main() -> None:
    plans = [plan_of(seed) for seed in SEEDS]
    for plan in {plan.house: plan for plan in plans}.values():
        run(plan)  # the odds of a house are worked out once
    _measure("seeds as they are", plans)
    _measure("the same at a person's pace", [plan._replace(speed=PERSONS_PACE) for plan in plans])


def _measure(name: str, plans: list[Plan]) -> None:
    begin = time.perf_counter()
    runs = [run(plan) for plan in plans]
    took = time.perf_counter() - begin
    rounds, seconds = sum(each.rounds for each in runs), sum(each.seconds for each in runs)
    print(
        f"{name:28} {60 * len(runs) / took:6.0f} seeds/min {rounds / took:6.1f} rounds/s "
        f"{seconds / took:6.0f} times real time ({seconds / rounds:.1f} s a round)"
    )
