"""`python -m tests.campaigns TARGET …`: runs long targets of the Makefile one after another, then prints one table.

A target that fails does not stop the ones behind it. Each one's full output goes to a log file. The exit code is 0 if
all targets passed, 1 if any failed, 130 if Ctrl-C ended the run.
"""

# ruff: noqa: T201 - reports to the terminal

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    target: str
    result: str
    duration: str
    log: str


HEADER = Row("target", "result", "duration", "log")


def run(target: str, log: Path) -> Row:
    started = time.monotonic()
    with log.open("wb") as output:
        # Options on the command line of `make campaigns` reach this `make` through MAKEFLAGS.
        done = subprocess.run(
            ["make", "--no-print-directory", target],  # noqa: S607 - make, wherever it is installed
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    duration = timedelta(seconds=round(time.monotonic() - started))
    return Row(target, "failed" if done.returncode else "passed", str(duration), str(log))


def table(rows: Sequence[Row]) -> str:
    every = (HEADER, *rows)
    first = max(len(row.target) for row in every)
    third = max(len(row.duration) for row in every)
    return "\n".join(f"{row.target:{first}}  {row.result:7}  {row.duration:>{third}}  {row.log}" for row in every)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="a target of the Makefile")
    parser.add_argument("--logs", type=Path, default=Path("build/campaigns"), help="the folder for log files")
    given = parser.parse_args()
    given.logs.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    interrupted = False
    for number, target in enumerate(given.targets, 1):
        log = given.logs / f"{target}.log"
        if interrupted:
            rows.append(Row(target, "not run", "", ""))
            continue
        print(f"[{number} of {len(given.targets)}] make {target} > {log}", flush=True)
        try:
            rows.append(run(target, log))
        except KeyboardInterrupt:
            interrupted = True
            rows.append(Row(target, "stopped", "", str(log)))
    print(f"\n{table(rows)}", flush=True)
    if interrupted:
        return INTERRUPTED
    return 0 if all(row.result == "passed" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
