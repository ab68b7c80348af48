"""Every topic of a table and what its messages hold: the one place that displays, terminals and the daemon agree on.

`asyncapi.yaml` and the JSON Schemas are generated from here, and a test keeps them up to date. What goes out as an
event is a fact of the table (`shoe_controller/table/facts.py`), as it is stored; an outcome also carries the
journal's head.
"""

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.house import CommissionTaken, Rounding
from shoe_controller.baccarat.roads import Roads
from shoe_controller.baccarat.wagers import Names
from shoe_controller.table.acts import ACTS, Act, OpenShoe, Role
from shoe_controller.table.facts import AnyFact
from shoe_controller.table.inputs import Stake
from shoe_controller.table.view import AlertView, TableView

SCHEMA = 1
"""The version of the messages here; topics have the version of the whole contract, `v1`."""


class Topics:
    """The topics of one table."""

    def __init__(self, site: str, table: str) -> None:
        self.prefix = f"shoe/v1/{site}/{table}"
        self.status = f"{self.prefix}/status"
        self.info = f"{self.prefix}/info"
        self.state = f"{self.prefix}/state"
        self.roads = f"{self.prefix}/roads"
        self.requests = f"{self.prefix}/request/+/+"
        """A filter for all requests."""
        self.replies = f"{self.prefix}/reply/"

    def event(self, below: str) -> str:
        """The full topic of a message that the journal holds as `event/…`."""
        return f"{self.prefix}/{below}"

    def is_reply(self, topic: str) -> bool:
        """Whether an answer may go there: `reply/{client}/…`, and nowhere else."""
        rest = topic.removeprefix(self.replies)
        client, _, below = rest.partition("/")
        return rest != topic and bool(client) and bool(below) and not set(topic) & {"+", "#"}

    def client_of(self, reply_topic: str | None) -> str:
        """Whose request this is: the client in its reply topic; nobody's if it wants no answer."""
        return "" if reply_topic is None else reply_topic.removeprefix(self.replies).partition("/")[0]

    def request(self, topic: str) -> tuple[str, str] | None:
        """Role and name of a request."""
        parts = topic.removeprefix(f"{self.prefix}/request/").split("/")
        return (parts[0], parts[1]) if len(parts) == 2 else None


# --- retained --------------------------------------------------------------------------------------------------------


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the controller is there, and how it is. The broker publishes the offline one as the last will.

    It does not go through the journal, so that a full disk can still be told.
    """

    schema: int = SCHEMA
    online: bool
    session: int
    """Counts up with every connection to the broker; the will of an older session means nothing."""
    seq: int = 0
    """The last event that it includes."""
    version: str = ""
    shoe_link: bool = False
    authenticated: bool = False
    """Whether the shoe has proven itself with its key; a display shows when it has not."""
    storing: bool = True
    """Whether the journal can be written to; if not, the table stands still."""
    publishing: str = ""
    """Why the broker does not take our events, if it does not."""
    alert: AlertView | None = None
    """The gravest alert that stands."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    when: str
    pays: str
    """As "20:1", or "push"."""


class OfferedWager(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    names: Names
    prices: tuple[Price, ...]
    min: int
    max: int
    needs_base: bool


class PostedLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The most that is paid in a round for these wagers together."""

    amount: int
    wagers: tuple[str, ...]
    policy: str


class Info(msgspec.Struct, frozen=True, kw_only=True):
    """What does not change while a shoe lasts."""

    schema: int = SCHEMA
    seq: int
    version: str
    site: str
    table: str
    title: str
    headline: str
    currency: str
    rules_hash: str
    """Of the house's effective configuration and all its pay tables."""
    base_game: str
    commission: str
    commission_taken: CommissionTaken
    decks: int
    seats: tuple[str, ...]
    offered: tuple[OfferedWager, ...]
    round_limit: PostedLimit | None
    rounding: Rounding
    bets_close: str
    reveal: str
    rules_wait: str
    """What of a changed configuration waits for the next shoe; empty if nothing does."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    rounds: int
    banker: int
    player: int
    tie: int
    banker_pair: int
    player_pair: int
    natural: int


class RoadsMessage(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = SCHEMA
    seq: int
    shoe: int
    counts: Counts
    roads: Roads


class StateMessage(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = SCHEMA
    seq: int
    table: TableView


# --- requests and answers --------------------------------------------------------------------------------------------


class RequestRole(Enum):
    WAGERS = "wagers"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    DISPLAY = "display"


class WagersRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Place, change or withdraw wagers of one seat: all of these, or none."""

    request_id: str
    shoe: int
    round: int
    seat: str
    stakes: tuple[Stake, ...]


class ActRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that a dealer or supervisor does; the topic names the act, `details` holds its own fields."""

    request_id: str
    shoe: int
    round: int
    person: str = ""
    pin: str | None = None
    reason: str = ""
    details: dict[str, object] = {}


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send the events after this one again, to the reply topic."""

    request_id: str
    after: int
    limit: int = 500


class ReplayDone(msgspec.Struct, frozen=True, kw_only=True):
    sent: int
    last: int
    """The number of the last event sent."""
    newest: int
    """The number of the last event there is."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """To every request with a response topic."""

    status: str
    """ "ok" or "error"."""
    code: str = "ok"
    message: str = ""
    request_id: str = ""
    data: ReplayDone | None = None


def acts_of(role: RequestRole) -> dict[str, type[Act]]:
    """The acts that can be asked for under `request/{role}/`, by name."""
    if role is RequestRole.DEALER:
        return {rule.name: act for act, rule in ACTS.items() if rule.role is Role.DEALER}
    if role is RequestRole.SUPERVISOR:
        return {rule.name: act for act, rule in ACTS.items() if act is not OpenShoe}
    return {}


# --- the table of topics ---------------------------------------------------------------------------------------------


class Kind(Enum):
    RETAINED = "retained"
    EVENT = "event"
    REQUEST = "request"
    REPLY = "reply"


class TopicRow(NamedTuple):
    below: str
    """Under `shoe/v1/{site}/{table}/`."""
    kind: Kind
    payloads: tuple[type[msgspec.Struct], ...]
    what: str


EVENT_TOPICS = {
    "shoe": "a shoe is opened, burned, cut and ended; its connection",
    "round": "wagers open, change and close; a round is void",
    "card": "each card as it may be shown, corrections, cards set aside",
    "outcome": "the result of a round, or that it was taken back",
    "settlement": "what every wager came to, in the dealer's steps, or that it was taken back",
    "alert": "what went wrong, and that it is over",
    "operator": "what people did",
}


def contract() -> Iterator[TopicRow]:
    yield TopicRow("status", Kind.RETAINED, (Status,), "whether the controller is there, and how it is")
    yield TopicRow("info", Kind.RETAINED, (Info,), "what the table offers, its limits and prices")
    yield TopicRow("state", Kind.RETAINED, (StateMessage,), "how the table stands")
    yield TopicRow("roads", Kind.RETAINED, (RoadsMessage,), "the five roads and the counts of the shoe")
    for name, what in EVENT_TOPICS.items():
        facts = tuple(fact for fact in AnyFact.__args__ if name == fact.TOPIC)
        yield TopicRow(f"event/{name}", Kind.EVENT, facts, what)
    yield TopicRow("request/wagers/place", Kind.REQUEST, (WagersRequest,), "place, change or withdraw wagers of a seat")
    for role in (RequestRole.DEALER, RequestRole.SUPERVISOR):
        for name, act in acts_of(role).items():
            yield TopicRow(f"request/{role.value}/{name}", Kind.REQUEST, (ActRequest,), ACTS[act].what)
    yield TopicRow("request/display/replay", Kind.REQUEST, (ReplayRequest,), "send events again, from a number on")
    yield TopicRow("reply/{client}/{name}", Kind.REPLY, (Answer,), "the answer to a request")
