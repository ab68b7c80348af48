"""An emulated shoe in a USB socket of this process: threads of the host on one side, the event loop on the other.

Independent of pyusb, whose backend is in `usb.py`: errors here are `OSError` with the errno that libusb would give.
"""

import asyncio
import errno
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from simulator.ports.port import LINE_BUFFER, Host, HostEvent
from simulator.ports.usb_shoe import CONFIGURATION, Setup, UsbShoe


@dataclass(eq=False, frozen=True)
class UsbHandle:
    """One opening of the device by a host."""

    plug: "UsbPlug"


class UsbPlug:
    """The device from a plug-in to the next unplug. Everything is guarded by `_changed`.

    `happened` is called in the event loop, once for any number of events; `take_events` then returns them in order.
    """

    def __init__(
        self,
        device: UsbShoe,
        address: int,
        happened: "Callable[[UsbPlug], None]",
        *,
        kernel_drivers: Iterable[int] = (),
    ) -> None:
        device.configuration = CONFIGURATION  # as the kernel sets it when a device is plugged in
        self.device = device
        self.address = address
        self._happened = happened
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._kernel_drivers = set(kernel_drivers)
        """Interfaces that a driver of the host's kernel holds."""
        self._claims: dict[int, UsbHandle] = {}
        """By interface. While there is one, there is a host."""
        self._plugged_in = True
        self._from_shoe = bytearray()
        self._to_shoe = 0
        """Bytes that the host has sent and the shoe has not taken yet; they are among the events."""
        self._events: list[HostEvent] = []

    # In the event loop.

    def offer(self, data: bytes) -> int:
        """Buffer bytes for the host, if there is one. Returns how many bytes, the newest ones, did not fit."""
        with self._changed:
            if not self._claims:
                return 0
            fits = data[: max(0, LINE_BUFFER - len(self._from_shoe))]
            self._from_shoe += fits
            self._changed.notify_all()
            return len(data) - len(fits)

    def take_events(self) -> list[HostEvent]:
        with self._changed:
            taken, self._events = self._events, []
            self._to_shoe = 0
            self._changed.notify_all()
            return taken

    def pull(self) -> None:
        with self._changed:
            self._plugged_in = False
            self._changed.notify_all()

    # In the host's threads.

    def check(self) -> None:
        """Raise an error if the device is unplugged."""
        if not self._plugged_in or self._loop.is_closed():
            raise _error(errno.ENODEV)

    def claim(self, handle: UsbHandle, interface: int) -> None:
        with self._changed:
            self.check()
            if interface in self._kernel_drivers or self._claims.get(interface, handle) is not handle:
                raise _error(errno.EBUSY)
            if not self._claims:
                self._from_shoe.clear()
                self._note(Host.ATTACHED)
            self._claims[interface] = handle

    def release(self, handle: UsbHandle, interface: int | None = None) -> None:
        """Give up the claim of this handle, if it has one: that of one interface, else all."""
        with self._changed:
            left = {
                number: holder
                for number, holder in self._claims.items()
                if holder is not handle or interface not in {None, number}
            }
            if self._claims and not left:
                self._note(Host.DETACHED)
            self._claims = left
            self._changed.notify_all()

    def check_claim(self, handle: UsbHandle, interface: int) -> None:
        self.check()
        if self._claims.get(interface) is not handle:
            raise _error(errno.EINVAL)

    def read(self, handle: UsbHandle, interface: int, packet_size: int, size: int, milliseconds: int) -> bytes:
        """Do one transfer to the host: what is there, up to `size`. The shoe ends it when it has no more data."""
        with self._changed:
            self._wait(handle, interface, lambda: bool(self._from_shoe), milliseconds)
            packets = -(-size // packet_size)
            data = bytes(self._from_shoe[: packets * packet_size])
            del self._from_shoe[: len(data)]
            if len(data) > size:  # the last packet was longer than the room the host had for it, and is lost
                raise _error(errno.EOVERFLOW)
            return data

    def write(self, handle: UsbHandle, interface: int, data: bytes, milliseconds: int) -> int:
        """One transfer to the shoe; how many bytes of it the shoe takes."""
        with self._changed:
            self._wait(handle, interface, self._has_room, milliseconds)
            if data:
                self._to_shoe += len(data)
                self._note(data)
            return len(data)

    def control(self, setup: Setup, data: bytes = b"") -> bytes:
        with self._changed:
            self.check()
            answer = self.device.answer(setup, data)
        if answer is None:
            raise _error(errno.EPIPE)
        return answer

    def has_kernel_driver(self, interface: int) -> bool:
        self.check()
        return interface in self._kernel_drivers

    def attach_kernel_driver(self, interface: int) -> None:
        with self._changed:
            self.check()
            if interface in self._claims:
                raise _error(errno.EBUSY)
            self._kernel_drivers.add(interface)

    def detach_kernel_driver(self, interface: int) -> None:
        with self._changed:
            self.check()
            self._kernel_drivers.discard(interface)

    @property
    def in_use(self) -> bool:
        self.check()
        return bool(self._kernel_drivers or self._claims)

    def _has_room(self) -> bool:
        return self._to_shoe < LINE_BUFFER

    def _wait(self, handle: UsbHandle, interface: int, ready: Callable[[], bool], milliseconds: int) -> None:
        """Wait until the shoe is ready for a transfer; 0 milliseconds means for ever, as in libusb."""

        def over() -> bool:
            return not self._plugged_in or self._claims.get(interface) is not handle

        in_time = self._changed.wait_for(lambda: ready() or over(), milliseconds / 1000 or None)
        self.check_claim(handle, interface)
        if not in_time:
            raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))

    def _note(self, event: HostEvent) -> None:
        if not self._events:
            with suppress(RuntimeError):  # the event loop is closed, and the shoe has gone with it
                self._loop.call_soon_threadsafe(self._happened, self)
        self._events.append(event)


def _error(code: int) -> OSError:
    return OSError(code, os.strerror(code))
