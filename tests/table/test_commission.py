"""Marked commission: owed by seat and shoe until it is collected or waived, and paid back with a result taken back.

Whether the sums are right after every input is compared with books of the reckoner's own (`state_checks.py`).
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    CollectCommission,
    Confirm,
    CorrectCard,
    EndShoe,
    OpenShoe,
    Role,
    UndoLastResult,
    VoidRound,
    WaiveCommission,
)
from shoe_controller.messages.facts import (
    CommissionCollected,
    CommissionWaived,
    DueCommission,
    PersonActed,
    RoundAmended,
    SettlementUndone,
    ShoeEnded,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.refusals import NoCommissionDue
from shoe_controller.table.commission import (
    MOST_DUE,
    MOST_MARKS,
    STAYS_DUE,
    change_marks,
    leave_due,
    leave_marks,
    owed,
)
from shoe_controller.table.draft import Draft
from shoe_controller.table.inputs import PersonActs, PinVerdict
from shoe_controller.table.state import Mark, TableState
from shoe_controller.table.table import Table
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.state_checks import as_json

MARKED: dict[str, Any] = {"base_game": "commission", "commission": {"taken": "marked"}}
BANKER_WINS = "2H 9D 3S KC"
IN_TRUTH_BANKER = (AmendedCard(number=1, card=Card("2H")), AmendedCard(number=2, card=Card("9D")))
IN_TRUTH_PLAYER = (AmendedCard(number=1, card=Card("6H")), AmendedCard(number=2, card=Card("8D")))
"""Faces with which the other hand wins in these cards."""
DECKS = 8
"""So often these cards are there."""
RUNS = 20 if os.environ.get("LONG_TESTS") else 4
"""Of ten seeds each, with and without waiving."""


def due(shoe: int, seat: str, amount: int) -> DueCommission:
    return DueCommission(shoe=shoe, seat=seat, amount=amount)


def owing(table: Sitting) -> tuple[DueCommission, ...]:
    return view_of(table.state, read_rules).commission


def play(table: Sitting, **stakes: int) -> None:
    """Banker wins; each seat has this stake on it, as `s1=100`."""
    for seat, stake in stakes.items():
        table.bet(seat.removeprefix("s"), "base.banker", stake)
    table.deal(BANKER_WINS)
    table.result(IndicatedWinner.BANKER)


def marked(**stakes: int) -> Sitting:
    table = Sitting(MARKED)
    table.open_shoe()
    play(table, **stakes)
    return table


def both(table: Sitting, act: AnyAct) -> None:
    assert table.act(act, person="ann").refusal is None
    assert table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben").refusal is None


def amend(table: Sitting, number: int, act: tuple[AmendedCard, ...] | int, shoe: int | None = None) -> dict[str, int]:
    """Settle a round again, with these cards or with this stake of seat 1; returns `commission_back`."""
    cards, stake = (act, None) if isinstance(act, tuple) else ((), act)
    wagers = () if stake is None else (PlacedWager("1", "base.banker", stake),)
    both(table, AmendRound(shoe=shoe or table.state.shoe_number, round=number, cards=cards, wagers=wagers))
    return table.last(RoundAmended).commission_back


def undo(table: Sitting) -> dict[str, int]:
    both(table, UndoLastResult())
    return table.last(SettlementUndone).commission_back


def test_it_is_shown_from_the_first_mark_on() -> None:
    table = marked(s1=100, s2=200)
    assert owing(table) == (due(1, "1", 5), due(1, "2", 10))
    play(table, s1=100)
    assert owing(table) == (due(1, "1", 10), due(1, "2", 10))


def test_a_player_who_leaves_pays() -> None:
    table = marked(s1=100, s2=200)
    table.dealer(CollectCommission(seat="1"))
    collected = table.last(CommissionCollected)
    assert (collected.seat, collected.amount, collected.due) == ("1", 5, (due(1, "1", 5),))
    assert isinstance(table.facts[-2], PersonActed)
    assert owing(table) == (due(1, "2", 10),)
    assert table.dealer(CollectCommission(seat="1")).refusal == NoCommissionDue(seat="1")
    table.act(EndShoe())
    assert table.last(ShoeEnded).commission_due == {"2": 10}


def test_what_is_due_at_the_end_stays_due_over_shoes_until_it_is_paid_or_waived() -> None:
    table = marked(s1=100, s2=200)
    table.act(EndShoe())
    assert table.last(ShoeEnded).commission_due == {"1": 5, "2": 10}
    assert owing(table) == (due(1, "1", 5), due(1, "2", 10))
    table.open_shoe()
    play(table, s1=300)
    table.dealer(OpenShoe())
    assert owing(table) == (due(1, "1", 5), due(1, "2", 10), due(2, "1", 15)), "also after a shoe that was not ended"
    table.dealer(CollectCommission(seat="1", shoe=1))
    assert owing(table) == (due(1, "2", 10), due(2, "1", 15)), "the player of then is not the player of now"
    assert table.dealer(CollectCommission(seat="1", shoe=1)).refusal == NoCommissionDue(seat="1")
    both(table, WaiveCommission(seat="2"))
    waived = table.last(CommissionWaived)
    assert (waived.seat, waived.amount, waived.due) == ("2", 10, (due(1, "2", 10),))
    table.dealer(CollectCommission(seat="1"))
    assert owing(table) == ()


def test_one_supervisor_alone_waives_nothing() -> None:
    table = marked(s1=100)
    table.act(WaiveCommission(seat="1"), person="ann")
    assert table.act(Approve(proposal=1), person="ann").refusal is not None
    assert owing(table) == (due(1, "1", 5),)


def nothing(_table: Sitting) -> None:
    pass


def collect(table: Sitting) -> None:
    table.dealer(CollectCommission(seat="1"))


def waive(table: Sitting) -> None:
    both(table, WaiveCommission(seat="1"))


def end(table: Sitting) -> None:
    table.act(EndShoe())


@pytest.mark.parametrize(
    ("before", "after", "back", "left"),
    [
        (nothing, nothing, {}, 5),
        (nothing, collect, {"1": 10}, 0),
        (nothing, waive, {}, 0),
        (collect, nothing, {}, 0),
        (collect, collect, {"1": 10}, 0),
        (collect, waive, {}, 0),
        (waive, collect, {"1": 10}, 0),
    ],
)
@pytest.mark.parametrize("ended", [nothing, end])
def test_a_result_taken_back_takes_its_commission_back_or_pays_it_back(
    before: Callable[[Sitting], None],
    after: Callable[[Sitting], None],
    ended: Callable[[Sitting], None],
    back: dict[str, int],
    left: int,
) -> None:
    """A round with 5 was before; this one has 10. What was waived was never paid."""
    table = marked(s1=100)
    before(table)
    play(table, s1=200)
    ended(table)
    after(table)
    both(table, UndoLastResult())
    assert table.last(SettlementUndone).commission_back == back
    assert sum(each.amount for each in owing(table)) == left
    table.act(Confirm())
    assert sum(each.amount for each in owing(table)) == left + 10, "settled again, it is marked again"
    if ended is end:
        assert table.at(Phase.ENDED)
        assert table.last(ShoeEnded).commission_due == {"1": left + 10}


def test_a_void_after_that_owes_nothing() -> None:
    table = marked(s1=100)
    collect(table)
    both(table, UndoLastResult())
    table.act(VoidRound())
    assert owing(table) == ()


# --- amended ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ended", [nothing, end])
@pytest.mark.parametrize(("again", "left"), [(VoidRound(), 0), (Confirm(), 25)])
def test_an_amendment_leaves_the_debts_of_other_rounds_alone(
    again: AnyAct, left: int, ended: Callable[[Sitting], None]
) -> None:
    """Round 1 was paid and is to be paid back in full; what round 2 owes goes with round 2."""
    table = marked(s1=1000)
    collect(table)
    play(table, s1=500)
    ended(table)
    assert amend(table, 1, IN_TRUTH_PLAYER) == {"1": 50}
    assert owing(table) == (due(1, "1", 25),)
    assert undo(table) == {}
    assert owing(table) == ()
    table.act(again)
    assert sum(each.amount for each in owing(table)) == left


def test_what_was_waived_is_paid_back_on_neither_way() -> None:
    amended, undone = marked(s1=1000), marked(s1=1000)
    waive(amended)
    assert amend(amended, 1, IN_TRUTH_PLAYER) == {}
    waive(undone)
    assert undo(undone) == {}
    for each in IN_TRUTH_PLAYER:
        undone.act(CorrectCard(number=each.number, card=each.card))
    undone.act(Confirm())
    assert owing(amended) == owing(undone) == ()


def test_what_another_round_paid_is_not_paid_back_for_a_waived_one() -> None:
    table = marked(s1=600)
    assert amend(table, 1, IN_TRUTH_PLAYER) == {}
    play(table, s1=1000)
    waive(table)
    assert amend(table, 1, IN_TRUTH_BANKER) == {}
    collect(table)
    assert table.last(CommissionCollected).amount == 30
    assert undo(table) == {}
    table.act(VoidRound())
    assert amend(table, 1, IN_TRUTH_PLAYER) == {"1": 30}


def test_a_mark_that_stays_the_same_stays_waived() -> None:
    table = marked(s1=1000)
    waive(table)
    both(table, AmendRound(shoe=1, round=1, wagers=(PlacedWager("2", "base.player", 10),)))
    assert owing(table) == ()


def test_a_lower_mark_is_first_not_owed_then_paid_back_then_not_waived() -> None:
    table = marked(s1=400)
    collect(table)
    assert amend(table, 1, 600) == {}
    assert owing(table) == (due(1, "1", 10),)
    waive(table)
    assert amend(table, 1, 800) == {}
    assert amend(table, 1, 700) == {}
    assert owing(table) == (due(1, "1", 5),)
    assert amend(table, 1, 500) == {"1": 5}
    assert owing(table) == ()
    assert amend(table, 1, 100) == {"1": 15}
    assert amend(table, 1, 20) == {}


def test_of_an_earlier_shoe_it_is_paid_back_if_it_was_collected() -> None:
    for before, left, back in ((nothing, (), {}), (collect, (), {"1": 50}), (waive, (), {})):
        table = marked(s1=1000)
        table.act(EndShoe())
        before(table)
        table.open_shoe()
        assert amend(table, 1, IN_TRUTH_PLAYER, shoe=1) == back
        assert owing(table) == left
        assert amend(table, 1, IN_TRUTH_BANKER, shoe=1) == {}
        assert owing(table) == (due(1, "1", 50),)


@pytest.mark.parametrize(("paid", "back"), [(waive, {}), (collect, {"1": 50})])
@pytest.mark.parametrize("ended", [nothing, end])
def test_in_an_earlier_shoe_too_an_amendment_leaves_the_debts_of_other_rounds_alone(
    ended: Callable[[Sitting], None], paid: Callable[[Sitting], None], back: dict[str, int]
) -> None:
    table = marked(s1=1000)
    paid(table)
    play(table, s1=1000)
    ended(table)
    table.announce()
    assert amend(table, 1, IN_TRUTH_PLAYER, shoe=1) == back
    assert owing(table) == (due(1, "1", 50),), "of round 2, which nobody has paid or waived"
    collect(table)
    assert table.last(CommissionCollected).amount == 50
    assert amend(table, 2, 400, shoe=1) == {"1": 30}


def test_what_is_owed_of_an_earlier_shoe_is_collected_or_waived_by_round() -> None:
    table = marked(s1=1000)
    play(table, s1=400)
    table.announce()
    table.dealer(CollectCommission(seat="1", shoe=1))
    assert amend(table, 2, 600, shoe=1) == {}
    waive(table)
    assert amend(table, 2, IN_TRUTH_PLAYER, shoe=1) == {"1": 20}
    assert amend(table, 1, IN_TRUTH_PLAYER, shoe=1) == {"1": 50}
    assert owing(table) == ()


class Key(NamedTuple):
    shoe: int
    round: int
    seat: str


class Ledger:
    """Marked commission, each unit of money by itself: what became of it."""

    def __init__(self) -> None:
        self.units: dict[Key, list[str]] = {}
        self.truth: dict[Key, int] = {}
        """What each round comes to in the end."""
        self.back: Counter[str] = Counter()

    def settle(self, key: Key, amount: int) -> int:
        """A round comes to this for a seat; returns what is paid back."""
        change = amount - self.truth.get(key, 0)
        self.truth[key] = amount
        units = self.units.setdefault(key, [])
        units += ["owed"] * change
        back = 0
        for _ in range(-change):
            lost = next(fate for fate in ("owed", "collected", "waived") if fate in units)
            units.remove(lost)
            back += lost == "collected"
        self.back[key.seat] += back
        return back

    def undo(self, shoe: int, number: int) -> dict[str, int]:
        keys = [key for key in self.truth if (key.shoe, key.round) == (shoe, number)]
        back = {key.seat: self.settle(key, 0) for key in keys}
        for key in keys:
            del self.truth[key], self.units[key]
        return {seat: amount for seat, amount in back.items() if amount}

    def take(self, seat: str, shoe: int | None, fate: str) -> None:
        for key, units in self.units.items():
            if key.seat == seat and shoe in (None, key.shoe):
                units[:] = [fate if unit == "owed" else unit for unit in units]

    def owed(self) -> dict[tuple[int, str], int]:
        owed: Counter[tuple[int, str]] = Counter()
        for key, units in self.units.items():
            owed[key.shoe, key.seat] += units.count("owed")
        return {key: amount for key, amount in owed.items() if amount}


class Player:
    """Does at random whatever changes commission, and writes the ledger."""

    def __init__(self, seed: int, *, waives: bool) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - the same every time
        self.waives = waives
        self.ledger = Ledger()
        self.stakes: dict[tuple[int, int], dict[str, int]] = {}
        self.banker_wins: dict[tuple[int, int], bool] = {}
        self.table = Sitting(MARKED)
        self.table.open_shoe()

    def step(self) -> None:
        ways = (self.play, self.play, self.amend, self.amend, self.collect, self.waive, self.undo, self.end)
        self.chance.choice(ways)()

    def _settle(self, key: tuple[int, int]) -> dict[str, int]:
        wins = self.banker_wins[key]
        due = {seat: stake // 20 if wins else 0 for seat, stake in self.stakes[key].items()}
        back = {seat: self.ledger.settle(Key(*key, seat), amount) for seat, amount in due.items()}
        return {seat: amount for seat, amount in back.items() if amount}

    def play(self) -> None:
        if self.table.at(Phase.ENDED):
            self.table.open_shoe()
        key = (self.table.state.shoe_number, self.table.state.round_number)
        if key[1] > DECKS // 2:
            return
        self.stakes[key] = {seat: self.chance.choice([20, 40, 100]) for seat in self.chance.choice(["1", "2", "12"])}
        self.banker_wins[key] = True
        play(self.table, **{f"s{seat}": stake for seat, stake in self.stakes[key].items()})
        self._settle(key)

    def amend(self) -> None:
        if not self.stakes:
            return
        key = self.chance.choice(list(self.stakes))
        cards: tuple[AmendedCard, ...] = ()
        wagers: tuple[PlacedWager, ...] = ()
        if self.chance.random() < 0.5:
            self.banker_wins[key] = not self.banker_wins[key]
            cards = IN_TRUTH_BANKER if self.banker_wins[key] else IN_TRUTH_PLAYER
        else:
            seat, stakes = self.chance.choice("12"), self.stakes[key]
            stakes[seat] = self.chance.choice([stake for stake in (20, 60, 200) if stake != stakes.get(seat)])
            wagers = (PlacedWager(seat, "base.banker", stakes[seat]),)
        both(self.table, AmendRound(shoe=key[0], round=key[1], cards=cards, wagers=wagers))
        assert self.table.last(RoundAmended).commission_back == self._settle(key)

    def collect(self) -> None:
        seat, shoe = self.chance.choice("12"), self.chance.choice([None, None, 1, 2])
        if self.table.dealer(CollectCommission(seat=seat, shoe=shoe)).refusal is None:
            self.ledger.take(seat, shoe, "collected")

    def waive(self) -> None:
        seat = self.chance.choice("12")
        if self.waives and any(each.seat == seat for each in owing(self.table)):
            both(self.table, WaiveCommission(seat=seat))
            self.ledger.take(seat, None, "waived")

    def undo(self) -> None:
        shoe = self.table.state.shoe
        if shoe is None or shoe.previous is None:
            return
        key = (shoe.number, shoe.previous.number)
        assert undo(self.table) == self.ledger.undo(*key)
        if self.chance.random() < 0.5:
            self.table.act(Confirm())
            self._settle(key)
        else:
            self.table.act(VoidRound())
            del self.stakes[key], self.banker_wins[key]

    def end(self) -> None:
        if self.table.at(Phase.BETTING) and self.chance.random() < 0.5:
            self.table.act(EndShoe())

    def check(self) -> None:
        owed_now = {(each.shoe, each.seat): each.amount for each in owing(self.table)}
        assert owed_now == self.ledger.owed()
        if self.waives:
            return
        paid: Counter[str] = Counter()
        for fact in self.table.all(CommissionCollected):
            paid[fact.seat] += fact.amount
        for undone in self.table.all(SettlementUndone):
            paid.subtract(undone.commission_back)
        for amended in self.table.all(RoundAmended):
            paid.subtract(amended.commission_back)
        for seat in "12":
            owes = sum(amount for (_, other), amount in owed_now.items() if other == seat)
            right = sum(amount for key, amount in self.ledger.truth.items() if key.seat == seat)
            assert paid[seat] + owes == right, f"seat {seat}"


@pytest.mark.parametrize("waives", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_each_seat_pays_what_its_rounds_come_to(seed: int, *, waives: bool) -> None:
    """Whatever is played, collected, waived, amended, taken back and voided, in whichever order."""
    for run in range(RUNS):
        player = Player(seed * 1000 + run, waives=waives)
        for _ in range(14):
            player.step()
            player.check()


# --- what stays ------------------------------------------------------------------------------------------------------


def of_earlier_revision() -> Sitting:
    table = Sitting(MARKED, burn=False)
    asked = PersonActs(act=OpenShoe(), person="dan", role=Role.DEALER, shoe=0, round=0)
    opened = table.table.new_shoe(table.rules, asked)
    table.give(msgspec.structs.replace(opened, revision=STAYS_DUE - 1, marks=None))
    return table


def test_a_shoe_that_an_earlier_version_left_in_the_middle_goes_on() -> None:
    """That version kept commission by seat, and its snapshot has nothing by round."""
    table = of_earlier_revision()
    play(table, s1=100)
    play(table, s1=300, s2=100)
    state = as_json(table.state)
    assert state["shoe"]["commission"] == [["1", 20], ["2", 5]]
    assert state["shoe"].pop("marks") == []
    for added in ("amended", "commission_due", "earlier_marks", "marks_from"):
        del state["lasting"][added]
    table.table = Table(read_rules, msgspec.convert(state, TableState))
    assert amend(table, 1, IN_TRUTH_PLAYER) == {}
    assert table.last(RoundAmended).commission == {"1": -5}
    assert undo(table) == {}
    table.act(Confirm())
    play(table, s2=100)
    table.act(EndShoe())
    assert table.last(ShoeEnded).commission_due == {"1": 15, "2": 10}
    assert owing(table) == ()


@pytest.mark.parametrize("ended", [True, False])
def test_a_shoe_of_an_earlier_revision_goes_on_as_it_began(*, ended: bool) -> None:
    """There, what was due at the end of a shoe was over with it."""
    table = of_earlier_revision()
    play(table, s1=100)
    assert owing(table) == ()
    assert table.dealer(CollectCommission(seat="1")).refusal == NoCommissionDue(seat="1")
    if ended:
        table.act(EndShoe())
        both(table, UndoLastResult())
        table.act(Confirm())
    table.announce()
    assert table.last(ShoeEnded).commission_due == {"1": 5}
    assert owing(table) == ()
    play(table, s1=100)
    assert owing(table) == (due(2, "1", 5),)


def test_what_nobody_collects_does_not_grow_for_ever() -> None:
    draft = Draft(TableState(), Sitting().moment(), read_rules)
    for shoe in range(1, 3 * MOST_DUE):
        leave_due(draft, shoe, (("1", 5), ("2", 7)))
        entries = draft.lasting.commission_due
        assert len(entries) <= MOST_DUE
        assert [each.shoe for each in entries[-2:]] == [shoe, shoe], "the newest is kept as it is"
        assert sum(each.amount for each in entries) == 12 * shoe
    assert as_json(owed(draft.state)) == as_json(entries)


def test_rounds_of_the_oldest_shoes_are_forgotten() -> None:
    """Of those all that is known is what is owed, and it is netted; of the others what became of each round."""
    draft, each_shoe = Draft(TableState(), Sitting().moment(), read_rules), MOST_MARKS // 4
    marks = tuple(Mark(round=number, seat="1", owed=number % 2, waived=1) for number in range(each_shoe))
    for shoe in range(1, 8):
        leave_due(draft, shoe, (("1", each_shoe // 2),))
        leave_marks(draft, shoe, marks)
        assert len(draft.lasting.earlier_marks) <= MOST_MARKS
    assert draft.lasting.marks_from == 4
    for shoe, number, left in ((4, 2, 0), (3, 2, 1), (7, 2, 0), (4, 3, 1)):
        assert change_marks(draft, shoe, number, {"1": -1}) == {}
        owes = next(each.amount for each in owed(draft.state) if each.shoe == shoe)
        assert each_shoe // 2 - owes == left
    assert change_marks(draft, 3, 2, {"1": -each_shoe}) == {"1": each_shoe - each_shoe // 2 + 1}
    leave_marks(draft, 8, None)
    forgotten = draft.lasting
    assert not forgotten.earlier_marks
    assert forgotten.marks_from is None


def test_what_was_added_up_is_netted_only_where_its_rounds_are_not_known() -> None:
    draft = Draft(TableState(), Sitting().moment(), read_rules)
    for shoe in range(1, 2 * MOST_DUE):
        leave_due(draft, shoe, (("1", 5), ("2", 5)))
        leave_marks(draft, shoe, None if shoe == 1 else (Mark(round=1, seat="1", owed=5),))
    merged = draft.lasting.commission_due[0]
    assert (merged.since, merged.seat) == (1, "1")
    assert change_marks(draft, 1, 1, {"1": -20}) == {"1": 15}, "the other shoes in it owe the rest"
    assert change_marks(draft, 2, 1, {"1": -5}) == {}
    assert draft.lasting.commission_due[0].amount == merged.amount - 10


def test_an_earlier_program_netted_a_whole_shoe() -> None:
    """Its journals have no marks of earlier shoes: a replay comes to what it decided."""
    table = marked(s1=1000)
    waive(table)
    play(table, s1=1000)
    asked = PersonActs(act=OpenShoe(), person="ann", role=Role.SUPERVISOR, shoe=1, round=3, pin=PinVerdict.RIGHT)
    given = msgspec.structs.replace(table.table.new_shoe(table.rules, asked), marks=None)
    draft = Draft(table.table.handle(given, table.moment()).state, table.moment(), read_rules)
    assert change_marks(draft, 1, 1, {"1": -50}) == {}
    assert owed(draft.state) == ()


def test_an_amendment_finds_what_was_added_up() -> None:
    """Also a shoe that owed nothing when it was: what it owes now is with those around it."""
    draft = Draft(TableState(), Sitting().moment(), read_rules)
    for shoe in range(1, 2 * MOST_DUE):
        leave_due(draft, shoe, (("1", 5),) if shoe != 3 else ())
    merged = draft.lasting.commission_due[0]
    assert merged.since == 1
    assert merged.shoe > 3
    for shoe, change, left in ((1, -5, -5), (3, 10, 5), (2, -10, -5)):
        assert change_marks(draft, shoe, 1, {"1": change}) == {}
        assert draft.lasting.commission_due[0] == msgspec.structs.replace(merged, amount=merged.amount + left)
    assert change_marks(draft, 2, 1, {"1": -merged.amount}) == {"1": 5}
    first = draft.lasting.commission_due[0]
    assert (first.shoe, first.since) == (merged.shoe + 1, None)
    assert change_marks(draft, merged.shoe - 1, 1, {"1": 5}) == {}
    assert draft.lasting.commission_due[0] == due(merged.shoe - 1, "1", 5)
