"""Trials of section 3: HELLO, CHALLENGE, PROOF, REJECT, and that a session goes on until another is proven."""

from collections.abc import Callable

from firmware_protocol.native.messages import TAG_BYTES, Challenge, FrameType, Reject, RejectReason, Versions
from firmware_protocol.native.session import INSECURE_KEY, controller_tag, shoe_tag
from simulator.conformance.bench import FIRST_VERSION, Bench
from simulator.conformance.session import NastySession
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

FIRST_EVENTS_WITHIN = 0.5
RESERVED_FLAGS = 0xFE
STRANGE_KEY = bytes(31) + b"\x01"
HELLOS = 30
"""In one burst, 0.02 s apart."""
FEWEST_ANSWERS = 3
"""To one burst of at least 0.6 s. Six are due; a busy machine or a slow line may join some."""
ANSWERS = (FrameType.CHALLENGE, FrameType.REJECT)
ANSWER_EVERY = 0.1
ANSWER_TOLERANCE = 0.04
"""Seconds: what a line may hold back of the first answer and not of the last."""


def _challenge(bench: Bench, hello: bytes) -> bytes:
    challenge = bench.challenged(hello)
    if challenge is None:
        raise TrialEndedError("the shoe does not answer HELLO with CHALLENGE")
    return challenge


@trial("3.12", "4.1", "3.3", "4.9", parts=("2.2", "2.4"))
def challenge(bench: Bench) -> None:
    """CHALLENGE repeats the HELLO, says the right version and has the shoe's tag."""
    hello = bench.hello()
    body = bench.challenged(hello)
    bench.require("3.12", body is not None, "no CHALLENGE answers a HELLO")
    body = body or b""
    read = Challenge.read(body)
    bench.check("3.3", body[4:23] == hello[1:20], "bytes 4 to 22 of CHALLENGE are not those of the HELLO")
    right = shoe_tag(bench.key, body[:-TAG_BYTES]) == body[-TAG_BYTES:]
    bench.check("4.1", right, "the tag of CHALLENGE is wrong: another key, or made otherwise than in section 4")
    if bench.key == INSECURE_KEY:
        bench.check("4.9", right, "the tag of a shoe without a key is not that of a key of 32 zero bytes")
    else:
        bench.findings.could_not_try(("4.9",), "this shoe has a key; take it out, and try it with --insecure")
    bench.check("3.3", read.version == 1, f"version {read.version} where both speak 1")
    asked = bench.hello(Versions(0, 200))
    answered = _challenge(bench, asked)
    bench.check("3.3", answered[4:23] == asked[1:20], "CHALLENGE repeats other versions than those of the HELLO")
    wide = Challenge.read(answered)
    newest = min(200, wide.versions.newest)
    bench.check("3.3", wide.version == newest, f"version {wide.version} where {newest} is the newest of both")
    answer = bench.challenged(_flagged(bench.hello()))
    bench.check_part("2.4", answer is not None, "no answer to a HELLO with reserved flags")
    if answer is not None:
        bench.check("3.3", answer[6] & RESERVED_FLAGS == 0, "CHALLENGE repeats reserved flags of the HELLO")
    longer = bench.hello() + b"appended by a later version"
    bench.check_part("2.2", bench.challenged(longer) is not None, "no answer to a HELLO with appended fields")


@trial("3.10", "3.2")
def rejections(bench: Bench) -> None:
    """A HELLO that cannot be answered is rejected with its reason."""
    has_key = bench.key != INSECURE_KEY
    versions = Challenge.read(_challenge(bench, bench.hello())).versions
    no_key = RejectReason.SHOE_HAS_A_KEY if has_key else RejectReason.SHOE_HAS_NO_KEY
    for hello, reason, what in (
        (bench.hello(Versions(200, 255)), RejectReason.NO_COMMON_VERSION, "versions 200 to 255"),
        (bench.hello(Versions(0, 0)), RejectReason.NO_COMMON_VERSION, "version 0 alone"),
        (bench.hello(FIRST_VERSION, insecure=has_key), no_key, "the insecure flag the wrong way"),
    ):
        bench.pause_between_hellos()
        bench.send(hello)
        heard = bench.wait_for(FrameType.REJECT)
        if not bench.check("3.10", heard is not None, f"no REJECT answers a HELLO with {what}") or heard is None:
            continue
        reject = Reject.read(heard.body)
        bench.check("3.10", reject.reason == reason, f"REJECT of {what} has reason {reject.reason}, not {reason}")
        bench.check("3.2", reject.hello_nonce == hello[4:20], "REJECT does not repeat nonce C")
        said = f"REJECT says that the shoe speaks versions {reject.versions}, CHALLENGE says {versions}"
        bench.check("3.2", reject.versions == versions, said)


@trial("3.11", "3.12")
def repeated_hello(bench: Bench) -> None:
    """The same HELLO gets the same CHALLENGE, another one a new nonce in its place."""
    hello = bench.hello()
    first = _challenge(bench, hello)
    again = bench.challenged(hello)
    bench.check("3.11", again == first, "the same HELLO, unproven, got a different CHALLENGE, or none")
    other_hello = bench.hello()
    other = _challenge(bench, other_hello)
    bench.check("3.12", other[23:39] != first[23:39], "two HELLOs got the same nonce S")
    bench.drop_waiting()
    earlier = bench.prove(hello, first, bench.stored)
    bench.check("3.12", earlier.status is None, "a PROOF for an earlier CHALLENGE began a session")
    bench.prove(other_hello, other, bench.stored)


@trial("3.8")
def burst_of_hellos(bench: Bench) -> None:
    """One HELLO in 0.1 s is answered, by CHALLENGE or REJECT, and those that are dropped prolong nothing."""
    right = bench.hello()
    rejected = (
        bench.hello(Versions(200, 255)),
        bench.hello(Versions(0, 0)),
        bench.hello(insecure=bench.settings.key is not None),
    )
    for what, hellos in (("", (right,)), (", which are rejected", rejected), (" of all kinds", (right, *rejected))):
        bench.pause_between_hellos()
        times: list[float] = []
        for number in range(HELLOS):
            bench.send(hellos[number % len(hellos)])
            answers = (heard.at for heard in bench.frames(0.02, exactly=True) if heard.type in ANSWERS)
            times += answers
        # What the line or a machine holds back comes close to the next, but no earlier than it was sent.
        span = times[-1] - times[0] if times else 0.0
        rare = (len(times) - 1) * ANSWER_EVERY - span <= bench.stretched(ANSWER_TOLERANCE)
        said = f"{len(times)} answers to {HELLOS} HELLOs{what}"
        bench.check("3.8", rare, f"{said} within {span:.3f} s")
        bench.check("3.8", len(times) >= FEWEST_ANSWERS, f"{said}: those that are dropped prolong the 0.1 s")


@trial("3.9", "2.4", parts=("3.13", "3.17"))
def beginning(bench: Bench) -> None:
    """A session begins with STATUS, and late copies of its HELLO and PROOF disturb nothing."""
    bench.desire(bench.begin(), 5)
    hello = bench.hello()
    session = bench.begin(hello=hello)
    status = session.status
    fresh = status is not None and status.revision == 0
    bench.check_part("3.17", fresh, "a new session follows the DESIRE of the one before")
    bench.hear(FIRST_EVENTS_WITHIN)
    bench.pause_between_hellos()
    bench.send(hello)
    answers = [heard for heard in bench.quiet() if heard.type in ANSWERS]
    bench.check("3.9", not answers, "the HELLO that began the session was answered again")
    _check_reserved(bench, hello, heeds=bool(answers))
    _check_repeated_proof(bench, session, bench.check_part)


def _check_reserved(bench: Bench, of_session: bytes, *, heeds: bool) -> None:
    """In a session too, reserved flags make no other HELLO. `heeds`: it answers the session's own even without them."""
    bench.pause_between_hellos()
    bench.send(_flagged(of_session))
    answers = [heard for heard in bench.quiet() if heard.type in ANSWERS]
    bench.check(
        "2.4", heeds or not answers, "the HELLO of the session, with reserved flags, was answered as another one"
    )
    hello = bench.hello()
    first = bench.challenged(_flagged(hello))
    bench.check("2.4", first is not None, "no CHALLENGE answers a HELLO with reserved flags in a session")
    bench.check("2.4", bench.challenged(hello) == first, "reserved flags were taken for another HELLO")


def _flagged(hello: bytes) -> bytes:
    return hello[:3] + bytes((hello[3] | RESERVED_FLAGS,)) + hello[4:]


def _check_repeated_proof(bench: Bench, session: NastySession, check: Callable[[str, bool, str], bool]) -> None:
    bench.drop_waiting()
    before = session.received
    bench.send(session.proof)
    check("3.13", _status_soon(bench, session), "no STATUS answers the PROOF that began the session")
    check("3.13", session.received > before, "a repeated PROOF began the counters again")
    check("3.13", bench.is_alive(session), "a repeated PROOF ended its session")


@trial("3.13", needs=Needs.CARDS)
def late_proof(bench: Bench) -> None:
    """The PROOF of a session is known as long as the session lasts, whatever has come since."""
    session = bench.holding(1)
    (event,) = bench.received_events(session, 1)
    _challenge(bench, bench.hello())
    bench.acknowledge(session, event)
    bench.desire(session, 3)
    _check_repeated_proof(bench, session, bench.check)
    bench.hear(FIRST_EVENTS_WITHIN)
    _check_repeated_proof(bench, session, bench.check)


def _status_soon(bench: Bench, session: NastySession) -> bool:
    """Sooner than the keep-alive would come."""
    return any(heard.type == FrameType.STATUS and heard.session is session for heard in bench.frames(0.2))


def _with_another_nonce(bench: Bench, challenge: bytes, right: bytes) -> bytes:
    proof = right[:1] + bytes((right[1] ^ 1,)) + right[2:-TAG_BYTES]
    return proof + controller_tag(bench.key, challenge[:-TAG_BYTES], proof)


@trial("3.14", "3.15", "3.19")
def wrong_proofs(bench: Bench) -> None:
    """A PROOF with a wrong tag, a wrong key or a strange nonce begins nothing."""
    session = bench.begin()
    hello = bench.hello()
    challenge = _challenge(bench, hello)
    right = bench.proof_for(challenge, bench.stored)
    for clause, what, proof in (
        ("3.15", "a wrong tag", right[:-1] + bytes((right[-1] ^ 1,))),
        ("3.15", "a tag of another key", bench.proof_for(challenge, bench.stored, key=bytes(range(1, 33)))),
        ("3.15", "a tag of nearly no key", bench.proof_for(challenge, bench.stored, key=STRANGE_KEY)),
        ("3.15", "a byte changed", right[:24] + bytes((right[24] ^ 1,)) + right[25:]),
        ("3.14", "another nonce S", right[:1] + bytes((right[1] ^ 1,)) + right[2:]),
        ("3.14", "another nonce S, and the right tag of it", _with_another_nonce(bench, challenge, right)),
    ):
        candidate = NastySession(bench.key, challenge[:-TAG_BYTES], hello, proof)
        bench.drop_waiting()
        bench.send(proof)
        began = any(candidate.seals(heard.body) for heard in bench.quiet())
        bench.check(clause, not began, f"a PROOF with {what} began a session")
    bench.check("3.19", bench.is_alive(session), "a running session ended before another was proven")
    proven = bench.prove(hello, challenge, bench.stored)
    bench.check("3.15", proven.status is not None, "the right PROOF was refused after wrong ones")


@trial("3.19", parts=("2.2", "3.17"))
def session_after_session(bench: Bench) -> None:
    """A stranger's HELLO costs nothing; a proven session ends the one before."""
    old = bench.begin()
    for _ in range(3):
        bench.challenged(bench.hello())
    bench.check("3.19", bench.is_alive(old), "a HELLO that nobody proved ended the running session")
    hello = bench.hello()
    challenge = _challenge(bench, hello)
    bench.check("3.19", bench.is_alive(old), "a CHALLENGE that nobody proved ended the running session")
    new = bench.prove(hello, challenge, bench.stored)
    if new.status is None:
        raise TrialEndedError("the shoe does not begin a session")
    bench.check_part("3.17", bench.desire(old, 77) is None, "a frame of the old session was believed in the new one")
    bench.check_part("3.17", bench.is_alive(new), "a frame of the old session ended the new one")
    hello = bench.hello()
    challenge = _challenge(bench, hello)
    proof = bench.proof_for(challenge, bench.stored, more=b"later")
    longer = NastySession(bench.key, challenge[:-TAG_BYTES], hello, proof)
    bench.adopt(longer)
    bench.send(proof)
    bench.check_part("2.2", _status_soon(bench, longer), "a PROOF with appended fields began no session")


TRIALS = (
    challenge,
    rejections,
    repeated_hello,
    burst_of_hellos,
    beginning,
    late_proof,
    wrong_proofs,
    session_after_session,
)
