"""`shoe-controller archive CONFIG`: every event of every table of a site, in PostgreSQL, once."""

import argparse
from pathlib import Path

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.mqtt.broker import BrokerSettingsError

CANNOT_START = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "archive",
        help="store every event of all tables of a site in PostgreSQL, once",
        description="Follow all tables of a site over MQTT, and store each of their events once in PostgreSQL, until "
        "SIGTERM or Ctrl-C. What was missed is requested from the journals of the tables.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the configuration, with its [archive] section")
    parser.set_defaults(run=run, json=False)


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
