"""Trials of section 4: a frame is believed for its tag and its counter, and for nothing else."""

from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import FrameType
from simulator.conformance.bench import Bench, Heard, desire_payload
from simulator.conformance.session import NastySession, with_wrong_tag
from simulator.conformance.trial import trial

LATER_TYPE = 0x3F
MALFORMED = (
    (FrameType.ACK, b"abc"),
    (FrameType.NAK, b"abc"),
    (FrameType.DESIRE, desire_payload(60)[:-1]),
    (FrameType.DESIRE, desire_payload(61, gate=9)),
    (FrameType.DESIRE, desire_payload(62, hand=9)),
)


def _desired(session: NastySession, revision: int, counter: int | None = None) -> bytes:
    return session.seal(FrameType.DESIRE, desire_payload(revision), counter=counter)


def _follows(heard: list[Heard], session: NastySession, revision: int) -> bool:
    return any(
        one.type == FrameType.STATUS and one.session is session and one.status.revision == revision for one in heard
    )


@trial("4.3", "4.4", "4.5")
def forged_and_replayed(bench: Bench) -> None:
    """Forged, replayed and older frames are dropped; holes in the counters are not."""
    session = bench.begin()
    bench.desire(session, 5)
    bench.send(with_wrong_tag(_desired(session, 6)))
    bench.check("4.3", not _follows(bench.quiet(), session, 6), "a frame with a wrong tag was believed")
    far = session.sent + 1_000_000
    bench.send(with_wrong_tag(_desired(session, 6, far)))
    bench.quiet()
    still = bench.desire(session, 7) is not None
    bench.check("4.3", still, "the counter of a frame with a wrong tag was accepted")
    replayed = _desired(session, 8)
    bench.send(replayed)
    bench.quiet()
    bench.desire(session, 9)
    bench.send(replayed)
    bench.check("4.4", not _follows(bench.quiet(), session, 8), "a frame that came before was believed again")
    bench.send(_desired(session, 10, session.sent))
    bench.check("4.4", not _follows(bench.quiet(), session, 10), "another frame with the last counter was believed")
    bench.send(_desired(session, 11, 1))
    bench.check("4.4", not _follows(bench.quiet(), session, 11), "a frame with counter 1 was believed again")
    session.sent += 1_000
    held = bench.desire(session, 12) is not None
    bench.check("4.5", held, "a frame was dropped because counters before it are missing")
    session.sent = 1 << 40
    held = bench.desire(session, 13) is not None
    bench.check("4.5", held, "a frame with a counter above 2^40 was dropped")


@trial("4.6", "9.3", "9.5", parts=("2.2",))
def malformed_but_believed(bench: Bench) -> None:
    """A frame with the right tag uses its counter, whatever is in it."""
    session = bench.begin()
    bench.desire(session, 3)
    for revision, (frame_type, payload) in enumerate(MALFORMED, 4):
        bench.send(session.seal(frame_type, payload))
        bench.send(_desired(session, revision, session.sent))
        again = _follows(bench.quiet(), session, revision)
        bench.check("4.6", not again, f"the counter of a malformed {frame_type.name} was used again")
    bench.send(session.seal(LATER_TYPE, b"from a later version"))
    used = session.sent
    alive = bench.is_alive(session)
    bench.check("9.3", alive, "a sealed frame of an unknown type ended the session")
    bench.send(_desired(session, 40, used))
    bench.check("4.6", not _follows(bench.quiet(), session, 40), "the counter of an unknown frame was used again")
    bench.send(bytes((FrameType.ACK,)) + bytes(10))
    bench.check("9.5", bench.is_alive(session), "a sealed frame too short for a tag ended the session")
    bench.drop_waiting()
    bench.send(session.seal(FrameType.DESIRE, desire_payload(21) + b"appended"))
    followed = _follows(bench.quiet(), session, 21)
    bench.check_part("2.2", followed, "a DESIRE with appended fields was not followed")
    bench.status(session)
    answered = bench.answers_to(session.seal(FrameType.NAK, bytes(4) + b"appended"))
    bench.check_part("2.2", bool(answered), "a NAK with appended fields was not answered")


@trial("9.1")
def nothing_answers_what_is_dropped(bench: Bench) -> None:
    """Nothing at all answers a frame that is dropped, in a session."""
    session = bench.begin()
    challenge = bench.challenged(bench.hello()) or bytes(39)
    forged = session.seal(FrameType.NAK, bytes(4))
    wire = encode_frame(bench.hello())
    for what, bodies, raw in (
        ("a sealed frame with a wrong tag", (with_wrong_tag(forged),), b""),
        ("a sealed frame with an old counter", (session.seal(FrameType.NAK, bytes(4), counter=1),), b""),
        ("a sealed frame that is too short", (bytes((FrameType.NAK,)) + bytes(10),), b""),
        ("a sealed frame with a later counter and a wrong tag", (with_wrong_tag(_desired(session, 9, 1 << 50)),), b""),
        ("a frame of its own direction", (bytes((FrameType.STATUS,)) + bytes(33),), b""),
        ("a bare frame of type 0F", (b"\x0f" + bytes(30),), b""),
        ("a HELLO of 19 bytes", (bench.hello()[:-1],), b""),
        ("a PROOF with a wrong tag", (with_wrong_tag(bench.proof_for(challenge, bench.stored)),), b""),
        ("a PROOF of 20 bytes", (bytes((FrameType.PROOF,)) + bytes(19),), b""),
        ("a damaged frame", (), wire[:9] + bytes((wire[9] ^ 0xFF or 1,)) + wire[10:]),
    ):
        bench.pause_between_hellos()
        bench.status(session)
        answers = bench.answers_to(*bodies, raw=raw)
        names = ", ".join(sorted({FrameType(heard.type).name for heard in answers}))
        bench.check("9.1", not answers, f"{what} was answered by {names}")


@trial("2.1")
def reflected(bench: Bench) -> None:
    """The shoe's own frames, sent back to it, are dropped."""
    session = bench.begin()
    heard = bench.wait_for(FrameType.STATUS)
    bench.desire(session, 2)
    if heard is not None:
        bench.send(heard.body)
    challenge = bench.challenged(bench.hello())
    if challenge is not None:
        bench.send(challenge)
    bench.check("2.1", bench.is_alive(session), "a reflected frame ended the session")


TRIALS = (forged_and_replayed, malformed_but_believed, nothing_answers_what_is_dropped, reflected)
