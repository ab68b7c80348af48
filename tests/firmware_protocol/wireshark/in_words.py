"""What our own decoders say of a frame, in the keys and words of the dissector: what its fields are compared with."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, Fault, FaultCode
from firmware_protocol.native.event_layouts import decode_event
from firmware_protocol.native.messages import ACK, CLOCK, EVENT_FRAME, IDENTIFY, NAK, BadFrameError, FrameType
from firmware_protocol.native.session import FRAME_TAG_BYTES, MIN_SEALED
from tests.firmware_protocol.native.frame_fields import frame

Words = dict[str, str]

_OF_EXACT_SIZE = {"ACK": ACK.size, "NAK": NAK.size, "CLOCK": CLOCK.size, "IDENTIFY": IDENTIFY.size}
"""`frame_fields` reads these without anything appended."""
_SHORTEST = {name: MIN_SEALED + size for name, size in _OF_EXACT_SIZE.items()} | {
    "EVENT": EVENT_FRAME.size + FRAME_TAG_BYTES,
    "STATUS": MIN_SEALED,
    "DESIRE": MIN_SEALED,
    "PROOF": 41,
}

_NUMBERS = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
_GATES = {None: "unspecified", False: "unlocked", True: "locked"}
_REASONS = {1: "no common version", 2: "shoe has a key", 3: "shoe has no key"}
_LAST_SECOND = 253402300799


def words_of_frame(body: bytes) -> Words:
    """The fields of a frame; `BadFrameError` where it is malformed."""
    name = FrameType(body[0]).name
    shortest = _SHORTEST.get(name, 1)
    if len(body) < shortest:
        raise BadFrameError(f"{len(body)} bytes where {shortest} are needed")
    if name in _OF_EXACT_SIZE:
        body = body[: shortest - FRAME_TAG_BYTES] + body[-FRAME_TAG_BYTES:]
    says = frame("", body)["says"]
    words = {"type": name}
    if name == "EVENT":
        event = decode_event(says["kind"], bytes.fromhex(says.pop("payload")))
        says |= msgspec.to_builtins(event)
        says["kind"] = says.pop("event").upper()
    elif name == "CHALLENGE":
        hello = says.pop("hello")
        words["hello_oldest_version"], words["hello_newest_version"] = map(str, hello["versions"])
        words |= {"insecure": _yes(hello["insecure"]), "controller_nonce": hello["nonce"]}
        words["shoe_nonce"] = says.pop("nonce")
        says |= says.pop("shoe")
    elif name == "PROOF":
        words["shoe_nonce"] = says.pop("nonce")
    for key, value in says.items():
        words |= _READERS[key](value) if key in _READERS else {key: _plain(value)}
    return words


def is_not_understood(kind: int, payload: bytes) -> bool:
    event: AnyShoeEvent = decode_event(kind, payload)
    return event == Fault(code=FaultCode.OTHER, detail=kind)


def _plain(value: Any) -> str:  # noqa: ANN401 - any value of a field
    if isinstance(value, bool):
        return _yes(value)
    return "" if value is None else str(value)


def _yes(value: bool) -> str:  # noqa: FBT001 - a value, not an option
    return "yes" if value else "no"


def _face(card: str | None) -> str:
    if card is None:
        return "not disclosed"
    rank, _, suit = Card(card).name.lower().partition("_of_")
    return f"{_NUMBERS.get(rank, rank)} of {suit}"


def _day_and_time(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    if seconds > _LAST_SECOND:
        return "beyond the year 9999"
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _spaced(key: str) -> Callable[[str], Words]:
    return lambda value: {key: value.replace("_", " ")}


_READERS: dict[str, Callable[[Any], Words]] = {
    "versions": lambda value: {"oldest_version": str(value[0]), "newest_version": str(value[1])},
    "nonce": lambda value: {"controller_nonce": value},
    "boot_id": lambda value: {"boot_id": f"{value:#010x}"},
    "start_cause": _spaced("start_cause"),
    "capabilities": lambda value: {f"has_{name}": "yes" for name in value},
    "reason": lambda value: {"reason": _REASONS.get(value, "unknown")},
    "oldest": lambda value: {"oldest_event": str(value)},
    "next": lambda value: {"next_event": str(value)},
    "age": lambda value: {"age": f"{value} ms"},
    "gate_locked": lambda value: {"gate": _GATES[value]},
    "lamps": lambda value: {f"lamp_{name}": "yes" for name in value},
    "next_hand": lambda value: {"next_hand": value or "none"},
    "unix_milliseconds": lambda value: {"unix_time": f"{value} ms, {_day_and_time(value)}"},
    "seconds": lambda value: {"seconds": f"{value} s"},
    "cause": _spaced("start_cause"),
    "hand": lambda value: {"hand": value or "none"},
    "position": lambda value: {"position": "0 (not given)" if value is None else str(value)},
    "card": lambda value: {"card": _face(value)},
    "burns_left": lambda value: {"burns_left": "255 (not given)" if value is None else str(value)},
    "winner": lambda value: {"winner": value or "none: forced end"},
    "locked": lambda value: {"gate": _GATES[value]},
    "opened": lambda value: {"lid": "opened" if value else "closed"},
    "button": _spaced("button"),
    "code": _spaced("fault"),
    "detail": lambda value: {"detail_given": "no"} if value is None else {"detail_given": "yes", "detail": str(value)},
}
"""Where keys or words differ from those of the decoders."""
