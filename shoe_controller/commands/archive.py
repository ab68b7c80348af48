"""`shoe-controller archive CONFIG`: every event of every table of a site, in PostgreSQL, once."""

import argparse
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoe_controller.commands.output import GOOD, add_json_option, bad_input, print_json
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.mqtt.broker import BrokerSettingsError

if TYPE_CHECKING:
    from shoe_controller.archive.journal_file import JournalFile
    from shoe_controller.postgres.connection import Connection

CANNOT_START = DIFFERS = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "archive",
        help="store every event of all tables of a site in PostgreSQL, once",
        description="Follow all tables of a site over MQTT, and store each of their events once in PostgreSQL, until "
        "SIGTERM or Ctrl-C. What was missed is requested from the journals of the tables.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the configuration, with its [archive] section")
    parser.set_defaults(run=run, json=False)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", help="instead of storing what comes:")
    for name, work, what, more in (
        (
            "load",
            load,
            "store what a journal's file has and the archive lacks",
            (
                "Store events of a journal's file, as of one that was set aside: those that the archive lacks, or has "
                "as a hole. Where the table still writes to it, that does no harm."
            ),
        ),
        (
            "verify",
            verify,
            "compare a journal's file with the archive",
            (
                "Compare every event of a journal's file with the archive, byte for byte, and every head that its "
                "table has announced with the file. Changes nothing."
            ),
        ),
    ):
        action = actions.add_parser(name, help=what, description=more)
        action.add_argument("journal", type=Path, metavar="JOURNAL", help="the file of the journal")
        add_json_option(action)
        action.set_defaults(run=work)
    action = actions.add_parser(
        "rebuild",
        help="make shoes, rounds and all else anew from the stored events",
        description="Empty the tables that are made from events, and fill them again. The events stay as they are; the "
        "archive must be stopped meanwhile.",
    )
    add_json_option(action)
    action.set_defaults(run=rebuild)


def rebuild(args: argparse.Namespace) -> int:
    """Make the derived tables anew."""
    from shoe_controller.archive.derived.rebuild import rebuild as made_anew  # noqa: PLC0415 - see `run`
    from shoe_controller.archive.intake import take_lock  # noqa: PLC0415 - see `run`
    from shoe_controller.archive.migrate import prepare  # noqa: PLC0415 - see `run`

    async def work(connection: "Connection") -> int:
        await prepare(connection)
        if not await take_lock(connection):
            message = "An archive stores into this database: stop it first, as with `systemctl stop shoe-archive`."
            bad_input(args, "in_use", message)
            return CANNOT_START
        events = await made_anew(connection)
        if args.json:
            print_json({"events": events})
        else:
            sys.stdout.write(f"Everything was made anew from {events} events.\n")
        return GOOD

    return _connected(args, work)


def load(args: argparse.Namespace) -> int:
    """Store what the archive lacks of a file."""
    from shoe_controller.archive import journal_file  # noqa: PLC0415 - see `run`
    from shoe_controller.archive.migrate import prepare  # noqa: PLC0415 - see `run`

    async def work(connection: "Connection", file: "JournalFile") -> int:
        await prepare(connection)
        loaded = await journal_file.load(connection, file)
        if args.json:
            print_json({"journal": file.journal, "events": loaded.events, "filled": loaded.filled})
        else:
            sys.stdout.write(
                f"{loaded.events} events of the journal {file.journal} of {file.site}/{file.table} were stored; "
                f"{loaded.filled} of them were missing within it.\n"
            )
        return GOOD

    return _with_file(args, work)


def verify(args: argparse.Namespace) -> int:
    """Compare a file with the archive."""
    from shoe_controller.archive import journal_file  # noqa: PLC0415 - see `run`
    from shoe_controller.archive.migrate import what_is_missing  # noqa: PLC0415 - see `run`

    async def work(connection: "Connection", file: "JournalFile") -> int:
        wrong = await what_is_missing(connection)
        if wrong:
            return bad_input(args, "bad_database", wrong)
        found = await journal_file.compare(connection, file)
        if args.json:
            print_json({"journal": file.journal, "same": found.is_same} | vars(found))
        else:
            for sentence in found.differences:
                sys.stdout.write(f"{sentence}\n")
            if found.more:
                sys.stdout.write(f"And {found.more} more.\n")
            same = f"{found.events} events and {found.heads} heads are the same"
            alone = f"{found.only_archived} events were removed from the file and are in the archive alone"
            sys.stdout.write(
                f"The journal {file.journal} of {file.site}/{file.table}: {same}"
                f"{'' if found.is_same else ', and the rest differs'}; {alone}; {found.absent} are known as absent.\n"
            )
        return GOOD if found.is_same else DIFFERS

    return _with_file(args, work)


def _with_file(args: argparse.Namespace, work: "Callable[[Connection, JournalFile], Coroutine[Any, Any, int]]") -> int:
    """Do it with a connection to the database and the file of a journal, both open."""
    from shoe_controller.archive.journal_file import JournalFile  # noqa: PLC0415 - see `run`
    from shoe_controller.daemon.published import PublishedEvents  # noqa: PLC0415 - see `run`
    from shoe_controller.journal.errors import JournalError  # noqa: PLC0415 - see `run`
    from shoe_controller.journal.reading import JournalReader  # noqa: PLC0415 - see `run`

    try:
        with JournalReader(args.journal) as reader:
            file = JournalFile(reader, PublishedEvents(reader).events)
            return _connected(args, lambda connection: work(connection, file))
    except JournalError as error:
        return bad_input(args, "bad_journal", str(error))


def _connected(args: argparse.Namespace, work: "Callable[[Connection], Coroutine[Any, Any, int]]") -> int:
    """Do it with a connection to the database."""
    import asyncio  # noqa: PLC0415 - see `run`

    from shoe_controller.archive.process import database_of  # noqa: PLC0415 - see `run`
    from shoe_controller.config.table_file import load_archive  # noqa: PLC0415 - see `run`
    from shoe_controller.postgres.connection import DatabaseError  # noqa: PLC0415 - see `run`

    async def connected() -> int:
        async with database_of(load_archive(args.config)) as connection:
            return await work(connection)

    try:
        return asyncio.run(connected())
    except BadFileError as error:
        return bad_input(args, "bad_config", str(error))
    except DatabaseError as error:
        bad_input(args, "cannot_go_on", str(error))
        return CANNOT_START


def run(args: argparse.Namespace) -> int:
    # It brings the event loop along; no other command should wait for that.
    from shoe_controller.archive.process import run as store  # noqa: PLC0415 - see above
    from shoe_controller.postgres.connection import DatabaseError  # noqa: PLC0415 - see above

    try:
        store(args.config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except (DatabaseError, OSError) as error:
        bad_input(args, "cannot_go_on", str(error))
        return CANNOT_START
    return GOOD
