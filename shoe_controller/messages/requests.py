"""Requests to a table, and its answers.

The limits of every field are written here, once: the request desk decodes by these types, the web forms use the same
names, and the schemas are generated from them.
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.messages.acts import ACTS, Act, Role
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.limits import LARGEST_SEQ, LARGEST_STAKE, LONGEST_SEAT, LONGEST_WAGER
from shoe_controller.messages.refusals import AnyRefusal

LONGEST_USER = 80
"""The table remembers the user with every request that did something."""

MOST_IN_BATCH = 100
"""Events of a replay in one message."""

MOST_CHECKPOINTS = 40
"""Checkpoints in one answer: each has some 600 bytes."""

PLACE = "place"
REPLAY = "replay"
CHECKPOINTS = "checkpoints"
"""The names of the requests that are not acts."""

RequestId = Annotated[str, Meta(min_length=1, max_length=80)]
PersonId = Annotated[str, Meta(min_length=1, max_length=40)]
Pin = Annotated[str, Meta(min_length=1, max_length=64)]
Token = Annotated[str, Meta(min_length=32, max_length=100)]
Reason = Annotated[str, Meta(max_length=500)]
SeatName = Annotated[str, Meta(min_length=1, max_length=LONGEST_SEAT)]
WagerId = Annotated[str, Meta(min_length=1, max_length=LONGEST_WAGER)]
ShoeNumber = Annotated[int, Meta(ge=0, le=LARGEST_SEQ)]
RoundNumber = Annotated[int, Meta(ge=0, le=LARGEST_SEQ)]


class RequestRole(StrEnum):
    """Who sends a request; the broker's access list says which users may."""

    WAGERS = "wagers"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    DISPLAY = "display"
    WITNESS = "witness"


class Stake(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a wager is to be."""

    wager: WagerId
    """The wager's id, as in `info`."""
    stake: Annotated[int, Meta(ge=0, le=LARGEST_STAKE)]
    """In minor units; 0 takes the wager back."""


Stakes = Annotated[tuple[Stake, ...], Meta(min_length=1, max_length=100)]


class WagersRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Place, change or withdraw wagers of one seat: all of these, or none."""

    request_id: RequestId
    """Unlike any other of this user: a repeat of a request that was done gets the same answer, and does nothing."""
    shoe: ShoeNumber
    """The shoe that is meant, as in `state`."""
    round: RoundNumber
    """The round that is meant, as in `state`: a request that is late for its round is refused."""
    seat: SeatName
    """The seat, as in `info`."""
    stakes: Stakes
    """What changes, each wager named once; other wagers of the seat stay as they are."""


class ActRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that a dealer or supervisor does; the topic names the act, `details` holds its own fields."""

    request_id: RequestId
    """Unlike any other of this user: a repeat of a request that was done gets the same answer, and does nothing."""
    shoe: ShoeNumber
    """The shoe that is meant, as in `state`."""
    round: RoundNumber
    """The round that is meant, as in `state`: a request that is late for its round is refused."""
    person: PersonId = ""
    """The id of the person who acts; a dealer may leave it out."""
    pin: Pin | None = None
    """The supervisor's. Under `request/dealer/` it is ignored, but for `sign_in`."""
    token: Token | None = None
    """The dealer's: with `sign_in` a new secret that the terminal makes at random, with every act after it the same.

    The table keeps a digest of it alone. Under `request/supervisor/` it is ignored."""
    reason: Reason = ""
    """Goes on the record."""
    details: dict[str, object] = {}
    """The act's own fields."""


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send the events after this one again, to the reply topic."""

    request_id: RequestId
    """Comes back in the answer."""
    after: Annotated[int, Meta(ge=0, le=LARGEST_SEQ)]
    """The `seq` of the last event that the client has; 0 asks for all of them."""
    limit: Annotated[int, Meta(ge=1, le=100_000)] = 500
    """The most events that are sent for this request."""
    batch: Annotated[int, Meta(ge=1, le=MOST_IN_BATCH)] = 1
    """The most events in one message. With 1, each event is a message of its own; with more, a message holds a list."""


class CheckpointsRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send checkpoints of the journal, in the answer; a witness can request nothing else."""

    request_id: RequestId
    """Comes back in the answer."""
    after: Annotated[int, Meta(ge=-1, le=LARGEST_SEQ)]
    """The `index` of the last checkpoint that the client has; -1 asks for all of them."""
    limit: Annotated[int, Meta(ge=1, le=MOST_CHECKPOINTS)] = MOST_CHECKPOINTS
    """The most checkpoints that are sent for this request."""


class SentCheckpoints(msgspec.Struct, frozen=True, kw_only=True):
    """Checkpoints of the journal. If the last one is below `newest`, ask again after it."""

    journal: str
    """The journal's id."""
    newest: int
    """The index of the newest checkpoint; -1 if there is none."""
    checkpoints: tuple[Checkpoint, ...]
    """In the order of their `index`, without a gap."""


class ReplayDone(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay came to. If `last` is below `newest`, ask again after `last`, at once."""

    sent: int
    """How many events were sent."""
    last: int
    """The number of the last event sent; if none was, the number that the request gave as `after`."""
    oldest: int
    """The number of the oldest event that is still in the journal."""
    newest: int
    """The number of the newest event."""


class SeatWagers(msgspec.Struct, frozen=True, kw_only=True):
    """The wagers of a seat, as they stand when the answer is sent."""

    seq: int
    """The last event that they include."""
    shoe: int
    """The shoe that the table is at."""
    round: int
    """The round that they are for: the one that the table is at."""
    seat: str
    """The seat."""
    wagers: tuple[PlacedWager, ...]
    """All wagers of the seat."""
    total: int
    """The sum of their stakes, in minor units."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """To every request with a response topic under `reply/`."""

    status: Literal["ok", "error"]
    """Whether the request was carried out."""
    request_id: str = ""
    """Of the request; empty where none could be read, so go by the correlation data."""
    refusal: AnyRefusal | None = None
    """Why the request was refused; null if it was not."""
    wagers: SeatWagers | None = None
    """The answer to `place`: the wagers of the seat as they now stand, also after a refusal. Null without a round."""
    replay: ReplayDone | None = None
    """The answer to `replay`; null where it was refused."""
    checkpoints: SentCheckpoints | None = None
    """The answer to `checkpoints`; null where it was refused."""

    @property
    def code(self) -> str:
        """The refusal's code, or "ok"."""
        return "ok" if self.refusal is None else self.refusal.code


def refused(refusal: AnyRefusal, request_id: str = "") -> Answer:
    return Answer(status="error", request_id=request_id, refusal=refusal)


def acts_of(role: RequestRole) -> dict[str, type[Act]]:
    """The acts that can be requested under `request/{role}/`, by name."""
    if role is RequestRole.DEALER:
        return {rule.name: act for act, rule in ACTS.items() if rule.role is Role.DEALER}
    if role is RequestRole.SUPERVISOR:
        return {rule.name: act for act, rule in ACTS.items()}
    return {}
