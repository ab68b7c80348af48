"""The guard before paho: what it lets through paho reads, what a sensible client sends it lets through."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from shoe_controller.mqtt.broker import DiscardedMessage
from shoe_controller.mqtt.packet_guard import (
    LARGEST_PROPERTIES,
    MOST_PROPERTIES,
    NotMqttError,
    PacketGuard,
)
from tests.mqtt.publish_packets import EMPTY_USER_PROPERTY, PahoReader, publish_packet

LARGEST = 65536
PAHO = PahoReader()
FEFF = "\ufeff".encode()
TEXT_PROPERTIES = {"content type": b"\x03", "response topic": b"\x08", "user property": b"\x26\0\0"}


def judged(packet: bytes) -> bytes | DiscardedMessage | None:
    guard = PacketGuard(LARGEST)
    guard.feed(packet)
    return guard.next_packet()


def text(value: bytes) -> bytes:
    return len(value).to_bytes(2, "big") + value


UNREADABLE = {
    **{f"U+FEFF in {name}": head + text(FEFF) for name, head in TEXT_PROPERTIES.items()},
    **{f"NUL in {name}": head + text(b"a\0b") for name, head in TEXT_PROPERTIES.items()},
    **{f"half a surrogate pair in {name}": head + text(b"\xed\xa0\x80") for name, head in TEXT_PROPERTIES.items()},
    "U+FEFF in the key of a user property": b"\x26" + text(FEFF) + text(b""),
    "text that ends early": b"\x03\0\x05ab",
    "correlation data that ends early": b"\x09\0\x05ab",
    "an expiry that ends early": b"\x02\0\0",
    "a payload format of 2": b"\x01\x02",
    "a subscription identifier of 0": b"\x0b\0",
    "a subscription identifier of five bytes": b"\x0b\x80\x80\x80\x80\x01",
    "two content types": (b"\x03" + text(b"a")) * 2,
    "a property of another packet": b"\x11\0\0\0\1",
    "an unknown property": b"\x7f\0",
    "a topic alias of 0": b"\x23\0\0",
}


@pytest.mark.parametrize("properties", UNREADABLE.values(), ids=UNREADABLE.keys())
@pytest.mark.parametrize("qos", [0, 1])
def test_what_paho_cannot_read_is_discarded_and_acknowledged(properties: bytes, qos: int) -> None:
    packet = publish_packet(properties, qos=qos, number=0x1234)
    discarded = judged(packet)
    assert isinstance(discarded, DiscardedMessage)
    assert discarded.topic == "x"
    assert discarded.acknowledgement == (b"\x40\x02\x12\x34" if qos else b"")
    assert PahoReader().read(packet) is None


def test_a_topic_that_is_not_utf_8_is_discarded() -> None:
    discarded = judged(publish_packet(b"", topic=b"\xff"))
    assert isinstance(discarded, DiscardedMessage)
    assert discarded.topic == "\ufffd"


def test_properties_are_bounded_by_number_and_size() -> None:
    most = publish_packet(EMPTY_USER_PROPERTY * MOST_PROPERTIES)
    largest = publish_packet(b"\x09" + text(bytes(LARGEST_PROPERTIES - 3)))
    assert (judged(most), judged(largest)) == (most, largest)
    for more in (
        EMPTY_USER_PROPERTY * (MOST_PROPERTIES + 1),
        b"\x09" + text(bytes(LARGEST_PROPERTIES - 2)),
        EMPTY_USER_PROPERTY * 12_500,
    ):
        assert isinstance(judged(publish_packet(more)), DiscardedMessage)


@pytest.mark.parametrize("qos", [0, 1])
@pytest.mark.parametrize("topic", [b"x", b"x" * 0xFFFF], ids=["short topic", "long topic"])
@pytest.mark.parametrize("piece", [1000, 1 << 20], ids=["in pieces", "at once"])
def test_a_message_that_is_too_large_is_discarded_when_all_of_it_has_come(qos: int, topic: bytes, piece: int) -> None:
    too_large = publish_packet(b"", qos=qos, number=0x1234, topic=topic, payload=bytes(3 * LARGEST))
    after = publish_packet(b"", payload=b"after it")
    guard = PacketGuard(LARGEST)
    found: list[bytes | DiscardedMessage] = []
    for start in range(0, len(too_large), piece):
        assert not found, "acknowledged before it has come"
        guard.feed(too_large[start : start + piece])
        found += [packet] if (packet := guard.next_packet()) is not None else []
    guard.feed(after)
    assert guard.next_packet() == after
    (discarded,) = found
    assert isinstance(discarded, DiscardedMessage)
    assert discarded.topic == topic.decode()
    assert discarded.acknowledgement == (b"\x40\x02\x12\x34" if qos else b"")
    assert f"at most {LARGEST} are accepted" in discarded.why


BROKEN = {
    "a length of five bytes": b"\x30\x80\x80\x80\x80\x01",
    "a packet that is too large and no message": b"\xd0\x81\x80\x04",
    "QoS 2": publish_packet(b"", qos=2),
    "QoS 3": publish_packet(b"", qos=3),
    "nothing in it": b"\x30\0",
    "a topic that reaches beyond the end": b"\x30\x03\0\x09x",
    "no packet identifier": b"\x32\x03\0\x01x",
    "no properties": b"\x30\x03\0\x01x",
}


@pytest.mark.parametrize("packet", BROKEN.values(), ids=BROKEN.keys())
def test_what_no_publisher_can_make_a_broker_send_is_the_broker_s_fault(packet: bytes) -> None:
    with pytest.raises(NotMqttError, match="the broker sent"):
        judged(packet)


@given(properties=st.binary(max_size=60), payload=st.binary(max_size=10), topic=st.binary(max_size=5))
@example(properties=b"\x83\0\0\x01a", payload=b"", topic=b"x")  # an identifier of two bytes
def test_paho_reads_whatever_is_let_through(properties: bytes, payload: bytes, topic: bytes) -> None:
    let_through = judged(publish_packet(properties, topic=topic, payload=payload))
    if isinstance(let_through, bytes):
        message = PAHO.read(let_through)
        assert message is not None
        assert message.payload == payload


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=20)


@st.composite
def sensible(draw: st.DrawFn) -> Properties:
    """Properties as paho itself writes them for a client."""
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho has no types here
    for name, values in {
        "PayloadFormatIndicator": st.integers(0, 1),
        "MessageExpiryInterval": st.integers(0, 2**32 - 1),
        "ContentType": texts,
        "ResponseTopic": texts,
        "CorrelationData": st.binary(max_size=200),
        "UserProperty": st.lists(st.tuples(texts, texts), max_size=12),
        "SubscriptionIdentifier": st.integers(1, 268_435_455),
    }.items():
        if draw(st.booleans()):
            setattr(properties, name, draw(values))
    return properties


@given(properties=sensible(), topic=texts.filter(bool), cuts=st.lists(st.integers(0, 400), max_size=4))
def test_what_a_sensible_client_sends_is_let_through_wherever_it_is_cut(
    properties: Properties, topic: str, cuts: list[int]
) -> None:
    packed = properties.pack()  # type: ignore[no-untyped-call]  # paho has no types here
    body = text(topic.encode()) + b"\0\x07" + packed + b"payload"
    size = len(body)
    packet = b"\x32" + (bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])) + body
    stream = packet * 2 + b"\xd0\0"
    guard = PacketGuard(LARGEST)
    found: list[bytes | DiscardedMessage] = []
    for start, end in pairwise(sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})):
        guard.feed(stream[start:end])
        while (each := guard.next_packet()) is not None:
            found.append(each)
    assert found == [packet, packet, b"\xd0\0"]
    message = PAHO.read(packet)
    assert message is not None
    assert message.topic == topic
