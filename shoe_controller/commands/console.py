"""`shoe-controller console CONFIG`: the page at which dealers and supervisors work."""

import argparse
from pathlib import Path

from shoe_controller.commands.board import serve_pages


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
    from shoe_controller.console.process import run as serve  # noqa: PLC0415 - as in `serve_pages`

    return serve_pages(serve, args)
