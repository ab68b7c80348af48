"""Every topic of a table and what its messages hold: the one place that displays, terminals and the daemon agree on.

`asyncapi.yaml`, `schemas/`, `messages.d.ts` and the tables of `docs/mqtt.md` are generated from here
(`shoe_controller/mqtt/documents`), and a test keeps them up to date.
"""

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

import msgspec

from shoe_controller.messages import facts
from shoe_controller.messages.acts import ACTS, Act
from shoe_controller.messages.archive import ArchiveMessage
from shoe_controller.messages.controllers import ControllerAnswer, ControllerQuestion
from shoe_controller.messages.facts import AnyFact, EventTopic, Fact
from shoe_controller.messages.pit import EdgesMessage, PitAlarmsMessage, PitMessage
from shoe_controller.messages.requests import (
    CHECKPOINTS,
    LONGEST_USER,
    PLACE,
    REPLAY,
    ActRequest,
    Answer,
    CheckpointsRequest,
    ReplayRequest,
    RequestRole,
    WagersRequest,
    acts_of,
)
from shoe_controller.messages.retained import (
    HeadMessage,
    InfoMessage,
    RoadsMessage,
    RoundsMessage,
    StateMessage,
    StatusMessage,
    TableListing,
)
from shoe_controller.messages.witness import WitnessMessage

ROOT = "shoe/v1"
"""All topics begin with it; the version is that of the whole contract."""

ANY = "+"
"""Stands for one level of a topic in a filter: `Topics(site, ANY).status` is the status of every table."""

LONGEST_REPLY = 200
"""Characters of a reply topic behind the user: it goes out with every event of a replay."""

USER = "{user}"
"""Stands for the broker's user in the topic of a request, a witness, the pit's process or an archive, below."""

STATUS, HEAD, INFO, STATE, ROADS, ROUNDS = "status", "head", "info", "state", "roads", "rounds"
"""The retained topics of a table, below its own part."""

EVENT, REQUEST, REPLY, CONTROLLER = "event", "request", "reply", "controller"
"""The first levels of all its other topics."""

SITE_TABLES = "tables"
"""The level that the list of a site's tables is under, beside the tables themselves."""

SITE_WITNESS = "witness"
"""The level that witnesses publish under, beside the tables."""


PIT = "pit"
"""The level that the pit's process publishes under: of a table below the table's own part, of itself beside tables."""

PIT_EDGES, PIT_ALARMS = f"{PIT}/edges", f"{PIT}/alarms"
"""What it publishes of a table, below the table's own part."""


SITE_ARCHIVE = "archive"
"""The level that archives publish under, beside the tables."""


def round_id(journal: str, shoe: int, round_: int) -> str:
    """The id of a round, unique over all journals. Round 0 of a shoe is what comes before its first round."""
    return f"{journal}-{shoe}-{round_}"


def event_topic(name: str) -> str:
    """Where events are published, below the table's own topic."""
    return f"{EVENT}/{name}"


def witness_topic(site: str, user: str, table: str) -> str:
    """Where a witness with this user at the broker publishes what it knows of a table."""
    return f"{ROOT}/{site}/{SITE_WITNESS}/{user}/{table}"


def pit_topic(site: str, user: str) -> str:
    """Where a pit's process with this user at the broker publishes whether it is there."""
    return f"{ROOT}/{site}/{PIT}/{user}/presence"


def archive_topic(site: str, user: str) -> str:
    """Where an archive with this user at the broker publishes whether it is there, and whether it stores."""
    return f"{ROOT}/{site}/{SITE_ARCHIVE}/{user}/presence"


class RequestTopic(NamedTuple):
    """What the topic of a request says."""

    role: str
    user: str
    """The broker's user who sent it; the access list lets no user write another's."""
    name: str


class Topics:
    """The topics of one table."""

    def __init__(self, site: str, table: str) -> None:
        self.prefix = f"{ROOT}/{site}/{table}"
        self.status = f"{self.prefix}/{STATUS}"
        self.head = f"{self.prefix}/{HEAD}"
        self.info = f"{self.prefix}/{INFO}"
        self.state = f"{self.prefix}/{STATE}"
        self.roads = f"{self.prefix}/{ROADS}"
        self.rounds = f"{self.prefix}/{ROUNDS}"
        self.listing = f"{ROOT}/{site}/{SITE_TABLES}/{table}"
        self.events = f"{self.prefix}/{event_topic('#')}"
        """A filter for all events."""
        self.requests = f"{self.prefix}/{REQUEST}/+/+/+"
        """A filter for all requests."""
        self.staffs_requests, self.terminals_requests = (
            tuple(self.request(role, ANY, ANY) for role in roles)
            for roles in (
                (RequestRole.DEALER, RequestRole.SUPERVISOR),
                (RequestRole.WAGERS, RequestRole.DISPLAY, RequestRole.WITNESS),
            )
        )
        """Filters for the requests of dealers and supervisors, and for those of all other terminals."""
        self.questions, self.answers = (f"{self.prefix}/{CONTROLLER}/{name}" for name in ("question", "answer"))
        """Where controllers of this table ask each other, and answer."""
        self.replies = f"{self.prefix}/{REPLY}/"

    def event(self, below: str) -> str:
        """The full topic of a message that is published as `event/…`."""
        return f"{self.prefix}/{below}"

    def below(self, topic: str) -> str:
        """A topic of this table without the table's own part."""
        return topic.removeprefix(f"{self.prefix}/")

    def is_event(self, topic: str) -> bool:
        return topic.startswith(f"{self.prefix}/{event_topic('')}")

    def is_reply(self, topic: str, user: str) -> bool:
        """Whether an answer to this user may go there: `reply/{user}/…`, and nowhere else."""
        own = f"{self.replies}{user}/"
        return topic.startswith(own) and 0 < len(topic) - len(own) <= LONGEST_REPLY and not set(topic) & {"+", "#"}

    def is_request(self, topic: str) -> bool:
        """Whether this is under `request/`, also where nothing can be read from it."""
        return topic.startswith(f"{self.prefix}/{REQUEST}/")

    def request(self, role: RequestRole, user: str, name: str) -> str:
        """Where a user sends a request."""
        return f"{self.prefix}/{REQUEST}/{role.value}/{user}/{name}"

    def read_request(self, topic: str) -> RequestTopic | None:
        """What the topic of a request says; nothing if it is none."""
        rest = topic.removeprefix(f"{self.prefix}/{REQUEST}/")
        levels = rest.split("/")
        if rest == topic or len(levels) != len(RequestTopic._fields):
            return None
        read = RequestTopic(*levels)
        return read if 0 < len(read.user) <= LONGEST_USER else None


# --- the table of topics ---------------------------------------------------------------------------------------------


class TopicKind(Enum):
    RETAINED = "retained"
    EVENT = EVENT
    REQUEST = REQUEST
    REPLY = REPLY
    CONTROLLER = CONTROLLER
    """Between controllers of one table."""


REPLAYED_TOPIC = "Where the event went out first, below the table's own topic."
"""The field `topic`, which stands before an event's own fields when it is sent again."""


class TopicRow(NamedTuple):
    below: str
    """Under `shoe/v1/{site}/{table}/`, unless `of_site`."""
    kind: TopicKind
    payloads: tuple[type[msgspec.Struct], ...]
    what: str
    act: type[Act] | None = None
    """What a dealer or supervisor asks for; its fields are the request's `details`."""
    role: RequestRole | None = None
    """Of a request: who sends it."""
    of_site: bool = False
    """Under `shoe/v1/{site}/`, beside the tables."""

    @property
    def key(self) -> str:
        """A name without parameters: `request/wagers/place`."""
        return "/".join(level for level in self.below.split("/") if not level.startswith("{"))

    def address(self, site: str, table: str, user: str) -> str:
        """The full topic, of a request that of this user."""
        parent = f"{ROOT}/{site}" if self.of_site else Topics(site, table).prefix
        return f"{parent}/{self.below}".replace("{table}", table).replace(USER, user)


EVENT_TOPICS = {
    EventTopic.SHOE: "a shoe is opened, burned, cut and ended; its connection",
    EventTopic.ROUND: "wagers open, change and close; a round is void",
    EventTopic.CARD: "each card as it may be shown, corrections, cards set aside",
    EventTopic.OUTCOME: "the result of a round, or that it was taken back",
    EventTopic.SETTLEMENT: "what every wager came to, in the dealer's steps, or that it was taken back",
    EventTopic.ALERT: "what went wrong, and that it is over",
    EventTopic.OPERATOR: "what people did",
    EventTopic.CHECKPOINT: "signed checkpoints of the journal, for a witness who keeps them elsewhere",
}


EVENTS: dict[type[Fact], str] = {
    facts.ShoeOpened: "New cards are in; from here on `shoe` counts one up, and `round` begins anew.",
    facts.CardBurned: "The first card of the shoe was shown, or one more card was burned after it, face down.",
    facts.CutCardOut: "The cut card came out: `last_round` is the number of the last round of this shoe.",
    facts.ShoeEnded: "No more rounds from this shoe.",
    facts.ShoeLinkChanged: "The connection to the shoe came or went.",
    facts.HandEntryChanged: "The table is dealt by hand from now on, or by the shoe's reader again.",
    facts.RunOutBegun: "The cards that are left in a shoe that ended are drawn through the reader, to be counted.",
    facts.CardCounted: "A card that was left came through the reader; it belongs to no round.",
    facts.RemainderCounted: "The cards that were left were counted: what had to be left, and what was.",
    facts.ShoeExchanged: "Another shoe took the place of the one at the table; its cards stay.",
    facts.BettingOpened: "A new round, or one that is dealt again: wagers are open.",
    facts.FreeHandAnnounced: "This round is dealt without wagers.",
    facts.WagersChanged: "A seat placed, changed or took back wagers; these are all that it has now.",
    facts.BettingClosed: "No more bets; `stakes` is the sum of all of them.",
    facts.RoundVoided: "The cards are out of play; take them off the display. Unless `replay`, the wagers go back.",
    facts.WagersCorrected: "Wagers were put right after the close; `after` is all that these seats have now.",
    facts.WagersReturned: "Some wagers of this round were returned; the round goes on without them.",
    facts.CardDealt: "A card was laid in a hand; its face is null while it lies face down or is not known.",
    facts.EnteredCardConfirmed: "The shoe reported a card that a person had entered, with the same face.",
    facts.CardsShown: "Cards that lay face down, or were not known, are shown now.",
    facts.CardCorrected: "A card differs from what was published; this replaces the last event about it.",
    facts.CardsAssigned: "Cards lie where the rules put them: show these places in place of all before.",
    facts.CardDiscarded: "A card was taken out of the round; the others lie as `places` says.",
    facts.CardSetAside: "A card left the shoe and lies in no hand.",
    facts.ExtraCardDecided: "What became of extra cards.",
    facts.RoundResult: "The round has a confirmed result.",
    facts.ResultUndone: "The result with the number `replaces` is taken back; the round waits for another.",
    facts.RoundSettled: "What every wager of the round came to, and the dealer's steps.",
    facts.SettlementUndone: "The settlement with the number `replaces` is taken back.",
    facts.RoundAmended: "A round that is over was settled again; `difference` is what to pay or to collect, by seat.",
    facts.AlertRaised: "Something is wrong; with severity `stops`, the table stands until it is over.",
    facts.AlertEnded: "The alert that was raised with the number `replaces` is over.",
    facts.PersonActed: "A person acted at the table.",
    facts.ActProposed: "An act that takes two people was proposed, and waits for another supervisor.",
    facts.ProposalEnded: "A proposal is gone without having been approved.",
    facts.DealerChanged: "Another dealer is on duty, or none.",
    facts.WrongPin: "A wrong PIN was given.",
    facts.NoteMade: "A note was put on a round.",
    facts.DisputeOpened: "A round is disputed; it is in `state.disputes` until it is decided.",
    facts.DisputeClosed: "A dispute is decided.",
    facts.PaymentAdjusted: "A payment that was made wrongly by hand is put right; the settlement stays as it is.",
    facts.CommissionCollected: "A seat has paid the commission that was marked for it.",
    facts.CommissionWaived: "Marked commission of a seat is not collected, for good.",
    facts.CheckpointSigned: "The journal up to a record was signed; its key has been removed from the machine.",
}
"""What each event reports, for those who build displays. Its field `fact` names it."""


def contract() -> Iterator[TopicRow]:
    yield TopicRow(STATUS, TopicKind.RETAINED, (StatusMessage,), "whether the controller is there, and how it is")
    yield TopicRow(HEAD, TopicKind.RETAINED, (HeadMessage,), "how far the journal had come after the last round")
    yield TopicRow(INFO, TopicKind.RETAINED, (InfoMessage,), "what the table offers, its limits and prices")
    yield TopicRow(STATE, TopicKind.RETAINED, (StateMessage,), "how the table stands")
    yield TopicRow(ROADS, TopicKind.RETAINED, (RoadsMessage,), "the five roads and the counts of the shoe")
    yield TopicRow(ROUNDS, TopicKind.RETAINED, (RoundsMessage,), "the rounds of the shoe, with their cards")
    yield TopicRow(
        f"{SITE_TABLES}/{{table}}", TopicKind.RETAINED, (TableListing,), "a table of the site, in a list", of_site=True
    )
    yield TopicRow(
        f"{SITE_WITNESS}/{USER}/{{table}}",
        TopicKind.RETAINED,
        (WitnessMessage,),
        "how far a witness follows a table, and its alarms",
        of_site=True,
    )
    yield TopicRow(PIT_EDGES, TopicKind.RETAINED, (EdgesMessage,), "the live edge of each wager, for the pit alone")
    yield TopicRow(
        PIT_ALARMS, TopicKind.RETAINED, (PitAlarmsMessage,), "what the pit should look into, for the pit alone"
    )
    yield TopicRow(
        f"{PIT}/{USER}/presence", TopicKind.RETAINED, (PitMessage,), "whether the pit's process is there", of_site=True
    )
    yield TopicRow(
        f"{SITE_ARCHIVE}/{USER}/presence",
        TopicKind.RETAINED,
        (ArchiveMessage,),
        "whether an archive is there, and stores",
        of_site=True,
    )
    for topic, what in EVENT_TOPICS.items():
        facts = tuple(fact for fact in AnyFact.__args__ if topic is fact.TOPIC)
        yield TopicRow(event_topic(topic), TopicKind.EVENT, facts, what)
    yield _request(RequestRole.WAGERS, PLACE, WagersRequest, "place, change or withdraw wagers of a seat")
    for role in (RequestRole.DEALER, RequestRole.SUPERVISOR):
        for name, act in acts_of(role).items():
            yield _request(role, name, ActRequest, ACTS[act].what, act)
    yield _request(RequestRole.DISPLAY, REPLAY, ReplayRequest, "send events again, from a number on")
    yield _request(RequestRole.WITNESS, CHECKPOINTS, CheckpointsRequest, "send checkpoints of the journal, from one on")
    yield TopicRow(
        f"{REPLY}/{{client}}/{{name}}", TopicKind.REPLY, (Answer,), "the answer to a request, and events sent again"
    )
    yield TopicRow(
        f"{CONTROLLER}/question",
        TopicKind.CONTROLLER,
        (ControllerQuestion,),
        "a controller of this table asks whether another one serves it",
    )
    yield TopicRow(
        f"{CONTROLLER}/answer", TopicKind.CONTROLLER, (ControllerAnswer,), "one that serves the table answers it"
    )


def _request(
    role: RequestRole, name: str, payload: type[msgspec.Struct], what: str, act: type[Act] | None = None
) -> TopicRow:
    return TopicRow(f"{REQUEST}/{role.value}/{USER}/{name}", TopicKind.REQUEST, (payload,), what, act, role)


RESERVED_TABLES = frozenset({SITE_TABLES, *(row.below.partition("/")[0] for row in contract())})
"""Names that a table must not have: its entry in the list would match a filter for the topics of other tables."""
