"""Notes, disputes and payments put right by hand: who may, on which round, and what stays on the record."""

from collections.abc import Callable

import pytest

from firmware_protocol.events import CutCard, IndicatedWinner
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    Adjust,
    AnyAct,
    Approve,
    ClearAlert,
    CloseDispute,
    EndShoe,
    Note,
    OpenDispute,
    OpenShoe,
    Role,
    UndoLastResult,
    VoidRound,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import OpenDisputes
from shoe_controller.messages.facts import (
    AlertEnded,
    AlertRaised,
    DisputeClosed,
    DisputeOpened,
    NoteMade,
    PaymentAdjusted,
    PersonActed,
    RoundSettled,
    ShoeOpened,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import AnyRefusal, NoSuchRound, NoSuchSeat, TooManyDisputes
from shoe_controller.messages.retained import MOST_DISPUTES
from shoe_controller.table.inputs import PinVerdict
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting, rules
from tests.table.test_phases import PLAYER_WINS, TO


def played(rounds: int = 2) -> Sitting:
    """So many rounds are settled, and wagers are open for the next."""
    table = Sitting()
    table.open_shoe()
    for _ in range(rounds):
        table.bet("1", "base.player", 50)
        table.deal(PLAYER_WINS)
        table.result(IndicatedWinner.PLAYER)
    return table


def in_second_shoe() -> Sitting:
    """Two rounds in shoe 1 and a voided one; wagers are open for the second round of shoe 2."""
    table = played()
    table.deal("9H 4D")
    table.act(VoidRound())
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    return table


NAMED: list[tuple[int | None, int | None, tuple[int, int] | None]] = [
    (None, None, (2, 2)),
    (None, 1, (2, 1)),
    (None, 2, (2, 2)),
    (None, 3, None),
    (1, 1, (1, 1)),
    (1, 2, (1, 2)),
    (1, 3, (1, 3)),
    (1, 50, None),
    (1, None, None),
    (2, None, None),
    (2, 1, (2, 1)),
    (2, 3, None),
    (3, 1, None),
]
"""The shoe and the round that an act names, and which round that is; the third of shoe 1 was voided."""


@pytest.mark.parametrize(("shoe", "round_", "meant"), NAMED)
def test_which_round_an_act_is_about(shoe: int | None, round_: int | None, meant: tuple[int, int] | None) -> None:
    refusals: set[AnyRefusal | None] = set()
    table = in_second_shoe()
    for act in (Note(shoe=shoe, round=round_), OpenDispute(shoe=shoe, round=round_)):
        refusals.add(table.act(act).refusal)
    refusals.add(table.act(Adjust(shoe=shoe, round=round_, seat="1", amount=-5)).refusal)
    table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben")
    if meant is None:
        assert refusals == {NoSuchRound(shoe=shoe or 2, round=round_ or 0)}
        return
    assert refusals == {None}
    note, dispute, adjusted = table.last(NoteMade), table.last(DisputeOpened).dispute, table.last(PaymentAdjusted)
    found = {(note.of_shoe, note.of_round), (dispute.shoe, dispute.round), (adjusted.of_shoe, adjusted.of_round)}
    assert found == {meant}


@pytest.mark.parametrize("phase", Phase)
def test_a_note_can_be_made_at_any_time_and_changes_nothing(phase: Phase) -> None:
    table = Sitting()
    TO[phase](table)
    before = table.state
    handled = table.dealer(Note(), request_id="")
    assert handled.refusal is not None, "without words there is no note"
    handled = table.act(Note(), reason="the glass fell over")
    assert [type(fact) for fact in handled.facts] == [PersonActed, NoteMade]
    noted = table.last(NoteMade)
    assert (noted.of_shoe, noted.of_round) == (before.shoe_number, before.round_number)
    assert noted.text == "the glass fell over"
    assert (table.state.round, table.state.shoe, table.state.phase) == (before.round, before.shoe, before.phase)


def test_a_dealer_notes_on_the_round_on_the_table_alone() -> None:
    def code(act: AnyAct) -> str:
        handled = table.act(act, person="dan", role=Role.DEALER, pin=PinVerdict.NOT_GIVEN, reason="seat 2 was away")
        return "ok" if handled.refusal is None else handled.refusal.code

    table = in_second_shoe()
    assert code(Note()) == code(Note(round=2)) == code(Note(shoe=2, round=2)) == "ok"
    assert code(Note(round=1)) == code(Note(shoe=1, round=2)) == "not_a_supervisor"
    assert {noted.of_round for noted in table.all(NoteMade)} == {2}


# --- disputes --------------------------------------------------------------------------------------------------------


def test_a_dispute_is_shown_until_it_is_decided() -> None:
    table = played()
    table.act(OpenDispute(round=1, seat="2"), person="ann", reason="says that the stake was 60")
    opened = table.last(DisputeOpened).dispute
    assert (opened.number, opened.shoe, opened.round, opened.seat) == (1, 1, 1, "2")
    assert (opened.text, opened.person, opened.time) == ("says that the stake was 60", "ann", table.moment().wall_ms)
    assert view_of(table.state, read_rules).disputes == (opened,)
    table.act(OpenDispute())
    table.act(CloseDispute(dispute=1), person="ben", reason="the recording shows 50")
    closed = table.last(DisputeClosed)
    assert (closed.dispute, closed.decision) == (opened, "the recording shows 50")
    assert [dispute.number for dispute in view_of(table.state, read_rules).disputes] == [2]
    refusal = table.act(CloseDispute(dispute=1)).refusal
    assert refusal is not None
    assert refusal.code == "no_such_dispute"
    table.act(OpenDispute())
    assert table.last(DisputeOpened).dispute.number == 3, "a number is used once"


def test_a_seat_that_is_not_there_and_too_many_disputes_are_refused() -> None:
    table = played()
    assert table.act(OpenDispute(seat="9")).refusal == NoSuchSeat(seat="9", seats=("1", "2", "3"))
    for _ in range(MOST_DISPUTES):
        assert table.act(OpenDispute()).refusal is None
    assert table.act(OpenDispute()).refusal == TooManyDisputes(most=MOST_DISPUTES)
    table.act(CloseDispute(dispute=4))
    assert table.act(OpenDispute()).refusal is None


def end_early(table: Sitting) -> None:
    table.act(EndShoe())


def end_by_cut_card(table: Sitting) -> None:
    table.event(CutCard())
    for _ in range(3):
        if table.at(Phase.ENDED):
            return
        table.deal(PLAYER_WINS)
        table.result(IndicatedWinner.PLAYER)


def end_by_next_shoe(table: Sitting) -> None:
    table.act(OpenShoe())


@pytest.mark.parametrize("end", [end_early, end_by_cut_card, end_by_next_shoe])
def test_a_shoe_does_not_end_silently_while_a_dispute_is_open(end: Callable[[Sitting], None]) -> None:
    table = played()
    table.act(OpenDispute(round=1))
    table.act(OpenDispute(round=2))
    assert table.alerts == []
    end(table)
    assert table.alerts == [AlertKind.DISPUTE_OPEN]
    raised = table.last(AlertRaised)
    assert raised.alert.detail == OpenDisputes(disputes=(1, 2))
    opened = [fact.seq for fact in table.all(ShoeOpened)][1:]
    assert all(raised.seq < seq for seq in opened), "before the next shoe is there"
    table.act(CloseDispute(dispute=2))
    assert table.alerts == [AlertKind.DISPUTE_OPEN], "one is still open"
    assert table.last(AlertRaised).alert.detail == OpenDisputes(disputes=(1,))
    table.act(CloseDispute(dispute=1))
    assert table.alerts == []


def test_a_warning_that_was_cleared_comes_again_with_the_end_of_the_next_shoe() -> None:
    table = played()
    table.act(OpenDispute(round=1))
    table.act(EndShoe())
    table.act(ClearAlert(alert=table.alert_number("dispute_open")))
    table.open_shoe()
    assert table.alerts == []
    assert len(view_of(table.state, read_rules).disputes) == 1, "cleared is not decided"
    table.act(EndShoe())
    assert table.alerts == [AlertKind.DISPUTE_OPEN]


def test_a_shoe_ends_without_a_warning_once_every_dispute_is_decided() -> None:
    table = played()
    table.act(OpenDispute())
    table.act(CloseDispute(dispute=1))
    table.act(EndShoe())
    assert table.alerts == []
    assert not table.all(AlertEnded)


# --- adjustments -----------------------------------------------------------------------------------------------------


def test_a_payment_is_put_right_by_two_and_the_settlement_stays() -> None:
    table = played()
    settled = table.all(RoundSettled)
    table.act(Adjust(seat="1", amount=-30, round=1), person="ann", reason="paid twice")
    assert not table.all(PaymentAdjusted)
    refusal = table.act(Approve(proposal=1), person="ann").refusal
    assert refusal is not None
    assert refusal.code == "same_person"
    table.act(Approve(proposal=1), person="ben")
    adjusted = table.last(PaymentAdjusted)
    assert (adjusted.of_shoe, adjusted.of_round, adjusted.seat, adjusted.amount) == (1, 1, "1", -30)
    acted = table.facts[-2]
    assert isinstance(acted, PersonActed)
    assert (acted.person, acted.approved_by, acted.reason) == ("ann", "ben", "paid twice")
    assert table.all(RoundSettled) == settled


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (Adjust(seat="1", amount=0), "nothing_to_adjust"),
        (Adjust(seat="9", amount=5), "no_such_seat"),
        (Adjust(seat="1", amount=5, round=9), "no_such_round"),
    ],
)
def test_what_cannot_be_adjusted_is_not_even_proposed(act: Adjust, code: str) -> None:
    table = played()
    refusal = table.act(act).refusal
    assert refusal is not None
    assert refusal.code == code
    assert table.state.lasting.proposal is None


def test_an_undone_result_leaves_disputes_and_adjustments_alone() -> None:
    table = played()
    table.act(OpenDispute(round=2))
    table.act(UndoLastResult(), person="ann")
    table.act(Approve(proposal=1), person="ben")
    assert len(view_of(table.state, read_rules).disputes) == 1


def test_a_seat_of_an_earlier_shoe_that_is_gone_since() -> None:
    table = played()
    table.rules = rules({"seats": ["1", "2"]})
    table.open_shoe()
    earlier = Adjust(shoe=1, round=1, seat="3", amount=5)
    assert table.act(earlier).refusal is None
    refusal = table.act(Adjust(seat="3", amount=5)).refusal
    assert refusal == NoSuchSeat(seat="3", seats=("1", "2"))
