"""At the end of each shoe its seats are judged: one that stakes by the edge is found, one that stakes flat is not."""

import asyncio
from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np
import pytest

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.messages.pit import StakesFollowEdge
from shoe_controller.pit import seats
from shoe_controller.pit.evidence_file import KeptEvidence
from shoe_controller.pit.prices import pay_table_of
from shoe_controller.pit.seats import Deal, JudgeQueue, SeatJudge
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.protection.counted_play import EdgeCounter, Priced, ShoeRules, chance_of, dealt_shoe
from shoe_controller.protection.fresh_shoes import FreshShoes, FreshWager, fresh_shoes
from shoe_controller.protection.shoe_record import ShoeRecord
from tests.pit.test_prices import published

pytestmark = pytest.mark.asyncio

WAGER = "tie_wins_on.0"
RULES = published(built_in_catalogue().schedule("nepal"))


SUITED = "pairs.player"

Found = list[tuple[str, str, StakesFollowEdge]]


def ended(number: int) -> EndedShoe:
    return EndedShoe("4f2a", number + 1, RULES, 1, {})


class Judge:
    """A judge whose shoes are dealt here, and what it found."""

    def __init__(self, threshold: float, deal: Deal, kept: KeptEvidence | None = None) -> None:
        self.found: Found = []
        self.stored: list[KeptEvidence] = []
        self._done: asyncio.Queue[None] = asyncio.Queue()
        self.totals = JudgeQueue(deal, by_totals=True)
        self.cards = JudgeQueue(deal, by_totals=False)
        self.judge = SeatJudge(
            [self.totals, self.cards],
            alarm=lambda *alarm: self.found.append(alarm),
            judged=self._judged,
            threshold=threshold,
            kept=kept,
        )

    async def _judged(self) -> None:
        written = msgspec.json.encode(self.judge.evidence())
        self.stored.append(msgspec.json.decode(written, type=KeptEvidence))
        self._done.put_nowait(None)

    async def shoes_judged(self, shoes: int) -> None:
        """Wait until so many more were judged, each by one queue."""
        for _ in range(shoes):
            await self._done.get()

    async def judges(self, number: int) -> None:
        assert self.judge.shoe_ended("t1", ended(number), record(number))
        await self.judge.judge_next(self.totals)


@cache
def dealt_of(wager: FreshWager) -> FreshShoes:
    (dealt,) = fresh_shoes(2, 1, [wager.wager], seed=9, shoes=150)
    return dealt


async def quickly(wagers: Sequence[FreshWager]) -> Sequence[FreshShoes]:
    return [dealt_of(each) for each in wagers]


@cache
def record(number: int) -> ShoeRecord:
    """A shoe of two decks: seat 1 stakes where the edge is the player's, seat 2 the same in every round."""
    (wager,) = (each for each in RULES.offered if each.id == WAGER)
    rows = pay_table_of(wager)
    rounds, _ = dealt_shoe(ShoeRules(2, 14), chance_of(5, number))
    left = np.array(full_shoe(2)) - np.array([playing.seen for playing in rounds])
    edges, _ = EdgeCounter([Priced(rows, tuple(row.pays for row in rows))]).edges(left)
    of_wager = tuple(edges[:, 0].tolist())
    stakes = {
        ("1", WAGER): tuple(900 if edge > 0 else 10 for edge in of_wager),
        ("2", WAGER): (100,) * len(of_wager),
    }
    return ShoeRecord(2, 1, tuple(range(1, len(of_wager) + 1)), {WAGER: of_wager}, stakes)


async def test_a_seat_that_stakes_by_the_edge_is_found_and_fresh_shoes_are_dealt_once() -> None:
    dealt: list[int] = []

    async def deal(wagers: Sequence[FreshWager]) -> Sequence[FreshShoes]:
        dealt.append(len(wagers))
        return await quickly(wagers)

    judge = Judge(50.0, deal)
    for number in range(12):
        await judge.judges(number)
    assert dealt == [1]
    assert {(table, journal, alarm.seat, alarm.wager) for table, journal, alarm in judge.found} == {
        ("t1", "4f2a", "1", WAGER)
    }
    alarm = judge.found[0][2]
    assert alarm.mean_edge > 0
    assert alarm.evidence >= 50
    assert msgspec.json.decode(msgspec.json.encode(alarm), type=StakesFollowEdge) == alarm


async def test_a_process_that_comes_back_after_each_shoe_finds_the_same_and_counts_no_shoe_twice() -> None:
    steady, kept, found = Judge(50.0, quickly), None, []
    for number in range(12):
        await steady.judges(number)
        again = Judge(50.0, quickly, kept)
        if number:
            # As the retained messages of a table between two shoes may bring it.
            assert again.judge.shoe_ended("t1", ended(number - 1), record(number - 1))
            assert again.totals.waiting.empty()
        await again.judges(number)
        (kept,) = again.stored
        found += again.found
    assert found == steady.found
    assert found


async def test_wagers_that_take_long_to_deal_for_hold_up_no_others() -> None:
    at_last = asyncio.Event()
    (of_totals,) = (each for each in RULES.offered if each.id == WAGER)
    rows = pay_table_of(of_totals)
    others = FreshWager(Priced(rows, tuple(row.pays for row in rows)), 2, 1)

    async def slowly(wagers: Sequence[FreshWager]) -> Sequence[FreshShoes]:
        assert len(wagers) == 1
        await at_last.wait()
        return [dealt_of(others)]

    judge = Judge(50.0, quickly)
    judge.cards.deal = slowly
    for number in range(12):
        shoe = record(number)
        stakes = {("1", SUITED): shoe.stakes["1", WAGER], **shoe.stakes}
        both = shoe._replace(edges={**shoe.edges, SUITED: shoe.edges[WAGER]}, stakes=stakes)
        assert judge.judge.shoe_ended("t1", ended(number), both)
    running = asyncio.create_task(judge.judge.run())
    await asyncio.wait_for(judge.shoes_judged(12), 30)
    assert {alarm.wager for _, _, alarm in judge.found} == {WAGER}
    at_last.set()
    await asyncio.wait_for(judge.shoes_judged(12), 30)
    running.cancel()
    assert {alarm.wager for _, _, alarm in judge.found} == {WAGER, SUITED}


async def test_where_dealing_fails_nobody_is_accused_and_too_many_shoes_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def nothing(_: Sequence[FreshWager]) -> Sequence[FreshShoes]:
        return ()

    monkeypatch.setattr(seats, "MOST_WAITING", 2)
    judge = Judge(2.0, nothing)
    assert [judge.judge.shoe_ended("t1", ended(number), record(1)) for number in range(3)] == [True, True, False]
    await judge.judge.judge_next(judge.totals)
    assert judge.found == []
