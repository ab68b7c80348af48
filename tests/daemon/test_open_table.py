"""A journal that was set aside is reported, however often the controller dies before it has done so."""

from pathlib import Path

import pytest

from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import RunningConfig, for_running
from shoe_controller.daemon.assembly import open_table
from shoe_controller.daemon.table_journal import entry_for
from shoe_controller.journal.opening import set_aside_names
from shoe_controller.table.inputs import JournalFailed, JournalTrouble
from tests.table_files import load, small_house

CLOCK = SystemClock()


def table_in(folder: Path) -> RunningConfig:
    sections = {
        "table": {"site": "north", "name": "t-1"},
        "shoe": {"wire": "angel_eye", "port": "/dev/ttyUSB0"},
        "journal": {"file": "t-1.journal", "anchor": "t-1.anchor"},
    }
    return for_running(load(folder, small_house() | sections))


async def start_and_die(config: RunningConfig, *, telling: bool) -> str:
    """What a start would tell of damage; it dies before, or after, that is stored."""
    opened = open_table(config, CLOCK)
    if telling:
        now = CLOCK.now()
        told = JournalFailed(trouble=JournalTrouble.DAMAGED, detail=opened.damaged)
        await opened.writer.submit(entry_for(told, opened.table.handle(told, now), now))
    opened.reader.close()
    opened.writer.close()
    return opened.damaged


@pytest.mark.asyncio
async def test_until_it_was_told_every_start_finds_it_out_again(tmp_path: Path) -> None:
    config = table_in(tmp_path)
    assert await start_and_die(config, telling=False) == ""
    for times in (1, 2):
        config.journal.file.write_bytes(b"this was a journal once")
        first = await start_and_die(config, telling=False)
        aside = set_aside_names(config.journal.file)
        assert len(aside) == times, "nothing is overwritten"
        assert all(name in first for name in aside)
        again = await start_and_die(config, telling=True)
        assert all(name in again for name in aside)
        assert await start_and_die(config, telling=False) == "", "it was reported"


@pytest.mark.asyncio
async def test_what_was_set_aside_untold_is_told_with_the_next(tmp_path: Path) -> None:
    config = table_in(tmp_path)
    for _ in range(2):
        config.journal.file.write_bytes(b"this was a journal once")
        told = await start_and_die(config, telling=False)
    assert [name in told for name in set_aside_names(config.journal.file)] == [True, True]
