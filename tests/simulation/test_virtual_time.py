"""Virtual time passes: no timer of a daemon can keep it standing still."""

import asyncio

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
    with time.passing():
        time.step()
    assert woken == [time.now]
    assert time.now > 10.0


def test_asyncio_knows_whose_step_it_is_and_that_nobody_takes_one_afterwards() -> None:
    time = VirtualTime()
    loops = [DaemonLoop(time, []) for _ in range(2)]  # type: ignore[abstract]  # as above
    running: list[asyncio.AbstractEventLoop] = []
    for loop in (loops[0], loops[1], loops[1], loops[0]):
        loop.call_soon(lambda: running.append(asyncio.get_running_loop()))
    with time.passing():
        for _ in range(4):
            time.step()
    assert running == [loops[0], loops[1], loops[1], loops[0]]
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


def test_what_is_entered_for_one_moment_happens_in_the_order_of_entering() -> None:
    time, happened = VirtualTime(), []
    for number in range(20):
        time.at(1.0, lambda number=number: happened.append(number))  # type: ignore[misc]
    for _ in range(20):
        time.step()
    assert happened == list(range(20))


def test_what_is_entered_for_now_comes_after_all_that_was_entered_for_now_before() -> None:
    time = VirtualTime()
    happened: list[str] = []

    def first() -> None:
        time.soon(lambda: happened.append("soon"))
        time.at(1.0, lambda: happened.append("at"))
        time.soon(lambda: happened.append("soon again"))

    time.at(1.0, first)
    time.at(1.0, lambda: happened.append("second"))
    time.at(2.0, lambda: happened.append("later"))
    for _ in range(6):
        time.step()
    assert happened == ["second", "soon", "at", "soon again", "later"]
