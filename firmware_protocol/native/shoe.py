"""The shoe's end of a native line: a `ShoeLink`, for the emulator and the tests, and a model for firmware.

It keeps every event in its `ShoeStore` until the controller acknowledges it, sends what the window allows, and resends
what is not acknowledged in time. It passes on to its owner what the controller desires, and when to lock the gate
because the controller has been silent for too long.
"""

from collections.abc import Callable

import msgspec

from firmware_protocol.events import AnyShoeEvent, LinkDownCause
from firmware_protocol.link import (
    ClockSet,
    DesireAwaited,
    GateLockedBySilence,
    IdentifyRequested,
    LineError,
    LinkDown,
    LinkReport,
    LinkUp,
    LinkUsageError,
    ShoeIdentity,
    ShoeNotice,
    Wanted,
)
from firmware_protocol.native.counts import MALFORMED, REFLECTED, LinkCounts, Refusals
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.handshake import HandshakeRefusedError, ShoeHandshake
from firmware_protocol.native.messages import (
    ACK,
    CLOCK,
    FROM_SHOE,
    IDENTIFY,
    NAK,
    OUR_VERSIONS,
    SEALED,
    WINDOW,
    BadFrameError,
    Desire,
    FrameType,
    ShoeStatus,
    Versions,
    event_payload,
    unpack,
)
from firmware_protocol.native.outbox import Outbox
from firmware_protocol.native.resend import ResendWait
from firmware_protocol.native.session import INSECURE_KEY, SealedSession, payload_of, shared_key
from firmware_protocol.native.store import ShoeStore, StoredEvent

_NEVER = float("inf")
_OLDEST_AGE = (1 << 32) - 1
"""Milliseconds; a higher age is sent as this one."""


class ShoeTimings(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds."""

    keep_alive: float = 0.5
    """The longest pause between the shoe's frames in a session."""
    lock_gate_after: float | None = 3.0
    """Silence of the controller after which the gate is locked; `None` for never."""
    resend_first: float = 0.25
    """The wait for an acknowledgement before the line's round trip is known."""
    resend_shortest: float = 0.05
    resend_longest: float = 2.0
    answer_every: float = 0.1
    """Minimum interval between answers to HELLO."""
    awake_every: float = 1.0
    """Minimum interval between AWAKE frames."""


DEFAULT_TIMINGS = ShoeTimings()


class NativeShoe:
    def __init__(  # noqa: PLR0913 -- most have a default, and all are given by name
        self,
        *,
        identity: ShoeIdentity,
        store: ShoeStore,
        nonce: Callable[[], bytes],
        now: float,
        key: bytes | None = None,
        insecure: bool = False,
        timings: ShoeTimings = DEFAULT_TIMINGS,
        versions: Versions = OUR_VERSIONS,
    ) -> None:
        """Begin a power-up. `identity.boot_id` is new in each; `store` is what the last one left."""
        if not 0 < identity.boot_id < 1 << 32:
            raise LinkUsageError(f"a boot id is from 1 to 2^32 - 1, not {identity.boot_id}")
        self._key = shared_key(key, insecure=insecure)
        self._boot_id = identity.boot_id
        self.store = store
        self._timings = timings
        self.counts = LinkCounts()
        self._refusals = Refusals(self.counts)
        self._handshake = ShoeHandshake(self._key, versions, identity, nonce)
        self._reader = FrameReader()
        self._out = Outbox(self.counts)
        self._is_connected = False
        self._session: SealedSession | None = None
        self._started = now
        self._received_at = now
        self._recognised = False
        self._revision = 0
        self._gate_locked_by_silence = False
        self._cursor = store.oldest
        """The next event to send; after going back, lower than one already sent."""
        self._sent_up_to = 0
        """The highest event that was sent in this session."""
        self._allowed = WINDOW
        """How many events may be in flight. One after a time-out, then doubled with each acknowledgement."""
        self._wait = self._new_wait()
        self._status_due = False
        self._resend_at = _NEVER
        self._keep_alive_at = _NEVER
        self._lock_gate_at = _NEVER
        self._answer_after = now
        self._awake_after = now
        self._note_received(now)

    def _new_wait(self) -> ResendWait:
        timings = self._timings
        return ResendWait(timings.resend_first, timings.resend_shortest, timings.resend_longest)

    # --- the line, as every link has it ------------------------------------------------------------------------

    def connected(self, now: float) -> None:
        if self._is_connected:
            raise LinkUsageError("the line is connected already")
        self._is_connected = True
        self._refusals.start_afresh()
        self._send_awake(now)

    def disconnected(self, now: float) -> list[LinkReport]:  # noqa: ARG002 -- `now` is part of the interface
        if not self._is_connected:
            raise LinkUsageError("the line is not connected")
        self._is_connected = False
        reports: list[LinkReport] = [*self._reader.drop_partial()]
        if self._session is not None:
            reports.append(LinkDown(cause=LinkDownCause.DISCONNECTED, reason="the line was disconnected"))
        self._session = None
        self._handshake.start_afresh()
        self._resend_at = self._keep_alive_at = _NEVER
        self._out.clear()
        return reports

    def report(self, event: AnyShoeEvent, now: float) -> int:
        try:
            return self.store.add(event, self._boot_id, now)
        finally:
            self._send_events(now)

    def receive(self, data: bytes, now: float) -> list[ShoeNotice | LinkReport]:
        if not self._is_connected:
            raise LinkUsageError("bytes came from a line that is not connected")
        out: list[ShoeNotice | LinkReport] = []
        for frame in self._reader.feed(data):
            if isinstance(frame, LineError):
                self.counts.line_errors += 1
                out.append(frame)
                continue
            try:
                self._take(frame, now, out)
            except BadFrameError:
                out += self._refusals.count(MALFORMED)
            except HandshakeRefusedError as refusal:
                out += self._refusals.once(str(refusal), refusal.cause)
        if self._status_due:
            self._send_status(now)
        self._send_events(now)
        return out

    def next_deadline(self) -> float | None:
        deadline = min(self._resend_at, self._keep_alive_at, self._lock_gate_at)
        return None if deadline == _NEVER else deadline

    def tick(self, now: float) -> list[ShoeNotice | LinkReport]:
        notices: list[ShoeNotice | LinkReport] = []
        if now >= self._lock_gate_at:
            self._lock_gate_at = _NEVER
            self._gate_locked_by_silence = True
            self._revision = 0
            notices.append(GateLockedBySilence(silent_for=now - self._received_at))
        if now >= self._resend_at:
            self._wait.timed_out()
            self._allowed = 1
            self._go_back(self.store.oldest, now)
        if now >= self._keep_alive_at:
            self._send_status(now)
        return notices

    def to_send(self) -> bytes:
        return self._out.take()

    # --- frames ------------------------------------------------------------------------------------------------

    def _take(self, frame: bytes, now: float, out: list[ShoeNotice | LinkReport]) -> None:
        frame_type = frame[0]
        if frame_type & FROM_SHOE:
            out += self._refusals.count(REFLECTED)
        elif frame_type & SEALED:
            self._take_sealed(frame, now, out)
        elif frame_type == FrameType.HELLO:
            self._take_hello(frame, now)
        elif frame_type == FrameType.PROOF:
            self._take_proof(frame, now, out)
        else:
            self.counts.unknown += 1

    def _take_hello(self, frame: bytes, now: float) -> None:
        if now < self._answer_after:
            self.counts.unexpected += 1
            return
        answer = self._handshake.answer(frame)
        if answer is not None:
            self._answer_after = now + self._timings.answer_every
            self._out.put(answer)

    def _take_proof(self, frame: bytes, now: float, out: list[ShoeNotice | LinkReport]) -> None:
        if self._session is not None and self._handshake.is_proven_again(frame):
            self._status_due = True
            return
        proven = self._handshake.take_proof(frame)
        if proven is None:
            self._take_unexpected(now)
            return
        was_up = self._session is not None
        self._session, proof = proven
        self._recognised = self.store.recognises(proof.boot_id, proof.sequence)
        self.store.acknowledge(proof.boot_id, proof.sequence)
        self.store.clear_fault_if_room(self._boot_id, now)
        self._revision = 0
        self._cursor, self._sent_up_to, self._allowed = self.store.oldest, 0, WINDOW
        self._wait = self._new_wait()
        self._resend_at = _NEVER
        self._status_due = True
        self._note_received(now)
        self.counts.sessions += 1
        self._refusals.start_afresh()
        out.append(DesireAwaited())
        if not was_up:
            out.append(LinkUp(authenticated=self._key != INSECURE_KEY))

    def _take_sealed(self, frame: bytes, now: float, out: list[ShoeNotice | LinkReport]) -> None:
        if self._session is None:
            self._take_unexpected(now)
            return
        refused = self._session.refuses(frame)
        if refused is not None:
            out += self._refusals.count(refused)
            return
        self._note_received(now)
        payload = payload_of(frame)
        match frame[0]:
            case FrameType.ACK:
                boot_id, sequence = unpack(ACK, payload)
                self._take_ack(boot_id, sequence, now)
            case FrameType.NAK:
                (sequence,) = unpack(NAK, payload)
                self._take_nak(sequence, now)
            case FrameType.DESIRE:
                out += self._take_desire(Desire.read(payload))
            case FrameType.CLOCK:
                (unix_milliseconds,) = unpack(CLOCK, payload)
                out.append(ClockSet(unix_milliseconds=unix_milliseconds))
            case FrameType.IDENTIFY:
                (seconds,) = unpack(IDENTIFY, payload)
                out.append(IdentifyRequested(seconds=seconds))
            case _:
                self.counts.unknown += 1

    def _take_unexpected(self, now: float) -> None:
        """Handle a frame of an unknown session or handshake: AWAKE makes its sender begin again."""
        self.counts.unexpected += 1
        if self._session is None and now >= self._awake_after:
            self._send_awake(now)

    def _take_ack(self, boot_id: int, sequence: int, now: float) -> None:
        if not self.store.acknowledge(boot_id, sequence):
            return
        self._wait.acknowledged(sequence, now)
        self._allowed = min(self._allowed * 2, WINDOW)
        self._cursor = max(self._cursor, self.store.oldest)
        self._resend_at = now + self._wait.seconds if self._cursor > self.store.oldest else _NEVER
        self.store.clear_fault_if_room(self._boot_id, now)

    def _take_nak(self, sequence: int, now: float) -> None:
        if self.store.oldest <= sequence < self._cursor:
            self.counts.naks += 1
            self._wait.going_back()
            self._go_back(sequence, now)
        else:
            # It names an event that we no longer hold, or have not sent: STATUS reports what we hold.
            self._status_due = True

    def _take_desire(self, desire: Desire) -> list[ShoeNotice]:
        self._status_due = True
        if desire.revision == self._revision:
            return []
        self._revision = desire.revision
        if desire.desired.gate_locked is not None:
            self._gate_locked_by_silence = False
        return [Wanted(desired=desire.desired)]

    def _note_received(self, now: float) -> None:
        self._received_at = now
        lock_after = self._timings.lock_gate_after
        self._lock_gate_at = _NEVER if lock_after is None else now + lock_after

    # --- what goes out -----------------------------------------------------------------------------------------

    def _send_awake(self, now: float) -> None:
        self._awake_after = now + self._timings.awake_every
        self._out.put(bytes((FrameType.AWAKE,)))

    def _send_status(self, now: float) -> None:
        self._status_due = False
        if self._session is None:
            return
        status = ShoeStatus(
            oldest=self.store.oldest,
            upcoming=self.store.next_sequence,
            card_total=self.store.card_total,
            revision=self._revision,
            recognised=self._recognised,
            gate_locked_by_silence=self._gate_locked_by_silence,
            store_full=self.store.full,
        )
        self._out.put(self._session.seal(FrameType.STATUS, status.payload()))
        self._keep_alive_at = now + self._timings.keep_alive

    def _go_back(self, sequence: int, now: float) -> None:
        self._cursor = sequence
        self._resend_at = _NEVER
        self._send_events(now)

    def _send_events(self, now: float) -> None:
        """Send what the window allows."""
        store, session = self.store, self._session
        if session is None:
            return
        end = min(store.next_sequence, store.oldest + self._allowed)
        while self._cursor < end:
            stored = store.events[self._cursor - store.oldest]
            payload = event_payload(stored.boot_id, stored.sequence, self._age(stored, now), encode_event(stored.event))
            self._out.put(session.seal(FrameType.EVENT, payload))
            if self._cursor > self._sent_up_to:
                self._sent_up_to = self._cursor
                self._wait.sent_first_time(self._cursor, now)
            else:
                self.counts.resent += 1
            self._cursor += 1
            self._keep_alive_at = now + self._timings.keep_alive
        if self._cursor > store.oldest and self._resend_at == _NEVER:
            self._resend_at = now + self._wait.seconds

    def _age(self, stored: StoredEvent, now: float) -> int:
        """Age in milliseconds. An event from before the last restart is at least as old as this power-up."""
        happened = stored.happened if stored.boot_id == self._boot_id else self._started
        return min(max(round((now - happened) * 1000), 0), _OLDEST_AGE)
