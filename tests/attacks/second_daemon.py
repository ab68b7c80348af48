"""A second controller on the journal of a running one, under another name: it is refused, and the first goes on."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from tests.attacks.attack import Attack
from tests.attacks.table_journal import NAME, SITE
from tests.daemon.programs import Program
from tests.journal.samples import verified
from tests.journal.tampering import query
from tests.table_files import small_house, write

PATIENCE = 120.0


def _symbolic_link(journal: Path, alias: Path) -> Path:
    alias.symlink_to(journal)
    return alias


def _linked_folder(journal: Path, alias: Path) -> Path:
    alias.symlink_to(journal.parent)
    return alias / journal.name


def _hard_link(journal: Path, alias: Path) -> Path:
    os.link(journal, alias)
    return alias


def _removed_lock(journal: Path, _alias: Path) -> Path:
    journal.with_name(f"{journal.name}.lock").unlink(missing_ok=True)
    return journal


ALIASES: tuple[Callable[[Path, Path], Path], ...] = (_symbolic_link, _linked_folder, _hard_link, _removed_lock)


def start_second(folder: Path, tries: int) -> str:
    held = asyncio.run(_start_second(folder, tries))
    assert not list(folder.rglob("*.damaged-*")), "the journal was set aside"
    assert verified(folder / "first" / "table.journal", software="").good
    return held


async def _start_second(folder: Path, tries: int) -> str:
    journal = folder / "first" / "table.journal"
    first = _controller(folder / "first", journal)
    await first.start()
    try:
        async with asyncio.timeout(PATIENCE):
            while not (journal.exists() and query(journal, "SELECT head_number FROM position") > [(0,)]):
                assert first.is_running, first.output
                await asyncio.sleep(0.1)
        for number in range(tries):
            place = folder / f"second-{number}"
            place.mkdir()
            alias = ALIASES[number % len(ALIASES)](journal, place / "alias")
            second = _controller(place, alias)
            await second.start()
            assert await second.ended(PATIENCE) != 0
            refusal = "hard links" if alias.stat().st_nlink > 1 else "another program writes to this journal"
            assert refusal in second.output, second.output
            assert "Traceback" not in second.output, second.output
            if alias.stat().st_nlink > 1:
                alias.unlink()
            assert first.is_running, first.output
        assert await first.terminate(PATIENCE) == 0, first.output
    finally:
        if first.is_running:
            await first.kill()
    return f"{tries} second controllers refused, under {len(ALIASES)} kinds of names; the first went on"


def _controller(folder: Path, journal: Path) -> Program:
    folder.mkdir(exist_ok=True)
    settings = small_house() | {
        "table": {"site": SITE, "name": NAME},
        "shoe": {"wire": "angel_eye", "port": str(folder / "no-such-port")},
        "journal": {"file": str(journal), "anchor": str(folder / "table.anchor")},
    }
    return Program("shoe-controller", "run", str(write(folder, settings)), log=folder / "log")


ATTACKS = (Attack("second controller on one journal", start_second, tries=2 * len(ALIASES), sample=0),)
"""`tests/journal/test_locks.py` is its sample: two controllers take seconds to start."""
