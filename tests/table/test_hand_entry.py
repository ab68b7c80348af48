"""A table with a dead shoe is dealt by hand, by the same rules; what the shoe kept meanwhile is not dealt again."""

from collections.abc import Sequence
from typing import Any

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CardReturned,
    CutCard,
    Fault,
    FaultCode,
    Hand,
    IndicatedWinner,
    LidChanged,
    LinkDownCause,
    Misread,
    ResultIndicated,
    Started,
)
from firmware_protocol.link import DesiredShoe
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.actors import Person
from shoe_controller.messages.acts import (
    AnyAct,
    BeginHandEntry,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    DealCard,
    EndHandEntry,
    EnterCard,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    SetWager,
    VoidRound,
)
from shoe_controller.messages.facts import (
    CardBurned,
    CardDealt,
    CardsShown,
    CutCardOut,
    EnteredCardConfirmed,
    Fact,
    HandEntryChanged,
    PersonActed,
    RoundResult,
    RoundSettled,
    ShoeOpened,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.messages.prompts import EnterReportedCards
from shoe_controller.table.inputs import ControllerStarted, EventsMissed, LinkBack, LinkLost, ShoeReport
from shoe_controller.table.state import REVISION
from shoe_controller.table.view import prompt, view_of
from tests.table.sitting import Sitting

PLAYER_WINS = "9H KD KS 5C"
THREE_EACH = "2H 3D KS 2C 5H 4C"
ALONE = DesiredShoe(gate_locked=False, lamps=frozenset(), next_hand=None)
"""The shoe is left alone."""


def card(text: str) -> Card:
    return Card.parse(text)


def code(table: Sitting, act: AnyAct, *, by_dealer: bool = False) -> str | None:
    refusal = (table.dealer(act) if by_dealer else table.act(act)).refusal
    return None if refusal is None else refusal.code


def by_hand(cards: str = "", **procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    """A table whose shoe is gone."""
    table = Sitting(**procedure)
    table.open_shoe()
    table.give(LinkLost(reason="the reader is dead"))
    assert code(table, BeginHandEntry()) is None
    deal(table, cards)
    return table


def deal(table: Sitting, cards: str) -> None:
    for text in cards.split():
        table.wait(2)
        assert code(table, DealCard(card=card(text)), by_dealer=True) is None


def a_round(table: Sitting, cards: str = PLAYER_WINS) -> None:
    deal(table, cards)
    assert code(table, Confirm(), by_dealer=True) is None


def back(table: Sitting, *, boot_id: int = 1) -> None:
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=boot_id))


def kept(table: Sitting, events: Sequence[AnyShoeEvent], *, age_ms: int, boot_id: int = 1) -> None:
    """What the shoe kept, each event two seconds after the one before."""
    for number, event in enumerate(events):
        table.sequence += 1
        age = max(0, age_ms - 2000 * number)
        table.give(ShoeReport(event=event, sequence=table.sequence, boot_id=boot_id, age_ms=age))


def stands(table: Sitting) -> tuple[object, ...]:
    state = table.state
    return state.phase, state.shoe_number, state.round, None if state.shoe is None else state.shoe.cards_out


# --- a table with a dead shoe keeps dealing --------------------------------------------------------------------------


def test_a_round_is_bet_dealt_prompted_and_settled_without_a_shoe() -> None:
    table = by_hand()
    view = view_of(table.state, read_rules)
    assert (view.hand_entry, view.link_up, view.betting_open) == (True, False, True)
    assert table.bet("1", "base.player", 50).refusal is None
    assert prompt(table.state).code == "take_wagers_and_draw"
    deal(table, THREE_EACH)
    assert table.at(Phase.COMPLETE)
    assert prompt(table.state).code == "confirm_result"
    assert {place.entered_by for place in view_of(table.state, read_rules).cards} == {"dan"}
    assert all(fact.place.entered_by == "dan" for fact in table.all(CardDealt))
    assert code(table, Confirm(), by_dealer=True) is None
    assert table.last(RoundResult).confirmed_by == Person(person="dan")
    assert len(table.all(RoundSettled)) == 1
    assert table.state.shoe is not None
    assert len(table.state.shoe.results) == 1
    assert table.alerts == []


def test_a_whole_shoe_by_hand() -> None:
    """Opened, first card, burned cards, cut card, last round, and the next one opened."""
    table = by_hand()
    table.announce()
    assert code(table, DealCard(), by_dealer=True) == "card_missing"
    deal(table, "2S")
    assert table.last(CardBurned).card is card("2S")
    for _ in range(2):
        assert code(table, DealCard(), by_dealer=True) is None
    assert table.at(Phase.BETTING)
    assert {fact.entered_by for fact in table.all(CardBurned)[-3:]} == {"dan"}
    a_round(table)
    assert code(table, DealCard(cut_card=True), by_dealer=True) is None
    assert table.last(CutCardOut).entered_by == "dan"
    assert code(table, DealCard(cut_card=True), by_dealer=True) == "cut_card_is_out"
    while not table.at(Phase.ENDED):
        a_round(table)
    assert code(table, OpenShoe(), by_dealer=True) == "not_a_supervisor"
    assert code(table, OpenShoe()) is None
    assert table.at(Phase.FIRST_CARD)
    assert len(table.all(ShoeOpened)) == 3


def test_the_same_rules_hold() -> None:
    table = by_hand(PLAYER_WINS)
    assert code(table, DealCard(card=card("5H")), by_dealer=True) is None
    assert table.alerts == ["over_draw"]
    assert code(table, DealCard(card=card("5H")), by_dealer=True) == "stopped"
    assert code(table, BurnExtraCard()) is None
    assert code(table, CorrectCard(number=4, card=card("7C"))) is None
    assert code(table, Confirm(), by_dealer=True) is None
    table = by_hand(bets_close=BetsClose.DEALER)
    deal(table, "9H")
    assert table.alerts == ["draw_before_close"]
    table = by_hand(house={"decks": 1})
    deal(table, "9H 9H")
    assert table.alerts == ["too_many_copies", "bad_shoe"]


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_cards_that_lie_face_down_are_not_published(reveal: Reveal) -> None:
    table = by_hand(PLAYER_WINS, reveal=reveal)
    assert {fact.act for fact in table.all(PersonActed) if isinstance(fact.act, DealCard)} == {DealCard()}
    assert all(fact.place.card is None for fact in table.all(CardDealt))
    assert table.table.desired_shoe == ALONE
    table.dealer(Confirm())
    assert {place.entered_by for place in table.last(CardsShown).places} == {"dan"}
    assert table.last(RoundResult).outcome.player.total == 9


def test_only_a_supervisor_begins_and_ends_it_and_ends_it_between_rounds() -> None:
    table = Sitting()
    table.open_shoe()
    assert code(table, DealCard(card=card("9H")), by_dealer=True) == "not_in_hand_entry"
    assert code(table, BeginHandEntry(), by_dealer=True) == "not_a_supervisor"
    assert code(table, EndHandEntry()) == "not_in_hand_entry"
    assert code(table, BeginHandEntry()) is None
    assert code(table, BeginHandEntry()) == "in_hand_entry"
    deal(table, "9H")
    assert code(table, EndHandEntry()) == "not_now"
    deal(table, "KD KS 5C")
    assert code(table, EndHandEntry()) == "not_now"
    table.dealer(Confirm())
    assert code(table, EndHandEntry(), by_dealer=True) == "not_a_supervisor"
    assert code(table, EndHandEntry()) is None
    assert [fact.hand_entry for fact in table.all(HandEntryChanged)] == [True, False]
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    assert len(table.all(RoundResult)) == 2


def test_it_begins_in_mid_round_with_the_cards_that_lie_there() -> None:
    table = Sitting()
    table.open_shoe()
    table.deal("9H KD")
    table.give(LinkLost(reason="the reader is dead"))
    assert table.alerts == ["shoe_lost"]
    assert code(table, BeginHandEntry()) is None
    assert table.alerts == []
    a_round(table, "KS 5C")
    assert [fact.place.entered_by for fact in table.all(CardDealt)] == [None, None, "dan", "dan"]
    assert table.last(RoundResult).outcome.player.total == 9


def test_cards_that_the_shoe_had_not_disclosed_are_named_by_a_supervisor() -> None:
    table = Sitting()
    table.open_shoe()
    table.card(None)
    table.give(LinkLost(reason="the reader is dead"))
    assert code(table, BeginHandEntry()) is None
    assert table.alerts == ["undisclosed_card"]
    assert code(table, IdentifyCard(number=1, card=card("9H"))) is None
    a_round(table, "KD KS 5C")


def test_neither_gate_nor_timers_nor_the_line_disturb_it() -> None:
    table = by_hand(PLAYER_WINS, confirm_after=5.0, draw_within=3.0)
    assert table.table.next_timer is None, "the dealer confirms"
    assert table.table.desired_shoe == ALONE
    back(table, boot_id=2)
    table.event(Started())
    table.give(EventsMissed(reason="numbers 5 to 7"))
    table.give(LinkLost(reason="again"))
    table.give(ControllerStarted(boot="second", revision=REVISION))
    assert table.alerts == []
    assert code(table, Confirm(), by_dealer=True) is None
    assert table.alerts == []


def test_it_lasts_through_restarts_and_into_the_next_shoe() -> None:
    table = by_hand()
    table.give(ControllerStarted(boot="second", revision=REVISION))
    table.dealer(OpenShoe())
    assert view_of(table.state, read_rules).hand_entry


# --- a shoe that still reports ---------------------------------------------------------------------------------------

REPORTS: tuple[AnyShoeEvent, ...] = (
    CardIdentified(hand=Hand.PLAYER, position=1, card=card("2C")),
    ResultIndicated(winner=IndicatedWinner.TIE),
    ButtonPressed(button=Button.RESULT),
    ButtonPressed(button=Button.NEW_SHOE),
    ButtonPressed(button=Button.NO_MORE_BETS),
    Burn(cards=3),
    CardReturned(),
    Fault(code=FaultCode.JAM, stopped=True),
    Fault(code=FaultCode.OVER_DRAW),
    Fault(code=FaultCode.UNREADABLE),
    Fault(code=FaultCode.DRAW_TIMEOUT),
    CardDrawn(card=card("9H"), carried_over=True),
)


@pytest.mark.parametrize("event", REPORTS, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("cards", ["", "9H", PLAYER_WINS])
def test_nothing_that_it_says_of_rounds_counts(event: AnyShoeEvent, cards: str) -> None:
    table = by_hand(cards)
    back(table)
    before = stands(table)
    table.event(event)
    assert stands(table) == before
    assert table.alerts == []


def test_a_fault_of_the_shoe_warns_and_does_not_stop() -> None:
    table = by_hand("9H")
    back(table)
    table.event(Fault(code=FaultCode.SENSOR, stopped=True))
    assert table.alerts == ["shoe_fault"]
    deal(table, "KD")


def test_cards_that_it_reports_before_they_are_entered_are_compared_with_them() -> None:
    table = by_hand()
    back(table)
    for text in PLAYER_WINS.split():
        table.event(CardDrawn(hand=Hand.PLAYER, card=card(text)) if text != "KS" else Misread())
        deal(table, text)
    assert table.at(Phase.COMPLETE)
    assert table.alerts == []
    assert len(table.all(EnteredCardConfirmed)) == 3
    assert code(table, Confirm(), by_dealer=True) is None
    table.event(CardDrawn(card=card("2C")))
    deal(table, "2H")
    assert table.alerts == ["entered_card_differs"]


def test_a_card_that_it_reports_and_nobody_enters_is_one_too_many() -> None:
    table = by_hand(PLAYER_WINS)
    back(table)
    table.event(CardDrawn(card=card("5H")))
    assert code(table, Confirm(), by_dealer=True) is None
    assert table.alerts == ["over_draw"]
    assert table.all(RoundResult) == []
    assert code(table, BurnExtraCard()) is None
    assert len(table.all(RoundResult)) == 1
    table.event(CardDrawn(card=card("5D")))
    deal(table, "5D")
    table.event(CardDrawn(card=card("6D")))
    assert code(table, VoidRound()) is None
    assert table.at(Phase.BETTING)
    assert table.state.shoe is not None
    assert table.state.shoe.cards_out == 2 + 5 + 2


# --- what it kept, and sends later -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ends_first", [False, True])
@pytest.mark.parametrize("boot_id", [1, 2])
def test_what_a_shoe_kept_meanwhile_is_dealt_no_second_time(*, ends_first: bool, boot_id: int) -> None:
    """Two rounds with buttons and results; before or after the table went back to the reader."""
    table = by_hand()
    begun = table.mono_ns
    a_round(table)
    a_round(table, THREE_EACH)
    events: list[AnyShoeEvent] = []
    for cards, winner in ((PLAYER_WINS, IndicatedWinner.PLAYER), (THREE_EACH, IndicatedWinner.BANKER)):
        events += [CardDrawn(hand=Hand.PLAYER, position=1, card=card(text)) for text in cards.split()]
        events += [ButtonPressed(button=Button.RESULT), ResultIndicated(winner=winner)]
    if ends_first:
        assert code(table, EndHandEntry()) is None
    back(table, boot_id=boot_id)
    before = stands(table)
    table.wait(5)
    for number, event in enumerate(events):
        table.sequence += 1
        # Each card left a second before it was entered; a shoe that started anew only knows when it did.
        age_ms = 10 if boot_id == 2 else (table.mono_ns - begun) // 1_000_000 - 1000 - 1000 * number
        table.give(ShoeReport(event=event, sequence=table.sequence, boot_id=1, age_ms=max(age_ms, 5200)))
    assert stands(table) == before
    assert len(table.all(EnteredCardConfirmed)) == 10
    assert table.alerts == []
    if not ends_first:
        assert code(table, EndHandEntry()) is None
    drawn = [CardDrawn(card=card(text)) for text in PLAYER_WINS.split()]
    kept(table, [*drawn, ResultIndicated(winner=IndicatedWinner.PLAYER)], age_ms=0, boot_id=boot_id)
    assert len(table.all(RoundResult)) == 3
    assert table.alerts == []


def test_a_card_that_the_dealer_forgot_is_awaited_in_the_order_of_the_draw() -> None:
    table = by_hand("9H KS 5C")
    assert code(table, EnterCard(number=2, card=card("KD"))) is None
    assert code(table, Confirm(), by_dealer=True) is None
    back(table)
    kept(table, [CardDrawn(card=card(text)) for text in PLAYER_WINS.split()], age_ms=60_000)
    assert len(table.all(EnteredCardConfirmed)) == 4
    assert table.alerts == []


def test_what_does_not_match_is_an_alert() -> None:
    table = by_hand()
    a_round(table)
    assert code(table, EndHandEntry()) is None
    back(table)
    before = stands(table)
    kept(table, [CardDrawn(card=card(text)) for text in ["9H", "KD", "KS", "6C", "7C"]], age_ms=60_000)
    assert stands(table) == before
    assert table.alerts == ["entered_card_differs", "entered_card_differs"], "another face, and one card more"
    assert len(table.all(EnteredCardConfirmed)) == 3


def test_a_card_drawn_after_the_table_went_back_to_the_reader_is_dealt() -> None:
    table = by_hand()
    a_round(table)
    assert code(table, EndHandEntry()) is None
    table.wait(30)
    back(table)
    kept(table, [CardDrawn(card=card(text)) for text in PLAYER_WINS.split()], age_ms=60_000)
    assert table.at(Phase.BETTING)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=card("7H")), age_ms=10_000)
    assert table.at(Phase.DEALING)
    assert table.alerts == []


@pytest.mark.parametrize(
    "event", [CardDrawn(card=card("2S"), first_of_shoe=True), ButtonPressed(button=Button.NEW_SHOE)]
)
def test_the_opening_of_a_shoe_that_was_opened_by_hand_opens_no_other(event: AnyShoeEvent) -> None:
    table = by_hand()
    table.announce()
    deal(table, "2S")
    for _ in range(2):
        table.wait(2)
        table.dealer(DealCard())
    assert code(table, EndHandEntry()) is None
    back(table)
    kept(table, [event], age_ms=60_000)
    assert table.state.shoe_number == 2
    assert table.alerts == []
    table.event(CutCard(), age_ms=60_000)
    assert table.all(CutCardOut) == [], "it came out of the cards before"


def test_without_hand_entry_everything_is_as_before() -> None:
    """No fact of a table that is dealt by its shoe says that anybody entered something."""
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.dealer(NoMoreBets())
    table.deal(THREE_EACH)
    table.result(IndicatedWinner.BANKER)
    facts: list[Fact] = [*table.all(CardDealt), *table.all(CardBurned)]
    assert all(getattr(fact, "entered_by", None) is None for fact in facts)
    assert all(fact.place.entered_by is None and fact.moved == () for fact in table.all(CardDealt))


def test_a_card_that_the_shoe_has_reported_closes_the_wagers_before_it_is_entered() -> None:
    table = Sitting()
    table.open_shoe()
    table.act(BeginHandEntry())
    table.bet("1", "base.player", 500)
    table.card("9H", Hand.PLAYER)
    handled = table.bet("1", "base.tie", 100)
    assert handled.refusal is not None
    assert handled.refusal.code == "betting_closed"
    assert not view_of(table.state, read_rules).betting_open
    assert prompt(table.state) == EnterReportedCards(cards=1)
    table.dealer(DealCard(card=Card.parse("9H")))
    assert prompt(table.state).code == "draw_card"
    assert table.state.round is not None
    assert [wager.stake for wager in table.state.round.wagers] == [500]


@pytest.mark.parametrize("reported", ["before it is entered", "later"])
def test_a_wager_after_the_first_card_is_late_once_the_shoe_has_told_when_it_left(reported: str) -> None:
    table = by_hand()
    table.wait(10)
    assert table.bet("2", "base.player", 500).refusal is None
    table.wait(5)
    if reported == "later":
        deal(table, "9H")
    back(table)
    kept(table, [CardDrawn(hand=Hand.PLAYER, position=1, card=card("9H"))], age_ms=10_000)
    if reported != "later":
        deal(table, "9H")
    assert (table.alerts, table.state.lasting.alerts[-1].seats) == (["late_wager"], ("2",))


def test_a_wager_is_put_right_by_two_once_the_shoe_has_reported_a_card() -> None:
    table = Sitting(bets_close=BetsClose.DEALER)
    table.open_shoe()
    table.act(BeginHandEntry())
    table.bet("1", "base.banker", 500)
    table.dealer(NoMoreBets())
    table.card("9H", Hand.PLAYER)
    table.act(SetWager(seat="1", wager="base.banker", stake=100))
    assert table.state.lasting.proposal is not None


def test_the_card_of_a_new_dealer_is_burned_without_a_face() -> None:
    table = Sitting(dealer_signs_in=True, new_dealer_burns=True)
    table.open_shoe()
    table.deal("9H 4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    table.act(BeginHandEntry())
    table.sign_in("eve")
    burned = len(table.all(CardBurned))
    assert table.dealer(DealCard(), person="eve").refusal is None
    assert len(table.all(CardBurned)) == burned + 1
    table.sign_in()
    table.dealer(DealCard(card=Card.parse("9H")))
    assert table.last(PersonActed).act == DealCard(card=None), "a burned card is never shown"


# --- the lid of a dead shoe ------------------------------------------------------------------------------------------


def test_a_lid_that_is_open_when_the_shoe_dies_does_not_hold_up_dealing_by_hand() -> None:
    table = Sitting()
    table.open_shoe()
    table.event(LidChanged(opened=True))
    table.give(LinkLost(reason="", how=LinkDownCause.DISCONNECTED))
    table.act(BeginHandEntry())
    assert table.alerts == ["lid_opened"], "a supervisor looks at it first"
    assert table.act(ClearAlert(alert=table.alert_number("lid_opened"))).refusal is None
    assert table.dealer(DealCard(card=card("9H"))).refusal is None
    table.act(VoidRound())
    table.act(OpenShoe())
    assert table.alerts == []
    assert table.dealer(DealCard(card=card("2S"))).refusal is None


def test_a_lid_that_is_open_stops_the_table_when_it_goes_back_to_the_reader() -> None:
    table = Sitting()
    table.open_shoe()
    table.act(BeginHandEntry())
    table.event(LidChanged(opened=True))
    assert table.alerts == ["lid_opened"], "the cards may be in it"
    table.act(ClearAlert(alert=table.alert_number("lid_opened")))
    table.act(EndHandEntry())
    assert table.alerts == ["lid_opened"]
    assert table.act(ClearAlert(alert=table.alert_number("lid_opened"))).refusal is not None
    table.event(LidChanged(opened=False))
    assert table.act(ClearAlert(alert=table.alert_number("lid_opened"))).refusal is None


def test_the_report_of_a_card_that_a_new_dealer_burned_makes_no_wager_late() -> None:
    table = Sitting(dealer_signs_in=True, new_dealer_burns=True)
    table.open_shoe()
    table.deal("9H 4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    table.act(BeginHandEntry())
    table.sign_in("eve")
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=card("5H")))
    table.dealer(DealCard(card=card("5H")))
    table.wait(30)
    assert table.bet("1", "base.player", 50).refusal is None
    table.wait(5)
    assert table.dealer(DealCard(card=card("9H"))).refusal is None
    assert "late_wager" not in table.alerts
