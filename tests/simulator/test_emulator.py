"""The emulated shoe on real ports and a real clock, read by the controller's real transports and links."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import pytest_asyncio

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.events import Button, ButtonPressed, CardDrawn, Misread, ResultIndicated, Started
from firmware_protocol.link import EventGap, LinkDown, LinkUp
from shoe_controller.transports.serial_port import port_at
from shoe_controller.transports.transport import Port as ControllerPort
from shoe_controller.transports.usb_device import UsbDevice
from simulator.dealer import AS_FAST_AS_THE_LINE
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.port import Port, PortError
from simulator.ports.pty import PtyPort
from simulator.ports.tcp import TcpPort
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_shoe import UsbIdentity
from simulator.scenario import planned
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import AnyHappening, CableMoved, RoundEnded
from simulator.virtual_shoe import CannotError
from tests.simulator.agreement import assert_agreement, assert_nothing_invented
from tests.simulator.live_controller import LiveController
from tests.transports.leaks import leak_check

pytestmark = pytest.mark.asyncio

NATIVE = WireSettings(wire=Wire.NATIVE, key=bytes(range(32)))
ANGEL_EYE = WireSettings(wire=Wire.ANGEL_EYE, disclosing=Disclosing.AT_RESULT, spacing=0.002)
WITHIN = 30.0


class Plugs(NamedTuple):
    """The two ends of one line."""

    shoe: Port
    controller: Callable[[], ControllerPort]


def pty_plugs(folder: Path) -> Plugs:
    port = PtyPort(folder / "shoe")
    return Plugs(port, lambda: port_at(port.address))


def tcp_plugs(_folder: Path) -> Plugs:
    port = TcpPort()
    return Plugs(port, lambda: port_at(port.address))


def usb_plugs(_folder: Path) -> Plugs:
    bus, identity = UsbBus(), UsbIdentity()
    device = UsbDevice(identity.vendor, identity.product, identity.serial_number, backend=bus)
    return Plugs(UsbPort(bus, identity), lambda: device)


LINES = [
    pytest.param(NATIVE, pty_plugs, id="native-pty"),
    pytest.param(NATIVE, tcp_plugs, id="native-tcp"),
    pytest.param(NATIVE, usb_plugs, id="native-usb"),
    pytest.param(ANGEL_EYE, pty_plugs, id="angel_eye-pty"),
    pytest.param(ANGEL_EYE, tcp_plugs, id="angel_eye-tcp"),
]
MakePlugs = Callable[[Path], Plugs]


@pytest_asyncio.fixture(autouse=True)
async def nothing_leaks() -> AsyncIterator[None]:
    async with leak_check():
        yield


def by_hand(wire: WireSettings) -> EmulationSettings:
    return EmulationSettings(wire=wire, seed=3, decks=1, speed=None)


@pytest.mark.parametrize(("wire", "plugs"), LINES)
async def test_a_whole_shoe_arrives_card_for_card(wire: WireSettings, plugs: MakePlugs, tmp_path: Path) -> None:
    truth: list[AnyHappening] = []
    ends = plugs(tmp_path)
    settings = EmulationSettings(wire=wire, seed=3, decks=1, shoes=1, speed=AS_FAST_AS_THE_LINE)
    async with (
        EmulatedShoe(port=ends.shoe, settings=settings, truth=truth.append) as shoe,
        LiveController(ends.controller(), wire) as controller,
    ):
        await shoe.until(lambda: shoe.emulation.dealer.finished, within=WITHIN)
        rounds = sum(isinstance(happening, RoundEnded) for happening in truth)
        await controller.until(lambda: controller.count(ResultIndicated) == rounds)
    assert rounds > 2
    assert_agreement(truth, controller.seen)


@pytest.mark.parametrize(("wire", "plugs"), LINES)
async def test_pulled_and_plugged_in_again(wire: WireSettings, plugs: MakePlugs, tmp_path: Path) -> None:
    truth: list[AnyHappening] = []
    ends = plugs(tmp_path)
    async with (
        EmulatedShoe(port=ends.shoe, settings=by_hand(wire), truth=truth.append) as shoe,
        LiveController(ends.controller(), wire) as controller,
    ):
        await shoe.until(lambda: shoe.emulation.shoe.line.host_attached)
        await shoe.until(lambda: shoe.emulation.shoe.why_no_card is None)
        shoe.draw()
        await controller.until(lambda: controller.count(CardDrawn) == 1)
        await shoe.unplug()
        assert not shoe.plugged_in
        await controller.until(lambda: controller.count(LinkDown) == 1)
        shoe.draw()
        shoe.draw()
        await shoe.replug()
        await controller.until(lambda: controller.count(LinkUp) == 2)
        await shoe.until(lambda: shoe.emulation.shoe.why_no_card is None)
        shoe.draw()
        kept = 4 if wire.wire is Wire.NATIVE else 2
        await controller.until(lambda: controller.count(CardDrawn) == kept)
    if wire.wire is Wire.NATIVE:
        assert_agreement(truth, controller.seen)
    else:
        assert controller.count(EventGap) == 1
        assert_nothing_invented(truth, controller.seen)


async def test_people_and_tests_can_do_everything_by_hand(tmp_path: Path) -> None:
    ends = pty_plugs(tmp_path)
    truth: list[AnyHappening] = []
    async with (
        EmulatedShoe(port=ends.shoe, settings=by_hand(NATIVE), truth=truth.append) as shoe,
        LiveController(ends.controller(), NATIVE) as controller,
    ):
        await shoe.until(lambda: shoe.emulation.shoe.why_no_card is None)
        shoe.new_cards()
        while shoe.emulation.shoe.firmware.rounds == 0:
            shoe.draw()
        while shoe.emulation.shoe.firmware.next_side is not None:
            shoe.draw()
        shoe.press(Button.RESULT)
        shoe.press(Button.CALL_SUPERVISOR)
        shoe.inject("misread")
        shoe.draw()
        shoe.clear()
        shoe.press(Button.RESULT, held=True)
        shoe.move_lid(opened=True)
        with pytest.raises(CannotError, match="the lid is open"):
            shoe.draw()
        shoe.move_lid(opened=False)
        shoe.turn_gate_key()
        with pytest.raises(CannotError, match="the gate is locked"):
            shoe.draw()
        shoe.turn_gate_key()
        shoe.reboot()
        shoe.power_off()
        with pytest.raises(CannotError, match="no power"):
            shoe.press(Button.RESULT)
        shoe.power_on()
        await controller.until(lambda: controller.count(Started) == 3)
    buttons = [event.button for event in controller.seen if isinstance(event, ButtonPressed)]
    assert buttons == [Button.NEW_SHOE, Button.RESULT, Button.CALL_SUPERVISOR, Button.RESULT]
    assert controller.count(Misread) == 1
    assert_agreement(truth, controller.seen)


async def test_the_dealer_can_be_sent_away_and_called_back(tmp_path: Path) -> None:
    ends = pty_plugs(tmp_path)
    settings = EmulationSettings(wire=NATIVE, seed=3, decks=1, speed=50.0)
    async with EmulatedShoe(port=ends.shoe, settings=settings) as shoe, LiveController(ends.controller(), NATIVE):
        body = shoe.emulation.shoe
        await shoe.until(lambda: body.cards_out >= 3, within=WITHIN)
        shoe.let_dealer(deal=False)
        assert shoe.emulation.dealer.next_deadline() is None
        out = body.cards_out
        shoe.draw()
        assert body.cards_out == out + 1
        shoe.let_dealer(deal=True, speed=AS_FAST_AS_THE_LINE)
        await shoe.until(lambda: body.shoes_loaded == 2, within=WITHIN)


async def test_a_fault_may_pull_the_cable_by_itself(tmp_path: Path) -> None:
    ends = tcp_plugs(tmp_path)
    truth: list[AnyHappening] = []
    async with (
        EmulatedShoe(port=ends.shoe, settings=by_hand(NATIVE), truth=truth.append) as shoe,
        LiveController(ends.controller(), NATIVE) as controller,
    ):
        await shoe.until(lambda: shoe.emulation.shoe.link_up)
        shoe.inject(msgspec.structs.replace(planned("unplug"), seconds=0.2))
        await controller.until(lambda: controller.count(LinkDown) == 1)
        await controller.until(lambda: controller.count(LinkUp) == 2)
    moved = [happening.plugged_in for happening in truth if isinstance(happening, CableMoved)]
    assert moved == [False, True]


async def test_of_a_shoe_that_could_not_be_plugged_in_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "shoe").write_text("in the way")
    truth: list[AnyHappening] = []
    with pytest.raises(PortError):
        async with EmulatedShoe(port=PtyPort(tmp_path / "shoe"), settings=by_hand(NATIVE), truth=truth.append):
            pass
    assert truth == []


async def test_a_condition_that_never_comes_is_a_timeout(tmp_path: Path) -> None:
    async with EmulatedShoe(port=PtyPort(tmp_path / "shoe"), settings=by_hand(NATIVE)) as shoe:
        with pytest.raises(TimeoutError):
            await shoe.until(lambda: shoe.emulation.shoe.cards_out > 0, within=0.01)


async def test_a_port_that_is_taken_is_an_error_and_nothing_is_touched(tmp_path: Path) -> None:
    taken = tmp_path / "shoe"
    taken.write_text("somebody's file")
    with pytest.raises(PortError, match="in the way"):
        await EmulatedShoe(port=PtyPort(taken), settings=by_hand(NATIVE)).__aenter__()
    assert taken.read_text() == "somebody's file"


async def test_a_cable_that_cannot_be_plugged_in_again_says_why(tmp_path: Path) -> None:
    link = tmp_path / "shoe"
    async with EmulatedShoe(port=PtyPort(link), settings=by_hand(NATIVE)) as shoe:
        await shoe.unplug()
        link.write_text("somebody was quicker")
        with pytest.raises(PortError, match="in the way"):
            await shoe.replug()
        link.unlink()
        await shoe.replug()
        assert shoe.trouble is None
        assert link.is_symlink()
    assert not link.is_symlink()


async def test_many_shoes_live_in_one_loop(tmp_path: Path) -> None:
    """Forty shoes, each with one timer and no task of its own."""
    shoes = [
        EmulatedShoe(
            port=PtyPort(tmp_path / f"shoe{number}"),
            settings=EmulationSettings(wire=ANGEL_EYE, seed=number, decks=1, speed=50.0),
        )
        for number in range(40)
    ]
    tasks = len(asyncio.all_tasks())
    for shoe in shoes:
        await shoe.__aenter__()
    try:
        for shoe in shoes:
            shoe.host_attached()
        assert len(asyncio.all_tasks()) == tasks
        await asyncio.gather(
            *(shoe.until(lambda shoe=shoe: shoe.emulation.shoe.cards_out >= 4, within=WITHIN) for shoe in shoes)  # type: ignore[misc]
        )
    finally:
        for shoe in shoes:
            await shoe.__aexit__(None, None, None)
    assert os.listdir(tmp_path) == []  # noqa: PTH208 -- an empty folder, looked at in a moment
