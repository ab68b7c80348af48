"""The command `shoe-controller`: each of its subcommands is a file in `commands/`."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from shoe_controller.words.printable import printable

COMMANDS = (
    "run",
    "board",
    "console",
    "witness",
    "pit",
    "archive",
    "init",
    "doctor",
    "status",
    "support-bundle",
    "hand",
    "settle",
    "odds",
    "roads",
    "catalogue",
    "config",
    "keys",
    "cards",
    "decode",
    "journal",
    "demo",
)
STANDARD_OUTPUT, STANDARD_ERROR = 1, 2
INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended, as shells have it."""


class _Version(argparse.Action):
    """Looked up only when it is asked for: that takes longer than most commands."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - see above

        parser.exit(message=f"shoe-controller {version('shoe-controller')}\n")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Report a mistake in the arguments, which may contain anything."""
        super().error(printable(message))


def parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """The parser of one command, or of all: a table that restarts in mid-round waits for no other command's imports."""
    top = _Parser(
        prog="shoe-controller",
        description="The controller beside a smart baccarat shoe, and the tools that come with it.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS if wanted not in COMMANDS else (wanted,):
        import_module(f"shoe_controller.commands.{name.replace('-', '_')}").add_parser(subparsers)
    return top


def _open_standard_streams() -> None:
    """Open what was closed to us: the next file or socket would get its number, and then what we print or log."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STANDARD_ERROR:
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - as `os` has it
    os.close(descriptor)
    # Python has `None` in place of those that were closed.
    sys.stdout = sys.stdout or os.fdopen(STANDARD_OUTPUT, "w")
    sys.stderr = sys.stderr or os.fdopen(STANDARD_ERROR, "w")


def main(arguments: Sequence[str] | None = None) -> int:
    _open_standard_streams()
    # Nothing that is made here is for everybody, and everything is for its owner, whatever the umask of whoever starts
    # it; see also `make_folder`.
    os.umask(os.umask(0o027) & 0o077 | 0o027)
    given = sys.argv[1:] if arguments is None else list(arguments)
    args = parser(given[0] if given else None).parse_args(given)
    try:
        exit_code: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python would complain about the pipe once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write(f"\nshoe-controller {args.command}: stopped\n")
        return INTERRUPTED
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        name = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
        sys.stderr.write(f"shoe-controller {args.command}: {printable(f'{name}{reason or error}')}\n")
        return 2
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
