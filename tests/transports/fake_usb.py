"""A USB bus in software, under pyusb's real code: shoes with any descriptors, bulk queues, and a cable to pull.

`UsbBus` is the pyusb backend. It is as strict as a kernel: an interface must be claimed before it is used, a kernel
driver must be detached before it is claimed, and closing a device while a read is under way is noted as a wrong.
"""

import errno
import threading
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import usb.backend  # type: ignore[import-untyped]  # pyusb has no types
from usb.core import USBError, USBTimeoutError  # type: ignore[import-untyped]  # as above

VENDOR, PRODUCT = 0x1209, 0x5B0E
BULK, INTERRUPT = 2, 3
VENDOR_CLASS, HID_CLASS = 0xFF, 0x03


@dataclass(frozen=True)
class FakeEndpoint:
    address: int
    kind: int = BULK
    packet: int = 64


@dataclass(frozen=True)
class FakeInterface:
    number: int = 0
    alternate: int = 0
    kind: int = VENDOR_CLASS
    endpoints: tuple[FakeEndpoint, ...] = (FakeEndpoint(0x81), FakeEndpoint(0x01))


@dataclass(frozen=True)
class FakeConfiguration:
    value: int = 1
    interfaces: tuple[tuple[FakeInterface, ...], ...] = ((FakeInterface(),),)
    """For each interface its alternate settings."""


def usb_error(code: int) -> USBError:
    return USBError(errno.errorcode[code], -1, code)


@dataclass(eq=False)
class FakeShoe:
    """A device on the bus. Tests put packets into `send` and find in `received` what the host wrote."""

    vendor: int = VENDOR
    product: int = PRODUCT
    serial_number: str | None = "SHOE-1"
    configurations: tuple[FakeConfiguration, ...] = (FakeConfiguration(),)
    active: int = 1
    kernel_drivers: set[int] | None = field(default_factory=set)
    """Interfaces that a kernel driver holds; `None` where this backend cannot tell."""
    takes: int | None = None
    """How many bytes it takes from each write: all of them, some, or (0) none."""
    faults: dict[str, Exception] = field(default_factory=dict)
    """What the next call of a backend function on this device raises, by name."""
    hooks: dict[str, Callable[[], None]] = field(default_factory=dict)
    """What happens just before a backend function works on this device, by name."""
    calls: list[str] = field(default_factory=list)
    received: bytearray = field(default_factory=bytearray)
    packets: list[bytes] = field(default_factory=list)
    packets_read: int = 0
    endpoints_used: set[int] = field(default_factory=set)
    reads_under_way: int = 0
    plugged_in: bool = True
    changed: threading.Condition = field(default_factory=threading.Condition)

    def send(self, data: bytes, packet: int = 64) -> None:
        with self.changed:
            self.packets += [data[start : start + packet] for start in range(0, len(data), packet)]
            self.changed.notify_all()

    def unplug(self) -> None:
        with self.changed:
            self.plugged_in = False
            self.changed.notify_all()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, timeout=10), "the host did not do it within ten seconds"

    def wait_for_bytes(self, count: int) -> None:
        self.wait_until(lambda: len(self.received) >= count)

    def do(self, call: str) -> None:
        """Note a call; raise what it shall raise."""
        with self.changed:
            self.calls.append(call)
            self.changed.notify_all()
        if call in self.hooks:
            self.hooks[call]()
        if call in self.faults:
            raise self.faults.pop(call)
        if not self.plugged_in:
            raise usb_error(errno.ENODEV)


@dataclass(eq=False)
class Handle:
    shoe: FakeShoe
    reads_under_way: int = 0


class UsbBus(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    def __init__(self, *shoes: FakeShoe) -> None:
        self.shoes = list(shoes)
        self.open_handles: set[Handle] = set()
        self.claimed: set[tuple[FakeShoe, int]] = set()
        self.wrongs: list[str] = []

    def plug_in(self, shoe: FakeShoe) -> FakeShoe:
        self.shoes.append(shoe)
        return shoe

    def enumerate_devices(self) -> Iterator[FakeShoe]:
        return iter([shoe for shoe in self.shoes if shoe.plugged_in])

    def get_device_descriptor(self, shoe: FakeShoe) -> SimpleNamespace:
        shoe.do("get_device_descriptor")
        return SimpleNamespace(
            bLength=18,
            bDescriptorType=1,
            bcdUSB=0x0200,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=64,
            idVendor=shoe.vendor,
            idProduct=shoe.product,
            bcdDevice=0x0100,
            iManufacturer=0,
            iProduct=0,
            iSerialNumber=0 if shoe.serial_number is None else 3,
            bNumConfigurations=len(shoe.configurations),
            address=self.shoes.index(shoe) + 1,
            bus=250,
            port_number=1,
            port_numbers=(1,),
            speed=2,
        )

    def get_configuration_descriptor(self, shoe: FakeShoe, config: int) -> SimpleNamespace:
        configuration = shoe.configurations[config]
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=2,
            wTotalLength=9,
            bNumInterfaces=len(configuration.interfaces),
            bConfigurationValue=configuration.value,
            iConfiguration=0,
            bmAttributes=0x80,
            bMaxPower=50,
            extra_descriptors=[],
        )

    def get_interface_descriptor(self, shoe: FakeShoe, intf: int, alt: int, config: int) -> SimpleNamespace:
        interface = shoe.configurations[config].interfaces[intf][alt]
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=4,
            bInterfaceNumber=interface.number,
            bAlternateSetting=interface.alternate,
            bNumEndpoints=len(interface.endpoints),
            bInterfaceClass=interface.kind,
            bInterfaceSubClass=0,
            bInterfaceProtocol=0,
            iInterface=0,
            extra_descriptors=[],
        )

    def get_endpoint_descriptor(self, shoe: FakeShoe, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        endpoint = shoe.configurations[config].interfaces[intf][alt].endpoints[ep]
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=5,
            bEndpointAddress=endpoint.address,
            bmAttributes=endpoint.kind,
            wMaxPacketSize=endpoint.packet,
            bInterval=0,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=[],
        )

    def open_device(self, shoe: FakeShoe) -> Handle:
        shoe.do("open_device")
        handle = Handle(shoe)
        self.open_handles.add(handle)
        return handle

    def close_device(self, handle: Handle) -> None:
        if handle.reads_under_way:
            self.wrongs.append("closed while a read was under way")
        if handle not in self.open_handles:
            self.wrongs.append("closed twice")
        self.open_handles.discard(handle)

    def get_configuration(self, handle: Handle) -> int:
        handle.shoe.do("get_configuration")
        return handle.shoe.active

    def set_configuration(self, handle: Handle, config_value: int) -> None:
        handle.shoe.do("set_configuration")
        if handle.shoe.kernel_drivers:
            raise usb_error(errno.EBUSY)
        handle.shoe.active = config_value

    def set_interface_altsetting(self, handle: Handle, intf: int, altsetting: int) -> None:
        handle.shoe.do("set_interface_altsetting")
        self._check_claim(handle, intf)
        handle.shoe.calls.append(f"alternate setting {altsetting} of interface {intf}")

    def claim_interface(self, handle: Handle, intf: int) -> None:
        handle.shoe.do("claim_interface")
        if (handle.shoe, intf) in self.claimed or intf in (handle.shoe.kernel_drivers or ()):
            raise usb_error(errno.EBUSY)
        self.claimed.add((handle.shoe, intf))

    def release_interface(self, handle: Handle, intf: int) -> None:
        self.claimed.discard((handle.shoe, intf))
        handle.shoe.do("release_interface")

    def is_kernel_driver_active(self, handle: Handle, intf: int) -> bool:
        handle.shoe.do("is_kernel_driver_active")
        if handle.shoe.kernel_drivers is None:
            raise NotImplementedError("is_kernel_driver_active")
        return intf in handle.shoe.kernel_drivers

    def detach_kernel_driver(self, handle: Handle, intf: int) -> None:
        handle.shoe.do("detach_kernel_driver")
        assert handle.shoe.kernel_drivers is not None
        handle.shoe.kernel_drivers.remove(intf)

    def clear_halt(self, handle: Handle, ep: int) -> None:
        handle.shoe.do(f"clear_halt {ep:#04x}")

    def bulk_read(self, handle: Handle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        shoe = handle.shoe
        shoe.do("bulk_read")
        self._check_endpoint(handle, ep, intf, incoming=True)
        with shoe.changed:
            handle.reads_under_way += 1
            shoe.reads_under_way += 1
            shoe.changed.notify_all()
            try:
                if not shoe.changed.wait_for(lambda: shoe.packets or not shoe.plugged_in, timeout / 1000):
                    raise USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
                if not shoe.plugged_in:
                    raise usb_error(errno.ENODEV)
                packet = shoe.packets.pop(0)
                if len(packet) > len(buff):
                    raise usb_error(errno.EOVERFLOW)
                shoe.packets_read += 1
            finally:
                handle.reads_under_way -= 1
                shoe.reads_under_way -= 1
        buff[: len(packet)] = array("B", packet)
        return len(packet)

    def bulk_write(self, handle: Handle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        shoe = handle.shoe
        shoe.do("bulk_write")
        self._check_endpoint(handle, ep, intf, incoming=False)
        with shoe.changed:
            if not shoe.changed.wait_for(lambda: shoe.takes != 0 or not shoe.plugged_in, timeout / 1000):
                raise USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
            if not shoe.plugged_in:
                raise usb_error(errno.ENODEV)
            taken = data.tobytes()[: shoe.takes]
            shoe.received += taken
            shoe.changed.notify_all()
        return len(taken)

    def ctrl_transfer(
        self,
        handle: Handle,
        request_type: int,
        request: int,
        value: int,
        _index: int,
        data: "array[int]",
        _timeout: int,
    ) -> int:
        """Reads a text of the device: number 0 lists the languages, the others are texts."""
        handle.shoe.do("ctrl_transfer")
        assert (request_type, request, value >> 8) == (0x80, 0x06, 0x03)
        number = handle.shoe.serial_number
        if number is None:
            raise usb_error(errno.EPIPE)
        text = b"\x09\x04" if value & 0xFF == 0 else number.encode("utf-16-le")
        answer = array("B", bytes([len(text) + 2, 3]) + text)
        data[: len(answer)] = answer
        return len(answer)

    def _check_claim(self, handle: Handle, intf: int) -> None:
        if handle not in self.open_handles or (handle.shoe, intf) not in self.claimed:
            self.wrongs.append(f"interface {intf} used without a claim")

    def _check_endpoint(self, handle: Handle, ep: int, intf: int, *, incoming: bool) -> None:
        self._check_claim(handle, intf)
        handle.shoe.endpoints_used.add(ep)
        configuration = next(c for c in handle.shoe.configurations if c.value == handle.shoe.active)
        known: list[Any] = [
            endpoint
            for alternates in configuration.interfaces
            for interface in alternates
            for endpoint in interface.endpoints
            if interface.number == intf and endpoint.address == ep and endpoint.kind == BULK
        ]
        if not known or bool(ep & 0x80) != incoming:
            self.wrongs.append(f"transfer on endpoint {ep:#04x} of interface {intf}, which is none")
