"""Exact odds from what is left of a shoe, beside the same counts of totals and numbers of cards in C."""

# ruff: noqa: T201 - a benchmark reports to the terminal

import ctypes
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# Read when numpy is imported: what is measured is one core.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from shoe_controller.baccarat.composition import Composition, shoe_without
from shoe_controller.baccarat.distribution import draws_from
from shoe_controller.baccarat.odds import rows_reached
from shoe_controller.baccarat.wagers import Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.live_odds import LiveOdds
from shoe_controller.protection.quick_counts import RowCounter

REPEATS = 100
CHOICES: tuple[dict[str, str], ...] = (
    {},
    {"lucky_8": "L8-2", "infinite_fortune": "2", "five_dragons.any_dragon": "A"},
    {"lucky_8": "L8-3"},
)

_FLOOR = """
static const unsigned draws[8] = {0x3ff, 0x3ff, 0x3ff, 0x2ff, 0xfc, 0xf0, 0xc0, 0};
static const unsigned stood = 0x3f;

/* Ordered draws by Player's cards, Banker's cards and both totals; the six-card total is the same for all of them. */
void count(const long *left_of, long total, long *found)
{
    long left[10];
    for (int i = 0; i < 10; i++)
        left[i] = left_of[i];
    for (int p1 = 0; p1 < 10; p1++) {
        long w1 = left[p1]--;
        for (int p2 = 0; p2 < 10; p2++) {
            long w2 = w1 * left[p2]--;
            int p = (p1 + p2) % 10;
            for (int b1 = 0; b1 < 10; b1++) {
                long w3 = w2 * left[b1]--;
                for (int b2 = 0; b2 < 10; b2++) {
                    long w = w3 * left[b2]--;
                    int b = (b1 + b2) % 10;
                    if (p > 7 || b > 7) {
                        found[p * 10 + b] += w * (total - 4) * (total - 5);
                    } else if (p > 5) {
                        if (stood >> b & 1)
                            for (int y = 0; y < 10; y++)
                                found[100 + p * 10 + (b + y) % 10] += w * left[y] * (total - 5);
                        else
                            found[p * 10 + b] += w * (total - 4) * (total - 5);
                    } else {
                        for (int x = 0; x < 10; x++) {
                            long wx = w * left[x];
                            int px = (p + x) % 10;
                            if (!(draws[b] >> x & 1)) {
                                found[200 + px * 10 + b] += wx * (total - 5);
                                continue;
                            }
                            left[x]--;
                            for (int y = 0; y < 10; y++)
                                found[300 + px * 10 + (b + y) % 10] += wx * left[y];
                            left[x]++;
                        }
                    }
                    left[b2]++;
                }
                left[b1]++;
            }
            left[p2]++;
        }
        left[p1]++;
    }
}
"""


def main() -> None:
    left = mid_shoe()
    every = _every_pay_table()
    plain = [wager for wager in every.pay_tables if not wager.startswith(("lucky_8.", "pairs."))]
    all_odds, plain_odds = LiveOdds(every, list(every.pay_tables)), LiveOdds(every, plain)
    all_rows, plain_rows = (
        RowCounter([row for wager in wagers for row in rows_reached(every.pay_tables[wager])])
        for wagers in (every.pay_tables, plain)
    )
    shoe = np.array([left])
    floor = c_floor(left)
    times = [
        (f"odds of all {len(every.pay_tables)} pay tables", _median(lambda: all_odds.odds(left, 8)), 10),
        ("  of which counting the draws", _median(lambda: all_rows.draws(shoe)), None),
        (f"odds of {len(plain)} of totals and cards alone", _median(lambda: plain_odds.odds(left, 8)), 2),
        ("  of which counting the draws", _median(lambda: plain_rows.draws(shoe)), None),
        ("the twin in pure Python, every fact", _median(lambda: draws_from(left), repeats=3), None),
    ]
    if floor is not None:
        print(f"{'floor: totals and cards, in C':40} {floor:9.3f} ms")
    for what, taken, aim in times:
        ratio = "" if floor is None else f"  ratio {taken / floor:7.1f}"
        print(f"{what:40} {taken:9.3f} ms{ratio}{'' if aim is None else f'  (aim: {aim} ms)'}")


def mid_shoe() -> Composition:
    shoe = [card for card in Card for _ in range(8)]
    random.Random(1).shuffle(shoe)  # noqa: S311 - cards for a benchmark
    return shoe_without(8, shoe[:200])


def _every_pay_table() -> Schedule:
    """All pay tables of the catalogue, side by side."""
    tables = {}
    for game in built_in_catalogue().base_games:
        for choice in CHOICES:
            schedule = built_in_catalogue().schedule(game, choice)
            for wager, table in schedule.table_names.items():
                tables[f"{wager} {table}"] = (table, schedule.pay_tables[wager])
    return Schedule("commission", tables, built_in_catalogue().base_games["commission"].commission)


def _median(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Milliseconds of a processor that the run in the middle took, whatever else the machine does."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.thread_time()
        work()
        times.append(time.thread_time() - begin)
    return statistics.median(times) * 1000


def c_floor(left: Composition) -> float | None:
    """The same in C, if there is a compiler; its counts must be ours."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    points = (ctypes.c_long * 10)()
    for card, copies in zip(CARDS_BY_NUMBER, left, strict=True):
        points[card.points] += copies
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "floor.c"), Path(folder, "floor.so")
        source.write_text(_FLOOR, "ascii")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
        count = ctypes.CDLL(str(library)).count
    found = (ctypes.c_long * 400)()

    def work() -> None:
        ctypes.memset(found, 0, ctypes.sizeof(found))
        count(points, ctypes.c_long(sum(left)), found)

    taken = _median(work)
    draws = draws_from(left)
    assert sum(found) == sum(draws), "the floor counts something else"
    return taken
