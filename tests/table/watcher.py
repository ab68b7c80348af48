"""Somebody who watches a table from its facts alone, as an auditor would, and finds whatever does not add up.

It keeps its own books of alerts, wagers and cards. `see` is called after every input of a `Sitting`.
"""

from firmware_protocol.events import CardDrawn, CardIdentified, DoubleFeed, ForeignCard, Misread
from firmware_protocol.link import DesiredShoe, Lamp
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    AnyFact,
    ResultUndone,
    RoundResult,
    RoundSettled,
    RoundVoided,
    SettlementUndone,
    ShoeEnded,
    ShoeOpened,
    WagersChanged,
    WagersReturned,
)
from shoe_controller.table.alerts import ALERTS
from shoe_controller.table.inputs import AnyInput, NewShoe, ShoeReport
from shoe_controller.table.judging import judge
from shoe_controller.table.state import TableState
from shoe_controller.table.view import view_of

Wagers = tuple[PlacedWager, ...]


class Watcher:
    def __init__(self) -> None:
        self.seq = 0
        self.alerts: dict[int, AlertKind] = {}
        self.standing: Wagers = ()
        self.cards_out: int | None = None
        """Cards that left the shoe in play, as its events tell."""
        self.named = 0
        """Faces that the shoe told of later: which card it means is not always certain."""
        self.settled: dict[int, Wagers] = {}
        """By the number of the settlement, while it can be taken back."""
        self.results: dict[int, RoundResult] = {}

    def see(self, given: AnyInput, facts: tuple[AnyFact, ...], state: TableState, wish: DesiredShoe) -> None:
        report = given.cause if isinstance(given, NewShoe) else given
        for fact in facts:
            self._see_fact(fact)
        if isinstance(report, ShoeReport) and self.cards_out is not None:
            self.cards_out += _cards_that_left(report)
            self.named += isinstance(report.event, CardIdentified)
        if state.shoe is not None:
            assert state.shoe.cards_out == self.cards_out, "a card was lost or invented"
            assert sum(state.shoe.copies) <= state.shoe.cards_out + self.named, "a face was counted twice"
            assert min(state.shoe.copies) >= 0
        now = () if state.round is None else state.round.wagers
        assert sorted((w.seat, w.wager, w.stake) for w in now) == sorted(
            (w.seat, w.wager, w.stake) for w in self.standing
        ), "the wagers that stand are not those that were told of"
        assert {alert.number: alert.kind for alert in state.lasting.alerts} == self.alerts
        assert state.lasting.seq == self.seq
        view = view_of(state)
        assert view.stopped == self.stopped
        if self.stopped:
            assert wish.gate_locked
            assert Lamp.ALERT in wish.lamps
            assert wish.next_hand is None
        if state.round is not None and any(laid.card is None for laid in state.round.cards):
            assert not judge(state.round.cards).complete

    @property
    def stopped(self) -> bool:
        return any(ALERTS[kind].severity is Severity.STOPS for kind in self.alerts.values())

    def _see_fact(self, fact: AnyFact) -> None:  # noqa: C901 - one case for each fact
        self.seq += 1
        assert fact.seq == self.seq, "facts are numbered without a gap"
        match fact:
            case AlertRaised():
                self.alerts[fact.alert.number] = fact.alert.kind
            case AlertEnded():
                assert self.alerts.pop(fact.alert.number) is fact.alert.kind
            case ShoeOpened():
                self.cards_out = self.named = 0
                self.settled.clear()
                self.results.clear()
                assert self.standing == (), "wagers of the old shoe were forgotten"
            case ShoeEnded():
                assert self.standing == ()
            case WagersChanged():
                self.standing = (*(w for w in self.standing if w.seat != fact.seat), *fact.wagers)
                assert fact.total == sum(w.stake for w in fact.wagers)
            case WagersReturned() | RoundVoided():
                self._see_returned(fact)
            case RoundResult():
                assert not self.stopped, "a result was given while an alert stood"
                assert fact.replaces is None or fact.replaces not in self.results
                self.results[fact.seq] = fact
            case ResultUndone():
                del self.results[fact.replaces]
            case RoundSettled():
                assert not self.stopped, "a round was settled while an alert stood"
                self._see_settled(fact)
            case SettlementUndone():
                assert self.standing == ()
                self.standing = self.settled.pop(fact.replaces)

    def _see_returned(self, fact: WagersReturned | RoundVoided) -> None:
        assert fact.total == sum(w.stake for w in fact.returned)
        for wager in fact.returned:
            assert wager in self.standing, "a wager was returned that did not stand"
        self.standing = tuple(w for w in self.standing if w not in fact.returned)
        if isinstance(fact, RoundVoided) and not fact.replay:
            assert self.standing == (), "a void returns all wagers"

    def _see_settled(self, fact: RoundSettled) -> None:
        settlement = fact.settlement
        told = sorted((w.seat, w.wager, w.stake) for w in settlement.wagers)
        assert told == sorted((w.seat, w.wager, w.stake) for w in self.standing), "other wagers were settled"
        totals = settlement.totals
        held_back = totals.commission if settlement.commission_taken.value == "at_once" else 0
        assert totals.stakes + totals.winnings == totals.taken + totals.returned + held_back + totals.cut
        assert totals.stakes == sum(seat.stakes for seat in settlement.seats.values())
        self.settled[fact.seq] = self.standing
        self.standing = ()


def _cards_that_left(report: ShoeReport) -> int:
    match report.event:
        case CardDrawn(carried_over=False) | Misread() | ForeignCard():
            return 1
        case DoubleFeed(cards=cards):
            return cards
    return 0
