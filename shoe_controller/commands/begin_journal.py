"""`shoe-controller journal begin CONFIG`: begins a table's journal where there is none, on the record.

For a table whose journal is lost, and for one whose journal is to lie in a new folder. Exit code 1 means that it could
not be begun, 2 that the file cannot be used or there is a journal already, 3 that another controller serves the table.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from shoe_controller.commands.output import GOOD, as_text, bad_input
from shoe_controller.commands.run import CANNOT_START, SERVED_ELSEWHERE
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.journal.database import files_of
from shoe_controller.journal.errors import JournalError
from shoe_controller.mqtt.broker import BrokerSettingsError
from shoe_controller.mqtt.peers import ServedElsewhereError

if TYPE_CHECKING:
    from shoe_controller.config.table_file import RunningConfig


def add_parser(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = actions.add_parser(
        "begin",
        help="begin a table's journal where there is none",
        description="Begin a new journal for a table whose journal is lost, or is to lie in a new folder. Its first "
        "entry says what showed that the table had dealt before, and an alert says so until a supervisor clears it. "
        "`run` begins the journal of a new table by itself.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the table's configuration")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # Imported late: it brings the event loop and all libraries along, which no other command of journals needs.
    from shoe_controller.config.table_file import for_running, load_config  # noqa: PLC0415 - see above

    try:
        config = for_running(load_config(args.config, guarded=False))
        return _begin(args, config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except ServedElsewhereError as error:
        bad_input(args, "served_elsewhere", str(error))
        return SERVED_ELSEWHERE
    except (JournalError, OSError) as error:
        bad_input(args, "cannot_begin", str(error))
        return CANNOT_START


def _begin(args: argparse.Namespace, config: "RunningConfig") -> int:
    from shoe_controller.clock.system_clock import SystemClock  # noqa: PLC0415 - see `run`
    from shoe_controller.daemon.beginning import begin, signs  # noqa: PLC0415 - see `run`
    from shoe_controller.daemon.rollback import new_journal_id  # noqa: PLC0415 - see `run`
    from shoe_controller.daemon.run import brokers_of_process, look_at_broker, peers_of_process  # noqa: PLC0415 - see `run`
    from shoe_controller.journal.opening import Identity  # noqa: PLC0415 - see `run`
    from shoe_controller.setup.journal_folder import give_to_owner, make_journal_folder  # noqa: PLC0415 - see `run`

    file, clock = config.journal.file, SystemClock()
    there = [each for each in files_of(file) if each.exists()]
    if there:
        return bad_input(args, "journal", f"there is a journal already: {there[0]}; it is never overwritten")
    looking = look_at_broker(config, brokers_of_process(config), peers_of_process(config, clock))
    found = signs(config.journal, asyncio.run(looking))
    identity = Identity(table=f"{config.table.site}/{config.table.name}", journal_id=new_journal_id())
    make_journal_folder(file.parent)
    begin(file, identity, found, clock.now())
    give_to_owner(file.parent, (*files_of(file), file.with_name(f"{file.name}.lock")))
    lines = [f"{file}: begun, as the journal {identity.journal_id} of the table {identity.table}."]
    if found:
        lines.append("This table has dealt before:")
        lines += [f"  {sign.what}" for sign in found]
        lines.append("So the table stops with the alert journal_begun until a supervisor clears it.")
    lines.append("Next: start the table, such as with `sudo systemctl start shoe-controller`.")
    sys.stdout.write("".join(f"{as_text(line)}\n" for line in lines))
    return GOOD
