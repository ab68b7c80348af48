"""Events in order: whatever comes when, each is given once, and what is gone for good is not asked for for ever."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.mqtt.contract import Answer, ReplayDone
from shoe_controller.web.event_sequencer import ASK_AGAIN, MOST_WAITING, PATIENCE, EventSequencer

PRUNED = Answer(status="error", code="pruned", message="message 1 was pruned")


def event(seq: int) -> bytes:
    return msgspec.json.encode({"seq": seq})


def begun(after: int = 0) -> EventSequencer:
    events = EventSequencer()
    events.begin(after)
    return events


@given(st.permutations(range(1, 9)), st.lists(st.integers(1, 8)))
def test_events_in_any_order_and_twice_are_given_once_and_in_order(order: list[int], again: list[int]) -> None:
    events, given_out = begun(), []
    for seq in order + again:
        events.keep(event(seq))
        given_out += list(events.ready())
    assert given_out == [event(seq) for seq in range(1, 9)]
    assert not events.is_behind(8)


def test_nothing_is_given_before_it_is_known_where_to_begin() -> None:
    events = EventSequencer()
    events.keep(event(3))
    assert list(events.ready()) == []
    assert events.wanted(0.0, missing=True) is None
    events.begin(2)
    assert list(events.ready()) == [event(3)]


def test_there_is_always_room_for_the_one_that_is_next() -> None:
    events = begun()
    for seq in range(2, MOST_WAITING + 5):
        events.keep(event(seq))
    events.keep(event(1))
    assert len(list(events.ready())) == MOST_WAITING + 1


@pytest.mark.parametrize("oldest", [1, 2, 77, 250, 499, 500])
def test_what_was_pruned_is_given_up_and_what_is_left_is_found_in_a_few_questions(oldest: int) -> None:
    """Between two shoes the journal may hold less than a display asks for when it is switched on."""
    newest, events, asked = 500, begun(), 0
    now = 0.0
    while events.is_behind(newest):
        now += PATIENCE
        after = events.wanted(now, missing=True)
        if after is None:
            continue
        events.asked(now)
        asked += 1
        if after + 1 < oldest:
            events.answered(PRUNED, newest)
            continue
        for seq in range(after + 1, newest + 1):
            events.keep(event(seq))
        found = [msgspec.json.decode(payload)["seq"] for payload in events.ready()]
        assert found == list(range(after + 1, newest + 1))
        events.answered(Answer(status="ok", data=ReplayDone(sent=len(found), last=newest, newest=newest)), newest)
    assert events.have == newest
    assert asked <= 11


def test_whatever_else_is_refused_is_asked_again_later() -> None:
    events = begun()
    assert events.wanted(0.0, missing=True) is None, "it may still be on its way"
    assert events.wanted(PATIENCE, missing=True) == 0
    events.asked(PATIENCE)
    events.answered(Answer(status="error", code="journal_full"), 5)
    assert events.awaits(PATIENCE + 0.1)
    assert events.wanted(PATIENCE + ASK_AGAIN * 0.9, missing=True) is None
    assert events.wanted(PATIENCE + ASK_AGAIN, missing=True) == 0
    events.ask_anew()
    assert events.wanted(PATIENCE + ASK_AGAIN, missing=True) == 0
