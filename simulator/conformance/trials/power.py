"""Trials that take the power away: what a shoe keeps, and how it begins (sections 3 and 6)."""

from itertools import pairwise

from firmware_protocol.native.messages import FrameType
from simulator.conformance.bench import Bench, Heard
from simulator.conformance.session import HeldEvent
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

STARTED_KIND = 0x01
AWAKE_EVERY = 1.0


@trial(
    "?kept",
    "?kept_total",
    "?kept_acknowledged",
    "?boot_id_new",
    "?started",
    "?age_of_earlier",
    "?stored_first",
    needs=Needs.POWER,
)
def power_cut(bench: Bench) -> None:
    """Events, total and the last acknowledgement survive a loss of power."""
    session = bench.holding(3)
    first, *_ = bench.received_events(session, 2)
    bench.acknowledge(session, first)
    session = bench.begin()
    bench.draw(1, "its event must survive a loss of power that follows at once")
    bench.hear(0.3)
    before = bench.status(session)
    events = dict(session.events)
    stored = bench.stored
    bench.take_power("what is not acknowledged must survive")
    came_back = bench.now()
    session = bench.begin()
    after = bench.status(session)
    bench.check(
        "?boot_id_new",
        len(bench.judge.boot_ids) > 1 and session.boot_id not in {e.boot_id for e in events.values()},
        "the boot id of the last power-up came again",
    )
    bench.check(
        "?kept_acknowledged",
        after.recognised,
        f"event {stored[1]}, acknowledged last, is not recognised after a loss of power",
    )
    bench.check(
        "?kept",
        after.oldest == before.oldest and after.upcoming >= before.upcoming,
        f"it held {before.oldest} to {before.upcoming - 1} before, and {after.oldest} to {after.upcoming - 1} after",
    )
    bench.check(
        "?kept_total",
        after.card_total == before.card_total,
        f"total {before.card_total} before, {after.card_total} after",
    )
    count = min(after.upcoming - after.oldest, 32)
    again = {event.sequence: event for event in bench.received_events(session, count)}
    changed = [
        number
        for number, event in events.items()
        if number >= after.oldest and _said(again.get(number)) != _said(event)
    ]
    bench.check("?kept", not changed, f"events {changed} are others after the loss of power")
    lost = [number for number in events if number >= before.oldest and number not in again]
    bench.check(
        "?stored_first", not lost, f"events {lost} were sent before the loss of power, and are not held after it"
    )
    fresh = [event for event in again.values() if event.sequence >= before.upcoming]
    bench.check(
        "?started", bool(fresh) and fresh[0].kind == STARTED_KIND, "the first event of the power-up is not STARTED"
    )
    old = [event for event in again.values() if event.sequence < before.upcoming]
    uptime = (bench.now() - came_back) * 1000
    young = [event.sequence for event in old if event.age > uptime + bench.stretched(60_000)]
    bench.check(
        "?age_of_earlier",
        not young,
        f"events {young} of an earlier power-up have an age that this power-up cannot know",
    )


def _said(event: HeldEvent | None) -> tuple[int, int, int, bytes] | None:
    return None if event is None else (event.boot_id, event.sequence, event.kind, event.fields)


@trial("?awake", "?awake_rate", "?awake_proof", "?dropped_without_session", needs=Needs.POWER)
def without_session(bench: Bench) -> None:
    """A shoe without a session says AWAKE, at most once a second."""
    old = bench.begin()
    stayed = bench.take_power("a shoe has no session after a power-up")
    heard = bench.hear(1.2)
    if stayed:
        bench.check("?awake", _awakes(heard) > 0, "no AWAKE at power-up")
    bench.send(old.seal(FrameType.ACK, bytes(8)))
    heard = bench.hear(1.2)
    bench.check("?awake", _awakes(heard) > 0, "no AWAKE on a sealed frame without a session")
    answered = [one.type for one in heard if one.type != FrameType.AWAKE]
    bench.check("?dropped_without_session", not answered, "a sealed frame without a session was answered")
    bench.hear(1.1)
    began = bench.now()
    times: list[float] = []
    while bench.now() < began + bench.stretched(2.5):
        bench.send(old.seal(FrameType.ACK, bytes(8)))
        times += [one.at for one in bench.frames(0.1) if one.type == FrameType.AWAKE]
    closest = min((later - earlier for earlier, later in pairwise(times)), default=AWAKE_EVERY)
    bench.check("?awake_rate", closest >= AWAKE_EVERY - 0.2, f"two AWAKEs within {closest:.2f} s")
    bench.hear(1.1)
    bench.send(old.proof)
    bench.check("?awake_proof", _awakes(bench.hear(0.5)) > 0, "no AWAKE on a PROOF that belongs to no CHALLENGE")
    session = bench.begin()
    bench.hear(1.1)
    bench.send(old.seal(FrameType.ACK, bytes(8)))
    bench.check("?awake_rate", _awakes(bench.hear(0.5)) == 0, "AWAKE in a session")
    if session.status is None:
        raise TrialEndedError("no session could be begun")


def _awakes(heard: list[Heard]) -> int:
    return sum(one.type == FrameType.AWAKE for one in heard)


TRIALS = (power_cut, without_session)
