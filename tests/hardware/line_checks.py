"""Bytes through a real kernel: the controller's transports read the emulated shoe as a tty and through libusb.

The shoe lives in a thread and an event loop of its own (`shoe_elsewhere.py`): whoever opens a tty waits in the kernel
for the device's answers, and could not give them itself.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from shoe_controller.transports.reconnect import LineOpened, LineReport, Outage, Reconnector
from shoe_controller.transports.serial_port import SerialPort
from shoe_controller.transports.transport import Port
from shoe_controller.transports.usb_device import UsbDevice
from simulator.ports.usb_shoe import UsbIdentity, UsbKind
from simulator.ports.usbip import UsbIpPort
from tests.hardware.shoe_elsewhere import ShoeElsewhere, elsewhere
from tests.hardware.usbip_command import attach, detach

PATIENCE = 120.0
"""Seconds for things that take a tenth of one on a real machine: the guest's processor is emulated, and on a busy host
it took more than 30 of them to start the daemon."""
BURST = 64 * 1024
IDENTITY = UsbIdentity(serial_number="GUEST-1")


class Watcher:
    """Receives at both ends: it is the shoe behind the port, and it takes what the controller's line reports."""

    def __init__(self) -> None:
        self.host_is_there = False
        self.at_shoe = bytearray()
        self.at_controller = bytearray()
        self.reports: list[LineReport] = []
        self._news = asyncio.Event()

    def host_attached(self) -> None:
        self.host_is_there = True
        self._news.set()

    def host_detached(self) -> None:
        self.host_is_there = False
        self._news.set()

    def received(self, data: bytes) -> None:
        self.at_shoe += data
        self._news.set()

    def on_bytes(self, data: bytes) -> None:
        self.at_controller += data
        self._news.set()

    def on_report(self, report: LineReport) -> None:
        self.reports.append(report)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def until_report(self, kind: type[LineReport]) -> None:
        """Wait for the next report, which must be of this kind."""
        await self.until(lambda: bool(self.reports))
        report = self.reports.pop(0)
        assert isinstance(report, kind), report


def real_name(path: str) -> str:
    return str(Path(path).resolve())


@asynccontextmanager
async def controller(line: Port, watcher: Watcher) -> AsyncIterator[Reconnector]:
    reconnector = Reconnector(line, watcher.on_report, watcher.on_bytes)
    task = asyncio.create_task(reconnector.run())
    try:
        yield reconnector
    finally:
        task.cancel()
        await asyncio.wait([task])


async def exchange(shoe: ShoeElsewhere, reconnector: Reconnector, watcher: Watcher, seed: int) -> None:
    """A burst each way at the same time; every byte once and in order."""
    noise = random.Random(seed)  # noqa: S311 - the same bytes in every run
    to_controller, to_shoe = noise.randbytes(BURST), noise.randbytes(BURST)
    await watcher.until(lambda: watcher.host_is_there)
    watcher.at_controller.clear()
    watcher.at_shoe.clear()
    shoe.write(to_controller)
    reconnector.write(to_shoe)
    await watcher.until(lambda: len(watcher.at_controller) >= BURST and len(watcher.at_shoe) >= BURST)
    assert watcher.at_controller == to_controller
    assert watcher.at_shoe == to_shoe
    assert shoe.port.lost_bytes == 0


async def survives(port: UsbIpPort, line: Port) -> None:
    """Absent at first, attached, detached by the host, attached again, unplugged at the shoe, plugged in again."""
    watcher = Watcher()
    async with elsewhere(port, watcher) as shoe, controller(line, watcher) as reconnector:
        await watcher.until_report(Outage)
        await attach(shoe.port)
        await watcher.until_report(LineOpened)
        await exchange(shoe, reconnector, watcher, seed=1)

        await detach()
        await watcher.until_report(Outage)
        await watcher.until(lambda: not watcher.host_is_there)
        await attach(shoe.port)
        await watcher.until_report(LineOpened)
        await exchange(shoe, reconnector, watcher, seed=2)

        for seed in (3, 4):
            shoe.write(bytes(BURST))  # pulled out in the middle of this
            await shoe.unplug()
            await watcher.until_report(Outage)
            await shoe.replug()
            await attach(shoe.port)
            await watcher.until_report(LineOpened)
            await exchange(shoe, reconnector, watcher, seed)
    await watcher.until(lambda: not watcher.host_is_there)


async def a_serial_shoe_is_a_tty() -> None:
    port = UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.CDC_ACM)
    await survives(port, SerialPort(port.device))


async def a_tty_keeps_its_name() -> None:
    """The line lets go of the device at the first error: else the kernel would call it ttyACM1 next time."""
    port = UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.CDC_ACM)
    watcher = Watcher()
    async with elsewhere(port, watcher) as shoe, controller(SerialPort(port.device), watcher):
        await watcher.until_report(Outage)
        for _ in range(3):
            await attach(shoe.port)
            await watcher.until_report(LineOpened)
            assert real_name(port.device) == "/dev/ttyACM0"
            await shoe.unplug()
            await watcher.until_report(Outage)
            await shoe.replug()


async def closing_a_tty_is_seen_by_the_shoe() -> None:
    port = UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.CDC_ACM)
    watcher = Watcher()
    async with elsewhere(port, watcher) as shoe:
        await attach(shoe.port)
        for _ in range(2):
            assert not watcher.host_is_there
            async with controller(SerialPort(port.device), watcher):
                await watcher.until(lambda: watcher.host_is_there)
            await watcher.until(lambda: not watcher.host_is_there)


async def a_vendor_shoe_is_read_through_libusb() -> None:
    port = UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.VENDOR)
    await survives(port, UsbDevice(IDENTITY.vendor, IDENTITY.product, IDENTITY.serial_number))


async def closing_a_vendor_shoe_is_seen_by_it() -> None:
    port = UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.VENDOR)
    watcher = Watcher()
    async with elsewhere(port, watcher) as shoe:
        await attach(shoe.port)
        for seed in (5, 6):
            assert not watcher.host_is_there
            async with controller(UsbDevice(IDENTITY.vendor, IDENTITY.product), watcher) as reconnector:
                await exchange(shoe, reconnector, watcher, seed)
            await watcher.until(lambda: not watcher.host_is_there)
