"""The shoe's end of its line: which wire it speaks, the link of the current power-up, and the store that outlives it.

The firmware reports in the richer events of the native wire; what the Angel Eye wire has no telegram for is sent as the
nearest telegram it has, or not at all. On the wire of lines the shoe is a reader of ids, see `reader_ids.py`. The links
themselves are those of `firmware_protocol`.
"""

import random
from contextlib import suppress
from enum import Enum

import msgspec

from firmware_protocol.angel_eye.messages import FAULT_NUMBERS
from firmware_protocol.angel_eye.shoe import AngelEyeShoe, Disclosing, ShoeManner
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardReturned,
    DoubleFeed,
    Fault,
    FaultCleared,
    ForeignCard,
    Health,
    LidChanged,
    Misread,
    StartCause,
    Started,
)
from firmware_protocol.lines.cards_file import IdsName
from firmware_protocol.lines.pattern import LinePattern
from firmware_protocol.lines.shoe import LinesShoe
from firmware_protocol.link import LinkReport, ShoeIdentity, ShoeLink, ShoeNotice
from firmware_protocol.native.messages import WINDOW, button_capability
from firmware_protocol.native.shoe import NativeShoe, ShoeTimings
from firmware_protocol.native.store import EventStoreFullError, ShoeStore
from simulator.decks import Piece
from simulator.reader_ids import CUT_ID, EMULATED_PATTERN, ReaderIds

CAPABILITIES = frozenset({"gate", "lamps", "card_ids", *map(button_capability, Button)})
KEPT_FREE = 24
"""Places in the store reserved for the rest of a round; with fewer, no card is let out."""
BACKLOG = 2 * WINDOW
"""Unacknowledged events above which a dealer has to wait for the line."""


class Wire(Enum):
    NATIVE = "native"
    ANGEL_EYE = "angel_eye"
    LINES = "lines"


class WireSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The shoe's wire and its settings."""

    wire: Wire = Wire.NATIVE
    disclosing: Disclosing = Disclosing.AT_DRAW
    key: bytes | None = None
    """Native wire: the key; without one the shoe runs insecurely."""
    serial_number: str = "EMU-0001"
    timings: ShoeTimings = ShoeTimings()
    store_capacity: int = 1024
    copies: int = 3
    spacing: float = 0.1
    """Angel Eye wire: how many times each telegram is sent, and seconds from one to the next."""
    stx_in_bcc: bool = False
    pattern: LinePattern = EMULATED_PATTERN
    ids: IdsName = "pieces"
    """Wire of lines: what a line looks like, and what its id names."""


class ShoeLine:
    """Everything the shoe sends and receives. Without power it has no link, and bytes are lost."""

    def __init__(self, settings: WireSettings, generator: random.Random) -> None:
        self.settings = settings
        self.store = ShoeStore(capacity=settings.store_capacity)
        self.link: ShoeLink | None = None
        self.boot_id = 0
        self.host_attached = False
        self._random = generator
        self._first_boot_id = 0
        self._first_nonces = generator.getstate()
        """Of the first power-up."""
        self._repeated_boot_id: int | None = None
        """That of the next power-up, where it is not drawn."""
        self._sent_since_start = False
        self._ids = ReaderIds()

    @property
    def is_native(self) -> bool:
        return self.settings.wire is Wire.NATIVE

    @property
    def has_room(self) -> bool:
        """Whether the line keeps up with the events."""
        if self.is_native:
            return len(self.store.events) < BACKLOG
        return self.link is None or self.link.next_deadline() is None

    @property
    def store_is_full(self) -> bool:
        return self.is_native and (self.store.full or self.store.capacity - len(self.store.events) <= KEPT_FREE)

    # --- power and plug ----------------------------------------------------------------------------------------

    def power_up(self, cause: StartCause, now: float, *, wrong_key: bool = False) -> None:
        first = self.boot_id == 0
        self.boot_id = self._repeated_boot_id or self._random.randrange(1, 1 << 32)
        self._repeated_boot_id = None
        if first:
            self._first_boot_id, self._first_nonces = self.boot_id, self._random.getstate()
        self._sent_since_start = False
        if self.settings.wire is Wire.LINES:
            self.link = LinesShoe(self.settings.pattern, ids=self.settings.ids, cut_card=CUT_ID)
        else:
            self.link = self._native_link(cause, now, wrong_key=wrong_key) if self.is_native else self._angel_eye_link()
        if self.host_attached:
            self.link.connected(now)
        if self.is_native:
            # A store that is full has no place for it, as for everything else.
            with suppress(EventStoreFullError):
                self.link.report(Started(cause=cause), now)
        elif self.settings.wire is Wire.ANGEL_EYE and not first and not self.host_attached:
            # An Angel Eye shoe sends this once, whether a host listens or not. Only the very first power-up waits for a
            # host: the emulator and its controller are seldom started in the same second.
            self.link.report(Started(cause=cause), now)

    def lose_store(self, *, keeps_total: bool, boot_id_repeats: bool, nonces_repeat: bool) -> None:
        """While there is no power: the event store is gone, perhaps with the counts that stand for random numbers."""
        self.store = ShoeStore(
            capacity=self.settings.store_capacity, card_total=self.store.card_total if keeps_total else 0
        )
        if boot_id_repeats:
            self._repeated_boot_id = self._first_boot_id
        if nonces_repeat:
            self._random.setstate(self._first_nonces)

    def power_down(self) -> None:
        self.link = None

    def attached(self, now: float) -> None:
        self.host_attached = True
        if self.link is not None:
            self.link.connected(now)

    def detached(self, now: float) -> list[LinkReport]:
        self.host_attached = False
        return [] if self.link is None else self.link.disconnected(now)

    def _native_link(self, cause: StartCause, now: float, *, wrong_key: bool) -> NativeShoe:
        settings = self.settings
        identity = ShoeIdentity(
            model="Emulated Shoe",
            firmware="1.0.0",
            serial_number=settings.serial_number,
            boot_id=self.boot_id,
            protocol_version=1,
            capabilities=CAPABILITIES,
            start_cause=cause,
        )
        return NativeShoe(
            identity=identity,
            store=self.store,
            nonce=lambda: self._random.randbytes(16),
            now=now,
            key=self._random.randbytes(32) if wrong_key else settings.key,
            insecure=settings.key is None and not wrong_key,
            timings=settings.timings,
        )

    def _angel_eye_link(self) -> AngelEyeShoe:
        # The firmware itself decides what it discloses when, alike on both wires, so the link hides nothing.
        settings = self.settings
        return AngelEyeShoe(
            ShoeManner(
                disclosing=Disclosing.AT_DRAW,
                copies=settings.copies,
                spacing=settings.spacing,
                stx_in_bcc=settings.stx_in_bcc,
            )
        )

    # --- sending and receiving ------------------------------------------------------------------------------------

    def report(self, event: AnyShoeEvent, now: float) -> bool:
        """Report an event, if this wire can express it. False if the store is too full to keep it."""
        reported = self._expressible(event)
        if self.link is None or reported is None:
            return True
        self._sent_since_start = True
        try:
            self.link.report(reported, now)
        except EventStoreFullError:
            return False
        return True

    def _expressible(self, event: AnyShoeEvent) -> AnyShoeEvent | None:
        match self.settings.wire:
            case Wire.NATIVE:
                return event
            case Wire.ANGEL_EYE:
                return as_angel_eye_event(event)
            case Wire.LINES:
                return self._ids.as_read(event)

    def cards_loaded(self, deck_set: str) -> None:
        """Other cards are in the shoe now."""
        self._ids.loaded(deck_set)

    def number_of(self, piece: Piece) -> str:
        """The number of this piece, as the wire gives it where it does."""
        own = self.settings.wire is Wire.LINES and piece.deck_set == self._ids.deck_set
        return self._ids.id_of(piece.card, piece.card_id) if own else piece.card_id

    def read_again(self, now: float) -> None:
        """The reader reads the last card once more."""
        if self.link is not None and self._ids.last is not None:
            self.link.report(self._ids.last, now)

    def start_anew(self, now: float) -> None:
        """Send start-up for a new shoe on the Angel Eye wire, unless it has just been sent."""
        if self.link is not None and self.settings.wire is Wire.ANGEL_EYE and self._sent_since_start:
            self.link.report(Started(), now)
            self._sent_since_start = False

    def receive(self, data: bytes, now: float) -> list[ShoeNotice | LinkReport]:
        return [] if self.link is None or not self.host_attached else self.link.receive(data, now)

    def next_deadline(self) -> float | None:
        return None if self.link is None else self.link.next_deadline()

    def tick(self, now: float) -> list[ShoeNotice | LinkReport]:
        return [] if self.link is None else self.link.tick(now)

    def to_send(self) -> bytes:
        return b"" if self.link is None else self.link.to_send()


def as_angel_eye_event(event: AnyShoeEvent) -> AnyShoeEvent | None:
    """The event as the Angel Eye wire can express it; `None` where it has no telegram."""
    match event:
        case Misread(hand=hand, position=position) | ForeignCard(hand=hand, position=position):
            # The error that follows shows that something is wrong with the card.
            return CardDrawn(hand=hand, position=position)
        case Fault(code=code) | FaultCleared(code=code) if code not in FAULT_NUMBERS:
            return None
        case DoubleFeed() | CardReturned() | Burn() | ButtonPressed() | LidChanged() | Health():
            return None
        case _:
            return event
