"""Sessions: they end when nobody touches the page, when their time is over, and when somebody ends them."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.web.sessions import LONGEST, MOST_SESSIONS, Sessions, has_token

IDLE = 600.0


class Bench:
    def __init__(self) -> None:
        self.now = 0.0
        numbers = itertools.count(1)
        self.sessions: Sessions[str] = Sessions(
            idle=IDLE, clock=lambda: self.now, new_token=lambda: f"token-{next(numbers)}"
        )


def test_whoever_has_the_secret_is_known_and_nobody_else() -> None:
    bench = Bench()
    secret, session = bench.sessions.begin("anita")
    assert bench.sessions.find(secret) is session
    for other in (None, "", session.token, secret + "x", "\ud800"):
        assert bench.sessions.find(other) is None


def test_the_token_is_not_the_secret_and_no_two_are_alike() -> None:
    bench = Bench()
    begun = [bench.sessions.begin(person) for person in ("anita", "anita", "rana")]
    assert len({each.secret for each in begun} | {each.session.token for each in begun}) == 6
    session = begun[0].session
    assert has_token(session, session.token)
    for other in (None, "", begun[0].secret, begun[1].session.token, "\ud800"):
        assert not has_token(session, other)


@given(st.lists(st.floats(1, IDLE * 1.5), max_size=60))
def test_a_session_lives_as_long_as_somebody_touches_it_and_no_longer_than_a_shift(pauses: list[float]) -> None:
    bench = Bench()
    secret, session = bench.sessions.begin("anita")
    alive = True
    for pause in pauses:
        bench.now += pause
        alive = alive and pause < IDLE and bench.now < LONGEST
        assert (bench.sessions.find(secret) is session) == alive
        if alive:
            bench.sessions.touch(session)


def test_looking_does_not_keep_a_session_alive() -> None:
    bench = Bench()
    secret, _ = bench.sessions.begin("anita")
    for _ in range(10):
        bench.now += IDLE / 8
        found = bench.sessions.find(secret)
    assert found is None


def test_a_session_that_ended_stays_ended() -> None:
    bench = Bench()
    secret, session = bench.sessions.begin("anita")
    bench.sessions.end(session)
    assert bench.sessions.find(secret) is None
    bench.sessions.touch(session)
    assert bench.sessions.find(secret) is None
    assert not bench.sessions.lives(session)


def test_there_are_only_so_many_and_whoever_was_idle_longest_goes() -> None:
    bench = Bench()
    begun = []
    for number in range(MOST_SESSIONS):
        bench.now += 1
        begun.append(bench.sessions.begin(f"p{number}"))
    bench.sessions.touch(begun[0].session)
    bench.now += 1
    newest = bench.sessions.begin("newest")
    assert bench.sessions.find(newest.secret) is newest.session
    assert bench.sessions.find(begun[0].secret) is not None
    assert bench.sessions.find(begun[1].secret) is None
