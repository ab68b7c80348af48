"""The life of a shoe around its rounds: openings, the burn, the cut card, cards too many, an empty shoe, the end."""

from typing import Any

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    LidChanged,
    Misread,
    ResultIndicated,
    Standby,
)
from firmware_protocol.link import Lamp
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.actors import Person, Shoe
from shoe_controller.messages.acts import (
    AnyAct,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    EndShoe,
    IdentifyCard,
    OpenShoe,
    Role,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.causes import LastRoundOver
from shoe_controller.messages.facts import (
    AlertRaised,
    BettingOpened,
    CardBurned,
    CutCardOut,
    RoundResult,
    RoundVoided,
    ShoeEnded,
    ShoeOpened,
    WagersReturned,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.table.inputs import AnyInput, NewShoe
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.state import RulesSource, TableState
from shoe_controller.table.table import Table, UnexpectedInputError
from tests.table.sitting import Sitting, rules

PLAYER_WINS = "7H 4D KS 2C"


def first(card: str | None) -> CardDrawn:
    face = None if card is None else Card.parse(card)
    return CardDrawn(hand=Hand.BURN, card=face, first_of_shoe=True)


def opened(**procedure: Any) -> Sitting:  # noqa: ANN401 - as `Sitting`
    table = Sitting(**procedure)
    table.open_shoe()
    return table


def play(table: Sitting) -> None:
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)


# --- opening ---------------------------------------------------------------------------------------------------------


def test_opened_by_act_by_button_and_by_the_first_card() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    assert table.last(ShoeOpened).opened_by == Person(person="dan")
    table.event(first("AS"))
    table.act(EndShoe())
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert (table.last(ShoeOpened).opened_by, table.state.shoe_number) == (Shoe(), 2)
    table.event(first("AS"))
    table.event(CardDrawn(hand=Hand.BURN))
    table.act(EndShoe())
    table.event(first("2S"))
    assert (table.state.shoe_number, table.state.phase) == (3, Phase.BURNING)
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, table.state.shoe.burns) == (1, 2)
    assert table.alerts == []


@pytest.mark.parametrize("drawn", [0, 1, 2])
def test_a_first_card_that_belongs_to_another_shoe_is_its_first_also_in_the_middle_of_the_burn(drawn: int) -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    if drawn:
        table.event(first("3S"))
    for _ in range(drawn - 1):
        table.event(CardDrawn(hand=Hand.BURN))
    table.event(first("2S"))
    if drawn:
        assert table.alerts == ["shoe_change_unconfirmed"]
        table.act(OpenShoe())
    assert table.state.shoe_number == (2 if drawn else 1)
    assert table.state.shoe is not None
    assert table.state.shoe.burns == 2


def test_a_button_pressed_again_on_a_fresh_shoe_opens_nothing() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.state.shoe_number == 1
    table.act(EndShoe())
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.state.shoe_number == 2


def test_a_shoe_in_play_is_closed_by_the_next() -> None:
    table = opened()
    play(table)
    table.bet("1", "base.player", 50)
    table.act(OpenShoe())
    returned, ended = table.last(WagersReturned), table.last(ShoeEnded)
    assert (returned.shoe, returned.round, returned.total) == (1, 2, 50)
    assert (ended.shoe, ended.cards_out) == (1, 6)
    assert table.last(ShoeOpened).shoe == 2
    assert table.state.round is None


def test_a_shoe_that_has_ended_is_not_ended_again_by_the_next() -> None:
    table = opened()
    table.act(EndShoe())
    table.dealer(OpenShoe())
    assert len(table.all(ShoeEnded)) == 1


def test_without_a_burn_wagers_are_open_at_once() -> None:
    table = Sitting(burn=False)
    table.dealer(OpenShoe())
    assert table.at(Phase.BETTING)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H"), first_of_shoe=True))
    assert table.at(Phase.DEALING)
    assert table.state.shoe_number == 1


def test_an_opening_depends_on_its_input_alone() -> None:
    table = opened()
    play(table)
    table.bet("1", "base.player", 50)
    opening = next(given for given, *_ in table.history if isinstance(given, NewShoe))
    by_supervisor = msgspec.structs.replace(opening.cause, role=Role.SUPERVISOR)
    table.give(table.table.new_shoe(rules(burn=False), by_supervisor))
    given, at, facts = table.history[-1]
    assert isinstance(given, NewShoe)
    empty = Table(read_rules)
    handled = empty.handle(given, at)
    assert handled.facts == facts
    assert handled.state == table.state


def test_an_opening_for_another_moment_is_our_own_mistake() -> None:
    table = opened()
    opening = next(given for given, *_ in table.history if isinstance(given, NewShoe))
    with pytest.raises(UnexpectedInputError):
        table.table.handle(opening, table.moment())


def test_new_rules_come_with_the_next_shoe() -> None:
    table = opened()
    table.rules = RulesSource(
        house=rules({"decks": 5}).house, catalogue=table.rules.catalogue, procedure=table.rules.procedure
    )
    assert table.state.shoe is not None
    assert table.state.shoe.decks == 8
    table.act(OpenShoe())
    assert table.last(ShoeOpened).decks == 5


def test_a_closed_lid_is_needed_in_play() -> None:
    table = Sitting()
    table.event(LidChanged(opened=True))
    assert table.alerts == []
    table.event(LidChanged(opened=False))
    table.dealer(OpenShoe())
    assert table.alerts == []


# --- first card and burn ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named_by", ["supervisor", "shoe"])
def test_a_first_card_that_was_not_read_is_named_before_anything_goes_on(named_by: str) -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(first(None))
    table.event(Fault(code=FaultCode.UNREADABLE, stopped=True))
    assert table.alerts == ["undisclosed_card", "misread"]
    assert table.at(Phase.FIRST_CARD)
    if named_by == "supervisor":
        table.act(IdentifyCard(number=0, card=Card.parse("2H")))
    else:
        table.event(CardIdentified(hand=Hand.BURN, card=Card.parse("2H")))
    assert table.alerts == []
    assert table.last(CardBurned).card is Card.TWO_OF_HEARTS
    assert table.at(Phase.BURNING)
    table.event(CardDrawn(hand=Hand.BURN))
    table.event(CardDrawn(hand=Hand.BURN))
    assert table.at(Phase.BETTING)


def test_cards_burned_before_the_first_one_is_named_count() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(Misread(hand=Hand.BURN))
    table.event(CardDrawn(hand=Hand.BURN))
    assert table.at(Phase.FIRST_CARD)
    table.act(IdentifyCard(number=0, card=Card.parse("AH")))
    assert table.at(Phase.BETTING)
    assert table.state.shoe is not None
    assert (table.state.shoe.burned, table.state.shoe.cards_out) == (1, 2)
    assert table.alerts == []


def test_a_foreign_first_card_is_named_as_what_it_is() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(ForeignCard(hand=Hand.BURN))
    assert [alert.fault for alert in table.state.lasting.alerts] == ["foreign_card"] * 2
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(first(None))
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    assert table.alerts == ["undisclosed_card", "bad_card_out_of_round", "bad_shoe"]


def test_what_the_shoe_says_of_the_burn_fits() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(first("3H"))
    table.event(Burn(cards=3))
    for left in (2, 1, 0):
        assert table.table.desired_shoe.next_hand is Hand.BURN
        table.event(CardDrawn(hand=Hand.BURN, burns_left=left))
    assert table.alerts == []
    assert table.last(BettingOpened).round == 1


def test_two_cards_at_once_in_the_burn_are_both_counted() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(first("3H"))
    table.event(DoubleFeed(cards=3))
    assert table.at(Phase.BETTING)
    assert table.alerts == ["bad_card_out_of_round"]


def test_a_burn_broken_off_goes_on_with_the_round_once_it_is_cleared() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    table.event(first("3H"))
    table.card("7H", Hand.PLAYER, position=1)
    assert table.at(Phase.DEALING)
    table.act(ClearAlert(alert=table.alert_number("burn_differs")))
    table.deal("4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    assert table.alerts == []


# --- the cut card ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last_rounds", [0, 1, 3])
@pytest.mark.parametrize("when", ["burning", "before", "closed", "in round", "complete"])
def test_after_the_cut_card_the_round_is_finished_and_so_many_more_are_dealt(when: str, last_rounds: int) -> None:
    table = Sitting(last_rounds=last_rounds)
    table.dealer(OpenShoe())
    table.event(first("AS"))
    rounds = 0
    if when == "burning":
        table.event(CutCard())
    table.event(CardDrawn(hand=Hand.BURN))
    if when != "burning":
        play(table)
        rounds = 1
    match when:
        case "before" | "closed":
            if when == "closed":
                table.event(ButtonPressed(button=Button.NO_MORE_BETS))
            table.event(CutCard())
        case "in round" | "complete":
            table.deal(PLAYER_WINS if when == "complete" else "7H 4D")
            table.event(CutCard())
            table.deal("" if when == "complete" else "KS 2C")
            table.result(IndicatedWinner.PLAYER)
            rounds += 1
    # Before a round the cut card belongs to the round that comes, so one is dealt at the least.
    more = last_rounds if when in ("in round", "complete") else max(last_rounds, 1)
    assert table.last(CutCardOut).last_round == rounds + more
    for _ in range(more):
        assert table.state.phase in (Phase.BETTING, Phase.CLOSED)
        play(table)
    assert table.at(Phase.ENDED)
    assert table.last(ShoeEnded).cause == LastRoundOver()
    assert table.table.desired_shoe.gate_locked
    assert table.table.desired_shoe.lamps == {Lamp.PLAYER}


def test_the_cut_card_counts_once_and_voided_rounds_count_too() -> None:
    table = opened()
    table.event(CutCard())
    table.event(CutCard())
    assert len(table.all(CutCardOut)) == 1
    table.deal("7H")
    table.act(VoidRound())
    assert table.at(Phase.ENDED)


def test_the_cut_card_before_a_round_that_is_dealt_again() -> None:
    table = opened(last_rounds=0)
    table.deal("7H")
    table.act(VoidAndReplay())
    table.event(CutCard())
    play(table)
    assert table.at(Phase.ENDED)


# --- cards too many --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("face", ["5C", None])
@pytest.mark.parametrize("shoe", ["tells of it", "is silent"])
@pytest.mark.parametrize("when", ["before the result", "after the result", "after the shoe used it"])
def test_a_card_too_many_begins_the_next_round(when: str, shoe: str, face: str | None) -> None:
    card = None if face is None else Card.parse(face)
    again = CardDrawn(hand=Hand.PLAYER, position=1, card=card, carried_over=True)
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.event(Fault(code=FaultCode.OVER_DRAW))
    table.event(CardDrawn(hand=Hand.EXTRA, card=card))
    table.event(FaultCleared(code=FaultCode.OVER_DRAW))
    if when == "before the result":
        table.act(UseExtraCard())
    table.result(IndicatedWinner.PLAYER)
    if when == "after the shoe used it":
        table.event(again)
    if when != "before the result":
        assert table.at(Phase.COMPLETE)
        table.act(UseExtraCard())
    assert table.at(Phase.BETTING)
    assert code_of_bet(table) is None, "wagers are open, although the first card lies there"
    if shoe == "tells of it" and when != "after the shoe used it":
        table.event(again)
        assert table.at(Phase.DEALING)
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=Card.parse("4D")))
    if card is None:
        table.act(IdentifyCard(number=1, card=Card.parse("5C")))
    table.deal("2S 2C")
    assert table.alerts == []
    table.result(IndicatedWinner.PLAYER)
    assert table.last(RoundResult).outcome.player.cards[0] is Card.FIVE_OF_CLUBS
    assert table.state.shoe is not None
    assert table.state.shoe.copies[Card.FIVE_OF_CLUBS.number] == 1
    assert table.state.shoe.cards_out == 2 + 4 + 1 + 3


def code_of_bet(table: Sitting) -> str | None:
    refusal = table.bet("1", "base.player", 50).refusal
    return None if refusal is None else refusal.code


def test_where_the_shoe_begins_a_round_with_a_burned_card_a_supervisor_looks_and_it_goes_on() -> None:
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.card("5C", Hand.EXTRA)
    table.act(BurnExtraCard())
    table.result(IndicatedWinner.PLAYER)
    assert table.state.shoe is not None
    burned = table.state.shoe.burned
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("5C"), carried_over=True))
    assert table.alerts == ["burned_card_carried"]
    assert table.state.shoe.burned == burned - 1
    table.card("4D", Hand.BANKER)
    assert table.act(ClearAlert(alert=table.alert_number("burned_card_carried"))).refusal is None
    table.deal("KS 2C KH")
    table.result(IndicatedWinner.BANKER)
    assert table.last(RoundResult).outcome.player.cards[0] is Card.FIVE_OF_CLUBS
    assert table.alerts == []


def test_another_card_than_the_one_carried_over_is_not_believed() -> None:
    table = opened(over_drawn=OverDrawn.USE, reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.card("5C", Hand.EXTRA)
    table.act(ClearAlert(alert=table.alert_number("over_draw")))
    table.result(IndicatedWinner.PLAYER)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("6C"), carried_over=True))
    assert table.alerts == ["place_filled"]


@pytest.mark.parametrize("cards", ["7H", "7H 4D", PLAYER_WINS])
def test_a_carried_card_in_the_middle_of_a_round_finds_its_place_filled(cards: str) -> None:
    """The shoe has begun another round, so the one on the table can only be voided."""
    table = opened()
    table.deal(cards)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, carried_over=True))
    assert table.alerts == ["place_filled"]


def test_the_face_of_a_card_too_many_may_come_later() -> None:
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.card(None, Hand.EXTRA)
    table.event(CardIdentified(hand=Hand.EXTRA, card=Card.parse("5C")))
    assert table.state.round is not None
    assert table.state.round.extras[0].card is Card.FIVE_OF_CLUBS
    assert table.state.shoe is not None
    assert table.state.shoe.copies[Card.FIVE_OF_CLUBS.number] == 1
    table.act(UseExtraCard())
    table.result(IndicatedWinner.PLAYER)
    table.card("4D", Hand.BANKER)
    assert table.state.round is not None
    assert [laid.card for laid in table.state.round.cards] == [Card.FIVE_OF_CLUBS, Card.FOUR_OF_DIAMONDS]


def test_the_face_of_the_card_chosen_to_begin_the_next_round_may_come_later_still() -> None:
    table = opened(reveal=Reveal.BY_DEALER)
    table.deal(PLAYER_WINS)
    table.card(None, Hand.EXTRA)
    table.act(UseExtraCard())
    table.event(CardIdentified(hand=Hand.EXTRA, card=Card.parse("5C")))
    table.result(IndicatedWinner.PLAYER)
    table.card("4D", Hand.BANKER)
    assert table.state.round is not None
    assert table.state.round.cards[0].card is Card.FIVE_OF_CLUBS


@pytest.mark.parametrize("hand", [Hand.EXTRA, Hand.BURN])
def test_a_piece_of_card_that_came_before_is_found_when_the_shoe_names_it(hand: Hand) -> None:
    table = opened()
    table.card("7H", card_id="one")
    table.deal("4D KS 2C")
    table.card(None, Hand.EXTRA)
    table.act(BurnExtraCard())
    table.event(CardIdentified(hand=hand, card=Card.parse("7H"), card_id="one"))
    assert [(alert.kind, alert.fault) for alert in table.state.lasting.alerts] == [
        ("bad_card_out_of_round", "card_twice"),
        ("bad_shoe", "card_twice"),
    ]


def test_a_card_that_fits_no_place_may_be_a_bad_one_too() -> None:
    table = opened(card_sets=("ours", "ours too"))
    table.card("7H", deck_set="ours too")
    assert table.alerts == []
    table.card("4D", Hand.PLAYER, deck_set="theirs")
    assert table.alerts == ["out_of_turn", "bad_card_out_of_round", "bad_shoe"]


NAMED_AT_THE_RESULT = (
    CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H")),
    CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("4D")),
    ResultIndicated(winner=None),
    Standby(),
)
"""An Angel Eye shoe ends a round by force in which its second card went to Player instead of Banker."""


@pytest.mark.parametrize("void", [VoidRound(), VoidAndReplay()])
@pytest.mark.parametrize("before", range(len(NAMED_AT_THE_RESULT) + 1))
def test_a_card_out_of_turn_may_be_named_before_the_round_is_void_or_after_it(before: int, void: AnyAct) -> None:
    """The supervisor's void and the shoe's telegrams take different ways: any of them may come first."""
    table = opened()
    table.card(None)
    table.card(None, Hand.PLAYER)
    for event in NAMED_AT_THE_RESULT[:before]:
        table.event(event)
    table.act(void)
    for event in NAMED_AT_THE_RESULT[before:]:
        table.event(event)
    assert [fact.alert.kind for fact in table.all(AlertRaised)] == ["out_of_turn"]
    assert table.alerts == []
    assert table.state.shoe is not None
    copies = table.state.shoe.copies
    assert (copies[Card.SEVEN_OF_HEARTS.number], copies[Card.FOUR_OF_DIAMONDS.number]) == (1, 1)


@pytest.mark.parametrize(("hand", "position"), [(Hand.BANKER, 1), (Hand.BANKER, None), (Hand.PLAYER, 3)])
def test_a_card_out_of_turn_does_not_hide_another_that_never_came(hand: Hand, position: int | None) -> None:
    table = opened()
    table.card("7H")
    table.card(None, Hand.PLAYER)
    table.event(CardIdentified(hand=hand, position=position, card=Card.parse("4D")))
    assert table.alerts == ["out_of_turn", "event_gap"]


def test_a_card_set_aside_is_named_once() -> None:
    table = opened()
    table.card("7H")
    table.card(None, Hand.PLAYER)
    for _ in range(2):
        table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("4D")))
    assert table.alerts == ["out_of_turn"]
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("5D")))
    assert table.alerts == ["out_of_turn", "place_filled"]
    assert table.state.shoe is not None
    copies = table.state.shoe.copies
    assert (copies[Card.FOUR_OF_DIAMONDS.number], copies[Card.FIVE_OF_DIAMONDS.number]) == (1, 0)


def test_a_card_set_aside_that_stays_undisclosed_needs_no_alert_of_its_own() -> None:
    table = opened()
    table.card("7H")
    table.card(None, Hand.PLAYER)
    table.event(CardIdentified(hand=Hand.PLAYER, position=2))
    assert table.alerts == ["out_of_turn"]


def test_a_card_set_aside_is_found_to_be_a_bad_one_when_it_is_named() -> None:
    table = opened()
    table.card("7H", card_id="one")
    table.card(None, Hand.PLAYER)
    table.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("7H"), card_id="one"))
    assert [(alert.kind, alert.fault) for alert in table.state.lasting.alerts] == [
        ("out_of_turn", None),
        ("bad_card_out_of_round", "card_twice"),
        ("bad_shoe", "card_twice"),
    ]


def test_a_shoe_opened_under_the_first_revision_is_replayed_as_it_was_recorded() -> None:
    """Journals from before there were revisions name none, and hold an `event_gap` for a stray that was named."""
    recorded = opened()
    recorded.card("7H")
    recorded.card(None, Hand.PLAYER)
    recorded.event(CardIdentified(hand=Hand.PLAYER, position=2, card=Card.parse("4D")))
    table = Table(read_rules)
    for given, at, _ in recorded.history:
        fields = msgspec.to_builtins(given)
        fields.pop("revision", None)
        fields.get("lasting", {}).pop("revision", None)
        table.take_over(table.handle(msgspec.convert(fields, AnyInput), at))
    assert [alert.kind for alert in table.state.lasting.alerts] == ["out_of_turn", "event_gap"]


def test_a_fault_that_speaks_of_a_card_that_was_read_is_about_some_other_card() -> None:
    table = opened()
    table.deal("7H")
    table.event(Fault(code=FaultCode.UNREADABLE, stopped=True))
    assert table.alerts == ["bad_card_out_of_round"]


def test_two_unread_cards_are_two_alerts() -> None:
    table = opened()
    for _ in range(2):
        table.card(None)
        table.event(Fault(code=FaultCode.UNREADABLE, stopped=True))
        table.event(FaultCleared(code=FaultCode.UNREADABLE))
    assert [(alert.kind, alert.card) for alert in table.state.lasting.alerts] == [("misread", 1), ("misread", 2)]


# --- the end ---------------------------------------------------------------------------------------------------------


def test_a_shoe_that_is_empty_in_mid_round() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.deal("7H 4D")
    table.event(Fault(code=FaultCode.DRAW_TIMEOUT, stopped=True))
    assert table.alerts == ["no_card_came"]
    table.event(FaultCleared(code=FaultCode.DRAW_TIMEOUT))
    table.event(ResultIndicated(winner=None))
    assert table.alerts == ["no_card_came"], "that it was ended by force is explained by it"
    table.act(VoidRound())
    assert table.last(RoundVoided).total == 50
    table.act(EndShoe())
    assert table.at(Phase.ENDED)
    assert table.alerts == []


def test_wagers_that_stand_when_a_shoe_is_ended_are_returned() -> None:
    table = opened()
    table.bet("1", "base.player", 50)
    table.act(EndShoe())
    assert table.last(WagersReturned).total == 50


def test_a_result_of_a_voided_round_means_nothing() -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    table.act(VoidRound())
    table.event(CardIdentified(hand=Hand.PLAYER, position=1))
    table.event(ResultIndicated(winner=IndicatedWinner.BANKER))
    assert table.alerts == []
    table.event(ResultIndicated(winner=IndicatedWinner.BANKER))
    assert table.alerts == ["stray_result"]


def test_a_result_that_agrees_may_come_after_the_settlement_once() -> None:
    table = opened()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))
    table.event(ResultIndicated(winner=IndicatedWinner.PLAYER))
    assert table.alerts == []
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("8H")))
    assert table.alerts == ["event_gap"]


def test_an_empty_table_wants_nothing() -> None:
    table = Table(read_rules, TableState())
    assert table.next_deadline() is None
    assert not table.desired_shoe.gate_locked
