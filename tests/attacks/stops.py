"""SIGTERM at seeded moments of start, loss of the broker and reconnection: a table and what follows it always end."""

import asyncio
import random
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.attacks.attack import Attack
from tests.board.room import free_port
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, write_secret
from tests.daemon.programs import Program
from tests.table_files import write

UP = {"run": '"ready"'} | dict.fromkeys(("pit", "witness", "board", "console"), '"broker_up"')

AT_ONCE = 2 * len(UP)
"""Programs that share a broker's death: two of each kind."""

MOMENTS = ("loss", "reconnection", "start")

LATEST = {"loss": 0.03, "reconnection": 0.6, "start": 1.5}
"""Seconds after the beginning of each moment, within which the signal comes."""


def _program(kind: str, number: int, chain: Chain) -> Program:
    folder = chain.folder / f"{kind}-{number}"
    folder.mkdir()
    data = {"mqtt": chain.data["mqtt"], "log": chain.data["log"]}
    if kind == "run":
        shoe = chain.data["shoe"] | {"port": str(folder / "shoe")}
        table = {"site": SITE, "name": f"table-{number}"}
        data = chain.data | {
            "table": table,
            "shoe": shoe,
            "journal": {"file": str(folder / "table.journal"), "anchor": str(folder / "table.anchor")},
        }
    else:
        data |= _follower(kind, folder)
    return Program("shoe-controller", kind, str(write(folder, data)), log=folder / "log")


def _follower(kind: str, folder: Path) -> dict[str, Any]:
    match kind:
        case "witness":
            return {"witness": {"site": SITE, "file": str(folder / "test.witness")}}
        case "pit":
            people = write_secret(folder / "site_people.toml", "# Nobody.\n")
            files = {"file": str(folder / "pit.alarms"), "people_file": str(people)}
            return {"pit": {"site": SITE, "port": free_port()} | files}
        case "board":
            return {"board": {"site": SITE, "port": free_port()}}
    return {"table": {"site": SITE, "name": "table-0"}, "console": {"port": free_port()}}


async def _stop(program: Program, after: float, moment: str) -> None:
    await asyncio.sleep(after)
    code = await program.terminate()
    # Before a program handles signals, the signal itself ends it.
    good = (0, -signal.SIGTERM) if moment == "start" else (0,)
    assert code in good, f"{program.arguments} ended with {code} at {moment}, {after:.4f} s:\n{program.output}"
    assert "Traceback" not in program.output, program.output


async def _is_up(chain: Chain, kind: str, program: Program) -> None:
    await chain.becomes(lambda: UP[kind] in program.output, within=60, what=f"the {kind}")


async def _group(chain: Chain, first: int, size: int, chance: random.Random) -> None:
    moment = MOMENTS[first // AT_ONCE % len(MOMENTS)]
    programs = [(kind, _program(kind, first + place, chain)) for place, kind in enumerate((2 * list(UP))[:size])]
    delays = [chance.uniform(0.0, LATEST[moment]) for _ in programs]
    async with AsyncExitStack() as stack:
        for _, program in programs:
            await program.start()
            stack.push_async_callback(program.kill)
        if moment != "start":
            for kind, program in programs:
                await _is_up(chain, kind, program)
            await chain.broker.kill()
        if moment == "reconnection":
            await chain.broker.start()
        await asyncio.gather(
            *(_stop(program, after, moment) for (_, program), after in zip(programs, delays, strict=True))
        )
    if moment == "loss":
        await chain.broker.start()


async def _groups(folder: Path, tries: int) -> None:
    async with Chain(folder) as chain:
        for first in range(0, tries, AT_ONCE):
            await _group(chain, first, min(AT_ONCE, tries - first), random.Random(first))  # noqa: S311 - a seed, no secret


def _run(folder: Path, tries: int) -> str:
    asyncio.run(_groups(folder, tries))
    return f"{tries} of {tries} ended with exit code 0, without a traceback"


ATTACKS = (Attack("SIGTERM while starting, losing and finding the broker", _run, tries=500, sample=3),)
