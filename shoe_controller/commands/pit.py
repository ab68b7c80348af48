"""`shoe-controller pit CONFIG`: the live edges of all tables of a site, and alarms, for the pit alone."""

import argparse
from pathlib import Path

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.mqtt.broker import BrokerSettingsError

CANNOT_START = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "pit",
        help="live edges of every wager at all tables of a site, and alarms, for the pit alone",
        description="Follow all tables of a site over MQTT, compute from the cards that were shown what each wager is "
        "worth to a player, publish it for the pit alone, keep alarms in a file of its own, and serve the pit's page "
        "to people who sign in, until SIGTERM or Ctrl-C.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the configuration, with its [pit] section")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # They bring arrays and the event loop along; no other command should wait for that.
    from shoe_controller.pit.process import run as follow  # noqa: PLC0415 - see above
    from shoe_controller.process.lines_file import LinesFileError  # noqa: PLC0415 - see above
    from shoe_controller.web.certificate import PagesError  # noqa: PLC0415 - see above

    try:
        follow(args.config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except (LinesFileError, PagesError, OSError) as error:
        bad_input(args, "cannot_go_on", str(error))
        return CANNOT_START
    return GOOD
