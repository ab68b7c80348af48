"""`shoe-controller doctor CONFIG`: checks everything around a table that can be wrong, and says what to do about it.

Of the file of a board, a console, a witness or the pit's process it checks what those need.

Exit code 0 means that nothing is wrong, 1 that something is, 2 that the arguments cannot be used.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from shoe_controller.commands.installed_table import add_config_argument
from shoe_controller.commands.output import GOOD, add_json_option, as_text, bad_input, print_json

if TYPE_CHECKING:
    from shoe_controller.doctor.users import User

SOMETHING_WRONG = 1
WIDTH_OF_NAMES = 16


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "doctor",
        help="find out what is wrong with a table, and what to do",
        description="Check a table's configuration, port, shoe, broker, journal and machine, and say what to do about "
        "each problem. It changes nothing, and may be run beside a running table. Use sudo to check everything. The "
        "file may also be that of a board, a console, a witness or the pit's process.",
    )
    add_config_argument(parser)
    parser.add_argument("--skip", action="append", default=[], metavar="CHECK", help="skip a check")
    parser.add_argument("--user", metavar="NAME", help="the service's user (default: shoe-controller, if it exists)")
    parser.add_argument("--users", type=Path, metavar="FILE", help="the broker's users (default: beside CONFIG)")
    parser.add_argument(
        "--listen",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="how long to wait for the shoe to answer (default: 5)",
    )
    parser.add_argument("--list", action="store_true", help="list the checks and do nothing")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # Imported late: the checks bring the event loop and all libraries along, which no other command needs.
    from shoe_controller.doctor.checks import CHECKS, OF_PAGES, checks_for  # noqa: PLC0415 - see above
    from shoe_controller.doctor.users import service_user, user_called  # noqa: PLC0415 - see above

    names = [check.name for check in checks_for(args.config)]
    # One list of checks to leave out may serve for the files of a table and of its pages.
    known = {check.name for check in (*CHECKS, *OF_PAGES)}
    unknown = [name for name in args.skip if name not in known]
    if unknown:
        return bad_input(args, "unknown_check", f"there is no check {unknown[0]!r}; the checks are {', '.join(names)}")
    if not 0 < args.listen <= 3600:
        return bad_input(args, "bad_listen", "--listen must be more than 0 and at most 3600 seconds")
    if args.list:
        return _list(args)
    try:
        user = service_user() if args.user is None else user_called(args.user)
    except KeyError:
        return bad_input(args, "unknown_user", f"this machine has no user {args.user!r}")
    return asyncio.run(_examine(args, user))


def _list(args: argparse.Namespace) -> int:
    from shoe_controller.doctor.checks import checks_for  # noqa: PLC0415 - see `run`

    checks = checks_for(args.config)
    if args.json:
        print_json([{"check": check.name, "looks_at": check.looks_at, "to_do": check.to_do} for check in checks])
    else:
        for check in checks:
            sys.stdout.write(f"{check.name:{WIDTH_OF_NAMES}} {check.looks_at}\n")
    return GOOD


async def _examine(args: argparse.Namespace, user: "User") -> int:
    from shoe_controller.doctor.checks import checks_for, examine  # noqa: PLC0415 - see `run`
    from shoe_controller.doctor.findings import Patient, Thresholds, Verdict  # noqa: PLC0415 - see `run`

    patient = Patient(file=args.config, user=user, users_file=args.users, limits=Thresholds(listen_seconds=args.listen))
    found: list[dict[str, str]] = []
    async for check, findings in examine(patient, checks_for(args.config), leaving_out=args.skip):
        for finding in findings:
            wrong = finding.verdict is Verdict.PROBLEM
            line = {
                "check": check.name,
                "verdict": finding.verdict.value,
                "what": as_text(finding.what),
                "to_do": as_text(finding.to_do or check.to_do) if wrong else "",
            }
            found.append(line)
            if not args.json:
                _write(line)
    problems = sum(line["verdict"] == Verdict.PROBLEM.value for line in found)
    if args.json:
        print_json({"good": not problems, "problems": problems, "findings": found})
    else:
        sys.stdout.write("\n" + _conclusion(problems))
    return SOMETHING_WRONG if problems else GOOD


_MARKS = {"good": "ok", "problem": "PROBLEM", "not looked at": "-"}


def _write(line: dict[str, str]) -> None:
    sys.stdout.write(f"{_MARKS[line['verdict']]:8}{line['check']:{WIDTH_OF_NAMES}} {line['what']}\n")
    if line["to_do"]:
        sys.stdout.write(f"{'':8}{'':{WIDTH_OF_NAMES}} what to do: {line['to_do']}\n")
    sys.stdout.flush()


def _conclusion(problems: int) -> str:
    if not problems:
        return "Nothing is wrong.\n"
    count = f"{problems} {'problem' if problems == 1 else 'problems'}"
    return f"{count}. Put the first one right first: others may follow from it.\n"
