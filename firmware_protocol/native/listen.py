"""A passive listener on a native line, for recordings and captures. Sends nothing.

With the shoe's key it checks every tag from the session's CHALLENGE on: the session's keys are derived from that frame
and the shared key alone. Without the key, or when the capture begins in mid-session, it decodes what is there and marks
each event as not authenticated. A frame may be missing from a capture although the controller received it, so nothing
waits for a resend that need not come: see `_EventSequencer`.
"""

from collections.abc import Sequence
from hmac import compare_digest
from typing import NamedTuple

from firmware_protocol.events import CardDrawn, DoubleFeed, ForeignCard, Misread
from firmware_protocol.link import (
    ClockSet,
    Delivery,
    EventGap,
    IdentifyRequested,
    LineError,
    LinkReport,
    LinkUp,
    ShoeNotice,
    Wanted,
)
from firmware_protocol.native.counts import MALFORMED, REFLECTED, LinkCounts, Refusals
from firmware_protocol.native.event_layouts import cards_leaving, decode_event
from firmware_protocol.native.framing import FrameReader
from firmware_protocol.native.messages import (
    CLOCK,
    EVENT_FRAME,
    FROM_SHOE,
    IDENTIFY,
    SEALED,
    TAG_BYTES,
    WINDOW,
    BadFrameError,
    Challenge,
    Desire,
    FrameType,
    Reject,
    ShoeStatus,
    unpack,
)
from firmware_protocol.native.session import FORGED, FRAME_TAG_BYTES, SealedSession, payload_of, shared_key, shoe_tag

_MIN_EVENT = EVENT_FRAME.size + FRAME_TAG_BYTES
_WRONG_KEY = "a shoe that does not hold this key: nothing it sends is authenticated"


class Overheard(NamedTuple):
    """Something received from the line, and whether its tag authenticated the sender."""

    what: Delivery | LinkReport | ShoeNotice
    authenticated: bool


class _Keys(NamedTuple):
    """The keys that check the frames of one session, by sender."""

    of_shoe: SealedSession
    of_controller: SealedSession
    link_up: LinkUp


class NativeListener:
    def __init__(self, key: bytes | None) -> None:
        self._key = None if key is None else shared_key(key, insecure=False)
        self._refusals = Refusals(LinkCounts())
        self._shoe_reader = FrameReader()
        self._controller_reader = FrameReader()
        self._session: _Keys | None = None
        self._before: _Keys | None = None
        """The previous session: one side may still be using it."""
        self._unproven: _Keys | None = None
        self._last_challenge = b""
        self._in_order = _EventSequencer()

    @property
    def repeats(self) -> int:
        """Number of events that came again."""
        return self._in_order.repeats

    def from_shoe(self, data: bytes) -> list[Overheard]:
        return self._receive(data, by_shoe=True)

    def from_controller(self, data: bytes) -> list[Overheard]:
        return self._receive(data, by_shoe=False)

    def finish(self) -> list[Overheard]:
        """Report what is left at the end of the capture."""
        partial = [*self._shoe_reader.drop_partial(), *self._controller_reader.drop_partial()]
        return [*self._in_order.give_up_waiting(), *_reports(partial)]

    def _receive(self, data: bytes, *, by_shoe: bool) -> list[Overheard]:
        reader = self._shoe_reader if by_shoe else self._controller_reader
        out: list[Overheard] = []
        for frame in reader.feed(data):
            if isinstance(frame, LineError):
                out += _reports([frame])
                continue
            try:
                if (frame[0] & FROM_SHOE != 0) != by_shoe:
                    out += _reports(self._refusals.count(REFLECTED))
                elif frame[0] & SEALED:
                    out += self._sealed(frame, by_shoe=by_shoe)
                else:
                    out += self._handshake(frame)
            except BadFrameError:
                out += _reports(self._refusals.count(MALFORMED))
        return out

    def _handshake(self, frame: bytes) -> list[Overheard]:
        if frame[0] == FrameType.REJECT:
            number = Reject.read(frame).reason
            return _reports(self._refusals.once(f"the shoe rejects the controller's HELLO, reason {number}"))
        if frame[0] != FrameType.CHALLENGE or frame == self._last_challenge:
            return []
        self._last_challenge = frame
        shoe = Challenge.read(frame).shoe
        if self._key is None:
            return _reports([LinkUp(shoe=shoe, authenticated=False)])
        untagged = frame[:-TAG_BYTES]
        if not compare_digest(shoe_tag(self._key, untagged), frame[-TAG_BYTES:]):
            return _reports([*self._refusals.once(_WRONG_KEY), LinkUp(shoe=shoe, authenticated=False)])
        self._unproven = _Keys(
            of_shoe=SealedSession.of_controller(self._key, untagged),
            of_controller=SealedSession.of_shoe(self._key, untagged),
            link_up=LinkUp(shoe=shoe, authenticated=True),
        )
        return []

    def _sealed(self, frame: bytes, *, by_shoe: bool) -> list[Overheard]:
        began: list[Overheard] = []
        refused = _refused(self._session, frame, by_shoe=by_shoe)
        if refused == FORGED and self._unproven and _refused(self._unproven, frame, by_shoe=by_shoe) is None:
            self._before, self._session, self._unproven = self._session, self._unproven, None
            began = _reports([self._session.link_up])
            refused = None
        elif refused == FORGED:
            refused = _refused(self._before, frame, by_shoe=by_shoe)
        if refused is not None and self._session is not None:
            return _reports(self._refusals.count(refused))
        read = self._of_shoe if by_shoe else _of_controller
        return [*began, *read(frame, refused is None)]

    def _of_shoe(self, frame: bytes, authenticated: bool) -> list[Overheard]:  # noqa: FBT001 - one of two alike
        if frame[0] == FrameType.STATUS:
            return self._in_order.status(ShoeStatus.read(payload_of(frame)))
        if frame[0] != FrameType.EVENT:
            return []
        if len(frame) < _MIN_EVENT:
            raise BadFrameError("an EVENT without its fields")
        _, _, boot_id, sequence, age, kind = EVENT_FRAME.unpack_from(frame)
        event = decode_event(kind, frame[EVENT_FRAME.size : -FRAME_TAG_BYTES])
        delivery = Delivery(event=event, sequence=sequence, boot_id=boot_id, age=age / 1000)
        return self._in_order.event(delivery, authenticated=authenticated)


def _of_controller(frame: bytes, authenticated: bool) -> list[Overheard]:  # noqa: FBT001 - one of two alike
    payload = payload_of(frame)
    notice: ShoeNotice
    match frame[0]:
        case FrameType.DESIRE:
            notice = Wanted(desired=Desire.read(payload).desired)
        case FrameType.CLOCK:
            notice = ClockSet(unix_milliseconds=unpack(CLOCK, payload)[0])
        case FrameType.IDENTIFY:
            notice = IdentifyRequested(seconds=unpack(IDENTIFY, payload)[0])
        case _:
            return []
    return [Overheard(notice, authenticated)]


def _refused(keys: _Keys | None, frame: bytes, *, by_shoe: bool) -> str | None:
    if keys is None:
        return FORGED
    return (keys.of_shoe if by_shoe else keys.of_controller).refuses(frame)


def _reports(reports: Sequence[LinkReport]) -> list[Overheard]:
    return [Overheard(report, authenticated=False) for report in reports]


class _EventSequencer:
    """Delivers events once each and in order, without being able to request one again.

    An event that comes too early waits for those before it, which the shoe may send again. It waits until the shoe
    reports that it no longer holds them, or until a whole window waits; then what is missing is a gap.
    """

    def __init__(self) -> None:
        self.repeats = 0
        self._expected: int | None = None
        self._waiting: dict[int, Overheard] = {}
        self._total: int | None = None

    def event(self, delivery: Delivery, *, authenticated: bool) -> list[Overheard]:
        out: list[Overheard] = []
        sequence = delivery.sequence
        if self._expected is None:
            gap = EventGap(expected=0, received=sequence, reason="joined in mid-stream")
            out += _reports([gap])
            self._expected = sequence
        if sequence < self._expected or sequence in self._waiting:
            self.repeats += 1
            return out
        self._waiting[sequence] = Overheard(delivery, authenticated)
        out += self._release()
        if len(self._waiting) >= WINDOW:
            out += self._release(up_to=min(self._waiting))
        return out

    def status(self, status: ShoeStatus) -> list[Overheard]:
        if self._expected is None:
            self._expected = status.oldest
        if status.upcoming < self._expected:
            reason = f"the shoe's numbers have gone back to {status.upcoming}: it has lost events or its whole store"
            gap = EventGap(expected=self._expected, received=status.oldest, reason=reason)
            out = [*self.give_up_waiting(), *_reports([gap])]
            self._expected = status.oldest
            self._total = None
            return out
        return self._release(up_to=status.oldest)

    def give_up_waiting(self) -> list[Overheard]:
        return self._release(up_to=max(self._waiting)) if self._waiting else []

    def _release(self, up_to: int = 0) -> list[Overheard]:
        """Release what is next in order; what is missing below `up_to` will not come any more."""
        out: list[Overheard] = []
        expected = self._expected or 0
        while True:
            if expected in self._waiting:
                out += self._counted(self._waiting.pop(expected))
                expected += 1
            elif expected < up_to:
                following = min((*self._waiting, up_to))
                reason = f"the events {expected} to {following - 1} are not in the capture"
                out += _reports([EventGap(expected=expected, received=following, reason=reason)])
                expected = following
            else:
                break
        self._expected = expected
        return out

    def _counted(self, overheard: Overheard) -> list[Overheard]:
        """The event, preceded by a gap if the shoe's card total shows that cards left without an event."""
        event = overheard.what.event if isinstance(overheard.what, Delivery) else None
        if not isinstance(event, CardDrawn | DoubleFeed | Misread | ForeignCard) or event.total is None:
            return [overheard]
        before, self._total = self._total, event.total
        if before is None or before + cards_leaving(event) == event.total:
            return [overheard]
        reason = "the shoe's card total jumped: cards have left it without an event"
        gap = EventGap(expected=before + cards_leaving(event), received=event.total, reason=reason)
        return [*_reports([gap]), overheard]
