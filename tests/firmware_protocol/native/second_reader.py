"""The native protocol once more, written from PROTOCOL.md alone by somebody who had not seen the product's code.

Only `believed_challenge` and `said_again` came later, from the page's words but by a hand that knew the code. What the
product and this file agree on, the page says. Nothing here imports the product, and only the tests beside it import
this. Events and messages are plain dictionaries, named as in the page and in the events' JSON.
From top to bottom as the page has it: framing, layouts, authenticity. The shoe that speaks so is
in `firmware_protocol/c`.
"""

import binascii
import hashlib
import hmac
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Fields = dict[str, Any]

LONGEST_RUN = 243
HELLO, PROOF, ACK, NAK, DESIRE, CLOCK, IDENTIFY = 0x01, 0x02, 0x10, 0x11, 0x12, 0x13, 0x14
AWAKE, CHALLENGE, REJECT, EVENT, STATUS = 0x81, 0x82, 0x83, 0x90, 0x91
NO_COMMON_VERSION, INSECURE_HELLO, SECURE_HELLO = 1, 2, 3
RECOGNISED = 0x01
INSECURE = 0x01
OLDEST_VERSION = NEWEST_VERSION = 1


class NotAFrameError(ValueError):
    """Bytes between two zero bytes that are no frame (section 1)."""


class MalformedError(ValueError):
    """A frame or an event whose bytes do not fit its layout."""


class RefusedError(ValueError):
    """A sealed frame or a handshake that is not believed (section 4)."""


# Section 1: line and framing


def cobs_encoded(data: bytes) -> bytes:
    return b"".join(bytes([len(run) + 1]) + run for run in data.split(b"\0"))


def cobs_decoded(run: bytes) -> bytes:
    data, at = bytearray(run), 0
    while at < len(data):
        step, data[at] = data[at], 0
        if step == 0:
            raise NotAFrameError("a zero byte inside a run")
        at += step
    if at != len(data) or not data:
        raise NotAFrameError("not COBS")
    return bytes(data[1:])


def crc(data: bytes) -> int:
    return binascii.crc_hqx(data, 0xFFFF)


def framed(body: bytes) -> bytes:
    if not 1 <= len(body) <= 240:
        raise NotAFrameError(f"a body has 1 to 240 bytes, not {len(body)}")
    return cobs_encoded(body + struct.pack(">H", crc(body))) + b"\0"


def unframed(run: bytes) -> bytes:
    """The body in the bytes between two zero bytes."""
    if len(run) > LONGEST_RUN:
        raise NotAFrameError("too long")
    decoded = cobs_decoded(run)
    if len(decoded) < 3:
        raise NotAFrameError("no body")
    if crc(decoded) != 0:
        raise NotAFrameError("wrong crc")
    return decoded[:-2]


class Line:
    """Cuts a stream of bytes into bodies; garbage is dropped and counted."""

    def __init__(self) -> None:
        self.errors = 0
        self._run = bytearray()

    def bodies(self, data: bytes) -> Iterator[bytes]:
        for byte in data:
            if byte:
                if len(self._run) <= LONGEST_RUN:  # one byte too many is kept, so that a long run is seen to be long
                    self._run.append(byte)
                continue
            run, self._run = bytes(self._run), bytearray()
            if not run:
                continue
            try:
                body = unframed(run)
            except NotAFrameError:
                self.errors += 1
                continue
            yield body


# Layouts: each part of a layout puts some fields into bytes and takes them out again


class _Bytes:
    """Bytes that are read from the front."""

    def __init__(self, data: bytes) -> None:
        self._rest = data

    def take(self, size: int) -> bytes:
        if len(self._rest) < size:
            raise MalformedError("shorter than its fields")
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def text(self) -> str:
        size = self.number(1)
        characters = self.take(size)
        if size > 32 or any(not 0x20 <= character <= 0x7E for character in characters):
            raise MalformedError("not a text of at most 32 printable characters")
        return characters.decode("ascii")


@dataclass(frozen=True)
class _Part:
    put: Callable[[Fields], bytes]
    take: Callable[[_Bytes], Fields]


_Layout = tuple[_Part, ...]


def _put(layout: _Layout, fields: Fields) -> bytes:
    return b"".join(part.put(fields) for part in layout)


def _take(layout: _Layout, data: bytes) -> Fields:
    """The fields that the layout knows; what follows them is ignored."""
    rest, fields = _Bytes(data), Fields()
    for part in layout:
        fields |= part.take(rest)
    return fields


def text_bytes(text: str) -> bytes:
    if len(text) > 32 or any(not " " <= character <= "~" for character in text):
        raise MalformedError(f"{text!r} is not a text of at most 32 printable characters")
    return bytes([len(text)]) + text.encode("ascii")


def _number(name: str, size: int, *, none: int | None = None, signed: bool = False) -> _Part:
    """A number; `none` is the one that stands for "not reported"."""

    def put(fields: Fields) -> bytes:
        value: int = none if fields[name] is None and none is not None else fields[name]
        return value.to_bytes(size, "big", signed=signed)

    def take(rest: _Bytes) -> Fields:
        value = int.from_bytes(rest.take(size), "big", signed=signed)
        return {name: None if value == none else value}

    return _Part(put, take)


def _raw(name: str, size: int) -> _Part:
    return _Part(lambda fields: bytes(fields[name]), lambda rest: {name: rest.take(size)})


def _text(name: str) -> _Part:
    return _Part(lambda fields: text_bytes(fields[name]), lambda rest: {name: rest.text()})


def _id(name: str) -> _Part:
    return _Part(lambda fields: text_bytes(fields[name] or ""), lambda rest: {name: rest.text() or None})


def _code(name: str, meanings: dict[int, Any], *, otherwise: str | None = None) -> _Part:
    """One byte out of a table; a number that is not in it means `otherwise`, or else the layout does not fit."""
    numbers = {meaning: number for number, meaning in meanings.items()}

    def take(rest: _Bytes) -> Fields:
        number = rest.number(1)
        if number not in meanings and otherwise is None:
            raise MalformedError(f"{name} {number} does not exist")
        return {name: meanings.get(number, otherwise)}

    return _Part(lambda fields: bytes([numbers[fields[name]]]), take)


def _flags(*names: str) -> _Part:
    """One byte of flags, named from bit 0 on."""

    def put(fields: Fields) -> bytes:
        return bytes([sum(bool(fields[name]) << bit for bit, name in enumerate(names))])

    def take(rest: _Bytes) -> Fields:
        byte = rest.number(1)
        return {name: bool(byte >> bit & 1) for bit, name in enumerate(names)}

    return _Part(put, take)


def _fault_flags_and_detail(*, tells_stopped: bool) -> _Part:
    """Bit 0 says stopped, where the event tells it; bit 1 gives the detail, whose four bytes are there either way."""

    def put(fields: Fields) -> bytes:
        detail = fields["detail"]
        stopped = tells_stopped and fields["stopped"]
        return struct.pack(">BI", bool(stopped) | (detail is not None) << 1, detail or 0)

    def take(rest: _Bytes) -> Fields:
        flags, detail = rest.number(1), rest.number(4)
        fields: Fields = {"stopped": bool(flags & 1)} if tells_stopped else {}
        return fields | {"detail": detail if flags & 2 else None}

    return _Part(put, take)


# Sections 3 and 5: messages

MESSAGES: dict[int, _Layout] = {
    HELLO: (_number("oldest", 1), _number("newest", 1), _number("flags", 1), _raw("nonce_c", 16)),
    PROOF: (_raw("nonce_s", 16), _number("boot_id", 4), _number("sequence", 4)),
    ACK: (_number("boot_id", 4), _number("sequence", 4)),
    NAK: (_number("sequence", 4),),
    DESIRE: (_number("revision", 4), _number("gate", 1), _number("lamps", 1), _number("next_hand", 1)),
    CLOCK: (_number("milliseconds", 8),),
    IDENTIFY: (_number("seconds", 1),),
    AWAKE: (),
    CHALLENGE: (
        _number("version", 1),
        _number("oldest", 1),
        _number("newest", 1),
        _raw("hello_bytes", 3),
        _raw("nonce_c", 16),
        _raw("nonce_s", 16),
        _number("boot_id", 4),
        _number("cause", 1),
        _number("capabilities", 2),
        _text("model"),
        _text("firmware"),
        _text("serial_number"),
    ),
    REJECT: (_number("reason", 1), _number("oldest", 1), _number("newest", 1), _raw("nonce_c", 16)),
    EVENT: (_number("boot_id", 4), _number("sequence", 4), _number("age", 4)),
    STATUS: (
        _number("oldest", 4),
        _number("next", 4),
        _number("total", 4),
        _number("revision", 4),
        _number("flags", 1),
    ),
}


def is_from_shoe(type_: int) -> bool:
    return type_ & 0x80 != 0


def is_bare(type_: int) -> bool:
    return type_ & 0x70 == 0


def message_bytes(type_: int, fields: Fields) -> bytes:
    """The body of a bare frame without its tag, or the payload of a sealed one; an EVENT brings `kind ‖ payload`."""
    head = bytes([type_]) if is_bare(type_) else b""
    return head + _put(MESSAGES[type_], fields) + (fields["event"] if type_ == EVENT else b"")


def message_fields(type_: int, data: bytes) -> Fields:
    """What `message_bytes` made, read again."""
    fields = _take(MESSAGES[type_], data[1:] if is_bare(type_) else data)
    if type_ == DESIRE and (fields["gate"] > 2 or fields["next_hand"] > 4):
        raise MalformedError("a gate or a hand that does not exist")
    if type_ == EVENT:
        fields["event"] = data[12:]
        if not fields["event"]:
            raise MalformedError("an event without a kind")
    return fields


# Section 7: events

HANDS: dict[int, str | None] = {0: None, 1: "player", 2: "banker", 3: "burn", 4: "extra"}
CAUSES = {0: "unknown", 1: "power_on", 2: "brown_out", 3: "watchdog", 4: "reset_button", 5: "firmware_update"}
WINNERS = {0: None, 1: "player", 2: "banker", 3: "tie"}
BUTTONS = {1: "result", 2: "no_more_bets", 3: "new_shoe", 4: "burn", 5: "call_supervisor"}
CARDS: dict[int, str | None] = {0: None} | {
    suit << 4 | rank: rank_letter + suit_letter
    for suit, suit_letter in enumerate("CDHS", 1)
    for rank, rank_letter in enumerate("A23456789TJQK", 1)
}
FAULTS = {
    0: "other",
    1: "unreadable",
    2: "over_draw",
    3: "button_misused",
    4: "pushed_back_at_exit",
    5: "pushed_back_half_way",
    6: "foreign_card",
    7: "draw_timeout",
    8: "jam",
    9: "sensor",
    10: "gate_forced",
    11: "low_voltage",
    12: "over_temperature",
    13: "event_store_full",
}

_TOTAL, _CARD, _CARD_ID, _DECK_SET = _number("total", 4), _code("card", CARDS), _id("card_id"), _id("deck_set")
_HAND, _POSITION = _code("hand", HANDS), _number("position", 1, none=0)
_FAULT = _code("code", FAULTS, otherwise="other")

EVENTS: dict[int, tuple[str, _Layout]] = {
    0x01: ("started", (_code("cause", CAUSES, otherwise="unknown"),)),
    0x02: ("standby", ()),
    0x03: (
        "card_identified",
        (_code("hand", {n: hand for n, hand in HANDS.items() if n}), _POSITION, _CARD, _CARD_ID, _DECK_SET),
    ),
    0x04: ("result", (_code("winner", WINNERS), _flags("player_pair", "banker_pair", "banker_six"))),
    0x05: ("cut_card", ()),
    0x06: ("burn", (_number("cards", 1),)),
    0x07: ("card_returned", (_CARD, _CARD_ID)),
    0x08: ("gate", (_code("locked", {0: None, 1: False, 2: True}),)),
    0x09: ("lid", (_Part(lambda fields: bytes([fields["opened"]]), lambda rest: {"opened": rest.number(1) != 0}),)),
    0x0A: ("button", (_code("button", BUTTONS),)),
    0x0B: ("fault", (_FAULT, _fault_flags_and_detail(tells_stopped=True))),
    0x0C: ("fault_cleared", (_FAULT, _fault_flags_and_detail(tells_stopped=False))),
    0x0D: ("preset_changed", ()),
    0x0E: ("health", (_number("millivolts", 2), _number("celsius", 2, signed=True), _number("cards_since_load", 2))),
    0x10: (
        "card_drawn",
        (
            _TOTAL,
            _HAND,
            _POSITION,
            _CARD,
            _number("burns_left", 1, none=0xFF),
            _flags("first_of_shoe", "carried_over"),
            _CARD_ID,
            _DECK_SET,
        ),
    ),
    0x11: ("double_feed", (_TOTAL, _number("cards", 1))),
    0x12: ("misread", (_TOTAL, _HAND, _POSITION)),
    0x13: ("foreign_card", (_TOTAL, _HAND, _POSITION, _CARD, _CARD_ID, _DECK_SET)),
}
_KINDS = {name: kind for kind, (name, _) in EVENTS.items()}


def event_bytes(event: Fields) -> bytes:
    """`kind ‖ payload` of an event, which is given as its JSON says it."""
    kind = _KINDS[event["event"]]
    return bytes([kind]) + _put(EVENTS[kind][1], event)


def event_fields(data: bytes) -> Fields:
    """What the controller makes of `kind ‖ payload`; one that it cannot read keeps its place as a fault."""
    kind = data[0]
    try:
        name, layout = EVENTS[kind]
        return {"event": name} | _take(layout, data[1:])
    except (KeyError, MalformedError):
        return {"event": "fault", "code": "other", "stopped": False, "detail": kind}


def cards_of(event: Fields) -> int:
    """By how much an event moves the total."""
    if event["event"] == "double_feed":
        return int(event["cards"])
    if event["event"] == "card_drawn":
        return 0 if event["carried_over"] else 1
    return 1 if event["event"] in {"misread", "foreign_card"} else 0


# Section 4: authenticity


def blake2s(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2s(data, key=key).digest()


def shoe_tag(key: bytes, challenge: bytes) -> bytes:
    return blake2s(key, b"SHOE-TAG" + challenge)[:16]


def controller_tag(key: bytes, challenge: bytes, proof: bytes) -> bytes:
    return blake2s(key, b"CTRL-TAG" + challenge + proof)[:16]


def key_from_shoe(key: bytes, challenge: bytes) -> bytes:
    return blake2s(key, b"SHOE-KEY" + challenge)


def key_to_shoe(key: bytes, challenge: bytes) -> bytes:
    return blake2s(key, b"CTRL-KEY" + challenge)


def boot_id_without_random_source(key: bytes, serial_number: str, power_ups: int) -> int:
    digest = blake2s(key, b"boot" + serial_number.encode("ascii") + struct.pack(">I", power_ups))
    return int.from_bytes(digest[:4], "big") or 1


def nonce_without_random_source(key: bytes, power_ups: int, count: int) -> bytes:
    return blake2s(key, b"nonce" + struct.pack(">II", power_ups, count))[:16]


def believed_challenge(key: bytes, hello: bytes, body: bytes) -> Fields:
    """What a CHALLENGE says to the controller that sent `hello`, if it is to be believed (section 3)."""
    challenge, tag = body[:-16], body[-16:]
    fields = message_fields(CHALLENGE, challenge)
    if not hmac.compare_digest(tag, shoe_tag(key, challenge)):
        raise RefusedError("tag")
    asked = message_fields(HELLO, hello)
    newest = min(asked["newest"], fields["newest"])
    if newest < max(asked["oldest"], fields["oldest"]) or fields["version"] != newest:
        raise RefusedError("version")
    if fields["hello_bytes"] != said_again(hello) or fields["nonce_c"] != asked["nonce_c"]:
        raise RefusedError("hello")
    if fields["boot_id"] == 0:
        raise RefusedError("boot id")
    return fields


def said_again(hello: bytes) -> bytes:
    """Bytes 4 to 6 of the CHALLENGE that answers this HELLO: reserved flags are 0."""
    return hello[1:3] + bytes([hello[3] & INSECURE])


def sealed(key: bytes, type_: int, counter: int, payload: bytes) -> bytes:
    said = struct.pack(">BQ", type_, counter) + payload
    return said + blake2s(key, said)[:8]


def opened(key: bytes, body: bytes, last_counter: int) -> tuple[int, bytes]:
    """Counter and payload of a sealed frame, if it is to be believed."""
    if len(body) < 17:
        raise MalformedError("shorter than its fields")
    said, tag = body[:-8], body[-8:]
    if not hmac.compare_digest(tag, blake2s(key, said)[:8]):
        raise RefusedError("tag")
    counter = int.from_bytes(said[1:9], "big")
    if counter <= last_counter:
        raise RefusedError("counter")
    return counter, said[9:]
