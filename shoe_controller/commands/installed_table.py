"""The table that a machine was set up for: the default where a command is given no configuration."""

import argparse
from pathlib import Path

FOLDER = Path("/etc/shoe-controller")
"""Where `init` writes everything, and where the services look for it."""


def add_config_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="?",
        default=FOLDER / "table.toml",
        metavar="CONFIG",
        help="the table's configuration (default: %(default)s)",
    )
