"""Makes all derived tables anew from the events."""

from shoe_controller.archive.derived.tables import TABLES
from shoe_controller.archive.derived.writer import SCHEMA, store
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.postgres.connection import Connection

AT_ONCE = 5000
"""Events per batch."""

_EVENTS = """
SELECT event.journal_id, journal.site, journal.table_name, journal.journal, event.seq,
       (extract(epoch FROM event.at) * 1000)::bigint, event.fact, event.shoe, event.round,
       convert_from(event.topic, 'UTF8'), event.payload
FROM archive.event JOIN archive.journal ON journal.id = event.journal_id
WHERE event.journal_id = $1 AND event.seq > $2
ORDER BY event.seq LIMIT $3
"""


async def rebuild(connection: Connection) -> int:
    """Empty the derived tables and fill them from `archive.event`, in one transaction; return the number of events.

    Nothing else may store events meanwhile, and who reads the tables waits.
    """
    async with connection.transaction():
        await connection.execute(f"TRUNCATE {', '.join(f'{SCHEMA}.{name}' for name in TABLES)}")
        journals = await connection.fetch("SELECT id FROM archive.journal ORDER BY id")
        return sum([await _derive(connection, row[0]) for row in journals])


async def rebuild_journal(connection: Connection, journal_id: int) -> int:
    """The same for the rows of one journal: where events came that lie before others, as from its file."""
    async with connection.transaction():
        for name in TABLES:
            await connection.execute(f"DELETE FROM {SCHEMA}.{name} WHERE journal_id = $1", journal_id)  # noqa: S608 - our own names
        return await _derive(connection, journal_id)


async def _derive(connection: Connection, journal_id: int) -> int:
    done = last = 0
    while rows := await connection.fetch(_EVENTS, journal_id, last, AT_ONCE):
        events = [ArchivedEvent(*row) for row in rows]
        await store(connection, events)
        last = events[-1].seq
        done += len(events)
    return done
