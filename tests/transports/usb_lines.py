"""How the USB tests open a line, and the shoe at its other end: the emulator's bus, watched and interfered with."""

import asyncio
import errno
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from usb.core import USBError  # type: ignore[import-untyped]  # pyusb has no types

from shoe_controller.transports.transport import Transport
from shoe_controller.transports.usb_device import UsbDevice
from simulator.ports.usb import UsbBus
from simulator.ports.usb_plug import UsbHandle, UsbPlug
from simulator.ports.usb_shoe import UsbIdentity, UsbKind, UsbShoe
from tests.transports.ears import PATIENCE, Ears

VENDOR, PRODUCT = 0x1209, 0x5B0E
IDENTITY = UsbIdentity("SHOE-1", VENDOR, PRODUCT)


class ShoeOnBus(UsbPlug):
    """A shoe whose part the test plays, from any thread: it sends, and looks at what the host has sent and called."""

    def __init__(
        self,
        bus: "WatchedBus",
        identity: UsbIdentity = IDENTITY,
        configurations: Sequence[bytes] = (),
        *,
        active: int = 1,
        kernel_drivers: Iterable[int] = (),
        takes: int | None = None,
    ) -> None:
        device = UsbShoe(identity, UsbKind.VENDOR, configurations)
        super().__init__(device, bus.new_address(), lambda _: None, kernel_drivers=kernel_drivers)
        device.configuration = active
        self._bus = bus
        bus.plug_in(self)
        self.takes = takes
        """How many bytes it takes from each write: all of them, some, or (0) none."""
        self.faults: dict[str, Exception] = {}
        """What the next call of a backend function on this device raises, by name."""
        self.hooks: dict[str, Callable[[], None]] = {}
        """What happens just before a backend function works on this device, by name."""
        self.calls: list[str] = []
        self.endpoints_used: set[int] = set()
        self.halts_cleared: set[int] = set()
        self.packets_read = 0
        self.reads_under_way: list[UsbHandle] = []
        self.empty_packets = 0
        """How many it sends before anything else."""
        self._watched = threading.Condition()
        self._received = bytearray()

    @property
    def received(self) -> bytes:
        self._received += b"".join(data for data in self.take_events() if isinstance(data, bytes))
        return bytes(self._received)

    def send(self, data: bytes) -> None:
        assert self.offer(data) == 0

    def unplug(self) -> None:
        self._bus.unplug(self)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        with self._watched:
            assert self._watched.wait_for(condition, PATIENCE), "the host did not do it in time"

    def wait_for_bytes(self, count: int) -> None:
        self.wait_until(lambda: len(self.received) >= count)

    def read(self, handle: UsbHandle, interface: int, packet_size: int, size: int, milliseconds: int) -> bytes:
        if self.empty_packets:
            self.empty_packets -= 1
            return b""
        packet = super().read(handle, interface, packet_size, size, milliseconds)
        self.packets_read += 1
        return packet

    def write(self, handle: UsbHandle, interface: int, data: bytes, milliseconds: int) -> int:
        return super().write(handle, interface, data[: self.takes], milliseconds)

    def _has_room(self) -> bool:
        return self.takes != 0 and super()._has_room()

    @contextmanager
    def called(self, function: str) -> Iterator[None]:
        """A call of the backend on this device, with what shall happen in it."""
        with self._watched:
            self.calls.append(function)
            self._watched.notify_all()
        if function in self.hooks:
            self.hooks[function]()
        if function in self.faults:
            raise self.faults.pop(function)
        try:
            yield
        finally:
            with self._watched:
                self._watched.notify_all()


class WatchedBus(UsbBus):
    """A bus of `ShoeOnBus`. Notes which handles are open, and as a wrong what a kernel would not forgive."""

    def __init__(self) -> None:
        super().__init__()
        self.open_handles: set[UsbHandle] = set()
        self.wrongs: list[str] = []

    def open_device(self, plug: UsbPlug) -> UsbHandle:
        handle = super().open_device(plug)
        self.open_handles.add(handle)
        return handle

    def close_device(self, handle: UsbHandle) -> None:
        if handle in _shoe(handle).reads_under_way:
            self.wrongs.append("closed while a read was under way")
        if handle not in self.open_handles:
            self.wrongs.append("closed twice")
        self.open_handles.discard(handle)
        super().close_device(handle)

    def bulk_read(self, handle: UsbHandle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        shoe = _shoe(handle)
        shoe.endpoints_used.add(ep)
        shoe.reads_under_way.append(handle)
        try:
            return super().bulk_read(handle, ep, intf, buff, timeout)
        finally:
            shoe.reads_under_way.remove(handle)

    def bulk_write(self, handle: UsbHandle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        _shoe(handle).endpoints_used.add(ep)
        return super().bulk_write(handle, ep, intf, data, timeout)

    def clear_halt(self, handle: UsbHandle, ep: int) -> None:
        _shoe(handle).halts_cleared.add(ep)
        super().clear_halt(handle, ep)


def _shoe(target: UsbHandle | UsbPlug) -> ShoeOnBus:
    shoe = target.plug if isinstance(target, UsbHandle) else target
    assert isinstance(shoe, ShoeOnBus)
    return shoe


def _watch(function: str) -> None:
    plain = getattr(WatchedBus, function)

    def watched(bus: WatchedBus, target: UsbHandle | UsbPlug, *arguments: object) -> object:
        with _shoe(target).called(function):
            return plain(bus, target, *arguments)

    setattr(WatchedBus, function, watched)


for _function in (
    "get_device_descriptor",
    "open_device",
    "get_configuration",
    "set_configuration",
    "ctrl_transfer",
    "is_kernel_driver_active",
    "detach_kernel_driver",
    "claim_interface",
    "bulk_read",
    "bulk_write",
):
    _watch(_function)


def usb_error(code: int) -> USBError:
    return USBError(errno.errorcode[code], -1, code)


async def open_device(bus: UsbBus, ears: Ears, serial_number: str | None = None) -> Transport:
    return await UsbDevice(VENDOR, PRODUCT, serial_number, backend=bus).open(ears.on_bytes, ears.on_lost)


async def the_shoe(shoe: ShoeOnBus, count: int) -> bytes:
    """What the shoe has received, once it is `count` bytes."""
    await asyncio.to_thread(shoe.wait_for_bytes, count)
    return shoe.received
