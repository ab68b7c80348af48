"""A connection to PostgreSQL, and what can go wrong with one, in words for the person who must act."""

import ssl
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

CONNECT_TIMEOUT = 10.0
"""Seconds until a server that does not answer is given up; it is tried again."""

COMMAND_TIMEOUT = 60.0
"""Seconds until a statement that does not end is given up with its connection."""


class DatabaseError(Exception):
    """The database refused something; trying again in the same way is of no use."""

    def __init__(self, message: str, code: str = "") -> None:
        """`code` is PostgreSQL's SQLSTATE, where it gave one."""
        super().__init__(message)
        self.code = code

    @property
    def is_about_values(self) -> bool:
        """Whether a value was refused, rather than the statement."""
        return self.code.startswith("22")


class DatabaseLostError(DatabaseError):
    """The server is away, restarts, is full or does not answer: the same may be possible later."""


_PASSING = ("08", "53", "57", "40", "55", "58", "25006")
"""Beginnings of SQLSTATEs after which the same statement may succeed later.

Connection, resources (disk full, too many connections), intervention (shutdown), rollback (serialisation), object not
in state (lock not available), system error; and a server that only reads, as one that another is taking over from.
"""


class Connection:
    """One connection; statements follow one another."""

    def __init__(self, inner: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._inner = inner

    async def execute(self, statement: str, *values: object) -> str:
        """Run one statement with values, or several without; return the command tag, as in "UPDATE 3"."""
        with_values = {} if not values else {"timeout": COMMAND_TIMEOUT}
        async with _in_words():
            return await self._inner.execute(statement, *values, **with_values)

    async def fetch(self, statement: str, *values: object) -> Sequence[asyncpg.Record]:
        async with _in_words():
            return await self._inner.fetch(statement, *values, timeout=COMMAND_TIMEOUT)

    async def copy(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Add rows by binary COPY; `table` may name its schema, as in "archive.event"."""
        schema, _, name = table.rpartition(".")
        async with _in_words():
            await self._inner.copy_records_to_table(
                name, records=rows, columns=list(columns), schema_name=schema or None, timeout=COMMAND_TIMEOUT
            )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """All statements within take effect together, or none."""
        async with _in_words(), self._inner.transaction():
            yield

    @property
    def is_closed(self) -> bool:
        return self._inner.is_closed()

    async def close(self) -> None:
        """Close in order where the server answers, and at once where it does not."""
        try:
            await self._inner.close(timeout=1.0)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
            self._inner.terminate()


@asynccontextmanager
async def connect(
    address: str, *, password: str | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Connection]:
    """Connect to `address`, a libpq URI such as "postgresql:///house?host=/run/postgresql&user=archive"."""
    async with _in_words():
        inner = await asyncpg.connect(address, password=password, ssl=tls, timeout=CONNECT_TIMEOUT)
    connection = Connection(inner)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def _in_words() -> AsyncIterator[None]:
    try:
        yield
    except DatabaseError:
        raise
    except asyncpg.PostgresError as error:
        kind: Any = DatabaseLostError if (error.sqlstate or "").startswith(_PASSING) else DatabaseError
        raise kind(_words(error), error.sqlstate or "") from error
    except asyncpg.ClientConfigurationError as error:
        raise DatabaseError(_words(error)) from error
    except (TimeoutError, OSError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise DatabaseLostError(_words(error)) from error


def _words(error: BaseException) -> str:
    said = str(error) or type(error).__name__
    detail = getattr(error, "detail", None)
    return f"{said} ({detail})" if detail else said
