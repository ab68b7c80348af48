"""A display of one table: takes the messages as they come and keeps what is to be shown, and all facts for the end.

Like every display it goes by `seq`: what comes again is passed over, and what is missing shows at the end.
"""

from collections.abc import Callable
from contextlib import suppress
from statistics import median
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.reasons import AnyReason, FirstCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.demo.event_lines import StyledText, line_for
from shoe_controller.demo.truth import Truth
from shoe_controller.follow.event_sequencer import Event
from shoe_controller.follow.table import FollowedTable
from shoe_controller.messages.facts import (
    AnyFact,
    BettingOpened,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardsAssigned,
    CardsShown,
    FreeHandAnnounced,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
)
from shoe_controller.messages.retained import InfoMessage, RoadsMessage, StateMessage, StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.words.render import ENGLISH
from simulator.reckoner.books import TableBooks
from simulator.reckoner.displays import Event as PublishedEvent
from simulator.reckoner.mismatch import MismatchError

REMEMBERED = 200
"""Lines of what happened; more than any terminal shows."""


USER, INSTANCE = "demonstration", "display"
"""Our names at the broker, which asks for no password and serves this demonstration alone."""


class TimedLine(NamedTuple):
    at: float
    """Seconds since the demonstration began."""
    line: StyledText


class Latencies:
    """Milliseconds from the shoe to the display."""

    def __init__(self) -> None:
        self.all: list[float] = []

    def add(self, milliseconds: float) -> None:
        self.all.append(max(milliseconds, 0.0))

    def __str__(self) -> str:
        if not self.all:
            return "latency: no card yet"
        return f"latency {self.all[-1]:.0f} ms, median {median(self.all):.0f}, worst {max(self.all):.0f}"


class TableWatch:
    """Follows a table from its first event on, and keeps everything for the picture and the report."""

    def __init__(self, topics: Topics, happened: Callable[[TimedLine], None]) -> None:
        self.topics = topics
        self.table = FollowedTable(topics, self, client=USER, instance=INSTANCE, latest=None)
        self.table.broker_up()
        self._happened = happened
        self.facts: list[AnyFact] = []
        self.events: dict[int, PublishedEvent] = {}
        """The same as they were published, by their numbers."""
        self._books = TableBooks()
        self._new: list[AnyFact] = []
        self.messages = 0
        self.result: RoundResult | None = None
        self.settled: RoundSettled | None = None
        self.head = ""
        self.results = 0
        self.rounds_over = 0
        """Results after which the next round was opened, or the shoe ended: nothing more follows from them."""
        self.voids = 0
        self.latencies = Latencies()
        self.reason = ""
        """Why the last card was drawn, as the table published before it came."""
        self._due: AnyReason | None = None

    @property
    def state(self) -> StateMessage | None:
        return self.table.state

    @property
    def info(self) -> InfoMessage | None:
        return self.table.info

    @property
    def roads(self) -> RoadsMessage | None:
        return self.table.roads

    @property
    def status(self) -> StatusMessage | None:
        return self.table.status

    def take(self, topic: str, payload: bytes, at: float, *, retained: bool = False) -> list[AnyFact]:
        """Take a message; return the facts that are new by it."""
        self.messages += 1
        self._new = []
        self.table.receive(self.topics.below(topic), payload, at, retained=retained)
        return self._new

    def begin(self, _journal: str, _after: int) -> None:
        """A demonstration has one journal, which begins with it."""

    def apply(self, event: Event, now: float) -> None:
        published = msgspec.json.decode(event.payload)
        fact: AnyFact = msgspec.convert(published, AnyFact)
        self.facts.append(fact)
        self._new.append(fact)
        self.events[fact.seq] = (event.topic, event.payload)
        self.head = published.get("head", self.head)
        with suppress(MismatchError):  # the report at the end finds it again, and says so
            self._books.take(published)
        self._keep(fact)
        words = line_for(fact, self.reason)
        if words is not None:
            self.say(words, now)

    def say(self, words: StyledText, at: float) -> None:
        self._happened(TimedLine(at, words))

    @property
    def last_seq(self) -> int:
        return self.facts[-1].seq if self.facts else 0

    def knows_last_card_of(self, truth: Truth) -> bool:
        """Whether the last card that left the shoe is the last that was published."""
        last, cards = truth.last_card, self._books.cards.cards
        return last is None or (bool(cards) and cards[-1].fits(last))

    def _keep(self, fact: AnyFact) -> None:
        match fact:
            case CardDealt():
                self.reason = ENGLISH.of(self._due or FirstCard(hand=Side.PLAYER))
                self._due = fact.standing.why
            case CardsShown() | CardCorrected() | CardsAssigned() | CardDiscarded():
                self._due = fact.standing.why
            case RoundResult():
                self.result, self.settled, self._due = fact, None, None
                self.results += 1
            case RoundSettled():
                self.settled = fact
            case RoundVoided():
                self.voids += 1
                self._due = None
            case BettingOpened() | ShoeEnded() | FreeHandAnnounced(carried=True):
                self.rounds_over = self.results
            case _:
                pass
