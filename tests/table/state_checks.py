"""Whether a table's state is what its published facts tell; looked at after every input.

What the facts themselves must add up to is the reckoner's part (`simulator/reckoner`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import AnyStoredEvent, CardDrawn, CardIdentified, DoubleFeed, ForeignCard, Misread
from firmware_protocol.link import Lamp
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    Act,
    AmendRound,
    Approve,
    AssignCards,
    CorrectCard,
    DealCard,
    DiscardCard,
    EnterCard,
    IdentifyCard,
    OpenShoe,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.facts import AlertRaised, CardBurned, CardDealt, CardSetAside, PersonActed, RoundAmended
from shoe_controller.messages.phases import Phase
from shoe_controller.table.assigning import drawn_cards
from shoe_controller.table.commission import STAYS_DUE
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

CARD_FACTS = CardDealt | CardBurned | CardSetAside
"""One of these tells of every card that leaves the shoe."""

TOO_MANY = ("too_many_copies", "bad_card_out_of_round", "card_after_end")
"""The alerts one of which stands when a face came more often than the decks hold it."""


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
        if isinstance(given, NewShoe):
            self._forget_commission(before)
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

    def _forget_commission(self, before: TableState) -> None:
        """In a shoe of an earlier revision, what was due at its end was over with it."""
        if before.shoe is not None and before.shoe.revision < STAYS_DUE:
            self.books.wagers.commission.forget(before.shoe.number)

    def _check_wagers(self, state: TableState) -> None:
        wagers = () if state.round is None else placed(state.round.wagers)
        assert Counter(wagers_of(as_json(wagers))) == Counter(self.books.wagers.all_standing)
        if state.shoe is not None and state.shoe.revision >= STAYS_DUE:
            commission = view_of(state, read_rules).commission
            assert {(each.shoe, each.seat): each.amount for each in commission} == self.books.wagers.commission.owed
            assert all(each.amount > 0 for each in commission)
        assert {each.number: as_json(each) for each in state.lasting.disputes} == self.books.disputes.open

    def _check_stop(self, state: TableState) -> None:
        stopped = bool(self.books.alerts.stopping)
        assert view_of(state, read_rules).stopped == stopped
        counting = state.shoe is not None and state.shoe.run_out is not None
        if stopped and not state.lasting.hand_entry and not counting:
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
    out_before = 0 if fresh or before.shoe is None else before.shoe.cards_out
    copies_before = (0,) * len(shoe.copies) if fresh or before.shoe is None else before.shoe.copies
    waited, waits = waiting(before), waiting(handled.state)
    let_wait = not fresh and len(waits) > len(waited)
    dealt_on = [] if fresh or let_wait else waited[: len(waited) - len(waits)]
    counted = range(1) if let_wait else cards_counted(before, report, handled)
    assert shoe.cards_out - out_before - sum(map(cards_in, dealt_on)) in counted
    assert sum(shoe.copies) <= shoe.cards_out
    assert min(shoe.copies) >= 0
    change = {
        CARDS_BY_NUMBER[number]: now - then
        for number, (now, then) in enumerate(zip(shoe.copies, copies_before, strict=True))
        if now != then
    }
    told: tuple[dict[Card, int], ...] = ({},) if let_wait else faces_told(before, report, handled)
    # As above: what identifies a card of those that waited may have been reported before.
    drawn, named = (faces_of([each for each in dealt_on if isinstance(each, kind)]) for kind in FACES_OF)
    fits = [all(0 <= by <= named[card] for card, by in _less(change, each, drawn).items()) for each in told]
    assert any(fits), f"{change} after {given}"
    raised = [fact.alert.kind for fact in handled.facts if isinstance(fact, AlertRaised)]
    stand = [alert.kind for alert in handled.state.lasting.alerts]
    for card, by in change.items():
        if by > 0 and shoe.copies[card.number] > shoe.decks:
            assert any(kind in TOO_MANY for kind in raised + stand), (
                f"{card} came too often and no alert tells: {given}, {before.phase}, {raised}, {stand}"
            )


def waiting(state: TableState) -> list[AnyStoredEvent]:
    """What the shoe reported and waits until the round on the table is decided on."""
    dealt_on = () if state.shoe is None else state.shoe.dealt_on
    return [each.event for each in dealt_on if each.event is not None]


def faces_of(events: Sequence[AnyStoredEvent]) -> Counter[Card]:
    about = (
        event
        for event in events
        if isinstance(event, CardIdentified) or (isinstance(event, CardDrawn) and not event.carried_over)
    )
    return Counter(event.card for event in about if event.card is not None)


FACES_OF = (CardDrawn, CardIdentified)


def _less(change: dict[Card, int], *known: Mapping[Card, int]) -> dict[Card, int]:
    left = Counter(change)
    for faces in known:
        left.subtract(faces)
    return {card: by for card, by in left.items() if by}


def cards_counted(before: TableState, given: AnyInput, handled: Handled) -> range:
    """How many cards an input may add to those that left the shoe."""
    held = sum(map(cards_in, before.lasting.held)) - sum(map(cards_in, handled.state.lasting.held))
    if held < 0 or (before.shoe is not None and before.shoe.run_out is not None):
        return range(1)
    if held:
        return range(held, held + 1)
    if isinstance(given, ShoeReport):
        most = cards_in(given.event)
        return range(0 if entering(before) else most, most + 1)
    if enters_card(act_done(before, given)) and acted(handled):
        return range(1, 2)
    if isinstance(given, PersonActs) and isinstance(given.act, OpenShoe):
        return range(1)
    dealt = len(before.lasting.unentered) - len(handled.state.lasting.unentered)
    return range(dealt, dealt + 1) if acted(handled) else range(1)


def entering(state: TableState) -> bool:
    """Whether a card that the shoe reports may be one that a person entered."""
    lasting = state.lasting
    return lasting.hand_entry or bool(lasting.entered) or lasting.by_hand_until_ns is not None


def enters_card(act: Act | None) -> bool:
    return isinstance(act, EnterCard) or (isinstance(act, DealCard) and not act.cut_card)


def faces_told(  # noqa: PLR0911 - each way in which a face becomes known
    before: TableState, given: AnyInput, handled: Handled
) -> tuple[dict[Card, int], dict[Card, int]]:
    """How the counts of faces must change, and how else they may: a face that was reported before counts no more."""
    nothing: dict[Card, int] = {}
    held = len(before.lasting.held) - len(handled.state.lasting.held)
    if held < 0 or (before.shoe is not None and before.shoe.run_out is not None):
        return nothing, nothing
    if held:
        faces = faces_of(before.lasting.held)
        return dict(faces), dict(faces)
    if isinstance(given, ShoeReport) and isinstance(given.event, CardDrawn | CardIdentified):
        face: Card | None = given.event.card
        if face is None:
            return nothing, nothing
        drawn = isinstance(given.event, CardDrawn) and not given.event.carried_over
        return {face: 1}, ({face: 1} if drawn and not entering(before) else nothing)
    act = act_done(before, given) if acted(handled) else None
    if isinstance(act, EnterCard | DealCard):
        if not enters_card(act):
            return nothing, nothing
        # Of a burned card that the shoe had reported, that report tells the face.
        face = act.card or next(iter(before.lasting.unentered), None)
        return ({face: 1}, {face: 1}) if face is not None else (nothing, nothing)
    if act is not None and not handled.state.lasting.unentered:
        unentered = Counter(card for card in before.lasting.unentered if card is not None)
        if unentered:
            return dict(unentered), nothing
    named = faces_named(before, act, handled)
    return named, named


def faces_named(before: TableState, act: Act | None, handled: Handled) -> dict[Card, int]:  # noqa: PLR0911 - by act
    """By an act that says what cards are."""
    if isinstance(act, AmendRound) and act.shoe == before.shoe_number:
        return faces_amended(handled)
    if isinstance(act, AssignCards):
        return faces_assigned(before, act)
    if isinstance(act, DiscardCard):
        assert before.round is not None
        gone = before.round.cards[act.number - 1].card
        return {gone: -1} if gone is not None and act.cause is DiscardCause.FOREIGN else {}
    if not isinstance(act, IdentifyCard | CorrectCard):
        return {}
    assert act.card is not None
    if isinstance(act, CorrectCard) and before.phase is Phase.BURNING:
        assert before.shoe is not None
        assert before.shoe.first_card is not None
        assert before.shoe.first_card.card is not None
        return {act.card: 1, before.shoe.first_card.card: -1}
    if isinstance(act, IdentifyCard) or before.round is None:
        return {act.card: 1}
    old = before.round.cards[act.number - 1].card
    assert old is not None
    # A card that lies face down may be corrected to what it is: a refusal would confirm a guess.
    return {} if old is act.card else {act.card: 1, old: -1}


def faces_assigned(before: TableState, act: AssignCards) -> dict[Card, int]:
    faces: Counter[Card] = Counter()
    for one, said in zip(drawn_cards(before), act.cards, strict=True):
        if said.card is not None and said.card is not one.card.card:
            faces[said.card] += 1
            if one.card.card is not None:
                faces[one.card.card] -= 1
    return {card: by for card, by in faces.items() if by}


def act_done(before: TableState, given: AnyInput) -> Act | None:
    """What was done by this input: of an act of two people, what the first proposed."""
    if not isinstance(given, PersonActs):
        return None
    proposal = before.lasting.proposal
    return proposal.act if isinstance(given.act, Approve) and proposal is not None else given.act


def faces_amended(handled: Handled) -> dict[Card, int]:
    amended = next(fact for fact in handled.facts if isinstance(fact, RoundAmended))
    faces: Counter[Card] = Counter()
    for outcome, by in ((amended.old_outcome, -1), (amended.outcome, 1)):
        for card in (*outcome.player.cards, *outcome.banker.cards):
            faces[card] += by
    return {card: by for card, by in faces.items() if by}


def acted(handled: Handled) -> bool:
    return any(isinstance(fact, PersonActed) for fact in handled.facts)


def cards_in(event: AnyStoredEvent) -> int:
    """How many cards left the shoe with this event."""
    match event:
        case CardDrawn():
            return 0 if event.carried_over else 1
        case Misread() | ForeignCard():
            return 1
        case DoubleFeed():
            return event.cards
    return 0
