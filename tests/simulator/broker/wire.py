"""The client's half of MQTT for the tests: writes what a client sends, reads what a broker answers. No I/O.

It is written apart from the broker's own codec on purpose, so that one mistake cannot hide in both, and it writes
nonsense as readily as sense. `raw_client.py` puts it on a socket.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

Properties = dict[str, Any]
V311, V5 = 4, 5


class Kind(IntEnum):
    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    PUBREC = 5
    PUBREL = 6
    PUBCOMP = 7
    SUBSCRIBE = 8
    SUBACK = 9
    UNSUBSCRIBE = 10
    UNSUBACK = 11
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14
    AUTH = 15


# The name each property has in these tests, with its identifier and its form on the wire.
PROPERTIES = {
    "payload_format": (0x01, "byte"),
    "message_expiry": (0x02, "four"),
    "content_type": (0x03, "text"),
    "response_topic": (0x08, "text"),
    "correlation_data": (0x09, "binary"),
    "subscription_identifier": (0x0B, "variable"),
    "session_expiry": (0x11, "four"),
    "assigned_client_id": (0x12, "text"),
    "server_keep_alive": (0x13, "two"),
    "authentication_method": (0x15, "text"),
    "authentication_data": (0x16, "binary"),
    "request_problem_information": (0x17, "byte"),
    "will_delay": (0x18, "four"),
    "request_response_information": (0x19, "byte"),
    "response_information": (0x1A, "text"),
    "server_reference": (0x1C, "text"),
    "reason_string": (0x1F, "text"),
    "receive_maximum": (0x21, "two"),
    "topic_alias_maximum": (0x22, "two"),
    "topic_alias": (0x23, "two"),
    "maximum_qos": (0x24, "byte"),
    "retain_available": (0x25, "byte"),
    "user_properties": (0x26, "pair"),
    "maximum_packet_size": (0x27, "four"),
    "wildcards_available": (0x28, "byte"),
    "subscription_identifiers_available": (0x29, "byte"),
    "shared_subscriptions_available": (0x2A, "byte"),
}
REPEATABLE = ("subscription_identifier", "user_properties")
_NAMES = {identifier: name for name, (identifier, _) in PROPERTIES.items()}


def variable(number: int) -> bytes:
    out = bytearray()
    while True:
        number, digit = divmod(number, 128)
        out.append(digit | (0x80 if number else 0))
        if not number:
            return bytes(out)


def binary(value: bytes) -> bytes:
    return struct.pack("!H", len(value)) + value


def text(value: str | bytes) -> bytes:
    """A string field; bytes are taken as they are, so that a test can write what is not UTF-8."""
    return binary(value.encode() if isinstance(value, str) else value)


def packet(kind: int, body: bytes, flags: int = 0) -> bytes:
    return bytes([kind << 4 | flags]) + variable(len(body)) + body


def properties(values: Properties | None) -> bytes:
    body = b""
    for name, value in (values or {}).items():
        identifier, form = PROPERTIES[name]
        for each in value if name in REPEATABLE else [value]:
            body += bytes([identifier]) + _WRITERS[form](each)
    return variable(len(body)) + body


_WRITERS: dict[str, Callable[[Any], bytes]] = {
    "byte": lambda value: struct.pack("!B", value),
    "two": lambda value: struct.pack("!H", value),
    "four": lambda value: struct.pack("!I", value),
    "variable": variable,
    "binary": binary,
    "text": text,
    "pair": lambda value: text(value[0]) + text(value[1]),
}


@dataclass(frozen=True, kw_only=True)
class Will:
    topic: str
    payload: bytes = b""
    qos: int = 0
    retain: bool = False
    properties: Properties = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Subscription:
    topic_filter: str
    qos: int = 0
    no_local: bool = False
    retain_as_published: bool = False
    retain_handling: int = 0

    @property
    def options(self) -> int:
        return self.qos | self.no_local << 2 | self.retain_as_published << 3 | self.retain_handling << 4


def connect(
    client_id: str = "",
    *,
    version: int = V5,
    clean: bool = True,
    keep_alive: int = 60,
    user: str | None = None,
    password: str | bytes | None = None,
    will: Will | None = None,
    props: Properties | None = None,
) -> bytes:
    flags = clean << 1
    if will is not None:
        flags |= 0x04 | will.qos << 3 | will.retain << 5
    flags |= (user is not None) << 7 | (password is not None) << 6
    body = text("MQTT") + bytes([version, flags]) + struct.pack("!H", keep_alive)
    if version == V5:
        body += properties(props)
    body += text(client_id)
    if will is not None:
        body += properties(will.properties) if version == V5 else b""
        body += text(will.topic) + binary(will.payload)
    body += text(user) if user is not None else b""
    body += text(password) if password is not None else b""
    return packet(Kind.CONNECT, body)


def publish(
    topic: str | bytes,
    payload: bytes = b"",
    *,
    version: int = V5,
    qos: int = 0,
    packet_id: int | None = None,
    retain: bool = False,
    dup: bool = False,
    props: Properties | None = None,
) -> bytes:
    body = text(topic)
    if packet_id is not None:
        body += struct.pack("!H", packet_id)
    if version == V5:
        body += properties(props)
    return packet(Kind.PUBLISH, body + payload, flags=retain | qos << 1 | dup << 3)


def acknowledge(kind: Kind, packet_id: int, reason: int | None = None) -> bytes:
    """Any of PUBACK, PUBREC, PUBREL, PUBCOMP; a reason is written for MQTT 5 only."""
    body = struct.pack("!H", packet_id) + (b"" if reason is None else bytes([reason]))
    return packet(kind, body, flags=0x02 if kind is Kind.PUBREL else 0)


def subscribe(
    packet_id: int, subscriptions: Sequence[Subscription], *, version: int = V5, props: Properties | None = None
) -> bytes:
    body = struct.pack("!H", packet_id) + (properties(props) if version == V5 else b"")
    for each in subscriptions:
        body += text(each.topic_filter) + bytes([each.options])
    return packet(Kind.SUBSCRIBE, body, flags=0x02)


def unsubscribe(packet_id: int, filters: Sequence[str], *, version: int = V5) -> bytes:
    body = struct.pack("!H", packet_id) + (properties(None) if version == V5 else b"")
    return packet(Kind.UNSUBSCRIBE, body + b"".join(text(each) for each in filters), flags=0x02)


def disconnect(reason: int | None = None, props: Properties | None = None) -> bytes:
    body = b"" if reason is None else bytes([reason])
    return packet(Kind.DISCONNECT, body + (properties(props) if props else b""))


PINGREQ = packet(Kind.PINGREQ, b"")


@dataclass(frozen=True, kw_only=True)
class Received:
    """One packet from a broker; fields its kind does not have stay at their defaults."""

    kind: Kind
    reason: int = 0
    """CONNACK's code, an acknowledgement's or DISCONNECT's reason."""
    reasons: tuple[int, ...] = ()
    """One for each filter of a SUBACK or UNSUBACK."""
    session_present: bool = False
    packet_id: int | None = None
    topic: str = ""
    payload: bytes = b""
    qos: int = 0
    retain: bool = False
    dup: bool = False
    properties: Properties = field(default_factory=dict)
    size: int = 0
    """Bytes on the wire, header included."""


class BrokerBytes:
    """Cuts a broker's bytes into packets. Anything a broker may not send is an AssertionError."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[Received]:
        self._buffer += data
        while (size := self._whole_packet()) is not None:
            whole, self._buffer = self._buffer[:size], self._buffer[size:]
            yield read(whole, self._version)

    def _whole_packet(self) -> int | None:
        length = 0
        for place, byte in enumerate(self._buffer[1:5]):
            length |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                size = place + 2 + length
                return size if len(self._buffer) >= size else None
        assert len(self._buffer) < 5, "the broker wrote a length of more than four bytes"
        return None


class _Fields:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def take(self, size: int) -> bytes:
        assert len(self.data) >= size, "the broker's packet is too short"
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def variable(self) -> int:
        value = 0
        for place in range(4):
            byte = self.number(1)
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value
        raise AssertionError("the broker wrote a number of more than four bytes")

    def binary(self) -> bytes:
        return self.take(self.number(2))

    def text(self) -> str:
        return self.binary().decode()

    def properties(self) -> Properties:
        inner = _Fields(self.take(self.variable()))
        found: Properties = {}
        while inner.data:
            name = _NAMES[inner.number(1)]
            value = inner.value(PROPERTIES[name][1])
            if name in REPEATABLE:
                found.setdefault(name, []).append(value)
            else:
                assert name not in found, f"the broker wrote {name} twice"
                found[name] = value
        return found

    def value(self, form: str) -> Any:  # noqa: ANN401 - the form says what it is
        match form:
            case "variable":
                return self.variable()
            case "binary":
                return self.binary()
            case "pair":
                return (self.text(), self.text())
            case "text":
                return self.text()
            case _:
                return self.number({"byte": 1, "two": 2, "four": 4}[form])


def read(whole: bytes, version: int) -> Received:
    """Read one whole packet of a broker."""
    kind, flags = Kind(whole[0] >> 4), whole[0] & 0x0F
    fields = _Fields(whole)
    fields.take(1)
    fields.variable()
    expected = {Kind.PUBLISH: flags, Kind.PUBREL: 2}.get(kind, 0)
    assert flags == expected, f"the broker wrote {kind.name} with flags {flags:#x}"
    received = _READERS[kind](fields, flags, version)
    assert not fields.data, f"the broker's {kind.name} has bytes left over"
    return Received(kind=kind, size=len(whole), **received)


def _read_connack(fields: _Fields, _: int, version: int) -> Properties:
    session_present, reason = fields.number(1), fields.number(1)
    # A broker that does not speak the version asked for answers in the way of 3.1.1, without properties.
    with_properties = version == V5 and bool(fields.data)
    return {
        "session_present": bool(session_present),
        "reason": reason,
        "properties": fields.properties() if with_properties else {},
    }


def _read_publish(fields: _Fields, flags: int, version: int) -> Properties:
    qos = flags >> 1 & 3
    assert qos != 3
    topic = fields.text()
    packet_id = fields.number(2) if qos else None
    found = fields.properties() if version == V5 else {}
    return {
        "topic": topic,
        "packet_id": packet_id,
        "qos": qos,
        "retain": bool(flags & 1),
        "dup": bool(flags & 8),
        "properties": found,
        "payload": fields.take(len(fields.data)),
    }


def _read_acknowledgement(fields: _Fields, _: int, version: int) -> Properties:
    packet_id = fields.number(2)
    return {"packet_id": packet_id} | _reason_and_properties(fields, version)


def _read_subscription_answer(fields: _Fields, _: int, version: int) -> Properties:
    packet_id = fields.number(2)
    found = fields.properties() if version == V5 else {}
    return {"packet_id": packet_id, "properties": found, "reasons": tuple(fields.take(len(fields.data)))}


def _read_disconnect(fields: _Fields, _: int, version: int) -> Properties:
    assert version == V5, "a broker never sends DISCONNECT in MQTT 3.1.1"
    return _reason_and_properties(fields, version)


def _reason_and_properties(fields: _Fields, version: int) -> Properties:
    if version != V5 or not fields.data:
        return {}
    reason = fields.number(1)
    return {"reason": reason, "properties": fields.properties() if fields.data else {}}


def _read_nothing(_fields: _Fields, _flags: int, _version: int) -> Properties:
    return {}


_READERS = {
    Kind.CONNACK: _read_connack,
    Kind.PUBLISH: _read_publish,
    Kind.PUBACK: _read_acknowledgement,
    Kind.PUBREC: _read_acknowledgement,
    Kind.PUBREL: _read_acknowledgement,
    Kind.PUBCOMP: _read_acknowledgement,
    Kind.SUBACK: _read_subscription_answer,
    Kind.UNSUBACK: _read_subscription_answer,
    Kind.PINGRESP: _read_nothing,
    Kind.DISCONNECT: _read_disconnect,
}
