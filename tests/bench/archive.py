"""The archive's way into PostgreSQL beside bare COPY of the same rows, and what the events of a round take there.

Both go into the same table of a cluster with PostgreSQL's own settings, in blocks that take turns. The floor has its
rows ready, in transactions of the same size; the archive begins with the messages of a broker: it reads them, puts
them in order, and stores them with positions and heads. `ARCHIVE_BENCH_EVENTS` asks for another number of events.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import os
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

import msgspec

from shoe_controller.archive.intake import BYTES_AT_ONCE, STEPS_AT_ONCE
from shoe_controller.archive.migrate import prepare
from shoe_controller.archive.site import ArchivedSite, Unknown
from shoe_controller.archive.steps import StepQueue
from shoe_controller.archive.store import COLUMNS, Store, time_of
from shoe_controller.archive.table import event_of
from shoe_controller.daemon.published import PublishedEvents
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.requests import Answer, ReplayRequest
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession, Incoming
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.mqtt.replays import Replays
from shoe_controller.postgres.connection import Connection, connect
from tests.attacks.table_journal import table_journal
from tests.daemon.house_file import write_secret
from tests.daemon.programs import Program
from tests.follow.samples import encode, state, status
from tests.postgres.cluster import running_cluster
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.witness.house import as_toml_file

EVENTS = int(os.environ.get("ARCHIVE_BENCH_EVENTS", "100000"))
BLOCKS = 10
TABLES = 20
SITE = "north"
CAUGHT_UP = EVENTS // 2
"""Events of the table that is caught up with."""
LIVE_TABLES, LIVE_PACE = 200, 450
LIVE_EVENTS = LIVE_PACE * 20
"""Of all tables together, and how many there are in a second: those of a thousand tables."""


def main() -> None:
    with running_cluster(("track_commit_timestamp=on",)) as cluster:
        asyncio.run(_measure(cluster.address()))
        cluster.sql("CREATE DATABASE through_broker")
        with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
            asyncio.run(_through_broker(Path(folder), cluster.address("through_broker")))


def messages(count: int, tables: int = TABLES) -> list[tuple[str, bytes]]:
    """Events of real shoes, with numbers of their own, as a broker delivers them."""
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        journal = table_journal(Path(folder)).older
        with JournalReader(journal) as reader:
            first = reader.tombstones()[-1].last_seq if reader.tombstones() else 0
            events = PublishedEvents(reader).events(first, 10_000)
    made = []
    for number in range(count):
        event = events[number % len(events)]
        seq = number // tables + 1
        payload = event.payload.replace(b'"seq":%d,' % event.seq, b'"seq":%d,' % seq, 1)
        made.append((f"{Topics(SITE, f't{number % tables}').prefix}/{event.topic}", payload))
    return made


async def _measure(address: str) -> None:
    sent = messages(EVENTS)
    size = statistics.mean(len(payload) for _, payload in sent)
    async with connect(address) as connection:
        await prepare(connection)
        store = Store(connection)
        queue = StepQueue(most_steps=EVENTS)
        site = ArchivedSite(
            SITE,
            tables=frozenset(),
            client="archive",
            instance="i",
            queue=queue,
            clock=time.monotonic,
            wall=lambda: 0,
            new_start=lambda: "a",
        )
        journal = msgspec.json.decode(sent[0][1])["journal"]
        for number in range(TABLES):
            topics = Topics(SITE, f"t{number}")
            site.receive(Incoming(topic=topics.status, payload=encode(status(journal=journal))), 0.0)
            journal_id, have = await store.journal(SITE, f"t{number}", journal)
            site.position_known(Unknown(f"t{number}", journal), journal_id, have, have)
        per_block = EVENTS // BLOCKS
        archived, floor, reading = [], [], []
        for block in range(BLOCKS):
            part = sent[block * per_block : (block + 1) * per_block]
            rows = list(_rows(part, -1 - block))
            begun = time.perf_counter()
            for topic, payload in part:
                site.receive(Incoming(topic=topic, payload=payload), 0.0)
            reading.append(per_block / (time.perf_counter() - begun))
            while len(queue):
                batch = queue.first(STEPS_AT_ONCE, BYTES_AT_ONCE)
                await store.store(batch)
                queue.stored(len(batch))
            archived.append(per_block / (time.perf_counter() - begun))
            begun = time.perf_counter()
            for first in range(0, len(rows), STEPS_AT_ONCE):
                async with connection.transaction():
                    await connection.copy("archive.event", COLUMNS, rows[first : first + STEPS_AT_ONCE])
            floor.append(per_block / (time.perf_counter() - begun))
        ((stored,),) = await connection.fetch("SELECT count(*) FROM archive.event WHERE journal_id > 0")
        assert stored == per_block * BLOCKS
        ((bytes_there,),) = await connection.fetch(
            "SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'archive.event'::regclass"
        )
    ratio = statistics.median(mine / bare for mine, bare in zip(archived, floor, strict=True))
    print(
        f"{EVENTS} events of {size:.0f} bytes, {TABLES} tables: {statistics.median(archived):,.0f} a second into "
        f"PostgreSQL, of bare COPY {statistics.median(floor):,.0f}: {ratio:.2f} of it "
        f"(reading and ordering alone {statistics.median(reading):,.0f} a second)"
    )
    print(f"{int(bytes_there) / (2 * stored):.0f} bytes on the disk for an event, with its index and its copy as jsonb")


class ManyEvents:
    """An `Outbox` of one table."""

    def __init__(self, count: int) -> None:
        self._events = [payload for topic, payload in messages(count, 1)]

    def events(self, after: int, limit: int) -> list[EventMessage]:
        found = self._events[after : after + limit]
        return [EventMessage(seq, "event/card", payload) for seq, payload in enumerate(found, after + 1)]

    def newest(self) -> int:
        return len(self._events)

    def oldest(self) -> int:
        return 1


async def _through_broker(folder: Path, database: str) -> None:
    """Catching up with one table by the table's own way of replaying, then live events of many tables at their pace."""
    broker = Mosquitto(folder, "allow_anonymous true")
    await broker.start()
    config = {
        "mqtt": {"host": "127.0.0.1", "port": broker.port},
        "archive": {"site": SITE, "database": database},
        "log": {"format": "json"},
    }
    program = Program(
        "shoe-controller",
        "archive",
        str(write_secret(folder / "archive.toml", as_toml_file(config))),
        log=folder / "archive.log",
    )
    address = BrokerAddress(host="127.0.0.1", port=broker.port, client_id="tables")
    try:
        async with NetworkBroker(address).connect(None, (f"shoe/v1/{SITE}/+/request/#",)) as session:
            await _catch_up(session, program, database)
            await _live(session, database)
    finally:
        await program.kill()
        await broker.kill()


async def _catch_up(session: BrokerSession, program: Program, database: str) -> None:
    outbox = ManyEvents(CAUGHT_UP)
    journal = msgspec.json.decode(outbox.events(0, 1)[0].payload)["journal"]
    topics = Topics(SITE, "t0")
    await session.publish(topics.status, encode(status(journal=journal)), retain=True)
    await session.publish(topics.state, encode(state(CAUGHT_UP, journal=journal)), retain=True)
    serving = asyncio.create_task(_answer(session, Replays(outbox)))
    await program.start()
    async with connect(database) as connection:
        first = await _reached(connection, 1)
        last = await _reached(connection, CAUGHT_UP)
    serving.cancel()
    print(f"catching up with one table: {CAUGHT_UP / (last - first):,.0f} events a second, through broker and requests")


async def _reached(connection: Connection, count: int) -> float:
    while True:
        rows = await connection.fetch("SELECT to_regclass('archive.journal') IS NOT NULL")
        if rows[0][0]:
            rows = await connection.fetch("SELECT sum(have) FROM archive.journal")
            if (rows[0][0] or 0) >= count:
                return time.perf_counter()
        await asyncio.sleep(0.02)


async def _answer(session: BrokerSession, replays: Replays) -> None:
    async for message in session.incoming():
        reply_to = message.response_topic
        assert reply_to is not None
        request = msgspec.json.decode(message.payload, type=ReplayRequest)
        done = await replays.replay(request, partial(session.publish_soon, reply_to))
        answer = Answer(status="ok", request_id=request.request_id, replay=done)
        await session.publish(reply_to, msgspec.json.encode(answer))


async def _live(session: BrokerSession, database: str) -> None:
    """Events of many tables at the pace of a house; a row's time of commit says how long its event took."""
    rounds = messages(LIVE_EVENTS, LIVE_TABLES)
    journal = msgspec.json.decode(rounds[0][1])["journal"]
    for number in range(LIVE_TABLES):
        topics = Topics(SITE, f"live{number}")
        await session.publish(topics.status, encode(status(journal=journal)), retain=True)
    begun = time.perf_counter()
    for number, (topic, payload) in enumerate(rounds):
        await asyncio.sleep(max(0.0, begun + 1 + number / LIVE_PACE - time.perf_counter()))
        read = msgspec.json.decode(payload)
        now = time.time_ns() // 1_000_000
        stamped = payload.replace(b'"time":%d' % read["time"], b'"time":%d' % now, 1)
        session.publish_soon(topic.replace(f"/{SITE}/t", f"/{SITE}/live"), stamped)
    async with connect(database) as connection:
        await _reached(connection, CAUGHT_UP + LIVE_EVENTS)
        rows = await connection.fetch(
            "SELECT extract(epoch FROM pg_xact_commit_timestamp(event.xmin) - event.at)::float8 * 1000 "
            "FROM archive.event JOIN archive.journal ON journal.id = journal_id WHERE table_name LIKE 'live%'"
        )
    delays = sorted(row[0] for row in rows)
    assert len(delays) == LIVE_EVENTS
    print(
        f"{LIVE_TABLES} tables, {LIVE_PACE} events a second: from the publish to the committed row "
        f"{delays[len(delays) // 2]:.0f} ms p50, {delays[len(delays) * 99 // 100]:.0f} ms p99"
    )


def _rows(part: list[tuple[str, bytes]], journal_id: int) -> "list[tuple[object, ...]]":
    rows: list[tuple[object, ...]] = []
    for number, (topic, payload) in enumerate(part):
        below = topic.split("/", 4)[-1]
        event, _ = event_of(
            journal_id=journal_id,
            site=SITE,
            table="t",
            journal="j",
            seq=number,
            fact=msgspec.json.decode(payload)["fact"],
            topic=below,
            payload=payload,
            at_ms=0,
        )
        rows.append(
            (
                event.journal_id,
                event.seq,
                time_of(event.at_ms),
                event.fact,
                event.shoe,
                event.round,
                event.topic.encode(),
                payload,
                payload.decode(),
                None,
            )
        )
    return rows


if __name__ == "__main__":
    main()
