"""The trial of a full event store (section 6). It needs as many events as the shoe has places."""

from firmware_protocol.events import Fault, FaultCleared, FaultCode
from firmware_protocol.native.event_layouts import decode_event
from simulator.conformance.bench import Bench
from simulator.conformance.session import HeldEvent
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

SMALLEST = 8
AT_A_TIME = 64
MOST = 2100
"""Events after which a store is taken to be too large to be filled here."""


@trial("?store_size", "?full_fault", "?full_flag", "?full_total", "?full_cleared", needs=Needs.MANY_CARDS)
def full_store(bench: Bench) -> None:
    """A full store says so, stops the shoe, counts what it loses, and recovers when half of it is empty."""
    session = bench.empty()
    empty = bench.status(session)
    while not bench.status(session).store_full:
        if bench.status(session).upcoming - empty.upcoming > MOST:
            raise TrialEndedError(f"the store is not full after {MOST} events")
        before = bench.status(session).upcoming
        bench.make_event(AT_A_TIME, "the event store is filled until it is full; stop when the shoe says so")
        status = bench.status(session)
        if status.upcoming == before and not status.store_full:
            bench.findings.fail("?full_flag", "the shoe stores no more events, and does not say that its store is full")
            raise TrialEndedError("the store takes no more events")
    status = bench.status(session)
    places = status.upcoming - status.oldest
    bench.check("?full_flag", status.store_full, "")
    bench.check("?store_size", places >= SMALLEST, f"the store was full with {places} events")
    _total_goes_on(bench, status.card_total, status.upcoming)
    last = _emptied_to_half(bench, places)
    bench.empty()
    decoded = decode_event(last.kind, last.fields)
    fault = isinstance(decoded, Fault) and decoded.code is FaultCode.EVENT_STORE_FULL and decoded.stopped
    bench.check(
        "?full_fault",
        fault,
        f"the last event of the full store is of kind {last.kind:02X}, not the fault that stops the shoe",
    )


def _total_goes_on(bench: Bench, total: int, upcoming: int) -> None:
    """A card that leaves a full store is in the total alone. A shoe that lets none out has nothing to count."""
    try:
        bench.draw(1, "a card that finds no place in the store must be in the total; answer `cannot` if none comes out")
    except TrialEndedError as ended:
        bench.findings.could_not_try(("?full_total",), str(ended))
        return
    session = bench.session or bench.begin()
    status = bench.status(session)
    counted = status.card_total == total + 1 and status.upcoming == upcoming
    bench.check(
        "?full_total",
        counted,
        f"a card that found no place: total {total} is {status.card_total}, next {upcoming} is {status.upcoming}",
    )


def _emptied_to_half(bench: Bench, places: int) -> HeldEvent:
    """Acknowledge event by event; return the one that was the last of the full store."""
    session = bench.begin()
    newest = bench.status(session).upcoming - 1
    cleared: list[int] = []
    last: HeldEvent | None = None
    while True:
        status = bench.status(session)
        held = status.upcoming - status.oldest
        _full_as_long_as_it_must(bench, held=held, places=places, full=status.store_full)
        for event in session.events.values():
            if isinstance(decode_event(event.kind, event.fields), FaultCleared) and event.sequence not in cleared:
                cleared.append(event.sequence)
        last = session.events.get(newest, last)
        if not held or (last is not None and status.oldest > newest):
            break
        oldest = session.events.get(status.oldest)
        if oldest is None:
            bench.hear(0.05)
            continue
        # In large steps at first, then one by one around the half.
        step = max(1, (held - places // 2 - 2)) if held > places // 2 + 2 else 1
        known = [
            session.events[number]
            for number in range(status.oldest, status.oldest + min(step, 32))
            if number in session.events
        ]
        bench.acknowledge(session, known[-1])
    bench.check("?full_cleared", bool(cleared), "no FAULT_CLEARED was stored when half the places were empty again")
    if last is None:
        raise TrialEndedError("the last event of the full store was never sent")
    return last


def _full_as_long_as_it_must(bench: Bench, *, held: int, places: int, full: bool) -> None:
    if held > places // 2 + 2:
        bench.check("?full_cleared", full, f"the store is said to have room while {held} of {places} places are taken")
    elif held < places // 2 - 1:
        bench.check(
            "?full_cleared", not full, f"the store is said to be full while {held} of {places} places are taken"
        )


TRIALS = (full_store,)
