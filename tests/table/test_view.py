"""What a table shows and desires at each moment: what the dealer does next, whose card is next, gate and lamps."""

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, CardReturned, Fault, FaultCode, Hand, IndicatedWinner, Misread
from firmware_protocol.link import DesiredShoe, Lamp
from shoe_controller.baccarat.reasons import BothStand, SecondCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    CorrectCard,
    EndShoe,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.facts import CardCorrected, CardsShown
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.messages.prompts import (
    AnnounceShoe,
    AnyPrompt,
    BurnCards,
    ChangeCards,
    ConfirmResult,
    ConnectShoe,
    DrawCard,
    ResolveAlert,
    ShowFirstCard,
    TakeWagers,
    TakeWagersAndDraw,
)
from shoe_controller.messages.retained import LastVoid
from shoe_controller.table.inputs import LinkLost
from shoe_controller.table.phases import IN_ROUND
from shoe_controller.table.procedure import GateLocks
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.test_phases import TO

PLAYER_FIRST = DrawCard(hand=Side.PLAYER)
PROMPTS: dict[Phase, AnyPrompt] = {
    Phase.NO_SHOE: AnnounceShoe(),
    Phase.FIRST_CARD: ShowFirstCard(),
    Phase.BURNING: BurnCards(cards=2),
    Phase.BETTING: TakeWagersAndDraw(),
    Phase.CLOSED: PLAYER_FIRST,
    Phase.DEALING: DrawCard(hand=Side.PLAYER, why=SecondCard(hand=Side.PLAYER)),
    Phase.COMPLETE: ConfirmResult(why=BothStand(player_total=7, banker_total=6)),
    Phase.ENDED: ChangeCards(),
}
WISHES = {
    Phase.NO_SHOE: (False, None),
    Phase.FIRST_CARD: (False, Hand.BURN),
    Phase.BURNING: (False, Hand.BURN),
    Phase.BETTING: (False, Hand.PLAYER),
    Phase.CLOSED: (False, Hand.PLAYER),
    Phase.DEALING: (False, Hand.PLAYER),
    Phase.COMPLETE: (True, None),
    Phase.ENDED: (True, None),
}


@pytest.mark.parametrize("phase", Phase)
def test_what_the_dealer_does_next(phase: Phase) -> None:
    table = Sitting()
    TO[phase](table)
    view = view_of(table.state, read_rules)
    assert (view.phase, view.prompt, view.seq) == (phase, PROMPTS[phase], len(table.facts))
    table.give(LinkLost(reason="cable"))
    lost = view_of(table.state, read_rules)
    in_round = phase in IN_ROUND
    assert lost.prompt == (ResolveAlert(number=1, kind=AlertKind.SHOE_LOST) if in_round else ConnectShoe())
    table.event(Fault(code=FaultCode.GATE_FORCED))
    view = view_of(table.state, read_rules)
    assert view.stopped
    assert view.prompt == ResolveAlert(number=view.alerts[0].number, kind=view.alerts[0].kind)


@pytest.mark.parametrize("gate", GateLocks)
@pytest.mark.parametrize("phase", Phase)
def test_what_is_wanted_of_the_shoe(phase: Phase, gate: GateLocks) -> None:
    table = Sitting(gate_locks=gate)
    TO[phase](table)
    locked, next_hand = WISHES[phase]
    lamps = frozenset({Lamp.PLAYER}) if phase is Phase.ENDED else frozenset()
    locked = locked and gate is GateLocks.WHEN_NO_CARD_IS_DUE
    assert table.table.desired_shoe == DesiredShoe(gate_locked=locked, lamps=lamps, next_hand=next_hand)


def test_where_the_dealer_closes_the_wagers_no_card_is_due_before() -> None:
    table = Sitting(bets_close=BetsClose.DEALER)
    table.open_shoe()
    assert view_of(table.state, read_rules).prompt == TakeWagers()
    assert table.table.desired_shoe == DesiredShoe(gate_locked=True)
    table.dealer(FreeHand())
    assert view_of(table.state, read_rules).prompt == PLAYER_FIRST
    assert table.table.desired_shoe == DesiredShoe(gate_locked=False, next_hand=Hand.PLAYER)
    table.dealer(NoMoreBets())
    assert view_of(table.state, read_rules).prompt == PLAYER_FIRST


def test_the_last_result_stays_lit_until_the_next_card() -> None:
    table = Sitting()
    TO[Phase.COMPLETE](table)
    table.result(IndicatedWinner.PLAYER)
    assert table.table.desired_shoe.lamps == {Lamp.PLAYER}
    table.deal("7H")
    assert table.table.desired_shoe.lamps == frozenset()


def test_a_proposal_and_the_wagers_are_shown() -> None:
    table = Sitting()
    TO[Phase.COMPLETE](table)
    table.result(IndicatedWinner.PLAYER)
    table.bet("1", "base.tie", 5)
    table.act(UndoLastResult(), reason="look again")
    view = view_of(table.state, read_rules)
    assert view.proposal is not None
    assert (view.proposal.person, view.proposal.reason) == ("ann", "look again")
    assert [wager.stake for wager in view.wagers] == [5]


@pytest.mark.parametrize(("act", "replay"), [(VoidRound(), False), (VoidAndReplay(), True)])
def test_a_void_round_is_the_last_one_until_the_next_result(act: VoidRound | VoidAndReplay, *, replay: bool) -> None:
    table = Sitting()
    table.open_shoe()
    table.deal("7H 4D")
    assert view_of(table.state, read_rules).last_void is None
    table.act(act, reason="a card fell")
    assert view_of(table.state, read_rules).last_void == LastVoid(round=1, replay=replay)
    table.deal("7D 4H KS 2C")
    assert view_of(table.state, read_rules).last_void == LastVoid(round=1, replay=replay)
    table.result(IndicatedWinner.PLAYER)
    assert view_of(table.state, read_rules).last_void is None
    assert view_of(table.state, read_rules).last_outcome is not None


def test_a_correction_names_the_fact_that_told_of_the_card_last() -> None:
    table = Sitting()
    table.open_shoe()
    table.event(Misread(hand=Hand.PLAYER, position=1))
    table.act(IdentifyCard(number=1, card=Card.parse("7H")))
    table.act(CorrectCard(number=1, card=Card.parse("6H")))
    first = table.last(CardCorrected)
    assert first.replaces == table.last(CardsShown).seq
    table.act(CorrectCard(number=1, card=Card.parse("5H")))
    assert table.last(CardCorrected).replaces == first.seq


def test_the_end_of_a_shoe_ends_what_is_about_the_round_that_will_not_be() -> None:
    table = Sitting()
    table.open_shoe()
    table.event(CardReturned())
    table.event(CardDrawn(hand=Hand.EXTRA))
    table.act(EndShoe())
    assert table.alerts == []
