"""What is stored, on a real server: once, in order, with its position, whatever PostgreSQL thinks of the texts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest

from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.archive.migrate import Migration, migrations, prepare
from shoe_controller.archive.steps import AnnouncedHead, Hole
from shoe_controller.archive.store import GapError, Store
from shoe_controller.postgres.connection import Connection, DatabaseError, connect

pytestmark = pytest.mark.asyncio

NOVEMBER = 1_794_000_000_000
"""A time in November 2026, in milliseconds."""

DAY = 86_400_000


@asynccontextmanager
async def prepared(database: str) -> AsyncIterator[tuple[Connection, Store]]:
    async with connect(database) as connection:
        await prepare(connection)
        yield connection, Store(connection)


def event(journal_id: int, seq: int, *, at_ms: int = NOVEMBER, payload: bytes | None = None) -> ArchivedEvent:
    return ArchivedEvent(
        journal_id=journal_id,
        site="north",
        table="t1",
        journal="4f2a",
        seq=seq,
        at_ms=at_ms,
        fact="card_dealt",
        shoe=3,
        round=12,
        topic="event/card",
        payload=payload or b'{"journal":"4f2a","seq":%d}' % seq,
    )


async def rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await connection.fetch(query)]


SEQS = "SELECT seq FROM archive.event ORDER BY seq"


async def test_what_comes_again_is_stored_once_and_what_does_not_follow_is_refused(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, have = await store.journal("north", "t1", "4f2a")
        assert have == 0
        assert (await store.store([event(number, 1), event(number, 2)])).events == 2
        assert (await store.store([event(number, 2), event(number, 3)])).events == 1
        with pytest.raises(GapError):
            await store.store([event(number, 4), event(number, 6)])
        assert await rows(connection, SEQS) == [(1,), (2,), (3,)]
        assert await store.positions() == {number: 3}
        assert await store.journal("north", "t1", "4f2a") == (number, 3)


async def test_a_hole_moves_the_position_and_has_its_bounds(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        stored = await store.store([Hole(number, 1, 400), event(number, 401), Hole(number, 402, 500)], {number: 600})
        assert (stored.events, stored.have) == (1, {number: 500})
        assert await rows(connection, "SELECT first, last, why FROM archive.hole ORDER BY first") == [
            (1, 400, "pruned"),
            (402, 500, "pruned"),
        ]
        assert await rows(connection, "SELECT have, newest FROM archive.journal") == [(500, 600)]


async def test_bytes_stay_as_they_are_and_what_postgres_refuses_as_json_is_null_with_the_reason(database: str) -> None:
    texts = [
        b'{"reason":"a \\u0000 in it"}',
        b'{"reason":"a \\\\u0000 that is none"}',
        b'{"reason":"\\ud800"}',
        '{"reason":"रमेश 💵"}'.encode(),
        b'{"reason":"\xff"}',
        b'{"b": 1,  "a": 1.50}',
    ]
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        await store.store([event(number, seq, payload=text) for seq, text in enumerate(texts, 1)])
        found = await rows(connection, "SELECT payload, content, content_refused FROM archive.event ORDER BY seq")
    assert [payload for payload, _, _ in found] == texts
    assert [content is None for _, content, _ in found] == [True, False, True, False, True, False]
    assert "\\u0000 cannot be converted to text" in found[0][2]
    assert "surrogate" in found[2][2]


async def test_a_month_has_a_partition_when_something_of_it_is_stored(database: str) -> None:
    times = [NOVEMBER, NOVEMBER + 40 * DAY, -5, 10**18, NOVEMBER]
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        await store.store([event(number, seq, at_ms=at_ms) for seq, at_ms in enumerate(times, 1)])
        parts = await rows(connection, "SELECT DISTINCT tableoid::regclass::text FROM archive.event ORDER BY 1")
        assert parts == [(f"archive.event_{month}",) for month in ("1970_01", "2026_11", "2026_12", "2199_12")]
        # Another process makes partitions too.
        await Store(connection).store([event(number, 6)])


async def test_old_months_are_dropped_and_what_was_in_them_is_on_record(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        await store.store([event(number, seq, at_ms=NOVEMBER + seq * 20 * DAY) for seq in range(5)[1:]])
        assert await store.drop_months(date(2026, 11, 1)) == []
        assert await store.drop_months(date(2027, 1, 1)) == [(date(2026, 11, 1), 1), (date(2026, 12, 1), 1)]
        assert await rows(connection, SEQS) == [(3,), (4,)]
        assert await rows(
            connection, "SELECT month, journal_id, first, last, events FROM archive.dropped_month ORDER BY month"
        ) == [(date(2026, 11, 1), number, 1, 1, 1), (date(2026, 12, 1), number, 2, 2, 1)]
        assert (await store.store([event(number, 5)])).events == 1


async def test_heads_are_kept_each_once_and_both_of_one_number(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        heads = [
            AnnouncedHead(number, 8, b"\x08" * 32, 2, NOVEMBER),
            AnnouncedHead(number, 5, b"\x05" * 32, None, NOVEMBER),
            AnnouncedHead(number, 8, b"\x09" * 32, None, NOVEMBER),
        ]
        await store.store([event(number, 1), event(number, 2), *heads])
        await store.store(heads)
        assert await rows(connection, "SELECT number, hash FROM archive.head ORDER BY 1, 2") == [
            (5, b"\x05" * 32),
            (8, b"\x08" * 32),
            (8, b"\x09" * 32),
        ]
        assert (await rows(connection, "SELECT head_number FROM archive.journal")) == [(8,)]


async def test_a_journal_in_the_place_of_another_sets_that_aside(database: str) -> None:
    async with prepared(database) as (connection, store):
        for table, journal in (("t1", "a"), ("t2", "b"), ("t1", "c")):
            await store.journal("north", table, journal)
        await store.journal("north", "t1", "older", is_current=False)
        await store.journal("north", "t2", "b", is_current=False)
        assert dict(await rows(connection, "SELECT journal, state FROM archive.journal")) == {
            "a": "set_aside",
            "b": "current",
            "c": "current",
            "older": "set_aside",
        }


# --- the schema ------------------------------------------------------------------------------------------------------


async def test_every_table_and_column_is_described(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        await store.store([event(number, 1)])
        undescribed = await rows(
            connection,
            "SELECT c.relname, a.attname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
            "WHERE n.nspname = 'archive' AND c.relkind IN ('r', 'p', 'v', 'm') "
            "AND (obj_description(c.oid) IS NULL OR col_description(c.oid, a.attnum) IS NULL)",
        )
        assert undescribed == []


async def test_a_reader_reads_everything_and_writes_nothing(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        await store.store([event(number, 1)])
        await connection.execute("RESET ROLE")
        await connection.execute("SET ROLE archive_reader")
        tables = await rows(
            connection, "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'archive'"
        )
        assert len(tables) >= 7
        for (table,) in tables:
            await connection.fetch(f"TABLE {table}")
            with pytest.raises(DatabaseError, match="permission denied"):
                await connection.execute(f"TRUNCATE {table}")
        with pytest.raises(DatabaseError, match="permission denied"):
            await connection.execute("CREATE TABLE archive.mine (id int)")


async def test_migrations_are_applied_once_in_order_and_never_changed(database: str) -> None:
    begin, *steps = migrations()
    more = Migration(len(steps) + 1, "999_more.sql", "CREATE TABLE archive.more (id int)")
    async with connect(database) as connection:
        await prepare(connection)
        await prepare(connection)
        await prepare(connection, [begin, *steps, more])
        names = [name for (name,) in await rows(connection, "SELECT name FROM archive.migration ORDER BY number")]
        assert names == [*(step.name for step in steps), "999_more.sql"]
        with pytest.raises(DatabaseError, match="that of a newer version"):
            await prepare(connection)
        with pytest.raises(DatabaseError, match=r"999_more\.sql was applied to the database as another file"):
            await prepare(connection, [begin, *steps, more._replace(text="SELECT 1")])
        broken = Migration(more.number + 1, "broken.sql", "CREATE TABLE archive.half (id int); SELECT 1 / 0")
        with pytest.raises(DatabaseError, match="division by zero"):
            await prepare(connection, [begin, *steps, more, broken])
        assert await rows(connection, "SELECT to_regclass('archive.half')::text") == [(None,)]


async def test_a_user_without_rights_is_told_what_to_run_and_then_stores(database: str) -> None:
    name = database.partition("@/")[2].partition("?")[0]
    async with connect(database) as owner:
        await owner.execute(f"CREATE ROLE clerk_{name} LOGIN")
        async with connect(database.replace("house@", f"clerk_{name}@")) as connection:
            with pytest.raises(DatabaseError, match=r"what|run there") as raised:
                await prepare(connection)
            statements = [line.strip() for line in str(raised.value).splitlines() if line.startswith("  ")]
            assert statements
            for statement in statements:
                await owner.execute(statement)
            await prepare(connection)
            store = Store(connection)
            number, _ = await store.journal("north", "t1", "4f2a")
            await store.store([event(number, 1)])
            assert await rows(
                connection,
                "SELECT schemaowner FROM pg_catalog.pg_tables, LATERAL "
                "(SELECT pg_get_userbyid(nspowner) AS schemaowner FROM pg_namespace WHERE nspname = 'archive') AS n "
                "WHERE tablename = 'journal'",
            ) == [("archive_writer",)]


async def test_what_is_kept_goes_by_the_newest_event_where_the_clock_is_ahead_of_it(database: str) -> None:
    async with prepared(database) as (_, store):
        assert await store.drop_months(await store.keeps_from(7)) == [], "there is nothing yet"
        number, _ = await store.journal("north", "t1", "4f2a")
        march_2012 = 1_331_000_000_000
        await store.store([event(number, 1, at_ms=march_2012 - 400 * DAY), event(number, 2, at_ms=march_2012)])
        assert await store.keeps_from(7) == date(2005, 3, 1)
        assert await store.drop_months(await store.keeps_from(1)) == [(date(2011, 1, 1), 1)]


async def test_a_clock_of_a_table_that_is_ahead_drops_nothing_either(database: str) -> None:
    async with prepared(database) as (connection, store):
        number, _ = await store.journal("north", "t1", "4f2a")
        await store.store([event(number, 1, at_ms=10**15)])
        ((today,),) = await rows(connection, "SELECT (now() AT TIME ZONE 'UTC')::date")
        assert await store.keeps_from(7) == date(today.year - 7, today.month, 1)
