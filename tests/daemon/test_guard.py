"""A guard that has become stricter since the shoe on the table was opened: the table goes on, and its log says so."""

from pathlib import Path

import pytest

from tests.daemon.harness import Chain
from tests.daemon.in_process import ClockThatIsSet, daemon_running
from tests.daemon.test_clock import OPENED

NOTHING_PAID = {"mode": "down", "unit": 100}
"""A winning Banker of 100, less commission, is 95."""


@pytest.mark.asyncio
async def test_a_table_goes_on_with_rules_that_the_guard_refuses_now(tmp_path: Path) -> None:
    async with Chain(tmp_path, with_broker=False) as chain:
        chain.data["house"]["rounding"] = NOTHING_PAID
        file = chain.write_file()
        # A table that begins with such a file does not start.
        await chain.start_daemon(wait=False)
        await chain.becomes(lambda: not chain.daemon.is_running, what="the refusal")
        assert "base.banker is paid nothing at a stake of 100" in chain.daemon.output
        # As by a version whose guard had nothing against it.
        async with daemon_running(file, ClockThatIsSet()) as daemon:
            assert await daemon.ask(OPENED) is None
        (tmp_path / "daemon.log").write_text("")
        await chain.start_daemon()
        await chain.becomes(lambda: chain.times_logged("rules_refused"), what="the guard's word")
        (line,) = [line for line in chain.log_lines if line["event"] == "rules_refused"]
        assert line["level"] == "error"
        assert "correct the file" in line["what"]
        assert "set unit = 50, or set min = 200 for it" in line["what"]
        assert await chain.stop_daemon() == 0

        # Another mistake in the file is one that its author can correct before the table starts.
        chain.data["house"]["decks"] = 7
        chain.write_file()
        await chain.start_daemon(wait=False)
        await chain.becomes(lambda: not chain.daemon.is_running, what="the refusal of a changed file")
