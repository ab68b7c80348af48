"""The wagers that stand, and what became of the others: settled, returned, or settled and undone."""

from collections import Counter
from collections.abc import Sequence

from simulator.reckoner.amendments import SettledBefore, amended_wagers, check_difference
from simulator.reckoner.commission import CommissionBook
from simulator.reckoner.drawing import Round
from simulator.reckoner.house import HouseRules
from simulator.reckoner.late_wagers import SeatHistory
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.settlement import (
    SettledRow,
    Wager,
    check_settlement,
    rows_of,
    settled,
    wagers_of,
)


class WagerBook:
    def __init__(self, house: HouseRules | None) -> None:
        self.house = house
        self.open = False
        """Wagers are taken."""
        self.free = False
        """The round is a free hand."""
        self.standing: dict[str, tuple[Wager, ...]] = {}
        """By seat."""
        self.placed = self.returned = self.settled = self.paid_back = 0
        """Stakes that were placed, returned unplayed, settled; and what settlements gave back, winnings included."""
        self.commission = CommissionBook()
        self.counted: Counter[str] = Counter()
        """Wagers that were settled, each by its price."""
        self.unpriced: Counter[str] = Counter()
        """Wagers of the house's own that were settled: only their sums are checked."""
        self.history = SeatHistory()
        """What each seat had in this round, and when."""
        self.last: SettledBefore | None = None
        """The last settlement, which may be undone."""

    @property
    def all_standing(self) -> list[Wager]:
        return [wager for wagers in self.standing.values() for wager in wagers]

    @property
    def stakes(self) -> int:
        return sum(wager.stake for wager in self.all_standing)

    def shoe_opened(self) -> None:
        self.none_stand("when a shoe is opened")
        self.open = False

    def none_stand(self, when: str) -> None:
        if self.standing:
            raise MismatchError(f"wagers stand {when}: {self.all_standing}")

    # --- placed, closed, returned ------------------------------------------------------------------------------------

    def changed(self, event: Json) -> None:
        seat, wagers = event["seat"], wagers_of(event["wagers"])
        if not self.open:
            raise MismatchError(f"a wager was taken while wagers were closed: {event}")
        if event["total"] != sum(wager.stake for wager in wagers):
            raise MismatchError(f"the wagers of a seat do not add up: {event}")
        if any(wager.seat != seat or wager.stake <= 0 for wager in wagers):
            raise MismatchError(f"a seat cannot have these wagers: {event}")
        house = self.house
        if house is not None and (seat not in house.seats or any(wager.wager not in house.offered for wager in wagers)):
            raise MismatchError(f"this table has no such seat, or does not offer this wager: {event}")
        self.placed += event["total"] - sum(wager.stake for wager in self.standing.pop(seat, ()))
        if wagers:
            self.standing[seat] = wagers
        self.history.changed(seat, event["time"], wagers)

    def opened(self, event: Json) -> None:
        """Wagers are open; where the round is dealt again, those that stand are published with it."""
        self.open, self.free = True, False
        self.history = SeatHistory(self.standing)
        if Counter(wagers_of(event["wagers"])) != Counter(self.all_standing):
            raise MismatchError(f"wagers are open with {event['wagers']}; {self.all_standing} stand")

    def corrected(self, event: Json) -> None:
        """A supervisor put wagers right after the close, or what was late is returned."""
        before, after = wagers_of(event["before"]), wagers_of(event["after"])
        concerned = [wager for seat in event["seats"] for wager in self.standing.get(seat, ())]
        if self.open or Counter(before) != Counter(concerned):
            raise MismatchError(f"{event} corrects other wagers than those that stand: {concerned}")
        for seat in event["seats"]:
            self.standing.pop(seat, None)
            wagers = tuple(wager for wager in after if wager.seat == seat)
            if wagers:
                self.standing[seat] = wagers
        stakes = Counter(dict.fromkeys(event["seats"], 0))
        for sign, wagers in ((1, before), (-1, after)):
            for wager in wagers:
                stakes[wager.seat] += sign * wager.stake
        if set(stakes) != set(event["seats"]) or event["stakes"] != self.stakes:
            raise MismatchError(f"{event} concerns other seats than it says, or does not add up: {self.all_standing}")
        check_difference(event["difference"], {seat: stake for seat, stake in stakes.items() if stake}, event)
        if event["cause"] == "late":
            self.history.check_late(event["seats"], self.standing)
        self.placed -= stakes.total()

    def closed(self, event: Json) -> None:
        self.open = False
        if event["stakes"] != self.stakes:
            raise MismatchError(f"wagers close with {event['stakes']} staked; {self.stakes} stand")

    def give_back(self, event: Json) -> None:
        returned = wagers_of(event["returned"])
        if event["total"] != sum(wager.stake for wager in returned):
            raise MismatchError(f"returned wagers do not add up: {event}")
        self._take_off(returned)
        self.returned += event["total"]

    def voided(self, event: Json) -> None:
        self.give_back(event)
        self.open = False
        if event["replay"]:
            if event["returned"]:
                raise MismatchError(f"a round is dealt again, and its wagers were returned: {event}")
        else:
            self.none_stand("after a void")

    def _take_off(self, wagers: Sequence[Wager]) -> None:
        """These wagers stood and do so no more."""
        left = Counter(self.all_standing)
        left.subtract(wagers)
        if any(count < 0 for count in left.values()):
            raise MismatchError(f"{wagers} are taken off; what stood is {self.all_standing}")
        kept = {seat: tuple(wager for wager in stood if left[wager]) for seat, stood in self.standing.items()}
        self.standing = {seat: stood for seat, stood in kept.items() if stood}

    # --- settled, undone ---------------------------------------------------------------------------------------------

    def settle(self, shoe: int, number: int, settlement: Json, played: Round) -> None:
        rows = rows_of(settlement)
        check_settlement(settlement, rows, self.house)
        self._check_rows(rows, played, self.all_standing, self.house)
        self._take_off(wagers_of(settlement["wagers"]))
        self.none_stand("after the settlement")
        self.last = SettledBefore(tuple(rows), settlement["commission_taken"], self.house)
        self._count(self.last, 1)
        self.commission.mark(shoe, number, self.last.marks)

    def _check_rows(
        self, rows: Sequence[SettledRow], played: Round, placed: Sequence[Wager], house: HouseRules | None
    ) -> None:
        if house is None:
            return
        prices = house.prices
        unpriced = [row.wager for row in rows if row.wager not in prices]
        self.unpriced.update(unpriced)
        if unpriced and house.limit is not None:
            return  # what the limit leaves for the others depends on prices that are not known
        priced = [row for row in rows if row.wager in prices]
        right = settled(house, played, [wager for wager in placed if wager.wager in prices])
        if priced != right:
            wrong = [pair for pair in zip(priced, right, strict=False) if pair[0] != pair[1]]
            raise MismatchError(f"{played} is settled otherwise than by the rules: {wrong or (priced, right)}")
        self.counted.update(row.wager for row in priced)

    def undo(self, event: Json) -> None:
        """The wagers of the last settlement stand again."""
        self.none_stand("while the settlement before is undone")
        undone, self.last = self.last, None
        if undone is None:
            return
        for row in undone.rows:
            self.standing[row.seat] = (*self.standing.get(row.seat, ()), Wager(row.seat, row.wager, row.stake))
        self._count(undone, -1)
        self.commission.undo(event)

    def settle_again(self, settlement: Json, played: Round, before: SettledBefore, act: Json) -> SettledBefore:
        """A round that is over is settled again, by the rules of its shoe; returns what it comes to now."""
        rows = rows_of(settlement)
        wagers = amended_wagers(before.rows, act)
        check_settlement(settlement, rows, before.house)
        self._check_rows(rows, played, wagers, before.house)
        again = before._replace(rows=tuple(rows), taken=settlement["commission_taken"])
        self._count(before, -1)
        self._count(again, 1)
        self.placed += sum(row.stake for row in rows) - sum(row.stake for row in before.rows)
        return again

    def _count(self, what: SettledBefore, sign: int) -> None:
        self.settled += sign * sum(row.stake for row in what.rows)
        self.paid_back += sign * sum(row.returned for row in what.rows)

    def shoe_ended(self, event: Json) -> None:
        self.open = False
        self.none_stand("when the shoe ends")
        self.commission.shoe_ended(event)
