"""The simulation on one core: seeds a minute, rounds a second, and how many times faster than the table it stands for.

Seeds deal faster than people do, so that more happens in a second of theirs; so the same seeds are measured once more
with a dealer at a person's pace. The floor is an agenda of as many steps in which nothing is done.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import time
from collections.abc import Callable

from tests.simulation.plan import Plan
from tests.simulation.seeds import plan_of
from tests.simulation.virtual_time import VirtualTime
from tests.simulation.world import Ran, run

SEEDS = range(120)
IN_TURNS_OF = 10
"""Seeds, so that a machine that is slow for a while is so for all that is measured."""
PERSONS_PACE = 1.0


def main() -> None:
    plans = [plan_of(seed) for seed in SEEDS]
    for plan in {plan.house: plan for plan in plans}.values():
        run(plan)  # the odds of a house are worked out once
    as_drawn, at_persons_pace = Measured(), Measured()
    for first in range(0, len(plans), IN_TURNS_OF):
        turn = plans[first : first + IN_TURNS_OF]
        as_drawn.run(turn)
        at_persons_pace.run([plan._replace(speed=PERSONS_PACE) for plan in turn])
    as_drawn.tell("seeds as they are drawn")
    at_persons_pace.tell("the same at a person's pace")


class Measured:
    def __init__(self) -> None:
        self._runs: list[Ran] = []
        self._took = 0.0
        self._floor = 0.0

    def run(self, plans: list[Plan]) -> None:
        runs: list[Ran] = []
        self._took += _seconds(lambda: runs.extend(map(run, plans)))
        self._floor += _seconds(lambda: _empty(sum(each.steps for each in runs)))
        self._runs += runs

    def tell(self, name: str) -> None:
        runs, took = self._runs, self._took
        rounds, seconds = sum(each.rounds for each in runs), sum(each.seconds for each in runs)
        steps = sum(each.steps for each in runs)
        print(
            f"{name:28} {60 * len(runs) / took:5.0f} seeds/min {rounds / took:6.1f} rounds/s "
            f"{seconds / took:6.0f} times real time ({seconds / rounds:.1f} s a round)"
        )
        print(f"{'':28} {steps / took:7.0f} steps/s, empty ones {steps / self._floor:.0f}/s: {took / self._floor:.1f}")


def _empty(steps: int) -> None:
    agenda = VirtualTime()

    def step() -> None:
        if agenda.steps < steps:
            agenda.after(1.0, step)

    agenda.after(1.0, step)
    while agenda.steps < steps:
        agenda.step()


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
