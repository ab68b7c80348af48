"""Trials of section 6: events are kept until they are acknowledged, and sent again until then."""

from firmware_protocol.native.messages import ACK, NAK, FrameType
from simulator.conformance.bench import Bench, Heard
from simulator.conformance.session import NastySession
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

LONGEST_WAIT = 2.0
STRANGE = 0x5EED_5EED
"""Added to a boot id, it makes one that no power-up of this shoe had."""
CARD_KINDS = range(0x10, 0x20)


def _strange(boot_id: int) -> int:
    return (boot_id + STRANGE) & 0xFFFFFFFF or 1


def _sent(heard: list[Heard], session: NastySession) -> list[int]:
    """Sequences of the events that came, in their order."""
    return [one.event.sequence for one in heard if one.type == FrameType.EVENT and one.session is session]


@trial("?ack_not_held", "?ack_deletes", "?ack_all_below", needs=Needs.CARDS)
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
        bench.require("?ack_not_held", status.oldest == before.oldest, f"an ACK that names {what} deleted events")
    bench.acknowledge(session, second)
    status = bench.status(session)
    bench.check("?ack_deletes", status.oldest > first.sequence, "an ACK deleted nothing")
    exact = status.oldest == second.sequence + 1
    bench.check("?ack_all_below", exact, f"after an ACK of {second.sequence} the oldest event held is {status.oldest}")
    bench.check("?ack_deletes", status.upcoming >= before.upcoming, "an ACK lowered the next sequence")


@trial(
    "?recognised_none", "?recognised_last", "?recognised_held", "?not_recognised", "?every_status", needs=Needs.CARDS
)
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

    bench.check("?recognised_none", begun((0, 0))[0], "a PROOF that names no event was not recognised")
    if last != (0, 0):
        bench.check("?recognised_last", begun(last)[0], "the event acknowledged last was not recognised")
    for what, name in (
        ("another boot id", (_strange(held.boot_id), held.sequence)),
        ("an event that is yet to come", (held.boot_id, held.sequence + 5000)),
        ("a boot id alone", (held.boot_id, 0)),
        ("a sequence alone", (0, held.sequence)),
    ):
        recognised, oldest = begun(name)
        bench.check("?not_recognised", not recognised, f"a PROOF that names {what} was recognised")
        bench.check("?not_recognised", oldest == held.sequence, f"a PROOF that names {what} deleted events")
    later = [bench.status(bench.session).recognised for _ in range(2)] if bench.session else []
    bench.check("?every_status", not any(later), "a later STATUS of the session says otherwise than the first")
    recognised, oldest = begun(held.name)
    bench.stored = held.name
    bench.check("?recognised_held", recognised, "an event that the shoe holds was not recognised")
    bench.check(
        "?recognised_held", oldest == held.sequence + 1, "an event that PROOF names did not count as acknowledged"
    )
    bench.check("?recognised_last", begun(held.name)[0], "the event acknowledged last, by PROOF, was not recognised")


@trial("?oldest_first", "?resend", "?one_in_flight", "?doubles", "?sealed_again", needs=Needs.CARDS)
def resends(bench: Bench) -> None:
    """What is not acknowledged is sent again: the oldest alone, then with each ACK twice as many."""
    session = bench.holding(5)
    count = 5
    first = _sent_until(bench, session, count)
    bench.check("?oldest_first", first == sorted(first), f"events came in the order {first}")
    oldest = min(first, default=0)
    bench.require(
        "?oldest_first",
        session.status is not None and oldest == session.status.oldest,
        f"a session began with event {oldest}",
    )
    again = _sent(bench.hear(LONGEST_WAIT + 0.5), session)
    bench.require("?resend", oldest in again, f"event {oldest} was not sent again within {LONGEST_WAIT + 0.5} s")
    alone = set(again) == {oldest}
    bench.check("?one_in_flight", alone, f"after the wait events {sorted(set(again))} were sent, not the oldest alone")
    bench.drop_waiting()
    bench.acknowledge(session, session.events[oldest])
    two = _sent(bench.hear(0.2), session)
    right = set(two) == {oldest + 1, oldest + 2}
    bench.check("?doubles", right, f"after one ACK events {sorted(set(two))} were sent where two are allowed")


def _sent_until(bench: Bench, session: NastySession, count: int) -> list[int]:
    bench.received_events(session, count)
    return list(session.events)


@trial("?nak_again", "?nak_status", needs=Needs.CARDS)
def missing_events(bench: Bench) -> None:
    """A NAK brings the events from there on again, or STATUS where that cannot be."""
    session = bench.holding(3)
    events = bench.received_events(session, 3)
    bench.drop_waiting()
    bench.send(session.seal(FrameType.NAK, NAK.pack(events[1].sequence)))
    again = _sent(bench.hear(0.2), session)
    wanted = events[1].sequence in again and events[2].sequence in again
    bench.check("?nak_again", wanted, f"NAK {events[1].sequence} brought events {again}")
    for what, sequence in (("not held any more", events[0].sequence - 1), ("yet to come", events[0].sequence + 5000)):
        bench.drop_waiting()
        bench.send(session.seal(FrameType.NAK, NAK.pack(sequence)))
        heard = [one.type for one in bench.hear(0.2)]
        bench.check("?nak_status", FrameType.STATUS in heard, f"no STATUS answers a NAK for an event that is {what}")


@trial("?total", "?total_together", "?card_once", "?no_hole", needs=Needs.CARDS)
def totals(bench: Bench) -> None:
    """Every card adds one to the total, in its event and in STATUS together."""
    session = bench.empty()
    before = bench.status(session)
    bench.draw(2, "every card must be in the total, once")
    wrong: list[str] = []
    for heard in bench.frames(1.0):
        if heard.type == FrameType.STATUS and heard.session is session:
            _compare(session, heard, before.card_total, wrong)
    bench.check("?total_together", not wrong, "; ".join(wrong))
    events = [session.events[number] for number in sorted(session.events) if number >= before.upcoming]
    cards = [event for event in events if event.kind in CARD_KINDS]
    numbers = [int.from_bytes(event.fields[:4], "big") for event in cards]
    added = list(range(before.card_total + 1, before.card_total + 1 + len(cards)))
    bench.check("?total", len(cards) >= 2 and numbers == added, f"totals {numbers} after {before.card_total}")
    bench.check(
        "?card_once",
        len(cards) == bench.status(session).card_total - before.card_total,
        f"{len(cards)} events for {bench.status(session).card_total - before.card_total} cards",
    )
    sequences = [event.sequence for event in events]
    bench.check(
        "?no_hole", sequences == list(range(before.upcoming, before.upcoming + len(events))), f"sequences {sequences}"
    )
    bench.empty()


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


@trial("?age", needs=Needs.CARDS)
def ages(bench: Bench) -> None:
    """The age of an event grows until it is acknowledged."""
    session = bench.holding(1)
    (first,) = bench.received_events(session, 1)
    bench.hear(1.0)
    later = bench.begin()
    (again,) = bench.received_events(later, 1)
    passed = (again.at - first.at) * 1000
    grown = again.age - first.age
    slack = bench.stretched(300)
    same = again.sequence == first.sequence and abs(grown - passed) <= slack
    bench.check("?age", same, f"in {passed:.0f} ms an event's age grew by {grown} ms")


@trial("?window", "?window_reached", needs=Needs.MANY_CARDS)
def window(bench: Bench) -> None:
    """At most 32 events are in flight, and a new session allows as many."""
    session = bench.holding(40)
    bench.received_events(session, 32)
    bench.hear(0.3)
    bench.check("?window_reached", len(session.events) == 32, f"{len(session.events)} events came where 32 are allowed")
    bench.empty()


TRIALS = (acknowledgements, recognition, resends, missing_events, totals, ages, window)
