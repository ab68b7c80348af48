"""Bytes to packets and back, against the tests' own codec, and any bytes at all."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simulator.broker.decoding import decode, protocol_version
from simulator.broker.encoding import encode
from simulator.broker.framing import Frame, PacketSplitter
from simulator.broker.packets import (
    Connack,
    Connect,
    Disconnect,
    Puback,
    Publish,
    Subscribe,
    SubscriptionAnswer,
)
from simulator.broker.packets import PacketType as BrokerKind
from simulator.broker.properties import Properties
from simulator.broker.reasons import ClientError, Reason
from simulator.broker.topics import is_topic
from tests.simulator.broker import wire
from tests.simulator.broker.wire import V5, V311, Kind

LIMIT = 100_000
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
TOPIC = TEXT.filter(is_topic)
BINARY = st.binary(max_size=40)
PACKET_ID = st.integers(1, 65_535)
MESSAGE_PROPERTIES = st.fixed_dictionaries(
    {},
    optional={
        "payload_format": st.integers(0, 1),
        "message_expiry": st.integers(0, 0xFFFF_FFFF),
        "content_type": TEXT,
        "response_topic": TOPIC,
        "correlation_data": BINARY,
        "user_properties": st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=3),
    },
)


def frame_of(data: bytes) -> Frame:
    splitter = PacketSplitter(LIMIT)
    splitter.feed(data)
    frame = splitter.next_frame()
    assert frame is not None
    assert splitter.next_frame() is None
    return frame


def as_the_tests_say_it(properties: Properties) -> dict[str, Any]:
    """Give the properties of a broker's packet under the names and in the forms of the tests' codec."""
    present = {name: getattr(properties, name) for name in Properties.__slots__}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in present.items()
        if value not in (None, ())
    }


PUBLISH_FIELDS = st.fixed_dictionaries(
    {
        "topic": TOPIC,
        "payload": BINARY,
        "qos": st.integers(0, 1),
        "retain": st.booleans(),
        "dup": st.booleans(),
        "packet_id": PACKET_ID,
        "props": MESSAGE_PROPERTIES,
    }
).map(lambda fields: fields if fields["qos"] else fields | {"dup": False, "packet_id": None})
WILLS = st.builds(
    wire.Will,
    topic=TOPIC,
    payload=BINARY,
    qos=st.integers(0, 1),
    retain=st.booleans(),
    properties=MESSAGE_PROPERTIES,
)
CONNECT_FIELDS = st.fixed_dictionaries(
    {
        "client_id": TEXT,
        "clean": st.booleans(),
        "keep_alive": st.integers(0, 65_535),
        "user": TEXT,
        "password": st.none() | BINARY,
        "will": st.none() | WILLS,
    }
)


@given(fields=PUBLISH_FIELDS, version=st.sampled_from([V311, V5]))
def test_publish_there_and_back(fields: dict[str, Any], version: int) -> None:
    packet = decode(frame_of(wire.publish(version=version, **fields)), version)
    assert isinstance(packet, Publish)
    drawn = fields.pop("props")
    props = drawn if version == V5 else {}
    assert {name: getattr(packet, name) for name in fields} == fields
    assert as_the_tests_say_it(packet.properties) == props
    again = wire.read(encode(packet, version), version)
    assert {name: getattr(again, name) for name in fields} == fields
    assert again.properties == props


@given(fields=CONNECT_FIELDS, version=st.sampled_from([V311, V5]))
def test_connect(fields: dict[str, Any], version: int) -> None:
    frame = frame_of(wire.connect(version=version, **fields))
    assert protocol_version(frame) == version
    packet = decode(frame, version)
    assert isinstance(packet, Connect)
    assert (packet.client_id, packet.user, packet.password) == (fields["client_id"], fields["user"], fields["password"])
    assert (packet.clean_start, packet.keep_alive) == (fields["clean"], fields["keep_alive"])
    will = fields["will"]
    if will is None:
        assert packet.will is None
        return
    assert packet.will is not None
    for name in ("topic", "payload", "qos", "retain"):
        assert getattr(packet.will, name) == getattr(will, name)
    assert as_the_tests_say_it(packet.will.properties) == (will.properties if version == V5 else {})


@given(options=st.integers(0, 255), version=st.sampled_from([V311, V5]))
def test_every_byte_of_subscription_options(options: int, version: int) -> None:
    body = b"\0\1" + (b"\0" if version == V5 else b"") + wire.text("a") + bytes([options])
    frame = frame_of(wire.packet(Kind.SUBSCRIBE, body, flags=2))
    is_good = options & 3 < 3 and (options < 3 if version == V311 else options >> 4 < 3)
    if not is_good:
        with pytest.raises(ClientError):
            decode(frame, version)
        return
    packet = decode(frame, version)
    assert isinstance(packet, Subscribe)
    (subscription,) = packet.subscriptions
    said = wire.Subscription(
        topic_filter="a",
        qos=options & 3,
        no_local=subscription.no_local,
        retain_as_published=subscription.retain_as_published,
        retain_handling=subscription.retain_handling,
    )
    assert said.options == options
    assert subscription.qos == min(options & 3, 1)


@pytest.mark.parametrize("version", [V311, V5])
def test_what_the_broker_says(version: int) -> None:
    connack = wire.read(encode(Connack(reason=Reason.NOT_AUTHORISED), version), version)
    assert connack.reason == (0x87 if version == V5 else 5)
    read = wire.read(encode(Puback(513, Reason.QUOTA_EXCEEDED), version), version)
    assert (read.kind, read.packet_id, read.reason) == (Kind.PUBACK, 513, 0x97 if version == V5 else 0)
    answer = SubscriptionAnswer(kind=BrokerKind.SUBACK, packet_id=7, codes=(0, 1, 0x87))
    assert wire.read(encode(answer, version), version).reasons == (0, 1, 0x87 if version == V5 else 0x80)
    gone = SubscriptionAnswer(kind=BrokerKind.UNSUBACK, packet_id=7, codes=(0, 0x11))
    assert wire.read(encode(gone, version), version).reasons == ((0, 0x11) if version == V5 else ())


def test_a_goodbye_with_its_sentence() -> None:
    packet = Disconnect(reason=Reason.SESSION_TAKEN_OVER, properties=Properties(reason_string="a sentence"))
    read = wire.read(encode(packet, V5), V5)
    assert (read.reason, read.properties) == (0x8E, {"reason_string": "a sentence"})


@given(
    frame=st.builds(Frame, kind=st.integers(0, 15), flags=st.integers(0, 15), body=st.binary(max_size=60)),
    version=st.sampled_from([V311, V5]),
)
@example(frame=Frame(1, 0, b""), version=V5)
def test_any_bytes_are_a_packet_or_the_clients_mistake(frame: Frame, version: int) -> None:
    with suppress(ClientError):
        decode(frame, version)
    with suppress(ClientError):
        protocol_version(frame)


GOOD_PACKETS = (
    wire.connect("table-7", user="x", password=b"y", will=wire.Will(topic="gone", properties={"will_delay": 5})),
    wire.publish("cards", b"9H", qos=1, packet_id=9, props={"content_type": "text", "user_properties": [("a", "b")]}),
    wire.subscribe(3, [wire.Subscription(topic_filter="a/#", qos=1)], props={"user_properties": [("a", "b")]}),
    wire.unsubscribe(4, ["a/#", "+/b"]),
    wire.acknowledge(Kind.PUBACK, 17, 0x80),
    wire.disconnect(4, {"session_expiry": 9, "reason_string": "why"}),
)


@given(good=st.sampled_from(GOOD_PACKETS), place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_one_wrong_byte_is_a_packet_or_the_clients_mistake(good: bytes, place: float, byte: int) -> None:
    damaged = bytearray(good)
    damaged[int(place * len(good))] = byte
    splitter = PacketSplitter(LIMIT)
    splitter.feed(bytes(damaged))
    with suppress(ClientError):
        while (frame := splitter.next_frame()) is not None:
            decode(frame, V5)


@given(cuts=st.lists(st.integers(1, 9), min_size=1))
def test_packets_are_the_same_however_they_are_cut(cuts: list[int]) -> None:
    stream = b"".join(GOOD_PACKETS)
    whole, pieces = PacketSplitter(LIMIT), PacketSplitter(LIMIT)
    whole.feed(stream)
    expected = [whole.next_frame() for _ in GOOD_PACKETS]
    assert whole.next_frame() is None
    found, place, turn = [], 0, 0
    while place < len(stream):
        size = cuts[turn % len(cuts)]
        pieces.feed(stream[place : place + size])
        place, turn = place + size, turn + 1
        while (frame := pieces.next_frame()) is not None:
            found.append(frame)
    assert found == expected


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 128, 16_380, 16_384, 99_996])
def test_sizes_around_every_length_of_the_header(size: int) -> None:
    data = wire.packet(Kind.PUBLISH, b"x" * size)
    assert frame_of(data).body == b"x" * size


@pytest.mark.parametrize("over", [1, 100, 10_000_000])
def test_a_packet_over_the_limit_is_refused_by_its_header(over: int) -> None:
    splitter = PacketSplitter(1000)
    splitter.feed(wire.packet(Kind.PUBLISH, b"x" * 997))
    assert splitter.next_frame() is not None
    splitter.feed(wire.packet(Kind.PUBLISH, b"x" * (997 + over))[:5])
    with pytest.raises(ClientError) as caught:
        splitter.next_frame()
    assert caught.value.reason is Reason.PACKET_TOO_LARGE


@pytest.mark.parametrize("header", [b"\x30\xff\xff\xff\xff", b"\x30\xff\xff\xff\x80\x01", b"\x30\x80\x00"])
def test_a_length_that_is_no_length(header: bytes) -> None:
    splitter = PacketSplitter(1000)
    splitter.feed(header)
    with pytest.raises(ClientError) as caught:
        splitter.next_frame()
    assert caught.value.reason is Reason.MALFORMED_PACKET
