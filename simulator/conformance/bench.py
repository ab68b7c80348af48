"""The bench on which a shoe is tried: frames in and out, sessions, waiting, and what an operator is asked for.

Every frame that comes is judged as it comes, whatever trial is going on: its framing, direction, tag, counter, layout.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from firmware_protocol.link import LineError
from firmware_protocol.native.framing import FrameReader, encode_frame
from firmware_protocol.native.messages import (
    FROM_SHOE,
    NONCE_BYTES,
    SEALED,
    TAG_BYTES,
    FrameType,
    Hello,
    Proof,
    ShoeStatus,
    Versions,
)
from firmware_protocol.native.session import INSECURE_KEY, controller_tag, payload_of
from simulator.conformance.frames import FrameJudge
from simulator.conformance.line import Answer, Doing, Line, LineLostError, Operator, Request
from simulator.conformance.session import HeldEvent, NastySession
from simulator.conformance.verdicts import Findings, TrialEndedError

FIRST_VERSION = Versions(1, 1)
ANSWER_WITHIN = 1.0
"""Seconds in which an answer that must come is waited for."""
QUIET = 0.35
"""Seconds without an answer after which none is taken to come."""
NO_KEEP_ALIVE = 0.3
"""Seconds after a STATUS in which another one is an answer: the shoe's keep-alive comes after 0.5 s."""
KEEP_ALIVE = 0.4
KEPT_ALIVE_WITHIN = 0.8
"""Seconds in which a shoe that still has a session shows it."""
IDLE = 0.2
"""Seconds after which the line was idle, whatever holds bytes back on their way."""
REOPEN_WITHIN = 20.0
"""Seconds in which a shoe that had no power must be back on its line."""
GIVE_UP = 3
"""Attempts to begin a session; a line may lose a frame."""


class BenchSettings(NamedTuple):
    key: bytes | None
    """`None` for a shoe without a key."""
    silence: float | None = 3.0
    """Seconds after which the shoe locks its gate; `None` if it is set to never."""
    slack: float = 1.0
    """By how much all times are stretched, for a slow line or a busy machine."""
    long: bool = True
    """Whether trials that need many cards are made."""
    power: bool = True
    """Whether the power may be taken away."""


class Heard(NamedTuple):
    at: float
    body: bytes
    session: NastySession | None
    """The session under whose key it is sealed; `None` for a bare frame, and for one that no session seals."""

    @property
    def type(self) -> int:
        return self.body[0]

    @property
    def status(self) -> ShoeStatus:
        return ShoeStatus.read(payload_of(self.body))

    @property
    def event(self) -> HeldEvent:
        return HeldEvent.read(self.at, self.body)


class Bench:
    def __init__(
        self,
        line: Line,
        operator: Operator,
        settings: BenchSettings,
        findings: Findings,
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self.line = line
        self.settings = settings
        self.findings = findings
        self.random_bytes = random_bytes
        self.key = settings.key or INSECURE_KEY
        self.check = findings.check
        self.check_part = findings.check_part
        self.require = findings.require
        self.stored = (0, 0)
        """Boot id and sequence of the event that was acknowledged last: a good controller names it in PROOF."""
        self.session: NastySession | None = None
        """The current one."""
        self.judge = FrameJudge(findings)
        self.bytes_came = 0
        self._came_at = self.now()
        self._operator = operator
        self._reader = FrameReader()
        self._waiting: deque[Heard] = deque()
        self._sessions: list[NastySession] = []

    # --- time and bytes ----------------------------------------------------------------------------------------

    def now(self) -> float:
        return self.line.now()

    def stretched(self, seconds: float) -> float:
        return seconds * self.settings.slack

    def send_bytes(self, data: bytes) -> None:
        self.line.send(data)

    def send(self, *bodies: bytes) -> None:
        """Send frames, all at once."""
        self.line.send(b"\0" + b"".join(map(encode_frame, bodies)))

    def frames(self, seconds: float, *, exactly: bool = False) -> Iterator[Heard]:
        """Frames as they come, for so many seconds, which are stretched unless they are part of what is tried."""
        until = self.now() + (seconds if exactly else self.stretched(seconds))
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            if self.now() >= until:
                return
            self._receive(until)

    def _receive(self, until: float) -> None:
        data = self.line.receive(until)
        at = self.now()
        if data and at - self._came_at > IDLE:
            self.check("1.6", data[0] == 0, "after a pause a frame came without a zero byte before it")
        self._came_at = at if data else self._came_at
        self.bytes_came += len(data)
        for frame in self._reader.feed(data):
            if isinstance(frame, LineError):
                self.judge.bad_frame(frame)
            else:
                self._waiting.append(self._judged(at, frame))

    def _judged(self, at: float, body: bytes) -> Heard:
        session = None
        if body[0] & SEALED and body[0] & FROM_SHOE:
            session = next((session for session in self._sessions if session.seals(body)), None)
        heard = Heard(at, body, session)
        self.judge.judge(at, body, session)
        return heard

    def drop_waiting(self) -> None:
        """Forget what has come until now."""
        for _ in self.frames(0):
            pass

    def hear(self, seconds: float, *, exactly: bool = False) -> list[Heard]:
        """All frames of so many seconds."""
        return list(self.frames(seconds, exactly=exactly))

    def quiet(self) -> list[Heard]:
        """All frames of the time after which an answer is taken not to come."""
        return self.hear(QUIET)

    def answers_to(self, *bodies: bytes, raw: bytes = b"") -> list[Heard]:
        """What the shoe sends at once on these frames, events aside. Just after a STATUS: no keep-alive is due then."""
        self.drop_waiting()
        self.send(*bodies)
        self.send_bytes(raw)
        return [heard for heard in self.hear(NO_KEEP_ALIVE, exactly=True) if heard.type != FrameType.EVENT]

    def wait_for(self, frame_type: int, where: Callable[[Heard], bool] = lambda _: True) -> Heard | None:
        """The first frame of that type, sealed by the current session if sealed at all; `None` if none comes."""
        for heard in self.frames(ANSWER_WITHIN):
            if heard.type == frame_type and (not frame_type & SEALED or heard.session is self.session) and where(heard):
                return heard
        return None

    # --- handshake ---------------------------------------------------------------------------------------------

    def hello(self, versions: Versions = FIRST_VERSION, *, insecure: bool | None = None, nonce: bytes = b"") -> bytes:
        if insecure is None:
            insecure = self.settings.key is None
        return Hello(versions, insecure, nonce or self.random_bytes(NONCE_BYTES)).body()

    def challenged(self, hello: bytes) -> bytes | None:
        """Send a HELLO, and return the CHALLENGE that answers it, with its tag."""
        self.pause_between_hellos()
        self.send(hello)
        answer = self.wait_for(FrameType.CHALLENGE, lambda heard: heard.body[7:23] == hello[4:20])
        return None if answer is None else answer.body

    def pause_between_hellos(self) -> None:
        """A shoe answers one HELLO in 0.1 s; let the time of the last one pass."""
        self.hear(0.15)

    def proof_for(
        self, challenge: bytes, stored: tuple[int, int], *, key: bytes | None = None, more: bytes = b""
    ) -> bytes:
        untagged = challenge[:-TAG_BYTES]
        proof = Proof(challenge[23:39], *stored).untagged_body() + more
        return proof + controller_tag(self.key if key is None else key, untagged, proof)

    def begin(self, stored: tuple[int, int] | None = None, *, hello: bytes = b"") -> NastySession:
        """Begin a session as a good controller does, up to its first STATUS."""
        for _ in range(GIVE_UP):
            asked = hello or self.hello()
            challenge = self.challenged(asked)
            if challenge is None:
                continue
            session = self.prove(asked, challenge, self.stored if stored is None else stored)
            if session.status is not None:
                return session
        raise TrialEndedError("no session could be begun: the shoe does not answer as section 3 says")

    def adopt(self, session: NastySession) -> None:
        """Take this session for the current one: its PROOF is about to be sent."""
        self.session = session
        self._sessions = [session, *self._sessions[:3]]

    def prove(self, hello: bytes, challenge: bytes, stored: tuple[int, int]) -> NastySession:
        """Send PROOF, and wait for STATUS; a session without a STATUS has not begun."""
        proof = self.proof_for(challenge, stored)
        session = NastySession(self.key, challenge[:-TAG_BYTES], hello, proof)
        before = self.session
        self.adopt(session)
        self.send(proof)
        if self.wait_for(FrameType.STATUS) is None:
            self.session = before
        return session

    def is_alive(self, session: NastySession) -> bool:
        """Whether the shoe still follows this session: a DESIRE is answered by STATUS under its keys."""
        return self.desire(session) is not None

    def desire(
        self, session: NastySession, revision: int | None = None, *, gate: int = 0, lamps: int = 0, hand: int = 0
    ) -> Heard | None:
        """Send a DESIRE; the STATUS that answers it, `None` for none."""
        if revision is None:
            status = session.status
            revision = (0 if status is None else status.revision) + 1
        self.drop_waiting()
        self.send(session.seal(FrameType.DESIRE, desire_payload(revision, gate, lamps, hand)))
        for heard in self.frames(ANSWER_WITHIN):
            if heard.type == FrameType.STATUS and heard.session is session and heard.status.revision == revision:
                return heard
        return None

    def nak_is_answered(self, session: NastySession) -> bool:
        """Have the shoe send STATUS: a NAK for an event that cannot be held brings it."""
        self.drop_waiting()
        self.send(session.seal(FrameType.NAK, bytes(4)))
        return self.wait_for(FrameType.STATUS) is not None

    def status(self, session: NastySession) -> ShoeStatus:
        """What the shoe holds and follows now."""
        before = session.received
        answered = self.nak_is_answered(session)
        right = answered or session.received == before
        self.findings.check_part("6.32", right, "a NAK for event 0, which no shoe holds, brought no STATUS")
        if not answered or session.status is None:
            raise TrialEndedError("the shoe does not answer a NAK with STATUS (6.32), which shows what it holds")
        return session.status

    # --- events ------------------------------------------------------------------------------------------------

    def acknowledge(self, session: NastySession, event: HeldEvent) -> None:
        """Acknowledge as a good controller does, after storing."""
        self.send(session.acknowledgement(*event.name))
        session.acknowledged = max(session.acknowledged, event.sequence)
        self.stored = event.name

    def holding(self, number: int, stored: tuple[int, int] | None = None) -> NastySession:
        """A new session with a shoe that holds at least so many events; the operator draws what is missing."""
        session = self.begin(stored)
        missing = number - _held(session)
        if missing > 0:
            self.draw(missing, f"this trial needs {number} events that are not acknowledged")
            session = self.begin(stored)
            if _held(session) < number:
                raise TrialEndedError(f"the shoe holds {_held(session)} events after {missing} more cards")
        return session

    def received_events(self, session: NastySession, number: int) -> list[HeldEvent]:
        """The first events of a session, oldest first, as many as this."""
        until = self.now() + self.stretched(ANSWER_WITHIN)
        while len(session.events) < number and self.now() < until:
            next(self.frames(ANSWER_WITHIN), None)
        self._waiting.clear()
        events = [session.events[sequence] for sequence in sorted(session.events)][:number]
        if len(events) < number:
            raise TrialEndedError(f"{len(events)} events came where {number} are held")
        return events

    def empty(self) -> NastySession:
        """A new session with a shoe that holds nothing: everything is received and acknowledged."""
        session = self.begin()
        for _ in range(200):
            status = self.status(session)
            if status.oldest == status.upcoming:
                return session
            newest = max((event for event in session.events.values()), key=lambda event: event.sequence, default=None)
            if newest is None or newest.sequence < status.oldest:
                self.hear(0.1)
                continue
            self.acknowledge(session, newest)
        raise TrialEndedError("the shoe's events do not come to an end, though they are acknowledged")

    # --- the operator ------------------------------------------------------------------------------------------

    def draw(self, cards: int, why: str) -> None:
        """Ask for cards, with the gate open and the session kept alive; returns when they are reported."""
        session = self.session or self.begin()
        if self.desire(session, gate=1, hand=1) is None:
            raise TrialEndedError("the shoe follows no DESIRE, so its gate cannot be opened for a card")
        status = self.status(session)
        wanted = status.card_total + cards
        text = "Draw a card." if cards == 1 else f"Draw {cards} cards, one after the other."
        answer = self._ask(
            Request(Doing.DRAW, cards, text, why),
            lambda: session.status is not None and session.status.card_total >= wanted,
        )
        if answer.impossible:
            raise TrialEndedError(f"no card was drawn: {answer.why_not}")

    def make_event(self, number: int, why: str) -> None:
        """Ask for events of any kind."""
        session = self.session or self.begin()
        wanted = self.status(session).upcoming + number
        text = f"Make {number} events at the shoe, of any kind: press a button, open the lid, draw a card."
        answer = self._ask(
            Request(Doing.EVENT, number, text, why),
            lambda: session.status is not None and session.status.upcoming >= wanted,
        )
        if answer.impossible:
            raise TrialEndedError(f"no event was made: {answer.why_not}")

    def see(self, doing: Doing, text: str, number: int = 0) -> bool:
        """Ask what can only be seen at the shoe."""
        why = "only a person at the shoe can see it"
        answer = self._ask(Request(doing, number, text, why), lambda: False)
        if answer.impossible:
            raise TrialEndedError(f"it could not be seen: {answer.why_not}")
        return answer.yes

    def gate_is_locked(self, text: str) -> bool:
        """Ask whether the gate stops a card."""
        return self.see(Doing.SEE_GATE_LOCKED, text)

    def open_gate(self, session: NastySession, revision: int) -> None:
        """Open the gate, and have it seen: a gate that is locked before cannot show that something locks it."""
        if not session.has_gate:
            raise TrialEndedError("the shoe has no gate (capability bit 0 of CHALLENGE)")
        if self.desire(session, revision, gate=1) is None:
            raise TrialEndedError("the shoe follows no DESIRE, so its gate cannot be opened")
        if self.gate_is_locked("Does the gate stop a card now?"):
            raise TrialEndedError("the gate was not seen open with gate 1, so nothing can be seen to lock it")

    def take_power(self, why: str) -> bool:
        """Have the power taken away and given back. Return whether the line stayed open all the time."""
        if not self.settings.power:
            raise TrialEndedError("the power was to stay on (--no-power)")
        text = "Take the power away from the shoe, and give it back."
        stayed = True
        self._operator.ask(Request(Doing.POWER, 1, text, why))
        while (answer := self._operator.answer()) is None:
            stayed = self._pass_time() and stayed
        if answer.impossible:
            raise TrialEndedError(f"the power stayed on: {answer.why_not}")
        old, self.session = self.session, None
        if not stayed:
            self.reopen()
        since = self.now()
        heard = self.hear(KEPT_ALIVE_WITHIN)
        if old is not None and any(one.session is old and one.at > since for one in heard):
            raise TrialEndedError("the power was not taken away: the shoe goes on with its session")
        self._waiting.extend(heard)
        return stayed

    def reopen(self) -> None:
        """Close the line and open it again, with patience."""
        until = self.now() + self.stretched(REOPEN_WITHIN)
        self._reader = FrameReader()
        while True:
            try:
                self.line.reopen()
            except LineLostError as error:
                if self.now() > until:
                    raise TrialEndedError(f"the line did not come back: {error}") from error
                self._wait(0.2)
            else:
                return

    def _wait(self, seconds: float) -> None:
        until = self.now() + seconds
        while self.now() < until:
            try:
                self.line.receive(until)
            except LineLostError:
                continue

    def _pass_time(self) -> bool:
        """A moment in which the operator is busy. False if the line is lost."""
        try:
            self._receive(self.now() + 0.05)
        except LineLostError:
            return False
        return True

    def _ask(self, request: Request, is_reported: Callable[[], bool]) -> Answer:
        """Ask, and keep the session alive until there is an answer or the shoe has reported it."""
        self._operator.ask(request)
        next_at = self.now()
        while (answer := self._operator.answer()) is None:
            if is_reported():
                self._operator.seen()
                return Answer(yes=True)
            if self.session is not None and self.now() >= next_at:
                self.send(self.session.acknowledgement())
                next_at = self.now() + KEEP_ALIVE
            self._receive(min(next_at, self.now() + 0.05))
            self._waiting.clear()
        return answer


def _held(session: NastySession) -> int:
    status = session.status
    return 0 if status is None else status.upcoming - status.oldest


def desire_payload(revision: int, gate: int = 0, lamps: int = 0, hand: int = 0) -> bytes:
    """A DESIRE with any codes, also such as do not exist."""
    return revision.to_bytes(4, "big") + bytes((gate, lamps, hand))
