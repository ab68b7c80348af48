"""Limits of requests: by client and role, and in all; a flood is reported once a minute, by user."""

from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.messages.requests import LONGEST_USER, RequestRole
from shoe_controller.mqtt.request_limits import (
    BURST,
    BURST_IN_ALL,
    FLOOD,
    MOST_CLIENTS,
    RATE,
    RATE_IN_ALL,
    REPORT_EVERY,
    RequestLimits,
)
from tests.mqtt.counter import TOPICS


class Gate:
    def __init__(self) -> None:
        self.now = 1000.0
        self.reported: list[str] = []
        self.limits = RequestLimits(TOPICS, lambda: self.now, self.reported.append)

    def sends(self, user: str, times: int, role: RequestRole = RequestRole.WAGERS) -> int:
        """How many of so many requests are served."""
        return sum(self.limits.admits(TOPICS.request(role, user, "x")) for _ in range(times))


def test_a_client_has_a_burst_and_then_a_rate_and_no_other_client_notices() -> None:
    gate = Gate()
    assert gate.sends("flooder", 10_000) == BURST
    for _ in range(5):
        gate.now += 1.0
        assert gate.sends("flooder", 10_000) == RATE
    assert gate.sends("honest", BURST) == BURST
    assert gate.sends("flooder", BURST, RequestRole.DISPLAY) == BURST, "a role has limits of its own"
    gate.now += 3600
    assert gate.sends("flooder", 10_000) == BURST


def test_all_clients_together_have_limits_too() -> None:
    gate = Gate()
    assert sum(gate.sends(f"user-{number}", BURST) for number in range(20)) == BURST_IN_ALL
    gate.now += 1.0
    assert sum(gate.sends(f"user-{number}", BURST) for number in range(20)) == RATE_IN_ALL


@given(st.lists(st.tuples(st.floats(0.0, 0.5), st.integers(1, 200)), max_size=50))
def test_never_more_than_burst_and_rate_whatever_the_moments(waves: list[tuple[float, int]]) -> None:
    gate = Gate()
    began = gate.now
    served = 0
    for pause, times in waves:
        gate.now += pause
        served += gate.sends("flooder", times)
        assert served <= BURST + RATE * (gate.now - began) + 1e-6


def test_a_flood_is_reported_by_its_user_and_at_most_once_a_minute() -> None:
    gate = Gate()
    gate.sends("hasty", BURST + FLOOD - 1)
    assert gate.reported == [], "a little too much is no flood"
    for _ in range(int(REPORT_EVERY)):
        gate.sends("flooder", 10_000)
        gate.now += 1.0
    assert gate.reported == ["flooder"]
    gate.sends("flooder", 10_000)
    assert gate.reported == ["flooder"] * 2


def test_names_without_end_take_no_memory() -> None:
    gate = Gate()
    for number in range(3 * MOST_CLIENTS):
        gate.sends(f"user-{number}", 1)
    assert len(gate.limits._clients) == MOST_CLIENTS  # noqa: SLF001 - what they would take


def test_what_is_no_request_passes_and_what_names_no_client_does_not() -> None:
    gate = Gate()
    assert all(gate.limits.admits(TOPICS.status) for _ in range(10_000))
    for user in ("", "u" * (LONGEST_USER + 1)):
        assert not gate.limits.admits(TOPICS.request(RequestRole.WAGERS, user, "place"))
