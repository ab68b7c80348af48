"""Every topic of a table and what its messages hold: the one place that displays, terminals and the daemon agree on.

`asyncapi.yaml`, `schemas/` and the tables of `docs/mqtt.md` are generated from here (`asyncapi.py`), and a test keeps
them up to date. What goes out as an event is a fact of the table (`shoe_controller/table/facts.py`), as it is stored,
in its envelope (`envelope.py`). What an answer's code means is in `codes.py`.

Amounts are whole minor units of the table's currency; times are milliseconds since 1970.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Literal, NamedTuple

import msgspec

from shoe_controller.baccarat.house import CommissionTaken, OverLimit, Rounding
from shoe_controller.baccarat.roads import Roads
from shoe_controller.baccarat.wagers import Names, OptionRule
from shoe_controller.table import facts
from shoe_controller.table.acts import ACTS, Act, OpenShoe, Role
from shoe_controller.table.facts import AnyFact, Fact
from shoe_controller.table.inputs import Stake
from shoe_controller.table.procedure import BetsClose, Reveal
from shoe_controller.table.view import AlertView, TableView

SCHEMA = 1
"""The version of the messages here; topics have the version of the whole contract, `v1`."""


LONGEST_CLIENT = 80
"""The table remembers it with every request that did something."""

LARGEST_SEQ = 2**63 - 1
"""The journal cannot count any further, nor look for a larger number."""


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
        named = 0 < len(client) <= LONGEST_CLIENT and bool(below)
        return rest != topic and named and not set(topic) & {"+", "#"}

    def client_of(self, reply_topic: str | None) -> str:
        """Whose request this is: the client in its reply topic; nobody's if it wants no answer."""
        return "" if reply_topic is None else reply_topic.removeprefix(self.replies).partition("/")[0]

    def request(self, topic: str) -> tuple[str, str] | None:
        """Role and name of a request."""
        rest = topic.removeprefix(f"{self.prefix}/request/")
        parts = rest.split("/")
        return (parts[0], parts[1]) if rest != topic and len(parts) == 2 else None


# --- retained --------------------------------------------------------------------------------------------------------


class StatusMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the controller is there, and how it is. The broker publishes the offline one as the last will.

    It does not go through the journal, so that a full disk can still be told.
    """

    schema: int = SCHEMA
    online: bool
    session: int
    """Counts up with every connection to the broker; the will of an older session means nothing."""
    seq: int = 0
    """The last event that it includes; of an offline one, the last when the connection was made or ended."""
    version: str = ""
    """Of the controller's software."""
    journal: str = ""
    """The journal's own name. Where it is another than before, a new one was begun, and `seq` counts from 1 again."""
    shoe_link: bool = False
    """Whether the shoe is connected; nobody knows while the controller is offline."""
    authenticated: bool = False
    """Whether the shoe has proven itself with its key; a display shows when it has not."""
    storing: bool = True
    """Whether the journal can be written to; if not, the table stands still."""
    publishing: str = ""
    """Why the broker does not take our events, if it does not."""
    alert: AlertView | None = None
    """The gravest alert that stands."""


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a pay table. The first line that fits counts; where none fits, the wager loses."""

    when: str
    """The condition, in the words of the catalogue."""
    pays: str
    """Winnings to stake in lowest terms and after commission, as "20:1" or "19:20"; or "push"."""


class OfferedWager(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    """As requests and events name it: "base.banker"."""
    names: Names
    prices: tuple[Price, ...]
    min: int
    """The least stake, in minor units."""
    max: int
    needs_base: bool
    """A seat may place it only beside a wager on Player or Banker."""


class PostedLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The most that is paid in a round for these wagers together."""

    amount: int
    """In minor units."""
    wagers: tuple[str, ...]
    policy: OverLimit


class InfoMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What does not change while a shoe lasts."""

    schema: int = SCHEMA
    seq: int
    """The last event when this was made."""
    version: str
    """Of the controller's software."""
    site: str
    table: str
    """As in the topic."""
    title: str
    """What the table is called on a display; may be empty."""
    headline: str
    currency: str
    rules_hash: str
    """Of the house's effective configuration and all its pay tables: two shoes with the same were dealt alike."""
    base_game: str
    commission: str
    """What is taken from winnings, exactly: "5%"; where no decimal number is exact, a fraction, "50/7%"."""
    commission_taken: CommissionTaken
    decks: int
    seats: tuple[str, ...]
    """From the dealer's right, counter-clockwise: the order in which wagers are settled."""
    offered: tuple[OfferedWager, ...]
    """In the order in which a seat is paid."""
    option_rules: tuple[OptionRule, ...]
    round_limit: PostedLimit | None
    """`None` where the house has no such limit."""
    rounding: Rounding
    bets_close: BetsClose
    reveal: Reveal
    rules_wait: str
    """What of a changed configuration waits for the next shoe; empty if nothing does."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Of the rounds of this shoe that have a result."""

    rounds: int
    banker: int
    player: int
    tie: int
    banker_pair: int
    player_pair: int
    natural: int


class RoadsMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The board of the shoe, ready to be drawn; a result that is taken back leaves no trace in it."""

    schema: int = SCHEMA
    seq: int
    """The last event when this was made; no event since has changed it."""
    shoe: int
    counts: Counts
    roads: Roads


class StateMessage(TableView, frozen=True, kw_only=True):
    """How the table stands: all that may be shown of it."""

    schema: int = SCHEMA


# --- requests and answers --------------------------------------------------------------------------------------------


class RequestRole(Enum):
    WAGERS = "wagers"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    DISPLAY = "display"


class WagersRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Place, change or withdraw wagers of one seat: all of these, or none."""

    request_id: str
    """Unlike any other of this client: a repeat of a request that was done gets the same answer, and does nothing."""
    shoe: int
    round: int
    """The shoe and the round that are meant, as in `state`: a request that is late for its round is refused."""
    seat: str
    stakes: tuple[Stake, ...]
    """What changes; other wagers of the seat stay as they are."""


class ActRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that a dealer or supervisor does; the topic names the act, `details` holds its own fields."""

    request_id: str
    """Unlike any other of this client: a repeat of a request that was done gets the same answer, and does nothing."""
    shoe: int
    round: int
    """The shoe and the round that are meant, as in `state`: a request that is late for its round is refused."""
    person: str = ""
    """The id of whoever acts; a dealer may leave it out."""
    pin: str | None = None
    """The supervisor's. Under `request/dealer/` nobody looks at it, but for `sign_in`."""
    reason: str = ""
    """Goes on the record."""
    details: dict[str, object] = {}
    """The act's own fields."""


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send the events after this one again, to the reply topic."""

    request_id: str
    after: Annotated[int, msgspec.Meta(le=LARGEST_SEQ)]
    """The `seq` of the last event that the display has."""
    limit: int = 500
    """The most that are sent for this request."""


class ReplayDone(msgspec.Struct, frozen=True, kw_only=True):
    """Comes after the events themselves; if `last` is below `newest`, ask again after `last`."""

    sent: int
    last: int
    """The number of the last event sent."""
    newest: int
    """The number of the last event there is."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """To every request with a response topic under `reply/`."""

    status: Literal["ok", "error"]
    code: str = "ok"
    """Why it was refused, for a program; "ok" if it was not."""
    message: str = ""
    """Why it was refused, for a person."""
    request_id: str = ""
    """Of the request; empty where the request could not be read, so go by the correlation data."""
    data: ReplayDone | None = None
    """What a replay came to; nothing for other requests."""


def acts_of(role: RequestRole) -> dict[str, type[Act]]:
    """The acts that can be asked for under `request/{role}/`, by name."""
    if role is RequestRole.DEALER:
        return {rule.name: act for act, rule in ACTS.items() if rule.role is Role.DEALER}
    if role is RequestRole.SUPERVISOR:
        return {rule.name: act for act, rule in ACTS.items() if act is not OpenShoe}
    return {}


# --- the table of topics ---------------------------------------------------------------------------------------------


class TopicKind(Enum):
    RETAINED = "retained"
    EVENT = "event"
    REQUEST = "request"
    REPLY = "reply"


OUTCOME = "outcome"
"""The events whose envelope carries the journal's head."""

REPLAYED_TOPIC = "Where the event went out first, below the table's own topic."
"""The field `topic`, which stands before an event's own fields when it is sent again."""


class TopicRow(NamedTuple):
    below: str
    """Under `shoe/v1/{site}/{table}/`."""
    kind: TopicKind
    payloads: tuple[type[msgspec.Struct], ...]
    what: str
    act: type[Act] | None = None
    """What a dealer or supervisor asks for; its fields are the request's `details`."""


EVENT_TOPICS = {
    "shoe": "a shoe is opened, burned, cut and ended; its connection",
    "round": "wagers open, change and close; a round is void",
    "card": "each card as it may be shown, corrections, cards set aside",
    "outcome": "the result of a round, or that it was taken back",
    "settlement": "what every wager came to, in the dealer's steps, or that it was taken back",
    "alert": "what went wrong, and that it is over",
    "operator": "what people did",
}


EVENTS: dict[type[Fact], str] = {
    facts.ShoeOpened: "New cards are in; from here on `shoe` counts one up, and `round` begins anew.",
    facts.CardBurned: "The first card of the shoe was shown, or one more card was burned after it, face down.",
    facts.CutCardOut: "The cut card came out: `last_round` is the number of the last round of this shoe.",
    facts.ShoeEnded: "No more rounds from this shoe.",
    facts.ShoeLinkChanged: "The connection to the shoe came or went.",
    facts.BettingOpened: "A new round: wagers are open.",
    facts.FreeHandAnnounced: "This round is dealt without wagers.",
    facts.WagersChanged: "A seat placed, changed or took back wagers; these are all that it has now.",
    facts.BettingClosed: "No more bets; `stakes` is the sum of all of them.",
    facts.RoundVoided: "The cards are out of play; take them off the display. Unless `replay`, the wagers go back.",
    facts.WagersReturned: "Some wagers of this round were returned; the round goes on without them.",
    facts.CardDealt: "A card was laid in a hand; its face is null while it lies face down or is not known.",
    facts.CardsShown: "Cards that lay face down, or were not known, are shown now.",
    facts.CardCorrected: "A card is another than was told; it replaces what was told of it last.",
    facts.CardSetAside: "A card left the shoe and lies in no hand.",
    facts.ExtraCardDecided: "What became of cards too many.",
    facts.RoundResult: "The round has a confirmed result.",
    facts.ResultUndone: "The result with the number `replaces` is taken back; the round waits for another.",
    facts.RoundSettled: "What every wager of the round came to, and the dealer's steps.",
    facts.SettlementUndone: "The settlement with the number `replaces` is taken back.",
    facts.AlertRaised: "Something is wrong; with severity `stops`, the table stands until it is over.",
    facts.AlertEnded: "The alert that was raised with the number `replaces` is over.",
    facts.PersonActed: "Somebody did something at the table.",
    facts.ActProposed: "An act that takes two people was proposed, and waits for another supervisor.",
    facts.ProposalEnded: "A proposal is gone without having been approved.",
    facts.WrongPin: "Somebody gave a wrong PIN.",
}
"""What each event tells, for those who build displays. Its field `fact` names it."""


def contract() -> Iterator[TopicRow]:
    yield TopicRow("status", TopicKind.RETAINED, (StatusMessage,), "whether the controller is there, and how it is")
    yield TopicRow("info", TopicKind.RETAINED, (InfoMessage,), "what the table offers, its limits and prices")
    yield TopicRow("state", TopicKind.RETAINED, (StateMessage,), "how the table stands")
    yield TopicRow("roads", TopicKind.RETAINED, (RoadsMessage,), "the five roads and the counts of the shoe")
    for name, what in EVENT_TOPICS.items():
        facts = tuple(fact for fact in AnyFact.__args__ if name == fact.TOPIC)
        yield TopicRow(f"event/{name}", TopicKind.EVENT, facts, what)
    yield TopicRow(
        "request/wagers/place", TopicKind.REQUEST, (WagersRequest,), "place, change or withdraw wagers of a seat"
    )
    for role in (RequestRole.DEALER, RequestRole.SUPERVISOR):
        for name, act in acts_of(role).items():
            yield TopicRow(f"request/{role.value}/{name}", TopicKind.REQUEST, (ActRequest,), ACTS[act].what, act)
    yield TopicRow("request/display/replay", TopicKind.REQUEST, (ReplayRequest,), "send events again, from a number on")
    yield TopicRow(
        "reply/{client}/{name}", TopicKind.REPLY, (Answer,), "the answer to a request, and events sent again"
    )
