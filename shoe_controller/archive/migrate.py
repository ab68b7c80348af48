"""Makes the schema `archive`, or brings it up to date: plain SQL files of `migrations/`, in order, each once.

Everything belongs to the role `archive_writer`; whoever stores logs in as a member of it. `archive_reader` reads.
"""

import hashlib
from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from shoe_controller.postgres.connection import Connection, DatabaseError, DatabaseLostError

WRITER, READER = "archive_writer", "archive_reader"

LEAST_VERSION = 15

_MIGRATING = 0x5_40E_A2C_002
"""The advisory lock of whoever changes the schema."""

_SET_UP = """\
Connect to the database as its superuser, for instance with `sudo -u postgres psql {database}`, and run there:
  {statements}
Then start the archive again."""


class Migration(NamedTuple):
    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations() -> list[Migration]:
    """The files of this version, in order; number 0 is run at every start."""
    folder = files("shoe_controller.archive") / "migrations"
    named = sorted((each.name, each.read_text(encoding="utf-8")) for each in folder.iterdir() if _is_sql(each.name))
    return [Migration(int(name.partition("_")[0]), name, text) for name, text in named]


def _is_sql(name: str) -> bool:
    return name.endswith(".sql")


async def prepare(connection: Connection, steps: Iterable[Migration] | None = None) -> None:
    """Make sure that this is a database to store in, with an up-to-date schema, and act as `archive_writer`."""
    await _check_server(connection)
    await _take_role(connection)
    await _migrate(connection, migrations() if steps is None else list(steps))


async def what_is_missing(connection: Connection) -> str:
    """What `prepare` would stumble over, or have to do, as a sentence; nothing if all is there. Changes nothing."""
    await _check_server(connection)
    ((user, has_role, has_schema),) = await connection.fetch(
        "SELECT current_user::text, coalesce((SELECT pg_has_role(oid, 'MEMBER') FROM pg_roles WHERE rolname = $1), "
        "false), to_regclass('archive.migration') IS NOT NULL",
        WRITER,
    )
    if not has_role:
        return f"the user {user} is no member of the role {WRITER}: `GRANT {WRITER} TO {user};` as the superuser."
    if not has_schema:
        return "the schema `archive` is not there yet: the archive makes it at its first start."
    await connection.execute(f"SET ROLE {WRITER}")
    rows = await connection.fetch("SELECT number, name, digest FROM archive.migration")
    _compare(
        {row["number"]: (row["name"], row["digest"]) for row in rows}, {each.number: each for each in migrations()}
    )
    return ""


async def _check_server(connection: Connection) -> None:
    ((number, name, encoding, only_reads),) = await connection.fetch(
        "SELECT current_setting('server_version_num')::int, current_database(), "
        "current_setting('server_encoding'), pg_is_in_recovery()"
    )
    if only_reads:
        raise DatabaseLostError("this server only reads, as the replica of another one.")
    if number < LEAST_VERSION * 10000:
        raise DatabaseError(
            f"the server is PostgreSQL {number // 10000}: the archive needs {LEAST_VERSION} or later. "
            "Upgrade it, or name another server."
        )
    if encoding != "UTF8":
        raise DatabaseError(
            f"the database {name} has the encoding {encoding}, and events are in UTF-8. Make another one, with "
            f"`CREATE DATABASE {name}_utf8 ENCODING 'UTF8' TEMPLATE template0 OWNER {WRITER};`, and name that."
        )


async def _take_role(connection: Connection) -> None:
    """Act as `archive_writer`; both roles, and its right to make the schema, are given where we are permitted to."""
    ((user, name, quoted_user, quoted_name),) = await connection.fetch(
        "SELECT current_user::text, current_database()::text, "
        "quote_ident(current_user), quote_ident(current_database())"
    )
    rows = await connection.fetch("SELECT rolname::text FROM pg_roles WHERE rolname = ANY($1)", [WRITER, READER])
    there = {row[0] for row in rows}
    statements = [f"CREATE ROLE {role} NOLOGIN;" for role in (WRITER, READER) if role not in there]
    if WRITER not in there or not await _may_act_as_writer(connection):
        statements.append(f"GRANT {WRITER} TO {quoted_user};")
    if not await _may_make_schema(connection, exists=WRITER in there):
        statements.append(f"GRANT CREATE ON DATABASE {quoted_name} TO {WRITER};")
    for statement in statements:
        try:
            await connection.execute(statement)
        except DatabaseLostError:
            raise
        except DatabaseError as error:
            what = _SET_UP.format(database=name, statements="\n  ".join(statements))
            raise DatabaseError(
                f"the user {user} is not set up in the database {name} ({error}). {what}", error.code
            ) from error
    await connection.execute(f"SET ROLE {WRITER}")


async def _may_act_as_writer(connection: Connection) -> bool:
    # From PostgreSQL 16 on, whoever made a role is a member of it who may not act as it.
    rows = await connection.fetch(
        "SELECT pg_has_role($1::text, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' "
        "ELSE 'SET' END)",
        WRITER,
    )
    return bool(rows[0][0])


async def _may_make_schema(connection: Connection, *, exists: bool) -> bool:
    if not exists:
        return False
    ((there, may),) = await connection.fetch(
        "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'archive'), "
        "has_database_privilege($1::text, current_database(), 'CREATE')",
        WRITER,
    )
    return bool(there or may)


async def _migrate(connection: Connection, steps: list[Migration]) -> None:
    begin, numbered = steps[0], steps[1:]
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _MIGRATING)
        await connection.execute("SET LOCAL client_min_messages = warning")  # what is there already is no news
        there = await connection.fetch("SELECT to_regclass('archive.migration') IS NOT NULL")
        if not there[0][0]:
            await connection.execute(begin.text)
        applied = {
            row["number"]: (row["name"], row["digest"])
            for row in await connection.fetch("SELECT number, name, digest FROM archive.migration ORDER BY number")
        }
        _compare(applied, {step.number: step for step in numbered})
    for step in numbered:
        if step.number not in applied:
            await _apply(connection, step)


async def _apply(connection: Connection, step: Migration) -> None:
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _MIGRATING)
        # Another process may have been faster.
        if not await connection.fetch("SELECT FROM archive.migration WHERE number = $1", step.number):
            await connection.execute(step.text)
            await connection.execute(
                "INSERT INTO archive.migration (number, name, digest) VALUES ($1, $2, $3)",
                step.number,
                step.name,
                step.digest,
            )


def _compare(applied: dict[int, tuple[str, str]], steps: dict[int, Migration]) -> None:
    """Compare names and digests of what was applied with the files of this version."""
    for number, (name, digest) in applied.items():
        if number not in steps:
            raise DatabaseError(
                f"the schema is that of a newer version of this program: {name} was applied to it. Install that "
                "version, or name another database."
            )
        if steps[number].digest != digest:
            raise DatabaseError(
                f"{name} was applied to the database as another file than this program has: the schema may differ. "
                "Install the version that made it, or load the journals into a new database."
            )
