"""Events in order: whatever comes when, each is given once, and what is gone for good is not requested for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.follow.event_sequencer import ASK_AGAIN, MOST_WAITING, PATIENCE, Event, EventSequencer
from shoe_controller.messages.refusals import JournalFull, Pruned
from shoe_controller.messages.requests import Answer, ReplayDone, refused


def event(seq: int) -> Event:
    return Event(seq, "card_dealt", "event/card", b"")


def begun(after: int = 0) -> EventSequencer:
    events = EventSequencer()
    events.begin(after)
    return events


def done(last: int, newest: int, after: int = 0) -> Answer:
    return Answer(status="ok", replay=ReplayDone(sent=last - after, last=last, oldest=1, newest=newest))


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


def test_after_pruned_it_goes_on_with_the_oldest_that_is_there() -> None:
    events = begun()
    events.asked(0.0)
    assert events.answered(refused(Pruned(oldest=77))) == 76
    assert events.have == 76
    assert events.wanted(0.0, missing=True) is None
    assert events.wanted(PATIENCE, missing=True) == 76, "at once, not after a while"


def test_what_came_meanwhile_is_not_passed_over_after_pruned() -> None:
    events = begun()
    events.asked(0.0)
    for seq in range(1, 81):
        events.keep(event(seq))
    assert len(list(events.ready())) == 80
    assert events.answered(refused(Pruned(oldest=77))) is None
    assert events.have == 80


def test_what_was_sent_and_did_not_arrive_is_requested_again() -> None:
    events = begun()
    events.asked(0.0)
    for seq in (1, 2, 4):
        events.keep(event(seq))
    assert len(list(events.ready())) == 2
    assert events.answered(done(last=4, newest=4)) is None
    assert events.wanted(0.1, missing=True) is None
    assert events.wanted(0.1 + PATIENCE, missing=True) == 2
    events.asked(1.0)
    assert events.answered(done(last=4, newest=4, after=2)) is None, "nothing at all arrived"
    assert events.wanted(1.0 + PATIENCE, missing=True) is None, "so the next request waits"
    assert events.wanted(1.0 + ASK_AGAIN, missing=True) == 2


def test_more_is_requested_at_once_when_the_answer_says_that_there_is_more() -> None:
    events = begun()
    events.asked(0.0)
    for seq in range(1, 6):
        events.keep(event(seq))
    assert len(list(events.ready())) == 5
    events.answered(done(last=5, newest=900))
    assert events.wanted(0.0, missing=True) == 5


def test_whatever_else_is_refused_is_requested_again_later() -> None:
    events = begun()
    assert events.wanted(0.0, missing=True) is None, "it may still be on its way"
    assert events.wanted(PATIENCE, missing=True) == 0
    events.asked(PATIENCE)
    events.answered(refused(JournalFull()))
    assert events.awaits(PATIENCE + 0.1)
    assert events.wanted(PATIENCE + ASK_AGAIN * 0.9, missing=True) is None
    assert events.wanted(PATIENCE + ASK_AGAIN, missing=True) == 0
    events.ask_anew()
    assert events.wanted(PATIENCE + ASK_AGAIN, missing=True) == 0


@pytest.mark.parametrize("oldest", [1, 2, 77, 250, 499, 500])
def test_what_is_left_is_found_with_one_more_request(oldest: int) -> None:
    """Between two shoes the journal may hold less than a display requests when it is switched on."""
    newest, events, requests, now = 500, begun(), 0, 0.0
    found: list[int] = []
    while events.is_behind(newest):
        now += PATIENCE
        after = events.wanted(now, missing=True)
        if after is None:
            continue
        events.asked(now)
        requests += 1
        if after + 1 < oldest:
            events.answered(refused(Pruned(oldest=oldest)))
            continue
        for seq in range(after + 1, newest + 1):
            events.keep(event(seq))
        found = [each.seq for each in events.ready()]
        events.answered(done(last=newest, newest=newest, after=after))
    assert found == list(range(oldest, newest + 1))
    assert requests <= 2
