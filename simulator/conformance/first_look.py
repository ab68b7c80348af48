"""The first look at a shoe: whether it can be tried at all, and whether that would cost its table anything."""

from firmware_protocol.events import GateChanged, Health, Standby, Started
from firmware_protocol.link import ShoeIdentity
from firmware_protocol.native.event_layouts import decode_event
from firmware_protocol.native.messages import (
    TAG_BYTES,
    WINDOW,
    BadFrameError,
    Challenge,
    FrameType,
    Reject,
    RejectReason,
)
from firmware_protocol.native.session import shoe_tag
from simulator.conformance.bench import Bench
from simulator.conformance.verdicts import TrialEndedError

OF_NO_WORTH = (Started, Standby, GateChanged, Health)
"""Events that change nothing at a table."""
ATTEMPTS = 4


class CannotBeginError(Exception):
    """No trial can be made; the message says why, and what to do."""


def look_at(bench: Bench, *, consume: bool) -> ShoeIdentity:
    """Begin a session, and refuse a shoe that holds what a table may still need."""
    challenge = _first_challenge(bench)
    try:
        shoe = Challenge.read(challenge).shoe
    except BadFrameError as error:
        raise CannotBeginError(f"the shoe answers HELLO with {error}: see section 3 of PROTOCOL.md") from error
    if shoe_tag(bench.key, challenge[:-TAG_BYTES]) != challenge[-TAG_BYTES:]:
        raise CannotBeginError(
            "the shoe has another key, or makes its tags otherwise than section 4 of PROTOCOL.md says: give the key "
            "that is in it with --key, and compare its tags with `keys` in vectors.json"
        )
    if not consume:
        _refuse_what_is_of_worth(bench)
    return shoe


def _first_challenge(bench: Bench) -> bytes:
    reject: Reject | None = None
    for _ in range(ATTEMPTS):
        hello = bench.hello()
        bench.pause_between_hellos()
        bench.send(hello)
        for heard in bench.frames(0.5):
            if heard.type == FrameType.CHALLENGE and heard.body[7:23] == hello[4:20]:
                return heard.body
            if heard.type == FrameType.REJECT:
                reject = Reject.read(heard.body)
    raise CannotBeginError(_why_no_challenge(bench, reject))


def _why_no_challenge(bench: Bench, reject: Reject | None) -> str:
    if reject is not None:
        match reject.reason:
            case RejectReason.SHOE_HAS_A_KEY:
                return "the shoe has a key: give it with --key"
            case RejectReason.SHOE_HAS_NO_KEY:
                return "the shoe has no key: put one into it, or try it with --insecure"
            case _:
                return f"the shoe rejects a HELLO of version 1: it says that it speaks versions {reject.versions}"
    if not bench.bytes_came:
        return (
            "nothing came from the shoe. Check its power, the cable and the baud rate; an Angel Eye shoe does not "
            "speak the native wire"
        )
    if bench.judge.frames == 0:
        return (
            f"{bench.bytes_came} bytes came from the shoe, and no frame of the native wire was among them. Check the "
            "baud rate (--baud); a shoe of another wire, such as Angel Eye, cannot be tried"
        )
    return "the shoe speaks the native wire, but does not answer HELLO: see section 3 of PROTOCOL.md"


def _refuse_what_is_of_worth(bench: Bench) -> None:
    try:
        worth = events_of_worth(bench)
    except TrialEndedError as error:
        raise CannotBeginError(f"what the shoe holds cannot be seen: {error}. Use --consume") from error
    if worth:
        raise CannotBeginError(
            f"the shoe holds {worth}. Trials acknowledge everything, and no table would receive it: let the table's "
            "controller store it first, or give --consume"
        )


def events_of_worth(bench: Bench) -> str:
    """What a shoe holds that a table may still need, in words; empty if there is nothing. Nothing is acknowledged."""
    session = bench.begin((0, 0))
    status = bench.status(session)
    held = status.upcoming - status.oldest
    if held > WINDOW:
        return f"{held} events"
    bench.received_events(session, held)
    decoded = [decode_event(event.kind, event.fields) for event in session.events.values()]
    worth = [event for event in decoded if not isinstance(event, OF_NO_WORTH)]
    return f"{len(worth)} events that a table may need, the first of them {worth[0]}" if worth else ""
