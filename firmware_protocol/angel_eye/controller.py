"""The controller's end of an Angel Eye line.

It only listens. The shoe sends each telegram three times and waits for nothing, so there is nothing to acknowledge:
`committed` only advances the state that decides what is a repeat. Host commands are the one thing it can send, and it
sends them only if it was constructed with `commands=True`; without that, not one byte.

Neighbours: `telegrams.py` splits the line, `sequence.py` judges one telegram after another, `commands.py` has the
commands, `shoe.py` is the other end.
"""

from collections import deque

import msgspec

from firmware_protocol.angel_eye.commands import (
    CONFIRM_GAME,
    LOCK,
    UNLOCK,
    AnswerOverheard,
    CommandDone,
    CommandFailed,
    CommandLane,
    HostCommand,
    clear_error,
    nak_meaning,
)
from firmware_protocol.angel_eye.messages import FAULT_NUMBERS, BadTelegramError, fault_of_number
from firmware_protocol.angel_eye.sequence import AngelEyeState, StandingError, decode_telegram, gap_before, take
from firmware_protocol.angel_eye.telegrams import Answer, Garbage, Telegram, TelegramReader
from firmware_protocol.events import CardDrawn, FaultCode, LineLook, LinkDownCause, Started
from firmware_protocol.link import (
    Delivery,
    DesiredShoe,
    EventGap,
    GateFailed,
    GateObeyed,
    LineError,
    LineQuality,
    LinkDown,
    LinkReport,
    LinkUp,
    LinkUsageError,
)
from firmware_protocol.pace import CARD_TAKES, JOINING, CardPace, held_up_reason
from firmware_protocol.recognition import LineRecognition

_NOTHING_WANTED = DesiredShoe()


class LineSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that differ from site to site."""

    repeat_window: float = 5.0
    """Seconds after a telegram during which the same bytes count as a repeat of it."""
    quiet_after: float = 2.0
    """Seconds of silence after which an unfinished telegram is dropped and noise is reported."""
    gate_again: float = 5.0
    """Seconds before a gate command that the shoe did not obey is sent again."""
    card_takes: float = CARD_TAKES
    """Seconds from one card to the next, at the least: cards that come faster show that the line has stalled."""
    answer_timeout: float = 1.0
    """Seconds within which the shoe must answer a command."""
    stx_in_bcc: bool = False
    """Whether the check characters of a command cover its STX."""


DEFAULT_LINE = LineSettings()
NOTHING_RECEIVED = AngelEyeState()


class _Pending(msgspec.Struct):
    """A delivery that is not stored yet, and the link's state once it is."""

    delivery: Delivery
    state: AngelEyeState
    received_at: float


class AngelEyeController:
    """See `ControllerLink`. `state` is the last committed state, `state_age` its age in seconds."""

    def __init__(
        self,
        *,
        state: AngelEyeState = NOTHING_RECEIVED,
        state_age: float = 0.0,
        commands: bool = False,
        overhear: bool = False,
        line: LineSettings = DEFAULT_LINE,
    ) -> None:
        self.repeats = 0
        """Number of telegrams that repeated the one before."""
        self._whole = 0
        self._garbage = 0
        self._line = line
        self._overhear = overhear
        self._reader = TelegramReader(answers=commands or overhear)
        self._recognition = LineRecognition(LineLook.ANGEL_EYE)
        self._lane = CommandLane(stx_in_bcc=line.stx_in_bcc, answer_timeout=line.answer_timeout) if commands else None
        self._committed = state
        self._committed_received_at = 0.0
        self._state_age: float | None = state_age
        """Held until the first connection gives the current time."""
        self._pending: deque[_Pending] = deque()
        self._desired = _NOTHING_WANTED
        self._put_right: frozenset[FaultCode] = frozenset()
        self._cleared: tuple[StandingError, ...] = ()
        """Standing errors that the shoe was commanded to clear."""
        self._gate_commanded: bool | None = None
        self._gate_again_at: float | None = None
        self._gate_fails = False
        """Whether the last command to the gate on this line failed."""
        self._connected_at: float | None = None
        self._up_reported = False
        self._delivered_before_joining = state.delivered
        """The last delivery made before the line was opened."""
        self._last_byte_at = 0.0
        self._pace = CardPace(line.card_takes)

    @property
    def state(self) -> AngelEyeState:
        """The last committed state, for the next controller's constructor."""
        return self._committed

    def connected(self, now: float) -> None:
        if self._connected_at is not None:
            raise LinkUsageError("the line is open already: call disconnected first")
        if self._state_age is not None:
            self._committed_received_at = now - self._state_age
            self._state_age = None
        self._connected_at = now
        self._recognition.opened()
        self._up_reported = False
        self._delivered_before_joining = self._newest_state.delivered
        self._gate_commanded = None
        self._gate_fails = False
        self._send_gate_command(now)
        self._cleared = ()
        self._send_clear_commands(now)

    def disconnected(self, now: float) -> list[LinkReport]:  # noqa: ARG002 - the interface brings the time
        if self._connected_at is None:
            return []
        reports: list[LinkReport] = [_line_error(garbage) for garbage in self._reader.give_up("the line closed")]
        if self._lane is not None:
            reports += self._lane.line_closed()
        if self._up_reported:
            reports.append(LinkDown(cause=LinkDownCause.DISCONNECTED, reason="the line to the shoe closed"))
        self._connected_at = None
        return reports

    def receive(self, data: bytes, now: float) -> list[Delivery | LinkReport]:
        if self._connected_at is None:
            raise LinkUsageError("bytes came from a line that is not open: call connected first")
        up: list[Delivery | LinkReport] = [*self._report_up()]
        out: list[Delivery | LinkReport] = []
        self._last_byte_at = now
        expected = self._newest_state.next_number
        items = self._reader.read(data)
        if any(not isinstance(item, Garbage) for item in items):
            self._recognition.understood()
        else:
            out += self._recognition.not_understood(data, now)
        for item in items:
            self._whole += not isinstance(item, Garbage)
            match item:
                case Telegram():
                    out += self._telegram(item, now)
                case Answer():
                    out += self._answer(item, now)
                case Garbage():
                    self._garbage += 1
                    out.append(_line_error(item))
        cards = sum(isinstance(item, Delivery) and isinstance(item.event, CardDrawn) for item in out)
        if self._pace.held_up(cards, now):
            # Before all that came with them: none of it is of the present.
            joined = now - self._connected_at <= JOINING
            up.append(EventGap(expected=expected, received=expected, reason=held_up_reason(cards), joined=joined))
        return up + out

    def memory(self, delivery: Delivery) -> bytes:
        pending = next((pending for pending in self._pending if pending.delivery == delivery), None)
        if pending is None:
            raise LinkUsageError(f"delivery {delivery.sequence} was never made, or was committed since")
        return msgspec.json.encode(pending.state)

    @property
    def unfinished(self) -> bool:
        return self._reader.unfinished

    def committed(self, delivery: Delivery, now: float) -> None:  # noqa: ARG002 - the interface brings the time
        if delivery.sequence <= self._committed.delivered:
            return
        newest = next((pending for pending in self._pending if pending.delivery == delivery), None)
        if newest is None:
            raise LinkUsageError(f"delivery {delivery.sequence} was never made")
        while self._pending and self._pending[0].delivery.sequence <= delivery.sequence:
            self._pending.popleft()
        self._committed = newest.state
        self._cleared = tuple(error for error in self._cleared if error in newest.state.errors)
        self._committed_received_at = newest.received_at

    def want(self, desired: DesiredShoe, now: float) -> None:
        """Set the desired state. Of it, this wire can express the gate alone."""
        self._desired = desired
        if self._connected_at is not None:
            self._send_gate_command(now)

    def set_clock(self, unix_time: float, now: float) -> None:
        """A shoe on this wire has no clock that could be set."""

    def identify(self, seconds: int, now: float) -> bool:  # noqa: ARG002 - the wire has no such command
        return False

    @property
    def quality(self) -> LineQuality:
        return LineQuality(self._whole, self._garbage, 0)

    def clear_error(self, code: FaultCode, now: float) -> None:
        """Command the shoe to clear one of its errors."""
        number = FAULT_NUMBERS.get(code)
        if number is None:
            raise LinkUsageError(f"this wire has no number for {code}, so it cannot be cleared from here")
        self._open_lane().queue(clear_error(number), now)

    def confirm_game(self, now: float) -> None:
        """Command the shoe to confirm the game process."""
        self._open_lane().queue(CONFIRM_GAME, now)

    def put_right(self, faults: frozenset[FaultCode], now: float) -> None:
        """Command the shoe to clear each standing error that is over at the table, once, and then to go on."""
        self._put_right = faults
        if self._connected_at is not None:
            self._send_clear_commands(now)

    def next_deadline(self) -> float | None:
        if self._connected_at is None:
            return None
        if not self._up_reported:
            return self._connected_at
        deadlines = [self._last_byte_at + self._line.quiet_after] if self._reader.unfinished else []
        answer_due = None if self._lane is None else self._lane.next_deadline()
        deadlines += [at for at in (answer_due, self._gate_again_at) if at is not None]
        return min(deadlines, default=None)

    def tick(self, now: float) -> list[LinkReport]:
        if self._connected_at is None:
            return []
        reports = self._report_up()
        if self._reader.unfinished and now >= self._last_byte_at + self._line.quiet_after:
            reports += map(_line_error, self._reader.give_up("the line fell silent"))
        if self._lane is not None:
            reports += self._lane_reports(self._lane.tick(now), now)
            if self._gate_again_at is not None and now >= self._gate_again_at:
                self._send_gate_command(now)
        return reports

    def to_send(self) -> bytes:
        return b"" if self._lane is None else self._lane.to_send()

    @property
    def _newest_state(self) -> AngelEyeState:
        return self._pending[-1].state if self._pending else self._committed

    def _report_up(self) -> list[LinkReport]:
        if self._up_reported:
            return []
        self._up_reported = True
        return [LinkUp(authenticated=False)]

    def _telegram(self, telegram: Telegram, now: float) -> list[Delivery | LinkReport]:
        try:
            event = decode_telegram(telegram)
        except BadTelegramError as error:
            # The state stays: a clean repeat can still be accepted, and if none comes the next number shows the gap.
            reason = f"{error} [{telegram.raw.hex(' ')}]"
            return [LineError(offset=telegram.offset, length=len(telegram.raw), reason=reason)]
        newest = self._pending[-1] if self._pending else None
        state = newest.state if newest else self._committed
        received_at = newest.received_at if newest else self._committed_received_at
        if telegram.raw == state.last_telegram and now - received_at <= self._line.repeat_window:
            self.repeats += 1
            if newest:
                newest.received_at = now
            else:
                self._committed_received_at = now
            return []
        gap = gap_before(state, telegram, joining=state.delivered <= self._delivered_before_joining)
        out: list[Delivery | LinkReport] = [] if gap is None else [gap]
        for step in take(state, telegram, event):
            delivery = Delivery(event=step.event, sequence=step.state.delivered)
            self._pending.append(_Pending(delivery, step.state, now))
            out.append(delivery)
        if isinstance(event, Started):
            # A shoe that has just started has lost all earlier commands.
            self._gate_commanded = None
            self._send_gate_command(now)
        return out

    def _answer(self, answer: Answer, now: float) -> list[LinkReport]:
        reports = None if self._lane is None else self._lane.answered(answer, now)
        if reports is not None:
            return self._lane_reports(reports, now)
        code = answer.nak_code
        meaning = None if code is None else nak_meaning(code)
        if self._overhear:
            return [AnswerOverheard(accepted=code is None, nak_code=code, meaning=meaning)]
        kind = "an ACK" if code is None else f"a NAK ({meaning})"
        return [LineError(offset=answer.offset, length=answer.length, reason=f"{kind} that answers no command")]

    def _lane_reports(self, reports: list[LinkReport], now: float) -> list[LinkReport]:
        out = reports
        for report in reports:
            match report:
                case CommandFailed(command=HostCommand(type="LK", data=data)):
                    # A command that was not obeyed is sent again after a while, or when the desired state changes.
                    self._gate_commanded = None
                    self._gate_again_at = now + self._line.gate_again
                    if not self._gate_fails:
                        what = "lock" if data == LOCK.data else "open"
                        out = [*out, GateFailed(reason=f"command to {what} the gate: {report.reason}")]
                    self._gate_fails = True
                case CommandDone(command=HostCommand(type="LK")):
                    out = [*out, GateObeyed()] if self._gate_fails else out
                    self._gate_fails = False
        return out

    def _send_gate_command(self, now: float) -> None:
        wanted = self._desired.gate_locked
        self._gate_again_at = None
        if self._lane is not None and wanted is not None and wanted != self._gate_commanded:
            self._gate_commanded = wanted
            self._lane.queue(LOCK if wanted else UNLOCK, now)

    def _send_clear_commands(self, now: float) -> None:
        # Of stored errors alone: of others the table cannot have heard yet. What has no number is cleared at the shoe.
        over = tuple(
            error
            for error in self._committed.errors
            if (code := fault_of_number(error.number)) in self._put_right and code in FAULT_NUMBERS
        )
        to_clear = [error for error in over if error not in self._cleared]
        if self._lane is None or not to_clear:
            return
        for error in to_clear:
            self.clear_error(fault_of_number(error.number), now)
        self.confirm_game(now)
        self._cleared = over

    def _open_lane(self) -> CommandLane:
        if self._lane is None:
            raise LinkUsageError("commands to the shoe are switched off: the link was made without commands=True")
        if self._connected_at is None:
            raise LinkUsageError("the line to the shoe is not open, so no command can be sent")
        return self._lane


def _line_error(garbage: Garbage) -> LineError:
    return LineError(offset=garbage.offset, length=garbage.length, reason=garbage.reason)
