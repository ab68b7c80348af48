"""One round with the rules of a new table, dealt by the emulated shoe before the table has begun.

The controller and the shoe are the real programs, in a folder of their own: another journal, another key, no broker and
no people. The table's own files are not touched.
"""

import asyncio
from pathlib import Path

from shoe_controller.config.shoe import Wire
from shoe_controller.demo.programs import DemoError, Program, python
from shoe_controller.setup.apply import TABLE_FILE, Places, plan
from shoe_controller.setup.file_writer import write
from shoe_controller.setup.new_table import NewTable

PATIENCE = 60.0
"""Seconds in which a round should be over, also on a slow machine."""
LOOK_AGAIN = 0.05
SPEED = "20"
RESULT = "round_result"


class NoRoundError(Exception):
    """No round was dealt; the message says what happened instead."""


async def deal_trial_round(new: NewTable, folder: Path, seed: int) -> Path:
    """Deal until a round has its result; returns the journal that it is in."""
    journal = folder / "trial.journal"
    shoe = folder / "shoe"
    # Ids of a reader mean nothing to the emulated shoe; and nobody signs in or says "no more bets".
    wire: Wire = "angel_eye" if new.wire == "angel_eye" else "native"
    trial = new._replace(
        name="trial",
        wire=wire,
        port=str(shoe),
        broker_host=None,
        bets_button=False,
        journal=str(journal),
        anchor=str(folder / "trial.anchor"),
        people=(),
        seat_users={},
    )
    for planned in plan(trial, Places(folder, folder / "broker")):
        write(planned)
    dealt = ("--wire", wire, "--disclose", "at_draw", "--decks", str(new.decks), "--speed", SPEED, "--seed", str(seed))
    key = () if wire != "native" else ("--insecure",) if new.insecure else ("--key", str(folder / "shoe.key"))
    emulator = Program(
        "the emulated shoe",
        *python("simulator.cli"),
        *("run", "--headless", "--port", f"pty:{shoe}", *key, *dealt),
        log=folder / "shoe.log",
    )
    log = folder / "table.log"
    table = Program("the table", *python("shoe_controller.cli"), "run", str(folder / TABLE_FILE), log=log)
    try:
        await emulator.start()
        await table.start()
        await _until_result(table, emulator, log)
    except DemoError as error:
        raise NoRoundError(str(error)) from error
    finally:
        await table.stop()
        await emulator.stop()
    return journal


async def _until_result(table: Program, emulator: Program, log: Path) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not _has_result(log):
                for program in (table, emulator):
                    if not program.is_running:
                        raise await program.died()
                await asyncio.sleep(LOOK_AGAIN)
    except TimeoutError:
        raise NoRoundError(f"no round was over after {PATIENCE:g} s. {table.last_words}") from None


def _has_result(log: Path) -> bool:
    return RESULT in log.read_text(encoding="utf-8", errors="replace")
