"""Marked commission: written down by seat when a round is settled, and owed until it is collected or waived.

The shoe on the table keeps its marks by round, also when it has ended: whatever is taken back or amended changes the
marks of its own round alone. When the next shoe is opened, what is still owed goes into `Lasting.commission_due` by
shoe and seat.
"""

from collections.abc import Iterable, Mapping

import msgspec

from shoe_controller.messages.facts import DueCommission
from shoe_controller.table.draft import Draft
from shoe_controller.table.state import Mark, Round, Shoe, TableState

BySeat = tuple[tuple[str, int], ...]
"""Commission by seat."""

STAYS_DUE = 3
"""The first `REVISION` in which commission that was not collected when its shoe ended is still due."""

BY_ROUND = 3
"""The first `REVISION` in which a shoe keeps its marks by round (`Shoe.marks`), not by seat (`Shoe.commission`)."""

MOST_DUE = 200
"""Entries of earlier shoes that are kept apart; beyond, those of one seat are added up."""


def owed(state: TableState) -> tuple[DueCommission, ...]:
    """What each seat owes, by shoe, the oldest first."""
    due, shoe = state.lasting.commission_due, state.shoe
    return due if shoe is None else (*due, *_of_shoe(shoe.number, stays_due(shoe)))


def owed_by_seat(shoe: Shoe) -> BySeat:
    """What seats owe of the shoe on the table."""
    if shoe.revision < BY_ROUND:
        return shoe.commission
    total: dict[str, int] = {}
    for each in shoe.marks:
        total[each.seat] = total.get(each.seat, 0) + each.owed
    return _sorted(total)


def stays_due(shoe: Shoe) -> BySeat:
    """What seats still owe of the shoe on the table once the next one is opened."""
    return owed_by_seat(shoe) if shoe.revision >= STAYS_DUE else ()


# --- the shoe on the table -------------------------------------------------------------------------------------------


def mark(draft: Draft, settled: Round) -> None:
    """A round was settled."""
    _raise_or_lower(draft.shoe, settled.number, dict(settled.commission))


def unmark(draft: Draft, settled: Round) -> dict[str, int]:
    """The round that was settled last is taken back; returns what was collected of its commission, by seat."""
    return _raise_or_lower(draft.shoe, settled.number, {seat: -amount for seat, amount in settled.commission})


def _raise_or_lower(shoe: Shoe, number: int, changes: Mapping[str, int]) -> dict[str, int]:
    """Change what is marked for a round; returns what is not owed any more and was collected, by seat."""
    if shoe.revision < BY_ROUND:
        total, back = _changed(dict(shoe.commission), changes)
        shoe.commission = _sorted(total)
        return back
    marks = {(each.round, each.seat): each for each in shoe.marks}
    back = {}
    for seat, change in changes.items():
        before = marks.get((number, seat), Mark(round=number, seat=seat))
        after = _lowered(before, -change) if change < 0 else msgspec.structs.replace(before, owed=before.owed + change)
        marks[number, seat] = after
        if after.collected < before.collected:
            back[seat] = before.collected - after.collected
    shoe.marks = tuple(each for each in marks.values() if each.owed or each.collected or each.waived)
    return back


def _lowered(before: Mark, by: int) -> Mark:
    """First by what is owed, then by what was collected and is paid back, and last by what was waived."""
    owed_less = min(by, before.owed)
    collected_less = min(by - owed_less, before.collected)
    return msgspec.structs.replace(
        before,
        owed=before.owed - owed_less,
        collected=before.collected - collected_less,
        waived=max(before.waived - (by - owed_less - collected_less), 0),
    )


# --- the shoe on the table, and earlier ones -------------------------------------------------------------------------


def change_marks(draft: Draft, shoe: int, number: int, changes: Mapping[str, int]) -> dict[str, int]:
    """A round that is over was settled again; returns what was marked and is to be paid back if it was collected."""
    own = draft.state.shoe
    if own is not None and own.number == shoe:
        return _raise_or_lower(own, number, changes)
    due, back = list(draft.lasting.commission_due), {}
    for seat, change in changes.items():
        found = next((each for each in due if each.seat == seat and _includes(each, shoe)), None)
        left = change if found is None else found.amount + change
        if left < 0:
            back[seat] = -left
        entry = found or DueCommission(shoe=shoe, seat=seat, amount=0)
        due = [each for each in due if each is not found]
        if left > 0:
            due.append(msgspec.structs.replace(entry, amount=left))
    draft.lasting.commission_due = _within_bound(due)
    return back


def leave_due(draft: Draft, shoe: int, unpaid: BySeat) -> None:
    """The next shoe is opened: what was not collected of the one before is still owed."""
    draft.lasting.commission_due = _within_bound([*draft.lasting.commission_due, *_of_shoe(shoe, unpaid)])


def is_meant(due: DueCommission, seat: str, shoe: int | None) -> bool:
    """Whether an act about this seat and shoe is about this entry; entries that were added up go by the last shoe."""
    return due.seat == seat and shoe in (None, due.shoe)


def take_off(draft: Draft, seat: str, shoe: int | None, *, paid: bool) -> tuple[DueCommission, ...]:
    """A seat owes nothing any more, or nothing of this shoe: it has paid, or need not; returns what it owed."""
    taken = tuple(each for each in owed(draft.state) if is_meant(each, seat, shoe))
    draft.lasting.commission_due = tuple(each for each in draft.lasting.commission_due if each not in taken)
    own = draft.state.shoe
    if own is not None and any(each.shoe == own.number for each in taken):
        own.marks = tuple(_taken_off(each, paid=paid) if each.seat == seat else each for each in own.marks)
    return taken


def _taken_off(due: Mark, *, paid: bool) -> Mark:
    if paid:
        return msgspec.structs.replace(due, owed=0, collected=due.collected + due.owed)
    return msgspec.structs.replace(due, owed=0, waived=due.waived + due.owed)


def _changed(total: dict[str, int], changes: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """These sums with the changes, and what is below nothing, by seat."""
    changed = total | {seat: total.get(seat, 0) + change for seat, change in changes.items()}
    return (
        {seat: max(amount, 0) for seat, amount in changed.items()},
        {seat: -amount for seat, amount in changed.items() if amount < 0},
    )


def _of_shoe(shoe: int, amounts: Iterable[tuple[str, int]]) -> Iterable[DueCommission]:
    return (DueCommission(shoe=shoe, seat=seat, amount=amount) for seat, amount in amounts)


def _sorted(total: dict[str, int]) -> BySeat:
    return tuple(sorted((seat, amount) for seat, amount in total.items() if amount))


def _since(due: DueCommission) -> int:
    return due.shoe if due.since is None else due.since


def _includes(due: DueCommission, shoe: int) -> bool:
    return _since(due) <= shoe <= due.shoe


def _within_bound(due: Iterable[DueCommission]) -> tuple[DueCommission, ...]:
    """In order; above `MOST_DUE`, entries of one seat are added up, the oldest first."""
    kept = sorted(due, key=lambda each: (each.shoe, each.seat))
    while len(kept) > MOST_DUE:
        pair = next(((a, b) for n, a in enumerate(kept) for b in kept[n + 1 :] if a.seat == b.seat), None)
        if pair is None:
            break
        older, newer = pair
        both = msgspec.structs.replace(newer, since=_since(older), amount=older.amount + newer.amount)
        kept = [both if each is newer else each for each in kept if each is not older]
    return tuple(kept)
