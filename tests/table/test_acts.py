"""What people may do: every act in every phase, roles, PINs and lock-outs, reasons, late and repeated requests."""

from collections.abc import Callable

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Fault, FaultCode, Hand, IndicatedWinner
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    ACTS,
    AcceptRollback,
    Act,
    ActName,
    Adjust,
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    AssignCards,
    AssignedCard,
    BeginHandEntry,
    BeginRunOut,
    BlinkShoe,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    CloseDispute,
    CollectCommission,
    Confirm,
    CorrectCard,
    CountRemainder,
    DealCard,
    DiscardCard,
    EndHandEntry,
    EndRunOut,
    EndShoe,
    EnterCard,
    ExchangeShoe,
    FreeHand,
    IdentifyCard,
    MoveWager,
    NoMoreBets,
    Note,
    OpenDispute,
    OpenShoe,
    RevealCards,
    Role,
    SetWager,
    SignIn,
    SignOut,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    WaiveCommission,
    Withdraw,
)
from shoe_controller.messages.causes import (
    DiscardCause,
    ProposalReplaced,
    ProposalShoeOpened,
    ProposalStruckOff,
    ProposalTimedOut,
    ProposalWithdrawn,
)
from shoe_controller.messages.facts import (
    ActProposed,
    CardSetAside,
    ExtraCardDecided,
    PersonActed,
    ProposalEnded,
    ShoeOpened,
    WagersChanged,
    WrongPin,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.refusals import LockedOut, NotNow, OtherRound
from shoe_controller.table.acts import AT_TABLE
from shoe_controller.table.inputs import ControllerStarted, PinVerdict, ProposerStruckOff
from shoe_controller.table.people import REMEMBERED_REQUESTS
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.state import TableState
from shoe_controller.table.table import Handled, Table
from tests.table.sitting import Sitting
from tests.table.test_phases import PLAYER_WINS, TO

EXAMPLES: dict[type[Act], AnyAct] = {
    OpenShoe: OpenShoe(),
    NoMoreBets: NoMoreBets(),
    FreeHand: FreeHand(),
    RevealCards: RevealCards(),
    Confirm: Confirm(),
    CallSupervisor: CallSupervisor(),
    ClearAlert: ClearAlert(alert=1),
    SignIn: SignIn(),
    SignOut: SignOut(),
    IdentifyCard: IdentifyCard(number=1, card=Card.parse("7H")),
    CorrectCard: CorrectCard(number=1, card=Card.parse("9H")),
    AssignCards: AssignCards(cards=(AssignedCard(hand=Side.PLAYER, card=Card.parse("9H")),)),
    DiscardCard: DiscardCard(number=1, cause=DiscardCause.DAMAGED, card=Card.parse("7H")),
    EnterCard: EnterCard(number=1, card=Card.parse("9H")),
    DealCard: DealCard(card=Card.parse("9H")),
    BeginHandEntry: BeginHandEntry(),
    EndHandEntry: EndHandEntry(),
    UseExtraCard: UseExtraCard(),
    BurnExtraCard: BurnExtraCard(),
    VoidRound: VoidRound(),
    VoidAndReplay: VoidAndReplay(),
    UndoLastResult: UndoLastResult(),
    SetWager: SetWager(seat="1", wager="base.player", stake=50),
    MoveWager: MoveWager(seat="1", wager="base.player", to_seat="2"),
    AmendRound: AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=Card.parse("7D")),)),
    EndShoe: EndShoe(),
    CountRemainder: CountRemainder(cards=300),
    BeginRunOut: BeginRunOut(),
    EndRunOut: EndRunOut(),
    ExchangeShoe: ExchangeShoe(),
    BlinkShoe: BlinkShoe(),
    AcceptRollback: AcceptRollback(),
    Note: Note(),
    OpenDispute: OpenDispute(seat="1"),
    CloseDispute: CloseDispute(dispute=1),
    Adjust: Adjust(seat="1", amount=50),
    CollectCommission: CollectCommission(seat="1"),
    WaiveCommission: WaiveCommission(seat="1"),
    Approve: Approve(proposal=1),
    Withdraw: Withdraw(proposal=1),
}

NOTHING_TO_DO = {
    "no_such_alert",
    "no_extra_card",
    "nothing_to_void",
    "nothing_to_undo",
    "nothing_to_accept",
    "no_such_dispute",
    "no_commission_due",
    "no_proposal",
    "card_is_known",
    "no_such_card",
    "round_not_found",
    "no_such_wager",
    "nothing_hidden",
    "nobody_on_duty",
    "not_by_dealer",
    "order_disturbed",
    "not_all_cards",
    "nothing_discarded",
    "not_in_hand_entry",
    "no_run_out",
}
"""The act would be possible in this phase, but there is nothing at this table for it."""

each_act = pytest.mark.parametrize("act", EXAMPLES.values(), ids=lambda act: ACTS[type(act)].name)


def code_of(handled: Handled) -> str | None:
    return None if handled.refusal is None else handled.refusal.code


def test_every_act_is_here() -> None:
    assert set(EXAMPLES) == set(ACTS)
    assert {rule.name for rule in ACTS.values()} == set(ActName)
    assert set(AT_TABLE) == set(ACTS)


# --- when, who, why --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", Phase)
@each_act
def test_an_act_is_possible_just_where_the_table_says(act: AnyAct, phase: Phase) -> None:
    table = Sitting()
    TO[phase](table)
    handled = table.act(act)
    code = code_of(handled)
    if phase in AT_TABLE[type(act)].phases:
        assert code is None or code in NOTHING_TO_DO
    else:
        assert handled.refusal == NotNow(act=ACTS[type(act)].name, phase=phase)
        assert table.at(phase)


ON_THE_TABLE: dict[type[Act], Callable[[Sitting], None]] = {
    CorrectCard: TO[Phase.COMPLETE],
    EnterCard: TO[Phase.BETTING],
    BeginHandEntry: TO[Phase.DEALING],
    VoidRound: TO[Phase.DEALING],
    VoidAndReplay: TO[Phase.DEALING],
    EndShoe: TO[Phase.BETTING],
    Note: TO[Phase.DEALING],
    OpenDispute: TO[Phase.COMPLETE],
}
"""A table at which a supervisor's act, done rightly, would do something."""


@each_act
def test_who_may_do_it(act: AnyAct) -> None:
    rule = ACTS[type(act)]
    table = Sitting()
    TO[next(phase for phase in Phase if phase in AT_TABLE[type(act)].phases)](table)
    if rule.pin:
        assert code_of(table.dealer(act)) == "pin_missing"
        assert code_of(table.act(act, role=Role.DEALER)) is None
        assert code_of(table.act(act, role=Role.DEALER, pin=PinVerdict.WRONG)) == "wrong_pin"
        return
    if rule.role is Role.DEALER:
        if isinstance(act, SignOut):
            table.sign_in()
        without_reason = {"reason_missing"} if rule.reason else {None, *NOTHING_TO_DO}
        assert code_of(table.dealer(act)) in without_reason
        return
    before = len(table.facts)
    assert code_of(table.dealer(act)) == "not_a_supervisor"
    assert code_of(table.act(act, role=Role.DEALER)) == "not_a_supervisor"
    assert code_of(table.act(act, pin=PinVerdict.NOT_GIVEN)) == "pin_missing"
    if rule.reason:
        assert code_of(table.act(act, reason=" \t")) == "reason_missing"
    assert len(table.facts) == before
    assert code_of(table.act(act, pin=PinVerdict.WRONG)) == "wrong_pin"


@pytest.mark.parametrize("act", ON_THE_TABLE)
def test_who_when_and_why_are_on_the_record(act: type[Act]) -> None:
    table = Sitting()
    ON_THE_TABLE[act](table)
    assert code_of(table.act(EXAMPLES[act], person="cat", reason="I saw it")) is None
    acted = table.last(PersonActed)
    assert (acted.act, acted.person, acted.role, acted.reason) == (EXAMPLES[act], "cat", "supervisor", "I saw it")
    assert acted.time == table.moment().wall_ms


@each_act
def test_a_request_for_another_round_or_shoe_is_late(act: AnyAct) -> None:
    table = Sitting()
    TO[next(phase for phase in Phase if phase in AT_TABLE[type(act)].phases)](table)
    state, facts = table.state, len(table.facts)
    for shoe, round_ in ((0, -1), (0, 1), (1, 0), (-1, 0)):
        late = table.act(act, shoe=state.shoe_number + shoe, round=state.round_number + round_)
        assert code_of(late) == "other_round"
    assert len(table.facts) == facts


def test_a_shoe_is_not_opened_with_a_wrong_pin() -> None:
    table = Sitting()
    assert code_of(table.act(OpenShoe(), pin=PinVerdict.WRONG)) == "wrong_pin"
    assert table.at(Phase.NO_SHOE)
    assert table.all(WrongPin)[0].person == "ann"


# --- repeated requests -----------------------------------------------------------------------------------------------


def again(table: Sitting) -> None:
    """The state goes through the journal, as after a restart."""
    state = msgspec.json.decode(msgspec.json.encode(table.state), type=TableState)
    table.table = Table(read_rules, state)


@pytest.mark.parametrize("restart", [False, True])
def test_a_repeated_request_gets_the_first_answer_and_does_nothing_twice(*, restart: bool) -> None:
    table = Sitting()
    table.dealer(OpenShoe(), shoe=0, round=0, request_id="open")
    if restart:
        again(table)
    assert code_of(table.dealer(OpenShoe(), shoe=0, round=0, request_id="open")) is None
    assert len(table.all(ShoeOpened)) == 1
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("AS"), first_of_shoe=True))
    table.event(CardDrawn(hand=Hand.BURN))
    table.bet("1", "base.player", 50, request_id="bet")
    table.bet("1", "base.player", 70)
    if restart:
        again(table)
    assert code_of(table.bet("1", "base.player", 50, request_id="bet")) is None
    assert len(table.all(WagersChanged)) == 2
    assert table.state.round is not None
    assert [wager.stake for wager in table.state.round.wagers] == [70]
    wrong = table.act(SignIn(), pin=PinVerdict.WRONG, request_id="pin")
    if restart:
        again(table)
    assert table.act(SignIn(), pin=PinVerdict.WRONG, request_id="pin").refusal == wrong.refusal
    assert len(table.all(WrongPin)) == 1


def test_only_so_many_requests_are_remembered() -> None:
    table = Sitting()
    for number in range(REMEMBERED_REQUESTS + 5):
        table.dealer(CallSupervisor(), request_id=str(number))
    assert len(table.state.lasting.answered) == REMEMBERED_REQUESTS


# --- PINs ------------------------------------------------------------------------------------------------------------


def test_a_person_is_locked_out_after_so_many_wrong_pins_and_for_so_long() -> None:
    table = Sitting(wrong_pins=3, locked_out_for=60.0)
    table.open_shoe()
    for failure in (1, 2, 3):
        assert code_of(table.act(SignIn(), pin=PinVerdict.WRONG)) == "wrong_pin"
        assert table.last(WrongPin).failures == failure
        assert table.last(WrongPin).locked_out == (failure == 3)
    facts = len(table.facts)
    assert table.act(SignIn()).refusal == LockedOut(person="ann", seconds=60)
    assert code_of(table.act(SignIn(), pin=PinVerdict.WRONG)) == "locked_out"
    assert len(table.facts) == facts, "what is tried while locked out is not even counted"
    assert code_of(table.act(SignIn(), person="ben")) is None
    assert code_of(table.dealer(CallSupervisor())) is None
    table.wait(60)
    assert code_of(table.act(SignIn())) is None
    assert code_of(table.act(SignIn(), pin=PinVerdict.WRONG)) == "wrong_pin"
    assert table.last(WrongPin).failures == 1


def test_a_right_pin_lets_earlier_failures_be_forgotten() -> None:
    table = Sitting(wrong_pins=2)
    table.open_shoe()
    for _ in range(5):
        table.act(SignIn(), pin=PinVerdict.WRONG)
        assert code_of(table.act(SignIn())) is None


@pytest.mark.parametrize("boot", ["first", "second"])
def test_a_restart_does_not_end_a_lock_out(boot: str) -> None:
    table = Sitting(wrong_pins=1, locked_out_for=60.0)
    table.open_shoe()
    table.act(SignIn(), pin=PinVerdict.WRONG)
    again(table)
    if boot == "second":
        table.mono_ns = 5_000_000_000
    table.give(ControllerStarted(boot=boot))
    assert code_of(table.act(SignIn())) == "locked_out"
    table.wait(61)
    assert code_of(table.act(SignIn())) is None


def test_a_lock_out_outlasts_the_shoe() -> None:
    table = Sitting(wrong_pins=1)
    table.open_shoe()
    table.act(SignIn(), pin=PinVerdict.WRONG)
    table.dealer(OpenShoe())
    assert code_of(table.act(SignIn())) == "locked_out"


# --- two people ------------------------------------------------------------------------------------------------------


def settled(*, confirmed: bool = True) -> Sitting:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.deal(PLAYER_WINS)
    if confirmed:
        table.result(IndicatedWinner.PLAYER)
    return table


def test_an_act_for_two_needs_another_person() -> None:
    table = settled()
    assert code_of(table.act(UndoLastResult(), reason="cards were swapped")) is None
    assert table.at(Phase.BETTING)
    proposed = table.last(ActProposed)
    assert (proposed.person, proposed.reason) == ("ann", "cards were swapped")
    assert code_of(table.act(Approve(proposal=1))) == "same_person"
    assert code_of(table.dealer(Approve(proposal=1))) == "not_a_supervisor"
    assert code_of(table.act(Approve(proposal=2), person="ben")) == "no_proposal"
    assert code_of(table.act(Approve(proposal=1), person="ben")) is None
    acted = table.last(PersonActed)
    assert (acted.person, acted.approved_by, acted.reason) == ("ann", "ben", "cards were swapped")
    assert table.at(Phase.COMPLETE)
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "no_proposal"


def test_a_proposal_runs_out_of_time() -> None:
    table = settled()
    table.act(UndoLastResult())
    table.timer()
    assert table.last(ProposalEnded).cause == ProposalTimedOut()
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "no_proposal"


def test_a_proposal_is_withdrawn_by_somebody() -> None:
    table = settled()
    table.act(UndoLastResult())
    assert code_of(table.act(Withdraw(proposal=7), person="cat")) == "no_proposal"
    assert code_of(table.act(Withdraw(proposal=1), person="cat")) is None
    assert table.last(ProposalEnded).cause == ProposalWithdrawn(person="cat")
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "no_proposal"


def test_a_new_proposal_takes_the_place_of_the_old() -> None:
    table = settled()
    table.act(UndoLastResult())
    table.act(UndoLastResult(), person="ben")
    assert table.last(ProposalEnded).proposal == 1
    assert table.last(ProposalEnded).cause == ProposalReplaced()
    assert code_of(table.act(Approve(proposal=1), person="cat")) == "no_proposal"
    assert code_of(table.act(Approve(proposal=2), person="ann")) is None


def test_a_proposal_is_for_its_round_alone() -> None:
    table = settled()
    table.act(UndoLastResult())
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    other = OtherRound(shoe=1, round=2, table_shoe=1, table_round=3)
    assert table.act(Approve(proposal=1), person="ben").refusal == other


def test_what_was_proposed_is_not_done_once_the_first_card_is_out() -> None:
    table = settled()
    table.act(UndoLastResult())
    table.deal("7H")
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "not_now"
    assert table.at(Phase.DEALING)


def test_what_somebody_proposed_who_is_struck_off_is_not_done() -> None:
    table = settled()
    table.act(UndoLastResult())
    table.give(ProposerStruckOff(person="ben"))
    assert table.state.lasting.proposal is not None, "it is not ben's"
    table.give(ProposerStruckOff(person="ann"))
    assert table.last(ProposalEnded).cause == ProposalStruckOff()
    assert code_of(table.act(Approve(proposal=1), person="ben")) == "no_proposal"


def test_a_new_shoe_ends_a_proposal() -> None:
    table = settled()
    table.act(UndoLastResult())
    table.act(OpenShoe())
    assert table.last(ProposalEnded).cause == ProposalShoeOpened()


@pytest.mark.parametrize("boot", ["first", "second"])
def test_a_proposal_survives_a_restart(boot: str) -> None:
    table = settled()
    table.act(UndoLastResult())
    if boot == "second":
        table.mono_ns = 5_000_000_000
    table.give(ControllerStarted(boot=boot))
    assert code_of(table.act(Approve(proposal=1), person="ben")) is None


# --- cards too many --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("default", OverDrawn)
def test_clearing_an_over_draw_does_what_the_house_has_chosen(default: OverDrawn) -> None:
    table = Sitting(over_drawn=default, reveal=Reveal.BY_DEALER)
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.card("5C", Hand.PLAYER)
    table.card("6C", Hand.EXTRA)
    table.act(ClearAlert(alert=table.alert_number("over_draw")))
    decided = table.last(ExtraCardDecided)
    used = default is OverDrawn.USE
    assert (decided.used, decided.burned) == (used, 1 if used else 2)
    assert table.state.shoe is not None
    assert table.state.shoe.burned == 1 + decided.burned
    table.result(IndicatedWinner.PLAYER)
    table.card("4D", Hand.BANKER if used else Hand.PLAYER)
    assert table.alerts == []


@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING])
def test_a_card_drawn_while_the_shoe_was_locked_is_burned_whatever_the_house_prefers(phase: Phase) -> None:
    table = Sitting(over_drawn=OverDrawn.USE, reveal=Reveal.BY_DEALER)
    TO[phase](table)
    table.event(CardDrawn(hand=Hand.EXTRA, card=Card.parse("5C")))
    assert code_of(table.act(UseExtraCard())) == "only_burned"
    assert code_of(table.act(BurnExtraCard())) is None
    assert table.state.shoe is not None
    assert table.state.shoe.carried is None


@pytest.mark.parametrize("phase", [Phase.FIRST_CARD, Phase.BURNING])
def test_an_over_draw_that_the_shoe_tells_of_before_any_round_is_cleared_like_any_other(phase: Phase) -> None:
    table = Sitting(over_drawn=OverDrawn.USE)
    TO[phase](table)
    table.event(Fault(code=FaultCode.OVER_DRAW))
    assert code_of(table.act(ClearAlert(alert=table.alert_number("over_draw")))) is None
    assert table.alerts == []


# --- faces and reasons -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_naming_a_card_that_lies_face_down_does_not_publish_it(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe()
    table.card("7H")
    table.card(None)
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("8H")))) is None
    assert code_of(table.act(IdentifyCard(number=2, card=Card.parse("9D")))) is None
    published = msgspec.json.encode(table.facts)
    assert b"8H" not in published
    assert b"9D" not in published
    assert [fact.card for fact in table.all(CardSetAside)] == []


def test_a_card_must_be_named() -> None:
    table = Sitting()
    TO[Phase.COMPLETE](table)
    assert code_of(table.act(CorrectCard(number=1, card=None))) == "card_missing"
    assert code_of(table.act(IdentifyCard(number=1, card=None))) == "card_missing"
    assert code_of(table.act(CorrectCard(number=5, card=Card.parse("2H")))) == "no_such_card"
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("7H")))) == "same_card"


def test_a_foreign_card_is_not_identified_into_a_round() -> None:
    table = Sitting(card_sets=("ours",))
    table.open_shoe()
    table.card(None, deck_set="theirs")
    assert code_of(table.act(IdentifyCard(number=1, card=Card.parse("2H")))) == "foreign_card"
    assert code_of(table.act(CorrectCard(number=1, card=Card.parse("2H")))) == "card_is_unknown"


def test_confirming_is_refused_while_an_alert_stops_the_round() -> None:
    table = settled(confirmed=False)
    table.event(CardDrawn(hand=Hand.EXTRA))
    assert code_of(table.dealer(Confirm())) == "stopped"
    assert table.state.phase in CARDS_OUT
