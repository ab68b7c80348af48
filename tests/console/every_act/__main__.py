"""`python -m tests.console.every_act`: every act on the console in Chromium, in each language and at each size.

Ends with a table, an act in each line. The exit code is 1 if one failed. With a folder in the environment as
CONSOLE_PICTURES, a picture of every screen that was touched is kept in it.
"""

# ruff: noqa: T201 - reports to the terminal

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Browser

from shoe_controller.messages.acts import ACTS
from tests.console.browser import chromium
from tests.console.every_act.evenings import EVENINGS
from tests.console.every_act.trial import LANGUAGES, NOT_REACHED, SIZES, Combination, Evening, Result, spend

COMBINATIONS = tuple(Combination(language, size) for size in SIZES for language in LANGUAGES)

Found = dict[tuple[str, Combination], str | None]
"""By act and combination: why it failed."""


async def try_all(combinations: Sequence[Combination], evenings: Sequence[Evening], at_once: int) -> Found:
    found: Found = {}
    turn = asyncio.Semaphore(at_once)

    async def one(browser: Browser, evening: Evening, combination: Combination) -> None:
        async with turn:
            with tempfile.TemporaryDirectory(prefix="every-act-") as folder:
                results: list[Result] = await spend(evening, browser, Path(folder), combination)
        for act, failure in results:
            found[act, combination] = failure
            print(f"{combination}  {act}: {failure or 'passed'}", flush=True)

    async with chromium() as browser, asyncio.TaskGroup() as group:
        for combination in combinations:
            for evening in evenings:
                group.create_task(one(browser, evening, combination))
    return found


def table(found: Found, combinations: Sequence[Combination]) -> str:
    acts = [rule.name.value for rule in ACTS.values() if any((rule.name.value, each) in found for each in combinations)]
    first = max(map(len, ["act", *acts]))
    lines = ["  ".join([f"{'act':{first}}", *map(str, combinations)])]
    for act in acts:
        cells = (_cell(found, act, each).ljust(len(str(each))) for each in combinations)
        lines.append("  ".join([f"{act:{first}}", *cells]).rstrip())
    return "\n".join(lines)


def _cell(found: Found, act: str, combination: Combination) -> str:
    failure = found[act, combination]
    return "passed" if failure is None else failure if failure == NOT_REACHED else "FAILED"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.console.every_act", description=__doc__)
    parser.add_argument("--language", choices=LANGUAGES, help="only this language")
    parser.add_argument("--width", type=int, choices=[width for width, _ in SIZES], help="only this size")
    parser.add_argument("--act", help="only the evening that has this act")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="consoles at the same time")
    given = parser.parse_args()
    combinations = [
        each for each in COMBINATIONS if given.language in (None, each.language) and given.width in (None, each.size[0])
    ]
    evenings = [evening for evening in EVENINGS if given.act is None or given.act in evening.acts]
    found = asyncio.run(try_all(combinations, evenings, given.at_once))
    failed = sum(failure is not None for failure in found.values())
    print(f"\n{table(found, combinations)}\n\n{len(found)} tried, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
