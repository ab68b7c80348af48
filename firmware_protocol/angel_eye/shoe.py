"""The shoe's end of an Angel Eye line: shoe events in, telegrams out.

For the emulator and for tests. Like the real shoe it numbers its telegrams, sends each several times unasked,
and loses what it sends while no host is connected. It obeys no host command by itself: `receive` answers the command
and returns it (the gate as `Wanted`, the rest as `HostCommand`), and the owner reports what came of it.
"""

from collections import deque
from enum import Enum

import msgspec

from firmware_protocol.angel_eye.commands import (
    ACK,
    COMMAND_LENGTH,
    LOCK,
    NAK,
    UNLOCK,
    BadCommand,
    CommandReader,
    HostCommand,
)
from firmware_protocol.angel_eye.messages import encode_event
from firmware_protocol.angel_eye.sequence import START_UP_NUMBER
from firmware_protocol.angel_eye.telegrams import Garbage, encode_telegram
from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CardIdentified, Hand, ResultIndicated, Started
from firmware_protocol.link import DesiredShoe, LineError, LinkReport, LinkUsageError, ShoeNotice, Wanted


class Disclosing(Enum):
    """When the shoe discloses a card's face."""

    AT_RESULT = "at_result"
    AT_DRAW = "at_draw"


class ShoeManner(msgspec.Struct, frozen=True, kw_only=True):
    """How a shoe sends. The spacing is a guess; no source gives it."""

    disclosing: Disclosing = Disclosing.AT_RESULT
    copies: int = 3
    spacing: float = 0.1
    """Seconds from the start of one telegram to the start of the next, copies included."""
    stx_in_bcc: bool = False


DEFAULT_MANNER = ShoeManner()


class _Outgoing(msgspec.Struct):
    raw: bytes
    copies_left: int


class AngelEyeShoe:
    """See `ShoeLink`. One shoe from power-up on: it powers up, and sends `S`, when it is first connected."""

    def __init__(self, manner: ShoeManner = DEFAULT_MANNER) -> None:
        if manner.copies < 1 or manner.spacing < 0:
            raise LinkUsageError("a shoe sends each telegram at least once, and its spacing is not negative")
        self.refuse_with: str | None = None
        """NAK code to answer every host command with, to simulate a busy shoe."""
        self._manner = manner
        self._reader = CommandReader(stx_in_bcc=manner.stx_in_bcc)
        self._started = False
        self._plugged_in = False
        self._last_number = START_UP_NUMBER
        self._waiting: deque[_Outgoing] = deque()
        self._next_at = 0.0
        self._undisclosed: dict[tuple[Hand | None, int | None], Card] = {}
        """Faces of this round not yet disclosed, in drawing order."""
        self._out = b""

    def connected(self, now: float) -> None:
        self._plugged_in = True
        if not self._started:
            self.report(Started(), now)

    def disconnected(self, now: float) -> list[LinkReport]:
        self._pump(now)
        self._plugged_in = False
        self._out = b""
        return []

    def report(self, event: AnyShoeEvent, now: float) -> int:
        """Send an event. Faces that the shoe does not disclose yet are kept until the result.

        Returns the digit of the event's own telegram.
        """
        encode_event(event)  # refuses what this wire cannot express, before anything changes
        if isinstance(event, Started):
            self._power_up()
        events = self._until_the_result(event) if self._manner.disclosing is Disclosing.AT_RESULT else [event]
        for disclosed in events:
            self._queue(encode_event(disclosed))
        self._pump(now)
        return self._last_number

    def receive(self, data: bytes, now: float) -> list[ShoeNotice | LinkReport]:
        self._pump(now)
        out: list[ShoeNotice | LinkReport] = []
        for item in self._reader.read(data):
            match item:
                case HostCommand():
                    if self.refuse_with is None:
                        self._write(ACK)
                        out.append(_notice(item))
                    else:
                        self._write(NAK + self.refuse_with.encode())
                case BadCommand():
                    self._write(NAK + item.nak_code.encode())
                    out.append(LineError(offset=item.offset, length=COMMAND_LENGTH, reason=item.reason))
                case Garbage():
                    out.append(LineError(offset=item.offset, length=item.length, reason=item.reason))
        return out

    def next_deadline(self) -> float | None:
        return self._next_at if self._waiting else None

    def tick(self, now: float) -> list[ShoeNotice | LinkReport]:
        self._pump(now)
        return []

    def to_send(self) -> bytes:
        out, self._out = self._out, b""
        return out

    def _power_up(self) -> None:
        self._started = True
        self._waiting.clear()
        self._undisclosed.clear()

    def _until_the_result(self, event: AnyShoeEvent) -> list[AnyShoeEvent]:
        """The events sent by a shoe that discloses at the result. The first card of a shoe is disclosed at once."""
        match event:
            case CardDrawn(first_of_shoe=False):
                place = (event.hand, event.position)
                if place == (Hand.PLAYER, 1):
                    self._undisclosed.clear()
                if event.card is not None and event.hand in (Hand.PLAYER, Hand.BANKER):
                    self._undisclosed.setdefault(place, event.card)
                return [msgspec.structs.replace(event, card=None)]
            case CardIdentified():
                self._undisclosed.pop((event.hand, event.position), None)
                return [event]
            case ResultIndicated():
                events: list[AnyShoeEvent] = [
                    CardIdentified(hand=hand, position=position, card=card)
                    for (hand, position), card in self._undisclosed.items()
                    if hand is not None
                ]
                self._undisclosed.clear()
                return [*events, event]
            case _:
                return [event]

    def _queue(self, data: bytes) -> None:
        self._last_number = START_UP_NUMBER if data == b"S" else self._last_number % 9 + 1
        self._waiting.append(_Outgoing(encode_telegram(self._last_number, data), self._manner.copies))

    def _pump(self, now: float) -> None:
        """Send what is due. A telegram's copies all go before the next telegram."""
        while self._waiting and now >= self._next_at:
            outgoing = self._waiting[0]
            self._write(outgoing.raw)
            self._next_at = now + self._manner.spacing
            outgoing.copies_left -= 1
            if not outgoing.copies_left:
                self._waiting.popleft()

    def _write(self, raw: bytes) -> None:
        if self._plugged_in:
            self._out += raw


def _notice(command: HostCommand) -> ShoeNotice | LinkReport:
    if command in (LOCK, UNLOCK):
        return Wanted(desired=DesiredShoe(gate_locked=command == LOCK))
    return command
