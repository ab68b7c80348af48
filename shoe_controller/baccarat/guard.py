"""The guard: prevents offering by accident a wager that favours the player, or that its document does not permit.

A house can override it, wager by wager, in its configuration.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from shoe_controller.baccarat.house import Rounding, RoundingMode, StakeLimits
from shoe_controller.baccarat.odds import WagerOdds, exact_odds
from shoe_controller.baccarat.wagers import Catalogue, Schedule


class Objection(NamedTuple):
    """Why the guard refuses a wager, and the setting with which a house can override it."""

    wager: str
    message: str
    setting: str


def objections(
    catalogue: Catalogue, schedule: Schedule | None, offered: Iterable[str], decks: int
) -> Iterator[Objection]:
    """Yield every objection to offering these wagers with that many decks, as far as their prices are known."""
    for wager in offered:
        permitted = catalogue.wagers[wager].decks
        if decks not in permitted:
            message = f"{wager} may be dealt with {one_of(permitted)} decks, not with {decks}"
            yield Objection(wager, message, setting="allow_decks")
        if schedule is None or wager not in schedule.pay_tables:
            continue
        odds = exact_odds(schedule, wager, decks)
        if odds.expectation > 0:
            table = f" with pay table {odds.pay_table}" if odds.pay_table else ""
            edge = f"{float(odds.expectation):.2%} ({decks} decks)"
            yield Objection(wager, f"{wager}{table} gives the player an edge of {edge}", setting="allow_player_edge")


def rounding_objections(
    schedule: Schedule, limits: Mapping[str, StakeLimits], rounding: Rounding, decks: int
) -> Iterator[Objection]:
    """Yield the wagers that favour the player at a permitted stake only because winnings are rounded up."""
    if rounding.mode is RoundingMode.DOWN:
        return
    for wager, wager_limits in limits.items():
        if wager not in schedule.pay_tables:
            continue
        odds = exact_odds(schedule, wager, decks)
        stakes = _stakes_to_try(odds, wager_limits, rounding.unit)
        worst = max(stakes, key=lambda stake: rounded_expectation(odds, stake, rounding), default=None)
        if odds.expectation > 0 or worst is None:
            continue
        expectation = rounded_expectation(odds, worst, rounding)
        if expectation > 0:
            edge = f"{float(expectation):.2%} at a stake of {worst} ({decks} decks)"
            message = f"{wager} gives the player an edge of {edge}, because winnings are rounded {rounding.mode.value}"
            yield Objection(wager, message, setting="allow_player_edge")


MOST_STAKES = 400
"""The gain by rounding repeats with the period of the prices, and shrinks as stakes grow."""


def _stakes_to_try(odds: WagerOdds, limits: StakeLimits, unit: int) -> range:
    """The smallest stakes that are permitted, over one period of the prices."""
    period = math.lcm(*(price.denominator for price in _prices(odds)))
    first = -(-limits.min // unit) * unit
    return range(first, min(limits.max, first + min(period, MOST_STAKES) * unit) + 1, unit)


def rounded_expectation(odds: WagerOdds, stake: int, rounding: Rounding) -> Fraction:
    """What the player gains on average for each unit of that stake, when winnings are rounded by the house's rule."""
    gains = sum(
        row.count * (rounding.apply(stake * price) if row.pays != "lose" else -stake)
        for row, price in zip(odds.rows, _prices(odds), strict=True)
    )
    return Fraction(gains, stake * sum(row.count for row in odds.rows))


def _prices(odds: WagerOdds) -> list[Fraction]:
    """The price of each row; a push and a loss pay nothing."""
    return [Fraction(*map(int, row.pays.split(":"))) if ":" in row.pays else Fraction(0) for row in odds.rows]


def one_of(numbers: Iterable[int]) -> str:
    """Read numbers out as a choice: "5, 6, 7 or 8"."""
    *most, last = (str(number) for number in sorted(numbers))
    return f"{', '.join(most)} or {last}" if most else last
