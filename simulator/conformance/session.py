"""The controller's side of a session that can do everything wrong: wrong tags, old counters, malformed payloads."""

from hashlib import blake2s
from typing import NamedTuple

from firmware_protocol.native.messages import ACK, EVENT_FRAME, SEALED_HEADER, FrameType, ShoeStatus
from firmware_protocol.native.session import FRAME_TAG_BYTES, MIN_SEALED, session_keys

HAS_GATE = 0x01
"""Capability bit 0."""


class HeldEvent(NamedTuple):
    """An EVENT as it came."""

    at: float
    boot_id: int
    sequence: int
    age: int
    kind: int
    fields: bytes

    @classmethod
    def read(cls, at: float, body: bytes) -> "HeldEvent":
        _, _, boot_id, sequence, age, kind = EVENT_FRAME.unpack_from(body)
        return cls(at, boot_id, sequence, age, kind, body[EVENT_FRAME.size : -FRAME_TAG_BYTES])

    @property
    def name(self) -> tuple[int, int]:
        """Boot id and sequence."""
        return self.boot_id, self.sequence


class NastySession:
    """What was proven with one CHALLENGE, and what came under its keys."""

    def __init__(self, key: bytes, challenge: bytes, hello: bytes, proof: bytes) -> None:
        self.hello = hello
        self.proof = proof
        self.boot_id = int.from_bytes(challenge[39:43], "big")
        self.has_gate = bool(challenge[45] & HAS_GATE)
        self._from_shoe, self._to_shoe = session_keys(key, challenge)
        self.sent = 0
        """The counter of the last frame that we sealed."""
        self.received = 0
        self.status: ShoeStatus | None = None
        """The latest."""
        self.events: dict[int, HeldEvent] = {}
        """By sequence, as they came last."""
        self.acknowledged = 0
        """The highest sequence that we have acknowledged in it."""

    def seal(self, frame_type: int, payload: bytes, *, counter: int | None = None) -> bytes:
        """The body of a frame: the next one, or one with any counter."""
        if counter is None:
            self.sent += 1
            counter = self.sent
        untagged = SEALED_HEADER.pack(frame_type, counter) + payload
        return untagged + _tag(self._to_shoe, untagged)

    def seals(self, body: bytes) -> bool:
        """Whether a frame from the shoe has a right tag of this session."""
        return len(body) >= MIN_SEALED and _tag(self._from_shoe, body[:-FRAME_TAG_BYTES]) == body[-FRAME_TAG_BYTES:]

    def acknowledgement(self, boot_id: int = 0, sequence: int = 0) -> bytes:
        return self.seal(FrameType.ACK, ACK.pack(boot_id, sequence))


def _tag(key: bytes, untagged: bytes) -> bytes:
    return blake2s(untagged, key=key).digest()[:FRAME_TAG_BYTES]


def counter_of(body: bytes) -> int:
    _, counter = SEALED_HEADER.unpack_from(body)
    return int(counter)


def with_wrong_tag(body: bytes) -> bytes:
    return body[:-1] + bytes((body[-1] ^ 0x01,))
