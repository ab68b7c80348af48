"""What the reckoner works out itself of marked commission; each case is refused when it says something else."""

import random
from collections import Counter
from typing import Any

import pytest

from shoe_controller.house.rules import read_rules
from shoe_controller.table import commission
from shoe_controller.table.commission import change_marks, leave_due, leave_marks
from shoe_controller.table.draft import Draft
from shoe_controller.table.state import Mark, TableState
from simulator.reckoner import commission as reckoner_commission
from simulator.reckoner.commission import COLLECTED, MOST_APART, MOST_BY_ROUND, WAIVED, CommissionBook
from simulator.reckoner.mismatch import MismatchError
from tests.table.sitting import Sitting


def marked(*amounts: int) -> CommissionBook:
    """Seat 1 has these marks of shoe 1, by round."""
    book = CommissionBook()
    for number, amount in enumerate(amounts, 1):
        book.mark(1, number, {"1": amount, "2": 0})
    return book


def take(book: CommissionBook, act: str, amount: int, since: int | None = None) -> None:
    due = [{"shoe": 1, "since": since, "seat": "1", "amount": amount}]
    book.taken({"seat": "1", "amount": amount, "due": due}, {"act": {"act": act, "seat": "1"}})


def amended(number: int, back: int, on_table: int = 1) -> dict[str, Any]:
    where = {"of_shoe": 1, "of_round": number, "shoe": on_table, "round": 9}
    return where | {"commission_back": {"1": back} if back else {}}


def undone(number: int, back: int) -> dict[str, Any]:
    return {"shoe": 1, "round": number, "commission_back": {"1": back} if back else {}}


def amend(book: CommissionBook, number: int, change: int, back: int, on_table: int = 1) -> None:
    book.change(amended(number, back, on_table), {"1": change})


def test_what_a_seat_owes() -> None:
    book = marked(50, 25)
    assert book.owed == {(1, "1"): 75}
    with pytest.raises(MismatchError):
        take(book, COLLECTED, 50)
    with pytest.raises(MismatchError):
        take(book, COLLECTED, 75, since=1)
    take(book, COLLECTED, 75)
    assert book.owed == {}
    with pytest.raises(MismatchError):
        take(book, COLLECTED, 75)
    book.shoe_ended({"shoe": 1, "commission_due": {}})


@pytest.mark.parametrize("said", [0, 25, 50, 75])
def test_a_round_that_was_paid_is_paid_back_whatever_another_one_owes(said: int) -> None:
    book = marked(50)
    take(book, COLLECTED, 50)
    book.mark(1, 2, {"1": 25})
    if said != 50:
        with pytest.raises(MismatchError):
            amend(book, 1, -50, back=said)
        return
    amend(book, 1, -50, back=50)
    assert book.owed == {(1, "1"): 25}
    with pytest.raises(MismatchError):
        book.shoe_ended({"shoe": 1, "commission_due": {}})
    book.undo(undone(2, 0))
    assert book.owed == {}


@pytest.mark.parametrize(("act", "back"), [(COLLECTED, 50), (WAIVED, 0)])
def test_what_was_waived_was_never_paid(act: str, back: int) -> None:
    for wrong in (False, True):
        one, other = marked(50), marked(50)
        take(one, act, 50)
        take(other, act, 50)
        if wrong:
            with pytest.raises(MismatchError):
                amend(one, 1, -50, back=50 - back)
            with pytest.raises(MismatchError):
                other.undo(undone(1, 50 - back))
        else:
            amend(one, 1, -50, back)
            other.undo(undone(1, back))
            assert one.owed == other.owed == {}


def test_a_mark_is_lowered_by_what_is_owed_then_by_what_was_paid_then_by_what_was_waived() -> None:
    book = marked(20)
    take(book, COLLECTED, 20)
    amend(book, 1, +10, back=0)
    take(book, WAIVED, 10)
    amend(book, 1, +10, back=0)
    amend(book, 1, -15, back=5)
    assert book.owed == {}
    amend(book, 1, -20, back=15)
    amend(book, 1, -5, back=0)
    amend(book, 1, +5, back=0)
    assert book.owed == {(1, "1"): 5}


def with_many_more(book: CommissionBook) -> CommissionBook:
    """So many marks of shoe 2 that the rounds of shoe 1 are forgotten."""
    for number in range(MOST_BY_ROUND):
        book.mark(2, number, {"2": 5})
    book.shoe_opened(3)
    return book


@pytest.mark.parametrize(("act", "back"), [(COLLECTED, 50), (WAIVED, 0)])
def test_of_an_earlier_shoe_each_round_is_known(act: str, back: int) -> None:
    for wrong in (False, True):
        book = marked(50)
        take(book, act, 50)
        book.mark(1, 2, {"1": 20})
        book.shoe_opened(2)
        if wrong:
            with pytest.raises(MismatchError):
                amend(book, 1, -50, back=30, on_table=2)
            continue
        amend(book, 1, -50, back=back, on_table=2)
        assert book.owed == {(1, "1"): 20}
        book.forget(1)
        assert book.owed == {}


@pytest.mark.parametrize("act", [COLLECTED, WAIVED])
def test_of_the_oldest_shoes_only_what_is_owed_is_known(act: str) -> None:
    book = marked(50)
    take(book, act, 50)
    book.mark(1, 2, {"1": 20})
    with_many_more(book)
    amend(book, 1, -50, back=30, on_table=3)
    assert (1, "1") not in book.owed
    amend(book, 1, +10, back=0, on_table=3)
    assert book.owed[1, "1"] == 10
    book.change(amended(0, 0, 3) | {"of_shoe": 2}, {"2": -5})
    assert book.owed[2, "2"] == 5 * (MOST_BY_ROUND - 1)


def test_debts_of_many_shoes_are_added_up() -> None:
    book = CommissionBook()
    for shoe in range(1, MOST_APART + 3):
        book.mark(shoe, 1, {"1": 5, "2": 0})
        book.shoe_opened(shoe + 1)
    assert len(book.owed) == MOST_APART
    assert list(book.owed.items())[:2] == [((3, "1"), 15), ((4, "1"), 5)]
    amend(book, 1, -5, back=0, on_table=300)
    assert book.owed[3, "1"] == 10


@pytest.mark.parametrize("since", [None, 1, 2])
def test_what_was_added_up_is_taken_with_its_first_shoe(since: int | None) -> None:
    book = CommissionBook()
    for shoe in range(1, MOST_APART + 2):
        book.mark(shoe, 1, {"1": 5})
    book.shoe_opened(MOST_APART + 2)
    due = [{"shoe": 2, "since": since, "seat": "1", "amount": 10}]
    event, acted = {"seat": "1", "amount": 10, "due": due}, {"act": {"act": COLLECTED, "seat": "1", "shoe": 2}}
    if since == 1:
        book.taken(event, acted)
        assert (2, "1") not in book.owed
    else:
        with pytest.raises(MismatchError):
            book.taken(event, acted)


@pytest.mark.parametrize("seed", range(5))
def test_a_table_adds_up_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commission, "MOST_MARKS", 50)
    monkeypatch.setattr(reckoner_commission, "MOST_BY_ROUND", 50)
    chance = random.Random(seed)  # noqa: S311 - the same sequence every time is the point
    book, draft = CommissionBook(), Draft(TableState(), Sitting().moment(), read_rules)
    for shoe in range(1, 160):
        marks = [Mark(round=number, seat=seat, owed=5) for seat in "123" for number in (1, 2) if chance.random() < 0.5]
        for mark in marks:
            book.mark(shoe, mark.round, {mark.seat: 5})
        book.shoe_opened(shoe + 1)
        rounds = Counter(mark.seat for mark in marks)
        leave_due(draft, shoe, tuple((seat, 5 * count) for seat, count in rounds.items()))
        leave_marks(draft, shoe, tuple(marks))
        for _ in range(3):
            of_shoe, number = chance.randint(max(1, shoe - 40), shoe), chance.choice([1, 2])
            changes = {seat: chance.choice([-10, 5]) for seat in chance.sample("123", 2)}
            back = change_marks(draft, of_shoe, number, changes)
            told = {"of_shoe": of_shoe, "of_round": number, "shoe": shoe + 1, "round": 1, "commission_back": back}
            book.change(told, changes)
            assert {(each.shoe, each.seat): each.amount for each in draft.lasting.commission_due} == book.owed
    assert any(each.since is not None for each in draft.lasting.commission_due)
    assert draft.lasting.marks_from is not None
    assert draft.lasting.marks_from > 100
