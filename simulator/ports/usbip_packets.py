"""The packets of USB/IP, protocol 1.1.1, as the Linux kernel and its `usbip` command speak it. Pure; all big-endian.

A client first sends one request: the list of devices, or the import of one. After an import the connection carries that
device's transfers: the host submits them and may unlink them again, the device returns them.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum

from simulator.ports.usb_shoe import CONFIGURATION, FULL_SPEED, Setup, UsbShoe

VERSION = 0x0111
BUS_ID_SIZE = 32
LONGEST_TRANSFER = 1024 * 1024
"""More than any serial driver or reader of bulk packets requests at once."""

OPERATION = struct.Struct(">HHI")
"""Version, operation, status: the header of everything before an import."""
_DEVICE = struct.Struct(">256s32sIIIHHHBBBBBB")
_HEADER = struct.Struct(">IIIII28s")
HEADER_SIZE = _HEADER.size
_SUBMIT = struct.Struct(">IIIII8s")
_RETURN = struct.Struct(">IIIIIiIIII8x")
_RETURN_UNLINK = struct.Struct(">IIIIIi24x")


class Operation(IntEnum):
    LIST = 0x8005
    LIST_REPLY = 0x0005
    IMPORT = 0x8003
    IMPORT_REPLY = 0x0003


class ReplyStatus(IntEnum):
    OK = 0
    DEVICE_BUSY = 2
    NO_DEVICE = 4


class Command(IntEnum):
    SUBMIT = 1
    UNLINK = 2
    RETURN_SUBMIT = 3
    RETURN_UNLINK = 4


class MalformedPacketError(ValueError):
    """The client does not speak valid USB/IP."""


@dataclass(frozen=True)
class ExportedShoe:
    """A device on offer, and the bus position that the server reports for it."""

    shoe: UsbShoe
    bus: int
    device: int

    @property
    def bus_id(self) -> str:
        return f"{self.bus}-1"

    @property
    def device_id(self) -> int:
        return self.bus << 16 | self.device

    def record(self) -> bytes:
        """The device as both replies describe it."""
        descriptor = self.shoe.device_descriptor
        vendor, product, release = struct.unpack_from("<HHH", descriptor, 8)
        return _DEVICE.pack(
            f"/sys/devices/emulated/usb{self.bus}/{self.bus_id}".encode(),
            self.bus_id.encode(),
            *(self.bus, self.device, FULL_SPEED, vendor, product, release),
            *descriptor[4:7],
            *(CONFIGURATION, descriptor[17], len(self.shoe.interface_classes)),
        )


@dataclass(frozen=True)
class Transfer:
    """A transfer that the host has submitted. `data` is what it sends; `length` is the room it has for an answer."""

    number: int
    endpoint: int
    """With the direction bit, as a descriptor has it; 0 for control transfers of both directions."""
    length: int
    setup: Setup
    data: bytes = b""


@dataclass(frozen=True)
class Unlink:
    """The host cancels a transfer that it has submitted."""

    number: int
    transfer: int


def operation_reply(operation: Operation, status: ReplyStatus, body: bytes = b"") -> bytes:
    return OPERATION.pack(VERSION, operation, status) + body


def device_list(exported: list[ExportedShoe]) -> bytes:
    described = (one.record() + b"".join(classes + b"\0" for classes in one.shoe.interface_classes) for one in exported)
    return operation_reply(Operation.LIST_REPLY, ReplyStatus.OK, struct.pack(">I", len(exported)) + b"".join(described))


def read_command(data: bytearray, device_id: int) -> tuple[Transfer | Unlink, int] | None:
    """The command at the beginning of `data` and its size, or `None` if it has not arrived in full."""
    if len(data) < HEADER_SIZE:
        return None
    command, number, device, to_host, endpoint, rest = _HEADER.unpack_from(data)
    if device != device_id or to_host > 1 or endpoint > 15:
        raise MalformedPacketError("a command for a device that was not imported here")
    if command == Command.UNLINK:
        return Unlink(number, int.from_bytes(rest[:4], "big")), HEADER_SIZE
    if command != Command.SUBMIT:
        raise MalformedPacketError(f"command {command:#x} is not one that a host sends")
    _flags, length, _start_frame, packets, _interval, setup = _SUBMIT.unpack(rest)
    if packets not in {0, 0xFFFF_FFFF} or length > LONGEST_TRANSFER:
        raise MalformedPacketError("a transfer that no endpoint of a shoe can make")
    size = HEADER_SIZE + (0 if to_host else length)
    if len(data) < size:
        return None
    address = endpoint | (to_host << 7 if endpoint else 0)
    return Transfer(number, address, length, Setup.unpack(setup), bytes(data[HEADER_SIZE:size])), size


def returned(number: int, status: int, length: int, data: bytes = b"") -> bytes:
    """The reply to a completed transfer. `length` is what was transferred, `data` the part that goes to the host."""
    return _RETURN.pack(Command.RETURN_SUBMIT, number, 0, 0, 0, status, length, 0, 0, 0) + data


def unlinked(number: int, status: int) -> bytes:
    return _RETURN_UNLINK.pack(Command.RETURN_UNLINK, number, 0, 0, 0, status)
