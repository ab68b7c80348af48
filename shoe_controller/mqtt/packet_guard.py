"""Inspects every packet of a broker before paho reads it, so that no publisher can end our connection. Pure.

A broker passes on what its clients publish, and checks less than paho does. paho gives up the connection over U+FEFF in
any text property; retained, such a message would come back with every subscription. paho also copies the rest of the
packet for every property: it needs 0.6 s for 12,500 empty user properties, which are 62 kB. So a PUBLISH that paho
cannot read, or with more properties than a request needs, is discarded here, and acknowledged, because a broker sends
an unacknowledged message again and at last sends no others.

A PUBLISH that is too large is discarded here too, and no limit is announced to the broker: Mosquitto 2.0 counts a
message that it leaves out for such a limit as unacknowledged for ever, and after twenty of them it sends no others.
"""

from collections.abc import Callable
from enum import Enum

from shoe_controller.mqtt.broker import DiscardedMessage

MOST_PROPERTIES = 32
"""Properties of one message; a request needs two, and clients of other software add a few of their own."""
LARGEST_PROPERTIES = 4096
"""Bytes of all properties of one message together."""

PUBLISH, PUBACK = 3, 4
LONGEST_LENGTH = 4
"""Bytes of the longest variable byte integer."""
LONGEST_TOPIC = 0xFFFF
LONGEST_START = 2 + LONGEST_TOPIC + 2 + 1
"""Bytes of a PUBLISH up to its properties, with the first byte of these."""


class NotMqttError(ValueError):
    """The broker itself sent what MQTT does not allow; no publisher can make it do that."""


class PacketGuard:
    """Takes bytes as they come, and gives whole packets in their order."""

    def __init__(self, largest_packet: int, admits: Callable[[str], bool] = lambda _: True) -> None:
        """`admits` is called with the topic of a message; one that is not admitted is discarded without a reason."""
        self._largest_packet = largest_packet
        self._admits = admits
        self._received = bytearray()
        self._skipping: DiscardedMessage | None = None
        """The message that is too large, while the rest of it is still on its way."""
        self._to_skip = 0

    def feed(self, data: bytes) -> None:
        self._received += data

    def next_packet(self) -> bytes | DiscardedMessage | None:
        """The next packet, or what was discarded in its place; `None` until more bytes come."""
        if self._skipping is not None:
            return self._skip()
        header = self._header()
        if header is None:
            return None
        start, size = header
        too_large = size > self._largest_packet
        needed = start + min(size, LONGEST_START) if too_large else start + size
        if len(self._received) < needed:
            return None
        packet = bytes(self._received[:needed])
        del self._received[:needed]
        if packet[0] >> 4 != PUBLISH:
            return packet
        if not too_large:
            return _discarded(packet, start, self._admits) or packet
        why = f"it has {size} bytes; at most {self._largest_packet} are accepted"
        self._skipping, self._to_skip = _discarded(packet, start, self._admits, why), start + size - needed
        return self._skip()

    def _skip(self) -> DiscardedMessage | None:
        """Drop bytes of a message that is too large; the message when all have come."""
        skipped = min(self._to_skip, len(self._received))
        del self._received[:skipped]
        self._to_skip -= skipped
        if self._to_skip:
            return None
        discarded, self._skipping = self._skipping, None
        return discarded

    def _header(self) -> tuple[int, int] | None:
        """Where the next packet's body begins, and its length; `None` while its length is not known."""
        length = _variable_integer(self._received, 1)
        if length is None:
            if len(self._received) > LONGEST_LENGTH:
                raise NotMqttError("the broker sent a packet whose length has more than four bytes")
            return None
        size, start = length
        if size > self._largest_packet and self._received[0] >> 4 != PUBLISH:
            raise NotMqttError(f"the broker sent a packet larger than the accepted {self._largest_packet} bytes")
        return start, size


def _discarded(
    packet: bytes, start: int, admits: Callable[[str], bool], too_large: str | None = None
) -> DiscardedMessage | None:
    """Why and how a PUBLISH is discarded; `None` for one that paho can read. `too_large` is a reason found before."""
    qos = packet[0] >> 1 & 3
    if qos > 1:
        raise NotMqttError(f"the broker sent a message at QoS {qos}, although QoS 1 was subscribed")
    topic_start = start + 2
    topic_end = topic_start + int.from_bytes(packet[start:topic_start])
    properties = topic_end + 2 * qos
    if properties >= len(packet):
        raise NotMqttError("the broker sent a message that ends before its properties")
    topic = packet[topic_start:topic_end]
    # First whether it is admitted at all: in a flood, nothing else of it is worth a look.
    admitted = admits(topic.decode(errors="replace"))
    why = (too_large or _why_unreadable(packet, topic, properties)) if admitted else ""
    if why is None:
        return None
    acknowledgement = bytes((PUBACK << 4, 2)) + packet[topic_end:properties] if qos else b""
    return DiscardedMessage(topic.decode(errors="replace"), why, acknowledgement)


def _why_unreadable(packet: bytes, topic: bytes, position: int) -> str | None:
    try:
        topic.decode()
    except UnicodeDecodeError:
        return "its topic is not UTF-8"
    length = _variable_integer(packet, position)
    if length is None:
        return "the length of its properties cannot be read"
    size, position = length
    if size > LARGEST_PROPERTIES:
        return f"its properties have {size} bytes; at most {LARGEST_PROPERTIES} are accepted"
    end = position + size
    if end > len(packet):
        return "its properties reach beyond its end"
    return _why_bad_properties(packet[position:end])


class _Form(Enum):
    """How a property's value is written."""

    FLAG = 1
    FOUR_BYTES = 2
    VARIABLE = 3
    BINARY = 4
    TEXT = 5
    TWO_TEXTS = 6


_FORMS = {
    0x01: _Form.FLAG,  # payload format
    0x02: _Form.FOUR_BYTES,  # expiry
    0x03: _Form.TEXT,  # content type
    0x08: _Form.TEXT,  # response topic
    0x09: _Form.BINARY,  # correlation data
    0x0B: _Form.VARIABLE,  # subscription identifier
    0x26: _Form.TWO_TEXTS,  # user property
}
"""The properties of a message. Topic aliases are not among them: this client allows a broker none."""
_MAY_REPEAT = frozenset({0x0B, 0x26})


def _why_bad_properties(properties: bytes) -> str | None:
    position, seen = 0, 0
    found: set[int] = set()
    while position < len(properties):
        seen += 1
        if seen > MOST_PROPERTIES:
            return f"it has more than {MOST_PROPERTIES} properties"
        identifier = properties[position]
        form = _FORMS.get(identifier)
        if form is None:
            return f"it has a property {identifier:#04x}, which a message cannot have"
        if identifier in found and identifier not in _MAY_REPEAT:
            return f"it has the property {identifier:#04x} twice"
        found.add(identifier)
        after = _after_value(form, properties, position + 1)
        if after is None:
            return f"its property {identifier:#04x} cannot be read"
        position = after
    return None


def _after_value(form: _Form, data: bytes, position: int) -> int | None:
    """Where the value ends; `None` if paho would not accept it."""
    match form:
        case _Form.FLAG:
            return position + 1 if data[position : position + 1] in (b"\0", b"\1") else None
        case _Form.FOUR_BYTES:
            return position + 4 if position + 4 <= len(data) else None
        case _Form.VARIABLE:
            number = _variable_integer(data, position)
            return number[1] if number is not None and number[0] > 0 else None
        case _Form.BINARY:
            return _after_string(data, position)
        case _Form.TEXT:
            return _after_text(data, position)
        case _Form.TWO_TEXTS:
            middle = _after_text(data, position)
            return None if middle is None else _after_text(data, middle)


def _after_text(data: bytes, position: int) -> int | None:
    end = _after_string(data, position)
    if end is None:
        return None
    try:
        text = data[position + 2 : end].decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or "\ufeff" in text else end


def _after_string(data: bytes, position: int) -> int | None:
    end = position + 2 + int.from_bytes(data[position : position + 2])
    return end if end <= len(data) else None


def _variable_integer(data: bytes | bytearray, position: int) -> tuple[int, int] | None:
    """The number, and where it ends; `None` where it is not whole or too long."""
    number = 0
    for place, byte in enumerate(data[position : position + LONGEST_LENGTH]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, position + place + 1
    return None
