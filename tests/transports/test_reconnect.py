"""Keeping the line open: on real ptys, a real socket and the software USB bus, and on a port that follows a script."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import product, repeat
from pathlib import Path

import pytest

from shoe_controller.transports.reconnect import (
    STEADY_SECONDS,
    LineOpened,
    LineReport,
    LineState,
    Outage,
    Reconnector,
)
from shoe_controller.transports.serial_port import SerialPort, port_at
from shoe_controller.transports.socket_port import SocketPort
from shoe_controller.transports.transport import LOCAL_RETRY, OnBytes, OnLost, Port, Transport, TransportError
from shoe_controller.transports.usb_device import UsbDevice
from tests.transports.ears import Ears
from tests.transports.leaks import has_open
from tests.transports.noise import BURST, noise
from tests.transports.pty_shoe import PtyShoe
from tests.transports.reconnecting import running
from tests.transports.usb_lines import PRODUCT, VENDOR, ShoeOnBus, WatchedBus


def state_of(reconnector: Reconnector) -> LineState:
    """The state now; asked through a function, because a type checker believes that a property stays what it was."""
    return reconnector.state


@pytest.mark.asyncio
async def test_a_shoe_that_is_missing_at_first_boot_and_comes_later(tmp_path: Path) -> None:
    shoe, ears = PtyShoe(tmp_path / "shoe"), Ears()
    async with running(SerialPort(shoe.path), ears) as reconnector:
        (outage,) = await ears.hear_reports(1)
        assert isinstance(outage, Outage)
        assert not outage.was_open
        assert "no shoe is there. Plug it in" in outage.reason
        await asyncio.sleep(0.05)  # many more attempts, and not one more report
        assert len(ears.reports) == 1
        assert state_of(reconnector) is LineState.LOOKING
        reconnector.write(b"nobody hears this")

        shoe.plug_in()
        _, opened = await ears.hear_reports(2)
        assert isinstance(opened, LineOpened)
        assert opened.outage is not None
        assert opened.outage > 0
        assert state_of(reconnector) is LineState.OPEN
        reconnector.write(b"hello")
        assert await shoe.receive(5) == b"hello"
    assert has_open(shoe.terminal) == 1
    shoe.unplug()


@pytest.mark.asyncio
async def test_unplug_and_replug_again_and_again(shoe: PtyShoe) -> None:
    ears = Ears()
    async with running(SerialPort(shoe.path), ears) as reconnector:
        assert await ears.hear_reports(1) == [LineOpened(shoe.path, None)]
        for turn in range(20):
            said = noise(300, seed=turn)
            ears.data.clear()
            await shoe.send(said)
            assert await ears.hear_bytes(300) == said
            if turn % 2:
                reconnector.write(noise(BURST))  # pulled while bytes wait to be written
            shoe.unplug()
            await ears.hear_reports(2 * turn + 2)
            assert reconnector.state is LineState.LOOKING
            shoe.plug_in()
            await ears.hear_reports(2 * turn + 3)
            assert has_open(shoe.terminal) == 2
    assert [type(report) for report in ears.reports] == [LineOpened, *(20 * [Outage, LineOpened])]
    assert all(report.was_open for report in ears.reports if isinstance(report, Outage))


@pytest.mark.asyncio
async def test_a_port_in_use_is_waited_for(shoe: PtyShoe) -> None:
    ears = Ears()
    holder = await SerialPort(shoe.path).open(print, print)
    async with running(SerialPort(shoe.path), ears):
        (outage,) = await ears.hear_reports(1)
        assert isinstance(outage, Outage)
        assert "is in use by" in outage.reason
        await holder.close()
        await ears.hear_reports(2)


@pytest.mark.asyncio
async def test_a_usb_shoe_comes_and_goes(bus: WatchedBus) -> None:
    ears = Ears()
    async with running(UsbDevice(VENDOR, PRODUCT, backend=bus), ears) as reconnector:
        await ears.hear_reports(1)
        for turn in range(3):
            shoe = ShoeOnBus(bus)
            await ears.hear_reports(2 * turn + 2)
            ears.data.clear()
            shoe.send(noise(300))
            assert await ears.hear_bytes(300) == noise(300)
            reconnector.write(b"gate")
            await asyncio.to_thread(shoe.wait_for_bytes, 4)
            shoe.unplug()
            await ears.hear_reports(2 * turn + 3)
            assert bus.open_handles == set()
    assert [type(report) for report in ears.reports] == [Outage, *(3 * [LineOpened, Outage])]


@pytest.mark.asyncio
async def test_a_serial_server_comes_and_goes() -> None:
    ears = Ears()
    with socket.create_server(("127.0.0.1", 0)) as placeholder:
        number = placeholder.getsockname()[1]
    async with running(port_at(f"socket://127.0.0.1:{number}"), ears):
        (outage,) = await ears.hear_reports(1)
        assert isinstance(outage, Outage)
        assert "no answer from there" in outage.reason
        with socket.create_server(("127.0.0.1", number)) as server:
            await ears.hear_reports(2)
            connection, _ = server.accept()
            connection.sendall(b"nine of hearts")
            await ears.hear_bytes(14)
            connection.close()
            await ears.hear_reports(3)
    assert [type(report) for report in ears.reports[:3]] == [Outage, LineOpened, Outage]


@pytest.mark.parametrize("turns", range(12))
@pytest.mark.asyncio
async def test_cancelling_at_any_moment_leaves_nothing(shoe: PtyShoe, bus: WatchedBus, turns: int) -> None:
    usb_shoe = ShoeOnBus(bus)
    with socket.create_server(("127.0.0.1", 0)) as server:
        ports: list[Port] = [
            SerialPort(shoe.path),
            SocketPort(f"socket://127.0.0.1:{server.getsockname()[1]}"),
            UsbDevice(VENDOR, PRODUCT, backend=bus),
        ]
        ears = Ears()
        reconnectors = [Reconnector(port, ears.on_report, ears.on_bytes) for port in ports]
        tasks = [asyncio.create_task(reconnector.run()) for reconnector in reconnectors]
        for turn in range(turns):
            await asyncio.sleep(0)
            if turn == turns // 2:
                shoe.unplug()
                usb_shoe.unplug()
                server.close()
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(outcome, asyncio.CancelledError)
    assert {reconnector.state for reconnector in reconnectors} == {LineState.STOPPED}
    assert bus.open_handles == set()


class ScriptedPort:
    """A port whose every attempt follows a script: `None` cannot be opened, a number is seconds that the line holds."""

    name = "the port"

    def __init__(self, script: Iterator[float | None], clock: "HandClock", delays: list[float] | None = None) -> None:
        self._script = script
        self._clock = clock
        self._delays = delays
        self.open_lines = 0

    def retry_delays(self) -> Iterator[float]:
        return repeat(LOCAL_RETRY) if self._delays is None else iter(self._delays)

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> Transport:
        await asyncio.sleep(0)
        holds = next(self._script)
        if holds is None:
            raise TransportError("nobody there")
        self.open_lines += 1
        loop = asyncio.get_running_loop()
        loop.call_soon(on_bytes, b"card")
        loop.call_soon(self._lose, holds, on_lost)
        return ScriptedLine(self)

    def _lose(self, held: float, on_lost: OnLost) -> None:
        self._clock.now += held
        on_lost(TransportError("pulled"))


class ScriptedLine:
    def __init__(self, port: ScriptedPort) -> None:
        self._port = port

    def write(self, data: bytes) -> None:
        raise AssertionError(data)

    async def close(self) -> None:
        await asyncio.sleep(0)
        self._port.open_lines -= 1


class HandClock:
    """Time that passes only when somebody sleeps or a line holds."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleeps: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


async def follow(
    script: list[float | None], delays: list[float] | None = None
) -> tuple[list[LineReport | str], HandClock]:
    """Run a script to its end; what was reported and received, in order, and the clock."""
    clock, said = HandClock(), list[LineReport | str]()
    port = ScriptedPort(iter(script), clock, delays)
    reconnector = Reconnector(
        port, said.append, lambda data: said.append(data.decode()), sleep=clock.sleep, clock=clock
    )
    with pytest.raises(
        RuntimeError, match="StopIteration"
    ):  # the end of the script, not a TransportError: it ends `run`
        await reconnector.run()
    assert port.open_lines == 0
    assert reconnector.state is LineState.STOPPED
    return said, clock


@pytest.mark.parametrize("script", list(product([None, 1.0], repeat=6)))
@pytest.mark.asyncio
async def test_one_report_for_each_outage_and_one_for_its_end(script: tuple[float | None, ...]) -> None:
    said, clock = await follow(list(script))
    expected: list[LineReport | str] = []
    missing_since: float | None = None
    now = 100.0
    for holds in script:
        if holds is not None:
            expected += [LineOpened("the port", None if missing_since is None else now - missing_since), "card"]
            now += holds
        if holds is not None or missing_since is None:
            expected.append(Outage("the port", holds is not None, "nobody there" if holds is None else "pulled"))
            missing_since = now
        now += LOCAL_RETRY
    assert said == expected
    assert clock.sleeps == [LOCAL_RETRY] * 6


@pytest.mark.asyncio
async def test_delays_grow_until_a_line_has_held_for_a_while() -> None:
    delays = [1.0, 2.0, 4.0, 8.0, 8.0]
    _, clock = await follow([None, None, 0.1, None, STEADY_SECONDS, None], delays)
    assert clock.sleeps == [1.0, 2.0, 4.0, 8.0, 1.0, 2.0]


@pytest.mark.asyncio
async def test_a_fault_in_our_own_program_ends_run_and_closes_the_line(shoe: PtyShoe) -> None:
    ears = Ears()

    def stumble(data: bytes) -> None:
        raise ZeroDivisionError(data)

    reconnector = Reconnector(SerialPort(shoe.path), ears.on_report, stumble)
    task = asyncio.create_task(reconnector.run())
    await ears.hear_reports(1)
    await shoe.send(b"card")
    with pytest.raises(ZeroDivisionError):
        await task
    assert has_open(shoe.terminal) == 1
    assert reconnector.state is LineState.STOPPED


@pytest.mark.asyncio
async def test_a_fault_in_a_report_ends_run_and_closes_the_line(shoe: PtyShoe) -> None:
    def stumble(report: LineReport) -> None:
        raise ZeroDivisionError(report)

    with pytest.raises(ZeroDivisionError):
        await Reconnector(SerialPort(shoe.path), stumble, print).run()
    assert has_open(shoe.terminal) == 1


@pytest.mark.asyncio
async def test_running_twice_is_a_fault_but_running_again_is_not(shoe: PtyShoe) -> None:
    ears = Ears()
    async with running(SerialPort(shoe.path), ears) as reconnector:
        await ears.hear_reports(1)
        with pytest.raises(RuntimeError, match="call `run` once"):
            await reconnector.run()
        assert reconnector.state is LineState.OPEN
    again = asyncio.create_task(reconnector.run())
    assert await ears.hear_reports(2) == 2 * [LineOpened(shoe.path, None)]
    again.cancel()
    with suppress(asyncio.CancelledError):
        await again


@pytest.mark.asyncio
async def test_local_devices_are_looked_for_every_half_second(bus: WatchedBus) -> None:
    for port in (SerialPort("/dev/shoe"), UsbDevice(1, 1, backend=bus)):
        assert [delay for delay, _ in zip(port.retry_delays(), range(5), strict=False)] == 5 * [0.5]
