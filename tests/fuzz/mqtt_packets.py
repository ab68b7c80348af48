"""Any bytes from a broker into the guard before paho: paho reads what it lets through, which is all that is sensible.

Bytes are cut anywhere; the same packets come out. A quarter of the inputs are messages as paho's own writer makes them
for a sensible client, and none of those may be discarded.
"""

import struct
import sys
from typing import Any

import atheris

with atheris.instrument_imports(include=["shoe_controller.mqtt.packet_guard"]):
    from shoe_controller.mqtt.packet_guard import (
        LARGEST_PROPERTIES,
        MOST_PROPERTIES,
        PUBLISH,
        NotMqttError,
        PacketGuard,
    )

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from shoe_controller.mqtt.broker import DiscardedMessage
from tests.mqtt.publish_packets import PahoReader, publish_packet
from tests.simulator.broker.wire import variable

LARGEST = 1 << 14
PAHO = PahoReader()

Packets = list[bytes | DiscardedMessage]


def one_input(data: bytes) -> None:
    source = atheris.FuzzedDataProvider(data)
    match source.ConsumeIntInRange(0, 3):
        case 0:
            _sensible(source)
        case 1:
            _judge(source.ConsumeBytes(source.remaining_bytes()), source)
        case _:
            # A right frame around arbitrary properties, or the fuzzer would spend its life on lengths.
            _judge(_framed(source), source)


def _judge(stream: bytes, source: Any) -> None:  # noqa: ANN401 - atheris has no types
    whole = _packets([stream])
    cut = source.ConsumeIntInRange(0, len(stream))
    assert _packets([stream[:cut], stream[cut:]]) == whole, "cut elsewhere, other packets came out"
    for packet in whole:
        if isinstance(packet, bytes) and packet[0] >> 4 == PUBLISH:
            assert PAHO.read(packet) is not None, f"let through, and paho cannot read it: {packet.hex()}"
        elif isinstance(packet, DiscardedMessage):
            assert len(packet.acknowledgement) in (0, 4)


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


def _framed(source: Any) -> bytes:  # noqa: ANN401 - atheris has no types
    stream = b""
    while source.remaining_bytes():
        properties = source.ConsumeBytes(source.ConsumeIntInRange(0, 60))
        topic = source.ConsumeBytes(source.ConsumeIntInRange(0, 4))
        payload = source.ConsumeBytes(source.ConsumeIntInRange(0, 4))
        stream += publish_packet(properties, topic=topic, payload=payload, qos=source.ConsumeIntInRange(0, 1))
    return stream


def _sensible(source: Any) -> None:  # noqa: ANN401 - atheris has no types
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho has no types here
    if source.ConsumeBool():
        properties.PayloadFormatIndicator = source.ConsumeIntInRange(0, 1)
    if source.ConsumeBool():
        properties.MessageExpiryInterval = source.ConsumeIntInRange(0, 2**32 - 1)
    if source.ConsumeBool():
        properties.ContentType = _text(source)
    if source.ConsumeBool():
        properties.ResponseTopic = _text(source)
    if source.ConsumeBool():
        properties.CorrelationData = source.ConsumeBytes(source.ConsumeIntInRange(0, 300))
    for _ in range(source.ConsumeIntInRange(0, MOST_PROPERTIES - 5)):
        properties.UserProperty = (_text(source), _text(source))
    packed = properties.pack()  # type: ignore[no-untyped-call]  # paho has no types here
    if len(packed) > LARGEST_PROPERTIES:
        return
    topic = _text(source).encode()
    body = struct.pack("!H", len(topic)) + topic + b"\0\x07" + packed + source.ConsumeBytes(20)
    packet = b"\x32" + variable(len(body)) + body
    assert _packets([packet]) == [packet], f"a sensible message was discarded: {packet.hex()}"
    assert PAHO.read(packet) is not None


def _text(source: Any) -> str:  # noqa: ANN401 - atheris has no types
    text: str = source.ConsumeUnicodeNoSurrogates(source.ConsumeIntInRange(0, 40))
    return text.replace("\0", "").replace("\ufeff", "")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
