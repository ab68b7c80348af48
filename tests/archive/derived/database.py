"""A database with the archive's tables."""

from collections.abc import Sequence
from importlib.resources import files

from shoe_controller.archive.derived.rows import when
from shoe_controller.archive.derived.tables import TABLES
from shoe_controller.archive.derived.writer import store
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.postgres.connection import Connection
from tests.postgres.cluster import Cluster

EVENTS = """
CREATE SCHEMA archive;
CREATE TABLE archive.journal (id integer PRIMARY KEY, site text, table_name text, journal text);
CREATE TABLE archive.event (
    journal_id integer, seq bigint, at timestamptz, fact text, shoe integer, round integer, topic bytea, payload bytea,
    PRIMARY KEY (journal_id, seq, at)
);
"""
"""As much of the first migration as the derived tables need."""


def begin(cluster: Cluster, name: str) -> str:
    """Make a database of that name; return its address."""
    cluster.sql(f"CREATE DATABASE {name}")
    cluster.sql(EVENTS, name)
    folder = files("shoe_controller.archive") / "migrations"
    cluster.sql((folder / "002_derived.sql").read_text(encoding="utf-8"), name)
    return cluster.address(name)


async def store_events(connection: Connection, events: Sequence[ArchivedEvent]) -> None:
    """Store a batch as the archive does: the events and what follows from them in one transaction."""
    async with connection.transaction():
        journals = {(event.journal_id, event.site, event.table, event.journal) for event in events}
        for journal in journals:
            await connection.execute(
                "INSERT INTO archive.journal VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", *journal
            )
        names = ("journal_id", "seq", "at", "fact", "shoe", "round", "topic", "payload")
        rows = [
            (each.journal_id, each.seq, when(each.at_ms), *each[6:9], each.topic.encode(), each.payload)
            for each in events
        ]
        await connection.copy("archive.event", names, rows)
        await store(connection, events)


async def everything(connection: Connection) -> dict[str, list[str]]:
    """All rows of the derived tables as text, in order."""
    found = {}
    for name in TABLES:
        rows = await connection.fetch(f"SELECT each::text FROM archive.{name} AS each ORDER BY 1")  # noqa: S608 - our own names
        found[name] = [row[0] for row in rows]
    return found
