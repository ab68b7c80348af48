"""One table, as the pit sees it: what its events show, the edges that follow from that, and its alarms. Pure.

`now` is in seconds, by a clock that only goes forward; `wall` in milliseconds since 1970.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shoe_controller.baccarat.composition import DRAWN
from shoe_controller.follow.table import FollowedTable, Request
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.pit import (
    MOST_ALARMS,
    AnyNoEdges,
    CardsUncertain,
    EdgesMessage,
    EventsAwaited,
    EventsGone,
    FreeHandNow,
    NoRoundToCome,
    NoShoe,
    PitAlarmsMessage,
    PricesUnknown,
    RaisedPitAlarm,
    SuggestedAct,
    TableAway,
    TooFewCards,
    WagerEdge,
    WagerExposed,
)
from shoe_controller.messages.rules import PublishedRules
from shoe_controller.messages.topics import STATE, Topics
from shoe_controller.pit.exposure import CurvePoint, Exposure
from shoe_controller.pit.prices import PricedRules, PricesUnknownError, SharedPrices
from shoe_controller.pit.shoe_fold import BetRound, EndedShoe, ShoeFold
from shoe_controller.protection.shoe_record import ShoeRecord

FIRST_LOOK = 500
"""Events before the present one that are requested first; a whole shoe has some hundreds to some thousands."""

LOOK_FURTHER = 4
"""By how much further back the next look goes, until the event that opened the shoe is there."""

EXPIRES = 60
"""Seconds after which what was published counts no more."""

RENEW = 20.0
"""Seconds after which it is published again, if nothing has changed."""

MOST_LINES = 5000
"""Lines of the file that are remembered of each table: a shoe with ten exposed wagers in every round has 800."""

WHAT_TO_DO = (SuggestedAct.LOWER_LIMIT, SuggestedAct.TAKE_WAGER_OFF, SuggestedAct.END_SHOE_EARLY)

ExposedKey = tuple[str, int, int, str]
"""Journal, shoe, round and wager."""


class _Worked(NamedTuple):
    """The edges of a round, by the cards that they follow from."""

    left: tuple[int, ...]
    edges: tuple[float, ...]
    best: tuple[float, str]
    """The highest, with its wager."""


class Figures(NamedTuple):
    """All of an edges' message but its times."""

    none: AnyNoEdges | None
    shoe: int
    round: int
    unseen: int
    edges: tuple[float, ...]


class OfFile(NamedTuple):
    """What the file has about one table."""

    seat_alarms: list[RaisedPitAlarm]
    """Those that nobody has acknowledged."""
    lines: dict[ExposedKey, int]
    """The newest lines about exposed wagers."""


class PitTable:
    """Messages in; requests, edges and alarms out. A message that cannot be read raises `msgspec.DecodeError`."""

    def __init__(self, topics: Topics, *, prices: SharedPrices, edge_limit: float, client: str, instance: str) -> None:
        """`client` is our user name at the broker, `instance` unlike that of any other start of this program."""
        self.topics = topics
        self.fold = ShoeFold()
        self.followed = FollowedTable(topics, self.fold, client=client, instance=instance, latest=FIRST_LOOK)
        self.of_file = OfFile([], {})
        self._prices = prices
        self._edge_limit = edge_limit
        self._state_came = False
        """Whether the table's state has come over this connection: what is missing before that is not known."""
        self._begun = 0
        self._gone = False
        """Whether events before those that came are not there any more."""
        self._worked: dict[int, _Worked] = {}
        """By round of the present shoe."""
        self._of_shoe = ("", 0)
        self._checked: dict[int, BetRound] = {}
        """Rounds of the present shoe whose exposed wagers were handed out to be written."""
        self._raised: dict[tuple[int, str], int] = {}
        """When the alarm of a round and wager was raised."""
        self._priced_rules: tuple[PublishedRules, PricedRules | None] | None = None

    # --- what comes --------------------------------------------------------------------------------------------------

    def broker_up(self) -> None:
        """A new connection: nothing that came over the one before is believed."""
        self._state_came = False
        self.followed.broker_up()

    def broker_down(self) -> None:
        self.followed.broker_down()

    def receive(self, below: str, payload: bytes, now: float, *, retained: bool = False) -> None:
        """A message on a topic of the table, without the table's own part of it."""
        journal, had = self.followed.journal, self.followed.have
        try:
            self.followed.receive(below, payload, now, retained=retained)
        finally:
            if below == STATE:
                self._state_came = self._state_came or self.followed.state is not None
            if self.fold.begun != self._begun:
                self._begun = self.fold.begun
                # The follower begins later than it was asked to only where the journal has no more.
                self._gone = had is not None and journal == self.followed.journal
            self._forget_earlier_shoe()

    def _forget_earlier_shoe(self) -> None:
        of_shoe = (self.fold.journal, self.fold.shoe)
        if self.fold.opened and of_shoe != self._of_shoe:
            self._of_shoe = of_shoe
            self._worked, self._checked, self._raised = {}, {}, {}

    def request(self, now: float) -> Request | None:
        """The request for events that are missing, if it should be sent now; it counts as sent."""
        if self._should_look_further():
            back = (self.followed.have or 0) - (self.fold.after or 0)
            self.followed.begin_after(max((self.fold.after or 0) - LOOK_FURTHER * max(back, FIRST_LOOK), 0), now)
            self._begun = self.fold.begun
        return self.followed.request(now)

    def _should_look_further(self) -> bool:
        """Whether all that was requested came, and the event that opened the shoe is not among it."""
        return (
            self._is_current()
            and not self.fold.opened
            and not self._gone
            and bool(self.fold.after)
            and self._has_shoe()
        )

    def _has_shoe(self) -> bool:
        state = self.followed.state
        return state is not None and state.phase not in (Phase.NO_SHOE, Phase.ENDED)

    def _is_current(self) -> bool:
        """Whether all events up to the table's state are there."""
        have, state = self.followed.have, self.followed.state
        return self._state_came and state is not None and have is not None and have >= state.seq

    # --- edges -------------------------------------------------------------------------------------------------------

    def _none(self) -> AnyNoEdges | None:  # noqa: C901, PLR0911 - one case for each reason
        """Why there are no edges now."""
        fold = self.fold
        if not self.followed.online:
            return TableAway()
        if not self._is_current():
            return EventsAwaited()
        if not fold.opened:
            if not self._has_shoe():
                return NoShoe()
            return EventsAwaited() if self._should_look_further() else EventsGone()
        if fold.unreadable:
            return EventsGone()
        if fold.ended or not fold.rounds:
            return FreeHandNow() if fold.free and not fold.ended else NoShoe()
        if fold.doubtful:
            return CardsUncertain()
        if self._priced() is None:
            return PricesUnknown()
        if fold.free:
            return FreeHandNow()
        if not fold.betting:
            return NoRoundToCome()
        return TooFewCards() if fold.unseen < DRAWN else None

    def _priced(self) -> PricedRules | None:
        rules = self.fold.rules
        if rules is None:
            return None
        if self._priced_rules is None or self._priced_rules[0] is not rules:
            try:
                self._priced_rules = rules, self._prices.of(rules)
            except PricesUnknownError:
                self._priced_rules = rules, None
        return self._priced_rules[1]

    def _edges_of(self, number: int) -> tuple[float, ...] | None:
        """The edges of a round of the present shoe, where there are any."""
        playing = self.fold.rounds.get(number)
        priced = self._priced()
        if playing is None or playing.left is None or priced is None or sum(playing.left) < DRAWN:
            return None
        worked = self._worked.get(number)
        if worked is None or worked.left != playing.left:
            edges = priced.live.edges([playing.left])[0]
            best = max(zip(edges, priced.live.wagers, strict=True))
            worked = self._worked[number] = _Worked(playing.left, edges, best)
        return worked.edges

    def work_off(self) -> bool:
        """Compute the edges of one earlier round of this shoe, the latest that has none; whether there was one."""
        if not self._is_current():
            return False
        for number in reversed(self.fold.rounds):
            if number not in self._worked and self._edges_of(number) is not None:
                return True
        return False

    def figures(self) -> Figures:
        """What is published now: equal as long as nothing has changed."""
        none = self._none()
        fold, state = self.fold, self.followed.state
        edges = () if none is not None else self._edges_of(fold.round) or ()
        known = fold.opened or state is None
        return Figures(
            none=none,
            shoe=fold.shoe if known else state.shoe if state is not None else 0,
            round=fold.round if known else state.round if state is not None else 0,
            unseen=fold.unseen,
            edges=edges,
        )

    def edges_message(self, figures: Figures, start: str, wall: int) -> EdgesMessage | None:
        """`None` before a journal is known."""
        if self.followed.journal is None:
            return None
        priced = self._priced() if figures.edges else None
        edges = []
        if priced is not None:
            found = zip(priced.live.wagers, figures.edges, priced.full_shoe, strict=True)
            edges = [WagerEdge(wager=wager, edge=edge, full_shoe=full) for wager, edge, full in found]
        return EdgesMessage(
            start=start,
            journal=self.followed.journal,
            seq=self.followed.have or 0,
            shoe=figures.shoe,
            round=figures.round,
            time=wall,
            until=wall + EXPIRES * 1000,
            unseen=figures.unseen,
            edges=tuple(sorted(edges, key=lambda each: -each.edge)),
            none=figures.none,
        )

    def curve(self) -> tuple[CurvePoint, ...]:
        """The most exposed wager of each round of this shoe whose edges were computed."""
        rounds = self.fold.rounds
        return tuple(
            CurvePoint(number, worked.best[1], worked.best[0])
            for number, worked in sorted(self._worked.items())
            if number in rounds and rounds[number].left == worked.left
        )

    # --- alarms ------------------------------------------------------------------------------------------------------

    def _exposed(self, number: int) -> Iterator[WagerExposed]:
        """The wagers of a round that favour the player by more than the limit."""
        edges, priced, playing = self._edges_of(number), self._priced(), self.fold.rounds.get(number)
        if edges is None or priced is None or playing is None:
            return
        for wager, edge in zip(priced.live.wagers, edges, strict=True):
            if edge > self._edge_limit:
                yield WagerExposed(
                    shoe=self.fold.shoe,
                    round=number,
                    wager=wager,
                    edge=edge,
                    limit=self._edge_limit,
                    staked=_staked(playing, wager),
                    suggested=WHAT_TO_DO,
                )

    def to_write(self) -> Iterator[WagerExposed]:
        """The exposed wagers of rounds whose wagers were closed, each once, as far as no line of the file has them."""
        if not self._is_current():
            return
        for number, playing in self.fold.rounds.items():
            if playing.closed and number in self._worked and self._checked.get(number) is not playing:
                self._checked[number] = playing
                yield from (each for each in self._exposed(number) if self._key(each) not in self.of_file.lines)

    def _key(self, exposed: WagerExposed) -> ExposedKey:
        return (self.fold.journal, exposed.shoe, exposed.round, exposed.wager)

    def written(self, journal: str, exposed: WagerExposed, line: int) -> None:
        """A line of the file is about this wager, written now or before this start."""
        key = (journal, exposed.shoe, exposed.round, exposed.wager)
        if len(self.of_file.lines) == MOST_LINES:
            del self.of_file.lines[next(iter(self.of_file.lines))]
        self.of_file.lines[key] = line

    def alarms(self, wall: int) -> tuple[RaisedPitAlarm, ...]:
        """The exposed wagers of the present round, the most exposed last, and those of seats that stand."""
        exposed = sorted(self._exposed_now(wall), key=lambda each: each.alarm.edge)  # type: ignore[union-attr]  # has one
        return (*exposed, *self.of_file.seat_alarms)

    def _exposed_now(self, wall: int) -> Iterator[RaisedPitAlarm]:
        playing = self.fold.rounds.get(self.fold.round)
        none = self._none()
        if playing is None or not (none is None or (isinstance(none, NoRoundToCome) and playing.closed)):
            return
        for exposed in self._exposed(self.fold.round):
            time = self._raised.setdefault((exposed.round, exposed.wager), wall)
            yield RaisedPitAlarm(line=self.of_file.lines.get(self._key(exposed), 0), time=time, alarm=exposed)

    def alarms_message(self, alarms: tuple[RaisedPitAlarm, ...], start: str) -> PitAlarmsMessage | None:
        """`None` before a journal is known."""
        if self.followed.journal is None:
            return None
        return PitAlarmsMessage(start=start, journal=self.followed.journal, alarms=alarms[-MOST_ALARMS:])

    # --- shoes that ended --------------------------------------------------------------------------------------------

    def records(self) -> Iterator[tuple[EndedShoe, ShoeRecord]]:
        """The shoes that ended since this was called last, with the edges and stakes of their rounds."""
        ended, self.fold.ended_shoes = self.fold.ended_shoes, []
        for shoe in ended:
            yield shoe, self._record(shoe)

    def _record(self, shoe: EndedShoe) -> ShoeRecord:
        """Free hands, and rounds without edges, are left out; a round that everybody sat out is evidence too."""
        try:
            live = self._prices.of(shoe.rules).live
        except PricesUnknownError:
            return ShoeRecord(shoe.rules.decks, shoe.last_rounds, (), {}, {})
        rounds = {
            number: (playing, playing.left)
            for number, playing in sorted(shoe.rounds.items())
            if playing.closed and playing.left is not None and sum(playing.left) >= DRAWN
        }
        edges = live.edges([left for _, left in rounds.values()]) if rounds else []
        return ShoeRecord(
            decks=shoe.rules.decks,
            last_rounds=shoe.last_rounds,
            rounds=tuple(rounds),
            edges=dict(zip(live.wagers, zip(*edges, strict=True), strict=True)) if edges else {},
            stakes={
                key: tuple(playing.stakes.get(key, 0) for playing, _ in rounds.values())
                for key in sorted({key for playing, _ in rounds.values() for key in playing.stakes})
            },
        )

    # --- the page ----------------------------------------------------------------------------------------------------

    def exposure(self, edges: EdgesMessage | None, alarms: Iterable[RaisedPitAlarm]) -> Exposure:
        return Exposure(edges, self.curve(), tuple(alarms))


def _staked(playing: BetRound, wager: str) -> int:
    return sum(stake for (_, other), stake in playing.stakes.items() if other == wager)
