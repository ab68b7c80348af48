"""An intruder on the line, who listens to the shoe and inserts bytes of his own.

On the native wire he has no key, so whatever he sends should be refused. On the Angel Eye wire nothing is signed, and
his telegrams are accepted; only their numbers then no longer fit. On the wire of lines every id that he knows is
accepted.
"""

import random
from collections import deque
from collections.abc import Callable

from firmware_protocol.angel_eye import messages as angel_eye
from firmware_protocol.angel_eye.telegrams import Telegram, TelegramReader, encode_telegram
from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import FrameReader, encode_frame
from firmware_protocol.native.messages import SEALED_HEADER, FrameType, event_payload
from firmware_protocol.native.session import FRAME_TAG_BYTES
from simulator.reader_ids import reader_id
from simulator.shoe_line import Wire, WireSettings

REMEMBERED = 4
"""Messages that he can replay."""


class Stranger:
    def __init__(self, settings: WireSettings, generator: random.Random) -> None:
        self._settings = settings
        self._random = generator
        self._overheard: deque[bytes] = deque(maxlen=REMEMBERED)
        self._frames = FrameReader()
        self._telegrams = TelegramReader()
        self.overhear: Callable[[bytes], None]
        self.forge: Callable[[], bytes]
        match settings.wire:
            case Wire.NATIVE:
                self.overhear, self.forge = self._overhear_native, self._forge_native
            case Wire.ANGEL_EYE:
                self.overhear, self.forge = self._overhear_angel_eye, self._forge_angel_eye
            case Wire.LINES:
                self.overhear, self.forge = self._overhear_lines, self._forge_line

    def replay(self) -> bytes | None:
        """The oldest message that he remembers; none unless he has overheard more than one."""
        return self._overheard[0] if len(self._overheard) > 1 else None

    def _overhear_native(self, data: bytes) -> None:
        for frame in self._frames.feed(data):
            if isinstance(frame, bytes) and frame[0] == FrameType.EVENT:
                self._overheard.append(b"\0" + encode_frame(frame))

    def _forge_native(self) -> bytes:
        card = CardDrawn(hand=Hand.PLAYER, position=3, card=self._any_card(), total=self._random.randrange(1, 400))
        payload = event_payload(self._random.getrandbits(32), self._random.randrange(1, 1000), 0, encode_event(card))
        header = SEALED_HEADER.pack(FrameType.EVENT, self._random.randrange(1, 1 << 32))
        return b"\0" + encode_frame(header + payload + self._random.randbytes(FRAME_TAG_BYTES))

    def _overhear_angel_eye(self, data: bytes) -> None:
        for item in self._telegrams.read(data):
            if isinstance(item, Telegram) and item.raw not in self._overheard:
                self._overheard.append(item.raw)

    def _forge_angel_eye(self) -> bytes:
        last = self._overheard[-1][1] - 0x30 if self._overheard else 0
        card = CardDrawn(hand=Hand.PLAYER, position=3, card=self._any_card())
        return encode_telegram(last % 9 + 1, angel_eye.encode_event(card))

    def _overhear_lines(self, data: bytes) -> None:
        self._overheard.extend(data.splitlines(keepends=True))

    def _forge_line(self) -> bytes:
        card = self._any_card()
        known = reader_id(card, 1) if self._settings.ids == "pieces" else card.value
        return self._settings.pattern.write(known)

    def _any_card(self) -> Card:
        return self._random.choice(list(Card))
