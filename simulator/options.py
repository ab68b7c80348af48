"""Turns the command line into ports and settings; every mistake in it is one clear sentence.

`cli.py` has the commands, this file their options: `--port`, `--key`, `--speed`, `--cards`, `--scenario` and the like.
"""

import argparse
import secrets
from pathlib import Path

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.native.session import INSECURE_KEY, KEY_BYTES
from simulator.dealer import AS_FAST_AS_THE_LINE
from simulator.decks import MOST_DECKS, USUAL_DECKS, BadCardsError, read_cards
from simulator.emulation import EmulationSettings
from simulator.ports.port import Port
from simulator.ports.pty import PtyPort
from simulator.ports.tcp import TcpPort
from simulator.ports.usb_shoe import UsbIdentity, UsbKind
from simulator.ports.usbip import UsbIpPort
from simulator.scenario import Scenario, ScenarioError, read_scenario
from simulator.shoe_line import Wire, WireSettings

DEFAULT_PORT = "pty:/tmp/shoe"
PORT_FORMS = "pty:/tmp/shoe, tcp:127.0.0.1:4001, usbip:127.0.0.1:3240 or usbip-vendor:127.0.0.1:3240"
_ONE_BYTE_AT_4800_BAUD = 10 / 4800
_LINE_TIME = 8 * _ONE_BYTE_AT_4800_BAUD
"""Seconds a telegram of eight bytes takes on a real Angel Eye line: no telegram can follow sooner."""


class BadOptionError(Exception):
    """An option, or a file named by one, that cannot be used."""


def add_port_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", default=DEFAULT_PORT, metavar="PORT", help=f"{PORT_FORMS} (default: %(default)s)")


def add_shoe_options(parser: argparse.ArgumentParser) -> None:
    line = parser.add_argument_group("the line")
    line.add_argument("--wire", choices=[wire.value for wire in Wire], default="native", help="default: native")
    line.add_argument(
        "--disclose",
        choices=["at_draw", "at_result"],
        help="when the shoe discloses a card (default: native at_draw, angel_eye at_result; lines always at_draw)",
    )
    line.add_argument("--key", metavar="FILE", help="the shoe's key, 64 hexadecimal digits (native wire)")
    line.add_argument("--insecure", action="store_true", help="run without a key (native wire)")
    line.add_argument("--serial-number", default="EMU-0001", metavar="TEXT", help="default: %(default)s")
    line.add_argument("--stx-in-bcc", action="store_true", help="commands' check covers STX (angel_eye wire)")
    line.add_argument("--faces", action="store_true", help="the reader's ids name faces, not pieces (lines wire)")
    line.add_argument(
        "--cards-file", metavar="FILE", help="write which card each id is, for the controller (lines wire)"
    )
    cards = parser.add_argument_group("the cards")
    cards.add_argument(
        "--decks", type=int, metavar="N", help=f"1 to {MOST_DECKS} shuffled decks (default: {USUAL_DECKS})"
    )
    cards.add_argument("--cards", metavar="FILE", help="exactly these cards in this order, as in: 9H 4D KS")
    cards.add_argument("--cut-card", type=int, metavar="N", help="cards behind the cut card (default: 14)")
    cards.add_argument(
        "--seed", type=int, metavar="N", help="the same seed gives the same run (default: a different one each time)"
    )
    dealing = parser.add_argument_group("the dealer")
    dealing.add_argument(
        "--speed",
        default="1",
        metavar="N",
        help="1 is a person's pace, 20 twenty times that, max as fast as the line allows, manual to deal by hand",
    )
    dealing.add_argument("--shoes", type=int, metavar="N", help="number of shoes to deal (default: without end)")
    parser.add_argument("--scenario", metavar="FILE", help="what goes wrong, and when (TOML)")
    parser.add_argument("--truth", metavar="FILE", help="write everything that happens to this file, as JSON lines")


def port_from(text: str, serial_number: str = "EMU-0001") -> Port:
    """Return the port named on the command line; it is opened later."""
    kind, _, where = text.partition(":")
    if kind == "pty" and where:
        return PtyPort(Path(where))
    if kind in ("tcp", "usbip", "usbip-vendor"):
        host, _, number = where.rpartition(":")
        if not number.isdigit():
            raise BadOptionError(f"--port {text}: {number!r} is not a port number; write {PORT_FORMS}")
        host = host.strip("[]") or "127.0.0.1"
        if kind == "tcp":
            return TcpPort(host, int(number))
        usb_kind = UsbKind.CDC_ACM if kind == "usbip" else UsbKind.VENDOR
        return UsbIpPort(host, int(number), UsbIdentity(serial_number=serial_number), usb_kind)
    raise BadOptionError(f"--port {text} is not a port: write {PORT_FORMS}")


def settings_from(args: argparse.Namespace) -> EmulationSettings:
    """Merge the options with the scenario; an option takes precedence."""
    wire = Wire(args.wire)
    speed = speed_from(args.speed)
    _check("--seed", args.seed, 0)
    _check("--decks", args.decks, 1, MOST_DECKS)
    _check("--shoes", args.shoes, 1)
    _check("--cut-card", args.cut_card, 0)
    listed = None if args.cards is None else tuple(_cards(args.cards))
    if listed is not None and args.decks is not None:
        raise BadOptionError("either --decks or --cards, not both")
    scenario = _scenario(args, wire, listed)
    cards = listed or (scenario.cards if args.decks is None else None)
    decks = args.decks or scenario.decks or USUAL_DECKS
    cut_card = next((number for number in (args.cut_card, scenario.cut_card) if number is not None), 14)
    if cards is None and cut_card >= 52 * decks:
        raise BadOptionError(f"--cut-card: the shoe has {52 * decks} cards; choose a smaller number")
    seed = args.seed if args.seed is not None else scenario.seed
    return EmulationSettings(
        wire=_wire(args, wire, speed),
        seed=secrets.randbelow(1 << 32) if seed is None else seed,
        decks=decks,
        cards=cards,
        cut_card=cut_card,
        shoes=args.shoes or scenario.shoes,
        speed=speed,
        faults=scenario.faults,
    )


def speed_from(text: str) -> float | None:
    """Return the speed as a multiple of a person's; `None` to deal by hand."""
    if text == "manual":
        return None
    if text == "max":
        return AS_FAST_AS_THE_LINE
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 10_000:
        raise BadOptionError(f"--speed {text}: write a number from 0.01 to 10000, or max, or manual")
    return speed


def _wire(args: argparse.Namespace, wire: Wire, speed: float | None) -> WireSettings:
    default = "at_result" if wire is Wire.ANGEL_EYE else "at_draw"
    if wire is Wire.LINES and args.disclose == "at_result":
        raise BadOptionError("a reader of ids sees each card as it passes: leave --disclose out")
    if wire is not Wire.LINES and (args.faces or args.cards_file is not None):
        raise BadOptionError("--faces and --cards-file are for --wire lines")
    settings = WireSettings(
        wire=wire,
        disclosing=Disclosing(args.disclose or default),
        key=_key(args, wire),
        serial_number=args.serial_number,
        stx_in_bcc=args.stx_in_bcc,
        ids="faces" if args.faces else "pieces",
    )
    if not (args.serial_number.isascii() and args.serial_number.isprintable() and 0 < len(args.serial_number) <= 32):
        raise BadOptionError("--serial-number: write 1 to 32 printable ASCII characters")
    faster = max(settings.spacing / (speed or 1.0), _LINE_TIME)
    return msgspec.structs.replace(settings, spacing=min(settings.spacing, faster))


def _key(args: argparse.Namespace, wire: Wire) -> bytes | None:
    if wire is not Wire.NATIVE:
        if args.key is not None or args.insecure:
            name = "Angel Eye wire" if wire is Wire.ANGEL_EYE else "wire of lines"
            raise BadOptionError(f"the {name} has no keys: leave --key and --insecure out")
        return None
    if args.key is None:
        if not args.insecure:
            raise BadOptionError(
                "the native wire needs a key: give --key FILE (64 hexadecimal digits), or --insecure to go without"
            )
        return None
    if args.insecure:
        raise BadOptionError("either --key or --insecure, not both")
    try:
        key = bytes.fromhex(_text_of(args.key, "--key"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise BadOptionError(f"--key {args.key}: a key is {2 * KEY_BYTES} hexadecimal digits and nothing else")
    if key == INSECURE_KEY:
        raise BadOptionError(f"--key {args.key}: a key of zeros is not a key: make a random one")
    return key


def _cards(name: str) -> list[Card]:
    try:
        return read_cards(_text_of(name, "--cards"), name)
    except BadCardsError as error:
        raise BadOptionError(str(error)) from error


def _scenario(args: argparse.Namespace, wire: Wire, listed: tuple[Card, ...] | None) -> Scenario:
    if args.scenario is None:
        return Scenario()
    text = _text_of(args.scenario, "--scenario")
    given = Scenario(decks=args.decks, cards=listed, shoes=args.shoes)
    try:
        return read_scenario(text, args.scenario, wire, given)
    except ScenarioError as error:
        raise BadOptionError(str(error)) from error


def _text_of(name: str, option: str) -> str:
    if Path(name).exists() and not Path(name).is_file():  # a pipe would be waited for, and a device read for ever
        raise BadOptionError(f"{option} {name} cannot be read: it is not a regular file")
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise BadOptionError(f"{option} {name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadOptionError(f"{option} {name} is not text: byte {error.start} is not UTF-8") from error


def _check(option: str, value: int | None, least: int, most: int | None = None) -> None:
    if value is not None and (value < least or (most is not None and value > most)):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise BadOptionError(f"{option} {value}: write a number {bounds}")
