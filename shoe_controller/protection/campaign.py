"""Plays many shoes on all cores. Each shoe has cards of its own, so figures do not depend on the cores."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

from shoe_controller.baccarat.wagers import Schedule
from shoe_controller.protection.counted_play import Count, CountedPlay, Priced, ShoeRules, Sums, figures, played
from shoe_controller.protection.figures import Counted, pay_table_text

AT_ONCE = 10
"""Shoes that a process plays before it reports."""


class Campaign(NamedTuple):
    """What is played."""

    rules: ShoeRules
    wagers: tuple[Priced, ...]
    deeper: tuple[int, ...]
    counting: Count | None
    """`None` for perfect play."""
    seed: int


def priced(schedule: Schedule, wagers: Sequence[str]) -> tuple[Priced, ...]:
    found = []
    for wager in wagers:
        table = schedule.pay_tables[wager]
        found.append(Priced(table, tuple(None if row.pays is None else schedule.row_result(row).pays for row in table)))
    return tuple(found)


class _Worker:
    """What a process of the pool keeps between its shoes."""

    campaign: Campaign
    play: CountedPlay


def _begin(campaign: Campaign) -> None:
    _Worker.campaign = campaign
    _Worker.play = _play(campaign)


def _play(campaign: Campaign) -> CountedPlay:
    return CountedPlay(campaign.rules, campaign.wagers, campaign.deeper)


def _some(numbers: range) -> Sums:
    return played(_Worker.play, _Worker.campaign.counting, _Worker.campaign.seed, numbers)


def sums_of(campaign: Campaign, shoes: int, processes: int) -> Iterator[Sums]:
    """Play so many shoes, and yield what they add up to each time that some more are done."""
    parts = [range(begin, min(begin + AT_ONCE, shoes)) for begin in range(0, shoes, AT_ONCE)]
    total = _play(campaign).no_shoes()
    if processes == 1 or len(parts) == 1:
        _begin(campaign)
        for numbers in parts:
            total.add(_some(numbers))
            yield total
        return
    # Not forked: a library's threads do not survive that.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(parts)), context, _begin, (campaign,)) as pool:
        try:
            for part in pool.map(_some, parts):
                total.add(part)
                yield total
        finally:
            pool.shutdown(cancel_futures=True)


def counted(campaign: Campaign, schedule: Schedule, wagers: Sequence[str], sums: Sums) -> list[Counted]:
    """Put the sums into figures, by wager."""
    cuts = (campaign.rules.cut, *campaign.deeper)
    return [
        Counted(
            pay_table=pay_table_text(schedule, wager),
            decks=campaign.rules.decks,
            last_rounds=campaign.rules.last_rounds,
            shoes=sums.shoes,
            by_depth=tuple(figures(sums, cuts, number)),
            scaled=tuple(float(units) / sums.shoes for units in sums.scaled[:, number]),
        )
        for number, wager in enumerate(wagers)
    ]
