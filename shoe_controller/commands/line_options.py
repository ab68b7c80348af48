"""Options of commands that read the lines of a reader: the keys of the `[shoe]` section, with the same names."""

import argparse
from typing import get_args

from firmware_protocol.lines.pattern import Checksum, LinePattern


def add_pattern_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the lines of a reader", "as in the [shoe] section of the table's file")
    group.add_argument("--prefix", default="", metavar="TEXT", help="what stands before each id")
    group.add_argument("--suffix", default="", metavar="TEXT", help="what stands between each id and its checksum")
    group.add_argument("--checksum", default="none", choices=get_args(Checksum), help="default: none")
    group.add_argument("--unread", default="", metavar="TEXT", help="the line that says that a card could not be read")
    group.add_argument(
        "--ignore", default=[], action="append", metavar="TEXT", help="the beginning of lines that are not about cards"
    )


def pattern_from(args: argparse.Namespace) -> LinePattern:
    return LinePattern(
        prefix=args.prefix,
        suffix=args.suffix,
        checksum=args.checksum,
        unread=args.unread,
        ignore=tuple(beginning for beginning in args.ignore if beginning),
    )
