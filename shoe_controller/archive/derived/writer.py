"""Stores what events mean: a few statements for each batch, whatever its size."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import cast

from shoe_controller.archive.derived.batch import Batch, StandingRow
from shoe_controller.archive.derived.facts_to_rows import rows_of
from shoe_controller.archive.derived.rows import Key, Row, Sweep
from shoe_controller.archive.derived.tables import (
    CARD,
    COMMISSION,
    PAYMENT,
    RESULT,
    SETTLEMENT,
    SHOE,
    TABLES,
    WAGER,
    Table,
)
from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.postgres.connection import Connection

SCHEMA = "archive"

REPLACED = (RESULT, SETTLEMENT, PAYMENT, WAGER, CARD, COMMISSION)
"""Tables whose rows a later event may replace."""


async def store(connection: Connection, events: Sequence[ArchivedEvent]) -> None:
    """Store the rows of these events, those of each journal in order, within the caller's transaction.

    They must follow what was stored before; where events come that lie before others, as from the file of a journal,
    `rebuild_journal` makes its rows anew. What comes out does not depend on how events are divided into batches.
    """
    batch = Batch([rows_of(event) for event in events])
    await _load(connection, batch)
    batch.work_out()
    await _write(connection, batch)


async def _load(connection: Connection, batch: Batch) -> None:
    for name, keys in batch.patched_keys().items():
        table = TABLES[name]
        statement = _having(table, table.names[: table.key], batch.columns_of(table))
        batch.load(table, map(tuple, await connection.fetch(statement, *_arrays(keys, table.key))))
    for table, names, scopes in _scopes(batch.sweeps()):
        statement = _having(table, names, batch.columns_of(table))
        batch.load(table, map(tuple, await connection.fetch(statement, *_arrays(scopes, len(names)))))
    for table in REPLACED:
        if rounds := batch.stored_rounds(table):
            names, (first, last) = ("journal_id", "shoe", "round"), batch.times_of(rounds)
            rows = await connection.fetch(_standing(table), *_arrays(rounds, len(names)), first, last)
            batch.load_standing(table, map(tuple, rows))
    if shoes := batch.shoes_without_prices():
        rows = await connection.fetch(_PRICES_OF, *_arrays(shoes, SHOE.key))
        batch.load_prices(map(tuple, rows))


def _scopes(sweeps: Iterable[Sweep]) -> list[tuple[Table, tuple[str, ...], list[Key]]]:
    """By table: the columns that sweeps look at, and all their values."""
    found: dict[tuple[str, tuple[str, ...]], dict[Key, None]] = {}
    for sweep in sweeps:
        found.setdefault((sweep.table.name, tuple(sweep.where)), {})[tuple(sweep.where.values())] = None
    return [(TABLES[name], columns, list(keys)) for (name, columns), keys in found.items()]


async def _write(connection: Connection, batch: Batch) -> None:
    await _make_months(connection, batch)
    for name, added in batch.added.items():
        table = TABLES[name]
        forgotten = {id(row) for of, row in batch.forgotten if of is table}
        await _copy(connection, table, [row.values for row in added if id(row) not in forgotten])
    for name, known in batch.patched.items():
        table = TABLES[name]
        changed = [row for row in known.values() if row.changed]
        await _copy(connection, table, [list(row.values.values()) for row in changed if not row.stored])
        if stored := [row.values for row in changed if row.stored]:
            columns = batch.columns_of(table)
            await connection.fetch(_update(table, columns), *[[row[column] for row in stored] for column in columns])
    for table, rows in _by_table(batch.marked):
        values = [(*_identity(table, row), row.values[-1]) for row in rows]
        await connection.fetch(_mark(table), *_arrays(values, len(_identity_of(table)) + 1))
    for table, rows in _by_table((table, row) for table, row in batch.forgotten if row.stored):
        keys = [_identity(table, row) for row in rows]
        await connection.fetch(_forget(table), *_arrays(keys, len(_identity_of(table))))


async def _copy(connection: Connection, table: Table, rows: Sequence[Sequence[object]]) -> None:
    if rows:
        await connection.copy(f"{SCHEMA}.{table.name}", table.names, rows)


async def _make_months(connection: Connection, batch: Batch) -> None:
    months: set[tuple[int, int]] = set()
    for table in TABLES.values():
        if table.monthly:
            at = table.names.index("at")
            times = cast("set[datetime]", {row.values[at] for row in batch.added[table.name]})
            months |= {(time.year, time.month) for time in times}
    if months:
        firsts = [datetime(year, month, 1, tzinfo=UTC) for year, month in sorted(months)]
        await connection.fetch(f"SELECT {SCHEMA}.make_derived_months($1::timestamptz[])", firsts)


# --- statements -------------------------------------------------------------------------------------------------------


def _arrays(rows: Sequence[Row], count: int) -> list[list[object]]:
    """The same by columns, as `unnest` takes them."""
    return [[row[place] for row in rows] for place in range(count)]


def _types(table: Table) -> dict[str, str]:
    return {column.name: column.type for column in table.columns}


def _unnest(table: Table, names: Sequence[str]) -> str:
    types = _types(table)
    arrays = ", ".join(f"${number}::{types[name]}[]" for number, name in enumerate(names, 1))
    return f"unnest({arrays}) AS given({', '.join(names)})"


def _same(names: Iterable[str]) -> str:
    return " AND ".join(f"stored.{name} = given.{name}" for name in names)


def _identity_of(table: Table) -> tuple[str, ...]:
    """The primary key of a table whose rows are added."""
    return tuple(
        name for name in ("journal_id", "seq", "line", "at") if name in table.names and (table.monthly or name != "at")
    )


def _identity(table: Table, row: StandingRow) -> Key:
    return tuple(row.values[table.names.index(name)] for name in _identity_of(table))


def _by_table(rows: Iterable[tuple[Table, StandingRow]]) -> list[tuple[Table, list[StandingRow]]]:
    found: dict[str, list[StandingRow]] = {}
    for table, row in rows:
        found.setdefault(table.name, []).append(row)
    return [(TABLES[name], each) for name, each in found.items()]


# Only names of tables and columns are put into these texts, all of them from `tables.py`.


@cache
def _having(table: Table, names: tuple[str, ...], columns: tuple[str, ...]) -> str:
    return _each(table, names, columns, _same(names))


@cache
def _standing(table: Table) -> str:
    names = ("journal_id", "shoe", "round")
    times = "stored.at BETWEEN coalesce($4::timestamptz, '-infinity') AND coalesce($5::timestamptz, 'infinity')"
    found = _each(table, names, table.names, f"{_same(names)} AND stored.replaced_by IS NULL AND {times}")
    return f"{found} ORDER BY found.journal_id, found.seq"


def _each(table: Table, names: tuple[str, ...], columns: tuple[str, ...], where: str) -> str:
    """Read the rows of each key by the index, whatever the planner knows of a table that fills just now."""
    listed = ", ".join(f"stored.{name}" for name in columns)
    return (
        f"SELECT found.* FROM {_unnest(table, names)} CROSS JOIN LATERAL "  # noqa: S608 - see above
        f"(SELECT {listed} FROM {SCHEMA}.{table.name} AS stored WHERE {where} OFFSET 0) AS found"
    )


@cache
def _update(table: Table, columns: tuple[str, ...]) -> str:
    key, others = columns[: table.key], columns[table.key :]
    values = ", ".join(f"{name} = given.{name}" for name in others)
    return (
        f"UPDATE {SCHEMA}.{table.name} AS stored SET {values} "  # noqa: S608 - see above
        f"FROM {_unnest(table, columns)} WHERE {_same(key)}"
    )


@cache
def _mark(table: Table) -> str:
    names = _identity_of(table)
    return (
        f"UPDATE {SCHEMA}.{table.name} AS stored SET replaced_by = given.replaced_by "  # noqa: S608 - see above
        f"FROM {_unnest(table, (*names, 'replaced_by'))} WHERE {_same(names)}"
    )


@cache
def _forget(table: Table) -> str:
    names = _identity_of(table)
    given = _unnest(table, names)
    return f"DELETE FROM {SCHEMA}.{table.name} AS stored USING {given} WHERE {_same(names)}"  # noqa: S608 - see above


_PRICES_OF = (
    "SELECT stored.journal_id, stored.shoe, stored.game, stored.currency, stored.decimals "  # noqa: S608 - see above
    f"FROM {SCHEMA}.{SHOE.name} AS stored JOIN {_unnest(SHOE, ('journal_id', 'shoe'))} "
    f"ON {_same(('journal_id', 'shoe'))}"
)
