"""`shoe-controller witness CONFIG`: watches the journals of all tables of a site, from elsewhere."""

import argparse
from pathlib import Path

from shoe_controller.commands.output import GOOD, bad_input
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.mqtt.broker import BrokerSettingsError

CANNOT_START = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "witness",
        help="keep heads and checkpoints of all journals of a site, and raise alarms",
        description="Follow all tables of a site over MQTT, keep the heads and checkpoints of their journals in a file "
        "of its own, and raise an alarm when a journal is set back or rewritten, until SIGTERM or Ctrl-C. Run it on a "
        "machine that is not a table's.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG", help="the configuration, with its [witness] section")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # It brings the event loop along; no other command should wait for that.
    from shoe_controller.process.lines_file import LinesFileError  # noqa: PLC0415 - see above
    from shoe_controller.witness.process import run as watch  # noqa: PLC0415 - see above

    try:
        watch(args.config)
    except (BadFileError, BrokerSettingsError) as error:
        return bad_input(args, "bad_config", str(error))
    except (LinesFileError, OSError) as error:
        bad_input(args, "cannot_go_on", str(error))
        return CANNOT_START
    return GOOD
