"""The core on virtual time: windows, queues, expiry, limits, congestion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.broker import BrokerLimits, Rule
from simulator.broker.access import AccessList, ClientIdentity
from simulator.broker.messages import Delivery, Message
from simulator.broker.session import ClientSession
from tests.simulator.broker import wire
from tests.simulator.broker.bench import Bench, BenchClient
from tests.simulator.broker.wire import V5, V311, Kind, Subscription

KEPT: wire.Properties = {"clean": False, "props": {"session_expiry": 100_000}}
VERSIONS = pytest.mark.parametrize("version", [V311, V5], ids=["3.1.1", "5"])


def numbers(client: BenchClient) -> list[int]:
    return [int(payload) for payload in client.payloads()]


class Reader:
    """A display that keeps count of what it has not acknowledged."""

    def __init__(self, bench: Bench, window: int) -> None:
        self._bench, self._window = bench, window
        self.seen: list[int] = []
        self.open: list[int] = []
        self.connect()
        self._client.subscribe("cards")

    def connect(self, window: int | None = None) -> None:
        self._window = window or self._window
        properties = {"session_expiry": 1000, "receive_maximum": self._window}
        self._client = self._bench.client("display", clean=False, props=properties)
        self.open = []

    def vanish(self) -> None:
        self._client.vanish()

    def read(self) -> None:
        for each in self._client.take():
            if each.kind is Kind.PUBLISH:
                assert each.packet_id is not None
                assert each.packet_id not in self.open
                self.open.append(each.packet_id)
                if not each.dup:
                    self.seen.append(int(each.payload))
        assert len(self.open) <= min(self._window, 20)

    def acknowledge(self, which: int) -> None:
        self._client.acknowledge(self.open.pop(which % len(self.open)))


@given(
    window=st.integers(1, 25),
    acts=st.lists(st.tuples(st.sampled_from(["publish", "acknowledge", "reconnect"]), st.integers(0, 30)), max_size=60),
)
def test_the_window_holds_whatever_happens_and_the_order_too(window: int, acts: list[tuple[str, int]]) -> None:
    bench = Bench()
    reader, publisher = Reader(bench, window), bench.client("publisher", keep_alive=0)
    published = 0
    for act, number in acts:
        if act == "publish":
            publisher.publish("cards", b"%d" % published, qos=1, packet_id=1)
            published += 1
        elif act == "reconnect":
            reader.vanish()
            reader.connect(1 + number % 25)
        elif reader.open:
            reader.acknowledge(number)
        reader.read()
    while reader.open:
        reader.acknowledge(0)
        reader.read()
    assert reader.seen == list(range(published))


def test_what_the_client_acknowledges_before_it_is_repeated_is_not_repeated() -> None:
    bench = Bench()
    display = bench.client("display", **KEPT)
    display.subscribe("cards")
    for number in range(4):
        bench.publish("cards", b"%d" % number, qos=1, packet_id=1)
    packet_ids = [each.packet_id for each in display.take()]
    display.vanish()
    props = {"session_expiry": 1000, "receive_maximum": 1}
    display = bench.client("display", clean=False, props=props)
    assert numbers(display) == [0]
    display.acknowledge(packet_ids[2])
    assert numbers(display) == []
    display.acknowledge(packet_ids[0])
    assert numbers(display) == [1]
    display.acknowledge(packet_ids[1])
    assert numbers(display) == [3]


def test_packet_ids_go_round_and_skip_those_in_use() -> None:
    session = ClientSession(client=ClientIdentity("", "display"), queue_limit=10)
    session.attach(window=10, one_copy=False)
    message = Message(topic="cards", payload=b"x", qos=1, retain=False, publisher="table", received_at=0.0)

    def sent() -> int:
        assert session.offer(Delivery(message=message, qos=1, retain=False))
        packet = session.next_packet(0.0)
        assert packet is not None
        assert packet.packet_id is not None
        return packet.packet_id

    kept, seen = sent(), set()
    for _ in range(70_000):
        packet_id = sent()
        seen.add(packet_id)
        session.acknowledged(packet_id)
    assert seen == set(range(1, 65_536)) - {kept}


@VERSIONS
def test_a_full_queue_loses_the_newest_and_counts_them(version: int) -> None:
    bench = Bench(limits=BrokerLimits(queued=3))
    kept = KEPT if version == V5 else {"clean": False}
    display = bench.client("display", version, **kept)
    display.subscribe("cards")
    display.vanish()
    for number in range(10):
        bench.publish("cards", b"%d" % number, qos=1, packet_id=1)
        bench.publish("cards", b"QoS 0 does not wait")
    assert bench.core.lost_messages == 7 + 10
    assert numbers(bench.client("display", version, **kept)) == [0, 1, 2]


def test_a_window_and_a_queue_of_messages_under_way() -> None:
    bench = Bench(limits=BrokerLimits(queued=3, in_flight=2))
    display = bench.client("display")
    display.subscribe("cards")
    for number in range(10):
        bench.publish("cards", b"%d" % number, qos=1, packet_id=1)
    first = display.take()
    assert [each.payload for each in first] == [b"0", b"1"]
    for each in first:
        display.acknowledge(each.packet_id)
    assert numbers(display) == [2, 3]


def test_what_waits_with_qos_0_does_not_outlive_the_connection() -> None:
    bench = Bench()
    display = bench.client("display", **KEPT)
    display.subscribe("cards")
    display.congested(is_congested=True)
    bench.publish("cards", b"0", qos=0)
    bench.publish("cards", b"1", qos=1, packet_id=1)
    display.vanish()
    assert numbers(bench.client("display", **KEPT)) == [1]


def test_messages_too_large_for_the_client_do_not_fill_its_window() -> None:
    bench = Bench(limits=BrokerLimits(in_flight=3))
    display = bench.client("display", props={"maximum_packet_size": 100})
    display.subscribe("cards")
    for number in range(5):
        bench.publish("cards", b"x" * 200, qos=1, packet_id=1)
        bench.publish("cards", b"%d" % number, qos=1, packet_id=1)
    assert numbers(display) == [0, 1, 2]
    assert bench.core.lost_messages == 3


def test_overlapping_subscriptions_of_3_1_1_share_a_copy_of_their_highest_qos() -> None:
    bench = Bench()
    display = bench.client("display", V311)
    for topic_filter, qos in (("cards/#", 0), ("cards/+", 1), ("+/drawn", 0)):
        display.subscribe(Subscription(topic_filter=topic_filter, qos=qos))
    publisher = bench.client("publisher")
    publisher.publish("cards/drawn", qos=1, packet_id=1)
    assert display.only(Kind.PUBLISH).qos == 1


@pytest.mark.parametrize("waited", [0, 0.5, 1, 1.5, 9, 9.99, 10, 11])
def test_the_time_to_live_runs_down_to_the_second(waited: float) -> None:
    bench = Bench()
    display = bench.client("display", **KEPT)
    display.subscribe("cards", "state")
    display.vanish()
    bench.publish("cards", props={"message_expiry": 10}, qos=1, packet_id=1)
    bench.publish("state", props={"message_expiry": 10}, qos=1, packet_id=1, retain=True)
    bench.wait(waited)
    found = bench.client("display", **KEPT).take()
    newcomer = bench.client("newcomer")
    newcomer.subscribe("state")
    found += newcomer.take()
    if waited >= 10:
        assert found == []
    else:
        assert [each.properties["message_expiry"] for each in found] == [10 - int(waited)] * 3


def test_what_is_under_way_is_sent_again_though_its_time_is_over() -> None:
    bench = Bench()
    display = bench.client("display", **KEPT)
    display.subscribe("cards")
    bench.publish("cards", props={"message_expiry": 10}, qos=1, packet_id=1)
    display.only(Kind.PUBLISH)
    display.vanish()
    bench.wait(60)
    again = bench.client("display", **KEPT).only(Kind.PUBLISH)
    assert (again.dup, again.properties["message_expiry"]) == (True, 0)


@VERSIONS
def test_a_client_with_too_many_messages_under_way_is_disconnected(version: int) -> None:
    """MQTT 5 clients get the limit; those of 3.1.1 cannot fill the memory either."""
    bench = Bench(limits=BrokerLimits(in_flight=5, queued=5))
    bench.misbehaviour.withhold_acknowledgements()
    table = bench.client("table", version)
    assert table.connack is not None
    assert table.connack.properties.get("receive_maximum") == (5 if version == V5 else None)
    for packet_id in (1, 2, 3, 4, 5, 5, 1):
        table.publish("cards", qos=1, packet_id=packet_id)
    assert bench.core.online == {"table"}
    table.publish("cards", qos=1, packet_id=6)
    assert bench.core.online == frozenset()
    assert [each.reason for each in table.take()] == ([0x93] if version == V5 else [])


def test_a_congested_connection_waits_and_others_do_not() -> None:
    bench = Bench(limits=BrokerLimits(queued=10))
    slow, quick = bench.client("slow"), bench.client("quick")
    for each in (slow, quick):
        each.subscribe(Subscription(topic_filter="cards", qos=0))
    slow.congested(is_congested=True)
    for number in range(15):
        bench.publish("cards", b"%d" % number)
    slow.send(wire.PINGREQ)
    slow.only(Kind.PINGRESP)
    assert numbers(quick) == list(range(15))
    slow.congested(is_congested=False)
    assert numbers(slow) == list(range(10))
    assert bench.core.lost_messages == 5


def test_no_more_is_written_ahead_than_the_limit_and_nothing_is_lost() -> None:
    bench = Bench(limits=BrokerLimits(output_bytes=1000))
    table = bench.client("table")
    for number in range(100):
        table.send(wire.publish(f"state/{number}", b"x" * 100, retain=True))
    display = bench.open()
    bench.core.receive(display.number, wire.connect("display"), bench.now)
    everything = wire.subscribe(1, [Subscription(topic_filter="#")])
    bench.core.receive(display.number, everything, bench.now)
    sizes = []
    while outgoing := bench.core.to_send(bench.now):
        sizes += [len(each.data) for each in outgoing]
        for each in outgoing:
            display.hear(each.data, each.ending)
    assert max(sizes) < 1000 + 120
    assert sum(each.kind is Kind.PUBLISH for each in display.take()) == 100


def test_who_may_read_is_decided_for_each_message_even_while_the_client_is_away() -> None:
    access = AccessList([Rule("#", user="table"), Rule("public/#", user="display")], refuse_subscriptions=False)
    bench = Bench(users={"table": "1", "display": "2"}, access=access)
    display = bench.client("display", user="display", password="2", **KEPT)  # noqa: S106 - a test's
    assert display.subscribe("#") == (1,)
    display.vanish()
    table = bench.client("table", user="table", password="1")  # noqa: S106 - a test's
    for topic in ("secret/x", "public/x"):
        table.send(wire.publish(topic, topic.encode(), qos=1, packet_id=1, retain=True))
    display = bench.client("display", user="display", password="2", **KEPT)  # noqa: S106 - a test's
    assert display.payloads() == [b"public/x"]
    display.subscribe("secret/x", "public/x")
    assert display.payloads() == [b"public/x"]


def test_a_session_taken_on_by_another_user_may_read_what_that_user_may() -> None:
    access = AccessList([Rule("secret", user="supervisor"), Rule("fence")], refuse_subscriptions=False)
    bench = Bench(users={"supervisor": "1", "display": "2"}, access=access)
    bench.client("shared id", user="supervisor", password="1", **KEPT).subscribe("#")  # noqa: S106 - a test's
    display = bench.client("shared id", user="display", password="2", **KEPT)  # noqa: S106 - a test's
    supervisor = bench.client("other id", user="supervisor", password="1")  # noqa: S106 - a test's
    for topic in ("secret", "fence"):
        supervisor.publish(topic, topic.encode())
    assert display.payloads() == [b"fence"]


@given(st.binary(max_size=300), st.booleans(), st.integers(1, 300))
def test_no_bytes_harm_a_bystander(noise: bytes, introduced: bool, cut: int) -> None:  # noqa: FBT001 - drawn
    bench = Bench()
    bystander = bench.client("bystander", keep_alive=0)
    bystander.subscribe(Subscription(topic_filter="own/#", qos=1))
    offender = bench.client("offender") if introduced else bench.open()
    offender.take()
    for start in range(0, len(noise), cut):
        bench.core.receive(offender.number, noise[start : start + cut], bench.now)
    bench.wait(1000)
    bystander.take()
    bystander.publish("own/x", b"still here", qos=1, packet_id=7)
    taken = {each.kind: each for each in bystander.take()}
    assert taken[Kind.PUBACK].packet_id == 7
    assert taken[Kind.PUBLISH].payload == b"still here"
