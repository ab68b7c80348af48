"""The emulated shoe as a USB device: its identity, its descriptors, and its answers on the control endpoint. Pure.

Two kinds: a vendor-class device, which the controller reads with pyusb, and a CDC-ACM device, which appears as
/dev/ttyACM on Linux. `usb.py` plugs it into pyusb and `usbip.py` into a kernel; both get the same bytes.
A full-speed device, as most microcontrollers are.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Self

from simulator.ports.port import PortError

DATA_IN, DATA_OUT, NOTIFICATION_IN = 0x81, 0x02, 0x83
"""The endpoints' addresses: bytes to the host, bytes from it, and the state of the serial line (CDC-ACM only)."""

PACKET_SIZE = 64
FULL_SPEED = 2
CONFIGURATION = 1
VENDOR_CLASS = 0xFF
LONGEST_TEXT = 126
"""Characters in a string descriptor, of two bytes each."""

_ENGLISH = 0x0409
_MANUFACTURER, _PRODUCT, _SERIAL_NUMBER = 1, 2, 3
_DEVICE_TO_HOST = 0x80
_DTR = 0x01
_CARRIER_AND_READY = 0x03
_BULK, _INTERRUPT = 2, 3


class Part(IntEnum):
    """The types of descriptor that bulk transfers need."""

    CONFIGURATION = 2
    INTERFACE = 4
    ENDPOINT = 5


class UsbKind(Enum):
    VENDOR = "vendor"
    CDC_ACM = "cdc_acm"


@dataclass(frozen=True)
class UsbIdentity:
    """How the device identifies itself. The serial number distinguishes two shoes on one host."""

    serial_number: str | None = "EMULATED-1"
    vendor: int = 0x1209
    product: int = 0x5B0E
    manufacturer: str = "Shoe emulator"
    product_name: str = "Emulated shoe"

    def __post_init__(self) -> None:
        for what, number in (("vendor", self.vendor), ("product", self.product)):
            if not 0 <= number <= 0xFFFF:
                raise PortError(f"{number} is not a USB {what} id: write a number from 0x0000 to 0xFFFF.")
        for what, text in (
            ("serial number", self.serial_number),
            ("manufacturer", self.manufacturer),
            ("product name", self.product_name),
        ):
            if text is not None and not (text.strip() and text.isprintable() and _size(text) <= LONGEST_TEXT):
                raise PortError(f"{text!r} is not a USB {what}: write 1 to {LONGEST_TEXT} printable characters.")

    @property
    def address(self) -> str:
        numbers = f"usb:{self.vendor:04x}:{self.product:04x}"
        return numbers if self.serial_number is None else f"{numbers}:{self.serial_number}"


@dataclass(frozen=True)
class Setup:
    """The eight bytes that begin a control transfer."""

    request_type: int
    request: int
    value: int
    index: int
    length: int

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        return cls(*struct.unpack("<BBHHH", data))

    @property
    def to_host(self) -> bool:
        return bool(self.request_type & _DEVICE_TO_HOST)


class UsbShoe:
    """A device as it is just after it was plugged in, and as control requests change it.

    `configurations` are the descriptors of a device that is laid out differently from the two kinds.
    """

    def __init__(self, identity: UsbIdentity, kind: UsbKind, configurations: Sequence[bytes] = ()) -> None:
        self.identity = identity
        self.kind = kind
        self.configurations = configurations or [_CDC_ACM if kind is UsbKind.CDC_ACM else _VENDOR]
        """Each with everything in it, as the host reads it."""
        self.configuration = 0
        self.alternate_settings: dict[int, int] = {}
        """By interface, where the host has chosen one."""
        self.port_open = False
        """CDC-ACM: whether the host asserts DTR, which Linux does while the tty is open."""
        self._line_coding = struct.pack("<IBBB", 115_200, 0, 0, 8)

    @property
    def device_descriptor(self) -> bytes:
        device_class = 0x02 if self.kind is UsbKind.CDC_ACM else 0x00
        serial_number = 0 if self.identity.serial_number is None else _SERIAL_NUMBER
        return struct.pack(
            "<BBHBBBBHHHBBBB",
            *(18, 1, 0x0200, device_class, 0, 0, PACKET_SIZE),
            *(self.identity.vendor, self.identity.product, 0x0100),
            *(_MANUFACTURER, _PRODUCT, serial_number, len(self.configurations)),
        )

    @property
    def interface_classes(self) -> list[bytes]:
        """Class, subclass and protocol of each interface."""
        return [part[5:8] for part in parts(self.configurations[0]) if part[1] == Part.INTERFACE]

    def _has_configuration(self, value: int) -> bool:
        """0 stands for none."""
        return value == 0 or any(descriptor[5] == value for descriptor in self.configurations)

    def has_interface(self, number: int, alternate_setting: int = 0) -> bool:
        return (number, alternate_setting) in self._active_interfaces()

    def bulk_packet_size(self, interface: int, endpoint: int) -> int | None:
        """Of a bulk endpoint, if the interface has it in its present alternate setting."""
        setting = self.alternate_settings.get(interface, 0)
        for part in self._active_interfaces().get((interface, setting), []):
            if part[2:4] == bytes([endpoint, _BULK]):
                return int.from_bytes(part[4:6], "little")
        return None

    def _active_interfaces(self) -> dict[tuple[int, int], list[bytes]]:
        """The endpoints of the active configuration by number and alternate setting of their interface."""
        interfaces: dict[tuple[int, int], list[bytes]] = {}
        for descriptor in self.configurations:
            if descriptor[5] == self.configuration:
                for part in parts(descriptor):
                    if part[1] == Part.INTERFACE:
                        endpoints = interfaces[part[2], part[3]] = []
                    elif part[1] == Part.ENDPOINT:
                        endpoints.append(part)
        return interfaces

    def answer(self, setup: Setup, data: bytes = b"") -> bytes | None:
        """The answer to a control request, or `None` for a stall. `data` is what the host sent with it."""
        answer = self._standard(setup)
        if answer is None and self.kind is UsbKind.CDC_ACM:
            answer = self._serial(setup, data)
        return None if answer is None else answer[: setup.length]

    def _standard(self, setup: Setup) -> bytes | None:
        match setup:
            case Setup(0x80, 0x06, value, _):  # GET_DESCRIPTOR
                return self._descriptor(value >> 8, value & 0xFF)
            case Setup(0x00, 0x09, value) if self._has_configuration(value):  # SET_CONFIGURATION
                self.configuration = value
                self.alternate_settings.clear()
                self.port_open = False
            case Setup(0x80, 0x08):  # GET_CONFIGURATION
                return bytes([self.configuration])
            case Setup(0x80 | 0x81 | 0x82, 0x00):  # GET_STATUS: bus powered, no remote wake-up, no endpoint halted
                return b"\0\0"
            case Setup(0x81, 0x0A, _, interface) if self.has_interface(interface):  # GET_INTERFACE
                return bytes([self.alternate_settings.get(interface, 0)])
            case Setup(0x01, 0x0B, setting, interface) if self.has_interface(interface, setting):  # SET_INTERFACE
                self.alternate_settings[interface] = setting
            case Setup(0x02, 0x01, 0):  # CLEAR_FEATURE of an endpoint: end its halt, which it never has
                pass
            case Setup(0x00, 0x05):  # SET_ADDRESS, which the bus handles
                pass
            case _:
                return None
        return b""

    def _descriptor(self, kind: int, index: int) -> bytes | None:
        texts = {
            _MANUFACTURER: self.identity.manufacturer,
            _PRODUCT: self.identity.product_name,
            _SERIAL_NUMBER: self.identity.serial_number,
        }
        match kind, index:
            case 1, 0:
                return self.device_descriptor
            case 2, _ if index < len(self.configurations):
                return self.configurations[index]
            case 3, 0:
                return struct.pack("<BBH", 4, 3, _ENGLISH)
            case 3, _ if (text := texts.get(index)) is not None:
                encoded = text.encode("utf-16-le")
                return bytes([len(encoded) + 2, 3]) + encoded
            case _:
                return None

    def _serial(self, setup: Setup, data: bytes) -> bytes | None:
        """Answer the requests of the CDC class, to interface 0. A baud rate is stored and changes nothing."""
        if setup.index != 0:
            return None
        match setup:
            case Setup(0x21, 0x20) if len(data) == len(self._line_coding):  # SET_LINE_CODING
                self._line_coding = data
            case Setup(0xA1, 0x21):  # GET_LINE_CODING
                return self._line_coding
            case Setup(0x21, 0x22):  # SET_CONTROL_LINE_STATE
                self.port_open = bool(setup.value & _DTR)
            case Setup(0x21, 0x23):  # SEND_BREAK
                pass
            case _:
                return None
        return b""


def _size(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def serial_state() -> bytes:
    """The notification of a CDC-ACM device whose line is up: carrier there, ready."""
    return struct.pack("<BBHHHH", 0xA1, 0x20, 0, 0, 2, _CARRIER_AND_READY)


def parts(configuration: bytes) -> Iterator[bytes]:
    """The descriptors that a configuration is made of; the first is its own."""
    while configuration:
        size = configuration[0]
        yield configuration[:size]
        configuration = configuration[size:]


def configuration_of(inside: Sequence[bytes], value: int = CONFIGURATION) -> bytes:
    """A configuration with these descriptors in it."""
    interfaces = {part[2] for part in inside if part[1] == Part.INTERFACE}
    length = 9 + sum(map(len, inside))
    bus_powered, milliamperes = 0x80, 100
    head = struct.pack(
        "<BBHBBBBB", 9, Part.CONFIGURATION, length, len(interfaces), value, 0, bus_powered, milliamperes // 2
    )
    return head + b"".join(inside)


def interface_of(number: int, endpoints: int, classes: tuple[int, int, int], alternate_setting: int = 0) -> bytes:
    """The head of an interface with this class, subclass and protocol; its endpoints follow it."""
    return bytes([9, Part.INTERFACE, number, alternate_setting, endpoints, *classes, 0])


def bulk_endpoint(address: int, packet_size: int = PACKET_SIZE) -> bytes:
    return struct.pack("<BBBBHB", 7, Part.ENDPOINT, address, _BULK, packet_size, 0)


def interrupt_endpoint(address: int) -> bytes:
    """Sixteen bytes, asked for every 16 ms."""
    return struct.pack("<BBBBHB", 7, Part.ENDPOINT, address, _INTERRUPT, 16, 16)


_VENDOR = configuration_of([interface_of(0, 2, (VENDOR_CLASS, 0, 0)), bulk_endpoint(DATA_IN), bulk_endpoint(DATA_OUT)])
_CDC_ACM = configuration_of(
    [
        interface_of(0, 1, (0x02, 0x02, 0)),  # communications, abstract control model, no modem commands
        bytes([5, 0x24, 0x00, 0x10, 0x01]),  # CDC release 1.10
        bytes([5, 0x24, 0x01, 0x00, 1]),  # no call management
        bytes([4, 0x24, 0x02, 0x06]),  # line coding, control lines, serial state and break are supported
        bytes([5, 0x24, 0x06, 0, 1]),  # interface 0 governs interface 1
        interrupt_endpoint(NOTIFICATION_IN),
        interface_of(1, 2, (0x0A, 0, 0)),  # the data
        bulk_endpoint(DATA_IN),
        bulk_endpoint(DATA_OUT),
    ]
)
