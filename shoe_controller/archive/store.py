"""Stores steps of journals: each batch is one transaction, which moves the positions of its journals too.

PostgreSQL allows no unique key over monthly partitions that leaves the month out. So what stores an event once is the
position of its journal, locked before anything is stored: what lies before it is there already, and what does not
follow it without a gap is refused.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, TypeVar

from shoe_controller.archive.derived import retention, writer
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.archive.steps import AnnouncedHead, Hole, Step
from shoe_controller.postgres.connection import Connection, DatabaseError, DatabaseLostError

COLUMNS = (
    "journal_id",
    "seq",
    "at",
    "fact",
    "shoe",
    "round",
    "topic",
    "payload",
    "content",
    "content_refused",
)
"""Of `archive.event`, as they are copied."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

EARLIEST_MS, LATEST_MS = 0, 7_258_118_399_999
"""The times that a partition can be for: 1970 to 2199. A clock that says another counts as the nearest of them."""

MOST_OF_INTEGER = 2**31 - 1

NUL = b"\\u0000"
"""In JSON, the character that PostgreSQL takes in no text."""

_PARTITIONING = 0x5_40E_A2C_003
"""The advisory lock of whoever makes or drops a partition."""

T = TypeVar("T")


class GapError(Exception):
    """Steps do not follow the position of their journal: the database is not where it was thought to be."""


class Stored(NamedTuple):
    """A batch that was committed."""

    events: int
    """Of its events, how many were not there before."""
    have: dict[int, int]
    """The positions of its journals."""


def time_of(at_ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=min(max(at_ms, EARLIEST_MS), LATEST_MS))


def month_of(at: datetime) -> date:
    return date(at.year, at.month, 1)


def next_month(month: date) -> date:
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def partition_of(month: date) -> str:
    return f"event_{month:%Y_%m}"


class Store:
    """One connection's way of storing; everything it remembers can be looked up in the database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._months: set[date] = set()
        self._refused: dict[tuple[int, int], str] = {}
        """Why PostgreSQL refuses events of the present batch as `jsonb`."""

    # --- journals ----------------------------------------------------------------------------------------------------

    async def positions(self) -> dict[int, int]:
        rows = await self._connection.fetch("SELECT id, have FROM archive.journal")
        return {row["id"]: row["have"] for row in rows}

    async def journal(self, site: str, table: str, journal: str, *, is_current: bool = True) -> tuple[int, int]:
        """The number of a journal in the database, and its position; a new one gets a row.

        One that is `current` takes the place of the table's others.
        """
        key = (site, table, journal)
        async with self._connection.transaction():
            if is_current:
                await self._connection.execute(
                    "UPDATE archive.journal SET state = 'set_aside' "
                    "WHERE site = $1 AND table_name = $2 AND journal <> $3 AND state = 'current'",
                    *key,
                )
            state = "current" if is_current else "set_aside"
            changed = await self._connection.fetch(
                "UPDATE archive.journal SET state = CASE WHEN $5 THEN $4 ELSE state END "
                "WHERE site = $1 AND table_name = $2 AND journal = $3 RETURNING id, have",
                *key,
                state,
                is_current,
            )
            if not changed:
                changed = await self._connection.fetch(
                    "INSERT INTO archive.journal (site, table_name, journal, state) VALUES ($1, $2, $3, $4) "
                    "ON CONFLICT (site, table_name, journal) DO UPDATE SET state = archive.journal.state "
                    "RETURNING id, have",
                    *key,
                    state,
                )
        return changed[0]["id"], changed[0]["have"]

    # --- batches -----------------------------------------------------------------------------------------------------

    async def store(self, batch: Sequence[Step], newest: dict[int, int] | None = None) -> Stored:
        """Store what is not there yet; `newest` are the last events that tables have announced, by journal.

        Raises `GapError`, and stores nothing, where a step does not follow the position of its journal.
        """
        return await self._tried(batch, lambda: self._store(batch, newest or {}))

    async def fill(self, journal_id: int, batch: Sequence[Step]) -> int:
        """Store the events at the end of a hole, which then ends before them; how many of them were in it.

        What follows from events is made in their order: when the hole is filled, `rebuild_journal` makes it anew.
        """
        return await self._tried(batch, lambda: self._fill(journal_id, batch))

    async def _tried(self, batch: Sequence[Step], work: Callable[[], Awaitable[T]]) -> T:
        """Do it, with partitions for the events; once more where PostgreSQL refuses one of them as `jsonb`."""
        events = [step for step in batch if isinstance(step, ArchivedEvent)]
        await self._make_partitions(event.at_ms for event in events)
        self._refused = {}
        await self._try_content(event for event in events if NUL in event.payload)
        try:
            return await work()
        except DatabaseLostError:
            raise
        except DatabaseError as error:
            if not error.is_about_values:
                raise
            before = len(self._refused)
            await self._try_content(events)
            if len(self._refused) == before:
                raise
        return await work()

    async def _store(self, batch: Sequence[Step], newest: dict[int, int]) -> Stored:
        connection = self._connection
        async with connection.transaction():
            rows = await connection.fetch(
                "SELECT id, have FROM archive.journal WHERE id = ANY($1) ORDER BY id FOR UPDATE",
                sorted({step.journal_id for step in batch}),
            )
            have: dict[int, int] = {row["id"]: row["have"] for row in rows}
            events, holes = _not_there(batch, have)
            if events:
                await connection.copy("archive.event", COLUMNS, [self._row(event) for event in events])
                await self._derive(events)
            if holes:
                await connection.execute(
                    "INSERT INTO archive.hole (journal_id, first, last, why) "
                    "SELECT *, 'pruned' FROM unnest($1::int[], $2::bigint[], $3::bigint[])",
                    *_columns(holes, 3),
                )
            heads = [step for step in batch if isinstance(step, AnnouncedHead)]
            if heads:
                await self._store_heads(heads)
            await connection.execute(
                "UPDATE archive.journal SET have = new.have, newest = greatest(journal.newest, new.have, new.newest), "
                "last_seen = now() FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS new(id, have, newest) "
                "WHERE journal.id = new.id",
                list(have),
                list(have.values()),
                [newest.get(journal, 0) for journal in have],
            )
        return Stored(len(events), have)

    async def _derive(self, events: Sequence[ArchivedEvent]) -> None:
        """Store what follows from events, in their transaction."""
        try:
            await writer.store(self._connection, events)
        except DatabaseLostError:
            raise
        except DatabaseError as error:
            raise DatabaseError(
                f"What is made of the events does not fit what was made of earlier ones: {error}. Stop the archive, "
                "and let `shoe-controller archive FILE rebuild` make it anew.",
                error.code,
            ) from error

    async def _fill(self, journal_id: int, batch: Sequence[Step]) -> int:
        connection = self._connection
        async with connection.transaction():
            await connection.execute("SELECT FROM archive.journal WHERE id = $1 FOR UPDATE", journal_id)
            seqs = [step.seq for step in batch if isinstance(step, ArchivedEvent)]
            rows = await connection.fetch(
                "SELECT first FROM archive.hole WHERE journal_id = $1 AND first <= $2 AND last = $3 FOR UPDATE",
                journal_id,
                min(seqs),
                max(seqs),
            )
            if not rows:
                return 0
            events = [step for step in batch if isinstance(step, ArchivedEvent)]
            await connection.copy("archive.event", COLUMNS, [self._row(event) for event in events])
            first, filled_from = rows[0]["first"], min(seqs)
            if first < filled_from:
                change = "UPDATE archive.hole SET last = $3::bigint - 1 WHERE journal_id = $1 AND first = $2"
                await connection.execute(change, journal_id, first, filled_from)
            else:
                await connection.execute(
                    "DELETE FROM archive.hole WHERE journal_id = $1 AND first = $2", journal_id, first
                )
            heads = [step for step in batch if isinstance(step, AnnouncedHead)]
            if heads:
                await self._store_heads(heads)
        return len(events)

    async def _store_heads(self, heads: Sequence[AnnouncedHead]) -> None:
        await self._connection.execute(
            "INSERT INTO archive.head (journal_id, number, hash, seq, announced_at) "
            "SELECT * FROM unnest($1::int[], $2::bigint[], $3::bytea[], $4::bigint[], $5::timestamptz[]) "
            "ON CONFLICT DO NOTHING",
            *_columns([head._replace(at_ms=time_of(head.at_ms)) for head in heads], 5),  # type: ignore[arg-type]  # as a time of the database
        )
        newest = {head.journal_id: head for head in sorted(heads, key=lambda head: head.number)}
        await self._connection.execute(
            "UPDATE archive.journal SET head_number = new.number, head_hash = new.hash "
            "FROM unnest($1::int[], $2::bigint[], $3::bytea[]) AS new(id, number, hash) "
            "WHERE journal.id = new.id AND coalesce(head_number, -1) <= new.number",
            *_columns([head[:3] for head in newest.values()], 3),
        )

    def _row(self, event: ArchivedEvent) -> tuple[object, ...]:
        refused = self._refused.get((event.journal_id, event.seq)) if self._refused else None
        content = None
        if refused is None:
            try:
                content = event.payload.decode()
            except UnicodeDecodeError as error:
                refused = str(error)
        return (
            event.journal_id,
            event.seq,
            time_of(event.at_ms),
            event.fact,
            event.shoe,
            event.round,
            event.topic.encode(),
            event.payload,
            content,
            refused,
        )

    async def _try_content(self, events: Iterable[ArchivedEvent]) -> None:
        """Find out, one by one, which PostgreSQL refuses as `jsonb`, and why."""
        for event in events:
            try:
                await self._connection.fetch("SELECT $1::text::jsonb IS NULL", event.payload.decode(errors="replace"))
            except DatabaseLostError:
                raise
            except DatabaseError as error:
                if not error.is_about_values:
                    raise
                self._refused[event.journal_id, event.seq] = str(error)

    # --- partitions --------------------------------------------------------------------------------------------------

    async def _make_partitions(self, times: Iterable[int]) -> None:
        # Most batches are of one month, and a set of days is quicker than one of dates.
        days = {min(max(at_ms, EARLIEST_MS), LATEST_MS) // 86_400_000 for at_ms in times}
        for month in sorted({month_of(EPOCH + timedelta(days=day)) for day in days} - self._months):
            await self._make_partition(month)
            self._months.add(month)

    async def _make_partition(self, month: date) -> None:
        """Make the table of a month beside the others, and then attach it: that holds up nobody who reads."""
        name = partition_of(month)
        async with self._connection.transaction():
            await self._connection.execute("SELECT pg_advisory_xact_lock($1)", _PARTITIONING)
            if (await self._connection.fetch("SELECT to_regclass($1) IS NULL", f"archive.{name}"))[0][0]:
                await self._connection.execute(
                    f"CREATE TABLE archive.{name} (LIKE archive.event INCLUDING ALL); "
                    f"COMMENT ON TABLE archive.{name} IS 'Events of {month:%Y-%m} (UTC), a part of archive.event.'; "
                    f"ALTER TABLE archive.event ATTACH PARTITION archive.{name} "
                    f"FOR VALUES FROM ('{month} 00:00:00+00') TO ('{next_month(month)} 00:00:00+00')"
                )

    async def keeps_from(self, years: int) -> date:
        """The first month that is kept, for so many years.

        A clock that is wrong drops nothing: it counts as no later than the last month in which anything was stored.
        """
        ((today,),) = await self._connection.fetch("SELECT (now() AT TIME ZONE 'UTC')::date")
        newest = max(await self._partitions(), default=month_of(EPOCH))
        last = min(month_of(datetime(today.year, today.month, 1, tzinfo=UTC)), newest)
        return date(max(last.year - years, 1), last.month, 1)

    async def _partitions(self) -> list[date]:
        rows = await self._connection.fetch(
            "SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid "
            "WHERE inhparent = 'archive.event'::regclass AND relname ~ '^event_[0-9]{4}_[0-9]{2}$' ORDER BY relname"
        )
        return [date(int(year), int(month), 1) for _, year, month in (row[0].split("_") for row in rows)]

    async def drop_months(self, before: date) -> list[tuple[date, int]]:
        """Drop the partitions of months before this one, and keep what was in them as rows; the months and events."""
        dropped = []
        for first in await self._partitions():
            if first < before:
                dropped.append((first, await self._drop_month(first)))
                self._months.discard(first)
        return dropped

    async def _drop_month(self, month: date) -> int:
        name = partition_of(month)
        async with self._connection.transaction():
            await self._connection.execute("SELECT pg_advisory_xact_lock($1)", _PARTITIONING)
            rows = await self._connection.fetch(
                "INSERT INTO archive.dropped_month (month, journal_id, first, last, events) "  # noqa: S608 - the name is made from a month
                f"SELECT $1, journal_id, min(seq), max(seq), count(*) FROM archive.{name} GROUP BY journal_id "
                "RETURNING events",
                month,
            )
            await self._connection.execute(f"DROP TABLE archive.{name}")
            await retention.drop_derived_month(self._connection, month)
        return sum(row["events"] for row in rows)


def _not_there(batch: Sequence[Step], have: dict[int, int]) -> tuple[list[ArchivedEvent], list[Hole]]:
    """Those steps that the positions do not include yet, which move with them."""
    events, holes = list[ArchivedEvent](), list[Hole]()
    for step in batch:
        if isinstance(step, AnnouncedHead):
            continue
        at = have.get(step.journal_id)
        if at is None:
            raise GapError(f"journal {step.journal_id} is not in the database")
        first, last = (step.seq, step.seq) if isinstance(step, ArchivedEvent) else (step.first, step.last)
        if last <= at:
            continue
        if first > at + 1:
            raise GapError(f"journal {step.journal_id} is at {at}, and {first} does not follow that")
        have[step.journal_id] = last
        if isinstance(step, ArchivedEvent):
            events.append(step)
        else:
            holes.append(step._replace(first=at + 1))
    return events, holes


def _columns(rows: Sequence[Sequence[object]], count: int) -> list[list[object]]:
    return [[row[column] for row in rows] for column in range(count)]
