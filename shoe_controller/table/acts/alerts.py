"""Acts about alerts: a supervisor called, an alert cleared, a rolled-back journal accepted."""

from shoe_controller.messages.acts import AcceptRollback, Act, CallSupervisor, ClearAlert, Role
from shoe_controller.messages.alerts import AlertKind, Clearer
from shoe_controller.messages.causes import EndedByPerson, ReturnCause
from shoe_controller.messages.details import CalledBy
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CannotBeCleared,
    ExtraCardAwaited,
    LidOpen,
    NoSuchAlert,
    NotASupervisor,
    NothingToAccept,
    ReasonMissing,
)
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, By, Seen, Targets, only_if, some
from shoe_controller.table.acts.cards import decide_extra, may_use_extra
from shoe_controller.table.acts.rounds import finished
from shoe_controller.table.alerts import rule_of
from shoe_controller.table.betting import return_late
from shoe_controller.table.carrying import awaits_extra_card
from shoe_controller.table.dealing_on import WAITS
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import return_wagers_of, without_wagers
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.opening import burn_held
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.remedies import lie_face_down
from shoe_controller.table.state import Alert, TableState

RETURNS_LATE_ALONE = 3
"""The `REVISION` from which what was late is returned. Before, all wagers of the seat were: a free cancellation."""


def _call(draft: Draft, _act: CallSupervisor, by: By) -> None:
    draft.alert(AlertKind.SUPERVISOR_CALLED, CalledBy(person=by.person))


# --- cleared ---------------------------------------------------------------------------------------------------------


def _alert(draft: Draft, number: int) -> Alert | None:
    return next((alert for alert in draft.lasting.alerts if alert.number == number), None)


def _why_not_clear(draft: Draft, act: ClearAlert, given: PersonActs) -> AnyRefusal | None:
    alert = _alert(draft, act.alert)
    if alert is None:
        return NoSuchAlert(number=act.alert)
    clearer = rule_of(alert).cleared_by
    if clearer is Clearer.NOBODY:
        return CannotBeCleared(kind=alert.kind)
    if clearer is Clearer.SUPERVISOR:
        if given.role is not Role.SUPERVISOR or given.pin is not PinVerdict.RIGHT:
            return NotASupervisor()
        if not given.reason.strip():
            return ReasonMissing()
    return (
        CannotBeCleared(kind=alert.kind) if _takes_two(draft.state, alert) else _why_cause_remains(draft.state, alert)
    )


def _takes_two(state: TableState, alert: Alert) -> bool:
    """Whether clearing it would return the wagers of a finished round, which takes two supervisors, who void it."""
    if alert.kind is not AlertKind.SHOWN_CARD_CARRIED or state.round is None:
        return False
    phases = (state.phase, Phase.COMPLETE) if lie_face_down(state.round) else (state.phase,)
    return finished(Seen(state, phases, Role.SUPERVISOR))


def _why_cause_remains(state: TableState, alert: Alert) -> LidOpen | ExtraCardAwaited | None:
    """An alert is not cleared while its cause is known to persist."""
    if alert.kind is AlertKind.LID_OPENED and state.lasting.lid_open and not state.lasting.hand_entry:
        return LidOpen()  # dealing by hand, a shoe may be dead that would tell of its closing
    if alert.kind is AlertKind.OVER_DRAW and awaits_extra_card(state):
        return ExtraCardAwaited()
    return None


def _clear(draft: Draft, act: ClearAlert, by: By) -> None:
    alert = _alert(draft, act.alert)
    if alert is None:
        return
    if alert.kind is AlertKind.OVER_DRAW:
        used = draft.procedure.over_drawn is OverDrawn.USE and may_use_extra(draft.state, draft.phase)
        decide_extra(draft, used=used, person=by.person)
    if alert.kind is AlertKind.SHOWN_CARD_CARRIED and not draft.round.free:
        without_wagers(draft)
    if alert.kind is AlertKind.SHOE_CHANGE_UNCONFIRMED:
        burn_held(draft)
    if alert.kind is AlertKind.SHOE_RESTARTED and draft.lasting.revision >= WAITS:
        # The shoe begins to count anew: from here on the rules alone say where a card belongs.
        draft.round.rearranged = draft.round.forgotten = True
    if alert.kind is AlertKind.LATE_WAGER:
        if draft.shoe.revision >= RETURNS_LATE_ALONE:
            return_late(draft, set(alert.seats))
        else:
            return_wagers_of(draft, set(alert.seats), ReturnCause.LATE)
    if _alert(draft, act.alert) is not None:
        draft.end_alert(alert, EndedByPerson(person=by.person))


def _clearable(seen: Seen) -> Targets | None:
    clearers = {Clearer.DEALER} if seen.role is Role.DEALER else {Clearer.DEALER, Clearer.SUPERVISOR}
    return some(
        "alerts",
        tuple(
            alert.number
            for alert in seen.state.lasting.alerts
            if rule_of(alert).cleared_by in clearers
            and not _takes_two(seen.state, alert)
            and _why_cause_remains(seen.state, alert) is None
        ),
    )


# --- accepted --------------------------------------------------------------------------------------------------------


def _why_not_accept(draft: Draft, _act: AcceptRollback, _given: PersonActs) -> AnyRefusal | None:
    return None if draft.has_alert(AlertKind.JOURNAL_ROLLED_BACK) else NothingToAccept()


def _accept(draft: Draft, _act: AcceptRollback, by: By) -> None:
    draft.end_alerts(EndedByPerson(person=by.person), AlertKind.JOURNAL_ROLLED_BACK)


def _offers_accept(seen: Seen) -> bool:
    return any(alert.kind is AlertKind.JOURNAL_ROLLED_BACK for alert in seen.state.lasting.alerts)


ACTS: dict[type[Act], ActAtTable] = {
    CallSupervisor: ActAtTable(phases=ANY_PHASE, does=_call),
    ClearAlert: ActAtTable(phases=ANY_PHASE, why_not=_why_not_clear, does=_clear, about=_clearable),
    AcceptRollback: ActAtTable(phases=ANY_PHASE, why_not=_why_not_accept, does=_accept, about=only_if(_offers_accept)),
}
