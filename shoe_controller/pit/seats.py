"""Judges at the end of each shoe whether stakes of its seats follow the edges: one shoe after another, beside all else.

What it compares with has to be dealt first, which takes minutes: that is done elsewhere, by `deal`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from shoe_controller.messages.pit import StakesFollowEdge, SuggestedAct
from shoe_controller.pit.prices import pay_table_of
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.protection.counted_play import Priced
from shoe_controller.protection.following import Following
from shoe_controller.protection.fresh_shoes import FreshShoes, FreshWager, KeptFreshShoes
from shoe_controller.protection.shoe_record import ShoeRecord

MOST_WAITING = 2000
"""Shoes that wait to be judged; further ones are not judged."""

MOST_KEPT = 100
"""Wagers whose fresh shoes are kept."""

WHAT_TO_DO = (SuggestedAct.WATCH_SEAT, SuggestedAct.LOWER_LIMIT, SuggestedAct.TAKE_WAGER_OFF)

Deal = Callable[[Sequence[FreshWager]], Awaitable[Sequence[FreshShoes]]]
"""Deals fresh shoes for wagers of the same decks and last rounds."""


class _Waiting(NamedTuple):
    table: str
    ended: EndedShoe
    record: ShoeRecord


class SeatJudge:
    def __init__(
        self,
        deal: Deal,
        alarm: Callable[[str, str, StakesFollowEdge], None],
        following: Following | None = None,
    ) -> None:
        """`alarm` is called with table, journal and what was found."""
        self._deal = deal
        self._alarm = alarm
        self._following = Following() if following is None else following
        self._kept = KeptFreshShoes(MOST_KEPT)
        self._waiting: asyncio.Queue[_Waiting] = asyncio.Queue(MOST_WAITING)

    def shoe_ended(self, table: str, ended: EndedShoe, record: ShoeRecord) -> bool:
        """Have it judged; whether there was room for it."""
        if self._waiting.full():
            return False
        self._waiting.put_nowait(_Waiting(table, ended, record))
        return True

    async def run(self) -> None:
        """Judge one shoe after another, until cancelled."""
        while True:
            await self.judge_next()

    async def judge_next(self) -> None:
        table, ended, record = await self._waiting.get()
        offered = {wager.id: wager for wager in ended.rules.offered}
        wanted = {}
        for wager in sorted(self._following.wagers(table, record) & offered.keys()):
            rows = pay_table_of(offered[wager])
            priced = Priced(rows, tuple(row.pays for row in rows))
            wanted[wager] = FreshWager(priced, record.decks, record.last_rounds)
        missing = self._kept.missing(wanted.values())
        if missing:
            # Where dealing failed there are none, which is no evidence.
            for each, dealt in zip(missing, await self._deal(missing), strict=False):
                self._kept.keep(each, dealt)
        fresh = {wager: kept for wager, each in wanted.items() if (kept := self._kept.get(each)) is not None}
        for found in self._following.take(table, record, fresh):
            alarm = StakesFollowEdge(
                seat=found.seat,
                wager=found.wager,
                shoe=ended.shoe,
                shoes=found.shoes,
                rounds=found.rounds,
                mean_edge=found.mean_edge,
                evidence=found.evidence,
                suggested=WHAT_TO_DO,
            )
            self._alarm(table, ended.journal, alarm)
