"""Who listens to a capture: one class for each wire, with the same face. Used by `decode.py`.

They let the classes of `firmware_protocol` do the decoding, and say what each wire adds to the objects that go out.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from firmware_protocol.angel_eye.commands import COMMAND_LENGTH, BadCommand, CommandReader, HostCommand
from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.telegrams import Garbage
from firmware_protocol.events import ShoeEvent
from firmware_protocol.link import Delivery, LineError, LinkDown, LinkReport, LinkUp, ShoeNotice
from firmware_protocol.native.listen import NativeListener, Overheard
from shoe_controller.commands.captures import Piece


class Heard(NamedTuple):
    what: ShoeEvent | LinkReport | ShoeNotice
    extra: dict[str, Any]
    """What this wire adds to the object."""


class CaptureListener(Protocol):
    """Decodes one wire for somebody who only listens."""

    @property
    def repeats(self) -> int: ...

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
        yield from map(_of_host, self._host.give_up())

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
                    yield Heard(LineError(offset=offset, length=COMMAND_LENGTH, reason=reason), {"dir": "host"})
                case Garbage():
                    yield _of_host(item)


def _of_host(garbage: Garbage) -> Heard:
    error = LineError(offset=garbage.offset, length=garbage.length, reason=garbage.reason)
    return Heard(error, {"dir": "host"})


class NativeCaptureListener:
    """Says of each event, and of what the controller asked for, whether its tag was right."""

    def __init__(self, key: bytes | None) -> None:
        self._line = NativeListener(key)

    @property
    def repeats(self) -> int:
        return self._line.repeats

    def hear(self, piece: Piece) -> Iterator[Heard]:
        if piece.from_shoe:
            yield from map(_told, self._line.from_shoe(piece.data))
        else:
            for overheard in self._line.from_controller(piece.data):
                told = _told(overheard)
                yield told._replace(extra=told.extra | {"dir": "host"})

    def finish(self) -> Iterator[Heard]:
        yield from map(_told, self._line.finish())


def _told(overheard: Overheard) -> Heard:
    what = overheard.what
    if isinstance(what, Delivery):
        about = {"boot_id": what.boot_id, "sequence": what.sequence, "age": what.age}
        return Heard(what.event, about | {"authenticated": overheard.authenticated})
    if isinstance(what, ShoeNotice):
        return Heard(what, {"authenticated": overheard.authenticated})
    return Heard(what, {})
