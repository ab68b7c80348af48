"""A shoe that is a vendor-class USB device with two bulk endpoints. The only file that imports pyusb.

Finding, claiming and releasing the device is here; the threads that wait for it are in `thread_line.py`.
"""

import errno
import importlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import usb.backend.libusb1  # type: ignore[import-untyped]  # pyusb has no types
import usb.core  # type: ignore[import-untyped]  # as above
import usb.util  # type: ignore[import-untyped]  # as above

from shoe_controller.transports.thread_line import ThreadLine
from shoe_controller.transports.transport import OnBytes, OnLost, Transport, TransportError, every_half_second
from shoe_controller.transports.troubles import UNPLUGGED, explain

READ_MILLISECONDS = 250
WRITE_MILLISECONDS = 250
VENDOR_CLASS = 0xFF
PACKET_SIZE_BITS = 0x07FF
"""The part of wMaxPacketSize that is the size."""

PyUsb = Any
"""An object of pyusb, which comes without types."""

_SENTENCES = {errno.EPIPE: "the shoe refused a transfer. The line is being reopened.", errno.EPROTO: UNPLUGGED}


def find_libusb() -> PyUsb:
    """Return the system's libusb as a pyusb backend, else that of the package libusb-package, else `None`."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        with suppress(ImportError):
            package = importlib.import_module("libusb_package")
            backend = usb.backend.libusb1.get_backend(find_library=package.find_library)
    return backend


class UsbDevice:
    """The device with these ids, wherever it is plugged in.

    `backend` is for tests and emulators, which have their own pyusb backend.
    """

    def __init__(
        self,
        vendor: int,
        product: int,
        serial_number: str | None = None,
        *,
        backend: PyUsb = None,
        find_backend: Callable[[], PyUsb] = find_libusb,
    ) -> None:
        for what, number in (("vendor", vendor), ("product", product)):
            if not 0 <= number <= 0xFFFF:
                raise TransportError(f"{number} is not a USB {what} id: write a number from 0x0000 to 0xFFFF.")
        if serial_number is not None and not serial_number.strip():
            raise TransportError("The USB serial number is empty: leave it out, or write the one the shoe has.")
        self._vendor = vendor
        self._product = product
        self._serial_number = serial_number
        self._backend = backend
        self._find_backend: Callable[[], PyUsb] | None = find_backend

    @property
    def name(self) -> str:
        numbers = f"USB {self._vendor:04x}:{self._product:04x}"
        return numbers if self._serial_number is None else f"{numbers} serial number {self._serial_number}"

    def retry_delays(self) -> Iterator[float]:
        return every_half_second()

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> Transport:
        line = ThreadLine(self.name, self._claim, on_bytes, on_lost)
        await line.start()
        return line

    def _claim(self) -> "ClaimedDevice":
        device = self._find()
        try:
            with _explaining(self.name, device):
                return ClaimedDevice(self.name, device)
        except BaseException:
            _dispose(device)
            raise

    def _find(self) -> PyUsb:
        with _explaining(self.name):
            numbers = {"idVendor": self._vendor, "idProduct": self._product}
            plugged_in = list(usb.core.find(find_all=True, backend=self._libusb(), **numbers))
        wanted = []
        trouble = TransportError(
            f"{self.name}: no shoe is there. Plug it in and switch it on, or correct the numbers in the configuration "
            "(`lsusb` lists what is plugged in)."
        )
        for device in plugged_in:
            try:
                if self._serial_number in {None, self._serial_number_of(device)}:
                    wanted.append(device)
                    continue
            except TransportError as error:
                trouble = error
            _dispose(device)
        if len(wanted) == 1:
            return wanted[0]
        if wanted:
            for device in wanted:
                _dispose(device)
            trouble = TransportError(
                f"{self.name}: {len(wanted)} such devices are plugged in, and any of them might be the wrong shoe. "
                "Write the serial number of the right one in the configuration, or unplug the others."
            )
        raise trouble

    def _serial_number_of(self, device: PyUsb) -> str | None:
        if self._serial_number is None:
            return None
        with _explaining(self.name, device):
            _active_configuration(device)  # opens the device; pyusb would report a refusal as a missing text
            try:
                number: str | None = device.serial_number
            except ValueError:  # the device has no texts at all
                return None
            return number

    def _libusb(self) -> PyUsb:
        # Searched for only once: the search starts other programs, too much for every half second.
        if self._backend is None and self._find_backend is not None:
            self._backend = self._find_backend()
            self._find_backend = None
        if self._backend is None:
            raise TransportError(
                f"{self.name} cannot be reached without libusb. Install the package libusb-1.0-0 "
                "(`sudo apt install libusb-1.0-0`), then start the controller again."
            )
        return self._backend


class ClaimedDevice:
    """A device whose interface is claimed: a `BlockingDevice`. The caller disposes of the device if the claim fails."""

    def __init__(self, name: str, device: PyUsb) -> None:
        self._name = name
        self._device = device
        active = _active_configuration(device)
        pipes = _find_pipes([] if active is None else [active])
        if pipes is None:
            pipes = _find_pipes(device)
            if pipes is None:
                raise TransportError(
                    f"{name}: the device has no vendor-class interface with two bulk endpoints, so it is not a shoe. "
                    "Correct the numbers in the configuration."
                )
            # Only when it must be: setting even the active configuration again resets the device.
            for interface in active or ():
                _detach_kernel_driver(device, interface)
            device.set_configuration(pipes.configuration.bConfigurationValue)
        _detach_kernel_driver(device, pipes.interface)
        usb.util.claim_interface(device, pipes.interface)
        if pipes.interface.bAlternateSetting:
            pipes.interface.set_altsetting()
        self._from_shoe = pipes.from_shoe
        self._to_shoe = pipes.to_shoe
        # One packet per read: a longer read would wait for more after a full packet.
        self._buffer = array("B", bytes(pipes.from_shoe.wMaxPacketSize & PACKET_SIZE_BITS))

    def read(self) -> bytes:
        with _explaining(self._name, self._device), self._clearing_stall(self._from_shoe):
            try:
                count = self._from_shoe.read(self._buffer, READ_MILLISECONDS)
            except usb.core.USBTimeoutError:
                return b""
            return self._buffer[:count].tobytes()

    def write(self, data: bytes) -> int:
        with _explaining(self._name, self._device), self._clearing_stall(self._to_shoe):
            try:
                taken: int = self._to_shoe.write(data, WRITE_MILLISECONDS)
            except usb.core.USBTimeoutError:
                return 0
            return taken

    def release(self) -> None:
        _dispose(self._device)

    @contextmanager
    def _clearing_stall(self, endpoint: PyUsb) -> Iterator[None]:
        """Clear a stalled endpoint, which would otherwise refuse all transfers, even after reopening."""
        try:
            yield
        except usb.core.USBError as error:
            if error.errno == errno.EPIPE:
                with suppress(usb.core.USBError, NotImplementedError):
                    endpoint.clear_halt()
            raise


class _Pipes(NamedTuple):
    configuration: PyUsb
    interface: PyUsb
    from_shoe: PyUsb
    to_shoe: PyUsb


def _find_pipes(configurations: Iterable[PyUsb]) -> _Pipes | None:
    """The first vendor-class interface that has a bulk endpoint each way. Their numbers differ from shoe to shoe."""
    for configuration in configurations:
        for interface in configuration:
            if interface.bInterfaceClass == VENDOR_CLASS:
                from_shoe = _bulk_endpoint(interface, usb.util.ENDPOINT_IN)
                to_shoe = _bulk_endpoint(interface, usb.util.ENDPOINT_OUT)
                if from_shoe is not None and to_shoe is not None:
                    return _Pipes(configuration, interface, from_shoe, to_shoe)
    return None


def _bulk_endpoint(interface: PyUsb, direction: int) -> PyUsb | None:
    for endpoint in interface:
        kind = usb.util.endpoint_type(endpoint.bmAttributes)
        if kind == usb.util.ENDPOINT_TYPE_BULK and usb.util.endpoint_direction(endpoint.bEndpointAddress) == direction:
            return endpoint
    return None


def _active_configuration(device: PyUsb) -> PyUsb | None:
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is None:  # how pyusb reports that none is set
            return None
        raise


def _detach_kernel_driver(device: PyUsb, interface: PyUsb) -> None:
    with suppress(NotImplementedError):  # this backend has no kernel drivers, so there is none to detach
        if device.is_kernel_driver_active(interface.bInterfaceNumber):
            device.detach_kernel_driver(interface.bInterfaceNumber)


def _dispose(device: PyUsb) -> None:
    """Release the interface and close the device; a device that was unplugged has nothing left to release."""
    with suppress(usb.core.USBError, NotImplementedError):
        usb.util.dispose_resources(device)


def _file_of(device: PyUsb | None) -> Path | None:
    """The device's file, if the backend is for real devices and knows the bus."""
    if device is None or device.bus is None or device.address is None:
        return None
    return Path(f"/dev/bus/usb/{device.bus:03}/{device.address:03}")


@contextmanager
def _explaining(name: str, device: PyUsb = None) -> Iterator[None]:
    try:
        yield
    except usb.core.USBError as error:
        raise explain(name, error.errno, error.strerror or str(error), _SENTENCES, _file_of(device)) from error
    except (NotImplementedError, ValueError) as error:
        raise explain(name, None, str(error), _SENTENCES) from error
