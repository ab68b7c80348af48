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
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming
from shoe_controller.postgres.connection import connect
from tests.attacks.table_journal import table_journal
from tests.follow.samples import encode, status
from tests.postgres.cluster import running_cluster

EVENTS = int(os.environ.get("ARCHIVE_BENCH_EVENTS", "100000"))
BLOCKS = 10
TABLES = 20
SITE = "north"


def main() -> None:
    with running_cluster(()) as cluster:
        asyncio.run(_measure(cluster.address()))


def messages(count: int) -> list[tuple[str, bytes]]:
    """Events of real shoes, with numbers of their own, as a broker delivers them."""
    with tempfile.TemporaryDirectory(prefix="archive-bench-") as folder:
        journal = table_journal(Path(folder)).older
        with JournalReader(journal) as reader:
            first = reader.tombstones()[-1].last_seq if reader.tombstones() else 0
            events = PublishedEvents(reader).events(first, 10_000)
    made = []
    for number in range(count):
        event = events[number % len(events)]
        seq = number // TABLES + 1
        payload = event.payload.replace(b'"seq":%d,' % event.seq, b'"seq":%d,' % seq, 1)
        made.append((f"{Topics(SITE, f't{number % TABLES}').prefix}/{event.topic}", payload))
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
