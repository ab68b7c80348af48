"""How the USB tests open a line and look at the shoe at its other end."""

import asyncio

from shoe_controller.transports.transport import Transport
from shoe_controller.transports.usb_device import UsbDevice
from tests.transports.ears import Ears
from tests.transports.fake_usb import PRODUCT, VENDOR, FakeShoe, UsbBus


async def open_device(bus: UsbBus, ears: Ears, serial_number: str | None = None) -> Transport:
    return await UsbDevice(VENDOR, PRODUCT, serial_number, backend=bus).open(ears.on_bytes, ears.on_lost)


async def the_shoe(shoe: FakeShoe, count: int) -> bytes:
    """What the shoe has received, once it is `count` bytes."""
    await asyncio.to_thread(shoe.wait_for_bytes, count)
    return bytes(shoe.received)
