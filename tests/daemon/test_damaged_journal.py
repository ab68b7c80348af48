"""A journal that turns out to be damaged while the table runs: it is set aside, and the table begins a new one."""

import asyncio
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemon.harness import Chain
from tests.daemon.house_file import PINS, person
from tests.journal.tampering import tampered


def change(journal: Path, *statements: str) -> None:
    """Somebody has meddled with the file."""
    with closing(sqlite3.connect(journal, isolation_level=None, timeout=5)) as file:
        for statement in statements:
            file.execute(statement)


@pytest.mark.asyncio
async def test_who_was_struck_off_before_the_damage_stays_so(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        await chain.start_daemon()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await display.until(lambda: display.status is not None and display.state is not None, what="the table")
        assert display.status is not None
        journal = display.status.journal
        chain.data["people"] = [person("gurung", "supervisor", "391746")]
        chain.write_file()
        chain.daemon.signal(signal.SIGHUP)
        await chain.becomes(lambda: chain.times_logged("reloaded"), what="the reload")

        change(chain.journal, "DELETE FROM position")
        asked = asyncio.create_task(terminal.act("call_supervisor"))
        await display.until(
            lambda: display.status is not None and display.status.online and display.status.journal != journal,
            what="the table with a new journal",
        )
        asked.cancel()
        struck_off = await terminal.act("sign_in", role="supervisor", person="rana", pin=PINS["rana"], shoe=0, round=0)
        assert struck_off.code == "wrong_pin"
        taken_on = await terminal.act("sign_in", role="supervisor", person="gurung", pin="391746", shoe=0, round=0)
        assert taken_on.status == "ok"
        assert chain.times_logged("journal_damaged") == 1


@pytest.mark.asyncio
async def test_damage_that_is_noticed_when_events_are_sent(tmp_path: Path) -> None:
    """The broker was away; what is read from the journal for it cannot be trusted."""
    async with Chain(tmp_path, speed="100") as chain:
        await chain.broker.kill()
        await chain.start_daemon()
        await chain.start_emulator()
        await chain.becomes(lambda: chain.times_logged("round_result"), what="a round without a broker")
        await chain.kill_emulator()
        # It ends with a snapshot: the next start reads nothing before it, but what was never published.
        await chain.stop_daemon()
        tampered(
            chain.journal,
            "DELETE FROM record WHERE number = (SELECT min(number) FROM record WHERE name = 'round_result')",
        )
        await chain.broker.start()
        await chain.start_daemon()
        display = await chain.display()
        await display.until(lambda: display.status is not None and display.status.online, what="the table")
        await display.until(
            lambda: display.state is not None and any(a.kind == "journal_damaged" for a in display.state.alerts),
            what="the alert",
        )
        assert chain.daemon.is_running
        assert [file for file in chain.folder.iterdir() if "damaged" in file.name], "it was set aside"
        assert "Traceback" not in chain.daemon.output
