"""The `[shoe]` section of a table's file: the shoe's wire, its port and its key file."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from firmware_protocol.native.session import KEY_BYTES
from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem

if TYPE_CHECKING:
    from shoe_controller.transports.transport import Port

Wire = Literal["native", "angel_eye"]

USB_PREFIX = "usb:"
_USB = re.compile(rf"{USB_PREFIX}(?P<vendor>[0-9a-fA-F]{{4}}):(?P<product>[0-9a-fA-F]{{4}})(?::(?P<serial>.+))?")
_KEY_ITSELF = re.compile(rf"\s*[0-9a-fA-F]{{{2 * KEY_BYTES}}}\s*")


class ShoeEntry(msgspec.Struct):
    wire: Wire = "native"
    port: str | None = None
    baud: int | None = None
    key_file: str | None = None
    insecure: bool = False
    commands: bool = False
    stx_in_bcc: bool | None = None


class ShoeSettings(NamedTuple):
    wire: Wire
    address: str
    baud: int | None
    """`None` for the wire's default rate, or where there is none, as behind a socket."""
    key_file: Path | None
    """`None` on the Angel Eye wire, and where the house runs without a key."""
    commands: bool
    """Whether commands are sent to an Angel Eye shoe."""
    stx_in_bcc: bool = False
    """Whether the check characters of such a command cover its STX."""

    @property
    def insecure(self) -> bool:
        """Whether the native wire runs without a key."""
        return self.wire == "native" and self.key_file is None


def shoe_from(entry: ShoeEntry, folder: Path, problems: list[Problem]) -> ShoeSettings | None:
    section = Section("shoe", problems)
    section.require("port", entry.port)
    _check_key(section, entry)
    if entry.commands and entry.wire == "native":
        section.problem("commands", "only the Angel Eye wire has host commands: leave this key out")
    if entry.stx_in_bcc is not None and not (entry.commands and entry.wire == "angel_eye"):
        section.problem("stx_in_bcc", "this is about commands to an Angel Eye shoe, which are off: leave this key out")
    if entry.key_file is not None and _KEY_ITSELF.fullmatch(entry.key_file):
        section.problem(
            "key_file", "this is a key, not a file: put it into its own file, and write that file's name here"
        )
        return None
    key_file = section.path("key_file", entry.key_file, folder)
    if entry.port is None:
        return None
    shoe = ShoeSettings(entry.wire, entry.port, entry.baud, key_file, entry.commands, bool(entry.stx_in_bcc))
    _check_port(section, shoe)
    return shoe


def port_of(shoe: ShoeSettings) -> "Port":
    """Return the port that the section names, not yet opened; raise `TransportError` for a bad address."""
    # Imported late: ports bring the event loop and all line libraries along, which most commands do not need.
    from shoe_controller.transports import serial_port  # noqa: PLC0415 - see above
    from shoe_controller.transports.socket_port import SOCKET_PREFIX  # noqa: PLC0415 - see above
    from shoe_controller.transports.transport import TransportError  # noqa: PLC0415 - see above

    if shoe.address.startswith(USB_PREFIX):
        from shoe_controller.transports.usb_device import UsbDevice  # noqa: PLC0415 - see above

        usb = _USB.fullmatch(shoe.address)
        if usb is None or not shoe.address.isprintable():
            raise TransportError(
                f"{shoe.address!r} is not the address of a USB shoe: write usb:VENDOR:PRODUCT or "
                "usb:VENDOR:PRODUCT:SERIAL, each number as the 4 hexadecimal digits that `lsusb` shows."
            )
        return UsbDevice(int(usb["vendor"], 16), int(usb["product"], 16), usb["serial"])
    if not shoe.address.startswith(("/", SOCKET_PREFIX)):
        raise TransportError(
            f"{shoe.address!r} is not the address of a shoe: write a full path such as /dev/serial/by-id/usb-…, "
            "socket://host:port, or usb:VENDOR:PRODUCT."
        )
    usual = serial_port.NATIVE_BAUD if shoe.wire == "native" else serial_port.ANGEL_EYE_BAUD
    return serial_port.port_at(shoe.address, usual if shoe.baud is None else shoe.baud)


def _check_key(section: Section, entry: ShoeEntry) -> None:
    if entry.wire == "angel_eye":
        if entry.key_file is not None or entry.insecure:
            section.problem("key_file" if entry.key_file is not None else "insecure", "the Angel Eye wire has no keys")
    elif entry.key_file is None:
        if not entry.insecure:
            section.require("key_file", None)
    elif entry.insecure:
        section.problem("insecure", "either a key_file or insecure = true, not both")


def _check_port(section: Section, shoe: ShoeSettings) -> None:
    from shoe_controller.transports.transport import TransportError  # noqa: PLC0415 - see `port_of`

    if shoe.baud is not None and not shoe.address.startswith("/"):
        section.problem("baud", "only a serial port has a baud rate: leave this key out")
    try:
        port_of(shoe)
    except TransportError as error:
        section.problem("port", str(error))
