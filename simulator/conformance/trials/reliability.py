"""Trials of section 6: events are kept until they are acknowledged, and sent again until then."""

from itertools import accumulate, pairwise

from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import ACK, NAK, FrameType
from simulator.conformance.bench import Bench, Heard
from simulator.conformance.session import HeldEvent, NastySession
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

LONGEST_WAIT = 2.0
WAITS = (0.25, 0.5, 1.0, 2.0, 2.0)
"""Seconds from one sending of an event to the next, if nothing is ever acknowledged."""
EARLY, LATE = 0.06, 0.2
"""Seconds by which a wait may be shorter or longer: what a line and a busy machine add."""
NAK_AFTER = 0.12
ATTEMPTS = 3
DAMAGED_ACKS = 60
STRANGE = 0x5EED_5EED
"""Added to a boot id, it makes one that no power-up of this shoe had."""
CARD_KINDS = range(0x10, 0x20)


def _strange(boot_id: int) -> int:
    return (boot_id + STRANGE) & 0xFFFFFFFF or 1


def _sent(heard: list[Heard], session: NastySession) -> list[int]:
    """Sequences of the events that came, in their order."""
    return [one.event.sequence for one in heard if one.type == FrameType.EVENT and one.session is session]


@trial("6.16", "6.15", "2.2", needs=Needs.CARDS)
def acknowledgements(bench: Bench) -> None:
    """An ACK deletes what it names and all before it, and nothing else."""
    session = bench.holding(3)
    events = bench.received_events(session, 3)
    before = bench.status(session)
    first, second, _ = events
    for what, name in (
        ("another boot id", (_strange(second.boot_id), second.sequence)),
        ("an event that is yet to come", (second.boot_id, before.upcoming + 5)),
        ("an event that is not held any more", (first.boot_id, before.oldest - 1)),
        ("no event", (0, 0)),
        ("no boot id", (0, second.sequence)),
    ):
        bench.send(session.seal(FrameType.ACK, ACK.pack(*name)))
        status = bench.status(session)
        bench.require("6.16", status.oldest == before.oldest, f"an ACK that names {what} deleted events")
    bench.acknowledge(session, second)
    status = bench.status(session)
    bench.check("6.15", status.oldest > first.sequence, "an ACK deleted nothing")
    exact = status.oldest == second.sequence + 1
    bench.check("6.15", exact, f"after an ACK of {second.sequence} the oldest event held is {status.oldest}")
    bench.check("6.15", status.upcoming >= before.upcoming, "an ACK lowered the next sequence")
    # Where an ACK of what is deleted already is taken, the shoe no more recognises what was acknowledged last.
    bench.send(session.acknowledgement(*first.name))
    kept = bench.begin(second.name).status
    deleted_nothing = kept is not None and kept.recognised
    what = "after an ACK of an event that is not held any more, the one acknowledged last was not recognised"
    bench.check("6.16", deleted_nothing, what)
    _check_appended(bench)


def _check_appended(bench: Bench) -> None:
    """An ACK to which a later version has appended fields counts as well."""
    session = bench.holding(1)
    (event,) = bench.received_events(session, 1)
    bench.send(session.seal(FrameType.ACK, ACK.pack(*event.name) + b"appended"))
    taken = bench.status(session).oldest > event.sequence
    bench.check("2.2", taken, "an ACK with appended fields deleted nothing")
    bench.acknowledge(session, event)


@trial("6.17", "6.18", "6.19", "6.56", needs=Needs.CARDS)
def recognition(bench: Bench) -> None:
    """The shoe says of the event in PROOF whether it recognises it."""
    last = bench.stored
    session = bench.holding(2, last)
    events = bench.received_events(session, 2)
    held = events[0]

    def begun(stored: tuple[int, int]) -> tuple[bool, int]:
        status = bench.begin(stored).status
        if status is None:
            raise TrialEndedError("no session could be begun")
        return status.recognised, status.oldest

    bench.check("6.17", begun((0, 0))[0], "a PROOF that names no event was not recognised")
    if last != (0, 0):
        bench.check("6.17", begun(last)[0], "the event acknowledged last was not recognised")
    for clause, what, name in (
        ("6.17", "another boot id", (_strange(held.boot_id), held.sequence)),
        ("6.17", "an event that is yet to come", (held.boot_id, held.sequence + 5000)),
        ("6.56", "a boot id alone", (held.boot_id, 0)),
        ("6.17", "a sequence alone", (0, held.sequence)),
    ):
        recognised, oldest = begun(name)
        bench.check(clause, not recognised, f"a PROOF that names {what} was recognised")
        bench.check("6.17", oldest == held.sequence, f"a PROOF that names {what} deleted events")
    _check_later_status(bench, recognised=False)
    unrecognised = bench.begin((held.boot_id, held.sequence + 5000))
    bench.acknowledge(unrecognised, held)
    _check_later_status(bench, recognised=False)
    held = events[1]
    recognised, oldest = begun(held.name)
    _check_later_status(bench, recognised=True)
    bench.stored = held.name
    bench.check("6.17", recognised, "an event that the shoe holds was not recognised")
    bench.check("6.18", oldest == held.sequence + 1, "an event that PROOF names did not count as acknowledged")
    bench.check("6.17", begun(held.name)[0], "the event acknowledged last, by PROOF, was not recognised")
    for what, name in (
        ("the sequence acknowledged last, with another boot id", (_strange(held.boot_id), held.sequence)),
        ("an event that was deleted before the last one", events[0].name),
    ):
        bench.check("6.17", not begun(name)[0], f"a PROOF that names {what} was recognised")


def _check_later_status(bench: Bench, *, recognised: bool) -> None:
    """The session's further STATUS say what its first one said: an answer, one to a DESIRE, the keep-alive."""
    session = bench.session
    if session is None:
        raise TrialEndedError("no session could be begun")
    said = [bench.status(session).recognised]
    bench.desire(session)
    said += [heard.status.recognised for heard in bench.hear(0.7) if _is_status(heard, session)]
    said.append(bench.status(session).recognised)
    bench.check("6.19", set(said) == {recognised}, "a later STATUS of the session says otherwise than the first")


def _is_status(heard: Heard, session: NastySession) -> bool:
    return heard.type == FrameType.STATUS and heard.session is session


@trial("3.18", "6.21", "6.23", "6.24", needs=Needs.CARDS)
def resends(bench: Bench) -> None:
    """What is not acknowledged is sent again: the oldest alone, then with each ACK twice as many."""
    session = bench.holding(7)
    bench.received_events(session, 5)
    first = list(session.events)
    bench.check("6.21", first == sorted(first), f"events came in the order {first}")
    oldest = first[0]
    status = session.status
    began_right = status is not None and oldest == status.oldest
    bench.check("3.18", status is not None, "events came without a STATUS before them")
    bench.require("6.21", began_right, f"a session began with event {oldest}, which is not the oldest held")
    again = _sent(bench.hear(LONGEST_WAIT + 0.5), session)
    bench.require("6.23", oldest in again, f"event {oldest} was not sent again within {LONGEST_WAIT + 0.5} s")
    # What the line has held up of the first sending comes before the second one.
    held_up = set(again[: again.index(oldest)]) - set(first)
    sent = set(again) - held_up
    bench.check("6.23", sent == {oldest}, f"after the wait events {sorted(sent)} were sent, not the oldest alone")
    bench.drop_waiting()
    bench.acknowledge(session, session.events[oldest])
    soon = min(bench.stretched(0.2), LONGEST_WAIT / 3)
    two = set(_sent(bench.hear(soon, exactly=True), session))
    right = two == {oldest + 1, oldest + 2}
    right = bench.check_part("6.24", right, f"after one ACK events {sorted(two)} were sent where two are allowed")
    if not right:
        return
    bench.acknowledge(session, session.events[oldest + 1])
    three = set(_sent(bench.hear(soon, exactly=True), session))
    right = three == {oldest + 3, oldest + 4, oldest + 5}
    bench.check("6.24", right, f"after a second ACK events {sorted(three)} were sent where four are allowed in all")


@trial("3.17", "6.25", "6.27", needs=Needs.CARDS)
def waits_after_acknowledgements(bench: Bench) -> None:
    """An ACK begins the wait anew and sets it back; a new session keeps neither allowance nor estimate."""
    bench.holding(8)
    session = bench.begin()
    (first,) = bench.received_events(session, 1)
    bench.acknowledge(session, first)
    bench.hear(0.02, exactly=True)
    _check_all_sent(bench, session, first.sequence, 8)
    bench.acknowledge(session, session.events[first.sequence + 1])
    estimate = _until_sent(bench, session, first.sequence + 2, LONGEST_WAIT + LATE)
    _check_set_back(bench, session, first.sequence + 2, estimate)
    session = bench.begin()
    bench.hear(0.15, exactly=True)
    _check_all_sent(bench, session, first.sequence + 3, 5)
    _check_without_estimate(bench, session, first.sequence + 3, estimate)


def _check_all_sent(bench: Bench, session: NastySession, oldest: int, number: int) -> None:
    sent = sorted(session.events)
    due = list(range(oldest, oldest + number))
    what = f"a new session began with events {sent}, where {due[0]} to {due[-1]} are held and 32 are allowed"
    if not bench.check_part("3.17", set(due) <= set(sent), what):
        raise TrialEndedError(what)


def _check_set_back(bench: Bench, session: NastySession, oldest: int, estimate: float) -> None:
    if estimate > WAITS[0] - EARLY:
        why = f"the shoe waited {estimate:.2f} s after prompt ACKs: no estimate that an ACK could set the wait back to"
        bench.findings.could_not_try(("6.27",), why)
        bench.acknowledge(session, session.events[oldest])
        return
    bench.hear(4 * WAITS[0], exactly=True)  # the wait has doubled to 0.4 s or more
    bench.acknowledge(session, session.events[oldest])
    _until_sent(bench, session, oldest + 1, LATE)
    waited = _until_sent(bench, session, oldest + 1, LONGEST_WAIT + LATE)
    right = waited <= estimate + LATE
    bench.check("6.27", right, f"the wait was {waited:.2f} s after an ACK, where the estimate was {estimate:.2f} s")


def _check_without_estimate(bench: Bench, session: NastySession, oldest: int, before: float) -> None:
    """Nothing is measured here, as every event is sent twice: an ACK leaves the wait, whatever the last session had."""
    # So often the oldest is sent again that the wait is another one than before.
    times = 1 if before > (WAITS[1] + WAITS[2]) / 2 else 2
    due, then_due = WAITS[times], WAITS[times + 1]
    for wait in WAITS[:times]:
        _until_sent(bench, session, oldest, wait + LATE)
    bench.acknowledge(session, session.events[oldest])
    _until_sent(bench, session, oldest + 1, LATE)
    waited = _until_sent(bench, session, oldest + 1, LONGEST_WAIT + LATE)
    is_left = due - EARLY <= waited <= due + LATE
    said = f"the wait was {waited:.2f} s after an ACK"
    if not is_left and abs(waited - before) > LATE / 2:
        raise TrialEndedError(f"{said}, where {due} s are due: the shoe measures events that it sent twice")
    bench.require("3.17", is_left, f"{said}, as in the session before: its estimate was kept")
    bench.acknowledge(session, session.events[oldest + 1])
    bench.hear(then_due / 2, exactly=True)
    bench.acknowledge(session, session.events[oldest + 2])
    waited = _until_sent(bench, session, oldest + 3, then_due + LATE)
    what = f"event {oldest + 3} was sent again {waited:.2f} s after an ACK that left it in flight, not {then_due} s"
    bench.check("6.25", waited >= then_due - EARLY, what)


def _until_sent(bench: Bench, session: NastySession, sequence: int, seconds: float) -> float:
    """Seconds from now until this event comes."""
    since = bench.now()
    for heard in bench.frames(seconds, exactly=True):
        if _is_event(heard, session) and heard.event.sequence == sequence and heard.at >= since:
            return heard.at - since
    raise TrialEndedError(f"event {sequence} was not sent again within {seconds:.1f} s")


@trial("6.26", parts=("6.25", "6.27"), needs=Needs.CARDS)
def waits(bench: Bench) -> None:
    """The wait begins with 0.25 s, doubles up to 2 s, and begins again with a NAK."""
    session = bench.holding(2)
    oldest = bench.received_events(session, 1)[0]
    times = [oldest.at]
    times += [
        heard.at for heard in bench.frames(sum(WAITS) + 1.0) if _is_event(heard, session) and _same(heard, oldest)
    ]
    waits = [later - earlier for earlier, later in pairwise(times)]
    said = ", ".join(f"{wait:.2f}" for wait in waits)
    bench.require("6.26", bool(waits), "the oldest event was not sent again")
    bench.check("6.26", _is_about(bench, waits[0], WAITS[0]), f"the first wait was {waits[0]:.2f} s")
    # Counted from the first sending: one frame that was late on its way makes the next wait look short.
    passed, due = accumulate(waits), accumulate(WAITS)
    right = len(waits) >= len(WAITS) and all(_is_about(bench, *pair) for pair in zip(passed, due, strict=False))
    bench.check_part("6.27", right, f"without any ACK the waits were {said} s")
    _wait_after_nak(bench)


def _wait_after_nak(bench: Bench) -> None:
    session = bench.begin()
    oldest = bench.received_events(session, 1)[0]
    bench.hear(NAK_AFTER, exactly=True)
    bench.send(session.seal(FrameType.NAK, NAK.pack(oldest.sequence)))
    times = [heard.at for heard in bench.frames(0.6) if _is_event(heard, session) and _same(heard, oldest)]
    if not bench.check_part("6.25", len(times) > 1, "after a NAK nothing was sent again by the wait"):
        return
    waited = times[1] - times[0]
    bench.check_part("6.25", _is_about(bench, waited, WAITS[0]), f"after a NAK it went back again in {waited:.2f} s")


def _is_about(bench: Bench, seconds: float, due: float) -> bool:
    return due - bench.stretched(EARLY) <= seconds <= due + bench.stretched(LATE)


def _is_event(heard: Heard, session: NastySession) -> bool:
    return heard.type == FrameType.EVENT and heard.session is session


def _same(heard: Heard, event: HeldEvent) -> bool:
    return heard.event.sequence == event.sequence


@trial("6.31", "6.32", needs=Needs.CARDS)
def missing_events(bench: Bench) -> None:
    """A NAK brings the events from there on again, or STATUS where that cannot be."""
    bench.holding(3)
    again: list[int] = []
    wanted: set[int] = set()
    for _ in range(ATTEMPTS):
        # On a busy machine the shoe's wait may run out before the NAK reaches it: then it counts as not sent.
        session = bench.begin()
        events = bench.received_events(session, 3)
        wanted = {events[1].sequence, events[2].sequence}
        bench.drop_waiting()
        bench.send(session.seal(FrameType.NAK, NAK.pack(events[1].sequence)))
        again = _sent(bench.hear(0.2), session)
        if wanted <= set(again):
            break
    bench.check_part(
        "6.31", wanted <= set(again), f"a NAK for the first of events {sorted(wanted)} brought events {again}"
    )
    for what, sequence in (("not held any more", events[0].sequence - 1), ("yet to come", events[0].sequence + 5000)):
        bench.status(session)
        answered = bench.answers_to(session.seal(FrameType.NAK, NAK.pack(sequence)))
        bench.check_part("6.32", bool(answered), f"no STATUS answers a NAK for an event that is {what}")
    _check_after_wait(bench, events[0].sequence)


def _check_after_wait(bench: Bench, oldest: int) -> None:
    """One event is in flight after the wait: a NAK for it allows no more, and one for the next is answered."""
    session = bench.begin()
    bench.received_events(session, 2)
    for heard in bench.frames(WAITS[0] + 0.3):
        if _is_event(heard, session) and heard.at > session.events[oldest + 1].at + EARLY:
            break
    else:
        raise TrialEndedError(f"event {oldest} was not sent again")
    bench.status(session)
    answered = bench.answers_to(session.seal(FrameType.NAK, NAK.pack(oldest + 1)))
    bench.check("6.32", bool(answered), "no STATUS answers a NAK for an event that counts as not sent")
    bench.drop_waiting()
    bench.send(session.seal(FrameType.NAK, NAK.pack(oldest)))
    again = set(_sent(bench.hear(0.2), session))
    bench.check("6.31", again == {oldest}, f"after the wait, a NAK for event {oldest} brought {sorted(again)}")


@trial("6.2", "6.7", "6.8", "6.9", "6.10", "7.3", needs=Needs.CARDS)
def totals(bench: Bench) -> None:
    """Every card adds one to the total, in its event and in STATUS together."""
    session = bench.empty()
    before = bench.status(session)
    bench.draw(2, "every card must be in the total, once")
    wrong: list[str] = []
    for heard in bench.frames(1.0):
        if heard.type == FrameType.STATUS and heard.session is session:
            _compare(session, heard, before.card_total, wrong)
    for heard in bench.answers_to(session.seal(FrameType.NAK, bytes(4))):
        if _is_status(heard, session):
            _compare(session, heard, before.card_total, wrong)
    bench.check("6.10", not wrong, "; ".join(wrong))
    left = bench.status(session).card_total - before.card_total
    # A shoe that sends fewer events at once than it is allowed to sends the rest as they are acknowledged.
    came = {**session.events, **bench.empty().events}
    events = [came[number] for number in sorted(came) if number >= before.upcoming]
    cards = [event for event in events if event.kind in CARD_KINDS]
    numbers = [int.from_bytes(event.fields[:4], "big") for event in cards]
    added = list(range(before.card_total + 1, before.card_total + 1 + len(cards)))
    bench.check("6.9", len(cards) >= 2 and numbers == added, f"totals {numbers} after {before.card_total}")
    bench.check("6.7", left >= 2, f"two cards were drawn, and the total rose by {left}")
    bench.check("6.8", len(cards) == left, f"{len(cards)} events report {left} cards")
    bench.check("7.3", len(cards) >= 2, f"two cards were drawn, and {len(cards)} events of kinds 10 to 1F came")
    sequences = [event.sequence for event in events]
    running = list(range(before.upcoming, before.upcoming + len(events)))
    bench.check("6.2", sequences == running, f"events {sequences} came where {before.upcoming} was next")


def _compare(session: NastySession, heard: Heard, base: int, wrong: list[str]) -> None:
    """A STATUS counts no card whose event is not below its next."""
    status = heard.status
    below = [
        event for event in session.events.values() if event.kind in CARD_KINDS and event.sequence < status.upcoming
    ]
    newest = max((int.from_bytes(event.fields[:4], "big") for event in below), default=base)
    known = set(range(status.oldest, status.upcoming)) <= set(session.events)
    if known and status.card_total != newest:
        wrong.append(f"STATUS with next {status.upcoming} has total {status.card_total}, its events {newest}")


@trial("6.3", "6.11", needs=Needs.CARDS)
def ages(bench: Bench) -> None:
    """The age of an event grows until it is acknowledged."""
    session = bench.holding(1)
    (first,) = bench.received_events(session, 1)
    resent = [heard.event for heard in bench.hear(1.0) if _is_event(heard, session)]
    for event in resent:
        if event.sequence == first.sequence:
            _check_age(bench, first, event)
    later = bench.begin()
    (again,) = bench.received_events(later, 1)
    same = (again.name, again.kind, again.fields) == (first.name, first.kind, first.fields)
    bench.require(
        "6.3", same, f"event {first.sequence} came as {again.sequence}, or with other bytes, in a new session"
    )
    _check_age(bench, first, again)


def _check_age(bench: Bench, first: HeldEvent, again: HeldEvent) -> None:
    passed = (again.at - first.at) * 1000
    grown = again.age - first.age
    right = abs(grown - passed) <= bench.stretched(300)
    bench.check("6.11", right, f"in {passed:.0f} ms an event's age grew by {grown} ms")


@trial("1.4", "4.5", "6.23", needs=Needs.CARDS)
def bad_line(bench: Bench) -> None:
    """A line on which most of what is sent is damaged costs time, and no event."""
    session = bench.holding(3)
    began = session.status
    if began is None:
        raise TrialEndedError("no session could be begun")
    for number in range(DAMAGED_ACKS):
        newest = max(session.events.values(), key=lambda event: event.sequence, default=None)
        bench.hear(0.1)
        if newest is None:
            continue
        wire = bytearray(encode_frame(session.acknowledgement(*newest.name)))
        if number % 3:
            wire[bench.random_bytes(1)[0] % (len(wire) - 1)] ^= 0x10
        else:
            session.acknowledged = newest.sequence
            bench.stored = newest.name
        bench.send_bytes(bench.random_bytes(30) + b"\0" + wire)
        if number % 3 == 0 and newest.sequence >= began.upcoming - 1:
            break
    status = bench.status(session)
    got = sorted(session.events)[: began.upcoming - began.oldest]
    every = list(range(began.oldest, began.upcoming))
    bench.check("6.23", got == every, f"events {every} were held, and {got} came over a bad line")
    deleted = status.oldest >= began.upcoming
    bench.check("1.4", deleted, "an ACK after garbage was not understood")
    bench.check("4.5", deleted, "an ACK was dropped because frames before it were lost")


@trial("6.22", needs=Needs.MANY_CARDS)
def window(bench: Bench) -> None:
    """At most 32 events are in flight, and a new session allows as many."""
    session = bench.holding(40)
    bench.received_events(session, 32)
    bench.hear(0.3)
    bench.check("6.22", len(session.events) == 32, f"{len(session.events)} events came where 32 are allowed")
    bench.empty()


TRIALS = (
    bad_line,
    acknowledgements,
    recognition,
    resends,
    waits_after_acknowledgements,
    waits,
    missing_events,
    totals,
    ages,
    window,
)
