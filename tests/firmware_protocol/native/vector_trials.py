"""The trials of `vectors.json`: what a shoe answers to frames that a controller seldom sends, or never.

Our own shoe is told frames that are made here byte by byte, so that also bad ones can be said. `make_vectors` puts them
into the file. Things happen at whole milliseconds, and never two at a time that a shoe may take in either order.
"""

from collections.abc import Callable
from hashlib import blake2s

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CutCard, Hand, Standby, Started
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import ACK, NAK, OUR_VERSIONS, TAG_BYTES, FrameType, Hello, Proof, Versions
from firmware_protocol.native.session import controller_tag, session_keys
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import EventStoreFullError, ShoeStore
from tests.firmware_protocol.native.frame_fields import any_frame
from tests.firmware_protocol.native.line import bodies
from tests.firmware_protocol.native.vector_talks import (
    BOOT_ID,
    CONTROLLER_NONCE,
    KEY,
    OLD_BOOT_ID,
    OTHER_SHOE_NONCE,
    SHOE,
    SHOE_NONCE,
    Fields,
    kept_from_the_last_power_up,
    memory,
)

UNPROVEN_NONCE = bytes(range(0x70, 0x80))
"""Of a controller that says HELLO and no more."""
LATER = b"later"
"""What a later version may append."""
NO_EVENT = (0, 0)


class Trial:
    """The shoe is powered up at 0 s; a controller of the script's making says what it is told to."""

    def __init__(self, clauses: str, why: str, store: ShoeStore | None = None) -> None:
        store = store or ShoeStore()
        self._shown = {"why": why, "clauses": clauses.split(), "key": KEY.hex()}
        self._keeps = memory(store) | {"places": store.capacity}
        self._nonces = [SHOE_NONCE, OTHER_SHOE_NONCE]
        self._happens: list[Fields] = []
        self._frames: list[Fields] = []
        self._counter = 0
        self._challenge = b""
        self.now = 0.0
        self.shoe = NativeShoe(identity=SHOE, store=store, nonce=self._next_nonce(), now=0.0, key=KEY)
        self.shoe.connected(0.0)
        self.happen(Started(cause=SHOE.start_cause))

    def _next_nonce(self) -> Callable[[], bytes]:
        left = iter(self._nonces)
        return lambda: next(left)

    def shown(self) -> Fields:
        nonces = [nonce.hex() for nonce in self._nonces]
        return self._shown | {
            "shoe_nonces": nonces,
            "shoe_keeps": self._keeps,
            "happens": self._happens,
            "frames": self._frames,
        }

    # --- what happens ----------------------------------------------------------------------------------------------

    def happen(self, event: AnyShoeEvent, *, times: int = 1, at: float | None = None) -> None:
        if at is not None:
            self.pass_time(at)
        for _ in range(times):
            self._happens.append({"t": self.now, "bytes": self._stored(event).hex()})
        self._collect()

    def _stored(self, event: AnyShoeEvent) -> bytes:
        try:
            self.shoe.report(event, self.now)
        except EventStoreFullError:
            # Its card is in the total, as if the event had found a place.
            return encode_event(msgspec.structs.replace(event, total=self.shoe.store.card_total))
        return encode_event(self.shoe.store.events[-1].event)

    def pass_time(self, moment: float) -> None:
        """The shoe acts at the very moments that it has asked for."""
        while (due := self.shoe.next_deadline()) is not None and due <= moment:
            self.now = due
            self.shoe.tick(due)
            self._collect()
        self.now = moment

    def say(self, body: bytes, *, at: float | None = None) -> bytes:
        """Say it to the shoe; the body of its first answer, empty for none."""
        if at is not None:
            self.pass_time(at)
        self._frames.append({"t": self.now} | any_frame("controller", body) | {"lost": False})
        self.shoe.receive(encode_frame(body), self.now)
        return self._collect()

    def _collect(self) -> bytes:
        answers = bodies(self.shoe.to_send())
        self._frames += [{"t": self.now} | any_frame("shoe", body) | {"lost": False} for body in answers]
        return answers[0] if answers else b""

    # --- frames of a controller ------------------------------------------------------------------------------------

    def proof(self, stored: tuple[int, int] = NO_EVENT, more: bytes = b"") -> bytes:
        """The PROOF for the last CHALLENGE that `begin` or `challenge` has got."""
        untagged = self._challenge[:-TAG_BYTES]
        said = Proof(untagged[23:39], *stored).untagged_body() + more
        return said + controller_tag(KEY, untagged, said)

    def challenge(self, hello: bytes, *, at: float | None = None) -> None:
        self._challenge = self.say(hello, at=at)

    def begin(self, stored: tuple[int, int] = NO_EVENT) -> None:
        self.challenge(hello())
        self.say(self.proof(stored))

    def seal(self, frame_type: int, payload: bytes) -> bytes:
        self._counter += 1
        said = bytes((frame_type,)) + self._counter.to_bytes(8, "big") + payload
        key = session_keys(KEY, self._challenge[:-TAG_BYTES])[1] if self._challenge else bytes(32)
        return said + blake2s(said, key=key).digest()[:8]

    def ack(self, sequence: int, *, boot_id: int = BOOT_ID, at: float | None = None) -> None:
        self.say(self.seal(FrameType.ACK, ACK.pack(boot_id, sequence)), at=at)

    def nak(self, sequence: int, *, at: float | None = None) -> None:
        self.say(self.seal(FrameType.NAK, NAK.pack(sequence)), at=at)

    def desire(
        self, revision: int, gate: int, lamps: int, hand: int, more: bytes = b"", *, at: float | None = None
    ) -> None:
        payload = revision.to_bytes(4, "big") + bytes((gate, lamps, hand)) + more
        self.say(self.seal(FrameType.DESIRE, payload), at=at)


def hello(versions: Versions = OUR_VERSIONS, nonce: bytes = CONTROLLER_NONCE) -> bytes:
    return Hello(versions, insecure=False, nonce=nonce).body()


def _card(hand: Hand, position: int, face: str) -> CardDrawn:
    return CardDrawn(hand=hand, position=position, card=Card(face))


def repeated_hello() -> Trial:
    trial = Trial("3.8 3.9 3.11 3.12 3.13 3.14", "HELLO again and again, also that of another controller")
    trial.say(hello(nonce=UNPROVEN_NONCE), at=0.25)
    trial.say(hello(nonce=UNPROVEN_NONCE), at=0.3)
    trial.say(hello(nonce=UNPROVEN_NONCE), at=0.375)
    reserved = hello(nonce=UNPROVEN_NONCE)
    trial.challenge(reserved[:3] + b"\xfe" + reserved[4:], at=0.5)
    old = trial.proof()
    trial.challenge(hello(), at=0.625)
    trial.say(old)
    trial.say(trial.proof())
    trial.say(hello(), at=0.75)
    trial.say(trial.proof(), at=0.8)
    return trial


def awake() -> Trial:
    trial = Trial("3.20 3.21 3.22", "frames of a session that the shoe does not know")
    for moment in (0.5, 1.0, 1.5):
        trial.say(trial.seal(FrameType.ACK, ACK.pack(*NO_EVENT)), at=moment)
    trial.challenge(hello(), at=1.75)
    other = bytearray(trial.proof())
    other[1] ^= 0xFF
    trial.say(bytes(other), at=2.0)
    trial.say(trial.proof())
    trial.say(bytes(other), at=2.125)
    return trial


def other_versions() -> Trial:
    trial = Trial("3.3 3.10", "controllers that speak other versions")
    trial.say(hello(Versions(2, 7), UNPROVEN_NONCE), at=0.25)
    trial.say(hello(Versions(0, 0), UNPROVEN_NONCE), at=0.375)
    trial.challenge(hello(Versions(0, 255)), at=0.5)
    trial.say(trial.proof())
    return trial


def appended() -> Trial:
    trial = Trial("2.2 2.4 3.13", "fields that a later version may append, and reserved bits")
    trial.challenge(hello() + LATER, at=0.25)
    proof = trial.proof(more=LATER)
    trial.say(proof)
    trial.say(proof)
    trial.say(trial.seal(FrameType.ACK, ACK.pack(BOOT_ID, 1) + LATER))
    trial.desire(1, 1, 0xF2, 2, LATER)
    return trial


def unknown_and_malformed() -> Trial:
    trial = Trial("4.4 4.5 4.6 5.2 9.2 9.3 9.4 9.5", "frames to drop; the counter of each believed one is used up")
    trial.begin()
    trial.ack(1)
    trial.desire(1, 1, 0, 1)
    trial.desire(2, 3, 0, 1)
    trial.desire(3, 1, 0, 5)
    trial.say(trial.seal(FrameType.DESIRE, bytes.fromhex("000000040100")))
    trial.say(trial.seal(FrameType.ACK, bytes(7)))
    trial.say(trial.seal(0x1F, b"of a later version"))
    trial.say(bytes.fromhex("03") + bytes(19))
    trial.say(bytes.fromhex("10") + bytes(15))
    trial.say(hello()[:-1], at=0.25)
    trial.say(trial.proof()[:24])
    trial.desire(5, 1, 0, 2)
    return trial


def desires() -> Trial:
    trial = Trial("5.4 5.5 5.6", "every DESIRE is answered, and a lower revision followed")
    trial.begin()
    trial.ack(1)
    trial.desire(7, 1, 1, 1)
    trial.desire(7, 1, 1, 1)
    trial.desire(3, 2, 8, 0)
    trial.desire(4, 0, 0, 3)
    return trial


def silence() -> Trial:
    trial = Trial("8.1 8.3 8.4 8.5 8.7", "3 s of silence: STATUS goes on, with its flag, until a DESIRE names the gate")
    trial.begin()
    trial.ack(1)
    trial.desire(1, 1, 0, 1)
    trial.say(trial.proof(), at=2.125)
    trial.pass_time(3.5)
    trial.desire(2, 0, 0, 1)
    trial.desire(3, 2, 0, 1)
    return trial


def window() -> Trial:
    trial = Trial("6.15 6.16 6.21 6.22", "40 events: no more than 32 are in flight")
    trial.begin()
    trial.happen(CutCard(), times=39, at=0.125)
    trial.ack(3, boot_id=OLD_BOOT_ID)
    trial.ack(41)
    trial.ack(3)
    trial.ack(3)
    return trial


def resend() -> Trial:
    trial = Trial(
        "6.11 6.23 6.24 6.25 6.26 6.27", "no ACK: one event after 0.25 s and after 0.5 s; then ACKs and an estimate"
    )
    trial.begin()
    trial.happen(Standby(), times=9, at=0.125)
    trial.desire(1, 1, 0, 1, at=0.5)
    trial.ack(1, at=0.875)
    trial.ack(3, at=1.0)
    trial.desire(2, 1, 0, 2, at=1.25)
    trial.ack(10, at=2.125)
    trial.happen(_card(Hand.PLAYER, 1, "9H"), at=2.25)
    trial.ack(11, at=2.375)
    trial.happen(_card(Hand.BANKER, 1, "KS"), at=2.5)
    trial.ack(12, at=3.0)
    return trial


def nak() -> Trial:
    trial = Trial("6.31 6.32", "NAK goes back and keeps the allowance; STATUS answers one for what is not in flight")
    trial.begin()
    trial.happen(Standby(), times=5, at=0.125)
    trial.nak(4)
    trial.ack(2, at=0.2)
    trial.nak(2)
    trial.nak(7)
    trial.ack(6, at=0.25)
    return trial


def full_store() -> Trial:
    trial = Trial("6.5 6.7 6.33 6.34 6.36 6.37", "a store of 8 places, more cards than it holds", ShoeStore(capacity=8))
    trial.happen(_card(Hand.PLAYER, 1, "9H"), times=8)
    trial.pass_time(0.125)
    trial.begin()
    trial.ack(2)
    trial.ack(3)
    trial.ack(4)
    trial.nak(99)
    return trial


def proofs() -> tuple[Trial, ...]:
    """What the event in PROOF can be; it is recognised in two of them."""
    made = []
    for stored, why in (
        ((OLD_BOOT_ID, 39), "PROOF names the event acknowledged last: recognised"),
        ((OLD_BOOT_ID, 41), "PROOF names an event that is held: recognised, and acknowledged"),
        ((OLD_BOOT_ID, 38), "PROOF names an event before that: not recognised"),
        ((BOOT_ID, 41), "PROOF names a number that is held under another boot id: not recognised"),
        ((OLD_BOOT_ID, 0), "PROOF names sequence 0 with a boot id: not recognised"),
    ):
        rule = "6.17" if stored[1] else "6.56"
        trial = Trial(f"6.3 6.12 {rule} 6.18 6.19", why, kept_from_the_last_power_up())
        trial.pass_time(0.25)
        trial.begin(stored)
        made.append(trial)
    return tuple(made)


def all_trials() -> list[Fields]:
    single = (
        repeated_hello,
        awake,
        other_versions,
        appended,
        unknown_and_malformed,
        desires,
        silence,
        window,
        resend,
        nak,
        full_store,
    )
    return [trial.shown() for trial in (*(make() for make in single), *proofs())]
