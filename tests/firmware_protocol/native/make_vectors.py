"""Writes `firmware_protocol/native/vectors.json`: frames and handshakes byte by byte, from our own two ends.

    python -m tests.firmware_protocol.native.make_vectors

`PROTOCOL.md`, section 11, says what is in the file. A test compares it with what this makes. The conversations are in
`vector_talks`; here is all that stands beside them.
"""

import json
from binascii import crc_hqx
from collections.abc import Iterator
from hashlib import blake2s
from pathlib import Path

import msgspec

import firmware_protocol.native
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CardReturned,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    GateChanged,
    Hand,
    Health,
    IndicatedWinner,
    LidChanged,
    Misread,
    PresetChanged,
    ResultIndicated,
    Standby,
    StartCause,
    Started,
)
from firmware_protocol.native.event_layouts import decode_event, encode_event
from firmware_protocol.native.framing import CRC_START, encode_frame
from firmware_protocol.native.messages import ACK, NAK, TAG_BYTES, FrameType, Hello, Versions, event_payload
from firmware_protocol.native.session import controller_tag, payload_of, session_keys, shoe_tag
from firmware_protocol.native.store import ShoeStore
from tests.firmware_protocol.native import vector_talks, vector_trials
from tests.firmware_protocol.native.frame_fields import frame
from tests.firmware_protocol.native.line import bodies
from tests.firmware_protocol.native.vector_talks import BOOT_ID, CONTROLLER_NONCE, KEY, SHOE, Conversation, Fields

FILE = Path(firmware_protocol.native.__file__).parent / "vectors.json"

EVENTS: list[AnyShoeEvent] = [
    *(Started(cause=cause) for cause in StartCause),
    Standby(),
    CardIdentified(hand=Hand.PLAYER, position=1, card=Card("2S")),
    CardIdentified(hand=Hand.EXTRA, card_id="E2801160", deck_set="SET-9"),
    ResultIndicated(winner=IndicatedWinner.PLAYER, player_pair=True),
    ResultIndicated(winner=IndicatedWinner.BANKER, banker_pair=True, banker_six=True),
    ResultIndicated(winner=IndicatedWinner.TIE),
    ResultIndicated(winner=None),
    CutCard(),
    Burn(cards=4),
    CardReturned(),
    CardReturned(card=Card("KD"), card_id="E2801160"),
    GateChanged(locked=None),
    GateChanged(locked=False),
    GateChanged(locked=True),
    LidChanged(opened=False),
    LidChanged(opened=True),
    *(ButtonPressed(button=button) for button in Button),
    *(Fault(code=code) for code in FaultCode),
    Fault(code=FaultCode.JAM, stopped=True, detail=0),
    Fault(code=FaultCode.OTHER, detail=0xDEADBEEF),
    *(FaultCleared(code=code) for code in FaultCode),
    FaultCleared(code=FaultCode.SENSOR, detail=7),
    PresetChanged(),
    Health(millivolts=3290, celsius=-11, cards_since_load=208),
    *(CardDrawn(hand=Hand.BANKER, position=2, card=card, total=1000 + number) for number, card in enumerate(Card)),
    CardDrawn(total=1),
    CardDrawn(
        hand=Hand.BURN,
        position=10,
        card=Card("TC"),
        card_id="E280116060000209",
        deck_set="GREEN 41",
        burns_left=0,
        first_of_shoe=True,
        carried_over=True,
        total=0xFFFFFFFF,
    ),
    DoubleFeed(cards=2, total=301),
    Misread(total=302),
    Misread(hand=Hand.PLAYER, position=3, total=303),
    ForeignCard(total=304),
    ForeignCard(hand=Hand.BANKER, position=1, card=Card("9H"), card_id="X", deck_set="RED", total=305),
]


NOT_UNDERSTOOD: list[tuple[str, str]] = [
    ("0f6d6f7265", "a kind that version 1 does not have"),
    ("140000012c0101", "a kind of 10-1F hex that version 1 does not have: its total is not read"),
    ("100000012c01015eff000000", "a card of suit 5"),
    ("100000012c01014eff000000", "a card of rank 14"),
    ("100000012c050111ff000000", "a hand that does not exist"),
    ("100000012c010111ff00", "cut off before its texts"),
    ("100000012c010111ff000241", "cut off in a text"),
    ("030001110000", "a hand that must not be none"),
    ("0404" + "00", "a winner that does not exist"),
    ("0711" + "21" + "78" * 33, "a text of 33 characters"),
    ("0711" + "02410a", "a text with a character that cannot be printed"),
    ("0711" + "0241e9", "a text that is not ASCII"),
    ("0803", "a gate that does not exist"),
    ("0a06", "a button that does not exist"),
    ("0b0800", "a fault without its detail, which is there even when bit 1 is 0"),
    ("0e0c", "too short"),
    ("0109", "only its cause is not known: it is taken as unknown"),
    ("0bc80300000007", "only its code is not known: it is taken as other"),
    ("0cc80200000007", "only its code is not known: it is taken as other"),
]
"""Bytes of an event in hex, and why it is not understood, or not quite."""

FORGED_AHEAD = 100
"""Forged frames have counters so far above the last one that nothing but their tag can refuse them."""


def _spoilt(body: bytes, place: int) -> bytes:
    changed = bytearray(body)
    changed[place] ^= 0x01
    return bytes(changed)


def _sealed(key: bytes, frame_type: int, counter: int, payload: bytes) -> bytes:
    said = bytes((frame_type,)) + counter.to_bytes(8, "big") + payload
    return said + blake2s(said, key=key).digest()[:8]


class _Told:
    """The frames of a conversation, found again by who sent them and of what type they are."""

    def __init__(self, talk: Conversation) -> None:
        self._frames = talk.frames
        self.end = len(talk.frames)
        self.challenge = self.body("CHALLENGE")
        self.from_shoe, self.to_shoe = session_keys(KEY, self.challenge[:-TAG_BYTES])

    def place(self, frame_type: str) -> int:
        return next(place for place, shown in enumerate(self._frames) if shown["type"] == frame_type)

    def body(self, frame_type: str) -> bytes:
        """The first of its type."""
        return bytes.fromhex(self._frames[self.place(frame_type)]["body"])

    def last(self, sender: str) -> bytes:
        return bytes.fromhex(next(shown["body"] for shown in reversed(self._frames) if shown["from"] == sender))

    def last_counter(self, sender: str) -> int:
        return int.from_bytes(self.last(sender)[1:9], "big")

    def place_of_last_deleting_ack(self) -> int:
        """The ACK of the last event; before it, the shoe holds that event."""
        event = next(shown["says"] for shown in reversed(self._frames) if shown["type"] == "EVENT")
        return next(
            place
            for place, shown in enumerate(self._frames)
            if shown["type"] == "ACK" and shown["says"]["sequence"] == event["sequence"]
        )

    def event_to_come(self) -> bytes:
        """An event that would be taken at the end of the conversation, sealed as it should be."""
        event = encode_event(CardDrawn(total=5005))
        sequence = next(shown["says"]["next"] for shown in reversed(self._frames) if shown["type"] == "STATUS")
        payload = event_payload(BOOT_ID, sequence, 0, event)
        return _sealed(self.from_shoe, FrameType.EVENT, self.last_counter("shoe") + FORGED_AHEAD, payload)


def refused_by_controller(told: _Told) -> Iterator[tuple[int, bytes, str]]:
    """After how many frames of the conversation it comes, its body, and why it is refused."""
    challenge, place = told.challenge, told.place("CHALLENGE")

    def signed(changed: bytes) -> bytes:
        return changed + shoe_tag(KEY, changed)

    yield place, _spoilt(challenge, 42), "changed CHALLENGE: the tag does not fit its boot id"
    yield place, _spoilt(challenge, -1), "changed CHALLENGE: the tag is wrong"
    yield place, signed(_spoilt(challenge[:-TAG_BYTES], 6)), "CHALLENGE that answers another HELLO: byte 6"
    yield place, signed(_spoilt(challenge[:-TAG_BYTES], 1)), "CHALLENGE with a version that the rule does not give"
    yield place, signed(challenge[:39] + bytes(4) + challenge[43:-TAG_BYTES]), "CHALLENGE with a boot id of 0"
    forged, replayed = told.event_to_come(), told.body("EVENT")
    ahead = told.last_counter("shoe") + FORGED_AHEAD
    status = payload_of(told.last("shoe"))
    yield told.end, told.last("shoe"), "replayed: its counter is not above the last"
    yield told.end, replayed, "replayed: its counter is not above the last"
    yield told.end, replayed[:1] + ahead.to_bytes(8, "big") + replayed[9:], "forged: the counter is under the tag"
    yield told.end, _spoilt(forged, -1), "forged: the tag is wrong"
    yield told.end, _spoilt(forged, 26), "forged: the payload is under the tag"
    yield told.end, _spoilt(forged, 0), "forged: the type is under the tag"
    yield told.end, _sealed(told.to_shoe, FrameType.STATUS, ahead, status), "forged: sealed with the key to the shoe"
    yield told.end, told.last("controller"), "reflected: a frame of its own direction"


def refused_by_shoe(told: _Told) -> Iterator[tuple[int, bytes, str]]:
    proof, place = told.body("PROOF"), told.place("PROOF")
    yield place, _spoilt(proof, -1), "changed PROOF: the tag is wrong"
    yield place, _spoilt(proof, 24), "changed PROOF: the sequence is under the tag"
    place = told.place_of_last_deleting_ack()
    ahead = told.last_counter("controller") + FORGED_AHEAD
    named = ACK.pack(BOOT_ID, 44)
    good = _sealed(told.to_shoe, FrameType.ACK, ahead, named)
    yield place, _spoilt(good, -1), "forged: the tag is wrong"
    yield place, _spoilt(good, 8), "forged: the counter is under the tag"
    yield place, _spoilt(good, 16), "forged: the payload is under the tag"
    yield place, _sealed(told.from_shoe, FrameType.ACK, ahead, named), "forged: sealed with the key from the shoe"
    yield told.end, told.last("controller"), "replayed: its counter is not above the last"
    yield told.end, told.last("shoe"), "reflected: a frame of its own direction"


def refused(talk: Conversation) -> Iterator[Fields]:
    """Frames that must change nothing at their place in that conversation."""
    told = _Told(talk)
    for by, found in (("controller", refused_by_controller(told)), ("shoe", refused_by_shoe(told))):
        for after, body, why in found:
            yield {"by": by, "after": after, "body": body.hex(), "wire": encode_frame(body).hex(), "why": why}


def answered(talk: Conversation) -> Iterator[Fields]:
    """What a controller may say at the end of that conversation, one after the other, and the shoe's answers."""
    told = _Told(talk)
    counter = told.last_counter("controller")
    desires = [bytes.fromhex(shown["body"]) for shown in talk.frames if shown["type"] == "DESIRE"]
    for body, why in (
        (_sealed(told.to_shoe, FrameType.NAK, counter + 1, NAK.pack(43)), "the shoe no longer holds this event"),
        (_sealed(told.to_shoe, FrameType.NAK, counter + 2, NAK.pack(45)), "the shoe has not sent this event"),
        (
            _sealed(told.to_shoe, FrameType.DESIRE, counter + 3, payload_of(desires[-1])),
            "the shoe follows this revision already",
        ),
        (told.body("PROOF"), "the PROOF from which the session came: its STATUS was lost"),
    ):
        talk.shoe.receive(encode_frame(body), talk.now)
        (answer,) = bodies(talk.shoe.to_send())
        yield {"t": talk.now, "said": frame("controller", body), "answer": frame("shoe", answer), "why": why}


def rejected() -> Iterator[Fields]:
    """A HELLO that a shoe cannot answer, and what it says to it."""
    for versions, insecure, shoe_key in (
        (Versions(2, 4), False, KEY),
        (Versions(1, 1), True, KEY),
        (Versions(1, 1), False, None),
    ):
        hello = Hello(versions, insecure, CONTROLLER_NONCE).body()
        talk = Conversation(key=shoe_key, stored=None, store=ShoeStore())
        talk.shoe.receive(encode_frame(hello), 0.0)
        (reject,) = bodies(talk.shoe.to_send())
        yield {
            "shoe_has_a_key": shoe_key is not None,
            "hello": frame("controller", hello),
            "reject": frame("shoe", reject),
        }


def keys(talk: Conversation) -> dict[str, str]:
    told = _Told(talk)
    challenge, proof = told.challenge[:-TAG_BYTES], told.body("PROOF")[:-TAG_BYTES]
    return {
        "key": KEY.hex(),
        "challenge": challenge.hex(),
        "proof": proof.hex(),
        "shoe_tag": shoe_tag(KEY, challenge).hex(),
        "controller_tag": controller_tag(KEY, challenge, proof).hex(),
        "key_from_shoe": told.from_shoe.hex(),
        "key_to_shoe": told.to_shoe.hex(),
    }


def without_random_source() -> Fields:
    """The product's own shoes have a random source, so the page's formula is spelled out here."""

    def keyed(*parts: bytes) -> bytes:
        return blake2s(b"".join(parts), key=KEY).digest()

    def u32(number: int) -> bytes:
        return number.to_bytes(4, "big")

    serial_number = SHOE.serial_number.encode("ascii")
    return {
        "key": KEY.hex(),
        "serial_number": SHOE.serial_number,
        "boot_ids": [
            {
                "power_ups": power_ups,
                "boot_id": int.from_bytes(keyed(b"boot", serial_number, u32(power_ups))[:4], "big") or 1,
            }
            for power_ups in (1, 2, 0x01020304)
        ],
        "nonces": [
            {"power_ups": power_ups, "count": count, "nonce": keyed(b"nonce", u32(power_ups), u32(count))[:16].hex()}
            for power_ups, count in ((1, 0), (1, 1), (2, 0), (0x01020304, 0x05060708))
        ],
    }


def framing() -> list[dict[str, str]]:
    chosen = [b"\x01", b"\x00", b"\x00\x00\x00", b"123456789", b"\x11\x00\x22", bytes(range(240)), b"\xff" * 240]
    return [{"body": body.hex(), "wire": encode_frame(body).hex()} for body in chosen]


def bad_framing() -> list[dict[str, str]]:
    good = encode_frame(b"123456789")[:-1]
    # One byte too many, and nothing else wrong: `encode_frame` would refuse to make it.
    long = bytes(range(1, 242))
    checked = long + crc_hqx(long, CRC_START).to_bytes(2, "big")
    assert b"\0" not in checked, "so that COBS is one length byte and the rest as it is"
    return [
        {"between_zeros": good[:-1].hex(), "why": "cut short"},
        {"between_zeros": (good[:3] + b"\x99" + good[4:]).hex(), "why": "wrong crc"},
        {"between_zeros": (b"\x20" + good[1:]).hex(), "why": "not COBS: the last block runs over the end"},
        {"between_zeros": b"\x03\xff\xff".hex(), "why": "no body: this is the crc of nothing"},
        {"between_zeros": (bytes((len(checked) + 1,)) + checked).hex(), "why": "a body of 241 bytes with a right crc"},
    ]


def events() -> list[Fields]:
    return [{"event": msgspec.to_builtins(event), "bytes": encode_event(event).hex()} for event in EVENTS]


def not_understood() -> Iterator[Fields]:
    for said, why in NOT_UNDERSTOOD:
        data = bytes.fromhex(said)
        yield {"bytes": said, "becomes": msgspec.to_builtins(decode_event(data[0], data[1:])), "why": why}


def make() -> Fields:
    talk = vector_talks.secure()
    return {
        "protocol_version": 1,
        "framing": framing(),
        "bad_framing": bad_framing(),
        "events": events(),
        "not_understood": list(not_understood()),
        "keys": keys(talk),
        "without_random_source": without_random_source(),
        "conversation": talk.shown(),
        "refused": list(refused(talk)),
        "answered": list(answered(talk)),
        "unrecognised": vector_talks.unrecognised().shown(),
        "rejected": list(rejected()),
        "insecure": vector_talks.insecure().shown(),
        "trials": vector_trials.all_trials(),
    }


def text() -> str:
    """Each frame and event on one line, so that a change shows as what it is."""
    return _lines(make(), depth=2) + "\n"


def _lines(value: object, depth: int, indent: str = "") -> str:
    """JSON with `depth` levels of a line for each entry; what is deeper, and what is in a list, is on its line."""
    inner = indent + "  "
    if isinstance(value, dict) and depth:
        entries = [f"{json.dumps(key)}: {_lines(item, depth - 1, inner)}" for key, item in value.items()]
        brackets = "{}"
    elif isinstance(value, list) and value:
        entries = [json.dumps(item) for item in value]
        brackets = "[]"
    else:
        return json.dumps(value)
    return brackets[0] + "\n" + ",\n".join(inner + entry for entry in entries) + f"\n{indent}{brackets[1]}"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
