"""A broker set to misbehave does exactly that, to the chosen clients alone, and behaves again when reset."""

import pytest

from simulator.broker import BrokerLimits, Ending, Reason
from tests.simulator.broker import wire
from tests.simulator.broker.bench import Bench
from tests.simulator.broker.wire import V5, V311, Kind, Subscription, Will

KEPT: wire.Properties = {"clean": False, "props": {"session_expiry": 100_000}}
VERSIONS = pytest.mark.parametrize("version", [V311, V5], ids=["3.1.1", "5"])


@VERSIONS
def test_withheld_acknowledgements_come_when_released(version: int) -> None:
    bench = Bench()
    display, table = bench.client("display"), bench.client("table", version)
    display.subscribe(Subscription(topic_filter="cards", qos=0))
    bench.misbehaviour.withhold_acknowledgements(client_id="table")
    for packet_id in (1, 2, 3):
        table.publish("cards", qos=1, packet_id=packet_id)
    assert table.take() == []
    assert len(display.payloads()) == 3
    bench.misbehaviour.behave()
    assert table.take() == []
    bench.core.release_acknowledgements()
    bench.flush()
    assert [(each.kind, each.packet_id) for each in table.take()] == [(Kind.PUBACK, number) for number in (1, 2, 3)]
    table.publish("cards", qos=1, packet_id=4)
    table.only(Kind.PUBACK)


def test_withheld_acknowledgements_die_with_their_connection() -> None:
    bench = Bench()
    bench.misbehaviour.withhold_acknowledgements()
    table = bench.client("table", **KEPT)
    table.publish("cards", qos=1, packet_id=1)
    bench.core.cut(bench.now, "table")
    bench.flush()
    table = bench.client("table", **KEPT)
    bench.core.release_acknowledgements()
    bench.flush()
    assert table.take() == []


@VERSIONS
def test_a_denied_message_is_refused_with_the_reason_given_and_goes_nowhere(version: int) -> None:
    bench = Bench()
    display, table = bench.client("display"), bench.client("table", version)
    display.subscribe(Subscription(topic_filter="#", qos=0))
    bench.misbehaviour.deny_publishes(Reason.QUOTA_EXCEEDED, topic_filter="cards/#", times=1)
    reasons = []
    for _ in range(2):
        table.publish("cards/drawn", qos=1, packet_id=1)
        reasons.append(table.only(Kind.PUBACK).reason)
    assert reasons == ([0x97, 0] if version == V5 else [0, 0])
    assert len(display.payloads()) == 1


def test_deliveries_are_delayed_in_their_order() -> None:
    bench = Bench()
    display, other = bench.client("display", keep_alive=0), bench.client("other", keep_alive=0)
    for each in (display, other):
        each.subscribe(Subscription(topic_filter="cards", qos=0))
    bench.misbehaviour.delay_deliveries(5, client_id="display")
    bench.publish("cards", b"1")
    bench.misbehaviour.behave()
    bench.wait(1)
    bench.publish("cards", b"2")
    assert other.payloads() == [b"1", b"2"]
    bench.wait(3.9)
    assert display.payloads() == []
    bench.wait(0.2)
    assert display.payloads() == [b"1", b"2"]


def test_a_delay_holds_up_nothing_but_deliveries() -> None:
    bench = Bench()
    watcher = bench.client("watcher", keep_alive=0)
    watcher.subscribe("gone")
    bench.misbehaviour.delay_deliveries(100, client_id="table")
    table = bench.client("table", will=Will(topic="gone"), props={"session_expiry": 10})
    table.subscribe("cards")
    bench.publish("cards", qos=1, packet_id=1)
    table.vanish()
    assert len(watcher.payloads()) == 1
    bench.wait(10.1)
    assert bench.core.sessions == {"watcher"}


@pytest.mark.parametrize("qos", [0, 1])
def test_a_dropped_delivery_was_acknowledged_and_never_comes(qos: int) -> None:
    bench = Bench()
    display, other, table = bench.client("display"), bench.client("other"), bench.client("table")
    for each in (display, other):
        each.subscribe(Subscription(topic_filter="cards", qos=qos))
    bench.misbehaviour.drop_deliveries(client_id="display", times=2)
    for number in range(4):
        table.publish("cards", b"%d" % number, qos=qos, packet_id=number + 1 if qos else None)
    assert [each.reason for each in table.take()] == [0] * 4 * qos
    assert display.payloads() == [b"2", b"3"]
    assert other.payloads() == [b"0", b"1", b"2", b"3"]


@pytest.mark.parametrize("qos", [0, 1])
def test_a_duplicated_delivery_comes_as_two_messages(qos: int) -> None:
    bench = Bench()
    display, table = bench.client("display"), bench.client("table")
    display.subscribe(Subscription(topic_filter="#", qos=qos))
    bench.misbehaviour.duplicate_deliveries(topic_filter="cards/#")
    for number, topic in enumerate(("cards/drawn", "rounds"), start=1):
        table.publish(topic, qos=qos, packet_id=number if qos else None)
    found = display.take()
    assert [each.topic for each in found] == ["cards/drawn", "cards/drawn", "rounds"]
    assert not any(each.dup for each in found)
    if qos:
        assert len({each.packet_id for each in found}) == 3


def test_orders_add_up_and_each_has_its_own_count() -> None:
    bench = Bench()
    display = bench.client("display")
    display.subscribe(Subscription(topic_filter="cards", qos=0))
    bench.misbehaviour.drop_deliveries(times=1)
    bench.misbehaviour.duplicate_deliveries(times=1)
    for number in range(3):
        bench.publish("cards", b"%d" % number)
    assert display.payloads() == [b"1", b"1", b"2"]


def test_a_retained_message_can_be_dropped_too() -> None:
    bench = Bench()
    bench.publish("state", b"x", retain=True)
    bench.misbehaviour.drop_deliveries(times=1)
    display = bench.client("display")
    display.subscribe("state")
    assert display.payloads() == []
    display.subscribe("state")
    assert display.payloads() == [b"x"]


def test_orders_that_make_no_sense_are_refused() -> None:
    orders = Bench().misbehaviour
    with pytest.raises(ValueError, match="not a topic filter"):
        orders.drop_deliveries(topic_filter="a/#/b")
    with pytest.raises(ValueError, match="does nothing"):
        orders.drop_deliveries(times=0)
    for reason in (Reason.SUCCESS, Reason.NO_MATCHING_SUBSCRIBERS, Reason.SESSION_TAKEN_OVER):
        with pytest.raises(ValueError, match=r"cannot refuse a message; these can: .*QUOTA_EXCEEDED"):
            orders.deny_publishes(reason)
    with pytest.raises(ValueError, match="does nothing"):
        orders.delay_deliveries(0)


def test_a_cut_is_silent_and_publishes_the_will() -> None:
    bench = Bench()
    watcher = bench.client("watcher")
    watcher.subscribe("gone")
    table, other = bench.client("table", will=Will(topic="gone")), bench.client("other")
    bench.core.cut(bench.now, "table")
    bench.flush()
    assert table.ending is Ending.AT_ONCE
    assert table.take() == []
    assert len(watcher.payloads()) == 1
    assert other.ending is None
    bench.core.cut(bench.now, "nobody")
    bench.core.cut(bench.now)
    bench.flush()
    assert bench.core.online == frozenset()


def test_a_stalled_broker_is_deaf_and_dumb_until_it_resumes() -> None:
    bench = Bench()
    display, table = bench.client("display", keep_alive=10), bench.client("table", keep_alive=10)
    watcher = bench.client("watcher", keep_alive=0)
    display.subscribe(Subscription(topic_filter="cards", qos=0))
    watcher.subscribe("gone")
    doomed = bench.client("doomed", will=Will(topic="gone"))
    bench.core.stall()
    assert bench.core.stalled
    table.publish("cards", qos=1, packet_id=1)
    doomed.vanish()
    newcomer = bench.open()
    newcomer.send(wire.connect("newcomer"))
    bench.wait(1000)
    assert bench.core.next_deadline() is None
    assert bench.core.online == {"display", "table", "watcher", "doomed"}
    assert [each.take() for each in (display, table, watcher, newcomer)] == [[], [], [], []]
    bench.core.resume(bench.now)
    bench.flush()
    table.only(Kind.PUBACK)
    newcomer.only(Kind.CONNACK)
    assert len(display.payloads()) == 1
    assert len(watcher.payloads()) == 1
    bench.wait(14)
    assert bench.core.online == {"display", "table", "watcher", "newcomer"}
    bench.wait(2)
    assert bench.core.online == {"watcher", "newcomer"}


def test_a_stalled_broker_can_still_be_cut_or_restarted() -> None:
    bench = Bench()
    table, display = bench.client("table"), bench.client("display")
    bench.core.stall()
    bench.core.cut(bench.now, "table")
    bench.flush()
    assert (table.ending, display.ending) == (Ending.AT_ONCE, None)
    display.publish("state", b"never read", qos=1, packet_id=1)
    bench.core.restart(bench.now)
    bench.flush()
    assert display.ending is Ending.AT_ONCE
    bench.client("table")


def test_a_forgotten_session_is_gone_with_its_connection() -> None:
    bench = Bench()
    for is_connected in (True, False):
        table = bench.client("table", clean=False, props={"session_expiry": 1000})
        table.subscribe("cards")
        if not is_connected:
            table.vanish()
        bench.core.forget_session("table", bench.now)
        bench.flush()
        assert bench.core.sessions == frozenset()
        if is_connected:
            assert table.ending is Ending.AT_ONCE
    bench.core.forget_session("nobody", bench.now)
    table = bench.client("table", clean=False)
    assert table.connack is not None
    assert not table.connack.session_present


@pytest.mark.parametrize("keep_sessions", [True, False])
@pytest.mark.parametrize("keep_retained", [True, False])
@pytest.mark.parametrize("orderly", [True, False])
def test_a_restart_keeps_what_it_is_told_to(keep_sessions: bool, keep_retained: bool, orderly: bool) -> None:  # noqa: FBT001 - a test's parameters
    bench = Bench(limits=BrokerLimits(in_flight=1))
    display = bench.client("display", **KEPT)
    display.subscribe("cards", "gone")
    bench.publish("state", b"open", retain=True)
    bench.publish("cards", b"under way", qos=1, packet_id=1)
    bench.publish("cards", b"waiting", qos=1, packet_id=1)
    display.only(Kind.PUBLISH)
    table = bench.client("table", will=Will(topic="gone", payload=b"will", qos=1))
    bench.core.restart(bench.now, keep_sessions=keep_sessions, keep_retained=keep_retained, orderly=orderly)
    bench.flush()
    assert (display.ending, table.ending) == (Ending.AT_ONCE, Ending.AT_ONCE)
    display = bench.client("display", **KEPT)
    assert display.connack is not None
    assert display.connack.session_present is keep_sessions
    found = []
    while messages := display.take():
        found += [(each.payload, each.dup) for each in messages]
        display.acknowledge(messages[0].packet_id)
    expected = [(b"under way", True), (b"waiting", False), *([(b"will", False)] if orderly else [])]
    assert found == (expected if keep_sessions else [])
    display.subscribe("state")
    assert display.payloads() == ([b"open"] if keep_retained else [])
