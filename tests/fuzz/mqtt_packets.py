"""Any bytes from a broker into the guard before paho: paho reads what it lets through, which is all that is sensible.

An input is one packet, sometimes two or a piece of one; most are in a right frame around arbitrary properties. Some
are cut anywhere, and the same packets come out. Some are messages as a sensible client sends them, written by paho
itself or by us, and none of those may be discarded. paho's whole client reads some of what is let through; of the rest
paho reads the properties, which takes a tenth of the time and is all that the guard looks at.
"""

import struct

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from shoe_controller.mqtt.broker import DiscardedMessage
from shoe_controller.mqtt.packet_guard import (
    LARGEST_PROPERTIES,
    MOST_PROPERTIES,
    PUBLISH,
    NotMqttError,
    PacketGuard,
)
from tests.fuzz.source import Source
from tests.mqtt.publish_packets import PahoReader, publish_packet
from tests.simulator.broker.wire import binary, variable

INSTRUMENTED = ("shoe_controller.mqtt.packet_guard",)
LONGEST_INPUT = 40

LARGEST = 1 << 14
PAHO = PahoReader()
PROPERTIES = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho has no types here
IDENTIFIERS = [0x01, 0x02, 0x03, 0x08, 0x09, 0x0B, 0x11, 0x23, 0x26]
FRAGMENTS = [b"", b"a", b"\0", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\xff", b"\xf0\x9f\x82\xa1"]
"""Pieces of text: plain, NUL, U+FEFF, half a surrogate pair, an overlong NUL, no UTF-8 at all, a playing card."""

USER_PROPERTIES = (0, 0, 0, 1, 1, 2, 3, MOST_PROPERTIES - 5)
"""Most messages have few; paho needs a millisecond to write as many as may be."""

Packets = list[bytes | DiscardedMessage]


def one_input(data: bytes) -> None:
    source = Source(data)
    kind = source.number(63)
    if kind == 63:
        _sensible(source)
        return
    # A right frame around arbitrary properties, or the fuzzer would spend its life on lengths.
    stream = source.take(LONGEST_INPUT) if kind < 8 else _framed(source, 2 if kind < 16 else 1)
    whole = _packets([stream])
    if kind % 8 == 1:
        cut = source.number(255) * len(stream) // 255
        assert _packets([stream[:cut], stream[cut:]]) == whole, "cut elsewhere, other packets came out"
    for packet in whole:
        if isinstance(packet, DiscardedMessage):
            assert len(packet.acknowledgement) in (0, 4)
        elif packet[0] >> 4 == PUBLISH:
            _let_through(packet, by_client=kind % 32 == 2)


def _let_through(packet: bytes, *, by_client: bool) -> None:
    if by_client:
        assert PAHO.read(packet) is not None, f"let through, and paho cannot read it: {packet.hex()}"
        return
    topic = 2 + next(place for place, byte in enumerate(packet[1:]) if byte < 0x80)
    properties = topic + 2 + int.from_bytes(packet[topic : topic + 2]) + (packet[0] & 0b110)
    packet[topic + 2 : properties - (packet[0] & 0b110)].decode()
    PROPERTIES.unpack(packet[properties:])  # type: ignore[no-untyped-call]  # paho has no types here


def _packets(pieces: list[bytes]) -> Packets:
    guard, found = PacketGuard(LARGEST), Packets()
    try:
        for piece in pieces:
            guard.feed(piece)
            while (packet := guard.next_packet()) is not None:
                found.append(packet)
    except NotMqttError:
        pass
    return found


def _framed(source: Source, most: int) -> bytes:
    stream = b""
    while source.left and most:
        most -= 1
        kind = source.number(31)
        in_form = kind < 16
        properties = b"".join(_property(source) for _ in range(kind % 4 + 1)) if in_form else source.take(kind)
        payload = source.take(kind % 3)
        stream += publish_packet(properties, topic=b"a\xffbc"[: kind % 5], payload=payload, qos=kind & 1)
    return stream


def _property(source: Source) -> bytes:
    """A property in the right form with any value: what paho refuses lies mostly inside whole values."""
    identifier = source.pick(IDENTIFIERS)
    head = bytes([identifier])
    match identifier:
        case 0x01:
            return head + bytes([source.number(3)])
        case 0x02:
            return head + source.take(4).rjust(4, b"\0")
        case 0x0B:
            return head + variable(source.number(300) << source.number(13))
        case 0x23:
            return head + struct.pack("!H", source.number(9))
        case 0x26:
            return head + _any_text(source) + _any_text(source)
        case _:
            return head + _any_text(source)


def _any_text(source: Source) -> bytes:
    kind = source.number(31)
    return binary(FRAGMENTS[kind % 8] + source.take(kind // 8))


def _sensible(source: Source) -> None:
    given = source.number(63)
    packed = _packed_by_paho(source, given) if given & 32 and given % 4 == 0 else _packed(source, given)
    if len(packed) > LARGEST_PROPERTIES:
        return
    topic = _text(source).encode()
    body = binary(topic) + b"\0\x07" + packed + source.take(20)
    packet = b"\x32" + variable(len(body)) + body
    assert _packets([packet]) == [packet], f"a sensible message was discarded: {packet.hex()}"
    _let_through(packet, by_client=given == 0)


def _packed(source: Source, given: int) -> bytes:
    properties = b""
    if given & 1:
        properties += bytes([0x01, source.number(1)])
    if given & 2:
        properties += b"\x02" + source.take(4).rjust(4, b"\0")
    if given & 4:
        properties += b"\x03" + binary(_text(source).encode())
    if given & 8:
        properties += b"\x08" + binary(_text(source).encode())
    if given & 16:
        properties += b"\x09" + binary(source.take(1) * source.number(300))
    for _ in range(source.pick(USER_PROPERTIES)):
        properties += b"\x26" + binary(_text(source).encode()) + binary(_text(source).encode())
    return variable(len(properties)) + properties


def _packed_by_paho(source: Source, given: int) -> bytes:
    """The same by paho's own writer, which takes ten times as long."""
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # as above
    properties.PayloadFormatIndicator = source.number(1)
    properties.MessageExpiryInterval = source.number(2**16 - 1) << given % 16
    properties.ContentType = _text(source)
    if given & 8:
        properties.ResponseTopic = _text(source)
    if given & 16:
        properties.CorrelationData = source.take(1) * source.number(300)
    for _ in range(source.pick(USER_PROPERTIES)):
        properties.UserProperty = (_text(source), _text(source))
    packed: bytes = properties.pack()  # type: ignore[no-untyped-call]  # as above
    return packed


def _text(source: Source) -> str:
    text = source.take(source.number(8)).decode(errors="replace") * source.number(5)
    return text.replace("\0", "").replace("\ufeff", "")
