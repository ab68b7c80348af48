"""Contents of the native protocol's frames; the layouts are those of `PROTOCOL.md`, "Frames".

Bit 7 of a frame's type marks a frame from the shoe; types under 0x10 (bit 7 aside) belong to the handshake and
carry their own tags, all others are sealed by a session. The events inside EVENT frames are in `event_layouts`.
"""

import struct
from enum import IntEnum
from typing import Any, NamedTuple

from firmware_protocol.events import Button
from firmware_protocol.link import DesiredShoe, Lamp, ShoeIdentity
from firmware_protocol.native.event_layouts import (
    BUTTONS,
    GATE_CODES,
    GATES,
    HAND_CODES,
    HANDS,
    START_CAUSE_CODES,
    START_CAUSES,
)
from firmware_protocol.native.texts import UnsendableError, pack_text, unpack_text


class FrameType(IntEnum):
    HELLO = 0x01
    PROOF = 0x02
    ACK = 0x10
    NAK = 0x11
    DESIRE = 0x12
    CLOCK = 0x13
    IDENTIFY = 0x14
    AWAKE = 0x81
    CHALLENGE = 0x82
    REJECT = 0x83
    EVENT = 0x90
    STATUS = 0x91


FROM_SHOE = 0x80
"""Set in the type of every frame that a shoe sends, in none that a controller sends."""
SEALED = 0x70
"""A type with one of these bits is a sealed frame."""

NONCE_BYTES = 16
TAG_BYTES = 16
"""Length of the two tags in the handshake; a sealed frame has a shorter one, see `session`."""

WINDOW = 32
"""Maximum number of events in flight: sent by the shoe and not yet acknowledged."""


class BadFrameError(ValueError):
    """A frame whose content does not match its type."""


def unpack(layout: struct.Struct, data: bytes) -> tuple[Any, ...]:
    """Unpack the fields at the start of `data`; what a newer side has appended is ignored."""
    if len(data) < layout.size:
        raise BadFrameError(f"{len(data)} bytes where {layout.size} are needed")
    return layout.unpack_from(data)


class Versions(NamedTuple):
    """The protocol versions that one side speaks, both ends included."""

    oldest: int
    newest: int

    def common(self, other: "Versions") -> int | None:
        """The newest version that both speak."""
        newest = min(self.newest, other.newest)
        return newest if newest >= max(self.oldest, other.oldest) else None

    def __str__(self) -> str:
        return str(self.oldest) if self.oldest == self.newest else f"{self.oldest} to {self.newest}"


OUR_VERSIONS = Versions(1, 1)

_INSECURE = 0x01

# --- the handshake ---------------------------------------------------------------------------------------------

_HELLO = struct.Struct(">BBBB16s")
_REJECT = struct.Struct(">BBBB16s")
_PROOF = struct.Struct(">B16sII")
_CHALLENGE = struct.Struct(">BBBBBBB16s16sIBH")


class Hello(NamedTuple):
    """The controller requests a session."""

    versions: Versions
    insecure: bool
    nonce: bytes

    def body(self) -> bytes:
        return _HELLO.pack(FrameType.HELLO, *self.versions, self.insecure * _INSECURE, self.nonce)

    @classmethod
    def read(cls, body: bytes) -> "Hello":
        _, oldest, newest, flags, nonce = unpack(_HELLO, body)
        return cls(Versions(oldest, newest), flags & _INSECURE != 0, nonce)


class Challenge(NamedTuple):
    """The shoe identifies itself and asks the controller for proof. It repeats the HELLO's fields."""

    hello: Hello
    version: int
    versions: Versions
    nonce: bytes
    shoe: ShoeIdentity

    def untagged_body(self) -> bytes:
        shoe = self.shoe
        return (
            _CHALLENGE.pack(
                FrameType.CHALLENGE,
                self.version,
                *self.versions,
                *self.hello.versions,
                self.hello.insecure * _INSECURE,
                self.hello.nonce,
                self.nonce,
                shoe.boot_id,
                START_CAUSE_CODES[shoe.start_cause],
                pack_capabilities(shoe.capabilities),
            )
            + pack_text(shoe.model)
            + pack_text(shoe.firmware)
            + pack_text(shoe.serial_number)
        )

    @classmethod
    def read(cls, body: bytes) -> "Challenge":
        """Read a body with its tag, which is not checked here."""
        (_, version, oldest, newest, hello_oldest, hello_newest, flags, hello_nonce, nonce, boot_id, cause, bits) = (
            unpack(_CHALLENGE, body)
        )
        hello = Hello(Versions(hello_oldest, hello_newest), flags & _INSECURE != 0, hello_nonce)
        untagged = body[:-TAG_BYTES]
        try:
            model, at = unpack_text(untagged, _CHALLENGE.size)
            firmware, at = unpack_text(untagged, at)
            serial_number, _ = unpack_text(untagged, at)
        except (IndexError, ValueError) as error:
            raise BadFrameError("a CHALLENGE with a bad name in it") from error
        shoe = ShoeIdentity(
            model=model,
            firmware=firmware,
            serial_number=serial_number,
            boot_id=boot_id,
            protocol_version=version,
            capabilities=unpack_capabilities(bits),
            start_cause=START_CAUSES.get(cause, START_CAUSES[0]),
        )
        return cls(hello, version, Versions(oldest, newest), nonce, shoe)


class RejectReason(IntEnum):
    NO_COMMON_VERSION = 1
    SHOE_HAS_A_KEY = 2
    SHOE_HAS_NO_KEY = 3


class Reject(NamedTuple):
    """The shoe cannot answer this HELLO. It is an unsigned hint for people; nothing depends on it."""

    reason: int
    versions: Versions
    hello_nonce: bytes

    def body(self) -> bytes:
        return _REJECT.pack(FrameType.REJECT, self.reason, *self.versions, self.hello_nonce)

    @classmethod
    def read(cls, body: bytes) -> "Reject":
        _, reason, oldest, newest, nonce = unpack(_REJECT, body)
        return cls(reason, Versions(oldest, newest), nonce)


class Proof(NamedTuple):
    """The controller proves its key and names the last event it has stored: 0, 0 for none."""

    nonce: bytes
    boot_id: int
    sequence: int

    def untagged_body(self) -> bytes:
        return _PROOF.pack(FrameType.PROOF, *self)

    @classmethod
    def read(cls, body: bytes) -> "Proof":
        """Read a body with its tag, which is not checked here."""
        _, nonce, boot_id, sequence = unpack(_PROOF, body)
        return cls(nonce, boot_id, sequence)


# --- capabilities ----------------------------------------------------------------------------------------------

CAPABILITY_BITS = {"gate": 0, "lamps": 1, "card_ids": 2} | {
    f"button_{button.value}": 7 + code for code, button in BUTTONS.items()
}


def button_capability(button: Button) -> str:
    """Name of the capability that a shoe with this button has."""
    return f"button_{button.value}"


def pack_capabilities(names: frozenset[str]) -> int:
    unknown = names - CAPABILITY_BITS.keys()
    if unknown:
        raise UnsendableError(
            f"unknown capabilities: {', '.join(sorted(unknown))}; known: {', '.join(CAPABILITY_BITS)}"
        )
    return sum(1 << CAPABILITY_BITS[name] for name in names)


def unpack_capabilities(bits: int) -> frozenset[str]:
    """Names of the set bits; unknown bits, of a newer shoe, are ignored."""
    return frozenset(name for name, bit in CAPABILITY_BITS.items() if bits >> bit & 1)


# --- sealed frames: the payload between the counter and the tag ------------------------------------------------

SEALED_HEADER = struct.Struct(">BQ")
"""Type and counter."""
EVENT_FRAME = struct.Struct(">BQIIIB")
"""Type, counter, then boot id, sequence, age in milliseconds, kind; the event's own payload follows."""
_EVENT = struct.Struct(">III")
_STATUS = struct.Struct(">IIIIB")
_DESIRE = struct.Struct(">IBBB")
ACK = struct.Struct(">II")
"""Boot id and sequence: all events up to this one are stored; 0, 0 for none. It is the controller's keep-alive."""
NAK = struct.Struct(">I")
"""Sequence: a later event came first, send again from this one on."""
CLOCK = struct.Struct(">Q")
"""The time of day: milliseconds since 1970, UTC."""
IDENTIFY = struct.Struct(">B")
"""Seconds to blink or beep."""

_RECOGNISED = 0x01
_GATE_LOCKED_BY_SILENCE = 0x02
_STORE_FULL = 0x04

LAMP_BITS = {Lamp.PLAYER: 0x01, Lamp.BANKER: 0x02, Lamp.TIE: 0x04, Lamp.ALERT: 0x08}


def event_payload(boot_id: int, sequence: int, age_milliseconds: int, kind_and_event: bytes) -> bytes:
    return _EVENT.pack(boot_id, sequence, age_milliseconds) + kind_and_event


class ShoeStatus(NamedTuple):
    """What the shoe holds and follows. It answers PROOF and DESIRE, and is the shoe's keep-alive."""

    oldest: int
    """The oldest event it holds; equal to `upcoming` when it holds none."""
    upcoming: int
    """The number that its next event will get."""
    card_total: int
    revision: int
    """Revision of the DESIRE that it follows; 0 for none in this session."""
    recognised: bool
    """Whether the event named by PROOF is one of this shoe's own."""
    gate_locked_by_silence: bool
    store_full: bool

    def payload(self) -> bytes:
        flags = (
            self.recognised * _RECOGNISED
            | self.gate_locked_by_silence * _GATE_LOCKED_BY_SILENCE
            | self.store_full * _STORE_FULL
        )
        return _STATUS.pack(self.oldest, self.upcoming, self.card_total, self.revision, flags)

    @classmethod
    def read(cls, payload: bytes) -> "ShoeStatus":
        oldest, upcoming, card_total, revision, flags = unpack(_STATUS, payload)
        return cls(
            oldest,
            upcoming,
            card_total,
            revision,
            flags & _RECOGNISED != 0,
            flags & _GATE_LOCKED_BY_SILENCE != 0,
            flags & _STORE_FULL != 0,
        )


class Desire(NamedTuple):
    """The desired state of the shoe. `revision` is counted by the controller from 1."""

    revision: int
    desired: DesiredShoe

    def payload(self) -> bytes:
        desired = self.desired
        lamps = sum(LAMP_BITS[lamp] for lamp in desired.lamps)
        return _DESIRE.pack(self.revision, GATE_CODES[desired.gate_locked], lamps, HAND_CODES[desired.next_hand])

    @classmethod
    def read(cls, payload: bytes) -> "Desire":
        revision, gate, lamps, hand = unpack(_DESIRE, payload)
        if gate not in GATES or hand not in HANDS:
            raise BadFrameError("a DESIRE with a gate or a hand that does not exist")
        desired = DesiredShoe(
            gate_locked=GATES[gate],
            lamps=frozenset(lamp for lamp, bit in LAMP_BITS.items() if lamps & bit),
            next_hand=HANDS[hand],
        )
        return cls(revision, desired)
