"""Sequencing of telegrams: what is a repeat, what is a gap, and which of the shoe's errors are still standing.

Pure functions from the state before a telegram to the state after it. The wire has one digit and no timestamp to tell
telegrams apart; what cannot be decided from that is listed in PROTOCOL.md under "Not guaranteed".
"""

from typing import NamedTuple

import msgspec

from firmware_protocol.angel_eye.messages import FAULT_NUMBERS, BadTelegramError, decode_data, fault_of_number
from firmware_protocol.angel_eye.telegrams import Telegram
from firmware_protocol.events import AnyShoeEvent, CardDrawn, Fault, FaultCleared, FaultCode, Hand, Standby, Started
from firmware_protocol.link import EventGap

START_UP_NUMBER = 0
FIRST_NUMBER = 1
_ERRORS = (b"E", b"e")
JOINED = "joined in mid-stream"


class StandingError(msgspec.Struct, frozen=True):
    """An error that the shoe has reported and not yet cleared."""

    number: int
    """The shoe's own error number: the `detail` of the fault."""
    stopped: bool


class AngelEyeState(msgspec.Struct, frozen=True, kw_only=True):
    """All state that must survive a restart of the controller. Its JSON is stored together with its events."""

    last_telegram: bytes = b""
    """The newest telegram's bytes; empty before the first."""
    delivered: int = 0
    """Number of the newest delivery. It never restarts, unlike the digit on the wire."""
    errors: tuple[StandingError, ...] = ()
    """In the order in which the shoe reported them."""

    @property
    def next_number(self) -> int:
        """The digit that the next telegram should have."""
        return (self.last_telegram[1] - 0x30) % 9 + 1 if self.last_telegram else START_UP_NUMBER

    @property
    def after_error(self) -> bool:
        """Whether the newest telegram reports or clears an error."""
        return self.last_telegram[2:3] in _ERRORS


def remember(memory: bytes) -> AngelEyeState:
    """Decode what `AngelEyeController.memory` returned, for the next controller's constructor."""
    return msgspec.json.decode(memory, type=AngelEyeState)


class SequencedEvent(NamedTuple):
    """An event, and the state after it is stored."""

    event: AnyShoeEvent
    state: AngelEyeState


def decode_telegram(telegram: Telegram) -> AnyShoeEvent:
    """Return the event of a telegram; raise `BadTelegramError` if its content is impossible."""
    event = decode_data(telegram.data)
    if isinstance(event, Started) != (telegram.number == START_UP_NUMBER):
        raise BadTelegramError(
            f"number {telegram.number} on {telegram.data[:1]!r}: number 0 belongs to start-up and to nothing else"
        )
    return event


def gap_before(state: AngelEyeState, telegram: Telegram, *, joining: bool) -> EventGap | None:
    """Return the gap before this telegram, which is not a repeat, if any.

    Start-up restarts the numbering, and a shoe may restart it with an error or its end: then number 1 is no gap.
    """
    expected, received = state.next_number, telegram.number
    if received in (START_UP_NUMBER, expected):
        return None
    if received == FIRST_NUMBER and not joining and (state.after_error or telegram.data[:1] in _ERRORS):
        return None
    if joining or not state.last_telegram:
        reason = JOINED
    elif telegram.raw == state.last_telegram:
        reason = "the last telegram came again, too late for a repeat: eight telegrams, or none, were missed"
    elif received == state.last_telegram[1] - 0x30:
        reason = "the last number came again with other content: eight telegrams were missed, or one was altered"
    else:
        missing = (received - expected) % 9
        reason = f"at least {missing} telegram{'s were' if missing > 1 else ' was'} missed"
    return EventGap(expected=expected, received=received, reason=reason, joined=reason == JOINED)


def take(state: AngelEyeState, telegram: Telegram, event: AnyShoeEvent) -> list[SequencedEvent]:
    """Return this telegram's events. Its own comes last; only with that one has the telegram been taken.

    Before it come the errors that it shows to be over although the shoe never reports them cleared: waiting for the
    shoe to clear each of its errors would mean waiting for ever.
    """
    over, standing = _errors_after(state.errors, event)
    steps = []
    left = state.errors
    delivered = state.delivered
    for error in over:
        delivered += 1
        left = tuple(other for other in left if other is not error)
        cleared = FaultCleared(code=fault_of_number(error.number), detail=error.number)
        steps.append(
            SequencedEvent(cleared, AngelEyeState(last_telegram=state.last_telegram, delivered=delivered, errors=left))
        )
    after = AngelEyeState(last_telegram=telegram.raw, delivered=delivered + 1, errors=standing)
    steps.append(SequencedEvent(event, after))
    return steps


def _errors_after(
    errors: tuple[StandingError, ...], event: AnyShoeEvent
) -> tuple[tuple[StandingError, ...], tuple[StandingError, ...]]:
    """Errors that this event ends without a telegram of their own, and errors still standing after it."""
    match event:
        case Fault(detail=int(number)):
            reported = StandingError(number, event.stopped)
            known = {error.number: error for error in errors}
            return (), tuple((known | {number: reported}).values())
        case FaultCleared(detail=number):
            # A time-out on top of another error ends with it: seen with over-draw, where no clear of its own came.
            numbers = [error.number for error in errors]
            above = errors[numbers.index(number) + 1 :] if number in numbers else ()
            over = tuple(error for error in above if error.number == FAULT_NUMBERS[FaultCode.DRAW_TIMEOUT])
            return over, tuple(error for error in errors if error.number != number and error not in over)
        case Started() | Standby() | CardDrawn(hand=Hand.PLAYER, position=1):
            # The shoe begins something new, so for the shoe the old errors are over.
            return errors, ()
        case CardDrawn(hand=Hand.PLAYER | Hand.BANKER):
            # In error mode a draw would be an extra card: a card for a hand shows that the shoe has left that mode.
            over = tuple(error for error in errors if error.stopped)
            return over, tuple(error for error in errors if not error.stopped)
        case _:
            return (), errors
