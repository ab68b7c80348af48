"""Whether a table's state is what its published facts tell; looked at after every input.

What the facts themselves must add up to is the reckoner's part (`simulator/reckoner`).
"""

from collections import Counter
from functools import lru_cache
from typing import Any

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CardIdentified, DoubleFeed, ForeignCard, Misread
from firmware_protocol.link import Lamp
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import CorrectCard, IdentifyCard
from shoe_controller.messages.facts import AlertRaised, PersonActed
from shoe_controller.table.desired_shoe import desired_shoe
from shoe_controller.table.finishing import placed
from shoe_controller.table.inputs import AnyInput, NewShoe, PersonActs, ShoeReport
from shoe_controller.table.judging import judge
from shoe_controller.table.published_rules import published_rules
from shoe_controller.table.state import RulesSource, TableState
from shoe_controller.table.table import Handled
from shoe_controller.table.view import view_of
from simulator.reckoner.books import TableBooks
from simulator.reckoner.house import HouseRules, house_of
from simulator.reckoner.mismatch import Json
from simulator.reckoner.reckoning import Reckoner, Step
from simulator.reckoner.settlement import wagers_of

TOO_MANY = ("too_many_copies", "bad_card_out_of_round")
"""The alerts that stand when a face came more often than the decks hold it."""


def as_json(value: Any) -> Any:  # noqa: ANN401 - whatever the journal stores
    return msgspec.json.decode(msgspec.json.encode(value))


def _without_request(given: dict[str, Any]) -> dict[str, Any]:
    """Requests here are not numbered as terminals do it: other ones have the same id."""
    without = given | {"request_id": ""}
    return without | {"cause": without["cause"] | {"request_id": ""}} if "cause" in given else without


@lru_cache(maxsize=32)
def _house(rules: bytes) -> HouseRules:
    return house_of(rules_of(msgspec.json.decode(rules, type=RulesSource)))


def rules_of(rules: RulesSource) -> Json:
    """What a table with these rules publishes."""
    posted: Json = as_json(published_rules(rules, read_rules(rules)))
    return posted


class StateChecks:
    """Reckons every input with the facts that it led to, and compares the table's state with what was published."""

    def __init__(self) -> None:
        self.reckoner = Reckoner(keeps_events=False)

    @property
    def books(self) -> TableBooks:
        return self.reckoner.books

    def check(self, before: TableState, given: AnyInput, handled: Handled) -> None:
        if isinstance(given, NewShoe):
            self.books.wagers.house = _house(msgspec.json.encode(given.rules))
        self.reckoner.stored(Step(_without_request(as_json(given)), as_json(handled.facts)))
        state = handled.state
        assert state.lasting.seq == self.books.seq
        assert {alert.number: (alert.kind, alert.seq) for alert in state.lasting.alerts} == {
            number: (raised.kind, raised.seq) for number, raised in self.books.alerts.standing.items()
        }
        self._check_wagers(state)
        self._check_stop(state)
        check_hand(state, self.books)
        if state.shoe is not None:
            check_cards_out(before, given, handled)

    def _check_wagers(self, state: TableState) -> None:
        wagers = () if state.round is None else placed(state.round.wagers)
        assert Counter(wagers_of(as_json(wagers))) == Counter(self.books.wagers.all_standing)
        if state.shoe is not None:
            marked = {seat: amount for seat, amount in self.books.wagers.commission.items() if amount}
            assert dict(state.shoe.commission) == marked

    def _check_stop(self, state: TableState) -> None:
        stopped = bool(self.books.alerts.stopping)
        assert view_of(state, read_rules).stopped == stopped
        if stopped:
            desired = desired_shoe(state)
            assert desired.gate_locked
            assert Lamp.ALERT in desired.lamps
            assert desired.next_hand is None


def check_hand(state: TableState, books: TableBooks) -> None:
    """The cards that lie there are those that were published, with as much as may be shown of them."""
    cards = () if state.round is None else state.round.cards
    assert [(laid.hand.value, laid.card.value if laid.card and laid.shown else None) for laid in cards] == [
        (laid.hand, laid.record.card) for laid in books.cards.hand
    ]
    if any(laid.card is None for laid in cards):
        assert not judge(cards).complete


# --- the cards of the shoe -------------------------------------------------------------------------------------------


def check_cards_out(before: TableState, given: AnyInput, handled: Handled) -> None:
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
    assert min(shoe.copies) >= 0
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
                f"{card} came too often and no alert tells: {given}, {before.phase}, {raised}, {stand}"
            )


def faces_told(before: TableState, given: AnyInput, handled: Handled) -> tuple[dict[Card, int], dict[Card, int]]:
    """How the counts of faces must change, and how else they may: a face that was reported before counts no more."""
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
            # A card that lies face down may be corrected to what it is: a refusal would confirm a guess.
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
