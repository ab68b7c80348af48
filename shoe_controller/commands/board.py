"""`shoe-controller board CONFIG`: results boards and the pit view, as pages for browsers."""

import argparse
from pathlib import Path

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.mqtt.broker import BrokerSettingsError

CANNOT_START = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "board",
        help="serve the results boards and the pit view",
        description="Follow all tables of a site over MQTT, and serve their boards and the pit view to browsers, until "
        "SIGTERM or Ctrl-C. It only reads.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the configuration, with its [board] section")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # The board brings the event loop and a web server along; no other command should wait for them.
    from shoe_controller.board import process  # noqa: PLC0415 - see above
    from shoe_controller.web.certificate import PagesError  # noqa: PLC0415 - see above

    try:
        process.run(args.config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except (PagesError, OSError) as error:
        bad_input(args, "cannot_start", str(error))
        return CANNOT_START
    return GOOD
