"""What the wagers of a round come to, a second time; shares no code with `shoe_controller/baccarat`.

For every wager: stake + winnings = taken + returned + commission taken at once + cut.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from simulator.reckoner.drawing import Round
from simulator.reckoner.house import HouseRules, RoundLimit
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.pay_tables import LOSE, PUSH

AT_ONCE, MARKED = "at_once", "marked"


class Wager(NamedTuple):
    """A wager that stands, or that was returned."""

    seat: str
    wager: str
    stake: int


def wagers_of(rows: Sequence[Json]) -> tuple[Wager, ...]:
    return tuple(Wager(row["seat"], row["wager"], row["stake"]) for row in rows)


class SettledRow(NamedTuple):
    seat: str
    wager: str
    stake: int
    result: str
    winnings: int
    commission: int
    cut: int
    returned: int

    @property
    def taken(self) -> int:
        return self.stake if self.result == "lose" else 0

    @property
    def paid(self) -> int:
        """What the dealer pays, the stake not counted."""
        return self.returned - self.stake if self.result == "win" else 0


def rows_of(settlement: Json) -> list[SettledRow]:
    return [SettledRow(*(row[field] for field in SettledRow._fields)) for row in settlement["wagers"]]


# --- by the rules of the house ---------------------------------------------------------------------------------------


def odds_text(price: Fraction) -> str:
    return f"{price.numerator}:{price.denominator}"


def settled(house: HouseRules, played: Round, placed: Sequence[Wager]) -> list[SettledRow]:
    """Every wager in the order in which it is paid; all of them must have a price."""
    rows = [_settled(house, played, wager) for wager in sorted(placed, key=lambda wager: _order(house, wager))]
    limit = house.limit
    if limit is None or sum(row.paid for row in rows if row.wager in limit.wagers) <= limit.amount:
        return rows
    return _within(limit, house, rows)


def _order(house: HouseRules, wager: Wager) -> tuple[int, bool, int]:
    return house.seats.index(wager.seat), not wager.wager.startswith("base."), house.offered.index(wager.wager)


def _settled(house: HouseRules, played: Round, wager: Wager) -> SettledRow:
    price = house.prices[wager.wager](played)
    if price is LOSE:
        return SettledRow(*wager, "lose", 0, 0, 0, 0)
    if price == PUSH:
        return SettledRow(*wager, "push", 0, 0, 0, wager.stake)
    winnings = house.rounded(wager.stake * (Fraction(1) if wager.wager in house.taxed else price))
    commission = winnings - house.rounded(wager.stake * price)
    return SettledRow(*wager, "win", winnings, commission, 0, wager.stake + winnings - _held(house, commission))


def _held(house: HouseRules, commission: int) -> int:
    """Commission that is kept back now; what is only marked is paid out and collected later."""
    return commission if house.commission_taken == AT_ONCE else 0


def _within(limit: RoundLimit, house: HouseRules, rows: list[SettledRow]) -> list[SettledRow]:
    """Pay the wagers of the limit less, so that they are together within it; commission is for what is paid."""
    limited = [number for number, row in enumerate(rows) if row.wager in limit.wagers]
    shares = _in_order if limit.policy == "in_order" else _in_proportion
    allowed = shares(limit.amount // house.unit, house.unit, [rows[number].paid for number in limited])
    for number, paid in zip(limited, allowed, strict=True):
        row = rows[number]
        commission = row.commission * paid // row.paid if row.paid else row.commission
        cut = row.winnings - _held(house, commission) - paid
        rows[number] = row._replace(commission=commission, cut=cut, returned=row.returned - row.paid + paid)
    return rows


def _in_proportion(units: int, unit: int, won: Sequence[int]) -> list[int]:
    """Each its share of the units, rounded down; what is left goes one by one to the largest remainders."""
    exact = [Fraction(amount * units, sum(won)) for amount in won]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(won)), key=lambda number: shares[number] - exact[number])
    for number in by_remainder[: units - sum(shares)]:
        shares[number] += 1
    return [share * unit for share in shares]


def _in_order(units: int, unit: int, won: Sequence[int]) -> list[int]:
    """Each is paid in full until the limit is used up."""
    return [max(0, min(amount, units * unit - sum(won[:number]))) for number, amount in enumerate(won)]


# --- what is published -----------------------------------------------------------------------------------------------


def check_settlement(settlement: Json, rows: Sequence[SettledRow], house: HouseRules | None) -> None:
    """All sums of a published settlement fit its rows, and the rows balance."""
    taken = settlement["commission_taken"]
    if taken not in (AT_ONCE, MARKED) or (house is not None and taken != house.commission_taken):
        raise MismatchError(f"commission is said to be taken {taken}")
    for row in rows:
        held = row.commission if taken == AT_ONCE else 0
        if row.stake + row.winnings != row.taken + row.returned + held + row.cut or min(row[2:3] + row[4:]) < 0:
            raise MismatchError(f"a settled wager does not balance: {row}")
    _check_sums(settlement["totals"], rows, "all seats")
    if set(settlement["seats"]) != {row.seat for row in rows}:
        raise MismatchError(f"the seats {list(settlement['seats'])} are summed up in {rows}")
    for seat, totals in settlement["seats"].items():
        _check_sums(totals, [row for row in rows if row.seat == seat], f"seat {seat}")
    steps = [(step["step"], step["seat"], step["wager"], step["amount"]) for step in settlement["steps"]]
    if steps != _steps(rows):
        raise MismatchError(f"the dealer's steps {steps} do not fit {rows}")


def _check_sums(totals: Json, rows: Sequence[SettledRow], of: str) -> None:
    sums = {
        "stakes": sum(row.stake for row in rows),
        **{
            field: sum(getattr(row, field) for row in rows)
            for field in ("taken", "winnings", "commission", "cut", "paid", "returned")
        },
    }
    wrong = {field: totals[field] for field, amount in sums.items() if totals[field] != amount}
    if wrong:
        raise MismatchError(f"the sums {wrong} for {of} do not add up: {sums} by {rows}")


def _steps(rows: Sequence[SettledRow]) -> list[tuple[str, str, str, int]]:
    """Losing stakes are taken first; then winners are paid and pushes named."""
    takes = [("take", row.seat, row.wager, row.stake) for row in rows if row.result == "lose"]
    pays = [
        ("pay", row.seat, row.wager, row.paid) if row.result == "win" else ("push", row.seat, row.wager, row.stake)
        for row in rows
        if row.result != "lose"
    ]
    return takes + pays
