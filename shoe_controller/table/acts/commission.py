"""Acts about marked commission: collected when a player leaves or the shoe is over, or waived."""

from shoe_controller.messages.acts import Act, CollectCommission, WaiveCommission
from shoe_controller.messages.facts import CommissionCollected, CommissionWaived
from shoe_controller.messages.refusals import AnyRefusal, NoCommissionDue
from shoe_controller.table.acts.act import ANY_PHASE, ActAtTable, By, Seen, Targets, some
from shoe_controller.table.commission import is_meant, owed, take_off
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import PersonActs


def _why_nothing_due(draft: Draft, act: CollectCommission | WaiveCommission, _given: PersonActs) -> AnyRefusal | None:
    due = any(is_meant(each, act.seat, act.shoe) for each in owed(draft.state))
    return None if due else NoCommissionDue(seat=act.seat)


def _collect(draft: Draft, act: CollectCommission, _by: By) -> None:
    taken = take_off(draft, act.seat, act.shoe, paid=True)
    draft.emit(CommissionCollected, seat=act.seat, amount=sum(each.amount for each in taken), due=taken)


def _waive(draft: Draft, act: WaiveCommission, _by: By) -> None:
    taken = take_off(draft, act.seat, act.shoe, paid=False)
    draft.emit(CommissionWaived, seat=act.seat, amount=sum(each.amount for each in taken), due=taken)


def _seats_that_owe(seen: Seen) -> Targets | None:
    return some("seats", tuple(sorted({each.seat for each in owed(seen.state)})))


ACTS: dict[type[Act], ActAtTable] = {
    CollectCommission: ActAtTable(phases=ANY_PHASE, why_not=_why_nothing_due, does=_collect, about=_seats_that_owe),
    WaiveCommission: ActAtTable(phases=ANY_PHASE, why_not=_why_nothing_due, does=_waive, about=_seats_that_owe),
}
