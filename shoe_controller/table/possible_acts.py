"""What people can do now, by role, and what each act needs: the list that `state` publishes.

While cards lie face down it goes by both phases that the table may be in, so that neither an act nor its absence gives
a card away. The table decides when an act is requested; `test_possible_acts.py` compares both.
"""

from collections.abc import Iterator, Sequence

from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    ACTS,
    AcceptRollback,
    Act,
    Approve,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    RevealCards,
    Role,
    UndoLastResult,
    UseExtraCard,
    VoidRound,
    Withdraw,
)
from shoe_controller.messages.alerts import AlertKind, Clearer, Severity
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.retained import PossibleAct
from shoe_controller.table.act_effects import anything_to_void, has_alert_about_round, may_use_extra, why_cause_remains
from shoe_controller.table.act_phases import PHASES
from shoe_controller.table.alerts import rule_of
from shoe_controller.table.draft import is_stopped
from shoe_controller.table.state import Round, TableState

Targets = dict[str, tuple[object, ...]]
"""What an act can be about, by the field of `PossibleAct`."""


def possible_acts(state: TableState, phases: Sequence[Phase]) -> tuple[PossibleAct, ...]:
    return tuple(
        _possible(act, role, targets)
        for role in Role
        for act in _acts_of(role)
        if (targets := _targets(act, role, state, phases)) is not None
    )


def _acts_of(role: Role) -> Iterator[type[Act]]:
    for act, rule in ACTS.items():
        if rule.role is role or (role is Role.SUPERVISOR and act is not OpenShoe):
            yield act


def _possible(act: type[Act], role: Role, targets: Targets) -> PossibleAct:
    rule = ACTS[act]
    by_supervisor = role is Role.SUPERVISOR
    return PossibleAct(
        act=rule.name,
        role=role,
        pin=rule.pin or by_supervisor,
        reason=rule.reason or (by_supervisor and act is ClearAlert),
        two_people=rule.two_people,
        **targets,  # type: ignore[arg-type]  # each is a tuple of what its field takes
    )


def _targets(  # noqa: PLR0911 - a rule for each act
    act: type[Act], role: Role, state: TableState, phases: Sequence[Phase]
) -> Targets | None:
    """What the act can be about; `None` where it is not possible."""
    if PHASES[act].isdisjoint(phases):
        return None
    if act is ClearAlert:
        return _some("alerts", _clearable(role, state))
    if act is Approve:
        return _some("proposals", _proposal(state) if _may_approve(state, phases) else ())
    if act is Withdraw:
        return _some("proposals", _proposal(state))
    if act is IdentifyCard:
        return _some("cards", _identifiable(state))
    if act is CorrectCard:
        return _some("cards", _correctable(state))
    if act is RevealCards:
        return _some("hands", _hands_face_down(state))
    return {} if _is_possible(act, role, state, phases) else None


def _some(field: str, targets: tuple[object, ...]) -> Targets | None:
    return {field: targets} if targets else None


def _is_possible(  # noqa: PLR0911 - a rule for each act
    act: type[Act], role: Role, state: TableState, phases: Sequence[Phase]
) -> bool:
    playing = state.round
    if act is NoMoreBets:
        return not is_stopped(state)
    if act is FreeHand:
        return playing is not None and not playing.free and not playing.wagers
    if act is Confirm:
        return _may_confirm(role, state)
    if act is UseExtraCard:
        return _has_extra(playing) and any(may_use_extra(state, phase) for phase in phases)
    if act is BurnExtraCard:
        return _has_extra(playing)
    if act is UndoLastResult:
        return state.shoe is not None and state.shoe.previous is not None and not has_alert_about_round(state)
    if act is AcceptRollback:
        return any(alert.kind is AlertKind.JOURNAL_ROLLED_BACK for alert in state.lasting.alerts)
    if act is VoidRound:
        return state.phase is not Phase.BETTING or anything_to_void(state)
    return True


def _may_confirm(role: Role, state: TableState) -> bool:
    stopping = {alert.kind for alert in state.lasting.alerts if rule_of(alert).severity is Severity.STOPS}
    return not stopping or (role is Role.SUPERVISOR and stopping == {AlertKind.RESULT_UNDONE})


def _proposal(state: TableState) -> tuple[int, ...]:
    return () if state.lasting.proposal is None else (state.lasting.proposal.number,)


def _may_approve(state: TableState, phases: Sequence[Phase]) -> bool:
    """Whether what was proposed is still possible: it is for its round alone."""
    proposal = state.lasting.proposal
    if proposal is None or (proposal.shoe, proposal.round) != (state.shoe_number, state.round_number):
        return False
    return _targets(type(proposal.act), Role.SUPERVISOR, state, phases) is not None


def _has_extra(playing: Round | None) -> bool:
    return playing is not None and bool(playing.extras)


def _clearable(role: Role, state: TableState) -> tuple[int, ...]:
    clearers = {Clearer.DEALER} if role is Role.DEALER else {Clearer.DEALER, Clearer.SUPERVISOR}
    return tuple(
        alert.number
        for alert in state.lasting.alerts
        if rule_of(alert).cleared_by in clearers and why_cause_remains(state, alert) is None
    )


def _identifiable(state: TableState) -> tuple[int, ...]:
    if state.phase is Phase.FIRST_CARD:
        return (0,) if state.shoe is not None and state.shoe.first_card is not None else ()
    foreign = {alert.card for alert in state.lasting.alerts if alert.kind is AlertKind.FOREIGN_CARD}
    cards = () if state.round is None else state.round.cards
    # Whether the table knows a card that lies face down must not show.
    return tuple(
        number
        for number, laid in enumerate(cards, 1)
        if (laid.card is None or not laid.shown) and number not in foreign
    )


def _correctable(state: TableState) -> tuple[int, ...]:
    # As above: what lies face down may be known, and wrong.
    cards = () if state.round is None else state.round.cards
    return tuple(number for number, laid in enumerate(cards, 1) if laid.card is not None or not laid.shown)


def _hands_face_down(state: TableState) -> tuple[Side, ...]:
    if state.shoe is None or state.shoe.rules.procedure.reveal is not Reveal.BY_DEALER or state.round is None:
        return ()
    return tuple(side for side in Side if any(laid.hand is side and not laid.shown for laid in state.round.cards))
