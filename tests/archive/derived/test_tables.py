"""The tables as the migration makes them: the columns that rows are written to, each of them described."""

import pytest

from shoe_controller.archive.derived.tables import TABLES
from shoe_controller.postgres.connection import connect

pytestmark = pytest.mark.timeout(1800)  # with LONG_TESTS=1, for all that is dealt before the first test

COLUMNS = """
SELECT attname::text, format_type(atttypid, atttypmod)::text, col_description(attrelid, attnum)
FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 ORDER BY attnum
"""

DESCRIBED = """
SELECT relname::text FROM pg_class
WHERE relnamespace = 'archive'::regnamespace AND relkind IN ('r', 'p', 'v') AND obj_description(oid) IS NULL
AND relname NOT IN ('event', 'journal')
"""

VIEWS = ("round_now", "payment_now", "wager_at_close", "card_now", "duty_span", "commission_now")

LONG_TYPES = {"timestamptz": "timestamp with time zone"}


@pytest.mark.asyncio
async def test_rows_fit_the_tables_and_every_column_is_described(filled: str) -> None:
    async with connect(filled) as connection:
        for name, table in TABLES.items():
            rows = await connection.fetch(COLUMNS, f"archive.{name}")
            columns = [(column.name, LONG_TYPES.get(column.type, column.type)) for column in table.columns]
            assert [tuple(row[:2]) for row in rows] == columns
            assert [row[0] for row in rows if not row[2]] == []
        assert await connection.fetch(DESCRIBED) == []
        for view in VIEWS:
            rows = await connection.fetch(COLUMNS, f"archive.{view}")
            assert rows
            assert [row[0] for row in rows if not row[2]] == []
