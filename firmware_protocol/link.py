"""What a link is, whichever wire it speaks: bytes and `now` in, events and bytes out.

A link owns no socket and looks at no clock. Its owner opens the port, then in a loop: hands over the bytes that
came with `receive`, brings it the time it asked for (`next_deadline`, `tick`), writes what `to_send` returns, and
says which deliveries it has stored (`committed`). Until then a link acknowledges nothing, so
that the shoe still has what was not stored when the controller dies.

`now` is seconds on a clock that never goes back. Errors are of two kinds: what the other side did wrong is reported
as a value and counted; what our own side did wrong is a `LinkUsageError`.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

import msgspec

from firmware_protocol.events import AnyShoeEvent, FaultCode, Hand, LineLook, LinkDownCause, StartCause


class LinkUsageError(RuntimeError):
    """A link was called in a way that makes no sense: a bug on our side."""


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One shoe event as received. Pass it to `committed` once it is stored."""

    event: AnyShoeEvent
    sequence: int
    boot_id: int | None = None
    """The shoe's number for its current power-up; `None` on a wire that has none."""
    age: float = 0.0
    """Seconds from the event to its sending by the shoe."""
    again: bool = False
    """It was delivered before; store it as one that came again."""


class ShoeIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The shoe at the other end, as its handshake identifies it."""

    model: str
    firmware: str
    serial_number: str
    boot_id: int
    protocol_version: int
    capabilities: frozenset[str]
    start_cause: StartCause = StartCause.UNKNOWN
    """Cause of the current power-up."""


class LinkReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """A report about the line itself rather than about the cards."""


class LinkUp(LinkReport, frozen=True, kw_only=True, tag="link_up"):
    shoe: ShoeIdentity | None = None
    authenticated: bool
    nonce: bytes = b""
    """The shoe's own for this session, on a wire that has sessions."""
    can_blink: bool = False
    """`identify` makes the shoe blink or beep."""


class LinkDown(LinkReport, frozen=True, kw_only=True, tag="link_down"):
    cause: LinkDownCause
    reason: str


class LineError(LinkReport, frozen=True, kw_only=True, tag="line_error"):
    """Bytes that were not part of any message. `offset` counts from the first byte the link ever received."""

    offset: int
    length: int
    reason: str


class EventGap(LinkReport, frozen=True, kw_only=True, tag="gap"):
    """Events between the two numbers were sent and never received; `reason` says how that shows."""

    expected: int
    received: int
    reason: str
    joined: bool = False
    """They were sent before the line was opened."""


class RefusedCause(Enum):
    """Why bytes were not believed, as far as different people must do different things about it."""

    KEY = "key"
    """The shoe does not hold our key."""
    NO_KEY = "no_key"
    """One side has a key, the other is set to have none."""
    VERSION = "version"
    """No common version of the protocol."""
    BOOT_ID = "boot_id"
    """The shoe has no number for its power-up."""
    REJECTED = "rejected"
    """The shoe refuses the session for a reason that we do not know."""
    CHANGED = "changed"
    """The handshake was changed on the line."""
    FORGED = "forged"
    REPLAYED = "replayed"
    REFLECTED = "reflected"
    MALFORMED = "malformed"
    OTHER = "other"


ENDED_BY_SESSION = frozenset(
    {RefusedCause.KEY, RefusedCause.NO_KEY, RefusedCause.VERSION, RefusedCause.BOOT_ID, RefusedCause.REJECTED}
)
"""What keeps a session from beginning: one that has begun shows that it is over."""


class Refused(LinkReport, frozen=True, kw_only=True, tag="refused"):
    """Well-formed bytes that were not believed: forged, replayed, reflected, wrong key, wrong version."""

    cause: RefusedCause
    reason: str
    count: int


class GateFailed(LinkReport, frozen=True, kw_only=True, tag="gate_failed"):
    """The shoe does not do what is desired of its gate; said once on a line, until it does."""

    reason: str


class GateObeyed(LinkReport, frozen=True, kw_only=True, tag="gate_obeyed"):
    """The shoe does what is desired of its gate again."""


class StrangeBytes(LinkReport, frozen=True, kw_only=True, tag="strange_bytes"):
    """The bytes are plainly not those of this wire, or not of this speed; said once while the port is open."""

    looks_like: LineLook


class ImpossibleAge(LinkReport, frozen=True, kw_only=True, tag="impossible_age"):
    """The next delivery is an event of which the shoe says an age that cannot be; it is delivered with one that can."""

    sequence: int
    reported: float
    """Seconds, as the shoe says."""
    taken_as: float
    """Seconds: the limit that it exceeds."""


class LineQuality(NamedTuple):
    """How good the line is, since the link was made."""

    frames: int
    """Whole messages from the shoe."""
    damaged: int
    """Pieces that were no message: damaged, cut off, or noise."""
    refused: int
    """Whole messages that were not believed."""


class Lamp(Enum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    ALERT = "alert"


class DesiredShoe(msgspec.Struct, frozen=True, kw_only=True):
    """The state the table wants the shoe to be in. It is state, not a message: sent again after every reconnect."""

    gate_locked: bool | None = None
    lamps: frozenset[Lamp] = frozenset()
    next_hand: Hand | None = None


class ControllerLink(Protocol):
    """The controller's end of a line."""

    def connected(self, now: float) -> None: ...

    def disconnected(self, now: float) -> list[LinkReport]: ...

    def receive(self, data: bytes, now: float) -> list[Delivery | LinkReport]: ...

    def memory(self, delivery: Delivery) -> bytes:
        """The link's state after this delivery, to be stored together with it.

        After a restart, `remember` of the same wire decodes it for the constructor.
        """

    def committed(self, delivery: Delivery, now: float) -> None:
        """Confirm that this delivery and all before it are stored."""

    def want(self, desired: DesiredShoe, now: float) -> None: ...

    def put_right(self, faults: frozenset[FaultCode], now: float) -> None:
        """Say which of the shoe's faults are over at the table, where a shoe waits to be told.

        Like the desired state it stands until it is said otherwise.
        """

    def set_clock(self, unix_time: float, now: float) -> None:
        """Tell the shoe the time of day, now and in every session, where the wire can."""

    def identify(self, seconds: int, now: float) -> bool:
        """Make the shoe blink or beep. False where the wire cannot, or no shoe is connected."""

    @property
    def quality(self) -> LineQuality: ...

    def next_deadline(self) -> float | None: ...

    def tick(self, now: float) -> Sequence[Delivery | LinkReport]: ...

    def to_send(self) -> bytes:
        """Bytes for the line; each byte is returned once."""

    @property
    def unfinished(self) -> bool:
        """Whether the last bytes received end in the middle of a message."""


class ShoeNotice(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """A request that the shoe's firmware must act on."""


class Wanted(ShoeNotice, frozen=True, kw_only=True, tag="wanted"):
    """The controller desires this state from now on."""

    desired: DesiredShoe


class ClockSet(ShoeNotice, frozen=True, kw_only=True, tag="clock_set"):
    unix_milliseconds: int


class IdentifyRequested(ShoeNotice, frozen=True, kw_only=True, tag="identify"):
    """Blink or beep for this long, so that a person finds the shoe."""

    seconds: int


class DesireAwaited(ShoeNotice, frozen=True, kw_only=True, tag="desire_awaited"):
    """A session has begun: let no card out until the controller says what it desires."""


class GateLockedBySilence(ShoeNotice, frozen=True, kw_only=True, tag="gate_locked_by_silence"):
    """The controller has been silent for too long: lock the gate now."""

    silent_for: float


class ShoeLink(Protocol):
    """The shoe's end of a line: what the emulator and the tests drive."""

    def connected(self, now: float) -> None: ...

    def disconnected(self, now: float) -> list[LinkReport]: ...

    def report(self, event: AnyShoeEvent, now: float) -> int:
        """Queue an event for the controller; return its number on the line."""

    def receive(self, data: bytes, now: float) -> list[ShoeNotice | LinkReport]: ...

    def next_deadline(self) -> float | None: ...

    def tick(self, now: float) -> list[ShoeNotice | LinkReport]: ...

    def to_send(self) -> bytes:
        """Bytes for the line; each byte is returned once."""
