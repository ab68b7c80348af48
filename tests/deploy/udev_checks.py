"""Checks for the QEMU guest of `make test-hardware`: what our udev rule makes of a shoe that is plugged in.

The guest has a kernel and udev of its own; the rule lies in its /lib/udev/rules.d. Here is what a table sees: a name
that is there when the shoe is, is gone when it is not, and is the same when the shoe comes back.
"""

import asyncio
import grp
from collections.abc import Callable
from pathlib import Path

from shoe_controller.transports.reconnect import LineOpened, Outage
from shoe_controller.transports.serial_port import SerialPort
from simulator.ports.usb_shoe import UsbKind
from simulator.ports.usbip import UsbIpPort
from tests.hardware.line_checks import IDENTITY, PATIENCE, Watcher, controller, exchange
from tests.hardware.shoe_elsewhere import elsewhere
from tests.hardware.usbip_command import attach, detach

NAME = Path(f"/dev/shoe/native-{IDENTITY.serial_number}")
GROUP = "shoe"


async def the_rule_names_a_serial_shoe() -> None:
    """No shoe at first, plugged in later, unplugged and plugged in again: the table finds it under the same name."""
    watcher = Watcher()
    port = UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.CDC_ACM)
    async with elsewhere(port, watcher) as shoe, controller(SerialPort(str(NAME)), watcher) as line:
        await watcher.until_report(Outage)
        for seed in (1, 2):
            await attach(shoe.port)
            await watcher.until_report(LineOpened)
            _belongs_to_us(NAME)
            await exchange(shoe, line, watcher, seed)
            await detach()
            await watcher.until_report(Outage)
            await until(lambda: not NAME.exists(), "the name to go")


async def the_rule_permits_a_vendor_shoe() -> None:
    watcher = Watcher()
    async with elsewhere(UsbIpPort(port=0, identity=IDENTITY, kind=UsbKind.VENDOR), watcher) as shoe:
        before = usb_devices()
        await attach(shoe.port)
        await until(lambda: any(map(_is_ours, usb_devices() - before)), "the device")
        await detach()


def usb_devices() -> set[Path]:
    return set(Path("/dev/bus/usb").glob("*/*"))


def _belongs_to_us(device: Path) -> None:
    assert _is_ours(device), f"{device}: {device.stat()}"


def _is_ours(device: Path) -> bool:
    status = device.stat()
    return status.st_mode & 0o777 == 0o660 and grp.getgrgid(status.st_gid).gr_name == GROUP


async def until(condition: Callable[[], bool], what: str) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not condition():  # noqa: ASYNC110 - the kernel announces it to nobody here
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"waited {PATIENCE:g} s for {what}") from None
