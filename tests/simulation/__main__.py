"""`python -m tests.simulation`: one seed step by step, many on all cores, or bugs put in on purpose."""

import argparse
import sys

from rich.console import Console

from tests.simulation.campaign import simulate
from tests.simulation.mutations import try_all
from tests.simulation.seeds import plan_of
from tests.simulation.shrink import fewest_mishaps
from tests.simulation.world import run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", help="run this seed, and tell all that happens")
    parser.add_argument("--seeds", type=int, metavar="N", help="run so many seeds on all cores")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first of them")
    parser.add_argument("--shrink", action="store_true", help="look for the fewest mishaps that break the seed")
    parser.add_argument("--mutations", action="store_true", help="put bugs in, one at a time; each must be found")
    parser.add_argument("--renew", action="store_true", help="with --mutations: store the seeds that find them")
    given = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 200)
    if given.mutations:
        return 0 if try_all(console, renew=given.renew) else 1
    if given.seeds is not None:
        if given.seeds < 1:
            parser.error("--seeds takes a number from 1 up")
        return 0 if simulate(given.first, given.seeds, console) else 1
    if given.seed is None:
        parser.error("which seed? Or how many, with --seeds")
    plan = plan_of(given.seed)
    if given.shrink:
        plan = fewest_mishaps(plan)
    console.print(str(plan), markup=False, highlight=False)
    ran = run(plan, told=lambda line: console.print(line, markup=False, highlight=False, soft_wrap=True))
    console.print(str(plan), markup=False, highlight=False)
    verdict = ran.broken or f"all promises kept: {ran.rounds} rounds in {ran.seconds:.0f} virtual seconds"
    console.print(verdict, markup=False, highlight=False)
    return 1 if ran.broken else 0


if __name__ == "__main__":
    sys.exit(main())
