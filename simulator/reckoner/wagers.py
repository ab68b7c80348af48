"""The wagers that stand, and what became of the others: settled, returned, or settled and undone."""

from collections import Counter
from collections.abc import Sequence

from simulator.reckoner.drawing import Round
from simulator.reckoner.house import HouseRules
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.settlement import (
    MARKED,
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
        self.standing: dict[str, tuple[Wager, ...]] = {}
        """By seat."""
        self.placed = self.returned = self.settled = self.paid_back = 0
        """Stakes that were placed, returned unplayed, settled; and what settlements gave back, winnings included."""
        self.commission: Counter[str] = Counter()
        """Marked in this shoe, by seat."""
        self.counted: Counter[str] = Counter()
        """Wagers that were settled, each by its price."""
        self.unpriced: Counter[str] = Counter()
        """Wagers of the house's own that were settled: only their sums are checked."""
        self.last: list[SettledRow] = []
        """The last settlement, which may be undone,"""
        self._last_taken = ""
        """and how its commission was taken."""

    @property
    def all_standing(self) -> list[Wager]:
        return [wager for wagers in self.standing.values() for wager in wagers]

    @property
    def stakes(self) -> int:
        return sum(wager.stake for wager in self.all_standing)

    def shoe_opened(self) -> None:
        self.none_stand("when a shoe is opened")
        self.commission.clear()
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

    def settle(self, settlement: Json, played: Round) -> None:
        rows = rows_of(settlement)
        check_settlement(settlement, rows, self.house)
        self._check_rows(rows, played)
        self._take_off(wagers_of(settlement["wagers"]))
        self.none_stand("after the settlement")
        self.last, self._last_taken = rows, settlement["commission_taken"]
        self._count(rows, 1)

    def _check_rows(self, rows: Sequence[SettledRow], played: Round) -> None:
        if self.house is None:
            return
        prices = self.house.prices
        unpriced = [row.wager for row in rows if row.wager not in prices]
        self.unpriced.update(unpriced)
        if unpriced and self.house.limit is not None:
            return  # what the limit leaves for the others depends on prices that are not known
        priced = [row for row in rows if row.wager in prices]
        right = settled(self.house, played, [wager for wager in self.all_standing if wager.wager in prices])
        if priced != right:
            wrong = [pair for pair in zip(priced, right, strict=False) if pair[0] != pair[1]]
            raise MismatchError(f"{played} is settled otherwise than by the rules: {wrong or (priced, right)}")
        self.counted.update(row.wager for row in priced)

    def undo(self) -> None:
        """The wagers of the last settlement stand again."""
        self.none_stand("while the settlement before is undone")
        rows, self.last = self.last, []
        for row in rows:
            self.standing[row.seat] = (*self.standing.get(row.seat, ()), Wager(row.seat, row.wager, row.stake))
        self._count(rows, -1)

    def _count(self, rows: Sequence[SettledRow], sign: int) -> None:
        self.settled += sign * sum(row.stake for row in rows)
        self.paid_back += sign * sum(row.returned for row in rows)
        if self._last_taken == MARKED:
            for row in rows:
                self.commission[row.seat] += sign * row.commission

    def shoe_ended(self, event: Json) -> None:
        self.open = False
        self.none_stand("when the shoe ends")
        due = {seat: amount for seat, amount in self.commission.items() if amount}
        if event["commission_due"] != due:
            raise MismatchError(f"commission due is {event['commission_due']}; {due} was marked")
