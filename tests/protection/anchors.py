"""Plays the published counts through the same shoes, and prints what each wins.

Run it as `python -m tests.protection.anchors`; the table of `docs/protection.md` has these figures beside the published
ones. Each 1,000 shoes it prints what there is so far.
"""

# ruff: noqa: T201 - it reports to the terminal

import argparse
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from shoe_controller.demo.strategies import COUNTS
from shoe_controller.protection.counted_play import ShoeRules
from shoe_controller.protection.fresh_shoes import CUT
from tests.protection.following import begin, counters_bets, played, wagers_to_play


def counted(seed: int, number: int) -> list[tuple[int, int, float]]:
    """By count: rounds of the shoe of this number, bets, and units won on average."""
    found = []
    for count, shoe in zip(COUNTS.values(), played(seed, number), strict=True):
        bets = counters_bets(count, shoe)
        found.append((len(bets), int(bets.sum()), float(shoe.edges[bets].sum())))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shoes", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    processes = len(os.sched_getaffinity(0))
    shoes = []
    with ProcessPoolExecutor(processes, context, begin, (ShoeRules(8, CUT), wagers_to_play(list(COUNTS)))) as pool:
        for shoe in pool.map(partial(counted, args.seed), range(args.shoes), chunksize=50):
            shoes.append(shoe)
            if len(shoes) % 1000 == 0 or len(shoes) == args.shoes:
                report(np.array(shoes))


def report(shoes: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    """`shoes`: by shoe and count."""
    print(f"{len(shoes):,} shoes", flush=True)
    for at, name in enumerate(COUNTS):
        rounds, bets, units = shoes[:, at].sum(axis=0)
        error = float(shoes[:, at, 2].std(ddof=1)) * len(shoes) ** 0.5
        print(
            f"{name}: {bets / rounds:.2%} bet, mean edge {units / bets:.2%}, "
            f"{100 * units / rounds:.4f} ± {100 * error / rounds:.4f} in 100 rounds, "
            f"{units / len(shoes):.4f} ± {error / len(shoes):.4f} in a shoe, error {error / units:.2%} of it",
            flush=True,
        )


if __name__ == "__main__":
    main()
