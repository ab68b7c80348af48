"""The tables on a real server: what rounds came to, whatever the batches, and the same when everything is made anew.

With LONG_TESTS=1 of three hundred simulated tables.
"""

import random
from datetime import date
from typing import Any

import pytest

from shoe_controller.archive.derived.rebuild import rebuild, rebuild_journal
from shoe_controller.archive.derived.retention import drop_derived_month
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.postgres.connection import connect
from tests.archive.derived.database import begin, everything, store_events
from tests.archive.derived.streams import in_batches, mixed
from tests.archive.derived.sums import sums_of
from tests.postgres.cluster import Cluster

pytestmark = pytest.mark.timeout(1800)  # with LONG_TESTS=1, for all that is dealt before the first test


@pytest.mark.asyncio
@pytest.mark.parametrize("most", [20, 400])
async def test_the_same_rows_come_out_of_batches_of_any_size(
    cluster: Cluster, filled: str, events: list[ArchivedEvent], most: int
) -> None:
    chance = random.Random(most)  # noqa: S311 - the same every time
    async with connect(filled) as connection:
        expected = await everything(connection)
    async with connect(begin(cluster, f"batches_{most}")) as connection:
        for batch in in_batches(mixed(events, chance), chance, most):
            await store_events(connection, batch)
        assert await everything(connection) == expected


@pytest.mark.asyncio
async def test_a_rebuild_makes_the_same_rows(filled: str, events: list[ArchivedEvent]) -> None:
    async with connect(filled) as connection:
        before = await everything(connection)
        assert not before["not_derived"]
        assert await rebuild(connection) == len(events)
        assert await everything(connection) == before


@pytest.mark.asyncio
async def test_a_clock_that_steps_back_by_years_changes_no_more_than_times(
    cluster: Cluster, events: list[ArchivedEvent]
) -> None:
    """What is replaced is looked for in the months of its round alone, so those must be right."""
    first = [event for event in events if event.journal_id == events[0].journal_id]
    years = 20 * 365 * 86_400_000
    stepped = [event._replace(at_ms=event.at_ms - years * (event.seq // 9 % 3)) for event in first]
    found = []
    for number, size in enumerate((4, len(stepped))):
        async with connect(begin(cluster, f"stepped_{number}")) as connection:
            for start in range(0, len(stepped), size):
                await store_events(connection, stepped[start : start + size])
            found.append(await everything(connection))
    assert found[0] == found[1]


@pytest.mark.asyncio
async def test_events_that_came_late_are_put_in_order(
    cluster: Cluster, filled: str, events: list[ArchivedEvent]
) -> None:
    """As from the file of a journal, which fills what was pruned at the table."""
    async with connect(filled) as connection:
        expected = await everything(connection)
    first = events[0].journal_id
    late = [event for event in events if event.journal_id == first and 20 <= event.seq < 60]
    async with connect(begin(cluster, "late")) as connection:
        await store_events(connection, [event for event in events if event not in late])
        await store_events(connection, late)
        assert await rebuild_journal(connection, first) == sum(event.journal_id == first for event in events)
        assert await everything(connection) == expected


@pytest.mark.asyncio
async def test_a_month_goes_with_all_that_was_made_of_it(cluster: Cluster, events: list[ArchivedEvent]) -> None:
    async with connect(begin(cluster, "dropped")) as connection:
        await store_events(connection, events)
        before = await everything(connection)
        await drop_derived_month(connection, date(2026, 8, 1))
        assert await everything(connection) == before
        await drop_derived_month(connection, date(2026, 9, 1))
        left = {name: rows for name, rows in (await everything(connection)).items() if rows}
        # A dispute that is open is kept until it is closed.
        assert set(left) <= {"dispute"}


@pytest.mark.asyncio
async def test_rounds_come_to_what_their_events_say(filled: str, events: list[ArchivedEvent]) -> None:
    sums = sums_of(events)
    async with connect(filled) as connection:

        async def rows(statement: str) -> list[Any]:
            return [tuple(row) for row in await connection.fetch(statement)]

        wins = await rows("SELECT journal_id, shoe, round, house_win FROM archive.round_now WHERE stakes > 0")
        assert {row[:3]: row[3] for row in wins} == sums.house_win
        key = "journal_id, shoe, round"
        for table, win in (("settlement", "house_win"), ("payment", "stake - returned")):
            standing = f"FROM archive.{table} WHERE replaced_by IS NULL"
            wins = await rows(f"SELECT {key}, sum({win})::bigint {standing} GROUP BY {key}")
            assert {row[:3]: row[3] for row in wins if row[:3] in sums.house_win or row[3]} == sums.house_win
        wins = await rows(
            "SELECT journal_id, seat, wager, sum(stake - returned)::bigint FROM archive.payment_now GROUP BY 1, 2, 3"
        )
        assert {row[:3]: row[3] for row in wins} == sums.wagers
        handle = await rows("SELECT sum(stakes)::bigint FROM archive.round_now")
        assert handle == [(sums.stakes,)]
        voided = await rows("SELECT journal_id, shoe, round FROM archive.round WHERE state = 'voided' AND stakes = 0")
        assert set(voided) == sums.voided
        alerts = await rows("SELECT kind, count(*) FROM archive.alert WHERE raised_at IS NOT NULL GROUP BY kind")
        assert dict(alerts) == sums.alerts
        commission = await rows("SELECT journal_id, seat, sum(due)::bigint FROM archive.commission_now GROUP BY 1, 2")
        assert {row[:2]: row[2] for row in commission if row[2]} == {key: due for key, due in sums.owed.items() if due}


@pytest.mark.asyncio
async def test_cards_and_wagers_that_stand_are_those_of_the_result(filled: str) -> None:
    async with connect(filled) as connection:
        wrong = await connection.fetch("""
            SELECT * FROM archive.round_now AS round, LATERAL (
                SELECT string_agg(face, ' ' ORDER BY number) FILTER (WHERE hand = 'player') AS player,
                       string_agg(face, ' ' ORDER BY number) FILTER (WHERE hand = 'banker') AS banker
                FROM archive.card_now AS card
                WHERE (card.journal_id, card.shoe, card.round) = (round.journal_id, round.shoe, round.round)
            ) AS lie WHERE (lie.player, lie.banker) IS DISTINCT FROM (round.player_cards, round.banker_cards)
        """)
        assert wrong == []
        wrong = await connection.fetch("""
            SELECT * FROM archive.round_now AS round, LATERAL (
                SELECT coalesce(sum(stake), 0) AS stakes FROM archive.wager
                WHERE (wager.journal_id, wager.shoe, wager.round) = (round.journal_id, round.shoe, round.round)
                    AND replaced_by IS NULL
            ) AS stand WHERE stand.stakes <> round.stakes
        """)
        assert wrong == []


@pytest.mark.asyncio
async def test_wagers_at_the_close_add_up_to_what_was_announced(filled: str, events: list[ArchivedEvent]) -> None:
    announced = sums_of(events).announced
    async with connect(filled) as connection:
        rows = await connection.fetch(
            "SELECT journal_id, shoe, round, sum(stake)::bigint FROM archive.wager_at_close GROUP BY 1, 2, 3"
        )
        assert {tuple(row[:3]): row[3] for row in rows} == {key: sum_ for key, sum_ in announced.items() if sum_}
