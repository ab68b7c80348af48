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
WHERE (event.journal_id, event.seq) > ($1, $2)
ORDER BY event.journal_id, event.seq LIMIT $3
"""


async def rebuild(connection: Connection) -> int:
    """Empty the derived tables and fill them from `archive.event`, in one transaction; return the number of events.

    Nothing else may store events meanwhile, and who reads the tables waits.
    """
    done = 0
    last = (-1, -1)
    async with connection.transaction():
        await connection.execute(f"TRUNCATE {', '.join(f'{SCHEMA}.{name}' for name in TABLES)}")
        while rows := await connection.fetch(_EVENTS, *last, AT_ONCE):
            events = [ArchivedEvent(*row) for row in rows]
            await store(connection, events)
            last = (events[-1].journal_id, events[-1].seq)
            done += len(events)
    return done
