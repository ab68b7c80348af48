"""Judges at the end of each shoe whether stakes of its seats follow the edges: one shoe after another, beside all else.

What it compares with has to be dealt first, which takes minutes: that is done elsewhere, by a `Deal`. For wagers with
pairs and suits it takes ten times as long, so these are judged in a queue of their own, and hold up no others.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from shoe_controller.baccarat.wagers import PayTable
from shoe_controller.messages.pit import StakesFollowEdge, SuggestedAct
from shoe_controller.pit.evidence_file import JudgedShoe, KeptEvidence
from shoe_controller.pit.prices import pay_table_of
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.protection.counted_play import Priced
from shoe_controller.protection.following import THRESHOLD, Following
from shoe_controller.protection.fresh_shoes import FreshShoes, FreshWager, KeptFreshShoes, goes_by_totals
from shoe_controller.protection.shoe_record import ShoeRecord

MOST_WAITING = 2000
"""Shoes that wait to be judged; further ones are not judged."""

MOST_KEPT = 100
"""Wagers whose fresh shoes are kept."""

MOST_JUDGED = 3000
"""Shoes that are remembered as judged: three of each of a thousand tables."""

WHAT_TO_DO = (SuggestedAct.WATCH_SEAT, SuggestedAct.LOWER_LIMIT, SuggestedAct.TAKE_WAGER_OFF)

Deal = Callable[[Sequence[FreshWager]], Awaitable[Sequence[FreshShoes]]]
"""Deals fresh shoes for wagers of the same decks and last rounds."""


class _Waiting(NamedTuple):
    table: str
    ended: EndedShoe
    record: ShoeRecord
    """With the edges of this queue's wagers alone."""
    priced: dict[str, Priced]
    """The same wagers."""


class JudgeQueue:
    """The shoes that wait, for wagers that are dealt for in the same way."""

    def __init__(self, deal: Deal, *, by_totals: bool) -> None:
        self.deal = deal
        self.by_totals = by_totals
        """Whether it is for wagers that go by totals and numbers of cards alone; otherwise for all others."""
        self.waiting: asyncio.Queue[_Waiting] = asyncio.Queue(MOST_WAITING)


class SeatJudge:
    def __init__(
        self,
        queues: Sequence[JudgeQueue],
        *,
        alarm: Callable[[str, str, StakesFollowEdge], None],
        judged: Callable[[], Awaitable[None]],
        threshold: float = THRESHOLD,
        kept: KeptEvidence | None = None,
    ) -> None:
        """`alarm` is called with table, journal and what was found; `judged` after each shoe, when `evidence` is new.

        `kept` is what an earlier process had.
        """
        kept = KeptEvidence() if kept is None else kept
        self._queues = queues
        self._alarm = alarm
        self._judged = judged
        self._following = Following(threshold, kept=kept.seats)
        self._handed_in = deque(kept.judged, MOST_JUDGED)
        self._fresh = KeptFreshShoes(MOST_KEPT)

    def evidence(self) -> KeptEvidence:
        """All that a later process needs in order to go on."""
        return KeptEvidence(seats=self._following.kept(), judged=tuple(self._handed_in))

    def shoe_ended(self, table: str, ended: EndedShoe, record: ShoeRecord) -> bool:
        """Have it judged, once; whether there was room for it."""
        shoe = JudgedShoe(table, ended.journal, ended.shoe)
        if shoe in self._handed_in:
            return True
        if any(queue.waiting.full() for queue in self._queues):
            return False
        # Now, not when it was judged: a shoe that is counted twice is worse than one that is not.
        self._handed_in.append(shoe)
        tables = {wager.id: pay_table_of(wager) for wager in ended.rules.offered if wager.id in record.edges}
        for queue in self._queues:
            own = {wager: rows for wager, rows in tables.items() if _goes_by_totals(rows) is queue.by_totals}
            if own:
                part = record._replace(edges={wager: record.edges[wager] for wager in own})
                queue.waiting.put_nowait(_Waiting(table, ended, part, {name: _priced(own[name]) for name in own}))
        return True

    async def run(self) -> None:
        """Judge one shoe after another, until cancelled."""
        await asyncio.gather(*map(self._work_off, self._queues))

    async def _work_off(self, queue: JudgeQueue) -> None:
        while True:
            await self.judge_next(queue)

    async def judge_next(self, queue: JudgeQueue) -> None:
        table, ended, record, priced = await queue.waiting.get()
        wanted = {
            wager: FreshWager(priced[wager], record.decks, record.last_rounds)
            for wager in sorted(self._following.wagers(table, record))
        }
        missing = self._fresh.missing(wanted.values())
        if missing:
            # Where dealing failed there are none, which is no evidence.
            for each, dealt in zip(missing, await queue.deal(missing), strict=False):
                self._fresh.keep(each, dealt)
        fresh = {wager: kept for wager, each in wanted.items() if (kept := self._fresh.get(each)) is not None}
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
        await self._judged()


@lru_cache(1000)
def _goes_by_totals(rows: PayTable) -> bool:
    return goes_by_totals(_priced(rows))


def _priced(rows: PayTable) -> Priced:
    """Prices that a table publishes are after commission."""
    return Priced(rows, tuple(row.pays for row in rows))
