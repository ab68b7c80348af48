"""`shoe-controller run CONFIG`: the daemon itself."""

import argparse
from pathlib import Path

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.journal.errors import JournalError, NotBegunError
from shoe_controller.mqtt.broker import BrokerSettingsError
from shoe_controller.mqtt.peers import ServedElsewhereError

CANNOT_START, SERVED_ELSEWHERE = 1, 3
"""Exit codes. The service restarts after the first, and after the second it does not: a person must act."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "run",
        help="run a table",
        description="Read the shoe, check every card, settle the wagers and publish, until SIGTERM or Ctrl-C. "
        "SIGHUP reads the configuration again.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the table's configuration")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # Imported late: it brings the event loop and all libraries along, which no other command needs.
    from shoe_controller.daemon.run import run_table  # noqa: PLC0415 - see above

    try:
        run_table(args.config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except NotBegunError as error:
        return bad_input(args, "no_journal", str(error))
    except ServedElsewhereError as error:
        bad_input(args, "served_elsewhere", str(error))
        return SERVED_ELSEWHERE
    except (JournalError, OSError) as error:
        bad_input(args, "cannot_start", str(error))
        return CANNOT_START
    return GOOD
