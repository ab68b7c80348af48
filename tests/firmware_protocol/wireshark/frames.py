"""Frames to dissect: every one of `vectors.json`, each event of it in an EVENT, and many that are damaged."""

import json
import random
from binascii import crc_hqx
from collections.abc import Iterator
from typing import Any

from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import FrameType
from tests.firmware_protocol.native import make_vectors

VECTORS: dict[str, Any] = json.loads(make_vectors.FILE.read_text(encoding="utf-8"))

TAG = bytes(range(8))


def bodies(found: Any = VECTORS) -> Iterator[bytes]:  # noqa: ANN401 - whatever the file has
    """Every frame that the vectors name with its type, wherever it stands."""
    if isinstance(found, dict):
        if "type" in found and "says" in found:
            yield bytes.fromhex(found["body"])
        found = list(found.values())
    if isinstance(found, list):
        for inner in found:
            yield from bodies(inner)


def in_event(kind_and_payload: bytes, sequence: int = 7) -> bytes:
    """The body of an EVENT, with a tag that nobody checks."""
    return sealed(FrameType.EVENT, b"\0\xc0\xff\xee" + sequence.to_bytes(4, "big") + bytes(4) + kind_and_payload)


def sealed(frame_type: int, payload: bytes) -> bytes:
    return bytes((frame_type,)) + (1).to_bytes(8, "big") + payload + TAG


def events() -> list[bytes]:
    return [bytes.fromhex(vector["bytes"]) for vector in (*VECTORS["events"], *VECTORS["not_understood"])]


def rare_frames() -> list[bytes]:
    """What the conversations of the vectors do not have."""
    return [
        sealed(FrameType.NAK, b"\0\0\0\x2c"),
        sealed(FrameType.CLOCK, (1_794_988_800_123).to_bytes(8, "big")),
        sealed(FrameType.CLOCK, b"\xff" * 8),
        sealed(FrameType.IDENTIFY, b"\x0a"),
        *(sealed(FrameType.STATUS, bytes(16) + bytes((flags,))) for flags in range(8)),
        *(sealed(FrameType.DESIRE, bytes((0, 0, 0, 9, gate, 1 << lamp, hand))) for gate, lamp, hand in _DESIRES),
    ]


_DESIRES = ((0, 0, 0), (1, 1, 1), (2, 2, 2), (2, 3, 3), (1, 0, 4))


def damaged(seed: int, count: int) -> Iterator[bytes]:
    """Good frames cut short, lengthened or with bytes changed, and bodies of any bytes; all with a right checksum."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    whole = [*bodies(), *map(in_event, events()), *rare_frames()]
    for _ in range(count):
        body = bytearray(chance.choice(whole))
        match chance.randrange(4):
            case 0:
                del body[chance.randint(1, len(body)) :]
            case 1:
                body[chance.randrange(len(body))] = chance.randrange(256)
            case 2:
                body += chance.randbytes(chance.randint(1, 240 - len(body)))
            case _:
                body = bytearray(chance.randbytes(chance.randint(1, 240)))
        yield bytes(body)


def checksum(body: bytes) -> int:
    return crc_hqx(body, 0xFFFF)


def noise(seed: int, count: int) -> Iterator[bytes]:
    """Bytes between two zero bytes that are a frame only by chance."""
    chance = random.Random(seed)  # noqa: S311 - repeatable
    for _ in range(count):
        changed = bytearray(encode_frame(chance.choice(list(bodies())))[:-1])
        changed[chance.randrange(len(changed))] = chance.randint(1, 255)
        yield bytes(changed)
        yield bytes(chance.randint(1, 255) for _ in range(chance.randint(1, 300)))
