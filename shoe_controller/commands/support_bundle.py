"""`shoe-controller support-bundle CONFIG`: collects what support needs in one file, without secrets.

Keys, passwords and PINs are removed from everything that goes in. Cards are not in it: while a round is dealt they are
confidential. If they are needed, export the journal of a shoe that is over.
"""

import argparse
import sys
import tarfile
import time
from pathlib import Path

from shoe_controller.commands.installed_table import add_config_argument
from shoe_controller.commands.output import GOOD, as_text, bad_input


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "support-bundle",
        help="collect what support needs, without secrets",
        description="Collect the doctor's findings, the configuration, the log, versions and what is plugged in into "
        "one file, without keys, passwords and PINs. Nothing is sent anywhere. Run it with sudo to see everything.",
    )
    add_config_argument(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="a new file (default: shoe-support-TIME.tar.gz)")
    parser.set_defaults(run=run, json=False)


def run(args: argparse.Namespace) -> int:
    # Imported late: it runs the doctor, which brings the event loop and all libraries along.
    from shoe_controller.doctor import bundle  # noqa: PLC0415 - see above

    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    output: Path = args.output or Path(f"shoe-support-{stamp}.tar.gz")
    try:
        with output.open("xb") as file:
            output.chmod(0o600)
            with tarfile.open(fileobj=file, mode="w:gz") as archive:
                names = bundle.pack(archive, args.config, f"shoe-support-{stamp}", int(time.time()))
    except FileExistsError:
        return bad_input(args, "file_exists", f"{output} exists already and was left alone: name another file")
    except OSError as error:
        return bad_input(args, "cannot_write", f"{output} cannot be written: {error.strerror}")
    sys.stdout.write(f"{as_text(str(output))} contains: {', '.join(names)}.\nLook through it before you send it.\n")
    return GOOD
