"""`shoe-controller decode --wire angel_eye capture.bin`: what a field engineer does with a capture of the line.

Raw bytes of the shoe in, or a recording of both directions; one JSON object per event out, a summary on stderr. Reads
as it goes, so that a capture may be of any size, or a pipe that is still growing. The links of `firmware_protocol` do
the decoding; `capture_rounds.py` puts rounds together for `--rounds`.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast

import msgspec

from firmware_protocol.angel_eye.commands import BadCommand, CommandReader, HostCommand
from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.telegrams import Garbage
from firmware_protocol.events import ShoeEvent
from firmware_protocol.link import Delivery, EventGap, LineError, LinkDown, LinkReport, LinkUp
from shoe_controller.commands.capture_rounds import CaptureRounds

_PIECE = 65536
_LONGEST_LINE = 1 << 20
_KEY_LENGTH = 32

_HOW_A_RECORDING_LOOKS = 'one {"t": seconds, "dir": "shoe" or "host", "hex": "05 31 …"} on each line'


class BadCaptureError(Exception):
    """What was given to decode cannot be read; the message is a sentence for the person who gave it."""


class Piece(NamedTuple):
    """Some bytes of the line, and when they were on it; 0 throughout a raw capture, which has no times."""

    at: float
    from_shoe: bool
    data: bytes


class Heard(NamedTuple):
    what: ShoeEvent | LinkReport
    extra: dict[str, Any]
    """What this wire adds to the object."""


class Listener(Protocol):
    """Decodes one wire for somebody who only listens."""

    repeats: int

    def hear(self, piece: Piece) -> Iterator[Heard]: ...

    def finish(self) -> Iterator[Heard]:
        """The capture has ended."""


class AngelEyeListener:
    """Each event counts as stored the moment it is heard, so that the link drops repeats as it would at a table."""

    def __init__(self, *, both_directions: bool) -> None:
        self._link = AngelEyeController(overhear=both_directions)
        self._host = CommandReader(stx_in_bcc=None)
        self._now: float | None = None

    @property
    def repeats(self) -> int:
        return self._link.repeats

    def hear(self, piece: Piece) -> Iterator[Heard]:
        if self._now is None:
            self._link.connected(piece.at)
        self._now = now = piece.at
        if not piece.from_shoe:
            yield from self._hear_host(piece.data)
            return
        due = self._link.next_deadline()
        if due is not None and now >= due:
            yield from self._sorted(self._link.tick(now), now)
        yield from self._sorted(self._link.receive(piece.data, now), now)

    def finish(self) -> Iterator[Heard]:
        if self._now is not None:
            yield from self._sorted(self._link.disconnected(self._now), self._now)

    def _sorted(self, items: "list[LinkReport] | list[Delivery | LinkReport]", now: float) -> Iterator[Heard]:
        for item in items:
            if isinstance(item, Delivery):
                self._link.committed(item, now)
                yield Heard(item.event, {})
            elif not isinstance(item, LinkUp | LinkDown):
                # On this wire up and down say only that the capture began and ended.
                yield Heard(item, {})

    def _hear_host(self, data: bytes) -> Iterator[Heard]:
        for item in self._host.read(data):
            match item:
                case HostCommand():
                    yield Heard(item, {})
                case BadCommand(offset=offset, reason=reason):
                    yield Heard(LineError(offset=offset, length=10, reason=reason), {"dir": "host"})
                case Garbage():
                    error = LineError(offset=item.offset, length=item.length, reason=item.reason)
                    yield Heard(error, {"dir": "host"})


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "decode",
        help="turn a capture of the line into events",
        description="Read raw bytes from the shoe, or a recording with both directions "
        f"({_HOW_A_RECORDING_LOOKS}), and write one JSON object per event.",
    )
    parser.add_argument("--wire", required=True, choices=("native", "angel_eye"), help="the protocol of the shoe")
    parser.add_argument("--key", metavar="FILE", help="the key of the shoe, 64 hexadecimal digits (native wire only)")
    parser.add_argument(
        "--rounds", action="store_true", help="write an object for each round too, checked by the rules"
    )
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="the capture; - or nothing is stdin")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        _decode(args)
    except BadCaptureError as error:
        sys.stderr.write(f"shoe-controller decode: {error}\n")
        return 2
    except BrokenPipeError:
        # Whoever reads our output has seen enough. Without this, Python would complain once more while it closes stdout.
        sys.stdout = None  # type: ignore[assignment]  # Python's own value for "there is none"
    return 0


def _decode(args: argparse.Namespace) -> None:
    key = None if args.key is None else read_key(Path(args.key))
    rounds = CaptureRounds() if args.rounds else None
    writer = _Writer(rounds)
    with _opened(args.file) as capture:
        first = capture.peek(1)[:1]
        is_recording = first == b"{"
        listener = _listener(args.wire, key, both_directions=is_recording)
        try:
            for piece in _recorded_pieces(capture, args.file) if is_recording else _raw_pieces(capture, args.file):
                for heard in listener.hear(piece):
                    writer.write(heard, {"t": piece.at} if is_recording else {})
                sys.stdout.flush()
        except KeyboardInterrupt:
            # The end of a capture that is still being made.
            pass
        finally:
            for heard in listener.finish():
                writer.write(heard, {})
            writer.finish()
            sys.stdout.flush()
            sys.stderr.write(writer.summary(listener.repeats))


def _listener(wire: str, key: bytes | None, *, both_directions: bool) -> Listener:
    if wire == "angel_eye":
        if key is not None:
            raise BadCaptureError("the Angel Eye wire has no keys: leave --key out, or say --wire native")
        return AngelEyeListener(both_directions=both_directions)
    raise BadCaptureError("the native wire cannot be decoded yet")


def read_key(path: Path) -> bytes:
    """A key as people keep it, in hexadecimal digits; the message never shows what was in the file."""
    try:
        with path.open("rb") as file:
            text = file.read(1024)
    except OSError as error:
        raise BadCaptureError(f"the key {path} cannot be read: {error.strerror}") from error
    try:
        key = bytes.fromhex(text.decode())
    except ValueError:
        key = b""
    if len(key) != _KEY_LENGTH:
        raise BadCaptureError(f"{path} holds no key: a key is {2 * _KEY_LENGTH} hexadecimal digits and nothing else")
    return key


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name == "-":
        yield cast("BufferedReader", sys.stdin.buffer)
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - an error of opening and one of reading are two different sentences
    except OSError as error:
        raise BadCaptureError(f"{name} cannot be opened: {error.strerror}") from error
    with file:
        yield file


def _raw_pieces(capture: BufferedReader, name: str) -> Iterator[Piece]:
    while data := _read(capture, name):
        yield Piece(0.0, from_shoe=True, data=data)


def _read(capture: BufferedReader, name: str) -> bytes:
    try:
        return capture.read1(_PIECE)
    except OSError as error:
        raise BadCaptureError(f"{name} cannot be read: {error.strerror}") from error


class _Chunk(msgspec.Struct):
    t: float
    dir: Literal["shoe", "host"]
    hex: str


def _recorded_pieces(capture: BufferedReader, name: str) -> Iterator[Piece]:
    now: float | None = None
    number = 0
    while line := capture.readline(_LONGEST_LINE):
        number += 1
        if line.isspace():
            continue
        try:
            chunk = msgspec.json.decode(line, type=_Chunk)
            data = bytes.fromhex(chunk.hex)
        except (msgspec.DecodeError, ValueError) as error:
            raise BadCaptureError(
                f"line {number} of {name} is not part of a recording ({error}); expected {_HOW_A_RECORDING_LOOKS}"
            ) from error
        # The links count on time that never goes back; a recorder's clock may have been set.
        now = chunk.t if now is None else max(now, chunk.t)
        yield Piece(now, from_shoe=chunk.dir == "shoe", data=data)


class _Writer:
    """Writes the objects and keeps count of them."""

    def __init__(self, rounds: CaptureRounds | None) -> None:
        self._rounds = rounds
        self._events = 0
        self._line_errors = 0
        self._gaps = 0

    def write(self, heard: Heard, when: dict[str, float]) -> None:
        what = heard.what
        self._events += isinstance(what, ShoeEvent)
        self._line_errors += isinstance(what, LineError)
        self._gaps += isinstance(what, EventGap)
        _write_line(msgspec.to_builtins(what) | heard.extra | when)
        if self._rounds is not None:
            for heard_round in self._rounds.feed(what):
                _write_line(heard_round)

    def finish(self) -> None:
        if self._rounds is not None:
            for heard_round in self._rounds.finish():
                _write_line(heard_round)

    def summary(self, repeats: int) -> str:
        counts = [
            _count(self._events, "event"),
            _count(repeats, "repeat"),
            _count(self._line_errors, "line error"),
            _count(self._gaps, "gap"),
        ]
        if self._rounds is not None:
            counts.append(f"{_count(self._rounds.rounds, 'round')} ({self._rounds.disagreeing} not agreeing)")
            if self._rounds.cards_without_a_hand:
                counts.append(f"{_count(self._rounds.cards_without_a_hand, 'card')} without a hand, left out of rounds")
        return ", ".join(counts) + "\n"


def _write_line(value: object) -> None:
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
