"""A shoe of another wire at a running table: log, status and an alert say what it is and what to set."""

from pathlib import Path

import pytest

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.commands.status import screen
from simulator.shoe_line import Wire, WireSettings
from tests.daemon.harness import Chain

pytestmark = pytest.mark.asyncio


async def test_an_angel_eye_shoe_at_a_native_table_is_named(tmp_path: Path) -> None:
    strange = WireSettings(wire=Wire.ANGEL_EYE, disclosing=Disclosing.AT_RESULT, key=None, spacing=0.004)
    async with Chain(tmp_path) as chain:
        await chain.start_daemon()
        display = await chain.display()
        async with chain.emulated_shoe(wire=strange):
            await display.until(lambda: display.state is not None and bool(display.state.alerts), within=30)
        assert display.state is not None
        (alert,) = display.state.alerts
        assert alert.kind == "wrong_line"
        assert alert.severity == "warns"
        assert display.status is not None
        shown = "\n".join(screen("T1", display.status, None, display.state, None))
        assert 'It looks like the Angel Eye wire: set wire = "angel_eye" in [shoe]' in shown
        assert "Check its cable" not in shown
        # Lines are written beside the loop, so that a message may come before them.
        await chain.becomes(lambda: chain.times_logged("alert_raised"), what="the log line")
        assert chain.times_logged("strange_bytes") == 1
        (raised,) = (line for line in chain.log_lines if line["event"] == "alert_raised")
        assert 'set wire = "angel_eye" in [shoe]' in raised["detail"]
        async with chain.emulated_shoe():
            await display.until(lambda: display.state is not None and not display.state.alerts, within=30)
