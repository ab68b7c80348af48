"""What the events of the present shoe show: the cards seen, the rounds that wagers were opened for, and the stakes.

It begins with the event that opens a shoe. Before that, and where an event cannot be read, nothing is known of it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.composition import Composition
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.follow.event_sequencer import Event
from shoe_controller.history.seen_cards import FACTS_ABOUT_CARDS, SeenCards
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    AnyFact,
    BettingClosed,
    BettingOpened,
    CardDealt,
    CutCardOut,
    EventTopic,
    FreeHandAnnounced,
    ResultUndone,
    RoundVoided,
    ShoeEnded,
    ShoeOpened,
    WagersChanged,
    WagersCorrected,
    WagersReturned,
)
from shoe_controller.messages.rules import PublishedRules
from shoe_controller.messages.topics import EVENTS, event_topic
from shoe_controller.pit.certainty import HIDES_CARDS, PROVES_BAD

_ABOUT_CARDS = frozenset(FACTS_ABOUT_CARDS)

_TAKEN = _ABOUT_CARDS | {
    str(kind.__struct_config__.tag)
    for kind in (
        AlertEnded,
        AlertRaised,
        BettingClosed,
        BettingOpened,
        CutCardOut,
        FreeHandAnnounced,
        ResultUndone,
        ShoeEnded,
        WagersChanged,
        WagersCorrected,
        WagersReturned,
    )
}
"""The names of the events that are read."""

_KNOWN = frozenset(str(kind.__struct_config__.tag) for kind in EVENTS)

_CARDS = event_topic(EventTopic.CARD)

_read_fact = msgspec.json.Decoder(AnyFact).decode

_ONE_SHOE_ROUNDS = 1000
"""More rounds than any shoe has; further ones are not kept."""


class BetRound(msgspec.Struct):
    """A round that wagers were opened for."""

    left: Composition | None
    """The cards that nobody had seen when its wagers were closed, or now; `None` where that was in doubt."""
    stakes: dict[tuple[str, str], int] = {}
    """By seat and wager, when its wagers were closed, or now."""
    closed: bool = False
    time: int = 0
    """When wagers were opened: milliseconds since 1970, by the controller's clock."""


class EndedShoe(NamedTuple):
    """A shoe that has ended."""

    journal: str
    shoe: int
    rules: PublishedRules
    last_rounds: int
    rounds: Mapping[int, BetRound]


class ShoeFold:
    """An `EventFold`: one shoe after another."""

    def __init__(self) -> None:
        self.begun = 0
        """How often it was begun, each time without what came before."""
        self.after: int | None = None
        """The number of the event that it was begun after."""
        self.version = 0
        """Grows with every event that changes what is here."""
        self._forget()

    def _forget(self) -> None:
        self.opened = False
        """Whether the event that opened the present shoe came."""
        self.journal = ""
        self.shoe = 0
        self.round = 0
        self.rules: PublishedRules | None = None
        self.ended = False
        self.unreadable = False
        self.in_doubt = False
        """Whether a card may have left the shoe of which its events do not tell."""
        self.betting = False
        self.free = False
        self.rounds: dict[int, BetRound] = {}
        self.ended_shoes: list[EndedShoe] = []
        """Shoes that ended since somebody took them from here."""
        self._decks = 0
        self._last_rounds = 1
        self._dealt = 0
        """The last round of which a card was dealt."""
        self._seen = SeenCards()
        self._left: Composition | None = None
        """Copies of each card that nobody has seen, below 0 where too many came; `None` to be counted anew."""
        self._bad: set[int] = set()
        self._wagers: dict[str, tuple[PlacedWager, ...]] = {}

    def begin(self, journal: str, after: int) -> None:
        self.begun += 1
        self.version += 1
        self._forget()
        self.journal, self.after = journal, after

    def apply(self, event: Event, now: float) -> None:  # noqa: ARG002 - of the protocol
        if event.fact not in _TAKEN:
            if event.topic == _CARDS and event.fact not in _KNOWN:
                # A later version knows something about cards that this one does not.
                self.in_doubt = True
                self.version += 1
            return
        self.version += 1
        try:
            fact = _read_fact(event.payload)
        except msgspec.DecodeError:
            self.unreadable = True
            raise
        self._take(fact)

    # --- what is left ------------------------------------------------------------------------------------------------

    @property
    def doubtful(self) -> bool:
        """Whether it is not known what everybody has seen."""
        return self.in_doubt or bool(self._bad) or min(self._cards_left()) < 0

    @property
    def unseen(self) -> int:
        """Cards that nobody has seen."""
        return max(sum(self._cards_left()), 0) if self.opened else 0

    def _cards_left(self) -> Composition:
        if self._left is None:
            seen = self._seen.cards
            self._left = tuple(self._decks - seen[card] for card in CARDS_BY_NUMBER)
        return self._left

    # --- events ------------------------------------------------------------------------------------------------------

    def _take(self, fact: AnyFact) -> None:
        if isinstance(fact, ShoeOpened):
            journal, ended = self.journal, self.ended_shoes
            self._forget()
            self.journal, self.ended_shoes, self.opened = journal, ended, True
            self.rules, self._decks = fact.rules, fact.decks
        if not self.opened:
            return
        self.shoe, self.round = fact.shoe, fact.round
        if fact.__struct_config__.tag in _ABOUT_CARDS:
            self._seen.take(fact)
            self._left = None
        self._take_alert(fact)
        self._take_round(fact)
        if self.betting and self.round in self.rounds:
            self._note_open_round()

    def _take_alert(self, fact: AnyFact) -> None:
        match fact:
            case AlertRaised():
                self.in_doubt = self.in_doubt or fact.alert.kind in HIDES_CARDS
                if fact.alert.kind in PROVES_BAD:
                    self._bad.add(fact.alert.number)
            case AlertEnded():
                self._bad.discard(fact.alert.number)

    def _take_round(self, fact: AnyFact) -> None:  # noqa: C901, PLR0912 - one case for each event
        match fact:
            case BettingOpened():
                self.betting, self.free, self.ended = True, False, False
                self._wagers = {}
                self._set_wagers(fact.wagers)
                if len(self.rounds) < _ONE_SHOE_ROUNDS:
                    self.rounds[fact.round] = BetRound(left=None, time=fact.time)
            case FreeHandAnnounced():
                self.betting, self.free = False, True
                self.rounds.pop(fact.round, None)
            case WagersChanged():
                self._wagers[fact.seat] = fact.wagers
            case WagersReturned():
                gone = set(fact.returned)
                self._wagers = {
                    seat: tuple(wager for wager in wagers if wager not in gone) for seat, wagers in self._wagers.items()
                }
            case WagersCorrected():
                for seat in fact.seats:
                    self._wagers[seat] = ()
                self._set_wagers(fact.after)
            case BettingClosed():
                self.betting = False
                if fact.round in self.rounds:
                    self._note_open_round()
                    self.rounds[fact.round].closed = True
            case RoundVoided():
                self.betting = self.free = False
            case ResultUndone():
                self.betting = self.free = self.ended = False
            case CutCardOut():
                # Before the first card of a round, that round is one of those that are still dealt.
                self._last_rounds = fact.last_round - self._dealt
            case CardDealt():
                self._dealt = fact.round
            case ShoeEnded():
                self._end()

    def _set_wagers(self, wagers: tuple[PlacedWager, ...]) -> None:
        for wager in wagers:
            self._wagers[wager.seat] = (*self._wagers.get(wager.seat, ()), wager)

    def _note_open_round(self) -> None:
        """Wagers are open, or closed just now: this is what their edges follow from."""
        playing = self.rounds[self.round]
        playing.left = None if self.doubtful else self._cards_left()
        playing.stakes = {
            (wager.seat, wager.wager): wager.stake for wagers in self._wagers.values() for wager in wagers
        }

    def _end(self) -> None:
        self.betting = self.free = False
        if not self.ended and self.rules is not None:
            self.ended_shoes.append(
                EndedShoe(self.journal, self.shoe, self.rules, self._last_rounds, dict(self.rounds))
            )
        self.ended = True
