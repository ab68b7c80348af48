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
from shoe_controller.messages.facts import AnyFact, Fact
from shoe_controller.messages.requests import (
    ActRequest,
    Answer,
    ReplayRequest,
    RequestRole,
    WagersRequest,
    acts_of,
)
from shoe_controller.messages.retained import InfoMessage, RoadsMessage, StateMessage, StatusMessage

LONGEST_CLIENT = 80
"""The table remembers it with every request that did something."""


def round_id(journal: str, shoe: int, round_: int) -> str:
    """The id of a round, unique over all journals. Round 0 of a shoe is what comes before its first round."""
    return f"{journal}-{shoe}-{round_}"


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
