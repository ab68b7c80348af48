"""Payments: what is shown for a wager is what settling gives, and no stake at which a winner goes unpaid is missed."""

from fractions import Fraction
from itertools import product

import pytest

from shoe_controller.baccarat.house import (
    CommissionTaken,
    House,
    OverLimit,
    Rounding,
    RoundingMode,
    RoundLimit,
    StakeLimits,
)
from shoe_controller.baccarat.payments import PaymentRange, UnpaidStakes, paying_unit, payment_range, unpaid_stakes
from shoe_controller.baccarat.wagers import Result, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue

CATALOGUE = built_in_catalogue()
SCHEDULES = {
    **{game: CATALOGUE.schedule(game) for game in CATALOGUE.base_games},
    "half": CATALOGUE.schedule("commission", commission=Fraction(60, 100)),
    "others": CATALOGUE.schedule(
        "commission", {"lucky_8": "L8-3", "five_dragons": "A", "infinite_fortune": "2"}, Fraction("0.0475")
    ),
}
UNITS = (1, 3, 25, 100)


def prices(schedule: Schedule, wager: str) -> list[Fraction]:
    results = [schedule.row_result(row) for row in schedule.pay_tables[wager]]
    return [result.pays for result in results if result.result is Result.WIN]


def underpaid(schedule: Schedule, wager: str, limits: StakeLimits, rounding: Rounding) -> list[int]:
    """Every permitted stake at which some win is paid less than half of what is due; nothing is less than half."""
    return [
        stake
        for stake in range(rounding.unit, limits.max + 1, rounding.unit)
        if stake >= limits.min
        and any(2 * rounding.apply(stake * price) < stake * price for price in prices(schedule, wager))
    ]


@pytest.mark.parametrize("game", SCHEDULES)
@pytest.mark.parametrize("mode", RoundingMode)
def test_every_stake_at_which_a_winner_is_underpaid_is_found(game: str, mode: RoundingMode) -> None:
    schedule = SCHEDULES[game]
    found_some = False
    for unit, first in product(UNITS, (1, 2, 99)):
        rounding, limits = Rounding(mode, unit), StakeLimits(first, first + 3 * unit)
        found = {one.wager: one for one in unpaid_stakes(schedule, dict.fromkeys(CATALOGUE.wagers, limits), rounding)}
        for wager in CATALOGUE.wagers:
            stakes = underpaid(schedule, wager, limits, rounding)
            one = found.get(wager)
            assert stakes == ([] if one is None else list(range(one.lowest, one.highest + 1, unit))), (wager, unit)
            found_some |= bool(stakes)
    # Only commission and Nepal's six are priced below 1:1; rounded to the nearest, a price from 1:2 on is always paid.
    assert found_some == ((mode is RoundingMode.DOWN and game != "no_commission") or (mode, game) == NEAREST_HALF)


NEAREST_HALF = (RoundingMode.NEAREST, "half")


@pytest.mark.parametrize("game", SCHEDULES)
@pytest.mark.parametrize("mode", [RoundingMode.DOWN, RoundingMode.NEAREST])
def test_what_is_to_be_set_instead_pays_every_winner(game: str, mode: RoundingMode) -> None:
    schedule = SCHEDULES[game]
    for unit, first in product(UNITS, (1, 2, 100)):
        rounding, limits = Rounding(mode, unit), dict.fromkeys(CATALOGUE.wagers, StakeLimits(first, 1000))
        unpaid = list(unpaid_stakes(schedule, limits, rounding))
        for one in unpaid:
            assert underpaid(schedule, one.wager, StakeLimits(one.paid_from, one.paid_from + 5 * unit), rounding) == []
            assert underpaid(schedule, one.wager, StakeLimits(one.paid_from - unit, one.paid_from), rounding) != []
        smaller = paying_unit(schedule, limits, rounding)
        if smaller is not None:
            assert unit % smaller == 0
            assert smaller < unit
            assert list(unpaid_stakes(schedule, limits, Rounding(mode, smaller))) == []


def test_a_commission_that_rounding_makes_the_whole_winnings() -> None:
    limits = {"base.banker": StakeLimits(100, 10_000)}
    schedule, rounding = SCHEDULES["commission"], Rounding(RoundingMode.DOWN, 100)
    assert list(unpaid_stakes(schedule, limits, rounding)) == [
        UnpaidStakes("base.banker", Fraction(19, 20), lowest=100, highest=100, paid_from=200)
    ]
    assert paying_unit(schedule, limits, rounding) == 50
    assert paying_unit(schedule, {"base.banker": StakeLimits(1, 10)}, Rounding()) is None


def test_a_huge_unit_is_no_trouble() -> None:
    unit = 10**18
    limits = {"base.banker": StakeLimits(1, unit)}
    assert paying_unit(SCHEDULES["nepal"], limits, Rounding(unit=unit)) is None
    assert paying_unit(SCHEDULES["nepal"], {"base.banker": StakeLimits(2, unit)}, Rounding(unit=unit)) == 1


def house(schedule: Schedule, limits: StakeLimits, rounding: Rounding, limit: RoundLimit | None = None) -> House:
    offered = tuple(CATALOGUE.wagers)
    return House(
        decks=8,
        schedule=schedule,
        offered=offered,
        seats=("1",),
        limits=dict.fromkeys(offered, limits),
        needs_base=frozenset(),
        option_rules=(),
        rounding=rounding,
        round_limit=limit,
        commission_taken=CommissionTaken.AT_ONCE,
        names={},
    )


@pytest.mark.parametrize("game", SCHEDULES)
@pytest.mark.parametrize("rounding", [Rounding(mode, unit) for mode in RoundingMode for unit in (1, 7)], ids=str)
@pytest.mark.parametrize("cap", [None, 50])
def test_payments_are_within_what_is_shown_and_reach_both_ends(game: str, rounding: Rounding, cap: int | None) -> None:
    limit = None if cap is None else RoundLimit(cap, frozenset({"lucky_6.lucky_6"}), OverLimit.IN_ORDER)
    rules = house(SCHEDULES[game], StakeLimits(15, 60), rounding, limit)
    for wager in rules.offered:
        stakes = [stake for stake in range(15, 61) if stake % rounding.unit == 0]
        paid = [rounding.apply(stake * price) for stake in stakes for price in prices(rules.schedule, wager)]
        if limit is not None and wager in limit.wagers:
            paid = [min(amount, limit.amount // rounding.unit * rounding.unit) for amount in paid]
        assert payment_range(rules, wager) == PaymentRange(stakes[0], stakes[-1], min(paid), max(paid))


def test_limits_that_no_stake_fits() -> None:
    assert payment_range(house(SCHEDULES["nepal"], StakeLimits(101, 199), Rounding(unit=100)), "base.tie") is None
