"""Listeners that decode a capture: one class per wire, with the same interface. Used by `decode.py`.

The classes of `firmware_protocol` do the decoding; these add what is specific to each wire.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from firmware_protocol.angel_eye.commands import COMMAND_LENGTH, BadCommand, CommandReader, HostCommand
from firmware_protocol.angel_eye.controller import AngelEyeController, LineSettings
from firmware_protocol.angel_eye.telegrams import Garbage
from firmware_protocol.events import ShoeEvent
from firmware_protocol.lines.cards_file import CardIds
from firmware_protocol.lines.controller import LinesController
from firmware_protocol.lines.pattern import LinePattern
from firmware_protocol.link import Delivery, LineError, LinkDown, LinkReport, LinkUp, ShoeNotice
from firmware_protocol.native.listen import NativeListener, Overheard
from shoe_controller.commands.captures import Piece


class DecodedItem(NamedTuple):
    what: ShoeEvent | LinkReport | ShoeNotice
    extra: dict[str, Any]
    """Fields that this wire adds to the object."""


class CaptureListener(Protocol):
    """Decodes one wire passively."""

    @property
    def repeats(self) -> int: ...

    def decode(self, piece: Piece) -> Iterator[DecodedItem]: ...

    def finish(self) -> Iterator[DecodedItem]:
        """Report what is left at the end of the capture."""


class AngelEyeListener:
    """Each event counts as stored as soon as it is received, so that the link drops repeats as it would at a table."""

    def __init__(self, *, both_directions: bool) -> None:
        self._link = AngelEyeController(overhear=both_directions, line=LineSettings(card_takes=0.0))
        self._host = CommandReader(stx_in_bcc=None)
        self._now: float | None = None

    @property
    def repeats(self) -> int:
        return self._link.repeats

    def decode(self, piece: Piece) -> Iterator[DecodedItem]:
        if self._now is None:
            self._link.connected(piece.at)
        self._now = now = piece.at
        if not piece.from_shoe:
            yield from self._decode_host(piece.data)
            return
        due = self._link.next_deadline()
        if due is not None and now >= due:
            yield from self._sorted(self._link.tick(now), now)
        yield from self._sorted(self._link.receive(piece.data, now), now)

    def finish(self) -> Iterator[DecodedItem]:
        if self._now is not None:
            yield from self._sorted(self._link.disconnected(self._now), self._now)
        yield from map(_of_host, self._host.give_up())

    def _sorted(self, items: "list[LinkReport] | list[Delivery | LinkReport]", now: float) -> Iterator[DecodedItem]:
        for item in items:
            if isinstance(item, Delivery):
                self._link.committed(item, now)
                yield DecodedItem(item.event, {})
            elif not isinstance(item, LinkUp | LinkDown):
                # On this wire up and down mean only that the capture began and ended.
                yield DecodedItem(item, {})

    def _decode_host(self, data: bytes) -> Iterator[DecodedItem]:
        for item in self._host.read(data):
            match item:
                case HostCommand():
                    yield DecodedItem(item, {})
                case BadCommand(offset=offset, reason=reason):
                    yield DecodedItem(LineError(offset=offset, length=COMMAND_LENGTH, reason=reason), {"dir": "host"})
                case Garbage():
                    yield _of_host(item)


def _of_host(garbage: Garbage) -> DecodedItem:
    error = LineError(offset=garbage.offset, length=garbage.length, reason=garbage.reason)
    return DecodedItem(error, {"dir": "host"})


class LinesListener:
    """Repeats are told apart by the times of a recording; a capture without times has them all at once."""

    def __init__(self, cards: CardIds, pattern: LinePattern) -> None:
        self._link = LinesController(cards=cards, pattern=pattern, card_takes=0.0)
        self._now: float | None = None

    @property
    def repeats(self) -> int:
        return self._link.repeats

    def decode(self, piece: Piece) -> Iterator[DecodedItem]:
        if not piece.from_shoe:
            return
        if self._now is None:
            self._link.connected(piece.at)
        self._now = piece.at
        due = self._link.next_deadline()
        if due is not None and piece.at >= due:
            yield from self._sorted(self._link.tick(piece.at), piece.at)
        yield from self._sorted(self._link.receive(piece.data, piece.at), piece.at)

    def finish(self) -> Iterator[DecodedItem]:
        if self._now is not None:
            yield from self._sorted(self._link.disconnected(self._now), self._now)

    def _sorted(self, items: Sequence[Delivery | LinkReport], now: float) -> Iterator[DecodedItem]:
        for item in items:
            if isinstance(item, Delivery):
                self._link.committed(item, now)
                yield DecodedItem(item.event, {})
            elif not isinstance(item, LinkUp | LinkDown):
                yield DecodedItem(item, {})


class NativeCaptureListener:
    """Marks each event, and each request of the controller, as authenticated or not."""

    def __init__(self, key: bytes | None) -> None:
        self._line = NativeListener(key)

    @property
    def repeats(self) -> int:
        return self._line.repeats

    def decode(self, piece: Piece) -> Iterator[DecodedItem]:
        if piece.from_shoe:
            yield from map(_decoded, self._line.from_shoe(piece.data))
        else:
            for overheard in self._line.from_controller(piece.data):
                item = _decoded(overheard)
                yield item._replace(extra=item.extra | {"dir": "host"})

    def finish(self) -> Iterator[DecodedItem]:
        yield from map(_decoded, self._line.finish())


def _decoded(overheard: Overheard) -> DecodedItem:
    what = overheard.what
    if isinstance(what, Delivery):
        about = {"boot_id": what.boot_id, "sequence": what.sequence, "age": what.age}
        return DecodedItem(what.event, about | {"authenticated": overheard.authenticated})
    if isinstance(what, ShoeNotice):
        return DecodedItem(what, {"authenticated": overheard.authenticated})
    return DecodedItem(what, {})
