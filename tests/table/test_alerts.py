"""Every alert: raised as a real shoe or person would give cause for it, and ended by each way that it names alone.

`alert_cases.py` has at least one case for each kind; where the wires tell of it differently, one for each wire.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    CardDrawn,
    Hand,
    IndicatedWinner,
    ResultIndicated,
)
from firmware_protocol.link import Lamp
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AcceptRollback,
    ActName,
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    AssignCards,
    AssignedCard,
    BeginHandEntry,
    BeginRunOut,
    BurnExtraCard,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CorrectCard,
    CountRemainder,
    DealCard,
    DiscardCard,
    EndHandEntry,
    EndRunOut,
    EndShoe,
    EnterCard,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    RevealCards,
    Role,
    SignIn,
    UndoLastResult,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
    Withdraw,
    rule_of,
)
from shoe_controller.messages.alerts import AlertKind, Clearer, Severity
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.facts import AlertEnded, AlertRaised, RoundResult, RoundSettled
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import DiscardedCard
from shoe_controller.messages.refusals import NotASupervisor
from shoe_controller.messages.requests import Stake
from shoe_controller.table.alerts import ALERTS, Scope
from shoe_controller.table.assigning import drawn_cards
from shoe_controller.table.inputs import (
    EventsMissed,
    JournalFailed,
    JournalTrouble,
    PersonActs,
    PinVerdict,
    SeatBets,
    ShoeReport,
)
from shoe_controller.table.judging import FIRST_FOUR
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import TableState
from shoe_controller.table.table import Table
from shoe_controller.table.view import view_of
from tests.table.alert_cases import CASES, Case
from tests.table.alert_causes import (
    event_gap,
    lid_opened,
    over_draw_whose_card_is_awaited,
    settled_result_differs,
    start,
)
from tests.table.sitting import Sitting

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

PLAIN_ACTS: dict[ActName, AnyAct] = {
    rule_of(act).name: act
    for act in (
        UseExtraCard(),
        BurnExtraCard(),
        VoidRound(),
        VoidAndReplay(),
        UndoLastResult(),
        AcceptRollback(),
        BeginHandEntry(),
        EndHandEntry(),
        DealCard(card=Card.parse("3C")),
        EndShoe(),
        OpenShoe(),
        CountRemainder(cards=3),
        BeginRunOut(),
        EndRunOut(),
        Confirm(),
        NoMoreBets(),
        FreeHand(),
        RevealCards(),
        CallSupervisor(),
        SignIn(),
        Withdraw(proposal=1),
    )
}


def named_ways(case: Case) -> tuple[ActName, ...]:
    """The acts that the table of alerts names for this kind, clearing left aside."""
    return ALERTS[case.kind].ended_by


NAMES_CARDS = (
    ActName.ENTER_CARD,
    ActName.IDENTIFY_CARD,
    ActName.CORRECT_CARD,
    ActName.ASSIGN_CARDS,
    ActName.DISCARD_CARD,
    ActName.AMEND_ROUND,
)
"""Ways out that are possible only with the right card: each case names its own."""


def is_possible(case: Case, way: ActName) -> bool:
    if way in case.impossible:
        return False
    if ALERTS[case.kind].scope is Scope.ROUND and way in (ActName.OPEN_SHOE, ActName.END_SHOE):
        return case.between
    return way not in NAMES_CARDS or way in [rule_of(act).name for act in case.acts]


def each_way() -> Iterator[Any]:
    for case in CASES:
        for way in named_ways(case):
            if is_possible(case, way):
                yield pytest.param(case, way, id=f"{case.name}-{way}")


def assert_ended(table: Sitting, number: int) -> None:
    assert number not in [alert.number for alert in table.state.lasting.alerts]
    raised = next(fact for fact in table.all(AlertRaised) if fact.alert.number == number)
    ended = next(fact for fact in table.all(AlertEnded) if fact.alert.number == number)
    assert ended.replaces == raised.seq
    assert ended.alert == raised.alert


# --- the tests -------------------------------------------------------------------------------------------------------


def test_every_kind_has_a_case() -> None:
    # A full journal cannot be recorded while it is full, so that alert never stands; it has a test of its own.
    assert {case.kind for case in CASES} == set(ALERTS) - {AlertKind.JOURNAL_FULL}


def test_every_way_out_is_tried_at_least_once() -> None:
    tried = {(case.kind, way) for case in CASES for way in named_ways(case) if is_possible(case, way)}
    exists = {(case.kind, way) for case in CASES for way in named_ways(case)}
    nothing_to_end = {
        (AlertKind.CARD_WITHOUT_SHOE, ActName.END_SHOE),
        (AlertKind.CARD_AFTER_END, ActName.END_SHOE),
    }
    assert exists - tried == nothing_to_end


def test_every_kind_has_a_rule() -> None:
    assert set(ALERTS) == set(AlertKind)


@each_case
def test_it_is_raised_and_published(case: Case) -> None:
    table = case.table()
    assert case.kind in table.alerts
    raised = [fact.alert for fact in table.all(AlertRaised) if fact.alert.kind is case.kind]
    assert len(raised) == 1, "one thing that went wrong is one alert, however often the wire reports it"
    assert raised[0] in view_of(table.state, read_rules).alerts
    rule = ALERTS[case.kind]
    assert raised[0].severity is rule.severity
    assert (raised[0].cleared_by, raised[0].ended_by) == (rule.cleared_by, rule.ended_by)


@each_case
def test_a_stopping_alert_stops_and_a_warning_does_not(case: Case) -> None:
    table = case.table()
    bets = SeatBets(
        seat="2", stakes=(Stake("base.tie", 5),), shoe=table.state.shoe_number, round=table.state.round_number
    )
    if ALERTS[case.kind].severity is Severity.WARNS:
        assert Lamp.ALERT not in table.table.desired_shoe.lamps
        if table.at(Phase.BETTING):
            assert table.table.handle(bets, table.moment()).refusal is None
        return
    if view_of(table.state, read_rules).counted is None:
        # No alert may keep the cards in that are being counted.
        assert table.table.desired_shoe.gate_locked
        assert Lamp.ALERT in table.table.desired_shoe.lamps
    refusal = table.table.handle(bets, table.moment()).refusal
    assert refusal is not None
    assert refusal.code == ("stopped" if table.at(Phase.BETTING) else "betting_closed")
    for winner in IndicatedWinner:
        said = table.table.handle(ShoeReport(event=ResultIndicated(winner=winner), sequence=9), table.moment()).facts
        assert not any(isinstance(fact, RoundResult | RoundSettled) for fact in said)
    if case.kind is not AlertKind.RESULT_UNDONE:
        assert not any(isinstance(fact, RoundResult) for fact in table.table.handle(_confirm(table), table.moment())[1])
    assert all(timer is None or timer[0].value == "proposal" for timer in [table.table.next_timer])


def _confirm(table: Sitting) -> PersonActs:
    state = table.state
    return PersonActs(
        act=Confirm(),
        person="ann",
        role=Role.SUPERVISOR,
        pin=PinVerdict.RIGHT,
        reason="because",
        shoe=state.shoe_number,
        round=state.round_number,
    )


@each_case
def test_who_may_clear_it(case: Case) -> None:
    table = case.table()
    case.ready(table)
    number = table.alert_number(case.kind)
    act = ClearAlert(alert=number)
    clearer = ALERTS[case.kind].cleared_by
    if clearer is not Clearer.DEALER:
        assert table.dealer(act).refusal is not None
        assert table.act(act, pin=PinVerdict.NOT_GIVEN).refusal is not None
        assert table.act(act, role=Role.DEALER).refusal is not None
    if clearer is Clearer.SUPERVISOR:
        refusal = table.act(act, reason="  ").refusal
        assert refusal is not None
        assert refusal.code == "reason_missing"
    if clearer is Clearer.NOBODY:
        refusal = table.act(act).refusal
        assert refusal is not None
        assert refusal.code == "cannot_be_cleared"
        assert case.kind in table.alerts
        return
    assert case.kind in table.alerts
    handled = table.dealer(act) if clearer is Clearer.DEALER else table.act(act)
    assert handled.refusal is None
    assert_ended(table, number)


@pytest.mark.parametrize(("case", "way"), list(each_way()))
def test_it_is_ended_by_each_act_that_it_names(case: Case, way: ActName) -> None:
    table = case.table()
    case.ready(table)
    number = table.alert_number(case.kind)
    acts = [act for act in case.acts if rule_of(act).name == way] or [PLAIN_ACTS[way]]
    assert table.act(acts[0]).refusal is None
    if rule_of(acts[0]).two_people:
        assert number in [alert.number for alert in table.state.lasting.alerts], "one person is not enough"
        table.act(Approve(proposal=1), person="ben")
    assert_ended(table, number)


@pytest.mark.parametrize(
    ("case", "cause"),
    [pytest.param(case, cause, id=f"{case.name}-{n}") for case in CASES for n, cause in enumerate(case.itself)],
)
def test_it_ends_by_itself(case: Case, cause: Callable[[Sitting], object]) -> None:
    table = case.table()
    number = table.alert_number(case.kind)
    cause(table)
    assert_ended(table, number)


def test_only_what_says_so_ends_by_itself() -> None:
    says_so = {kind for kind, rule in ALERTS.items() if rule.ends_itself} - {AlertKind.JOURNAL_FULL}
    assert {case.kind for case in CASES if case.itself} == says_so


@each_case
def test_nothing_else_that_people_do_ends_it(case: Case) -> None:
    """Each act is tried on the same table, as every kind of person; only those that the alert names may end it."""
    table = case.table()
    number = table.alert_number(case.kind)
    kind = ALERTS[case.kind]
    may = set(named_ways(case))
    acts = [*PLAIN_ACTS.values(), *case.acts, *(CorrectCard(number=n, card=Card.parse("3C")) for n in (1, 2))]
    for act in acts:
        for role in Role:
            state = table.state
            given = PersonActs(
                act=act,
                person="ann",
                role=role,
                pin=PinVerdict.RIGHT if role is Role.SUPERVISOR else PinVerdict.NOT_GIVEN,
                reason="because",
                shoe=state.shoe_number,
                round=state.round_number,
            )
            opens = table.table.opens_shoe(given, table.moment())
            handled = table.table.handle(table.table.new_shoe(table.rules, given) if opens else given, table.moment())
            stands = number in [alert.number for alert in handled.state.lasting.alerts]
            name = rule_of(act).name
            assert stands or name in may, f"{name} of a {role.value} ended {case.kind}"
            if role is Role.DEALER and not stands:
                assert kind.cleared_by is Clearer.DEALER or kind.severity is Severity.WARNS


FACES = tuple(map(Card.parse, ("2H", "8H", "QS", "3C")))


def acts_about_cards(table: Sitting) -> Iterator[AnyAct]:
    """Acts that name cards, with faces and hands of every kind; most are refused."""
    cards = () if table.state.round is None else table.state.round.cards
    for number in range(7):
        for face in FACES:
            yield IdentifyCard(number=number, card=face)
            yield CorrectCard(number=number, card=face)
            yield EnterCard(number=number, card=face)
    for number, laid in enumerate(cards, 1):
        for cause in DiscardCause:
            yield DiscardCard(number=number, cause=cause, card=laid.card if laid.shown else None)
    drawn = len(drawn_cards(table.state))
    for hands in product((Side.PLAYER, Side.BANKER, None), repeat=max(0, drawn - len(FIRST_FOUR))):
        order = (*FIRST_FOUR[:drawn], *hands)
        for misread in range(drawn + 1):
            for face in FACES:
                faces = [face if n == misread else None for n in range(drawn)]
                named = zip(order, faces, strict=True)
                yield AssignCards(cards=tuple(AssignedCard(hand=hand, card=card) for hand, card in named))
    for number in (1, 2):
        yield AmendRound(shoe=1, round=1, cards=(AmendedCard(number=number, card=FACES[0]),))


@pytest.mark.parametrize("discards", DiscardedCard)
@each_case
def test_whatever_a_supervisor_says_of_cards_ends_it_only_where_it_is_named(
    case: Case, discards: DiscardedCard
) -> None:
    table = where_cards_are(case, discards).table()
    case.ready(table)
    if case.kind not in table.alerts:
        return
    number, may = table.alert_number(case.kind), {*named_ways(case), ActName.CLEAR_ALERT}
    raised = table.state.lasting.alerts_raised
    tried = [*PLAIN_ACTS.values(), *acts_about_cards(table)]
    for act in [act for act in tried if rule_of(act).name not in may]:
        state = done_by_supervisors(table, act)
        ended = number not in [alert.number for alert in state.lasting.alerts]
        # Where cards move on, it names its card anew.
        moved = any(alert.kind is case.kind and alert.number > raised for alert in state.lasting.alerts)
        assert not ended or moved, f"{act} ended {case.kind}, which does not name it"


def where_cards_are(case: Case, discards: DiscardedCard) -> Case:
    return case._replace(procedure=case.procedure | {"discarded_card": discards})


def done_by_supervisors(table: Sitting, act: AnyAct) -> TableState:
    """The state after a supervisor has done it, with the approval of another where it takes two."""
    given = PersonActs(
        act=act,
        person="ann",
        role=Role.SUPERVISOR,
        pin=PinVerdict.RIGHT,
        reason="because",
        shoe=table.state.shoe_number,
        round=table.state.round_number,
    )
    at = table.moment()
    opens = table.table.opens_shoe(given, at)
    handled = table.table.handle(table.table.new_shoe(table.rules, given) if opens else table.with_past(given), at)
    proposal = handled.state.lasting.proposal
    if proposal is None or table.state.lasting.proposal is not None:
        return handled.state
    second = Table(read_rules, handled.state)
    approved = msgspec.structs.replace(given, act=Approve(proposal=proposal.number), person="ben")
    past = table.with_past(given)
    return second.handle(msgspec.structs.replace(approved, past=getattr(past, "past", None)), at).state


# --- particulars -----------------------------------------------------------------------------------------------------


def test_a_full_journal_is_told_of_as_soon_as_there_is_room() -> None:
    table = Sitting()
    start(table, "7H")
    handled = table.give(JournalFailed(trouble=JournalTrouble.FULL, detail="no space left"))
    assert [type(fact) for fact in handled.facts] == [AlertRaised, AlertEnded]
    assert table.alerts == []


def test_the_lid_must_be_closed_and_an_awaited_card_have_come_before_it_is_cleared() -> None:
    for cause, code in ((lid_opened, "lid_open"), (over_draw_whose_card_is_awaited, "extra_card_awaited")):
        table = Sitting()
        cause(table)
        refusal = table.act(ClearAlert(alert=table.alert_number(table.alerts[0]))).refusal
        assert refusal is not None
        assert refusal.code == code


def test_clearing_a_late_wager_returns_the_wagers_of_the_late_seats_alone() -> None:
    table = Sitting(house={"seats": ["1, 2", "2"]})
    table.open_shoe()
    table.bet("2", "base.banker", 70)
    table.wait(10)
    table.bet("1, 2", "base.player", 50)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=5000)
    table.act(ClearAlert(alert=table.alert_number("late_wager")))
    assert table.state.round is not None
    assert [(wager.seat, wager.stake) for wager in table.state.round.wagers] == [("2", 70)]


def test_a_wager_taken_back_after_the_first_card_had_left_is_late_too() -> None:
    table = Sitting()
    start(table)
    table.wait(10)
    table.bet("1", "base.player", 0)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=5000)
    assert table.alerts == ["late_wager"]


def test_the_same_alert_is_not_raised_twice_while_it_stands() -> None:
    table = Sitting()
    event_gap(table)
    table.give(EventsMissed(reason="another"))
    assert table.alerts == ["event_gap"]


def test_a_dealer_who_announces_a_new_shoe_does_not_get_rid_of_what_a_supervisor_must_see() -> None:
    table = Sitting()
    settled_result_differs(table)
    assert table.dealer(OpenShoe()).refusal == NotASupervisor()
    table.act(OpenShoe())
    assert table.at(Phase.FIRST_CARD)
    assert table.alerts == ["settled_result_differs"]


def test_only_a_round_with_cards_is_ended_by_force() -> None:
    table = Sitting()
    lid_opened(table)
    table.deal("7H 4D")
    table.event(ResultIndicated(winner=None))
    assert table.state.phase in CARDS_OUT
    assert table.alerts == ["lid_opened", "ended_by_force"]
