"""The game: rounds a second with all wagers settled, and the exact odds of everything for one number of decks."""

# ruff: noqa: T201 - a benchmark reports to the terminal

import random
import subprocess
import sys
import time
from collections.abc import Callable

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal
from shoe_controller.house.catalogue_files import built_in_catalogue

HANDS = 50_000
REPEATS = 7
MIB = 1024


def main() -> None:
    _rounds()
    _odds()


def _best(work: Callable[[], object]) -> float:
    """Seconds of the quickest of several runs: the one that was disturbed least."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def winner_only(p1: int, b1: int, p2: int, b2: int, third: int, last: int) -> str:  # noqa: PLR0917 - six cards
    """The floor: nothing but who wins, from six points."""
    player = (p1 + p2) % 10
    banker = (b1 + b2) % 10
    if player < 8 and banker < 8:
        if player < 6:
            player = (player + third) % 10
            if (
                banker < 3
                or (banker == 3 and third != 8)
                or (banker == 4 and 2 <= third <= 7)
                or (banker == 5 and 4 <= third <= 7)
                or (banker == 6 and 6 <= third <= 7)
            ):
                banker = (banker + last) % 10
        elif banker < 6:
            banker = (banker + third) % 10
    if player == banker:
        return "tie"
    return "player" if player > banker else "banker"


def _rounds() -> None:
    dealer = random.Random(1)  # noqa: S311 - cards for a benchmark
    shoe = list(Card) * 8
    hands = [dealer.sample(shoe, 6) for _ in range(HANDS)]
    points = [[card.points for card in hand] for hand in hands]
    results = built_in_catalogue().schedule("nepal").results

    def floor() -> None:
        for hand in points:
            winner_only(*hand)

    def whole() -> None:
        for hand in hands:
            deal = Deal()
            for card in hand:
                if deal.feed(card) is None:
                    break
            results[deal.facts]

    whole()
    # In turns, so that a busy machine slows both alike.
    ratios = []
    for _ in range(3):
        bare, ours = _best(floor), _best(whole)
        ratios.append((bare / ours, HANDS / bare, HANDS / ours))
    ratio, bare_rate, our_rate = sorted(ratios)[1]
    print(f"who wins alone, six integers        {bare_rate:12,.0f} rounds/s")
    print(f"card by card, {len(results[next(iter(results))])} wagers settled     {our_rate:12,.0f} rounds/s")
    print(f"ratio                               {ratio:12.3f}  (aim: at least 0.2)")


_ODDS = """
import re, time
begin = time.perf_counter()
from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.house.catalogue_files import built_in_catalogue
catalogue = built_in_catalogue()
ready = time.perf_counter()
done = set()
choices = ({}, {"lucky_8": "L8-2", "infinite_fortune": "2", "five_dragons.any_dragon": "A"}, {"lucky_8": "L8-3"})
for game in catalogue.base_games:
    for tables in choices:
        schedule = catalogue.schedule(game, tables)
        for wager, table in schedule.table_names.items():
            if (wager, table) not in done:
                exact_odds(schedule, wager, 8)
                done.add((wager, table))
end = time.perf_counter()
# Not ru_maxrss: that begins with what the parent process had.
most = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
print(ready - begin, end - ready, len(done), most)
"""


def _odds() -> None:
    def additions() -> int:
        total = 0
        for number in range(1_000_000):
            total += number
        return total

    floor = _best(additions)
    runs = [subprocess.run([sys.executable, "-c", _ODDS], check=True, capture_output=True, text=True) for _ in range(3)]
    load, seconds, entries, memory = min(
        (tuple(map(float, run.stdout.split())) for run in runs), key=lambda run: run[1]
    )
    print(f"a million additions                 {floor:12.3f} s")
    print(f"exact odds, all pay tables, 8 decks {seconds:12.3f} s   ({entries:.0f} pay tables; aim: about 0.5)")
    print(f"ratio                               {seconds / floor:12.2f}")
    print(f"reading code and catalogue          {load:12.3f} s")
    print(f"memory of that process              {memory / MIB:12.1f} MiB (aim: under 60)")
