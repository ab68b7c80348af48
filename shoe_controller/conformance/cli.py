"""The command `shoe-conformance`: tries a shoe of the native wire against every clause of PROTOCOL.md.

Exit code 0: nothing failed. 1: a clause failed. 2: no trial could be made.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NoReturn

from firmware_protocol.native.session import INSECURE_KEY
from shoe_controller.commands.captures import BadCaptureError
from shoe_controller.commands.decode import read_key
from shoe_controller.config.shoe import ShoeSettings, port_of
from shoe_controller.conformance.operators import BadOperatorError, Nobody, OperatorProgram, operator_of
from shoe_controller.conformance.real_line import RealLine
from shoe_controller.conformance.report import as_json, conclusion, has_passed, table
from shoe_controller.transports.transport import TransportError
from shoe_controller.words.printable import printable
from simulator.conformance.bench import Bench, BenchSettings
from simulator.conformance.clauses import Bound, Clause, read_clauses
from simulator.conformance.first_look import CannotBeginError, look_at
from simulator.conformance.line import LineLostError
from simulator.conformance.run import make_trials, results
from simulator.conformance.trial import Trial
from simulator.conformance.trials import TRIALS
from simulator.conformance.untriable import UNTRIABLE
from simulator.conformance.verdicts import Findings, TrialEndedError
from simulator.late_file import LateFile, UnwritableError

CANNOT = 2
_CANNOT_BE_USED = (
    BadCaptureError,
    BadOperatorError,
    CannotBeginError,
    LineLostError,
    OSError,
    TransportError,
    UnwritableError,
)
TOO_LATE = 0.05
"""Seconds; the finest thing that is timed is the 0.1 s between two answers."""
OPEN_WITHIN = 10.0
"""Seconds that an operator's program has to bring the shoe to its port."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Report a mistake in the arguments, which may contain anything."""
        super().error(printable(message))


def parser() -> argparse.ArgumentParser:
    made = _Parser(
        prog="shoe-conformance",
        description="Try a shoe of the native wire against every clause of PROTOCOL.md, as a controller that also does "
        "what no controller should.",
        epilog="What the shoe holds is acknowledged, and so lost to its table: try a shoe that is not in use. "
        "docs/conformance.md explains everything.",
    )
    made.add_argument("port", metavar="PORT", help="/dev/serial/by-id/…, socket://HOST:PORT or usb:VENDOR:PRODUCT")
    key = made.add_mutually_exclusive_group(required=True)
    key.add_argument("--key", type=Path, metavar="FILE", help="the shoe's key, 64 hexadecimal digits")
    key.add_argument("--insecure", action="store_true", help="the shoe has no key")
    made.add_argument("--baud", type=int, metavar="N", help="of a serial port (default: 115200)")
    made.add_argument("--operator", metavar="COMMAND", help="a program that does things at the shoe, in your place")
    made.add_argument("--nobody", action="store_true", help="leave out what needs somebody at the shoe")
    made.add_argument("--quick", action="store_true", help="leave out what needs many cards")
    made.add_argument("--no-power", action="store_true", help="leave out what takes the power away")
    made.add_argument("--consume", action="store_true", help="acknowledge events that a table may still need")
    made.add_argument(
        "--silence",
        type=float,
        default=3.0,
        metavar="S",
        help="seconds after which the shoe locks its gate; 0 for never",
    )
    made.add_argument("--slack", type=float, default=1.0, metavar="F", help="stretch all times by this factor")
    made.add_argument("--only", action="append", metavar="CLAUSE", help="make only the trials of this clause")
    made.add_argument("--json", metavar="FILE", help="write the findings there as JSON; - for standard output")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        return _run(args)
    except _CANNOT_BE_USED as error:
        message = printable(str(error), keep="\n")
        sys.stderr.write(f"shoe-conformance: {message}\n")
        return CANNOT
    except KeyboardInterrupt:
        sys.stderr.write("\nshoe-conformance: broken off; the shoe goes on as it is\n")
        return 130


def _run(args: argparse.Namespace) -> int:
    clauses = read_clauses(files("firmware_protocol.native").joinpath("PROTOCOL.md").read_text(encoding="utf-8"))
    settings = _settings(args)
    trials = _chosen(args.only, clauses)
    file = None if args.json in (None, "-") else LateFile(args.json)
    port = port_of(ShoeSettings("native", args.port, args.baud, None, commands=False))
    operator = operator_of(args.operator, nobody=args.nobody)
    line = RealLine(port)
    try:
        _open(line, patient=args.operator is not None)
        bench = Bench(line, operator, settings, Findings(), secrets.token_bytes)
        shoe = look_at(bench, consume=args.consume)
        _say(f"{shoe.model}, firmware {shoe.firmware}, serial number {shoe.serial_number}: {len(trials)} trials")
        if isinstance(operator, Nobody):
            _say("nobody is at the shoe: what needs a card, a look or the power switch is not tried")
        make_trials(bench, trials, lambda trial: _say(f"  {trial.title}"))
        _leave_empty(bench)
    finally:
        line.close()
        if isinstance(operator, OperatorProgram):
            operator.end()
    if line.late_by > TOO_LATE:
        _say(f"this machine was late by {line.late_by:.2f} s: a failure of timing may be its own; try --slack 3")
    found = results(bench, clauses)
    if args.only:
        found = tuple(result for result in found if result.clause.number in args.only)
    if args.json == "-":
        sys.stdout.write(as_json(found, shoe))
        _say(conclusion(found))
    else:
        if file is not None:
            with file:
                file.write(as_json(found, shoe).encode())
        sys.stdout.write(table(found))
    return 0 if has_passed(found) else 1


def _open(line: RealLine, *, patient: bool) -> None:
    """Open the line. An operator's program may have to switch the shoe on first, and gets the time for it."""
    until = line.now() + (OPEN_WITHIN if patient else 0)
    while True:
        try:
            line.reopen()
        except LineLostError:
            if line.now() >= until:
                raise
            time.sleep(0.1)
        else:
            return


def _say(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")
    sys.stderr.flush()


def _settings(args: argparse.Namespace) -> BenchSettings:
    if not 1 <= args.slack <= 100:
        raise CannotBeginError(f"--slack {args.slack}: write a number from 1 to 100")
    if not 0 <= args.silence <= 600:
        raise CannotBeginError(f"--silence {args.silence}: write seconds from 0 (never) to 600")
    key = None if args.insecure else read_key(args.key)
    if key == INSECURE_KEY:
        raise CannotBeginError(
            f"--key {args.key}: a key of zeros is not a key: make one with `shoe-controller keys shoe`"
        )
    return BenchSettings(
        key=key, silence=args.silence or None, slack=args.slack, long=not args.quick, power=not args.no_power
    )


def _chosen(only: list[str] | None, clauses: Sequence[Clause]) -> tuple[Trial, ...]:
    if only is None:
        return TRIALS
    known = {clause.number: clause for clause in clauses}
    for number in only:
        if number not in known:
            raise CannotBeginError(f"--only {number}: there is no such clause; write one such as 6.1")
        if known[number].bound is Bound.CONTROLLER:
            raise CannotBeginError(f"--only {number}: this clause binds the controller, not the shoe")
        if number in UNTRIABLE:
            raise CannotBeginError(f"--only {number}: {UNTRIABLE[number]}")
    # A clause of every frame shows in any trial.
    return tuple(trial for trial in TRIALS if {*trial.clauses, *trial.parts} & set(only)) or TRIALS


def _leave_empty(bench: Bench) -> None:
    """So that the next table begins with a shoe that holds nothing of this."""
    try:
        bench.empty()
    except (TrialEndedError, LineLostError) as error:
        _say(f"the shoe still holds events of these trials: {error}")


if __name__ == "__main__":
    sys.exit(main())
