"""`shoe-controller decode --wire angel_eye capture.bin`: decodes a capture of the line, for field engineers.

Raw bytes of the shoe in, or a recording of both directions; one JSON object per event out, a summary on stderr. It
streams, so that a capture may be of any size, or a pipe that is still growing. `captures.py` reads it,
`capture_listeners.py` knows the wires, `capture_rounds.py` assembles rounds for `--rounds`, `pcapng.py` writes what
Wireshark opens for `--pcap`.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from firmware_protocol.events import ShoeEvent
from firmware_protocol.lines.cards_file import BadCardsFileError, CardIds, read_cards_file
from firmware_protocol.link import EventGap, LineError, LinkUsageError
from firmware_protocol.native.session import KEY_BYTES
from shoe_controller.commands.capture_listeners import (
    AngelEyeListener,
    CaptureListener,
    DecodedItem,
    LinesListener,
    NativeCaptureListener,
)
from shoe_controller.commands.capture_rounds import CapturedRound, CaptureRounds
from shoe_controller.commands.captures import HOW_A_RECORDING_LOOKS, BadCaptureError, Piece, opened
from shoe_controller.commands.line_options import add_pattern_options, pattern_from
from shoe_controller.commands.output import BAD_INPUT, GOOD, as_text
from shoe_controller.commands.pcapng import PcapngWriter
from shoe_controller.config.plain_files import read_plain
from shoe_controller.config.shoe import WIRES
from shoe_controller.config.strict_reading import why_unreadable


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "decode",
        help="turn a capture of the line into events",
        description="Read raw bytes from the shoe, or a recording with both directions "
        f"({HOW_A_RECORDING_LOOKS}), and write one JSON object per event.",
    )
    parser.add_argument("--wire", required=True, choices=WIRES, help="the protocol of the shoe")
    parser.add_argument("--key", metavar="FILE", help="the key of the shoe, 64 hexadecimal digits (native wire only)")
    parser.add_argument(
        "--rounds", action="store_true", help="also write an object for each round, checked against the rules"
    )
    parser.add_argument(
        "--pcap",
        metavar="FILE",
        help="also write the frames to this new file, for Wireshark with firmware_protocol/wireshark/shoe_native.lua "
        "(native wire only)",
    )
    parser.add_argument(
        "--cards", metavar="FILE", action="append", default=[], help="a cards file of the reader (lines wire)"
    )
    add_pattern_options(parser)
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the capture; - or nothing is stdin")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        _decode(args)
    except BadCaptureError as error:
        sys.stderr.write(f"shoe-controller decode: {as_text(str(error))}\n")
        return BAD_INPUT
    return GOOD


def _decode(args: argparse.Namespace) -> None:
    key = None if args.key is None else read_key(Path(args.key))
    if args.pcap is not None and args.wire != "native":
        raise BadCaptureError("Wireshark reads only the native wire: leave --pcap out, or use --wire native")
    rounds = CaptureRounds() if args.rounds else None
    writer = _Writer(rounds)
    with opened(args.file) as capture, _pcap(args.pcap) as add_to_pcap:
        listener = _listener(args, key, both_directions=capture.is_recording)
        try:
            for piece in capture.pieces():
                add_to_pcap(piece)
                for item in listener.decode(piece):
                    writer.write(item, {"t": piece.at} if capture.is_recording else {})
                sys.stdout.buffer.flush()
        except KeyboardInterrupt:
            # Ctrl-C ends a capture that is still being made.
            pass
        finally:
            for item in listener.finish():
                writer.write(item, {})
            writer.finish()
            sys.stdout.buffer.flush()
            sys.stderr.write(writer.summary(listener.repeats))


def _listener(args: argparse.Namespace, key: bytes | None, *, both_directions: bool) -> CaptureListener:
    if args.wire != "native" and key is not None:
        name = "Angel Eye wire" if args.wire == "angel_eye" else "wire of lines"
        raise BadCaptureError(f"the {name} has no keys: leave --key out, or use --wire native")
    if args.wire == "angel_eye":
        return AngelEyeListener(both_directions=both_directions)
    if args.wire == "lines":
        return LinesListener(_cards(args.cards), pattern_from(args))
    try:
        return NativeCaptureListener(key)
    except LinkUsageError as error:
        raise BadCaptureError(f"this key cannot be used: {error}") from error


@contextmanager
def _pcap(name: str | None) -> Iterator[Callable[[Piece], None]]:
    """What is called with each piece for the file of `--pcap`; without one, it does nothing."""
    if name is None:
        yield lambda _: None
        return
    try:
        # An existing file is never replaced: it may be the capture itself.
        file = Path(name).open("xb", buffering=0)  # noqa: SIM115 - closed below, where errors have other words
    except FileExistsError as error:
        raise BadCaptureError(f"{name} exists already and was left alone: name another file for --pcap") from error
    except OSError as error:
        raise BadCaptureError(f"{name} cannot be written: {error.strerror}") from error

    def write(data: bytes) -> None:
        try:
            file.write(data)
        except OSError as error:
            raise BadCaptureError(f"{name} cannot be written any further: {error.strerror}") from error

    with file:
        writer = PcapngWriter(write)
        try:
            yield writer.add
        finally:
            writer.finish()


def _cards(names: list[str]) -> CardIds:
    if not names:
        raise BadCaptureError("the wire of lines needs the file that says which card an id is: give it with --cards")
    try:
        return CardIds([read_cards_file(read_plain(Path(name)), name) for name in names])
    except BadCardsFileError as error:
        raise BadCaptureError(str(error)) from error
    except OSError as error:
        raise BadCaptureError(f"the cards file cannot be read: {why_unreadable(error)}") from error


def read_key(path: Path) -> bytes:
    """Read a key in hexadecimal digits; the error message never shows the file's content."""
    try:
        text = read_plain(path)
    except OSError as error:
        raise BadCaptureError(f"the key {path} cannot be read: {why_unreadable(error)}") from error
    try:
        key = bytes.fromhex(text.decode())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise BadCaptureError(f"{path} contains no key: a key is {2 * KEY_BYTES} hexadecimal digits and nothing else")
    return key


class _Writer:
    """Writes the objects and counts them."""

    def __init__(self, rounds: CaptureRounds | None) -> None:
        self._rounds = rounds
        self._events = 0
        self._line_errors = 0
        self._gaps = 0
        self._not_authenticated = 0
        self._round_is_authentic = True
        """Whether everything since the last round was authenticated."""

    def write(self, item: DecodedItem, when: dict[str, float]) -> None:
        what = item.what
        self._events += isinstance(what, ShoeEvent)
        self._line_errors += isinstance(what, LineError)
        self._gaps += isinstance(what, EventGap)
        _write_line(msgspec.to_builtins(what) | item.extra | when)
        if isinstance(what, ShoeEvent) and not item.extra.get("authenticated", True):
            self._not_authenticated += 1
            self._round_is_authentic = False
        if self._rounds is not None:
            self._write_rounds(self._rounds.feed(what), with_authenticity="authenticated" in item.extra)

    def finish(self) -> None:
        if self._rounds is not None:
            self._write_rounds(self._rounds.finish(), with_authenticity=not self._round_is_authentic)

    def _write_rounds(self, rounds: list[CapturedRound], *, with_authenticity: bool) -> None:
        for captured in rounds:
            more = {"authenticated": self._round_is_authentic} if with_authenticity else {}
            _write_line(msgspec.to_builtins(captured) | more)
            self._round_is_authentic = True

    def summary(self, repeats: int) -> str:
        counts = [
            _count(self._events, "event"),
            _count(repeats, "repeat"),
            _count(self._line_errors, "line error"),
            _count(self._gaps, "gap"),
        ]
        if self._not_authenticated:
            counts.append(f"{_count(self._not_authenticated, 'event')} NOT AUTHENTICATED")
        if self._rounds is not None:
            counts.append(f"{_count(self._rounds.rounds, 'round')} ({self._rounds.disagreeing} not agreeing)")
            if self._rounds.results_set_aside:
                counts.append(f"{_count(self._rounds.results_set_aside, 'result')} without a round, set aside")
            if self._rounds.cards_without_a_hand:
                counts.append(f"{_count(self._rounds.cards_without_a_hand, 'card')} without a hand, left out of rounds")
        return ", ".join(counts) + "\n"


def _write_line(value: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
