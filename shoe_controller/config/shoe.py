"""The `[shoe]` section of a table's file: the wire, the port, the key file, and how a reader writes its lines."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from firmware_protocol.lines.cards_file import BadCardsFileError, CardIds, read_cards_file, whole
from firmware_protocol.lines.controller import REPEAT_WITHIN
from firmware_protocol.lines.pattern import MAX_ID, Checksum, LinePattern
from firmware_protocol.native.session import KEY_BYTES
from firmware_protocol.pace import CARD_TAKES
from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.section import Section
from shoe_controller.config.strict_reading import Problem

if TYPE_CHECKING:
    from shoe_controller.transports.transport import Port

Wire = Literal["native", "angel_eye", "lines"]
WIRES: tuple[Wire, ...] = ("native", "angel_eye", "lines")

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
    cards_files: tuple[str, ...] | None = None
    prefix: str = ""
    suffix: str = ""
    checksum: Checksum = "none"
    unread: str = ""
    ignore: tuple[str, ...] = ()
    repeat_within: int | float = REPEAT_WITHIN
    card_takes: int | float | None = None


_NO_KEY_FILE = (
    'key_file = "shoe.key", which `shoe-controller keys shoe shoe.key` makes beside this file; '
    "or insecure = true, with which anyone at the cable can pretend to be the shoe"
)

_DEFAULTS = ShoeEntry()
_OF_LINES = ("cards_files", "prefix", "suffix", "checksum", "unread", "ignore", "repeat_within")

LONGEST_REPEAT = 60
"""Seconds."""
LONGEST_CARD_TAKES = 1
"""Seconds: nobody is so slow that this would be the least."""


class LinesSettings(NamedTuple):
    """What a reader sends, and what it means."""

    cards_files: tuple[Path, ...]
    pattern: LinePattern
    repeat_within: float
    """Seconds in which the same id counts as the same reading."""


class ShoeSettings(NamedTuple):
    wire: Wire
    address: str
    baud: int | None
    """`None` for the wire's default rate, or where there is none, as behind a socket."""
    key_file: Path | None
    """`None` on wires without keys, and where the house runs without a key."""
    commands: bool
    """Whether commands are sent to an Angel Eye shoe."""
    stx_in_bcc: bool = False
    """Whether the check characters of such a command cover its STX."""
    lines: LinesSettings | None = None
    """`None` on other wires."""
    card_takes: float = CARD_TAKES
    """Seconds from one card to the next, at the least, on wires that say nothing about times; 0 to judge nothing."""

    @property
    def insecure(self) -> bool:
        """Whether the native wire runs without a key."""
        return self.wire == "native" and self.key_file is None


def shoe_from(entry: ShoeEntry, folder: Path, problems: list[Problem]) -> ShoeSettings | None:
    section = Section("shoe", problems)
    section.require(
        "port", entry.port, 'where the shoe is plugged in, as in port = "/dev/serial/by-id/usb-Shoe_0001-if00"'
    )
    _check_key(section, entry)
    if entry.commands and entry.wire != "angel_eye":
        section.problem("commands", "only the Angel Eye wire has host commands: leave this key out")
    if entry.stx_in_bcc is not None and not (entry.commands and entry.wire == "angel_eye"):
        section.problem("stx_in_bcc", "this is about commands to an Angel Eye shoe, which are off: leave this key out")
    if entry.key_file is not None and _KEY_ITSELF.fullmatch(entry.key_file):
        section.problem(
            "key_file", "this is a key, not a file: put it into its own file, and write that file's name here"
        )
        return None
    key_file = section.path("key_file", entry.key_file, folder)
    lines = _lines(section, entry, folder)
    if entry.port is None:
        return None
    shoe = ShoeSettings(
        entry.wire,
        entry.port,
        entry.baud,
        key_file,
        entry.commands,
        bool(entry.stx_in_bcc),
        lines,
        _card_takes(section, entry),
    )
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
    return serial_port.port_at(shoe.address, serial_port.USUAL_BAUD[shoe.wire] if shoe.baud is None else shoe.baud)


def card_ids(lines: LinesSettings, decks: int) -> CardIds:
    """Read the files that say which card an id stands for; raise `BadCardsFileError` for what cannot be played with."""
    files = []
    for path in lines.cards_files:
        try:
            text = read_plain(path, only_ours=True)
        except OSError as error:
            raise BadCardsFileError(
                f"{path} cannot be read: {error.strerror}. `shoe-controller cards learn {path}` makes such a file"
            ) from error
        file = whole(read_cards_file(text, str(path)), str(path))
        if file.header.ids == "pieces" and file.header.decks != decks:
            raise BadCardsFileError(f"{path} is of {file.header.decks} decks, and house.decks is {decks}")
        files.append(file)
    return CardIds(files)


def _lines(section: Section, entry: ShoeEntry, folder: Path) -> LinesSettings | None:
    if entry.wire != "lines":
        for key in _OF_LINES:
            if getattr(entry, key) != getattr(_DEFAULTS, key):
                section.problem(key, 'only the wire "lines" has it: leave this key out')
        return None
    section.require(
        "cards_files",
        entry.cards_files,
        'cards_files = ["cards.jsonl"]; `shoe-controller cards learn cards.jsonl` makes it',
    )
    if entry.cards_files == ():
        section.problem("cards_files", "must name at least one file, which `shoe-controller cards learn` makes")
    for key in ("prefix", "suffix", "unread"):
        section.one_line(key, getattr(entry, key), MAX_ID)
    if entry.prefix != entry.prefix.lstrip() or (entry.checksum == "none" and entry.suffix != entry.suffix.rstrip()):
        section.problem("prefix", "spaces at the beginning and the end of a line mean nothing: leave them out here")
    for number, beginning in enumerate(entry.ignore, 1):
        section.one_line(f"ignore[{number}]", beginning, MAX_ID, may_be_empty=False)
    if not 0 < entry.repeat_within <= LONGEST_REPEAT:
        seconds = f"must be seconds, more than 0 and at most {LONGEST_REPEAT}, not {entry.repeat_within}"
        section.problem("repeat_within", seconds)
    named = enumerate(entry.cards_files or (), 1)
    files = [section.path(f"cards_files[{number}]", text, folder) for number, text in named]
    pattern = LinePattern(
        prefix=entry.prefix, suffix=entry.suffix, checksum=entry.checksum, unread=entry.unread, ignore=entry.ignore
    )
    return LinesSettings(tuple(file for file in files if file is not None), pattern, float(entry.repeat_within))


def _card_takes(section: Section, entry: ShoeEntry) -> float:
    if entry.card_takes is None:
        return CARD_TAKES
    if entry.wire == "native":
        section.problem("card_takes", "a shoe of the native wire says how old each card is: leave this key out")
    elif not 0 <= entry.card_takes <= LONGEST_CARD_TAKES:
        seconds = f"must be seconds, 0 (judge nothing) to {LONGEST_CARD_TAKES}, not {entry.card_takes}"
        section.problem("card_takes", seconds)
    return float(entry.card_takes)


def _check_key(section: Section, entry: ShoeEntry) -> None:
    if entry.wire != "native":
        if entry.key_file is not None or entry.insecure:
            name = "Angel Eye wire" if entry.wire == "angel_eye" else 'wire "lines"'
            section.problem(
                "key_file" if entry.key_file is not None else "insecure", f"the {name} has no keys: leave this key out"
            )
    elif entry.key_file is None:
        if not entry.insecure:
            section.require("key_file", None, _NO_KEY_FILE)
    elif entry.insecure:
        section.problem("insecure", "either a key_file or insecure = true, not both: leave one out, best this")


def _check_port(section: Section, shoe: ShoeSettings) -> None:
    from shoe_controller.transports.transport import TransportError  # noqa: PLC0415 - see `port_of`

    if shoe.baud is not None and not shoe.address.startswith("/"):
        section.problem("baud", "only a serial port has a baud rate: leave this key out")
    try:
        port_of(shoe)
    except TransportError as error:
        section.problem("port", str(error))
