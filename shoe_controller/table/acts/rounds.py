"""Acts about a round as a whole: wagers closed, a free hand, the result confirmed, voided or taken back."""

from shoe_controller.messages.actors import Person
from shoe_controller.messages.acts import (
    Act,
    Confirm,
    FreeHand,
    NoMoreBets,
    Role,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.facts import FreeHandAnnounced
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    FreeHandRefused,
    NotASupervisor,
    NothingToUndo,
    NothingToVoid,
    RunOutUnderWay,
    ShoeIsBad,
    TableStopped,
    WagersStand,
)
from shoe_controller.table.acts.act import BETTING, ActAtTable, By, Seen, only_if
from shoe_controller.table.alerts import Scope, rule_of
from shoe_controller.table.draft import Draft, is_stopped
from shoe_controller.table.entered_cards import deal_unentered
from shoe_controller.table.finishing import confirm, undo, void, void_and_replay
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.inventory import is_bad
from shoe_controller.table.phases import CARDS_OUT, IN_ROUND
from shoe_controller.table.procedure import FinishedRound
from shoe_controller.table.remainder import COUNTS_TO_THE_LAST
from shoe_controller.table.shoe_events import close_betting
from shoe_controller.table.state import TableState

# --- before the cards ------------------------------------------------------------------------------------------------


def _why_not_close(draft: Draft, _act: NoMoreBets, _given: PersonActs) -> AnyRefusal | None:
    return TableStopped() if draft.stopped else None


def _close(draft: Draft, _act: NoMoreBets, by: By) -> None:
    close_betting(draft, Person(person=by.person))


def _why_not_free(draft: Draft, _act: FreeHand, _given: PersonActs) -> AnyRefusal | None:
    if draft.round.free:
        return FreeHandRefused()
    if is_bad(draft.shoe):
        return ShoeIsBad()
    return WagersStand() if draft.round.wagers else None


def _free(draft: Draft, _act: FreeHand, _by: By) -> None:
    draft.round.free = True
    draft.emit(FreeHandAnnounced)


def _offers_free(seen: Seen) -> bool:
    playing = seen.state.round
    bad = seen.state.shoe is not None and is_bad(seen.state.shoe)
    return playing is not None and not playing.free and not playing.wagers and not bad


# --- the result ------------------------------------------------------------------------------------------------------


def _why_not_confirm(draft: Draft, _act: Confirm, given: PersonActs) -> AnyRefusal | None:
    blocking = [alert for alert in draft.lasting.alerts if rule_of(alert).severity is Severity.STOPS]
    undone = [alert for alert in blocking if alert.kind is AlertKind.RESULT_UNDONE]
    if len(blocking) > len(undone):
        return TableStopped()
    if undone and (given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT):
        return NotASupervisor()
    return None


def _confirm(draft: Draft, _act: Confirm, by: By) -> None:
    draft.end_alerts(EndedByPerson(person=by.person), AlertKind.RESULT_UNDONE)
    deal_unentered(draft)
    confirm(draft, Person(person=by.person))


def _offers_confirm(seen: Seen) -> bool:
    alerts = seen.state.lasting.alerts
    stopping = {alert.kind for alert in alerts if rule_of(alert).severity is Severity.STOPS}
    return not stopping or (seen.role is Role.SUPERVISOR and stopping == {AlertKind.RESULT_UNDONE})


# --- void ------------------------------------------------------------------------------------------------------------


def _why_not_void(draft: Draft, _act: VoidRound, _given: PersonActs) -> AnyRefusal | None:
    return NothingToVoid() if draft.phase is Phase.BETTING and not _anything_to_void(draft.state) else None


def _void(draft: Draft, _act: VoidRound, by: By) -> None:
    deal_unentered(draft)
    void(draft, by.reason)


def _why_not_replay(draft: Draft, _act: VoidAndReplay, _given: PersonActs) -> AnyRefusal | None:
    return ShoeIsBad() if is_bad(draft.shoe) else None


def _void_and_replay(draft: Draft, _act: VoidAndReplay, by: By) -> None:
    deal_unentered(draft)
    void_and_replay(draft, by.reason)


def finished(seen: Seen) -> bool:
    """Whether the house has two supervisors for this round: it is complete, or its result is or was known.

    While cards lie face down it must not show whether it is complete: then every round of four cards takes two.
    """
    shoe, playing = seen.state.shoe, seen.state.round
    if shoe is None or playing is None or shoe.rules.procedure.finished_round is FinishedRound.ONE_SUPERVISOR:
        return False
    is_known = playing.indicated is not None or playing.outcome_seq is not None
    return is_known or Phase.COMPLETE in seen.phases


TWO_IF_FINISHED = "for a finished round, with `finished_round`"


def _anything_to_void(state: TableState) -> bool:
    """A round that comes after a shoe was proven bad was never opened."""
    playing, shoe = state.round, state.shoe
    taken_back = playing is not None and playing.settlement_seq is not None
    lies_there = playing is not None and (bool(playing.wagers) or playing.free or taken_back)
    return lies_there or (_has_alert_about_round(state) and shoe is not None and not is_bad(shoe))


def _has_alert_about_round(state: TableState) -> bool:
    return any(rule_of(alert).scope is Scope.ROUND for alert in state.lasting.alerts)


def _offers_void(seen: Seen) -> bool:
    return seen.state.phase is not Phase.BETTING or _anything_to_void(seen.state)


# --- taken back ------------------------------------------------------------------------------------------------------


def _why_not_undo(draft: Draft, _act: UndoLastResult, _given: PersonActs) -> AnyRefusal | None:
    if draft.shoe.previous is None:
        return NothingToUndo()
    if draft.shoe.run_out is not None and draft.lasting.revision >= COUNTS_TO_THE_LAST:
        return RunOutUnderWay()
    return TableStopped() if _has_alert_about_round(draft.state) else None


def _undo(draft: Draft, _act: UndoLastResult, _by: By) -> None:
    if draft.shoe.previous is not None:
        undo(draft, draft.shoe.previous)


def _offers_undo(seen: Seen) -> bool:
    shoe = seen.state.shoe
    if shoe is None or shoe.run_out is not None:
        return False
    return shoe.previous is not None and not _has_alert_about_round(seen.state)


ACTS: dict[type[Act], ActAtTable] = {
    NoMoreBets: ActAtTable(
        phases=BETTING, why_not=_why_not_close, does=_close, about=only_if(lambda seen: not is_stopped(seen.state))
    ),
    FreeHand: ActAtTable(phases=BETTING, why_not=_why_not_free, does=_free, about=only_if(_offers_free)),
    Confirm: ActAtTable(
        phases=frozenset({Phase.COMPLETE}), why_not=_why_not_confirm, does=_confirm, about=only_if(_offers_confirm)
    ),
    VoidRound: ActAtTable(
        phases=IN_ROUND | BETTING,
        why_not=_why_not_void,
        does=_void,
        about=only_if(_offers_void),
        takes_two=finished,
        two_if=TWO_IF_FINISHED,
    ),
    VoidAndReplay: ActAtTable(
        phases=CARDS_OUT,
        why_not=_why_not_replay,
        does=_void_and_replay,
        about=only_if(lambda seen: seen.state.shoe is not None and not is_bad(seen.state.shoe)),
        takes_two=finished,
        two_if=TWO_IF_FINISHED,
    ),
    UndoLastResult: ActAtTable(
        phases=frozenset({Phase.BETTING, Phase.ENDED}), why_not=_why_not_undo, does=_undo, about=only_if(_offers_undo)
    ),
}
