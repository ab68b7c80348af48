"""The core on virtual time: connections, keep-alive, take-over, wills and sessions, to the second."""

import pytest

from simulator.broker import BrokerLimits, Ending
from tests.simulator.broker import wire
from tests.simulator.broker.bench import Bench, BenchClient
from tests.simulator.broker.wire import V5, V311, Kind, Subscription, Will, packet, text

VERSIONS = pytest.mark.parametrize("version", [V311, V5], ids=["3.1.1", "5"])


def goodbye(client: BenchClient) -> int | None:
    """Give the reason of the DISCONNECT a client got last, if it got one, after checking that it was hung up on."""
    assert client.ending is not None
    taken = client.take()
    return taken[-1].reason if taken and taken[-1].kind is Kind.DISCONNECT else None


@VERSIONS
def test_keep_alive_is_one_and_a_half_times_what_was_promised(version: int) -> None:
    bench = Bench()
    client = bench.client("table", version, keep_alive=10)
    for _ in range(5):
        bench.wait(14.9)
        client.send(wire.PINGREQ)
        client.only(Kind.PINGRESP)
    bench.wait(14.9)
    assert bench.core.online == {"table"}
    bench.wait(0.2)
    assert client.ending is Ending.POLITELY
    assert goodbye(client) == (0x8D if version == V5 else None)


def test_only_whole_packets_keep_a_connection_alive() -> None:
    bench = Bench()
    client = bench.client("table", keep_alive=10)
    for byte in wire.publish("cards", b"x" * 100)[:15]:
        bench.wait(1)
        client.send(bytes([byte]))
    assert goodbye(client) == 0x8D


@VERSIONS
def test_without_a_keep_alive_silence_is_no_fault(version: int) -> None:
    bench = Bench()
    client = bench.client("table", version, keep_alive=0)
    assert bench.core.next_deadline() is None
    bench.wait(1_000_000)
    client.send(wire.PINGREQ)
    client.only(Kind.PINGRESP)


def test_a_connection_must_introduce_itself_in_time() -> None:
    bench = Bench(limits=BrokerLimits(connect_seconds=5))
    silent, slow = bench.open(), bench.open()
    slow.send(wire.connect("table")[:7])
    bench.wait(4.9)
    assert (silent.ending, slow.ending) == (None, None)
    bench.wait(0.2)
    assert (silent.ending, slow.ending) == (Ending.AT_ONCE, Ending.AT_ONCE)


def test_take_over_tells_the_old_one_why() -> None:
    bench = Bench()
    old = bench.client("table")
    new = bench.client("table")
    assert goodbye(old) == 0x8E
    assert new.ending is None
    assert bench.core.online == {"table"}


@pytest.mark.parametrize(("reason", "published"), [(None, 0), (0x00, 0), (0x04, 1), (0x80, 1), (0x98, 1)])
def test_only_a_plain_goodbye_discards_the_will(reason: int | None, published: int) -> None:
    bench = Bench()
    watcher = bench.client("watcher")
    watcher.subscribe("gone")
    table = bench.client("table", will=Will(topic="gone"))
    table.send(wire.disconnect(reason))
    assert table.ending is Ending.POLITELY
    assert len(watcher.payloads()) == published


@pytest.mark.parametrize(("version", "clean", "expiry", "lifetime"), [
    (V311, True, None, 0), (V311, False, None, None), (V5, True, None, 0), (V5, False, None, 0),
    (V5, True, 50, 50), (V5, False, 50, 50), (V5, False, 0xFFFF_FFFF, None),
])  # fmt: skip
def test_how_long_a_session_lives(version: int, clean: bool, expiry: int | None, lifetime: float | None) -> None:  # noqa: FBT001 - a test's parameter
    bench = Bench()
    props = None if expiry is None else {"session_expiry": expiry}
    bench.client("table", version, clean=clean, props=props).vanish()
    if lifetime is None:
        bench.wait(10_000_000_000)
        assert bench.core.sessions == {"table"}
    else:
        if lifetime:
            bench.wait(lifetime - 0.1)
            assert bench.core.sessions == {"table"}
            bench.wait(0.2)
        assert bench.core.sessions == frozenset()


def test_a_client_that_comes_back_starts_its_expiry_anew() -> None:
    bench = Bench()
    for _ in range(5):
        table = bench.client("table", clean=False, props={"session_expiry": 10})
        bench.wait(9)
        table.vanish()
        bench.wait(9)
    assert table.connack is not None
    assert table.connack.session_present


def test_what_this_broker_leaves_out_is_announced() -> None:
    bench = Bench()
    table = bench.client("table")
    assert table.connack is not None
    announced = table.connack.properties
    assert (announced["maximum_qos"], announced["subscription_identifiers_available"]) == (1, 0)
    assert announced["shared_subscriptions_available"] == 0
    assert "topic_alias_maximum" not in announced
    shared = Subscription(topic_filter="$share/group/cards", qos=1)
    assert table.subscribe(shared, Subscription(topic_filter="cards", qos=2)) == (0x9E, 1)
    assert bench.client("old", V311).subscribe(shared, Subscription(topic_filter="cards", qos=2)) == (0x80, 1)


@pytest.mark.parametrize(
    ("will", "reason"),
    [(Will(topic="gone", qos=2), 0x9B), (Will(topic="gone", properties={"will_delay": 1}), 0x83)],
    ids=["QoS 2", "delayed"],
)
def test_a_will_that_cannot_be_kept_is_refused(will: Will, reason: int) -> None:
    bench = Bench()
    table = bench.open()
    table.send(wire.connect("table", will=will))
    assert table.only(Kind.CONNACK).reason == reason


ANY = Subscription(topic_filter="a")
REASONS = {
    "noise": (b"\xff" * 8, 0x81),
    "packet type 0": (packet(0, b""), 0x81),
    "second CONNECT": (wire.connect("other"), 0x82),
    "a broker's packet": (packet(Kind.SUBACK, b"\0\1\0"), 0x82),
    "AUTH": (packet(Kind.AUTH, b""), 0x82),
    "SUBSCRIBE with wrong flags": (packet(Kind.SUBSCRIBE, b"\0\1\0\0\1a\0", flags=0), 0x81),
    "SUBSCRIBE to a#": (wire.subscribe(1, [Subscription(topic_filter="a#")]), 0x81),
    "SUBSCRIBE without filters": (wire.subscribe(1, []), 0x82),
    "UNSUBSCRIBE without filters": (wire.unsubscribe(1, []), 0x82),
    "retain handling 3": (wire.subscribe(1, [Subscription(topic_filter="a", retain_handling=3)]), 0x82),
    "PUBLISH with QoS 2": (wire.publish("a", qos=2, packet_id=1), 0x9B),
    "PUBLISH with QoS 3": (wire.publish("a", qos=3, packet_id=1), 0x81),
    "PUBREC": (packet(Kind.PUBREC, b"\0\1"), 0x82),
    "PUBLISH to a wildcard": (wire.publish("a/+"), 0x82),
    "PUBLISH to no topic": (wire.publish(""), 0x82),
    "PUBLISH with packet id 0": (wire.publish("a", qos=1, packet_id=0), 0x82),
    "PUBLISH with QoS 0 repeated": (wire.publish("a", dup=True), 0x81),
    "PUBLISH to what is not UTF-8": (wire.publish(b"\xed\xa0\x80"), 0x81),
    "a response topic with a wildcard": (wire.publish("a", props={"response_topic": "b/#"}), 0x82),
    "payload format 2": (wire.publish("a", props={"payload_format": 2}), 0x82),
    "a property that does not belong": (wire.publish("a", props={"receive_maximum": 1}), 0x81),
    "an unknown property": (packet(Kind.PUBLISH, text("a") + b"\x02\x7e\0"), 0x81),
    "a property twice": (packet(Kind.PUBLISH, text("a") + b"\4\1\0\1\0"), 0x82),
    "a property cut short": (packet(Kind.PUBLISH, text("a") + b"\x02\x02\0"), 0x81),
    "a subscription identifier": (wire.subscribe(1, [ANY], props={"subscription_identifier": [1]}), 0x81),
    "a topic alias": (wire.publish("a", props={"topic_alias": 1}), 0x81),
    "expiry at the last moment": (wire.disconnect(0, {"session_expiry": 1}), 0x82),
    "a packet over the limit": (wire.publish("a", b"x" * 2000), 0x95),
    "bytes after the last field": (packet(Kind.PINGREQ, b"x"), 0x81),
}  # fmt: skip


@pytest.mark.parametrize(("data", "reason"), REASONS.values(), ids=REASONS)
def test_what_a_client_did_wrong_is_told_and_published_as_its_will(data: bytes, reason: int) -> None:
    bench = Bench(limits=BrokerLimits(packet_bytes=1000))
    bystander = bench.client("bystander")
    bystander.subscribe("gone")
    offender = bench.client("offender", will=Will(topic="gone"))
    offender.send(data + wire.PINGREQ)
    assert goodbye(offender) == reason
    assert len(bystander.payloads()) == 1
    assert bench.core.online == {"bystander"}
    offender.send(wire.PINGREQ)
    assert offender.take() == []


def test_an_error_says_in_words_what_was_wrong() -> None:
    bench = Bench()
    offender = bench.client("offender")
    offender.send(wire.publish("a/+"))
    assert offender.take()[-1].properties["reason_string"] == "'a/+' is not a topic to publish under"
    refused = bench.open()
    refused.send(wire.connect("x", props={"receive_maximum": 0}))
    assert refused.only(Kind.CONNACK).properties["reason_string"] == "the receive maximum cannot be 0"
    assert bench.core.take_notes()[-1] == "a new connection is disconnected: the receive maximum cannot be 0 (0x82)"


def test_a_client_that_takes_small_packets_only_gets_the_reason_without_the_words() -> None:
    bench = Bench()
    offender = bench.client("offender", props={"maximum_packet_size": 30})
    offender.send(wire.publish("a/+"))
    farewell = offender.take()[-1]
    assert (farewell.reason, farewell.properties) == (0x82, {})


def test_a_client_too_small_for_a_connack_is_not_kept_waiting() -> None:
    bench = Bench()
    tiny = bench.open()
    tiny.send(wire.connect("tiny", props={"maximum_packet_size": 4}))
    assert tiny.take() == []
    assert tiny.ending is not None
    assert bench.core.online == frozenset()


def test_the_same_words_give_the_same_answers() -> None:
    def talk() -> list[list[wire.Received]]:
        bench = Bench()
        clients = [bench.client("", version) for version in (V5, V311, V5)]
        for client in clients:
            client.subscribe("#")
        for number in range(20):
            clients[number % 3].publish(f"t/{number}", b"x", qos=number % 2, packet_id=number if number % 2 else None)
            bench.wait(1)
        return [client.take() for client in clients]

    assert talk() == talk()
