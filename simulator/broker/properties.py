"""The properties of MQTT 5: one table of their names, their encodings and the packets that may carry them."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, Flag, auto

from simulator.broker.fields import FieldReader, write_binary, write_text, write_variable
from simulator.broker.reasons import malformed, protocol_error


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """All properties; `None` or empty where the packet does not carry one."""

    payload_format: int | None = None
    message_expiry: int | None = None
    content_type: str | None = None
    response_topic: str | None = None
    correlation_data: bytes | None = None
    session_expiry: int | None = None
    assigned_client_id: str | None = None
    authentication_method: str | None = None
    authentication_data: bytes | None = None
    request_problem_information: int | None = None
    will_delay: int | None = None
    request_response_information: int | None = None
    reason_string: str | None = None
    receive_maximum: int | None = None
    topic_alias_maximum: int | None = None
    user_properties: tuple[tuple[str, str], ...] = ()
    maximum_qos: int | None = None
    maximum_packet_size: int | None = None
    subscription_identifiers_available: int | None = None
    shared_subscriptions_available: int | None = None


NONE = Properties()


class Carrier(Flag):
    """The packets, and the will inside CONNECT, in which a client may send properties."""

    CONNECT = auto()
    WILL = auto()
    PUBLISH = auto()
    PUBACK = auto()
    SUBSCRIBE = auto()
    UNSUBSCRIBE = auto()
    DISCONNECT = auto()
    NONE_OF_THEM = 0


class _Form(Enum):
    BYTE = 1
    TWO_BYTES = 2
    FOUR_BYTES = 4
    TEXT = "text"
    BINARY = "binary"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class _Kind:
    identifier: int
    name: str
    form: _Form
    carriers: Carrier
    least: int = 0
    most: int | None = None


_MESSAGE = Carrier.PUBLISH | Carrier.WILL
_ANYWHERE = (
    Carrier.CONNECT
    | Carrier.WILL
    | Carrier.PUBLISH
    | Carrier.PUBACK
    | Carrier.SUBSCRIBE
    | Carrier.UNSUBSCRIBE
    | Carrier.DISCONNECT
)
_TABLE = (
    _Kind(0x01, "payload_format", _Form.BYTE, _MESSAGE, most=1),
    _Kind(0x02, "message_expiry", _Form.FOUR_BYTES, _MESSAGE),
    _Kind(0x03, "content_type", _Form.TEXT, _MESSAGE),
    _Kind(0x08, "response_topic", _Form.TEXT, _MESSAGE),
    _Kind(0x09, "correlation_data", _Form.BINARY, _MESSAGE),
    _Kind(0x11, "session_expiry", _Form.FOUR_BYTES, Carrier.CONNECT | Carrier.DISCONNECT),
    _Kind(0x12, "assigned_client_id", _Form.TEXT, Carrier.NONE_OF_THEM),
    _Kind(0x15, "authentication_method", _Form.TEXT, Carrier.CONNECT),
    _Kind(0x16, "authentication_data", _Form.BINARY, Carrier.CONNECT),
    _Kind(0x17, "request_problem_information", _Form.BYTE, Carrier.CONNECT, most=1),
    _Kind(0x18, "will_delay", _Form.FOUR_BYTES, Carrier.WILL),
    _Kind(0x19, "request_response_information", _Form.BYTE, Carrier.CONNECT, most=1),
    _Kind(0x1F, "reason_string", _Form.TEXT, Carrier.PUBACK | Carrier.DISCONNECT),
    _Kind(0x21, "receive_maximum", _Form.TWO_BYTES, Carrier.CONNECT, least=1),
    _Kind(0x22, "topic_alias_maximum", _Form.TWO_BYTES, Carrier.CONNECT),
    _Kind(0x24, "maximum_qos", _Form.BYTE, Carrier.NONE_OF_THEM),
    _Kind(0x26, "user_properties", _Form.PAIR, _ANYWHERE),
    _Kind(0x27, "maximum_packet_size", _Form.FOUR_BYTES, Carrier.CONNECT, least=1),
    _Kind(0x29, "subscription_identifiers_available", _Form.BYTE, Carrier.NONE_OF_THEM),
    _Kind(0x2A, "shared_subscriptions_available", _Form.BYTE, Carrier.NONE_OF_THEM),
)
_BY_IDENTIFIER = {kind.identifier: kind for kind in _TABLE}
_Value = int | str | bytes | tuple[str, str]


def read_properties(reader: FieldReader, carrier: Carrier) -> Properties:
    """Read the property section at the reader's position."""
    section = FieldReader(reader.take(reader.variable()))
    if section.at_end():
        return NONE
    found: dict[str, list[_Value]] = {}
    while not section.at_end():
        identifier = section.variable()
        kind = _BY_IDENTIFIER.get(identifier)
        if kind is None or carrier not in kind.carriers:
            raise malformed(f"property {identifier:#04x} does not belong in this packet")
        values = found.setdefault(kind.name, [])
        if values and kind.form is not _Form.PAIR:
            raise protocol_error(f"the {_display_name(kind)} is given twice")
        value = _read(section, kind.form)
        if isinstance(value, int) and (value < kind.least or (kind.most is not None and value > kind.most)):
            raise protocol_error(f"the {_display_name(kind)} cannot be {value}")
        values.append(value)
    return _collected(found)


def write_properties(properties: Properties) -> bytes:
    """Write a property section, its length included."""
    if properties is NONE:
        return b"\0"
    written = bytearray()
    for kind in _TABLE:
        value = getattr(properties, kind.name)
        if value is None or value == ():
            continue
        for each in value if isinstance(value, tuple) else (value,):
            written.append(kind.identifier)
            written += _write(kind.form, each)
    return write_variable(len(written)) + bytes(written)


def _collected(found: dict[str, list[_Value]]) -> Properties:
    fields = {name: tuple(values) if name == "user_properties" else values[0] for name, values in found.items()}
    # The table determines the type of each field, which a type checker cannot follow.
    return Properties(**fields)  # type: ignore[arg-type]


def _display_name(kind: _Kind) -> str:
    return kind.name.replace("_", " ")


def _read(reader: FieldReader, form: _Form) -> _Value:
    readers: dict[_Form, Callable[[], _Value]] = {
        _Form.BYTE: reader.byte,
        _Form.TWO_BYTES: reader.two_bytes,
        _Form.FOUR_BYTES: reader.four_bytes,
        _Form.TEXT: reader.text,
        _Form.BINARY: reader.binary,
        _Form.PAIR: reader.pair,
    }
    return readers[form]()


def _write(form: _Form, value: _Value) -> bytes:
    match value:
        case int():
            return value.to_bytes(form.value, "big")
        case str():
            return write_text(value)
        case bytes():
            return write_binary(value)
        case (name, text):
            return write_text(name) + write_text(text)
