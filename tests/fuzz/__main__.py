"""`python -m tests.fuzz`: fuzzes every target, on all cores at once, and ends with one table.

`--seconds` gives each target that long; `--inputs` divides that many inputs over the targets by the shares below: some
are guided by the branches that they reach, the others are plain mutations of what was learned that way. What the fuzzer
learns is kept in `build/fuzz/corpus`, and the next run begins with it. An input that breaks something is written to
`build/fuzz`, and the exit code is 1.
"""

# ruff: noqa: T201 - reports to the terminal

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tests.fuzz import PLAIN, c_shoe

SHARES = {"mqtt_packets": 72, "angel_eye": 12, "native": 5, "lines": 8, "requests": 3, c_shoe.NAME: 25}
"""Of 125 inputs. A quick target gets more of them, so that none takes less than a tenth of the time."""

MOST_IN_PROCESS = 500_000
"""Inputs for one process; the next one begins with what it has learned."""

MOST_UNCHECKED = 5_000_000
"""The same for the shoe in C without sanitizers, which is quicker than its start."""

GUIDED = 8
"""Of so many processes of a target, the first is guided; the others mutate what it has learned, much faster.

All of the shoe in C are guided by what they reach; the first is under afl++ and the sanitizers."""

SEEDS = 64
"""Inputs of any length that a corpus begins with: an empty one would grow byte by byte."""
LONGEST_SEED = 80

_DONE = re.compile(r"^Done (\d+) runs in", re.MULTILINE)
_COUNT = re.compile(r"^#(\d+)\t", re.MULTILINE)
_SAVED = re.compile(r"Test unit written to (\S+)")


@dataclass(frozen=True, slots=True)
class Job:
    """One process."""

    target: str
    number: int
    limit: str
    """The option of libFuzzer that ends it."""

    @property
    def guided(self) -> bool:
        return self.number % GUIDED == 1


@dataclass(frozen=True, slots=True)
class Done:
    job: Job
    inputs: int
    seconds: float
    cpu_seconds: float
    broken: str = ""
    """The file with the input that broke something, or the log if there is none; empty if nothing did."""


def by_inputs(inputs: int, shares: dict[str, int]) -> list[Job]:
    jobs = []
    for target, share in shares.items():
        left, number = inputs * share // sum(shares.values()), 0
        while left > 0:
            number += 1
            job = Job(target, number, "")
            most = MOST_UNCHECKED if target == c_shoe.NAME and not job.guided else MOST_IN_PROCESS
            jobs.append(replace(job, limit=f"-runs={min(left, most)}"))
            left -= most
    # In turns, so that an early end of the campaign leaves no target out.
    return sorted(jobs, key=lambda job: job.number)


def by_seconds(seconds: int, shares: dict[str, int]) -> list[Job]:
    limit = f"-max_total_time={seconds}"
    unchecked = [Job(c_shoe.NAME, 2, limit)] if c_shoe.NAME in shares else []
    return [*(Job(target, 1, limit) for target in shares), *unchecked]


def run(job: Job, folder: Path) -> Done:
    corpus = folder / "corpus" / job.target
    _plant(corpus)
    log, out = folder / f"{job.target}-{job.number}.log", folder / f"{job.target}-{job.number}"
    in_c = job.target == c_shoe.NAME
    options = (f"-artifact_prefix={folder}/{job.target}-", "-timeout=60", "-print_final_stats=0")
    if in_c and job.guided:
        shutil.rmtree(out, ignore_errors=True)
        seeds = c_shoe.own_seeds(corpus, folder / f"{job.target}-{job.number}.seeds")
        command = c_shoe.guided_command(seeds, out, job.limit)
    elif in_c:
        command = [*c_shoe.quick_command(corpus, job.limit), *options]
    else:
        target = (sys.executable, "-m", "tests.fuzz.target", job.target, *(() if job.guided else (PLAIN,)))
        command = [*target, job.limit, *options, str(corpus)]
    known = frozenset(corpus.iterdir())
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=c_shoe.environment())
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - started
    text = log.read_text(encoding="utf-8", errors="replace")
    if in_c and job.guided:
        inputs, broken = c_shoe.account(corpus, out)
        return Done(job, inputs, seconds, used.ru_utime + used.ru_stime, broken or str(log) * bool(process.returncode))
    counts = _DONE.findall(text) or _COUNT.findall(text) or ["0"]
    broken = ""
    if process.returncode:
        broken = (_SAVED.findall(text) or [str(log)])[-1]
    elif in_c:
        broken = c_shoe.broken_under_sanitizers(sorted(frozenset(corpus.iterdir()) - known))
    return Done(job, int(counts[-1]), seconds, used.ru_utime + used.ru_stime, broken)


def _plant(corpus: Path) -> None:
    corpus.mkdir(parents=True, exist_ok=True)
    if any(corpus.iterdir()):
        return
    chance = random.Random(corpus.name)  # noqa: S311 - no secret
    for number in range(SEEDS):
        (corpus / f"seed-{number}").write_bytes(chance.randbytes(chance.randint(1, LONGEST_SEED)))


def table(done: Sequence[Done]) -> str:
    rows = [("target", "inputs", "seconds", "inputs/s", "CPU s", "inputs/CPU s", "result")]
    for target in SHARES:
        of_target = [each for each in done if each.job.target == target]
        if of_target:
            broken = sum(bool(each.broken) for each in of_target)
            rows.append((target, *_sums(of_target), f"{broken} broken" if broken else "held"))
    rows.append(("all", *_sums(done), ""))
    return "\n".join(f"{row[0]:13}" + "".join(f"{cell:>14}" for cell in row[1:6]) + f"  {row[6]}" for row in rows)


def _sums(done: Sequence[Done]) -> tuple[str, str, str, str, str]:
    inputs = sum(each.inputs for each in done)
    seconds = sum(each.seconds for each in done)
    cpu = sum(each.cpu_seconds for each in done)
    return f"{inputs:,}", f"{seconds:,.0f}", f"{inputs / seconds:,.0f}", f"{cpu:,.0f}", f"{inputs / cpu:,.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=120, help="for each target, unless --inputs is given")
    parser.add_argument("--inputs", type=int, help="in all")
    parser.add_argument("--only", choices=SHARES, help="one target")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="for logs, corpora and what broke")
    given = parser.parse_args()
    shares = {given.only: 1} if given.only else SHARES
    jobs = by_inputs(given.inputs, shares) if given.inputs else by_seconds(given.seconds, shares)
    given.folder.mkdir(parents=True, exist_ok=True)
    done: list[Done] = []
    started = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as processes:
        for each in processes.map(lambda job: run(job, given.folder), jobs):
            done.append(each)
            how = "guided" if each.job.guided else "quick"
            print(f"[{len(done)} of {len(jobs)}] {each.job.target}, {how}: {each.inputs:,} inputs", flush=True)
    print(f"\n{table(done)}\n\nover after {time.monotonic() - started:,.0f} s; the table adds those of all processes")
    broken = [each for each in done if each.broken]
    for each in broken:
        print(f"\n{each.job.target}: {each.broken}")
        target = f"{sys.executable} -m tests.fuzz.target {each.job.target}"
        print(f"  again: {c_shoe.program(sanitized=True) if each.job.target == c_shoe.NAME else target} {each.broken}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
