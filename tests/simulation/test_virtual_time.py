"""Virtual time passes: no timer of a daemon can keep it standing still."""

import pytest

from tests.simulation.virtual_time import DaemonLoop, VirtualTime


@pytest.mark.parametrize("early", [0.0, 1e-9, 5.0])
def test_a_timer_that_is_due_already_takes_a_moment(early: float) -> None:
    """A rounding error once put a timer a hair before its deadline, which set it again, for ever."""
    time = VirtualTime()
    time.now = 10.0
    loop = DaemonLoop(time, [])  # type: ignore[abstract]  # as much of a loop as the daemon needs
    woken: list[float] = []
    loop.call_at(10.0 - early, lambda: woken.append(loop.time()))
    time.step()
    assert woken == [time.now]
    assert time.now > 10.0


def test_what_is_entered_for_one_moment_happens_in_the_order_of_entering() -> None:
    time, happened = VirtualTime(), []
    for number in range(20):
        time.at(1.0, lambda number=number: happened.append(number))  # type: ignore[misc]
    for _ in range(20):
        time.step()
    assert happened == list(range(20))
