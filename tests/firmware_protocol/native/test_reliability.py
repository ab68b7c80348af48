"""Every event once and in order: thousands over bad lines, and over restarts of either side at any moment.

Ten thousand over the worst line, and with LONG_TESTS=1 over each.
"""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.events import AnyShoeEvent
from firmware_protocol.link import EventGap
from firmware_protocol.native.event_layouts import cards_leaving
from firmware_protocol.native.messages import FrameType
from firmware_protocol.native.session import payload_of
from tests.firmware_protocol.native.events import any_event, table_events
from tests.firmware_protocol.native.line import Line, Weather

MANY = 10_000
FEWER = MANY if os.environ.get("LONG_TESTS") else 2_000
WEATHERS = {
    "fair": Weather(),
    "one byte": Weather(one_byte=True),
    "losing": Weather(loss=0.2),
    "duplicating": Weather(duplicate=0.3),
    "corrupting": Weather(corrupt=0.2),
    "slow": Weather(delay=(0.2, 1.4)),
    "overtaking": Weather(delay=(0.0, 0.05), overtaking=True),
    "slow journal": Weather(commit=(0.0, 2.5), dies_at_commit=0.02),
    "all at once": Weather(
        loss=0.1, duplicate=0.1, corrupt=0.05, delay=(0.0, 0.05), overtaking=True, dies_at_commit=0.05
    ),
}


def assert_each_once_and_in_order(line: Line, events: list[AnyShoeEvent]) -> None:
    """The journal holds what the shoe reported: the same events, in that order, with an unbroken card total."""
    assert [delivery.sequence for delivery in line.journal] == list(range(1, len(events) + 1))
    total = 0
    for delivery, event in zip(line.journal, events, strict=True):
        total += cards_leaving(event)
        stamped = getattr(delivery.event, "total", None)
        assert stamped in (None, total)
        assert type(delivery.event) is type(event)
        for field in event.__struct_fields__:
            assert field == "total" or getattr(delivery.event, field) == getattr(event, field)
    assert line.reports_of(EventGap) == [], "nothing was lost, so nothing is reported as lost"


def how_many(weather: str) -> int:
    return MANY if weather == "all at once" else FEWER


@pytest.mark.parametrize("weather", WEATHERS)
def test_thousands_of_events_arrive(weather: str) -> None:
    events = list(table_events(how_many(weather)))
    line = Line(seed=20, weather=WEATHERS[weather])
    line.plan(events)
    line.run_until(lambda: len(line.journal) >= len(events))
    line.run_for(60.0)
    assert_each_once_and_in_order(line, events)
    assert line.shoe.store.events == [], "all of it is acknowledged in the end"


def run_with_restarts(seed: int, weather: Weather, events: list[AnyShoeEvent], every: float) -> Line:
    """Restart one side or pull the cable about once in `every` things that happen."""
    line = Line(seed=seed, weather=weather)
    line.plan(events)
    while len(line.journal) < len(events):
        assert line.step(line.now + 1000.0), "both sides wait for ever"
        if line.random.random() * every < 1:
            line.random.choice([line.restart_controller, line.restart_shoe, line.replug])()
    line.run_for(60.0)
    return line


@pytest.mark.parametrize("weather", ["fair", "losing", "all at once"])
def test_thousands_of_events_arrive_over_restarts_at_any_moment(weather: str) -> None:
    events = list(table_events(how_many(weather)))
    line = run_with_restarts(31, WEATHERS[weather], events, every=200.0)
    assert_each_once_and_in_order(line, events)
    assert line.shoe.store.events == []


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    weather=st.sampled_from(sorted(WEATHERS)),
    events=st.lists(any_event(st.none()), max_size=40),
    every=st.sampled_from([5.0, 20.0, 100.0]),
)
def test_any_events_arrive_over_restarts_at_any_moment(
    seed: int, weather: str, events: list[AnyShoeEvent], every: float
) -> None:
    assert_each_once_and_in_order(run_with_restarts(seed, WEATHERS[weather], events, every), events)


def test_an_acknowledged_event_is_always_in_the_journal() -> None:
    """The one thing that must never be wrong, looked at on the wire: no ACK runs ahead of the journal."""
    line = Line(seed=5, weather=WEATHERS["all at once"])
    line.plan(table_events(500))
    seen = 0

    def watch(sender: str, data: bytes) -> bytes:
        nonlocal seen
        for body in line.sent["controller"][seen:]:
            seen += 1
            if body[0] == FrameType.ACK:
                sequence = int.from_bytes(payload_of(body)[4:8], "big")
                assert sequence <= len(line.journal)
        return data if sender else b""

    line.recording = True
    line.tap = watch
    while len(line.journal) < 500:
        assert line.step(line.now + 1000.0)
        if line.random.random() < 0.01:
            line.restart_controller()
    assert seen > 100


def test_the_same_seed_is_the_same_story() -> None:
    def story() -> list[bytes]:
        line = Line(seed=77, weather=WEATHERS["all at once"])
        line.recording = True
        line.plan(table_events(200))
        line.run_until(lambda: len(line.journal) == 200)
        return line.sent["shoe"] + line.sent["controller"]

    assert story() == story()
