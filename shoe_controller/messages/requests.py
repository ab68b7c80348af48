"""Requests to a table, and its answers."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from shoe_controller.messages.acts import ACTS, Act, OpenShoe, Role
from shoe_controller.messages.refusals import AnyRefusal

LARGEST_SEQ = 2**63 - 1
"""The journal cannot count any further, nor look for a larger number."""


class RequestRole(StrEnum):
    """Who sends a request; the broker's access list says who may."""

    WAGERS = "wagers"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    DISPLAY = "display"


class Stake(msgspec.Struct, frozen=True):
    """What a wager is to be."""

    wager: str
    """The wager's id, as in `info`."""
    stake: int
    """In minor units; 0 takes the wager back."""


class WagersRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Place, change or withdraw wagers of one seat: all of these, or none."""

    request_id: str
    """Unlike any other of this client: a repeat of a request that was done gets the same answer, and does nothing."""
    shoe: int
    """The shoe that is meant, as in `state`."""
    round: int
    """The round that is meant, as in `state`: a request that is late for its round is refused."""
    seat: str
    """The seat, as in `info`."""
    stakes: tuple[Stake, ...]
    """What changes; other wagers of the seat stay as they are."""


class ActRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that a dealer or supervisor does; the topic names the act, `details` holds its own fields."""

    request_id: str
    """Unlike any other of this client: a repeat of a request that was done gets the same answer, and does nothing."""
    shoe: int
    """The shoe that is meant, as in `state`."""
    round: int
    """The round that is meant, as in `state`: a request that is late for its round is refused."""
    person: str = ""
    """The id of the person who acts; a dealer may leave it out."""
    pin: str | None = None
    """The supervisor's. Under `request/dealer/` it is ignored, but for `sign_in`."""
    reason: str = ""
    """Goes on the record."""
    details: dict[str, object] = {}
    """The act's own fields."""


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send the events after this one again, to the reply topic."""

    request_id: str
    """Comes back in the answer."""
    after: Annotated[int, msgspec.Meta(le=LARGEST_SEQ)]
    """The `seq` of the last event that the display has."""
    limit: int = 500
    """The most that are sent for this request."""


class ReplayDone(msgspec.Struct, frozen=True, kw_only=True):
    """Comes after the events themselves; if `last` is below `newest`, ask again after `last`."""

    sent: int
    """How many events were sent."""
    last: int
    """The number of the last event sent."""
    newest: int
    """The number of the last event there is."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """To every request with a response topic under `reply/`."""

    status: Literal["ok", "error"]
    """Whether the request was carried out."""
    request_id: str = ""
    """Of the request; empty where the request could not be read, so go by the correlation data."""
    refusal: AnyRefusal | None = None
    """Why the request was refused; null if it was not."""
    data: ReplayDone | None = None
    """What a replay came to; null for other requests."""

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
        return {rule.name: act for act, rule in ACTS.items() if act is not OpenShoe}
    return {}
