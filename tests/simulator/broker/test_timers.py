"""The timer queue against the plainest thing that could do its work: a dictionary searched from end to end."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.broker.timers import TimerQueue

THINGS, TIMES = st.sampled_from("abcd"), st.integers(0, 20)
ACTS = st.lists(st.tuples(st.sampled_from(["schedule", "remove", "due"]), THINGS, TIMES), max_size=60)


@given(ACTS)
def test_it_keeps_the_earliest_time_of_each_thing(acts: list[tuple[str, str, int]]) -> None:
    timers: TimerQueue[str] = TimerQueue()
    plain: dict[str, int] = {}
    for act, thing, when in acts:
        if act == "schedule":
            timers.schedule(thing, when)
            plain[thing] = min(when, plain.get(thing, when))
        elif act == "remove":
            timers.remove(thing)
            plain.pop(thing, None)
        else:
            taken = list(timers.due(when))
            assert [plain[each] for each in taken] == sorted(plain[each] for each in taken)
            assert sorted(taken) == sorted(each for each, time in plain.items() if time <= when)
            plain = {each: time for each, time in plain.items() if time > when}
        assert timers.next_time() == min(plain.values(), default=None)


def test_a_thing_scheduled_while_looking_is_looked_at_again_if_it_is_due() -> None:
    timers: TimerQueue[str] = TimerQueue()
    timers.schedule("a", 1)
    seen = []
    for thing in timers.due(3):
        seen.append(thing)
        timers.schedule(thing, len(seen) + 1)
    assert seen == ["a", "a", "a"]
    assert timers.next_time() == 4
