"""What happens around the cards: link, restarts of shoe and controller, clock, journal, timers."""

from collections.abc import Callable
from typing import Any

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    Button,
    ButtonPressed,
    CameAgain,
    CardDrawn,
    CardReadAgain,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    IndicatedWinner,
    LinkDownCause,
    ResultIndicated,
    Started,
)
from firmware_protocol.link import RefusedCause
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.actors import ShoeButton, TimeRanOut
from shoe_controller.messages.acts import ClearAlert, EnterCard, OpenShoe, UndoLastResult, VoidAndReplay, VoidRound
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.details import ClockStep, EventsCameAgain, FaceReadAgain, JournalSetAside, LinkDropped
from shoe_controller.messages.facts import AlertRaised, RoundResult, ShoeLinkChanged
from shoe_controller.messages.phases import Phase
from shoe_controller.table.desired_shoe import RESULT_GRACE
from shoe_controller.table.inputs import (
    ClockStepped,
    ControllerStarted,
    EventsMissed,
    JournalFailed,
    JournalTrouble,
    LineRefused,
    LinkBack,
    LinkLost,
    ShoeReport,
    Snapshot,
    TimerRanOut,
)
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND
from shoe_controller.table.state import REVISION, TableState, Timer
from shoe_controller.table.table import UnexpectedInputError
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.test_phases import PLAYER_WINS, TO

each_phase = pytest.mark.parametrize("phase", Phase)


def at(phase: Phase) -> Sitting:
    table = Sitting()
    TO[phase](table)
    return table


# --- the link --------------------------------------------------------------------------------------------------------


@each_phase
@pytest.mark.parametrize("keeps_events", [True, False])
def test_the_link_is_lost_and_comes_back(phase: Phase, *, keeps_events: bool) -> None:
    table = at(phase)
    table.give(LinkLost(how=LinkDownCause.DISCONNECTED, reason="the cable was pulled"))
    assert table.last(ShoeLinkChanged).cause == LinkDropped(cause=LinkDownCause.DISCONNECTED)
    assert table.alerts == (["shoe_lost"] if phase in IN_ROUND else [])
    table.give(LinkLost(reason="once more"))
    assert len(table.all(ShoeLinkChanged)) == 2, "it cannot be lost twice"
    table.give(LinkBack(keeps_events=keeps_events, authenticated=True, boot_id=1))
    assert table.last(ShoeLinkChanged).up
    lost = ["event_gap"] if phase in IN_ROUND or phase in (Phase.BURNING, Phase.BETTING) else []
    assert table.alerts == ([] if keeps_events else lost)
    assert table.at(phase)


@each_phase
@pytest.mark.parametrize("told", ["by the link", "by an event", "by both"])
def test_the_shoe_restarts(phase: Phase, told: str) -> None:
    table = at(phase)
    table.event(Fault(code=FaultCode.SENSOR, stopped=True))
    if told != "by an event":
        table.give(LinkLost(reason="silence"))
        table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2))
    if told != "by the link":
        table.event(Started())
    assert table.alerts == (["shoe_restarted"] if phase in CARDS_OUT else [])
    assert table.at(phase)


OUT_OF_PLAY = (Phase.NO_SHOE, Phase.ENDED)


@each_phase
@pytest.mark.parametrize("code", [FaultCode.JAM, FaultCode.GATE_FORCED, FaultCode.LOW_VOLTAGE])
def test_the_shoe_itself_has_a_fault_and_the_round_goes_on_when_it_is_over(phase: Phase, code: FaultCode) -> None:
    table = at(phase)
    raised = {
        FaultCode.JAM: "shoe_stopped" if phase in OUT_OF_PLAY else "no_card_came",
        FaultCode.GATE_FORCED: "gate_forced",
        FaultCode.LOW_VOLTAGE: "shoe_fault",
    }[code]
    table.event(Fault(code=code, stopped=code is FaultCode.JAM))
    table.event(Fault(code=code, stopped=code is FaultCode.JAM))
    assert table.alerts == [raised]
    assert view_of(table.state, read_rules).stopped == (code is not FaultCode.LOW_VOLTAGE)
    table.event(FaultCleared(code=code))
    # A supply that is well again, or a shoe without a round, is nobody's business; the rest a supervisor has looked at.
    assert table.alerts == ([raised] if raised in ("no_card_came", "gate_forced") else [])
    for kind in table.alerts:
        table.act(ClearAlert(alert=table.alert_number(kind)))
    assert table.alerts == []
    assert table.at(phase)


@each_phase
def test_events_are_missed(phase: Phase) -> None:
    table = at(phase)
    table.give(EventsMissed(reason="a gap"))
    in_play = phase not in OUT_OF_PLAY
    assert table.alerts == (["event_gap"] if in_play else [])


def test_a_void_of_the_round_ends_the_alert_but_wagers_wait_for_the_shoe() -> None:
    table = at(Phase.DEALING)
    table.give(LinkLost(reason="cable"))
    table.act(VoidRound())
    assert table.alerts == []
    refusal = table.bet("1", "base.player", 50).refusal
    assert refusal is not None
    assert refusal.code == "no_shoe_link"


# --- the controller --------------------------------------------------------------------------------------------------


@each_phase
@pytest.mark.parametrize("boot", ["first", "second"])
def test_the_controller_starts_anew(phase: Phase, boot: str) -> None:
    table = at(phase)
    if boot == "second":
        table.mono_ns = 1_000_000
    table.give(ControllerStarted(boot=boot, revision=REVISION))
    assert not table.state.lasting.link.up
    assert table.alerts == (["shoe_lost"] if phase in IN_ROUND else [])
    assert table.at(phase)
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    assert table.alerts == []
    deadline = table.table.next_deadline()
    assert deadline is None or deadline > table.mono_ns, "no moment of the old clock lets a timer run out"


def test_after_a_power_up_a_card_that_may_have_left_before_the_wagers_is_late() -> None:
    table = at(Phase.BETTING)
    table.bet("1", "base.player", 50)
    table.wait(3600)
    table.mono_ns = 1_000_000_000
    table.give(ControllerStarted(boot="second", revision=REVISION))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H")), age_ms=60_000)
    assert table.alerts == ["late_wager"]


def test_a_damaged_journal_is_named_in_a_code() -> None:
    table = at(Phase.BETTING)
    aside = ("t1.journal.damaged-20260101T000000Z",)
    table.give(JournalFailed(trouble=JournalTrouble.DAMAGED, detail="The chain is broken.", set_aside=aside))
    assert table.last(AlertRaised).alert.detail == JournalSetAside(files=aside)


@each_phase
def test_what_happens_to_clock_line_and_journal_moves_no_card(phase: Phase) -> None:
    table = at(phase)
    table.give(ClockStepped(by_ms=3_600_000))
    table.give(LineRefused(reason="a repeated frame"))
    table.give(JournalFailed(trouble=JournalTrouble.FULL, detail="no space left"))
    assert table.alerts == ["clock_stepped", "line_refused"]
    assert table.all(AlertRaised)[0].alert.detail == ClockStep(by_ms=3_600_000)
    table.give(JournalFailed(trouble=JournalTrouble.DAMAGED, detail="page 7"))
    assert table.alerts[-1] == "journal_damaged"
    assert table.table.desired_shoe.gate_locked
    assert table.at(phase)


def test_a_snapshot_of_another_state_is_our_own_mistake() -> None:
    table = at(Phase.BETTING)
    with pytest.raises(UnexpectedInputError):
        table.give(Snapshot(state=TableState()))
    table.give(Snapshot(state=table.state))


# --- timers ----------------------------------------------------------------------------------------------------------


def slow(table: Sitting) -> None:
    table.deal("7H 4D")


def complete(table: Sitting) -> None:
    table.deal(PLAYER_WINS)


def button(table: Sitting) -> None:
    table.deal(PLAYER_WINS)
    table.event(ButtonPressed(button=Button.RESULT))


def proposed(table: Sitting) -> None:
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    table.act(UndoLastResult())


TIMERS: dict[Timer, tuple[Callable[[Sitting], None], dict[str, Any], float]] = {
    Timer.DRAW: (slow, {"draw_within": 30.0}, 30.0),
    Timer.CONFIRM: (complete, {"confirm_after": 7.0}, 7.0),
    Timer.RESULT: (button, {}, RESULT_GRACE / 1e9),
    Timer.PROPOSAL: (proposed, {"approve_within": 40.0}, 40.0),
}

each_timer = pytest.mark.parametrize("timer", Timer)


def waiting(timer: Timer) -> Sitting:
    cause, procedure, _ = TIMERS[timer]
    table = Sitting(**procedure)
    table.open_shoe()
    cause(table)
    return table


@each_timer
def test_a_timer_runs_out_when_it_is_due_and_not_before(timer: Timer) -> None:
    table = waiting(timer)
    due = table.table.next_timer
    assert due is not None
    assert due == (timer, table.mono_ns + int(TIMERS[timer][2] * 1e9))
    facts = len(table.facts)
    table.mono_ns = due[1] - 200_000_000
    table.give(TimerRanOut(timer=timer))
    assert len(table.facts) == facts, "too early"
    table.mono_ns = due[1]
    table.give(TimerRanOut(timer=timer))
    assert len(table.facts) > facts
    assert table.table.next_timer != due
    facts = len(table.facts)
    table.give(TimerRanOut(timer=timer))
    assert len(table.facts) == facts, "once is enough"


@each_timer
@each_phase
def test_a_timer_whose_cause_is_gone_does_nothing(timer: Timer, phase: Phase) -> None:
    table = at(phase)
    facts = len(table.facts)
    table.give(TimerRanOut(timer=timer))
    assert len(table.facts) == facts


@pytest.mark.parametrize("timer", [Timer.DRAW, Timer.CONFIRM])
def test_a_timer_stands_still_while_the_table_is_stopped_and_gets_its_whole_time_again(timer: Timer) -> None:
    table = waiting(timer)
    table.event(Fault(code=FaultCode.GATE_FORCED))
    assert table.table.next_timer is None
    table.wait(1000)
    table.give(TimerRanOut(timer=timer))
    assert table.alerts == ["gate_forced"]
    table.act(ClearAlert(alert=table.alert_number("gate_forced")))
    assert table.table.next_timer == (timer, table.mono_ns + int(TIMERS[timer][2] * 1e9))


def test_what_the_timers_do() -> None:
    table = waiting(Timer.CONFIRM)
    table.timer()
    assert table.last(RoundResult).confirmed_by == TimeRanOut()
    table = waiting(Timer.RESULT)
    table.timer()
    assert table.last(RoundResult).confirmed_by == ShoeButton()
    table = waiting(Timer.DRAW)
    table.timer()
    assert table.alerts == ["draw_too_slow"]
    assert not table.table.desired_shoe.gate_locked


def test_the_draw_is_timed_anew_with_each_card() -> None:
    table = waiting(Timer.DRAW)
    table.wait(29)
    table.deal("KS")
    assert table.table.next_timer == (Timer.DRAW, table.mono_ns + int(30e9))


def test_a_round_dealt_again_waits_for_its_first_card_as_long_as_it_takes() -> None:
    table = waiting(Timer.DRAW)
    table.act(VoidAndReplay())
    assert table.table.next_timer is None


def test_a_house_without_limits_of_time_waits_for_ever() -> None:
    table = Sitting(draw_within=None, confirm_after=None)
    table.open_shoe()
    table.deal("7H 4D")
    assert table.table.next_deadline() is None
    table.deal("KS 2C")
    assert table.table.next_deadline() is None


def test_a_face_that_is_read_again_is_not_dealt_twice_and_a_person_decides() -> None:
    table = Sitting()
    table.give(LinkBack(keeps_events=False, authenticated=False))
    assert not table.last(ShoeLinkChanged).keeps_events
    table.dealer(OpenShoe())
    for card in ("AC", "2D", "7H"):
        table.event(CardDrawn(card=Card(card)))
    assert table.state.phase is Phase.DEALING
    table.event(CardReadAgain(card=Card("7H"), card_id="E07H01", after_ms=300))
    assert table.alerts == []
    table.event(CardReadAgain(card=Card("7H"), after_ms=300))
    assert table.last(AlertRaised).alert.detail == FaceReadAgain()
    assert table.state.round is not None
    assert len(table.state.round.cards) == 1
    table.act(EnterCard(number=2, card=Card("7H")))
    table.act(ClearAlert(alert=table.alert_number("event_gap")))
    assert table.state.round is not None
    assert [laid.hand for laid in table.state.round.cards] == [Side.PLAYER, Side.BANKER]
    assert table.state.shoe is not None
    assert table.state.shoe.cards_out == 4


def test_alerts_about_the_line_stand_beside_each_other_and_end_with_their_cause() -> None:
    table = at(Phase.BETTING)
    for cause in (RefusedCause.KEY, RefusedCause.KEY, RefusedCause.VERSION, RefusedCause.REPLAYED, RefusedCause.FORGED):
        table.give(LineRefused(reason=cause.value, why=cause))
    assert table.alerts == ["line_refused"] * 4
    assert [fact.alert.ends_itself for fact in table.all(AlertRaised)] == [True, True, False, False]
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2))
    left = [alert.fault for alert in table.state.lasting.alerts if alert.kind is AlertKind.LINE_REFUSED]
    assert left == ["replayed", "forged"], "the shoe has proven its key; who sent those frames is still open"
    assert table.at(Phase.BETTING)


@each_phase
def test_events_that_came_again_count_no_card_and_are_told_of_together(phase: Phase) -> None:
    table = at(phase)
    before = table.state
    for again in (
        CardDrawn(hand=Hand.PLAYER, position=1, card=Card("7H"), first_of_shoe=True, total=1),
        DoubleFeed(cards=2, total=3),
        CardDrawn(hand=Hand.PLAYER, position=1, carried_over=True, total=3),
        ButtonPressed(button=Button.NEW_SHOE),
        Started(),
        ResultIndicated(winner=None),
    ):
        report = ShoeReport(event=CameAgain(what=again), sequence=1, boot_id=1)
        assert not table.table.opens_shoe(report, table.moment())
        table.give(report)
    assert table.alerts == ["events_came_again"]
    assert table.last(AlertRaised).alert.detail == EventsCameAgain(events=6, cards=3)
    after = table.state
    assert (after.shoe, after.round, after.phase) == (before.shoe, before.round, before.phase)
