"""`shoe-controller console CONFIG`: the page at which dealers and supervisors work."""

import argparse
from pathlib import Path

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.mqtt.broker import BrokerSettingsError

CANNOT_START = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "console",
        help="serve the dealer's and supervisor's console of a table",
        description="Serve the page at which a table's dealers and supervisors work, until SIGTERM or Ctrl-C. "
        "It talks to the table over MQTT; who signs in is checked by the table.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the table's configuration, with its [console]")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # The console brings the event loop and a web server along; no other command should wait for them.
    from shoe_controller.console.process import run as serve  # noqa: PLC0415 - see above
    from shoe_controller.web.certificate import PagesError  # noqa: PLC0415 - see above

    try:
        serve(args.config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except (PagesError, OSError) as error:
        bad_input(args, "cannot_start", str(error))
        return CANNOT_START
    return GOOD
