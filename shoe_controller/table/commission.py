"""Marked commission: written down by seat when a round is settled, and owed until it is collected or waived.

The shoe on the table keeps its marks by round, also when it has ended: whatever is taken back or amended changes the
marks of its own round alone. When the next shoe is opened, what is still owed goes into `Lasting.commission_due` by
shoe and seat, and its marks into `Lasting.earlier_marks`, so that rounds of earlier shoes are amended in the same way.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from shoe_controller.messages.facts import DueCommission
from shoe_controller.table.draft import Draft
from shoe_controller.table.state import EarlierMark, Mark, Round, Shoe, TableState

BySeat = tuple[tuple[str, int], ...]
"""Commission by seat."""

STAYS_DUE = 3
"""The first `REVISION` in which commission that was not collected when its shoe ended is still due."""

BY_ROUND = 3
"""The first `REVISION` in which a shoe keeps its marks by round (`Shoe.marks`), not by seat (`Shoe.commission`)."""

MOST_DUE = 200
"""Entries of earlier shoes that are kept apart; beyond, those of one seat are added up."""

MOST_MARKS = 1000
"""Marks of earlier shoes that are kept by round; beyond, those of the oldest shoe go. Rounds are amended in the hours
after they were dealt: at a table with seven seats these are four shoes in which every seat bets on Banker, else more.
"""


def owed(state: TableState) -> tuple[DueCommission, ...]:
    """What each seat owes, by shoe, the oldest first."""
    due, shoe = state.lasting.commission_due, state.shoe
    return due if shoe is None else (*due, *_of_shoe(shoe.number, stays_due(shoe)))


def owed_by_seat(shoe: Shoe) -> BySeat:
    """What seats owe of the shoe on the table."""
    if shoe.revision < BY_ROUND:
        return shoe.commission
    return _sorted(_owed_of(shoe.marks))


def _owed_of(marks: Iterable[Mark]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in marks:
        total[each.seat] += each.owed
    return total


def stays_due(shoe: Shoe) -> BySeat:
    """What seats still owe of the shoe on the table once the next one is opened."""
    return owed_by_seat(shoe) if shoe.revision >= STAYS_DUE else ()


def marks_by_round(shoe: Shoe) -> tuple[Mark, ...] | None:
    """The marks of the shoe on the table, where it keeps them by round."""
    return shoe.marks if shoe.revision >= BY_ROUND else None


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
    shoe.marks, back = _changed_marks(shoe.marks, number, changes)
    return back


def _changed_marks(
    before_it: Iterable[Mark], number: int, changes: Mapping[str, int]
) -> tuple[tuple[Mark, ...], dict[str, int]]:
    """The marks of a shoe with these changes of one round, and what was collected of it and is not owed, by seat."""
    marks = {(each.round, each.seat): each for each in before_it}
    back = {}
    for seat, change in changes.items():
        before = marks.get((number, seat), Mark(round=number, seat=seat))
        after = _lowered(before, -change) if change < 0 else msgspec.structs.replace(before, owed=before.owed + change)
        marks[number, seat] = after
        if after.collected < before.collected:
            back[seat] = before.collected - after.collected
    return tuple(each for each in marks.values() if each.owed or each.collected or each.waived), back


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
    lasting = draft.lasting
    if lasting.marks_from is None or shoe < lasting.marks_from:
        return _change_unknown(draft, shoe, changes)
    before = tuple(each.mark for each in lasting.earlier_marks if each.shoe == shoe)
    after, back = _changed_marks(before, number, changes)
    others = tuple(each for each in lasting.earlier_marks if each.shoe != shoe)
    lasting.earlier_marks = (*others, *(EarlierMark(shoe=shoe, mark=mark) for mark in after))
    owed_now = _owed_of(after)
    owed_now.subtract(_owed_of(before))
    _change_due(draft, shoe, {seat: owed_now[seat] for seat in changes})
    return back


def _change_unknown(draft: Draft, shoe: int, changes: Mapping[str, int]) -> dict[str, int]:
    """Of this shoe only what each seat owes is known, not of which rounds; what is below may have been collected."""
    lasting, possible, back = draft.lasting, {}, {}
    for seat, change in changes.items():
        found = _due_of(lasting.commission_due, shoe, seat)
        by_round = 0 if found is None else sum(each.mark.owed for each in _marks_in(draft, found))
        unknown = (0 if found is None else found.amount) - by_round
        possible[seat] = max(change, -unknown)
        if possible[seat] > change:
            back[seat] = possible[seat] - change
    _change_due(draft, shoe, possible)
    return back


def _change_due(draft: Draft, shoe: int, changes: Mapping[str, int]) -> None:
    due = list(draft.lasting.commission_due)
    for seat, change in changes.items():
        found = _due_of(due, shoe, seat)
        entry = found or DueCommission(shoe=shoe, seat=seat, amount=0)
        due = [each for each in due if each is not found]
        if entry.amount + change > 0:
            due.append(msgspec.structs.replace(entry, amount=entry.amount + change))
    draft.lasting.commission_due = _within_bound(due)


def _due_of(due: Iterable[DueCommission], shoe: int, seat: str) -> DueCommission | None:
    return next((each for each in due if each.seat == seat and _includes(each, shoe)), None)


def _marks_in(draft: Draft, due: DueCommission) -> list[EarlierMark]:
    """The marks that this entry is made up of, as far as they are known by round."""
    return [each for each in draft.lasting.earlier_marks if _is_in(each, due)]


def _is_in(earlier: EarlierMark, due: DueCommission) -> bool:
    return earlier.mark.seat == due.seat and _includes(due, earlier.shoe)


def leave_due(draft: Draft, shoe: int, unpaid: BySeat) -> None:
    """The next shoe is opened: what was not collected of the one before is still owed."""
    draft.lasting.commission_due = _within_bound([*draft.lasting.commission_due, *_of_shoe(shoe, unpaid)])


def leave_marks(draft: Draft, shoe: int, marks: tuple[Mark, ...] | None) -> None:
    """The next shoe is opened: keep by round what was marked in the one before, and in as many others as possible."""
    lasting = draft.lasting
    if marks is None:
        lasting.earlier_marks, lasting.marks_from = (), None
        return
    lasting.marks_from = shoe if lasting.marks_from is None else lasting.marks_from
    lasting.earlier_marks = (*lasting.earlier_marks, *(EarlierMark(shoe=shoe, mark=mark) for mark in marks))
    while len(lasting.earlier_marks) > MOST_MARKS:
        oldest = min(each.shoe for each in lasting.earlier_marks)
        lasting.marks_from = oldest + 1
        lasting.earlier_marks = tuple(each for each in lasting.earlier_marks if each.shoe > oldest)


def is_meant(due: DueCommission, seat: str, shoe: int | None) -> bool:
    """Whether an act about this seat and shoe is about this entry; entries that were added up go by the last shoe."""
    return due.seat == seat and shoe in (None, due.shoe)


def take_off(draft: Draft, seat: str, shoe: int | None, *, paid: bool) -> tuple[DueCommission, ...]:
    """A seat owes nothing any more, or nothing of this shoe: it has paid, or need not; returns what it owed."""
    taken = tuple(each for each in owed(draft.state) if is_meant(each, seat, shoe))
    draft.lasting.commission_due = tuple(each for each in draft.lasting.commission_due if each not in taken)
    draft.lasting.earlier_marks = tuple(
        msgspec.structs.replace(each, mark=_taken_off(each.mark, paid=paid))
        if each.mark.owed and any(_is_in(each, due) for due in taken)
        else each
        for each in draft.lasting.earlier_marks
    )
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
