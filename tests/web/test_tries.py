"""Wrong tries: pauses that grow, an address that is locked out, and nobody elsewhere who has to wait for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.web.tries import (
    FIRST_PAUSE,
    FORGOTTEN_AFTER,
    FREE,
    LOCK_OUT,
    LONGEST_PAUSE,
    MOST_KEPT,
    MOST_OF_ADDRESS,
    Tries,
    network_of,
)

HERE, ELSEWHERE = "192.0.2.7", "192.0.2.8"


def tried(count: int, address: str = HERE, person: str = "rana", now: float = 0.0) -> Tries:
    tries = Tries()
    for _ in range(count):
        tries.wrong(address, person, now)
    return tries


def test_the_first_tries_are_free_and_then_each_pause_is_twice_as_long() -> None:
    assert tried(FREE).wait(HERE, "rana", 0.0) == 0
    pauses = [tried(FREE + more).wait(HERE, "rana", 0.0) for more in range(1, 12)]
    assert pauses[:4] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE, 8 * FIRST_PAUSE]
    assert pauses[-1] == LONGEST_PAUSE


def test_a_pause_is_over_when_its_time_is() -> None:
    tries = tried(FREE + 1)
    assert tries.wait(HERE, "rana", FIRST_PAUSE / 2) == FIRST_PAUSE / 2
    assert tries.wait(HERE, "rana", FIRST_PAUSE) == 0


def test_a_stranger_at_one_address_keeps_nobody_waiting_at_another() -> None:
    tries = tried(500)
    assert tries.wait(HERE, "rana", 1.0) > 0
    assert tries.wait(ELSEWHERE, "rana", 1.0) == 0


def test_an_address_is_locked_out_for_everybody_once_it_has_tried_too_much() -> None:
    tries = Tries()
    for number in range(MOST_OF_ADDRESS):
        assert tries.locked_out(HERE, 0.0) == 0
        tries.wrong(HERE, f"person{number}", 0.0)
    assert tries.wait(HERE, "somebody-new", 1.0) == LOCK_OUT - 1
    assert tries.wait(ELSEWHERE, "person1", 1.0) == 0
    assert tries.wait(HERE, "somebody-new", LOCK_OUT) == 0
    tries.wrong(HERE, "rana", LOCK_OUT)
    assert tries.locked_out(HERE, LOCK_OUT) == 0, "what was long ago does not count with it"


def test_the_right_password_clears_the_person_and_not_the_address() -> None:
    tries = tried(MOST_OF_ADDRESS - 1)
    tries.right(HERE, "rana")
    assert tries.wait(HERE, "rana", 0.0) == 0
    tries.wrong(HERE, "shah", 0.0)
    assert tries.locked_out(HERE, 0.0) == LOCK_OUT


def test_tries_of_a_person_are_forgotten_after_a_while() -> None:
    tries = tried(FREE + 5)
    tries.wrong(HERE, "rana", FORGOTTEN_AFTER)
    assert tries.wait(HERE, "rana", FORGOTTEN_AFTER) == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::7", "2001:db8:1:2:ffff::1", True),
        ("2001:db8:1:2::7", "2001:db8:1:3::7", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("", "192.0.2.7", False),
    ],
)
def test_the_network_of_one_subscriber_is_one_address(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - a row
    assert (network_of(one) == network_of(other)) is same


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(0, 2000)), max_size=80))
def test_nobody_waits_longer_than_the_lock_out_and_only_after_wrong_tries(steps: list[tuple[int, int, float]]) -> None:
    tries, now = Tries(), 0.0
    tried: set[int] = set()
    for address, person, later in steps:
        now += later
        assert 0 <= tries.wait(f"192.0.2.{address}", f"p{person}", now) <= LOCK_OUT
        tries.wrong(f"192.0.2.{address}", f"p{person}", now)
        tried.add(address)
    for address in set(range(4)) - tried:
        assert tries.wait(f"192.0.2.{address}", "p0", now) == 0


def test_a_crowd_of_addresses_fills_no_memory() -> None:
    tries = Tries()
    for number in range(MOST_KEPT + 100):
        tries.wrong(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", "rana", 0.0)
    assert max(len(kept) for kept in vars(tries).values()) == MOST_KEPT
