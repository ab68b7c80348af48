"""The controller's end of a native line: a `ControllerLink`.

It sends HELLO until a shoe answers and proves its key; then each event is delivered once and in order, and acknowledged
when `committed` confirms that it is stored. Events that the shoe lost are reported as a gap, frames that fail
authentication as refused. `handshake` begins a session, `session` authenticates frames, `progress` knows which event is
next; this file decides what to send and when.
"""

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from firmware_protocol.events import FaultCode, LineLook, LinkDownCause
from firmware_protocol.link import (
    Delivery,
    DesiredShoe,
    LineError,
    LineQuality,
    LinkDown,
    LinkReport,
    LinkUp,
    LinkUsageError,
    ShoeIdentity,
)
from firmware_protocol.native.counts import MALFORMED, REFLECTED, LinkCounts, Refusals
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.handshake import ControllerHandshake, HandshakeRefusedError, Proposal, fresh_nonce
from firmware_protocol.native.messages import (
    ACK,
    CLOCK,
    FROM_SHOE,
    IDENTIFY,
    NAK,
    OUR_VERSIONS,
    SEALED,
    BadFrameError,
    Desire,
    FrameType,
    ShoeStatus,
    Versions,
)
from firmware_protocol.native.outbox import Outbox
from firmware_protocol.native.progress import MIN_EVENT, Beginning, LastCommitted, Progress
from firmware_protocol.native.session import FORGED, INSECURE_KEY, SealedSession, payload_of, shared_key
from firmware_protocol.recognition import LineRecognition

_EVENT = int(FrameType.EVENT)
_NEVER = float("inf")
_NOTHING = (0, 0)
"""Boot id and sequence in PROOF where no event is named."""
MOST_NONCES = 64
"""Sessions whose nonces are remembered."""


class ControllerTimings(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds."""

    hello_every: float = 0.5
    """Interval at which HELLO or PROOF is repeated until answered."""
    hello_again: float = 0.15
    """The same where something damaged came meanwhile: it may have been the answer."""
    keep_alive: float = 0.5
    """The longest pause between our frames in a session."""
    silence: float = 3.0
    """Silence of the shoe after which the link is down."""
    desire_again: float = 0.25
    """First wait for the shoe to confirm a DESIRE; it doubles up to `silence`."""

    def __post_init__(self) -> None:
        if not 0 < self.keep_alive < self.silence or self.hello_every <= 0 or self.desire_again <= 0:
            raise LinkUsageError("timings must be above zero, and the keep-alive shorter than the silence it prevents")


DEFAULT_TIMINGS = ControllerTimings()


class NativeController:
    def __init__(  # noqa: PLR0913 -- all but the nonce have a default, and all are given by name
        self,
        *,
        key: bytes | None = None,
        insecure: bool = False,
        nonce: Callable[[], bytes],
        last_committed: LastCommitted | None = None,
        recent: Iterable[Delivery] = (),
        used_nonces: Iterable[bytes] = (),
        perhaps_another: bool = False,
        timings: ControllerTimings = DEFAULT_TIMINGS,
        versions: Versions = OUR_VERSIONS,
    ) -> None:
        """Make a link. `nonce` returns 16 random bytes at each call, never the same twice.

        `recent`: the last events that are stored, in order, `MOST_RECENT` of them or as many as there are.
        `used_nonces`: those of the shoe in its last sessions.
        """
        self._key = shared_key(key, insecure=insecure)
        self._nonce = nonce
        self._timings = timings
        self._versions = versions
        self.counts = LinkCounts()
        self._refusals = Refusals(self.counts)
        self._progress = Progress(last_committed, self.counts, recent=recent, perhaps_another=perhaps_another)
        self._used_nonces = deque(used_nonces, maxlen=MOST_NONCES)
        self._reader = FrameReader()
        self._recognition = LineRecognition(LineLook.NATIVE)
        self._out = Outbox(self.counts)
        self._is_connected = False
        self._session: SealedSession | None = None
        self._shoe: ShoeIdentity | None = None
        self._handshake: ControllerHandshake | None = None
        self._repeat_at = _NEVER
        """When HELLO or PROOF is sent again."""
        self._handshake_again = _NEVER
        """When it may be sent again at the earliest, because what came was damaged."""
        self._hello_after = 0.0
        """Before this, an AWAKE does not make us send HELLO again."""
        self._give_up_at = _NEVER
        """When the current handshake attempt times out."""
        self._harmless = _NOTHING
        """The last event stored, once a STATUS has shown that the shoe holds no event of its number."""
        self._proof_sent = 0.0
        """When PROOF was sent for the first time in it."""
        self._keep_alive_at = _NEVER
        self._silent_at = _NEVER
        self._desire = Desire(0, DesiredShoe())
        self._desire_at = _NEVER
        self._desire_wait = timings.desire_again
        self._clock_offset: float | None = None
        """Unix time minus `now`, in seconds."""

    # --- queries --------------------------------------------------------------------------------

    @property
    def shoe(self) -> ShoeIdentity | None:
        """The shoe at the other end; `None` while the link is down."""
        return self._shoe

    @property
    def quality(self) -> LineQuality:
        counts = self.counts
        return LineQuality(counts.frames, counts.line_errors, sum(counts.refused.values()))

    # --- the line, as every link has it ------------------------------------------------------------------------

    def connected(self, now: float) -> None:
        if self._is_connected:
            raise LinkUsageError("the line is connected already")
        self._is_connected = True
        self._recognition.opened()
        self._refusals.start_afresh()
        self._begin_handshake(now)

    def disconnected(self, now: float) -> list[LinkReport]:  # noqa: ARG002 -- `now` is part of the interface
        if not self._is_connected:
            raise LinkUsageError("the line is not connected")
        self._is_connected = False
        reports: list[LinkReport] = [*self._reader.drop_partial()]
        if self._shoe is not None:
            reports.append(LinkDown(cause=LinkDownCause.DISCONNECTED, reason="the line was disconnected"))
        self._end_session()
        self._handshake = None
        self._repeat_at = self._handshake_again = _NEVER
        self._out.clear()
        return reports

    def receive(self, data: bytes, now: float) -> list[Delivery | LinkReport]:
        if not self._is_connected:
            raise LinkUsageError("bytes came from a line that is not connected")
        out: list[Delivery | LinkReport] = []
        take_event = self._progress.take_event
        session = self._session if self._handshake is None else None
        received = False
        frames = self._reader.feed(data)
        self.counts.frames += len(frames)
        for frame in frames:
            # The path of a card is kept short; everything else is in _take.
            if session is not None and type(frame) is bytes and frame[0] == _EVENT and len(frame) >= MIN_EVENT:
                refused = session.refuses(frame)
                if refused is None:
                    received = True
                    take_event(frame, now, out)
                else:
                    out += self._refusals.count(refused)
            elif isinstance(frame, LineError):
                self.counts.frames -= 1
                self.counts.line_errors += 1
                self._repeat_at = min(self._repeat_at, max(now, self._handshake_again))
                out.append(frame)
            else:
                self._take(frame, now, out)
                session = self._session if self._handshake is None else None
        if received:
            self._silent_at = now + self._timings.silence
        elif self._session is None:
            if any(isinstance(frame, bytes) for frame in frames):
                self._recognition.understood()
            else:
                out += self._recognition.not_understood(data, now)
        self._answer(now)
        return out

    def to_send(self) -> bytes:
        return self._out.take()

    def next_deadline(self) -> float | None:
        if not self._is_connected:
            return None
        deadline = min(self._repeat_at, self._keep_alive_at, self._silent_at, self._desire_at)
        return None if deadline == _NEVER else deadline

    def tick(self, now: float) -> list[LinkReport]:
        reports: list[LinkReport] = []
        if not self._is_connected:
            return reports
        if now >= self._silent_at:
            if self._shoe is not None:
                reason = f"no frame was received from the shoe for {self._timings.silence:g} s"
                reports.append(LinkDown(cause=LinkDownCause.SILENT, reason=reason))
            self._end_session()
            self._begin_handshake(now)
        if now >= self._repeat_at:
            self._repeat_handshake(now)
        if now >= self._desire_at:
            self._send_desire(now)
        if now >= self._keep_alive_at:
            self._send_ack(now)
        return reports

    # --- commands -----------------------------------------------------------------------------------

    def memory(self, delivery: Delivery) -> bytes:
        return msgspec.json.encode(self._progress.after(delivery))

    @property
    def unfinished(self) -> bool:
        return self._reader.held > 0

    def committed(self, delivery: Delivery, now: float) -> None:
        self._progress.committed(delivery, now)
        self._answer(now)

    def want(self, desired: DesiredShoe, now: float) -> None:
        if self._desire.revision and desired == self._desire.desired:
            return
        self._desire = Desire(self._desire.revision + 1, desired)
        self._desire_wait = self._timings.desire_again
        if self._session is not None:
            self._send_desire(now)

    def put_right(self, faults: frozenset[FaultCode], now: float) -> None:
        """Nothing to send: a native shoe clears its own faults."""

    def set_clock(self, unix_time: float, now: float) -> None:
        """Send the shoe the time of day, now and after every reconnect. The shoe does not confirm it."""
        if not 0 <= unix_time < 1e12:
            raise LinkUsageError(f"{unix_time} is not a time of day in seconds since 1970")
        self._clock_offset = unix_time - now
        self._send_clock(now)

    def identify(self, seconds: int, now: float) -> bool:
        """Make the shoe blink or beep, so that a person finds it. False without a session; it is not sent later."""
        if not 0 <= seconds <= 255:
            raise LinkUsageError(f"a shoe can identify itself for 0 to 255 seconds, not {seconds}")
        return self._send(FrameType.IDENTIFY, IDENTIFY.pack(seconds), now)

    def ask_for_status(self, now: float) -> bool:
        """Make the shoe send something at once, to see how good the line is: a NAK that it answers with STATUS."""
        return self._send(FrameType.NAK, NAK.pack(self._progress.missing), now)

    # --- frames ------------------------------------------------------------------------------------------------

    def _take(self, frame: bytes, now: float, out: list[Delivery | LinkReport]) -> None:
        frame_type = frame[0]
        try:
            if not frame_type & FROM_SHOE:
                out += self._refusals.count(REFLECTED)
            elif frame_type & SEALED:
                self._take_sealed(frame, now, out)
            else:
                self._take_handshake(frame, now)
        except BadFrameError:
            out += self._refusals.count(MALFORMED)
        except HandshakeRefusedError as refusal:
            out += self._refusals.once(str(refusal), refusal.cause)

    def _take_sealed(self, frame: bytes, now: float, out: list[Delivery | LinkReport]) -> None:
        proposal = self._handshake.proposal if self._handshake is not None else None
        refused = FORGED if self._session is None else self._session.refuses(frame)
        if refused is None:
            self._silent_at = now + self._timings.silence
            self._take_believed(frame, now, out)
        elif refused == FORGED and proposal is not None and proposal.session.refuses(frame) is None:
            # Only STATUS begins a session: it reports which events the shoe holds. Events that overtook it come again.
            if frame[0] == FrameType.STATUS:
                self._take_first_status(proposal, ShoeStatus.read(payload_of(frame)), now, out)
        elif self._session is None:
            self.counts.unexpected += 1
        else:
            out += self._refusals.count(refused)

    def _take_believed(self, frame: bytes, now: float, out: list[Delivery | LinkReport]) -> None:
        if frame[0] == FrameType.EVENT:
            if len(frame) < MIN_EVENT:
                raise BadFrameError("an EVENT without its fields")
            self._progress.take_event(frame, now, out)
        elif frame[0] == FrameType.STATUS:
            status = ShoeStatus.read(payload_of(frame))
            self._progress.take_status(status, now, out)
            self._compare_desire(status, now)
        else:
            self.counts.unknown += 1

    def _take_handshake(self, frame: bytes, now: float) -> None:
        handshake = self._handshake
        if frame[0] == FrameType.AWAKE:
            self._shoe_is_awake(now)
        elif frame[0] not in (FrameType.CHALLENGE, FrameType.REJECT):
            self.counts.unknown += 1
        elif handshake is None:
            self.counts.unexpected += 1
        elif frame[0] == FrameType.REJECT:
            if self._session is None:
                handshake.take_reject(frame)
        elif handshake.take_challenge(frame, self._to_name(), self._used_nonces):
            self._give_up_at = now + self._timings.silence
            self._proof_sent = now
            self._send_handshake(handshake, now)
        else:
            self.counts.unexpected += 1

    # --- sessions ----------------------------------------------------------------------------------------------

    def _begin_handshake(self, now: float) -> None:
        handshake = self._new_handshake(now)
        self._send_handshake(handshake, now)

    def _new_handshake(self, now: float) -> ControllerHandshake:
        handshake = ControllerHandshake(self._key, self._versions, fresh_nonce(self._nonce))
        self._handshake = handshake
        self._harmless = _NOTHING
        self._give_up_at = now + self._timings.silence
        # A stranger could send AWAKE all the time: a running session is not renewed more often than this.
        self._hello_after = now + (self._timings.hello_every if self._session is None else self._timings.silence)
        return handshake

    def _ask_if_recognised(self, now: float) -> None:
        """Begin a second handshake, now that naming the last event stored deletes nothing in the shoe.

        The shoe has begun its session with the first; ours has ended with that. HELLO waits until a shoe heeds it.
        """
        self._session = None
        self._keep_alive_at = self._desire_at = _NEVER
        self._new_handshake(now)
        self._harmless = self._progress.last_stored
        self._repeat_at = self._handshake_again = now + self._timings.hello_again

    def _to_name(self) -> tuple[int, int]:
        """Boot id and sequence for PROOF.

        An event that the shoe holds is deleted when it is named, and it may be another one under the name of ours. So
        where events can be compared, none is named until it is known that the shoe holds none of that number.
        """
        stored = self._progress.last_stored
        return stored if stored == self._harmless or not self._progress.can_compare else _NOTHING

    def _send_handshake(self, handshake: ControllerHandshake, now: float) -> None:
        self._out.put(handshake.to_repeat)
        self._repeat_at = now + self._timings.hello_every
        self._handshake_again = now + self._timings.hello_again

    def _repeat_handshake(self, now: float) -> None:
        if self._handshake is not None and now < self._give_up_at:
            self._send_handshake(self._handshake, now)
        elif self._session is None:
            self._begin_handshake(now)
        else:
            self._handshake = None
            self._repeat_at = self._handshake_again = _NEVER

    def _shoe_is_awake(self, now: float) -> None:
        """Handle AWAKE, which is unsigned: the shoe has no session. Ours goes on until a new one is proven."""
        if now < self._hello_after:
            return
        if self._handshake is None or self._handshake.proposal is not None:
            self._begin_handshake(now)
        else:
            self._hello_after = now + self._timings.hello_every
            self._send_handshake(self._handshake, now)

    def _take_first_status(
        self, proposal: Proposal, status: ShoeStatus, now: float, out: list[Delivery | LinkReport]
    ) -> None:
        stored = self._progress.last_stored
        unnamed = proposal.stored == _NOTHING
        if unnamed and stored != _NOTHING and not proposal.repeats and status.oldest > stored[1]:
            self._ask_if_recognised(now)
        elif unnamed or status.recognised or proposal.stored == stored:
            self._begin_session(proposal, status, now, out)
        else:
            # While PROOF was in flight, the old session acknowledged more than it names. Send it again, up to date.
            self._begin_handshake(now)

    def _begin_session(
        self, proposal: Proposal, status: ShoeStatus, now: float, out: list[Delivery | LinkReport]
    ) -> None:
        before = None if proposal.repeats else self._shoe
        self._session, self._shoe = proposal.session, proposal.shoe
        self._handshake = None
        self._repeat_at = self._handshake_again = _NEVER
        self._silent_at = now + self._timings.silence
        self.counts.sessions += 1
        self._refusals.start_afresh()
        self._progress.new_session(self._shoe.boot_id, self._proof_sent)
        if proposal.repeats:
            self._used_nonces.clear()
        self._used_nonces.append(proposal.nonce)
        if before is not None and before.boot_id != self._shoe.boot_id:
            reason = f"the shoe restarted: {self._shoe.start_cause.value}"
            out.append(LinkDown(cause=LinkDownCause.RESTARTED, reason=reason))
            before = None
        if before is None:
            authenticated = self._key != INSECURE_KEY
            out.append(LinkUp(shoe=self._shoe, authenticated=authenticated, nonce=proposal.nonce, can_blink=True))
        begins = Beginning(named=proposal.stored != _NOTHING, repeats=proposal.repeats)
        self._progress.take_status(status, now, out, begins)
        self._send_ack(now)
        self._send_clock(now)
        if self._desire.revision:
            self._desire_wait = self._timings.desire_again
            self._send_desire(now)

    def _end_session(self) -> None:
        self._session = None
        self._shoe = None
        self._keep_alive_at = self._silent_at = self._desire_at = _NEVER

    # --- what goes out -----------------------------------------------------------------------------------------

    def _send(self, frame_type: FrameType, payload: bytes, now: float) -> bool:
        if self._session is None:
            return False
        self._out.put(self._session.seal(frame_type, payload))
        self._keep_alive_at = now + self._timings.keep_alive
        return True

    def _answer(self, now: float) -> None:
        progress = self._progress
        if progress.nak_due and self._send(FrameType.NAK, NAK.pack(progress.missing), now):
            progress.nak_due = False
            self.counts.naks += 1
        if progress.ack_due:
            self._send_ack(now)

    def _send_ack(self, now: float) -> None:
        self._progress.ack_due = not self._send(FrameType.ACK, ACK.pack(*self._progress.acknowledged), now)

    def _send_desire(self, now: float) -> None:
        if self._send(FrameType.DESIRE, self._desire.payload(), now):
            self._progress.ages.desired(self._desire.revision, now)
        self._desire_at = now + self._desire_wait
        self._desire_wait = min(self._desire_wait * 2, self._timings.silence)

    def _compare_desire(self, status: ShoeStatus, now: float) -> None:
        if not self._desire.revision:
            return
        if status.revision == self._desire.revision:
            self._desire_at = _NEVER
            self._desire_wait = self._timings.desire_again
        elif self._desire_at == _NEVER:
            self._send_desire(now)

    def _send_clock(self, now: float) -> None:
        if self._clock_offset is not None:
            self._send(FrameType.CLOCK, CLOCK.pack(round((now + self._clock_offset) * 1000)), now)
