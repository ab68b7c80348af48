"""The command `shoe-controller`: each of its subcommands is a file in `commands/`."""

import argparse
import os
import sys
from collections.abc import Sequence

from shoe_controller.commands import (
    board,
    catalogue,
    config,
    console,
    decode,
    demo,
    hand,
    journal,
    keys,
    odds,
    roads,
    run,
    settle,
)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="shoe-controller",
        description="The controller beside a smart baccarat shoe, and the tools that come with it.",
    )
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (run, board, console, hand, settle, odds, roads, catalogue, config, keys, decode, journal, demo):
        command.add_parser(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        exit_code: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python would complain about the pipe once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
