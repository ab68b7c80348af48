"""A card that everyone has seen never begins a round with wagers open: it is burned, or begins a free hand."""

from typing import Any

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, CutCard, Hand, IndicatedWinner
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    Approve,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    DiscardCard,
    EnterCard,
    NoMoreBets,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.facts import (
    BettingOpened,
    CardDealt,
    ExtraCardDecided,
    FreeHandAnnounced,
    RoundResult,
    RoundSettled,
    RoundVoided,
    WagersReturned,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Reveal, ShownCard
from shoe_controller.messages.prompts import LayCarriedCard, TakeWagersAndLay, TakeWagersWithCarried
from shoe_controller.messages.retained import CarriedCard
from shoe_controller.table.inputs import ControllerStarted, LinkBack, Snapshot
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.state import REVISION
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.test_acts import code_of
from tests.table.test_phases import PLAYER_WINS

NINE = Card.parse("9C")
CARRIED = CardDrawn(hand=Hand.PLAYER, position=1, card=NINE, carried_over=True)


BACK = LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench")


def over_drawn(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    """A complete round, and a nine drawn too many."""
    table = Sitting(**procedure)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    if table.rules.procedure.bets_close is BetsClose.DEALER:
        table.dealer(NoMoreBets())
    table.deal(PLAYER_WINS)
    table.card("9C", Hand.EXTRA)
    return table


def carried(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    """The nine is used, and the round before is settled."""
    table = over_drawn(**procedure)
    assert code_of(table.act(UseExtraCard())) is None
    table.dealer(Confirm())
    return table


def bet(table: Sitting) -> str | None:
    return code_of(table.bet("2", "base.player", 50))


def test_a_card_that_everyone_has_seen_can_only_be_burned_where_the_house_says_so() -> None:
    table = over_drawn(over_drawn=OverDrawn.USE)
    assert code_of(table.act(UseExtraCard())) == "card_was_shown"
    assert "use_extra_card" not in [act.act for act in view_of(table.state, read_rules).acts]
    assert code_of(table.act(ClearAlert(alert=table.alert_number("over_draw")))) is None
    assert (table.last(ExtraCardDecided).burned, table.last(ExtraCardDecided).used) == (1, False)
    table.dealer(Confirm())
    assert bet(table) is None
    table.card("4D")
    assert table.last(CardDealt).place.card is Card.parse("4D")


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_a_card_that_lay_face_up_is_as_good_as_shown(reveal: Reveal) -> None:
    table = over_drawn(reveal=reveal)
    assert code_of(table.act(UseExtraCard(face_up=True))) == "card_was_shown"
    assert code_of(table.act(UseExtraCard())) is None, "nobody saw it"
    table = over_drawn(reveal=reveal, shown_card=ShownCard.FREE_HAND)
    assert code_of(table.act(UseExtraCard(face_up=True))) is None
    table.dealer(Confirm())
    assert bet(table) == "free_hand"


@pytest.mark.parametrize("decides", ["use", "clear"])
@pytest.mark.parametrize("bets_close", BetsClose)
def test_a_card_that_was_shown_begins_a_free_hand(bets_close: BetsClose, decides: str) -> None:
    table = over_drawn(shown_card=ShownCard.FREE_HAND, over_drawn=OverDrawn.USE, bets_close=bets_close)
    alert = table.alert_number("over_draw")
    table.act(UseExtraCard() if decides == "use" else ClearAlert(alert=alert))
    opened = len(table.all(BettingOpened))
    table.dealer(Confirm())
    assert len(table.all(BettingOpened)) == opened, "wagers are never opened for it"
    assert table.last(FreeHandAnnounced).carried
    assert table.last(FreeHandAnnounced).round == 2
    assert bet(table) == "free_hand"
    view = view_of(table.state, read_rules)
    assert (view.free, view.carried, view.prompt) == (True, CarriedCard(card=NINE, shown=True), LayCarriedCard())
    table.card("4D", Hand.BANKER)
    assert [laid.card for laid in table.state.round.cards] == [NINE, Card.parse("4D")] if table.state.round else False
    assert [fact.carried for fact in table.all(CardDealt)][-2:] == [True, False]
    table.deal("KS 2C")
    assert table.alerts == []
    table.dealer(Confirm())
    assert len(table.all(RoundSettled)) == 1
    assert bet(table) is None


@pytest.mark.parametrize("bets_close", BetsClose)
def test_an_unseen_card_is_carried_and_table_and_shoe_say_so(bets_close: BetsClose) -> None:
    table = carried(reveal=Reveal.BY_DEALER, bets_close=bets_close)
    view = view_of(table.state, read_rules)
    assert view.carried == CarriedCard(card=None, shown=False)
    assert view.prompt == (TakeWagersWithCarried() if bets_close is BetsClose.DEALER else TakeWagersAndLay())
    assert view.standing is not None
    assert view.standing.next_hand is Side.BANKER
    assert bet(table) is None
    if bets_close is BetsClose.DEALER:
        table.dealer(NoMoreBets())
        assert view_of(table.state, read_rules).prompt == LayCarriedCard()
    assert table.table.desired_shoe.next_hand is Hand.BANKER
    table.event(CardDrawn(hand=table.table.desired_shoe.next_hand, position=1, card=Card.parse("4D")))
    assert table.alerts == [], "a shoe that does as it is told finds no place filled"
    assert view_of(table.state, read_rules).carried is None


def test_where_the_shoe_carries_another_card_the_first_one_is_burned() -> None:
    """It lies there, and begins no round: the record says what became of it."""
    table = carried(reveal=Reveal.BY_DEALER)
    assert table.state.shoe is not None
    burned = table.state.shoe.burned
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("2H"), carried_over=True))
    assert table.last(ExtraCardDecided).burned == 1
    assert (table.state.shoe.burned, table.state.shoe.carried) == (burned + 1, None)
    assert table.alerts == ["place_filled"]
    assert code_of(table.act(VoidRound())) is None
    assert view_of(table.state, read_rules).carried is None


@pytest.mark.parametrize("bets_close", BetsClose)
def test_a_supervisor_may_burn_it_after_all(bets_close: BetsClose) -> None:
    table = carried(reveal=Reveal.BY_DEALER, bets_close=bets_close)
    burned, out = table.state.shoe.burned if table.state.shoe else 0, view_of(table.state, read_rules).cards_out
    assert "burn_extra_card" in {act.act for act in view_of(table.state, read_rules).acts}
    assert code_of(table.act(BurnExtraCard())) is None
    view = view_of(table.state, read_rules)
    assert (view.carried, view.cards_out) == (None, out)
    assert table.state.shoe is not None
    assert table.state.shoe.burned == burned + 1
    assert code_of(table.act(BurnExtraCard())) == "no_extra_card"


def test_none_is_carried_when_the_last_round_is_dealt() -> None:
    table = Sitting(reveal=Reveal.BY_DEALER)
    table.open_shoe()
    table.event(CutCard())
    table.deal(PLAYER_WINS)
    while view_of(table.state, read_rules).round != view_of(table.state, read_rules).last_round:
        table.dealer(Confirm())
        table.deal(PLAYER_WINS)
    table.card("9C", Hand.EXTRA)
    assert "use_extra_card" not in {act.act for act in view_of(table.state, read_rules).acts}
    assert code_of(table.act(UseExtraCard())) == "only_burned"
    assert code_of(table.act(BurnExtraCard())) is None
    table.dealer(Confirm())
    assert view_of(table.state, read_rules).phase == "ended"


def can_be_entered(table: Sitting) -> tuple[int, ...]:
    acts = view_of(table.state, read_rules).acts
    return next((act.cards or () for act in acts if act.act == "enter_card"), ())


def test_no_card_is_entered_before_one_that_is_carried() -> None:
    """It was drawn in the round before: whatever left the shoe since comes after it."""
    enter_first = EnterCard(number=1, card=Card.parse("2S"))
    table = carried(reveal=Reveal.BY_DEALER)
    assert can_be_entered(table) == (2,)
    assert code_of(table.act(enter_first)) == "carried_card_is_first"
    table.card("4D", Hand.BANKER)
    assert can_be_entered(table) == (2, 3)
    assert code_of(table.act(enter_first)) == "carried_card_is_first"
    assert code_of(table.act(EnterCard(number=2, card=Card.parse("2S")))) is None
    assert table.state.round is not None
    assert [laid.card for laid in table.state.round.cards] == [NINE, Card.parse("2S"), Card.parse("4D")]


def test_before_a_carried_card_that_is_discarded_nothing_stands_first() -> None:
    table = carried(reveal=Reveal.BY_DEALER, discarded_card=DiscardedCard.NEXT_CARD)
    table.card("4D", Hand.BANKER)
    assert code_of(table.act(DiscardCard(number=1, cause=DiscardCause.DAMAGED, card=None))) is None
    assert can_be_entered(table) == (1, 2)


def test_where_an_earlier_version_ran_the_table_a_card_was_entered_before_it() -> None:
    table = Sitting(reveal=Reveal.BY_DEALER)
    table.give(ControllerStarted(boot="first", revision=3))
    table.give(BACK)
    table.revision = 3
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.card("9C", Hand.EXTRA)
    table.act(UseExtraCard())
    table.result(IndicatedWinner.PLAYER)
    table.card("4D", Hand.BANKER)
    assert code_of(table.act(EnterCard(number=1, card=Card.parse("2S")))) is None, "recorded facts are replayed"


@pytest.mark.parametrize("house", ShownCard)
def test_a_shown_card_that_the_shoe_itself_carries_over(house: ShownCard) -> None:
    """An Angel Eye shoe begins the next round with it, whatever the table decided."""
    table = over_drawn(shown_card=house)
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    assert bet(table) is None
    burned = table.state.shoe.burned if table.state.shoe else 0
    table.event(CARRIED)
    assert table.state.round is not None
    assert table.state.shoe is not None
    assert table.state.shoe.burned == burned - 1
    assert [laid.card for laid in table.state.round.cards] == [NINE]
    if house is ShownCard.BURN:
        assert table.alerts == ["shown_card_carried"]
        assert table.state.round.wagers, "they stand until a supervisor decides"
        table.act(ClearAlert(alert=table.alert_number("shown_card_carried")))
    assert table.alerts == []
    assert table.last(WagersReturned).total == 50
    assert table.last(WagersReturned).cause == "card_shown"
    assert table.state.round.free
    table.deal("4D KS 2C")
    table.dealer(Confirm())
    assert len(table.all(RoundSettled)) == 1


@pytest.mark.parametrize("cleared", [("shown_card_carried", "late_wager"), ("late_wager", "shown_card_carried")])
@pytest.mark.parametrize("house", ShownCard)
def test_a_wager_that_was_late_for_it_does_not_stand_again(house: ShownCard, cleared: tuple[str, str]) -> None:
    table = over_drawn(shown_card=house)
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    table.bet("1", "base.player", 50)
    table.wait(5)
    table.bet("1", "base.player", 100)
    table.event(CARRIED, age_ms=4000)
    assert sorted(table.alerts) == ([] if house is ShownCard.FREE_HAND else ["late_wager", "shown_card_carried"])
    for kind in cleared if table.alerts else ():
        table.act(ClearAlert(alert=table.alert_number(kind)))
    assert table.alerts == []
    table.deal("4D KS 2C")
    table.dealer(Confirm())
    assert table.last(RoundResult).free
    assert {settled.round for settled in table.all(RoundSettled)} <= {1}


def test_or_the_supervisor_voids_the_round_that_it_began() -> None:
    table = over_drawn()
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    bet(table)
    table.event(CARRIED)
    assert code_of(table.act(VoidRound())) is None
    assert table.last(RoundVoided).total == 50
    assert table.alerts == []
    assert bet(table) is None


@pytest.mark.parametrize("void", [VoidRound(), VoidAndReplay()])
@pytest.mark.parametrize("house", ShownCard)
def test_a_void_burns_a_card_that_nobody_has_decided_on(house: ShownCard, void: VoidRound | VoidAndReplay) -> None:
    table = over_drawn(shown_card=house)
    assert code_of(table.act(void)) is None
    assert (table.last(ExtraCardDecided).burned, table.last(ExtraCardDecided).used) == (1, False)
    table.bet("2", "base.player", 50)
    table.event(CARRIED)
    assert table.state.shoe is not None
    assert table.state.round is not None
    assert (table.state.shoe.cards_out, table.state.shoe.copies[NINE.number]) == (7, 1)
    assert [laid.card for laid in table.state.round.cards] == [NINE]
    if house is ShownCard.BURN:
        assert table.alerts == ["shown_card_carried"]
        table.act(ClearAlert(alert=table.alert_number("shown_card_carried")))
    assert (table.alerts, table.state.round.free, table.state.round.wagers) == ([], True, ())
    table.check_replay()


@pytest.mark.parametrize("void", [VoidRound(), VoidAndReplay()])
def test_one_that_was_burned_unseen_is_not_entered_as_another(void: VoidRound | VoidAndReplay) -> None:
    table = over_drawn(reveal=Reveal.BY_DEALER)
    table.act(void)
    table.event(CARRIED)
    assert table.alerts == ["burned_card_carried"]
    table.card("2S", Hand.BANKER, position=1)
    assert code_of(table.act(EnterCard(number=1, card=NINE))) == "carried_card_is_first"
    assert table.alerts == ["burned_card_carried"]
    assert code_of(table.act(VoidRound())) is None


def test_another_card_than_the_burned_one_is_not_believed() -> None:
    table = over_drawn()
    table.act(BurnExtraCard())
    table.dealer(Confirm())
    table.event(msgspec.structs.replace(CARRIED, card=Card.parse("2C")))
    assert table.alerts == ["out_of_turn"]


def test_a_round_that_is_dealt_again_does_not_begin_with_it() -> None:
    table = over_drawn(shown_card=ShownCard.FREE_HAND)
    table.act(UseExtraCard())
    table.act(VoidAndReplay())
    assert table.state.shoe is not None
    assert table.state.shoe.carried is None
    assert (table.last(ExtraCardDecided).burned, table.last(ExtraCardDecided).used) == (1, False)
    table.deal("4D")
    assert table.last(CardDealt).place.card is Card.parse("4D")


def test_it_begins_a_free_hand_also_after_a_void_and_after_an_undo() -> None:
    table = over_drawn(shown_card=ShownCard.FREE_HAND)
    table.act(UseExtraCard())
    table.act(VoidRound())
    assert bet(table) == "free_hand"
    table = carried(shown_card=ShownCard.FREE_HAND)
    table.act(UndoLastResult(), person="ann")
    proposal = table.state.lasting.proposal
    assert proposal is not None
    table.act(Approve(proposal=proposal.number), person="ben")
    table.act(Confirm())
    assert bet(table) == "free_hand"


@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.CLOSED, Phase.COMPLETE])
def test_a_shoe_in_which_an_earlier_version_carried_a_shown_card(phase: Phase) -> None:
    """It is burned as soon as this version runs the table: wagers may stand on the round."""
    table = Sitting(bets_close=BetsClose.DEALER)
    table.give(ControllerStarted(boot="first", revision=2))
    table.give(BACK)
    table.revision = 2
    table.open_shoe()
    table.dealer(NoMoreBets())
    table.deal(PLAYER_WINS)
    table.card("9C", Hand.EXTRA)
    assert code_of(table.act(UseExtraCard())) is None, "recorded facts are replayed as they were"
    if phase is not Phase.COMPLETE:
        table.result(IndicatedWinner.PLAYER)
        assert bet(table) is None
    if phase is Phase.CLOSED:
        table.dealer(NoMoreBets())
    table.give(Snapshot(state=table.state))
    table.give(ControllerStarted(boot="first", revision=REVISION))
    table.give(BACK)
    if phase is Phase.COMPLETE:
        table.dealer(Confirm())
    assert table.state.shoe is not None
    assert table.state.shoe.carried is None
    assert (table.last(ExtraCardDecided).burned, table.last(ExtraCardDecided).used) == (1, False)
