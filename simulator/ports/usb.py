"""The emulated shoe on a USB bus inside this process: a pyusb backend, so that controllers run pyusb's own code on it.

The only file of the simulator that imports pyusb; what threads and event loop share is in `usb_plug.py`. A controller
gets the bus as an argument: `UsbDevice(vendor, product, serial_number, backend=bus)`.
"""

import errno
import struct
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import usb.backend  # type: ignore[import-untyped]  # pyusb has no types
from usb.core import USBError, USBTimeoutError  # type: ignore[import-untyped]  # as above

from simulator.ports.port import Host, HostEvent, PortListener, notify
from simulator.ports.usb_plug import UsbHandle, UsbPlug
from simulator.ports.usb_shoe import FULL_SPEED, Part, Setup, UsbIdentity, UsbKind, UsbShoe, parts

BUS_NUMBER = 250
"""More than a machine has, so that no device of this bus is taken for a real one."""
_LIBUSB_TIMEOUT, _LIBUSB_OTHER = -7, -99
_TO_HOST = 0x80
"""The bit of an endpoint's address that says which way it goes."""

_Layout = tuple[str, str]
"""How a descriptor is packed, and what pyusb calls its fields."""

_DEVICE = (
    "<BBHBBBBHHHBBBB",
    """bLength bDescriptorType bcdUSB bDeviceClass bDeviceSubClass bDeviceProtocol bMaxPacketSize0
    idVendor idProduct bcdDevice iManufacturer iProduct iSerialNumber bNumConfigurations""",
)
_CONFIGURATION = (
    "<BBHBBBBB",
    "bLength bDescriptorType wTotalLength bNumInterfaces bConfigurationValue iConfiguration bmAttributes bMaxPower",
)
_INTERFACE = (
    "<BBBBBBBBB",
    """bLength bDescriptorType bInterfaceNumber bAlternateSetting bNumEndpoints
    bInterfaceClass bInterfaceSubClass bInterfaceProtocol iInterface""",
)
_ENDPOINT = ("<BBBBHB", "bLength bDescriptorType bEndpointAddress bmAttributes wMaxPacketSize bInterval")


class UsbPort:
    """A vendor-class shoe on a `UsbBus`. Each time it is plugged in it is a new device with a new address.

    A host is attached while it has the interface claimed; a real device would notice only at the first transfer.
    Bytes that the host has not fetched when the cable is pulled have never left the shoe, and are lost.

    `kernel_driver` emulates a host whose kernel binds its own driver to the interface at each plug-in, so that the
    controller must detach it first.
    """

    def __init__(self, bus: "UsbBus", identity: UsbIdentity | None = None, *, kernel_driver: bool = False) -> None:
        self._bus = bus
        self._identity = identity or UsbIdentity()
        self._kernel_driver = kernel_driver
        self._listener: PortListener | None = None
        self._plug: UsbPlug | None = None
        self._host = False
        self.lost_bytes = 0

    @property
    def address(self) -> str:
        return self._identity.address

    async def open(self, listener: PortListener) -> None:
        self._listener = listener
        await self.replug()

    def write(self, data: bytes) -> None:
        if self._plug is not None:
            self.lost_bytes += self._plug.offer(data)

    async def unplug(self) -> None:
        if self._plug is None:
            return
        self._bus.unplug(self._plug)
        self._happened(self._plug)  # what the host had sent by now has arrived
        self._plug = None
        if self._host:
            self._notify(Host.DETACHED)

    async def replug(self) -> None:
        if self._plug is None:
            device = UsbShoe(self._identity, UsbKind.VENDOR)
            drivers = [0] if self._kernel_driver else []
            self._plug = UsbPlug(device, self._bus.new_address(), self._happened, kernel_drivers=drivers)
            self._bus.plug_in(self._plug)

    async def close(self) -> None:
        await self.unplug()

    def _happened(self, plug: UsbPlug) -> None:
        if plug is self._plug:
            for event in plug.take_events():
                self._notify(event)

    def _notify(self, event: HostEvent) -> None:
        if isinstance(event, Host):
            self._host = event is Host.ATTACHED
        if self._listener is not None:
            notify(self._listener, event)


class UsbBus(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """A bus with any number of emulated shoes. The functions of a pyusb backend may be called from any thread.

    They are as strict as a kernel: an interface must be claimed before it is used, and a kernel driver detached before
    it is claimed; only one handle has the claim; after an unplug everything fails with ENODEV.
    """

    def __init__(self) -> None:
        self._plugs: list[UsbPlug] = []
        self._last_address = 0
        self._lock = threading.Lock()

    def new_address(self) -> int:
        with self._lock:
            self._last_address += 1
            return self._last_address

    def plug_in(self, plug: UsbPlug) -> None:
        with self._lock:
            self._plugs.append(plug)

    def unplug(self, plug: UsbPlug) -> None:
        with self._lock:
            self._plugs.remove(plug)
        plug.pull()

    def enumerate_devices(self) -> Iterator[UsbPlug]:
        with self._lock:
            return iter(list(self._plugs))

    def get_device_descriptor(self, plug: UsbPlug) -> SimpleNamespace:
        with _as_pyusb():
            plug.check()
        descriptor = _parse(_DEVICE, plug.device.device_descriptor)
        vars(descriptor).update(
            bus=BUS_NUMBER, address=plug.address, port_number=1, port_numbers=(plug.address,), speed=FULL_SPEED
        )
        return descriptor

    def get_configuration_descriptor(self, plug: UsbPlug, config: int) -> SimpleNamespace:
        return _configuration(plug, config)

    def get_interface_descriptor(self, plug: UsbPlug, intf: int, alt: int, config: int) -> SimpleNamespace:
        interfaces: list[list[SimpleNamespace]] = _configuration(plug, config).interfaces
        return interfaces[intf][alt]

    def get_endpoint_descriptor(self, plug: UsbPlug, ep: int, intf: int, alt: int, config: int) -> SimpleNamespace:
        endpoints: list[SimpleNamespace] = self.get_interface_descriptor(plug, intf, alt, config).endpoints
        return endpoints[ep]

    def open_device(self, plug: UsbPlug) -> UsbHandle:
        with _as_pyusb():
            plug.check()
        return UsbHandle(plug)

    def close_device(self, handle: UsbHandle) -> None:
        handle.plug.release(handle)

    def set_configuration(self, handle: UsbHandle, value: int) -> None:
        with _as_pyusb():
            if handle.plug.in_use:
                raise OSError(errno.EBUSY, "an interface is in use")
            handle.plug.control(Setup(0x00, 0x09, value, 0, 0))

    def get_configuration(self, handle: UsbHandle) -> int:
        with _as_pyusb():
            return handle.plug.control(Setup(0x80, 0x08, 0, 0, 1))[0]

    def set_interface_altsetting(self, handle: UsbHandle, intf: int, alt: int) -> None:
        with _as_pyusb():
            handle.plug.check_claim(handle, intf)
            handle.plug.control(Setup(0x01, 0x0B, alt, intf, 0))

    def claim_interface(self, handle: UsbHandle, intf: int) -> None:
        with _as_pyusb():
            _check_interface(handle.plug.device.has_interface(intf))
            handle.plug.claim(handle, intf)

    def release_interface(self, handle: UsbHandle, intf: int) -> None:
        with _as_pyusb():
            handle.plug.release(handle, intf)
            handle.plug.check()

    def is_kernel_driver_active(self, handle: UsbHandle, intf: int) -> bool:
        with _as_pyusb():
            return handle.plug.has_kernel_driver(intf)

    def detach_kernel_driver(self, handle: UsbHandle, intf: int) -> None:
        with _as_pyusb():
            _check_interface(handle.plug.has_kernel_driver(intf))
            handle.plug.detach_kernel_driver(intf)

    def attach_kernel_driver(self, handle: UsbHandle, intf: int) -> None:
        with _as_pyusb():
            _check_interface(handle.plug.device.has_interface(intf))
            handle.plug.attach_kernel_driver(intf)

    def clear_halt(self, handle: UsbHandle, ep: int) -> None:
        with _as_pyusb():
            handle.plug.control(Setup(0x02, 0x01, 0, ep, 0))

    def reset_device(self, handle: UsbHandle) -> None:
        """Do nothing: the kernel restores a device after a reset, so nothing of it shows."""
        with _as_pyusb():
            handle.plug.check()

    def bulk_read(self, handle: UsbHandle, ep: int, intf: int, buff: "array[int]", timeout: int) -> int:
        with _as_pyusb():
            packet_size = _packet_size(handle, intf, ep, to_host=True)
            data = handle.plug.read(handle, intf, packet_size, len(buff), timeout)
        buff[: len(data)] = array("B", data)
        return len(data)

    def bulk_write(self, handle: UsbHandle, ep: int, intf: int, data: "array[int]", timeout: int) -> int:
        with _as_pyusb():
            _packet_size(handle, intf, ep, to_host=False)
            return handle.plug.write(handle, intf, data.tobytes(), timeout)

    def ctrl_transfer(  # noqa: PLR0913, PLR0917 - pyusb calls it so
        self,
        handle: UsbHandle,
        request_type: int,
        request: int,
        value: int,
        index: int,
        data: "array[int]",
        _timeout: int,
    ) -> int:
        setup = Setup(request_type, request, value, index, len(data))
        with _as_pyusb():
            answer = handle.plug.control(setup, data.tobytes())
        if not setup.to_host:
            return len(data)
        data[: len(answer)] = array("B", answer)
        return len(answer)


@contextmanager
def _as_pyusb() -> Iterator[None]:
    """Convert the errors of a plug to those that pyusb raises for libusb's."""
    try:
        yield
    except TimeoutError as error:
        raise USBTimeoutError(error.strerror, _LIBUSB_TIMEOUT, error.errno) from error
    except OSError as error:
        raise USBError(error.strerror, _LIBUSB_OTHER, error.errno) from error


def _check_interface(known: bool) -> None:  # noqa: FBT001 - reads well where it is called
    if not known:
        raise OSError(errno.ENOENT, "the device has no such interface")


def _packet_size(handle: UsbHandle, interface: int, endpoint: int, *, to_host: bool) -> int:
    size = handle.plug.device.bulk_packet_size(interface, endpoint)
    if size is None or bool(endpoint & _TO_HOST) != to_host:
        raise OSError(errno.ENOENT, "the interface has no such bulk endpoint")
    return size


def _parse(layout: _Layout, data: bytes) -> SimpleNamespace:
    form, names = layout
    fields = zip(names.split(), struct.unpack(form, data), strict=True)
    return SimpleNamespace(**dict(fields), extra_descriptors=[])


def _configuration(plug: UsbPlug, index: int) -> SimpleNamespace:
    """A configuration with the alternate settings of its interfaces, and those with their endpoints."""
    configuration = SimpleNamespace()
    interfaces: dict[int, list[SimpleNamespace]] = {}
    for part in parts(plug.device.configurations[index]):
        match part[1]:
            case Part.CONFIGURATION:
                configuration = _parse(_CONFIGURATION, part)
            case Part.INTERFACE:
                interface = _parse(_INTERFACE, part)
                interface.endpoints = []
                interfaces.setdefault(interface.bInterfaceNumber, []).append(interface)
            case Part.ENDPOINT:
                endpoint = _parse(_ENDPOINT, part)
                endpoint.bRefresh = endpoint.bSynchAddress = 0  # only for audio
                interface.endpoints.append(endpoint)
    configuration.interfaces = list(interfaces.values())
    return configuration
