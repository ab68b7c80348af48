"""The emulator as a product, and a controller's link, with a real kernel between them: every card arrives, once.

`shoe-emulator` runs as a process of its own, as it would on a bench, and writes down the truth.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from firmware_protocol.events import CardDrawn, ResultIndicated
from firmware_protocol.link import LinkDown, LinkUp
from shoe_controller.transports.serial_port import port_at
from shoe_controller.transports.transport import Port
from shoe_controller.transports.usb_device import UsbDevice
from simulator.ports.usb_shoe import UsbIdentity, UsbKind
from simulator.ports.usbip import UsbIpPort
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import RoundEnded, read_truth
from tests.hardware.usbip_command import attach, detach
from tests.simulator.agreement import assert_agreement
from tests.simulator.live_controller import LiveController

KEY = bytes(range(32))
IDENTITY = UsbIdentity(serial_number="GUEST-2")
NUMBER = 3240
FOLDER = Path("/tmp")  # noqa: S108 - the guest has nothing else, and is thrown away
TRUTH = FOLDER / "truth"


WITH_KEY = ("--key", str(FOLDER / "key"))


@asynccontextmanager
async def shoe_emulator(
    port_option: str, *, wire: tuple[str, ...] = WITH_KEY, speed: int = 50
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Deals one deck at so many times a person's pace, and ends when everything was received and acknowledged."""
    _write_key()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "simulator.cli", "run", "--headless", "--port", port_option),
        *wire,
        *("--serial-number", "GUEST-2", "--truth", str(TRUTH)),
        *("--decks", "1", "--shoes", "1", "--seed", "3", "--speed", str(speed)),
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        await _listens(process)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _listens(process: asyncio.subprocess.Process) -> None:
    """Wait until the emulator takes connections."""
    while process.returncode is None:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", NUMBER)
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise AssertionError("the emulator ended before it began")


def _write_key() -> None:
    (FOLDER / "key").write_text(KEY.hex())


async def _a_whole_shoe_arrives(port_option: str, port: UsbIpPort, line: Port) -> None:
    """With the cable out twice on the way."""
    wire = WireSettings(wire=Wire.NATIVE, key=KEY)
    async with shoe_emulator(port_option) as process, LiveController(line, wire) as controller:
        for turn in (1, 2):
            await attach(port)
            await controller.until(lambda turn=turn: controller.count(LinkUp) == turn)  # type: ignore[misc]
            await controller.until(lambda turn=turn: controller.count(CardDrawn) >= 8 * turn)  # type: ignore[misc]
            await detach()
            await controller.until(lambda turn=turn: controller.count(LinkDown) == turn)  # type: ignore[misc]
        await attach(port)
        assert await process.wait() == 0
        truth = read_truth(TRUTH)
        rounds = sum(isinstance(happening, RoundEnded) for happening in truth)
        await controller.until(lambda: controller.count(ResultIndicated) == rounds)
    assert rounds > 2
    assert_agreement(truth, controller.seen)


async def a_whole_shoe_arrives_over_a_tty() -> None:
    port = UsbIpPort(port=NUMBER, identity=IDENTITY, kind=UsbKind.CDC_ACM)
    await _a_whole_shoe_arrives(f"usbip:127.0.0.1:{NUMBER}", port, port_at(port.device))


async def a_whole_shoe_arrives_through_libusb() -> None:
    port = UsbIpPort(port=NUMBER, identity=IDENTITY, kind=UsbKind.VENDOR)
    line = UsbDevice(IDENTITY.vendor, IDENTITY.product, IDENTITY.serial_number)
    await _a_whole_shoe_arrives(f"usbip-vendor:127.0.0.1:{NUMBER}", port, line)
