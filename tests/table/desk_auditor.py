"""An auditor beside the desk: knows only what was said (inputs, facts) and what the table says it stands at.

`look` is called for every stored input. It keeps accounts of its own, of alerts, cards and money, from the facts alone,
and an AssertionError says where the table does not agree with them.
"""

from collections import Counter
from typing import NamedTuple

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CardIdentified, DoubleFeed, ForeignCard, Misread
from shoe_controller.baccarat.house import CommissionTaken, PlacedWager
from shoe_controller.baccarat.outcome import dealt_round
from shoe_controller.baccarat.settlement import Settlement, Totals
from shoe_controller.baccarat.sides import Side
from shoe_controller.baccarat.wagers import Result
from shoe_controller.messages.acts import CorrectCard, IdentifyCard
from shoe_controller.messages.alerts import Severity
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    AnyFact,
    BettingOpened,
    CardCorrected,
    CardDealt,
    CardPlace,
    CardsShown,
    PersonActed,
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
from shoe_controller.table.finishing import placed
from shoe_controller.table.inputs import AnyInput, NewShoe, PersonActs, ShoeReport
from shoe_controller.table.state import TableState
from shoe_controller.table.table import Handled

TOO_MANY = ("too_many_copies", "bad_card_out_of_round")
"""The alerts that stand when a face came more often than the decks hold it."""


class Told(NamedTuple):
    """A card of the round under way, as the facts tell of it."""

    hand: Side
    card: Card | None
    seq: int


class Finished(NamedTuple):
    """A round that has a result."""

    result: RoundResult
    cards: dict[int, Told]
    settled: RoundSettled | None = None


class Auditor:
    def __init__(self) -> None:
        self.seq = 0
        self.alerts: dict[int, AlertRaised] = {}
        self.cards: dict[int, Told] = {}
        self.last: Finished | None = None
        """The round that was finished last, and whose result may be taken back."""
        self.undone: dict[tuple[int, int], list[int]] = {}
        """Results and settlements that were taken back, by shoe and round; the next ones replace them."""
        self.standing: dict[str, tuple[PlacedWager, ...]] = {}
        self.placed = self.settled = self.returned = 0
        self.commission: Counter[str] = Counter()
        self.settlements = 0
        self.results = 0

    def look(self, before: TableState, given: AnyInput, handled: Handled) -> None:
        for fact in handled.facts:
            assert fact.seq == self.seq + 1
            self.seq = fact.seq
            self._hear(fact)
        state = handled.state
        assert state.lasting.seq == self.seq
        assert {alert.number: (alert.kind, alert.seq) for alert in state.lasting.alerts} == {
            number: (raised.alert.kind, raised.seq) for number, raised in self.alerts.items()
        }
        self._check_money(state)
        if state.shoe is not None:
            check_cards(before, given, handled)

    def _hear(self, fact: AnyFact) -> None:
        match fact:
            case AlertRaised():
                assert fact.alert.number not in self.alerts
                self.alerts[fact.alert.number] = fact
            case AlertEnded():
                raised = self.alerts.pop(fact.alert.number)
                assert (raised.seq, raised.alert) == (fact.replaces, fact.alert)
            case CardDealt() | CardsShown() | CardCorrected():
                self._hear_of_cards(fact)
            case RoundResult() | ResultUndone():
                self._hear_of_result(fact)
            case RoundSettled() | SettlementUndone() | WagersChanged() | RoundVoided() | WagersReturned():
                self._hear_of_money(fact)
            case BettingOpened():
                self.cards = {}
            case ShoeOpened():
                assert self.standing == {}
                self.cards, self.last, self.commission = {}, None, Counter()
            case ShoeEnded():
                assert Counter(fact.commission_due) == self.commission
                self.cards = {}
            case _:
                pass

    # --- cards and results -------------------------------------------------------------------------------------------

    def _hear_of_cards(self, fact: CardDealt | CardsShown | CardCorrected) -> None:
        match fact:
            case CardDealt():
                assert fact.place.number == len(self.cards) + 1
                self._lay(fact.place, fact.seq)
            case CardsShown():
                for place in fact.places:
                    self._stays(place)
                    assert place.card is not None or self.cards[place.number].card is None
                    self._lay(place, fact.seq)
            case CardCorrected():
                self._stays(fact.place)
                assert fact.replaces == self.cards[fact.place.number].seq
                self._lay(fact.place, fact.seq)

    def _stays(self, place: CardPlace) -> None:
        assert self.cards[place.number].hand is place.hand, "a card was moved to the other hand"

    def _lay(self, place: CardPlace, seq: int) -> None:
        self.cards[place.number] = Told(place.hand, place.card, seq)

    def _hear_of_result(self, fact: RoundResult | ResultUndone) -> None:
        replaced = self.undone.get((fact.shoe, fact.round), [])
        if isinstance(fact, ResultUndone):
            assert self.last is not None
            assert fact.replaces == self.last.result.seq
            self.undone.setdefault((fact.shoe, fact.round), []).append(fact.replaces)
            self.cards = dict(self.last.cards)
            return
        self.results += 1
        assert [raised for raised in self.alerts.values() if raised.alert.severity is Severity.STOPS] == []
        known = {number: told.card for number, told in self.cards.items() if told.card is not None}
        assert len(known) == len(self.cards), "a result on a card that nobody knows"
        cards = [known[number] for number in sorted(known)]
        deal = dealt_round(cards, decks=len(cards))
        assert (fact.outcome.player.cards, fact.outcome.banker.cards) == (deal.player, deal.banker)
        assert fact.outcome.winner is deal.facts.winner
        assert fact.replaces == (replaced[-1] if replaced else None)
        self.last = Finished(fact, self.cards)

    # --- money -------------------------------------------------------------------------------------------------------

    def _hear_of_money(
        self, fact: RoundSettled | SettlementUndone | WagersChanged | RoundVoided | WagersReturned
    ) -> None:
        match fact:
            case WagersChanged():
                self.placed += fact.total - sum(wager.stake for wager in self.standing.get(fact.seat, ()))
                assert fact.total == sum(wager.stake for wager in fact.wagers)
                self.standing[fact.seat] = fact.wagers
            case RoundVoided() | WagersReturned():
                assert fact.total == sum(wager.stake for wager in fact.returned)
                self.returned += fact.total
                self._take_off(fact.returned)
                self.cards = {} if isinstance(fact, RoundVoided) else self.cards
                assert isinstance(fact, WagersReturned) or fact.replay or self.standing == {}
            case RoundSettled():
                self._hear_of_settlement(fact)
            case SettlementUndone():
                assert self.last is not None
                assert self.last.settled is not None
                assert fact.replaces == self.last.settled.seq
                self._take_back(self.last.settled.settlement)
        self.standing = {seat: wagers for seat, wagers in self.standing.items() if wagers}

    def _hear_of_settlement(self, fact: RoundSettled) -> None:
        self.settlements += 1
        settlement = fact.settlement
        check_settlement(settlement)
        assert self.last is not None
        assert self.last.result.seq == fact.seq - 1
        self.last = self.last._replace(settled=fact)
        self.settled += settlement.totals.stakes
        self._take_off(tuple(PlacedWager(one.seat, one.wager, one.stake) for one in settlement.wagers))
        assert self.standing == {}
        self.commission += marked(settlement)

    def _take_back(self, settlement: Settlement) -> None:
        assert self.standing == {}, "wagers of another round stand while the last one is taken back"
        self.settled -= settlement.totals.stakes
        self.commission -= marked(settlement)
        for one in settlement.wagers:
            wager = PlacedWager(one.seat, one.wager, one.stake)
            self.standing[one.seat] = (*self.standing.get(one.seat, ()), wager)

    def _take_off(self, wagers: tuple[PlacedWager, ...]) -> None:
        """These wagers stood and do so no more."""
        standing = Counter(wager for seat in self.standing.values() for wager in seat)
        taken = Counter(wagers)
        assert taken <= standing
        self.standing = {
            seat: tuple(wager for wager in stood if wager not in taken) for seat, stood in self.standing.items()
        }
        self.standing = {seat: stood for seat, stood in self.standing.items() if stood}

    def _check_money(self, state: TableState) -> None:
        wagers = () if state.round is None else placed(state.round.wagers)
        assert self.placed == self.settled + self.returned + sum(wager.stake for wager in wagers)
        assert Counter(wagers) == Counter(wager for stood in self.standing.values() for wager in stood)
        if state.shoe is not None:
            assert Counter(dict(state.shoe.commission)) == self.commission


def marked(settlement: Settlement) -> Counter[str]:
    """Commission that is written down, by seat."""
    if settlement.commission_taken is not CommissionTaken.MARKED:
        return Counter()
    return Counter({seat: totals.commission for seat, totals in settlement.seats.items() if totals.commission})


def check_settlement(settlement: Settlement) -> None:
    """Every wager balances, and so do the seats, the totals and the dealer's steps."""
    at_once = settlement.commission_taken is CommissionTaken.AT_ONCE
    for one in settlement.wagers:
        taken = one.stake if one.result is Result.LOSE else 0
        held_back = one.commission if at_once else 0
        assert one.stake + one.winnings == taken + one.returned + held_back + one.cut
        assert min(one.stake, one.winnings, one.commission, one.cut, one.returned) >= 0
    for field in Totals.__struct_fields__:
        assert getattr(settlement.totals, field) == sum(getattr(seat, field) for seat in settlement.seats.values())
    totals, steps = settlement.totals, settlement.steps
    assert totals.stakes == sum(one.stake for one in settlement.wagers)
    assert totals.returned == sum(one.returned for one in settlement.wagers)
    assert totals.taken == sum(step.amount for step in steps if step.step == "take")
    assert totals.paid == sum(step.amount for step in steps if step.step == "pay")


# --- the cards of the shoe -------------------------------------------------------------------------------------------


def check_cards(before: TableState, given: AnyInput, handled: Handled) -> None:
    """Each card that leaves the shoe is counted once, and a face too many is never passed over."""
    shoe = handled.state.shoe
    assert shoe is not None
    fresh = isinstance(given, NewShoe) or before.shoe is None
    report = given.cause if isinstance(given, NewShoe) else given
    event = report.event if isinstance(report, ShoeReport) else None
    out_before = 0 if fresh or before.shoe is None else before.shoe.cards_out
    copies_before = (0,) * len(shoe.copies) if fresh or before.shoe is None else before.shoe.copies
    assert shoe.cards_out - out_before == (0 if event is None else cards_in(event))
    assert sum(shoe.copies) <= shoe.cards_out
    change = {
        CARDS_BY_NUMBER[number]: now - then
        for number, (now, then) in enumerate(zip(shoe.copies, copies_before, strict=True))
        if now != then
    }
    certain, possible = faces_told(before, report, handled)
    assert change in (certain, possible), f"{change} after {given}"
    raised = [fact.alert.kind for fact in handled.facts if isinstance(fact, AlertRaised)]
    stand = [alert.kind for alert in handled.state.lasting.alerts]
    for card, by in change.items():
        if by > 0 and shoe.copies[card.number] > shoe.decks:
            assert any(kind in TOO_MANY for kind in raised + stand), (
                f"{card} came too often and nobody was told: {given}, {before.phase}, {raised}, {stand}"
            )


def faces_told(before: TableState, given: AnyInput, handled: Handled) -> tuple[dict[Card, int], dict[Card, int]]:
    """How the counts of faces must change, and how else they may: a face that was told before counts no more."""
    nothing: dict[Card, int] = {}
    if isinstance(given, ShoeReport) and isinstance(given.event, CardDrawn | CardIdentified):
        face: Card | None = given.event.card
        if face is None:
            return nothing, nothing
        drawn = isinstance(given.event, CardDrawn) and not given.event.carried_over
        return {face: 1}, ({face: 1} if drawn else nothing)
    if isinstance(given, PersonActs) and isinstance(given.act, IdentifyCard | CorrectCard) and acted(handled):
        assert given.act.card is not None
        named = {given.act.card: 1}
        if isinstance(given.act, CorrectCard) and before.round is not None:
            old = before.round.cards[given.act.number - 1].card
            assert old is not None
            # A card that lies face down may be corrected to what it is; the refusal would confirm a guess.
            named = {} if old is given.act.card else named | {old: -1}
        return named, named
    return nothing, nothing


def acted(handled: Handled) -> bool:
    return any(isinstance(fact, PersonActed) for fact in handled.facts)


def cards_in(event: AnyShoeEvent) -> int:
    """How many cards left the shoe with this event."""
    match event:
        case CardDrawn():
            return 0 if event.carried_over else 1
        case Misread() | ForeignCard():
            return 1
        case DoubleFeed():
            return event.cards
    return 0
