"""Acts about rounds that people look at again: notes, disputes, and payments put right by hand."""

from shoe_controller.messages.acts import Act, Adjust, CloseDispute, Note, OfRound, OpenDispute, Role
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.facts import Dispute, DisputeClosed, DisputeOpened, NoteMade, PaymentAdjusted
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import (
    AnyRefusal,
    NoSuchDispute,
    NoSuchRound,
    NoSuchSeat,
    NotASupervisor,
    NothingToAdjust,
    TooManyDisputes,
)
from shoe_controller.messages.retained import MOST_DISPUTES
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, By, Seen, Targets, only_if, some
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import warn_of_disputes
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.past import AnyPast, MeantRound, NoPastRound, PastRound, PrunedRound
from shoe_controller.table.state import TableState

WARNS_AFTER_END = 4
"""The first `REVISION` of the program in which a dispute that is opened after the end of a shoe warns too, and the
warning lists those that are open."""

WITH_SHOE = ANY_PHASE - {Phase.NO_SHOE}
"""The seats are those of the shoe's rules."""


def meant_round(state: TableState, act: OfRound) -> MeantRound:
    """The round that an act is about; 0 where it names none."""
    if act.shoe is None and act.round is None:
        return MeantRound(state.shoe_number, state.round_number)
    return MeantRound(act.shoe or state.shoe_number, act.round or 0)


def _why_no_round(state: TableState, act: OfRound, past: AnyPast | None) -> NoSuchRound | None:
    """Of an earlier shoe, the journal tells which rounds there were."""
    if act.shoe is None and act.round is None:
        return None
    meant = meant_round(state, act)
    if meant.shoe == state.shoe_number:
        exists = 1 <= meant.round <= state.round_number
    else:
        exists = isinstance(past, PastRound | PrunedRound) or (isinstance(past, NoPastRound) and past.voided)
    return None if exists else NoSuchRound(**meant._asdict())


def _why_no_seat(draft: Draft, seat: str, past: AnyPast | None) -> NoSuchSeat | None:
    """The seats of an earlier shoe are those of its rules, where they are still known."""
    if past is not None and not isinstance(past, PastRound):
        return None
    seats = draft.house.seats if past is None or past.rules is None else draft.read_rules(past.rules).seats
    return None if seat in seats else NoSuchSeat(seat=seat, seats=seats)


# --- notes -----------------------------------------------------------------------------------------------------------


def _why_not_note(draft: Draft, act: Note, given: PersonActs) -> AnyRefusal | None:
    on_table = MeantRound(draft.state.shoe_number, draft.state.round_number)
    # What lies on the table the dealer sees; what is over is a supervisor's.
    if given.role is not Role.SUPERVISOR and meant_round(draft.state, act) != on_table:
        return NotASupervisor()
    return _why_no_round(draft.state, act, given.past)


def _note(draft: Draft, act: Note, by: By) -> None:
    meant = meant_round(draft.state, act)
    draft.emit(NoteMade, of_shoe=meant.shoe, of_round=meant.round, text=by.reason)


# --- disputes --------------------------------------------------------------------------------------------------------


def _why_not_open(draft: Draft, act: OpenDispute, given: PersonActs) -> AnyRefusal | None:
    if len(draft.lasting.disputes) >= MOST_DISPUTES:
        return TooManyDisputes(most=MOST_DISPUTES)
    why = _why_no_round(draft.state, act, given.past)
    return why if why is not None or act.seat is None else _why_no_seat(draft, act.seat, given.past)


def _open(draft: Draft, act: OpenDispute, by: By) -> None:
    meant = meant_round(draft.state, act)
    draft.lasting.disputes_opened += 1
    dispute = Dispute(
        number=draft.lasting.disputes_opened,
        shoe=meant.shoe,
        round=meant.round,
        seat=act.seat,
        text=by.reason,
        person=by.person,
        time=draft.at.wall_ms,
    )
    draft.lasting.disputes = (*draft.lasting.disputes, dispute)
    draft.emit(DisputeOpened, dispute=dispute)
    if draft.phase is Phase.ENDED and draft.lasting.revision >= WARNS_AFTER_END:
        _list_anew(draft, by)


def _list_anew(draft: Draft, by: By) -> None:
    """The warning lists the disputes that are open now."""
    draft.end_alerts(EndedByPerson(person=by.person), AlertKind.DISPUTE_OPEN)
    warn_of_disputes(draft)


def _find(draft: Draft, number: int) -> Dispute | None:
    return next((dispute for dispute in draft.lasting.disputes if dispute.number == number), None)


def _why_not_close(draft: Draft, act: CloseDispute, _given: PersonActs) -> AnyRefusal | None:
    return NoSuchDispute(number=act.dispute) if _find(draft, act.dispute) is None else None


def _close(draft: Draft, act: CloseDispute, by: By) -> None:
    dispute = _find(draft, act.dispute)
    if dispute is None:
        return
    draft.lasting.disputes = tuple(other for other in draft.lasting.disputes if other is not dispute)
    draft.emit(DisputeClosed, dispute=dispute, decision=by.reason)
    lists = not draft.lasting.disputes or draft.lasting.revision >= WARNS_AFTER_END
    if lists and draft.has_alert(AlertKind.DISPUTE_OPEN):  # one that was cleared stays so
        _list_anew(draft, by)


def _open_ones(seen: Seen) -> Targets | None:
    return some("disputes", tuple(dispute.number for dispute in seen.state.lasting.disputes))


# --- payments --------------------------------------------------------------------------------------------------------


def _why_not_adjust(draft: Draft, act: Adjust, given: PersonActs) -> AnyRefusal | None:
    if not act.amount:
        return NothingToAdjust()
    return _why_no_round(draft.state, act, given.past) or _why_no_seat(draft, act.seat, given.past)


def _adjust(draft: Draft, act: Adjust, _by: By) -> None:
    meant = meant_round(draft.state, act)
    draft.emit(PaymentAdjusted, of_shoe=meant.shoe, of_round=meant.round, seat=act.seat, amount=act.amount)


ACTS: dict[type[Act], ActAtTable] = {
    Note: ActAtTable(phases=ANY_PHASE, why_not=_why_not_note, does=_note),
    OpenDispute: ActAtTable(
        phases=WITH_SHOE,
        why_not=_why_not_open,
        does=_open,
        about=only_if(lambda seen: len(seen.state.lasting.disputes) < MOST_DISPUTES),
    ),
    CloseDispute: ActAtTable(phases=ANY_PHASE, why_not=_why_not_close, does=_close, about=_open_ones),
    Adjust: ActAtTable(phases=WITH_SHOE, why_not=_why_not_adjust, does=_adjust),
}
