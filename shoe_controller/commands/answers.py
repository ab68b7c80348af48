"""How commands answer: JSON or a drawing on standard output, errors for the person who typed on standard error."""

import argparse
import sys
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from rich.console import Console

GOOD = 0
BAD_INPUT = 2

WIDTH_OF_A_FILE = 160
"""Columns for drawings that go elsewhere than to a terminal: a table in a file need not be squeezed into 80."""


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="answer in JSON")


def print_json(value: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


def bad_input(args: argparse.Namespace, code: str, message: str, **more: object) -> int:
    """Report input that cannot be used; with --json also as an error object on standard output."""
    if args.json:
        print_json({"error": {"code": code, "message": message, **more}})
    for line in message.split("\n"):
        sys.stderr.write(f"shoe-controller {args.command}: {line}\n")
    return BAD_INPUT


def console() -> "Console":
    """Where drawings go. Drawing alone needs rich; no other command should wait for its import."""
    from rich.console import Console  # noqa: PLC0415 - see above

    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, color_system=None, width=WIDTH_OF_A_FILE)
