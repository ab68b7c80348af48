"""The kinds of port that a controller opens by itself, each with the controller's own way to it."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from shoe_controller.transports.reconnect import Reconnector
from shoe_controller.transports.serial_port import port_at
from shoe_controller.transports.transport import Port as ControllerPort
from shoe_controller.transports.transport import Transport
from shoe_controller.transports.usb_device import UsbDevice
from simulator.ports.pty import PtyPort
from simulator.ports.tcp import TcpPort
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_shoe import UsbIdentity
from tests.transports.ears import Ears
from tests.transports.reconnecting import running

IDENTITY = UsbIdentity(serial_number="TEST-1")


@dataclass(frozen=True)
class Sides:
    """A port of the shoe, and what the controller opens to reach it, to be asked for once the port is open."""

    port: PtyPort | TcpPort | UsbPort
    controller_port: Callable[[], ControllerPort]

    @asynccontextmanager
    async def line(self, ears: Ears) -> AsyncIterator[Transport]:
        """The controller's line, opened once."""
        transport = await self.controller_port().open(ears.on_bytes, ears.on_lost)
        try:
            yield transport
        finally:
            await transport.close()

    def controller(self, ears: Ears) -> AbstractAsyncContextManager[Reconnector]:
        """The controller's line, opened again and again, without the pauses."""
        return running(self.controller_port(), ears)


def _pty(link: Path) -> Sides:
    port = PtyPort(link)
    return Sides(port, lambda: port_at(port.address))


def _tcp(_link: Path) -> Sides:
    port = TcpPort()
    return Sides(port, lambda: port_at(port.address))


def _usb(_link: Path) -> Sides:
    bus = UsbBus()
    port = UsbPort(bus, IDENTITY)
    return Sides(port, lambda: UsbDevice(IDENTITY.vendor, IDENTITY.product, IDENTITY.serial_number, backend=bus))


KINDS = {"pty": _pty, "tcp": _tcp, "usb": _usb}
