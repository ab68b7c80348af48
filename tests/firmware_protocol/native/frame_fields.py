"""The fields of a frame by name, for vectors that a reader checks a decoder with."""

import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from firmware_protocol.link import ShoeIdentity
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import (
    ACK,
    CLOCK,
    EVENT_FRAME,
    IDENTIFY,
    NAK,
    SEALED,
    BadFrameError,
    Challenge,
    Desire,
    FrameType,
    Hello,
    Proof,
    Reject,
    ShoeStatus,
    unpack,
)
from firmware_protocol.native.session import FRAME_TAG_BYTES, payload_of

Fields = dict[str, Any]


def frame(sender: str, body: bytes) -> Fields:
    """Everything about one frame."""
    frame_type = FrameType(body[0])
    fields = _FIELDS[frame_type](body)
    if frame_type & SEALED:
        fields["counter"] = int.from_bytes(body[1:9], "big")
    return {
        "from": sender,
        "type": frame_type.name,
        "body": body.hex(),
        "wire": encode_frame(body).hex(),
        "says": fields,
    }


def any_frame(sender: str, body: bytes) -> Fields:
    """The same for a frame that may be bad: what no reader understands is shown as its bytes alone."""
    if body[0] in set(FrameType):
        with suppress(BadFrameError, struct.error):
            return frame(sender, body)
    return {"from": sender, "type": f"{body[0]:02X}", "body": body.hex(), "wire": encode_frame(body).hex(), "says": {}}


def _hello(body: bytes) -> Fields:
    hello = Hello.read(body)
    return {"versions": hello.versions, "insecure": hello.insecure, "nonce": hello.nonce.hex()}


def _challenge(body: bytes) -> Fields:
    challenge = Challenge.read(body)
    return {
        "version": challenge.version,
        "versions": challenge.versions,
        "hello": _hello(challenge.hello.body()),
        "nonce": challenge.nonce.hex(),
        "shoe": _identity(challenge.shoe),
    }


def _identity(shoe: ShoeIdentity) -> Fields:
    return {
        "model": shoe.model,
        "firmware": shoe.firmware,
        "serial_number": shoe.serial_number,
        "boot_id": shoe.boot_id,
        "start_cause": shoe.start_cause.value,
        "capabilities": sorted(shoe.capabilities),
    }


def _reject(body: bytes) -> Fields:
    reject = Reject.read(body)
    return {"reason": reject.reason, "versions": reject.versions, "nonce": reject.hello_nonce.hex()}


def _proof(body: bytes) -> Fields:
    proof = Proof.read(body)
    return {"nonce": proof.nonce.hex(), "boot_id": proof.boot_id, "sequence": proof.sequence}


def _event(body: bytes) -> Fields:
    _, _, boot_id, sequence, age, kind = EVENT_FRAME.unpack_from(body)
    payload = body[EVENT_FRAME.size : -FRAME_TAG_BYTES]
    return {"boot_id": boot_id, "sequence": sequence, "age": age, "kind": kind, "payload": payload.hex()}


def _ack(body: bytes) -> Fields:
    boot_id, sequence = unpack(ACK, payload_of(body))
    return {"boot_id": boot_id, "sequence": sequence}


def _desire(body: bytes) -> Fields:
    revision, desired = Desire.read(payload_of(body))
    return {
        "revision": revision,
        "gate_locked": desired.gate_locked,
        "lamps": sorted(lamp.value for lamp in desired.lamps),
        "next_hand": None if desired.next_hand is None else desired.next_hand.value,
    }


def _status(body: bytes) -> Fields:
    status = ShoeStatus.read(payload_of(body))._asdict()
    return {"oldest": status.pop("oldest"), "next": status.pop("upcoming"), "total": status.pop("card_total"), **status}


_FIELDS: dict[FrameType, Callable[[bytes], Fields]] = {
    FrameType.HELLO: _hello,
    FrameType.CHALLENGE: _challenge,
    FrameType.REJECT: _reject,
    FrameType.PROOF: _proof,
    FrameType.AWAKE: lambda _: {},
    FrameType.EVENT: _event,
    FrameType.STATUS: _status,
    FrameType.ACK: _ack,
    FrameType.NAK: lambda body: {"sequence": NAK.unpack(payload_of(body))[0]},
    FrameType.DESIRE: _desire,
    FrameType.CLOCK: lambda body: {"unix_milliseconds": CLOCK.unpack(payload_of(body))[0]},
    FrameType.IDENTIFY: lambda body: {"seconds": IDENTIFY.unpack(payload_of(body))[0]},
}
