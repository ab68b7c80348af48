"""What a wager pays at the stakes that are permitted: the least, the most, and where rounding leaves a winner unpaid.

Payments are after commission, also where commission is marked and collected later.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil

import msgspec

from shoe_controller.baccarat.house import House, Rounding, RoundingMode, StakeLimits
from shoe_controller.baccarat.wagers import Result, Schedule


class PaymentRange(msgspec.Struct, frozen=True):
    """What a win on a wager is paid, in minor units."""

    lowest_stake: int
    highest_stake: int
    smallest: int
    """For the lowest price at the lowest stake."""
    largest: int
    """For the highest price at the highest stake, within the round's limit."""


def payment_range(house: House, wager: str) -> PaymentRange | None:
    """The smallest and the largest payment of a wager; `None` where the limits permit no stake, or nothing wins."""
    prices = _prices(house.schedule, wager)
    stakes = _permitted_stakes(house.limits[wager], house.rounding.unit)
    if not stakes or not prices:
        return None
    smallest, largest = (house.rounding.apply(stakes[end] * prices[end]) for end in (0, -1))
    if house.round_limit is not None and wager in house.round_limit.wagers:
        most = house.round_limit.amount // house.rounding.unit * house.rounding.unit
        smallest, largest = min(smallest, most), min(largest, most)
    return PaymentRange(stakes[0], stakes[-1], smallest, largest)


class UnpaidStakes(msgspec.Struct, frozen=True):
    """Permitted stakes at which a winner is paid nothing, because what is due is rounded away."""

    wager: str
    price: Fraction
    lowest: int
    highest: int
    """All permitted stakes from the lowest to this one."""
    paid_from: int
    """The lowest stake that is paid."""


def unpaid_stakes(schedule: Schedule, limits: Mapping[str, StakeLimits], rounding: Rounding) -> Iterator[UnpaidStakes]:
    """Yield the wagers that have such stakes, at their lowest price.

    A payment that is not rounded to nothing is at least half of what is due: one unit or more is paid, and less than
    one more is due. So these are also all stakes at which less than half is paid.
    """
    for wager, wager_limits in limits.items():
        prices = _prices(schedule, wager) if wager in schedule.pay_tables else []
        stakes = _permitted_stakes(wager_limits, rounding.unit)
        if not prices or not stakes:
            continue
        paid_from = _paid_from(prices[0], rounding)
        if stakes[0] < paid_from:
            highest = min(stakes[-1], paid_from - rounding.unit)
            yield UnpaidStakes(wager, prices[0], stakes[0], highest, paid_from)


MOST_PARTS = 1000
"""A smaller unit is looked for among these parts of the present one; after them comes the minor unit itself."""


def paying_unit(schedule: Schedule, limits: Mapping[str, StakeLimits], rounding: Rounding) -> int | None:
    """The largest part of the rounding unit with which every winner is paid; `None` where only other limits help.

    Stakes that were multiples of the unit are multiples of its parts.
    """
    parts = (rounding.unit // part for part in range(2, MOST_PARTS + 1) if rounding.unit % part == 0)
    for unit in (*parts, 1):
        smaller = msgspec.structs.replace(rounding, unit=unit)
        if unit < rounding.unit and not any(unpaid_stakes(schedule, limits, smaller)):
            return unit
    return None


def _paid_from(price: Fraction, rounding: Rounding) -> int:
    """The lowest multiple of the unit on which that price pays at least one unit."""
    pays_a_unit = {RoundingMode.DOWN: Fraction(1), RoundingMode.NEAREST: Fraction(1, 2), RoundingMode.UP: Fraction(0)}
    return max(ceil(pays_a_unit[rounding.mode] / price), 1) * rounding.unit


def _permitted_stakes(limits: StakeLimits, unit: int) -> range:
    return range(-(-max(limits.min, 1) // unit) * unit, limits.max + 1, unit)


def _prices(schedule: Schedule, wager: str) -> list[Fraction]:
    """What the rows of a wager pay, from the lowest price on."""
    results = map(schedule.row_result, schedule.pay_tables[wager])
    return sorted(result.pays for result in results if result.result is Result.WIN)
