"""Plays shoes with every pay table of the catalogue, and stores what a counter wins with each.

Run it as `python -m tests.protection.renew_counted`. What is stored of other numbers of decks stays.
"""

# ruff: noqa: T201 - it reports to the terminal

import argparse
import os
from fractions import Fraction
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from shoe_controller import protection
from shoe_controller.baccarat.wagers import Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.protection.campaign import Campaign, counted, priced, sums_of
from shoe_controller.protection.counted_play import ShoeRules
from shoe_controller.protection.figures import STORED, read_counted, written

CHOICES: tuple[dict[str, str], ...] = (
    {},
    {"lucky_8": "L8-2", "infinite_fortune": "2", "five_dragons.any_dragon": "A"},
    {"lucky_8": "L8-3"},
)
CUT, DEEPER = 14, (26, 39, 52, 78, 104)


def every_pay_table() -> Schedule:
    """All pay tables of the catalogue side by side, with commission where a base game takes one."""
    tables = {}
    for game in built_in_catalogue().base_games:
        for choice in CHOICES:
            schedule = built_in_catalogue().schedule(game, choice)
            for wager, name in schedule.table_names.items():
                tables[f"{wager} {name}"] = (name, schedule.pay_tables[wager])
    return Schedule("every", tables, Fraction(5, 100))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decks", type=int, default=8)
    parser.add_argument("--shoes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    schedule = every_pay_table()
    wagers = list(schedule.pay_tables)
    campaign = Campaign(ShoeRules(args.decks, CUT), priced(schedule, wagers), DEEPER, None, args.seed)
    for sums in sums_of(campaign, args.shoes, len(os.sched_getaffinity(0))):
        print(f"{sums.shoes} of {args.shoes} shoes", end="\r", flush=True)
    found = counted(campaign, schedule, wagers, sums)
    file = Path(protection.__file__).with_name(STORED)
    stored = {(each.decks, each.pay_table): each for each in (*read_counted(file.read_bytes()).counted, *found)}
    file.write_bytes(written(stored.values()))
    print(f"{file.name}: {len(found)} pay tables with {args.decks} decks")


if __name__ == "__main__":
    main()
