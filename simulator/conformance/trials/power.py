"""Trials that take the power away: what a shoe keeps, and how it begins (sections 3, 6 and 8)."""

from itertools import pairwise
from typing import NamedTuple

from firmware_protocol.native.messages import WINDOW, FrameType, ShoeStatus
from simulator.conformance.bench import Bench, Heard
from simulator.conformance.line import Doing
from simulator.conformance.session import HeldEvent, NastySession
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

STARTED_KIND = 0x01
AWAKE_EVERY = 1.0
TOLERANCE = 0.2
"""Seconds by which two AWAKEs may be closer to each other than the shoe sent them."""
AGE_AFTER = 1.5
"""Seconds after a power-up in which the ages of earlier events must have grown."""
OLDER = 1.5
"""Seconds that an event has at least been there when the power goes: its age must not tell of them."""


class _Before(NamedTuple):
    """What a shoe held when its power was taken away."""

    status: ShoeStatus
    events: dict[int, HeldEvent]
    stored: tuple[int, int]
    asked_at: float


@trial("3.6", "6.1", "6.2", "6.3", "6.4", "6.7", "6.12", "6.20", needs=Needs.POWER)
def power_cut(bench: Bench) -> None:
    """Events, total and the last acknowledgement survive a loss of power."""
    session = bench.holding(3)
    first, *_ = bench.received_events(session, 2)
    bench.acknowledge(session, first)
    session = bench.begin()
    bench.draw(1, "its event must survive a loss of power")
    bench.hear(OLDER)
    status = bench.status(session)
    before = _Before(status, dict(session.events), bench.stored, bench.now())
    bench.take_power("what is not acknowledged must survive it")
    session = bench.begin()
    after = session.status
    if after is None:
        raise TrialEndedError("no session could be begun after the power-up")
    known = {event.boot_id for event in before.events.values()}
    bench.check("3.6", session.boot_id not in known, "the boot id of an earlier power-up came again")
    what = f"event {before.stored[1]}, acknowledged last, is not recognised after a loss of power"
    bench.check("6.20", after.recognised, what)
    totals = f"total {status.card_total} before the loss of power, {after.card_total} after it"
    bench.check("6.7", after.card_total == status.card_total, totals)
    _check_events(bench, session, before, after)
    _check_ages(bench, status, bench.now())


def _check_ages(bench: Bench, before: ShoeStatus, on_at: float) -> None:
    """Events of an earlier power-up are at least as old as this one."""
    bench.hear(AGE_AFTER)
    session = bench.begin()
    status = bench.status(session)
    for event in bench.received_events(session, min(status.upcoming - status.oldest, WINDOW)):
        if event.sequence < before.upcoming:
            least = (event.at - on_at) * 1000 - TOLERANCE * 1000
            what = f"event {event.sequence} of an earlier power-up is {event.age} ms old, {least:.0f} ms after this one"
            bench.check("6.12", event.age >= least, what)


def _check_events(bench: Bench, session: NastySession, before: _Before, after: ShoeStatus) -> None:
    status = before.status
    runs_on = after.oldest == status.oldest and after.upcoming >= status.upcoming
    held = f"events {status.oldest} to {status.upcoming - 1} were held, {after.oldest} to {after.upcoming - 1} are"
    bench.check("6.2", runs_on, f"after a loss of power: {held}")
    events = bench.received_events(session, min(after.upcoming - after.oldest, WINDOW))
    again = {event.sequence: event for event in events}
    seen = {number: event for number, event in before.events.items() if number >= status.oldest}
    lost = [number for number in seen if number not in again]
    bench.check("6.1", not lost, f"events {lost} were sent before the loss of power, and are not held after it")
    changed = [number for number, event in seen.items() if number in again and _said(again[number]) != _said(event)]
    bench.check("6.3", not changed, f"events {changed} are others after the loss of power")
    fresh = [event for event in events if event.sequence >= status.upcoming]
    bench.check("6.4", bool(fresh) and fresh[0].kind == STARTED_KIND, "the first event of the power-up is not STARTED")
    most = (bench.now() - before.asked_at) * 1000 + bench.stretched(300)
    too_old = [number for number, event in again.items() if number in seen and event.age > most]
    bench.check_part("6.12", not too_old, f"events {too_old} of an earlier power-up are older than the current one")


def _said(event: HeldEvent) -> tuple[int, int, int, bytes]:
    return event.boot_id, event.sequence, event.kind, event.fields


@trial("3.20", "3.21", "3.22", "9.1", needs=Needs.POWER)
def without_session(bench: Bench) -> None:
    """A shoe without a session says AWAKE, at most once a second."""
    old = bench.begin()
    stayed = bench.take_power("a shoe has no session after a power-up")
    at_power_up = _awakes(bench.hear(1.2))
    if at_power_up or stayed:
        bench.check("3.20", bool(at_power_up), "no AWAKE at power-up")
    else:
        bench.findings.could_not_try(("3.20",), "the line was closed while the shoe powered up")
    bench.send(old.seal(FrameType.ACK, bytes(8)))
    heard = bench.hear(1.2)
    bench.check("3.21", bool(_awakes(heard)), "no AWAKE on a sealed frame without a session")
    answered = [one.type for one in heard if one.type != FrameType.AWAKE]
    bench.check("9.1", not answered, "a sealed frame without a session was answered")
    _check_rate(bench, old)
    bench.hear(1.1)
    bench.send(old.proof)
    bench.check("3.21", bool(_awakes(bench.hear(0.5))), "no AWAKE on a PROOF that belongs to no CHALLENGE")
    bench.begin()
    bench.hear(1.1)
    bench.send(old.seal(FrameType.ACK, bytes(8)), old.proof)
    bench.check("3.22", not _awakes(bench.hear(0.5)), "AWAKE was sent in a session")


def _check_rate(bench: Bench, old: NastySession) -> None:
    bench.hear(1.1)
    until = bench.now() + bench.stretched(2.5)
    times: list[float] = []
    while bench.now() < until:
        bench.send(old.seal(FrameType.ACK, bytes(8)))
        times += _awakes(bench.hear(0.1))
    closest = min((later - earlier for earlier, later in pairwise(times)), default=AWAKE_EVERY)
    bench.check("3.21", closest >= AWAKE_EVERY - TOLERANCE, f"two AWAKEs within {closest:.2f} s")


def _awakes(heard: list[Heard]) -> list[float]:
    return [one.at for one in heard if one.type == FrameType.AWAKE]


@trial("8.6", "5.10", needs=Needs.POWER)
def silence_from_power_up(bench: Bench) -> None:
    """The first silence is counted from power-up."""
    seconds = bench.settings.silence
    if seconds is None:
        raise TrialEndedError("this shoe does not lock its gate by silence (--silence 0)")
    bench.take_power("no controller speaks to it for a while then")
    bench.hear(seconds + 1.0)
    session = bench.begin()
    status = session.status
    locked = status is not None and status.gate_locked_by_silence
    bench.check("8.6", locked, f"no gate was locked {seconds + 1.0:.1f} s after a power-up without a controller")
    dark = bench.see(Doing.SEE_LAMPS, "Are all lamps off?")
    bench.check("5.10", dark, "a lamp was on before the first DESIRE")


TRIALS = (power_cut, without_session, silence_from_power_up)
