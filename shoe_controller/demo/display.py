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
from shoe_controller.messages.facts import (
    AnyFact,
    BettingOpened,
    CardDealt,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
)
from shoe_controller.messages.retained import InfoMessage, RoadsMessage, StateMessage, StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.words.render import ENGLISH
from simulator.reckoner.books import TableBooks
from simulator.reckoner.displays import Event
from simulator.reckoner.mismatch import MismatchError

REMEMBERED = 200
"""Lines of what happened; more than any terminal shows."""

_decode_state = msgspec.json.Decoder(StateMessage).decode
_decode_info = msgspec.json.Decoder(InfoMessage).decode
_decode_roads = msgspec.json.Decoder(RoadsMessage).decode
_decode_status = msgspec.json.Decoder(StatusMessage).decode


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
    def __init__(self, topics: Topics, happened: Callable[[TimedLine], None]) -> None:
        self.topics = topics
        self._happened = happened
        self.state: StateMessage | None = None
        self.info: InfoMessage | None = None
        self.roads: RoadsMessage | None = None
        self.status: StatusMessage | None = None
        self.facts: list[AnyFact] = []
        self.events: dict[int, Event] = {}
        """The same as they were published, by their numbers."""
        self._books = TableBooks()
        self.repeats = 0
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

    def take(self, topic: str, payload: bytes, at: float) -> AnyFact | None:
        """A message came. Gives back the fact that is new in it, if there is one."""
        topics = self.topics
        self.messages += 1
        if topic == topics.state:
            self.state = _decode_state(payload)
        elif topic == topics.info:
            self.info = _decode_info(payload)
        elif topic == topics.roads:
            self.roads = _decode_roads(payload)
        elif topic == topics.status:
            self.status = _decode_status(payload)
        elif topics.is_event(topic):
            return self._take_event((topics.below(topic), payload), at)
        return None

    def say(self, words: StyledText, at: float) -> None:
        self._happened(TimedLine(at, words))

    @property
    def last_seq(self) -> int:
        return self.facts[-1].seq if self.facts else 0

    def knows_last_card_of(self, truth: Truth) -> bool:
        """Whether the last card that left the shoe is the last that was published."""
        last, cards = truth.last_card, self._books.cards.cards
        return last is None or (bool(cards) and cards[-1].fits(last))

    def _take_event(self, event: Event, at: float) -> AnyFact | None:
        published = msgspec.json.decode(event[1])
        fact: AnyFact = msgspec.convert(published, AnyFact)
        if fact.seq <= self.last_seq:
            self.repeats += 1
            return None
        self.facts.append(fact)
        self.events[fact.seq] = event
        self.head = published.get("head", self.head)
        with suppress(MismatchError):  # the report at the end finds it again, and says so
            self._books.take(published)
        self._keep(fact)
        words = line_for(fact, self.reason)
        if words is not None:
            self.say(words, at)
        return fact

    def _keep(self, fact: AnyFact) -> None:
        match fact:
            case CardDealt():
                self.reason = ENGLISH.of(self._due or FirstCard(hand=Side.PLAYER))
                self._due = fact.standing.why
            case RoundResult():
                self.result, self.settled, self._due = fact, None, None
                self.results += 1
            case RoundSettled():
                self.settled = fact
            case RoundVoided():
                self.voids += 1
                self._due = None
            case BettingOpened() | ShoeEnded():
                self.rounds_over = self.results
            case _:
                pass
