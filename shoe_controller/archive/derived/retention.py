"""What was made of the events of a month goes with them."""

from datetime import date

from shoe_controller.archive.derived.tables import TABLES
from shoe_controller.archive.derived.writer import SCHEMA
from shoe_controller.postgres.connection import Connection

LAST_TIME = {
    "shoe": "greatest(ended_at, opened_at)",
    "round": "last_at",
    "alert": "greatest(ended_at, raised_at)",
    "dispute": "closed_at",
    "person": "last_at",
}
"""When a row that events change was changed last; a dispute that is open stays. The others have `at`."""


async def drop_derived_month(connection: Connection, month: date) -> None:
    """Drop the derived rows up to the end of this month, which begins on the date, in the caller's transaction."""
    after = date(month.year + month.month // 12, month.month % 12 + 1, 1)
    for name, table in TABLES.items():
        if table.monthly:
            await connection.execute(f"DROP TABLE IF EXISTS {SCHEMA}.{name}_{month:%Y_%m}")
        else:
            time = LAST_TIME.get(name, "at")
            await connection.execute(
                f"DELETE FROM {SCHEMA}.{name} WHERE {time} < $1::date::timestamp AT TIME ZONE 'UTC'",  # noqa: S608 - our own names
                after,
            )
