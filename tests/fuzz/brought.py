"""A request that a fuzzer brought: what it says, read without the help of the desk, and what came of it."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Incoming

TOPICS = Topics("north", "t1")

_decode_any = msgspec.json.Decoder().decode
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode


class Key(NamedTuple):
    """What makes a repeat: the same id, by the same user in the same role."""

    role: str
    user: str
    request_id: str


class Contents(NamedTuple):
    """The JSON of a request without its PIN."""

    read: Any
    encoded: bytes
    """Each field in its place: equal for equal contents."""
    request_id: str
    """Empty if there is none, or none that could be one."""


@dataclass(slots=True, eq=False)
class Brought:
    """A request that was brought, and what came of it."""

    message: Incoming
    role: str
    user: str
    name: str
    contents: Contents
    key: Key
    forged: bool
    """Its response topic is not its sender's."""
    earlier: "tuple[Brought, ...]"
    """Those with the same key."""
    served: int = 0
    answers: int = 0
    given_up: bool = False
    """Its connection was lost before it was served."""
    replayed: list[int] = field(default_factory=list)
    """The numbers of the events that were sent again for it."""

    def says_the_same(self, other: "Brought") -> bool:
        return (self.name, self.contents.encoded) == (other.name, other.contents.encoded)


def read_contents(payload: bytes) -> Contents:
    try:
        read = _decode_any(payload)
        if isinstance(read, dict):
            read.pop("pin", None)
        found = read.get("request_id") if isinstance(read, dict) else None
        return Contents(read, _encode_sorted(read), found if isinstance(found, str) and 0 < len(found) <= 80 else "")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Contents(None, payload, "")


def is_forged(message: Incoming, user: str) -> bool:
    topic, own = message.response_topic, f"{TOPICS.prefix}/reply/{user}/"
    if topic is None:
        return False
    below = topic.removeprefix(own)
    return below == topic or not 0 < len(below) <= 200 or "+" in topic or "#" in topic
