"""Commands to an Angel Eye shoe, from the engine with a real journal: a gate without an answer, errors put right."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_protocol.angel_eye.commands import CONFIRM_GAME, UNLOCK, CommandReader, HostCommand, clear_error
from firmware_protocol.angel_eye.controller import AngelEyeController, LineSettings
from firmware_protocol.angel_eye.telegrams import encode_telegram
from shoe_controller.messages.acts import ClearAlert, Role
from shoe_controller.table.inputs import PersonActs, PinVerdict
from tests.daemon.test_engine import PATIENCE, Desk, at_work

pytestmark = pytest.mark.asyncio

ACK = b"\x06"
QUICK = LineSettings(answer_timeout=0.01, gate_again=0.01)
SLOW = LineSettings(answer_timeout=PATIENCE)


def alerts(desk: Desk) -> list[str]:
    return [alert.kind for alert in desk.controller.table.state.lasting.alerts]


async def becomes(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is waited for is set by many
            await asyncio.sleep(0.005)


def commands(desk: Desk) -> list[HostCommand]:
    """What was commanded since; each command is answered, so that the next goes out."""
    sent: list[HostCommand] = []
    while desk.written:
        written, desk.written = desk.written, b""
        found = CommandReader(stx_in_bcc=False).read(written)
        sent += [each for each in found if isinstance(each, HostCommand)]
        for _ in found:
            desk.controller.received(ACK)
    return sent


async def test_a_gate_that_does_not_answer_is_an_alert_until_it_does(tmp_path: Path) -> None:
    desk = Desk(tmp_path, AngelEyeController(commands=True, line=QUICK), "angel_eye")
    async with at_work(desk):
        desk.controller.line_opened()
        await becomes(lambda: alerts(desk) == ["gate_unanswered"])
        stored = len(desk.given)
        desk.written = b""
        await becomes(lambda: len(desk.written) > 4 * len(b"\x02OPLK01\x031A"))
        assert len(desk.given) == stored, "it is on record once, however often it is tried again"
        desk.controller.received(ACK)
        await becomes(lambda: alerts(desk) == [])


async def test_an_error_is_cleared_at_the_shoe_when_a_supervisor_has_cleared_its_alert(tmp_path: Path) -> None:
    desk = Desk(tmp_path, AngelEyeController(commands=True, line=SLOW), "angel_eye")
    async with at_work(desk):
        desk.controller.line_opened()
        await becomes(lambda: bool(desk.written))
        assert commands(desk) == [UNLOCK]
        desk.controller.received(encode_telegram(0, b"S") + encode_telegram(1, b"E\x84"))
        await becomes(lambda: alerts(desk) == ["card_pushed_back"])
        await desk.all_done()
        assert clear_error(4) not in commands(desk)
        clears = PersonActs(
            act=ClearAlert(alert=1),
            person="ann",
            role=Role.SUPERVISOR,
            pin=PinVerdict.RIGHT,
            reason="it is drawn",
            shoe=0,
            round=0,
        )
        assert await desk.controller.ask(clears) is None
        await desk.all_done()
        assert [each for each in commands(desk) if each.type != "LK"] == [clear_error(4), CONFIRM_GAME]


@pytest.mark.parametrize("telegram", [b"E\x8b", b"E\xcf", b"X\x90"], ids=["warning", "error mode", "unknown letter"])
async def test_an_error_that_no_command_clears_leaves_the_table_at_work(tmp_path: Path, telegram: bytes) -> None:
    desk = Desk(tmp_path, AngelEyeController(commands=True, line=SLOW), "angel_eye")
    async with at_work(desk):
        desk.controller.line_opened()
        await becomes(lambda: commands(desk) == [UNLOCK])
        desk.controller.received(encode_telegram(0, b"S") + encode_telegram(1, telegram))
        await becomes(lambda: bool(alerts(desk)))
        for alert in desk.controller.table.state.lasting.alerts:
            clears = PersonActs(
                act=ClearAlert(alert=alert.number),
                person="ann",
                role=Role.SUPERVISOR,
                pin=PinVerdict.RIGHT,
                reason="looked at",
                shoe=0,
                round=0,
            )
            assert await desk.controller.ask(clears) is None
        desk.controller.received(encode_telegram(2, b"E\x84"))
        await becomes(lambda: alerts(desk) == ["card_pushed_back"])
        assert [each for each in commands(desk) if each.type != "LK"] == []
