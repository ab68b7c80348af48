"""The trial of a full event store (section 6). It needs as many events as the shoe has places."""

from firmware_protocol.events import Fault, FaultCleared, FaultCode
from firmware_protocol.native.event_layouts import decode_event
from firmware_protocol.native.messages import WINDOW, ShoeStatus
from simulator.conformance.bench import Bench
from simulator.conformance.session import HeldEvent, NastySession
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

SMALLEST = 8
AT_A_TIME = 64
MOST = 2100
"""Events after which a store is taken to be too large to be filled here."""


@trial("6.5", "6.33", "6.34", "6.35", "6.36", "6.37", needs=Needs.MANY_CARDS)
def full_store(bench: Bench) -> None:
    """A full store says so, stops the shoe, counts what it loses, and recovers when half of it is empty."""
    status = _filled(bench)
    places = status.upcoming - status.oldest
    bench.check("6.33", places >= SMALLEST, f"the store was full with {places} events")
    _check_further_card(bench, status)
    _check_over_power(bench)
    last = _emptied(bench, places)
    decoded = decode_event(last.kind, last.fields)
    fault = isinstance(decoded, Fault) and decoded.code is FaultCode.EVENT_STORE_FULL and decoded.stopped
    what = f"the last event of the full store is of kind {last.kind:02X}, not the fault that stops the shoe"
    bench.check("6.34", fault, what)
    bench.empty()


def _filled(bench: Bench) -> ShoeStatus:
    """Have events made until the shoe says that its store is full; the STATUS that says so."""
    session = bench.empty()
    first = status = bench.status(session)
    while not status.store_full:
        if status.upcoming - first.upcoming > MOST:
            raise TrialEndedError(f"the store is not full after {MOST} events")
        bench.make_event(AT_A_TIME, "the event store is filled until it is full")
        before, status = status, bench.status(session)
        goes_on = status.store_full or status.upcoming > before.upcoming
        bench.require("6.37", goes_on, "no more events are stored, and STATUS does not say that it is full")
    bench.check("6.37", status.store_full, "")
    return status


def _check_further_card(bench: Bench, full: ShoeStatus) -> None:
    """A shoe that is full lets no card out; one that comes nevertheless is in the total alone."""
    try:
        bench.draw(1, "the store is full: no card should come out. Skip it if none does")
    except TrialEndedError as ended:
        bench.check("6.35", True, "")  # noqa: FBT003 - no card came
        bench.findings.could_not_try(("6.5",), str(ended))
        return
    status = bench.status(bench.session or bench.begin())
    alone = status.card_total == full.card_total + 1 and status.upcoming == full.upcoming
    what = f"a card found no place: total {full.card_total} became {status.card_total}, and next {status.upcoming}"
    bench.check("6.5", alone, what)
    bench.check("6.35", alone, what)


def _check_over_power(bench: Bench) -> None:
    try:
        bench.take_power("a full store must still be full after it")
    except TrialEndedError:
        return  # the trials of power say why; the store is emptied all the same
    status = bench.begin().status
    bench.check(
        "6.37", status is not None and status.store_full, "after a loss of power the store is not full any more"
    )


def _emptied(bench: Bench, places: int) -> HeldEvent:
    """Acknowledge everything, around the half event by event; the last event of the full store."""
    session = bench.begin()
    newest = bench.status(session).upcoming - 1
    last: HeldEvent | None = None
    cleared = False
    while last is None or session.acknowledged < newest:
        # Each time it goes on by an event at least, or ends here: a shoe that deletes nothing would keep it for ever.
        event = _next_to_acknowledge(bench, session, newest - places // 2)
        bench.acknowledge(session, event)
        status = bench.status(session)
        what = f"an ACK of event {event.sequence}, with the boot id that it was sent with, did not delete it"
        bench.require("6.15", status.oldest > event.sequence, what)
        last = session.events.get(newest, last)
        left = newest - event.sequence
        if left > places // 2:
            what = f"the store is said to have room while {left} of {places} places are taken"
            bench.check("6.36", status.store_full, what)
        elif not cleared:
            what = f"the store is still said to be full with {left} of {places} places taken"
            cleared = bench.check("6.36", not status.store_full, what)
    bench.hear(0.3)
    kinds = [decode_event(event.kind, event.fields) for event in session.events.values() if event.sequence > newest]
    stored = any(isinstance(event, FaultCleared) and event.code is FaultCode.EVENT_STORE_FULL for event in kinds)
    bench.check("6.36", stored, "no FAULT_CLEARED was stored when half the places were empty again")
    return last


def _next_to_acknowledge(bench: Bench, session: NastySession, half: int) -> HeldEvent:
    """In steps as large as events have come, but not over the half of the store."""
    for _ in range(WINDOW):
        status = bench.status(session)
        known = [number for number in session.events if number >= status.oldest]
        # The two around the half one by one: the fault must end there, not earlier and not later.
        known = [number for number in known if number == status.oldest or number < half - 1 or number > half + 1]
        run = [number for place, number in enumerate(sorted(known)) if number == status.oldest + place]
        if run:
            return session.events[run[-1]]
        bench.hear(0.3)
    raise TrialEndedError("the events of the full store are not sent, though they are acknowledged")


TRIALS = (full_store,)
