"""Trials of DESIRE, of silence and of keep-alive (sections 5, 6 and 8)."""

from itertools import pairwise

from firmware_protocol.native.messages import FrameType
from simulator.conformance.bench import Bench, desire_payload
from simulator.conformance.line import Doing
from simulator.conformance.session import NastySession, with_wrong_tag
from simulator.conformance.trial import Needs, trial
from simulator.conformance.verdicts import TrialEndedError

KEEP_ALIVE = 0.5
TOLERANCE = 0.15
"""Seconds by which a pause may be longer: what a line and a busy machine add."""
WATCHED = 3.0
"""Seconds in which the shoe's keep-alive is watched."""


@trial("5.6", "5.4", parts=("2.4",))
def desires(bench: Bench) -> None:
    """Every DESIRE is answered by STATUS, and any other revision is followed."""
    session = bench.begin()
    bench.check("5.6", bench.desire(session, 5, gate=1, hand=1) is not None, "a DESIRE was not answered")
    bench.check("5.4", bench.desire(session, 3, gate=1) is not None, "a lower revision was not followed")
    bench.check("5.4", bench.desire(session, 0xFFFFFFFF) is not None, "revision FFFFFFFF was not followed")
    again = bench.desire(session, 0xFFFFFFFF)
    bench.check("5.6", again is not None, "a DESIRE that is followed already was not answered")
    lamps = bench.desire(session, 6, lamps=0xF5)
    bench.check_part("2.4", lamps is not None, "a DESIRE with reserved lamps was not followed")
    bench.drop_waiting()
    bench.send(*(session.seal(FrameType.DESIRE, desire_payload(revision)) for revision in (20, 21, 22)))
    answers = [heard.status.revision for heard in bench.quiet() if heard.type == FrameType.STATUS]
    bench.check("5.6", 22 in answers, "three DESIREs that came together: the last is not followed")


@trial("5.2")
def malformed_desires(bench: Bench) -> None:
    """A DESIRE with a code that does not exist is dropped."""
    session = bench.begin()
    bench.desire(session, 5)
    for revision, (what, payload) in enumerate(
        (
            ("gate 3", desire_payload(6, gate=3)),
            ("gate FF", desire_payload(7, gate=0xFF)),
            ("hand 5", desire_payload(8, hand=5)),
            ("six bytes", desire_payload(9)[:-1]),
        ),
        6,
    ):
        bench.status(session)
        answered = bench.answers_to(session.seal(FrameType.DESIRE, payload))
        bench.check("5.2", not answered, f"a DESIRE with {what} was answered")
        followed = bench.status(session).revision
        bench.check("5.2", followed != revision, f"a DESIRE with {what} was followed")


@trial("8.1")
def keep_alive(bench: Bench) -> None:
    """The shoe is never silent for longer than 0.5 s, whether it is spoken to or not."""
    session = bench.begin()
    times = [bench.now()]
    times += [heard.at for heard in bench.frames(WATCHED) if heard.session is session]
    times.append(bench.now())
    longest = max(later - earlier for earlier, later in pairwise(times))
    allowed = bench.stretched(KEEP_ALIVE + TOLERANCE)
    bench.check("8.1", longest <= allowed, f"a pause of {longest:.2f} s between frames of the shoe")


@trial("3.19", "8.4", parts=("8.3", "8.7"))
def silence(bench: Bench) -> None:
    """A silent controller locks the gate, and ends nothing."""
    seconds = bench.settings.silence
    session = bench.begin()
    if bench.desire(session, 5, gate=1, hand=1) is None:
        raise TrialEndedError("the shoe follows no DESIRE")
    heard = bench.hear((3.0 if seconds is None else seconds) + 1.5)
    latest = [one for one in heard if one.session is session and one.at > bench.now() - bench.stretched(0.7)]
    bench.check("8.4", bool(latest), "the shoe's own keep-alive ended with the controller's silence")
    alive = bench.nak_is_answered(session)
    bench.check("3.19", alive, "the session ended by silence")
    bench.check("8.4", alive, "the session ended by silence")
    if seconds is None:
        raise TrialEndedError("this shoe does not lock its gate by silence (--silence 0)")
    _check_flag(bench, session, seconds)


def _check_flag(bench: Bench, session: NastySession, seconds: float) -> None:
    """What STATUS says after a silence, and which DESIRE ends it; the gate itself has to be looked at."""
    # The STATUS that was just asked for shows what the silence has done; asking for it has ended the silence.
    status = session.status
    if status is None:
        raise TrialEndedError("the shoe sends no STATUS in its session")
    locked = status.gate_locked_by_silence
    if not bench.check_part("8.3", locked, f"no gate was locked after {seconds + 1.5:.1f} s of silence"):
        raise TrialEndedError("the shoe does not say that a silence has locked its gate")
    bench.check_part("8.3", status.revision == 0, f"it still follows revision {status.revision} after a silence")
    as_it_is = bench.desire(session, 8, gate=0)
    if bench.check_part("8.7", as_it_is is not None, "no DESIRE is followed after a silence") and as_it_is:
        locked = as_it_is.status.gate_locked_by_silence
        bench.check_part("8.7", locked, "a DESIRE with gate 0 ended the lock of a silence")
    _check_ended(bench, session, gate=1)
    bench.hear(seconds + 1.5)
    _check_ended(bench, session, gate=2)


def _check_ended(bench: Bench, session: NastySession, gate: int) -> None:
    followed = bench.desire(session, 8 + gate, gate=gate)
    ended = followed is not None and not followed.status.gate_locked_by_silence
    bench.check_part("8.7", ended, f"a DESIRE with gate {gate} did not end the lock of a silence")


@trial("8.3", "8.7", needs=Needs.EYES)
def gate_after_silence(bench: Bench) -> None:
    """A silence locks the gate itself, until a DESIRE opens it."""
    seconds = bench.settings.silence
    if seconds is None:
        raise TrialEndedError("this shoe does not lock its gate by silence (--silence 0)")
    session = bench.begin()
    bench.open_gate(session, 5)
    bench.hear(seconds + 1.5)
    status = bench.status(session)
    said = status.gate_locked_by_silence and status.revision == 0
    bench.check_part("8.3", said, f"no gate was locked after {seconds + 1.5:.1f} s of silence")
    locked = bench.gate_is_locked("The line was silent. Does the gate stop a card now?")
    bench.check("8.3", locked, "a card could be drawn after a silence, before any DESIRE")
    bench.desire(session, 8, gate=0)
    locked = bench.gate_is_locked("Does the gate still stop a card?")
    bench.check_part("8.7", locked, "a DESIRE with gate 0 opened the gate that a silence had locked")
    bench.desire(session, 9, gate=1)
    locked = bench.gate_is_locked("Does the gate stop a card now?")
    bench.check("8.7", not locked, "a DESIRE with gate 1 did not open the gate that a silence had locked")


@trial("8.5")
def noise_is_silence(bench: Bench) -> None:
    """Only a frame that is believed breaks a silence; no PROOF does that begins no session."""
    seconds = bench.settings.silence
    if seconds is None:
        raise TrialEndedError("this shoe does not lock its gate by silence (--silence 0)")
    session = bench.begin()
    bench.desire(session, 5, gate=1)
    until = bench.now() + bench.stretched(seconds + 1.5)
    while bench.now() < until:
        # Whatever a controller without the key may say or repeat, and noise.
        bench.send(session.seal(FrameType.ACK, bytes(8), counter=1), bench.hello(), bytes((FrameType.ACK,)) + bytes(24))
        bench.send_bytes(bench.random_bytes(20) + b"\0")
        for heard in bench.hear(0.3, exactly=True):
            if heard.type == FrameType.CHALLENGE:
                bench.send(session.proof, with_wrong_tag(bench.proof_for(heard.body, bench.stored)))
    status = bench.status(session)
    locked = status.gate_locked_by_silence
    bench.check("8.5", locked, "frames that are not believed, or noise, broke the silence")
    bench.desire(session, 6, gate=1)
    believed_until = bench.now() + bench.stretched(seconds + 1.5)
    while bench.now() < believed_until:
        bench.send(session.seal(FrameType.ACK, b"abc"))
        bench.hear(0.4, exactly=True)
    kept = not bench.status(session).gate_locked_by_silence
    bench.check("8.5", kept, "believed frames, malformed ones, did not break the silence")


@trial("5.5", "5.8", "5.9", needs=Needs.EYES)
def gate_follows(bench: Bench) -> None:
    """The gate does what a DESIRE says."""
    bench.desire(bench.begin(), 9, gate=1)
    session = bench.begin()
    locked = bench.gate_is_locked("Does the shoe refuse to let a card out now?")
    bench.check("5.9", locked, "a session began, and no DESIRE has come, and a card could be drawn")
    bench.open_gate(session, 4)
    bench.desire(session, 5, gate=2)
    locked = bench.gate_is_locked("Try to draw a card. Does the gate stop it?")
    bench.check("5.8", locked, "a card could be drawn with gate 2")
    bench.desire(session, 6, gate=0)
    locked = bench.gate_is_locked("Does the gate still stop a card?")
    bench.check("5.8", locked, "gate 0, which leaves the gate as it is, opened it")
    bench.open_gate(session, 7)
    bench.desire(session, 7, gate=2)
    locked = bench.gate_is_locked("Does the gate stop a card now?")
    bench.check("5.5", not locked, "the same revision, now with gate 2, locked the gate")


@trial("5.1", needs=Needs.EYES)
def lamps_and_blinking(bench: Bench) -> None:
    """Lamps are those of the DESIRE, and IDENTIFY can be seen."""
    session = bench.begin()
    for lamps, text in ((0b1010, "Are exactly the lamps banker and alert on?"), (0, "Are all lamps off?")):
        bench.desire(session, 20 + lamps, lamps=lamps, gate=1)
        bench.check("5.1", bench.see(Doing.SEE_LAMPS, text, lamps), f"lamps {lamps:04b} were not shown")
    bench.send(session.seal(FrameType.IDENTIFY, b"\x03"))
    bench.status(session)  # when it answers this, it has read that
    bench.check("5.1", bench.see(Doing.SEE_IDENTIFY, "Did the shoe blink or beep just now?"), "IDENTIFY: nothing")


@trial("5.13", needs=Needs.CARDS)
def buttons_at_a_locked_gate(bench: Bench) -> None:
    """A locked gate stops no button."""
    session = bench.begin()
    if bench.desire(session, 5, gate=2) is None:
        raise TrialEndedError("the shoe follows no DESIRE")
    before = bench.status(session).upcoming
    bench.make_event(1, "the gate is locked: press a button, which must be reported all the same")
    stored = bench.status(session).upcoming > before
    bench.check("5.13", stored, "a button that was pressed with the gate locked was not reported")
    bench.desire(session, 6, gate=1)


TRIALS = (
    desires,
    malformed_desires,
    keep_alive,
    silence,
    gate_after_silence,
    noise_is_silence,
    gate_follows,
    lamps_and_blinking,
    buttons_at_a_locked_gate,
)
