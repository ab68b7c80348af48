"""At the end of each shoe its seats are judged: one that stakes by the edge is found, one that stakes flat is not."""

from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.messages.pit import StakesFollowEdge
from shoe_controller.pit import seats
from shoe_controller.pit.prices import pay_table_of
from shoe_controller.pit.seats import SeatJudge
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.protection.counted_play import EdgeCounter, Priced, ShoeRules, chance_of, dealt_shoe
from shoe_controller.protection.following import Following
from shoe_controller.protection.fresh_shoes import FreshShoes, FreshWager, fresh_shoes
from shoe_controller.protection.shoe_record import ShoeRecord
from tests.pit.test_prices import published

pytestmark = pytest.mark.asyncio

WAGER = "tie_wins_on.0"
RULES = published(built_in_catalogue().schedule("nepal"))


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
    found: list[tuple[str, str, StakesFollowEdge]] = []
    dealt: list[int] = []

    async def deal(wagers: Sequence[FreshWager]) -> Sequence[FreshShoes]:
        dealt.append(len(wagers))
        return fresh_shoes(2, 1, [each.wager for each in wagers], seed=9, shoes=150)

    judge = SeatJudge(deal, lambda *alarm: found.append(alarm), Following(threshold=50.0))
    for number in range(12):
        assert judge.shoe_ended("t1", EndedShoe("4f2a", number + 1, RULES, 1, {}), record(number))
        await judge.judge_next()
    assert dealt == [1]
    assert {(table, journal, alarm.seat, alarm.wager) for table, journal, alarm in found} == {
        ("t1", "4f2a", "1", WAGER)
    }
    alarm = found[0][2]
    assert alarm.mean_edge > 0
    assert alarm.evidence >= 50
    assert msgspec.json.decode(msgspec.json.encode(alarm), type=StakesFollowEdge) == alarm


async def test_where_dealing_fails_nobody_is_accused_and_too_many_shoes_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[object] = []

    async def nothing(_: Sequence[FreshWager]) -> Sequence[FreshShoes]:
        return ()

    monkeypatch.setattr(seats, "MOST_WAITING", 2)
    judge = SeatJudge(nothing, lambda *alarm: found.append(alarm), Following(threshold=2.0))
    ended = EndedShoe("4f2a", 1, RULES, 1, {})
    assert [judge.shoe_ended("t1", ended, record(1)) for _ in range(3)] == [True, True, False]
    await judge.judge_next()
    assert found == []
