"""What someone with the sqlite3 shell could do to a journal."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def tampered(path: Path, *statements: str, values: tuple[Any, ...] = ()) -> None:
    """Run statements past the guards in the file, and put the guards back so that the layout shows nothing."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        guards = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement, values if "?" in statement else ())
        for _, sql in guards:
            database.execute(sql)


def query(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        return database.execute(statement).fetchall()
