"""The rules of the house: what one table offers, to which seats, within which limits, and how it pays.

`config/house.py` reads these from the table's file; `settlement.py` settles by them.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.wagers import BASE_GROUP, OptionRule, Schedule

REAL_BASE_WAGERS = frozenset({"base.player", "base.banker"})
"""The wagers that count where a side wager needs a base wager; a Tie does not."""


class RoundingMode(Enum):
    DOWN = "down"
    NEAREST = "nearest"
    UP = "up"


class Rounding(msgspec.Struct, frozen=True):
    """How an amount that does not divide is rounded, and to a multiple of how many minor units."""

    mode: RoundingMode = RoundingMode.DOWN
    unit: int = 1

    def apply(self, amount: Fraction) -> int:
        units = amount / self.unit
        match self.mode:
            case RoundingMode.DOWN:
                return floor(units) * self.unit
            case RoundingMode.UP:
                return ceil(units) * self.unit
            case RoundingMode.NEAREST:
                return floor(units + Fraction(1, 2)) * self.unit


class StakeLimits(msgspec.Struct, frozen=True):
    """What may be staked on one wager, in minor units."""

    min: int
    max: int


class OverLimit(Enum):
    """What happens to winnings that are together over the round's limit."""

    PROPORTIONAL = "proportional"
    IN_ORDER = "in_order"


class RoundLimit(msgspec.Struct, frozen=True):
    """The most that is paid in a round for the named wagers together; it must be posted at the table."""

    amount: int
    wagers: frozenset[str]
    policy: OverLimit


class CommissionTaken(Enum):
    AT_ONCE = "at_once"
    MARKED = "marked"
    """Written down for the seat and collected at the end of the shoe."""


class House(msgspec.Struct, frozen=True):
    decks: int
    schedule: Schedule
    offered: tuple[str, ...]
    """In the catalogue's order, base wagers first: the order in which a seat is paid."""
    seats: tuple[str, ...]
    """From the dealer's right, counter-clockwise: the order of action."""
    limits: dict[str, StakeLimits]
    needs_base: frozenset[str]
    """Wagers that a seat may only place beside one on Player or Banker."""
    option_rules: tuple[OptionRule, ...]
    rounding: Rounding
    round_limit: RoundLimit | None
    commission_taken: CommissionTaken


class PlacedWager(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seat: str
    wager: str
    stake: int
    """In minor units."""


class Refusal(NamedTuple):
    """Why the house does not permit a wager."""

    code: str
    seat: str
    wager: str
    message: str


def refusals(house: House, placed: Iterable[PlacedWager]) -> list[Refusal]:
    """Everything in these wagers that the house does not permit; empty when all of them stand."""
    by_seat: dict[str, list[PlacedWager]] = {}
    for wager in placed:
        by_seat.setdefault(wager.seat, []).append(wager)
    return [
        Refusal(code, seat, wager, f"seat {seat}, {wager}: {message}")
        for seat, wagers in by_seat.items()
        for code, wager, message in _seat_refusals(house, seat, wagers)
    ]


def _seat_refusals(house: House, seat: str, placed: list[PlacedWager]) -> Iterator[tuple[str, str, str]]:
    if seat not in house.seats:
        for wager in placed:
            yield "unknown_seat", wager.wager, f"there is no such seat; the seats are {', '.join(house.seats)}"
        return
    for number, wager in enumerate(placed):
        yield from _stake_refusals(house, wager)
        if any(other.wager == wager.wager for other in placed[:number]):
            yield "placed_twice", wager.wager, "the seat has this wager already; place one with the whole stake"
    played = {wager.wager for wager in placed}
    if not played & REAL_BASE_WAGERS:
        for name in sorted(played & house.needs_base):
            yield "needs_base_wager", name, "this side wager needs a wager on Player or Banker at the same seat"
    for rule in house.option_rules:
        yield from _option_refusals(rule, played)


def _stake_refusals(house: House, placed: PlacedWager) -> Iterator[tuple[str, str, str]]:
    if placed.wager not in house.offered:
        near = get_close_matches(placed.wager, house.offered, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        yield "not_offered", placed.wager, f"this wager is not offered at this table{hint}"
        return
    limits = house.limits[placed.wager]
    if placed.stake < limits.min:
        yield "below_minimum", placed.wager, f"the stake {placed.stake} is below the minimum of {limits.min}"
    if placed.stake > limits.max:
        yield "above_maximum", placed.wager, f"the stake {placed.stake} is above the maximum of {limits.max}"
    if placed.stake % house.rounding.unit:
        # A stake that cannot be paid even money to the last unit would be paid short every time.
        message = f"the stake {placed.stake} is no multiple of {house.rounding.unit}, the least this table pays"
        yield "no_multiple", placed.wager, message


def _option_refusals(rule: OptionRule, played: set[str]) -> Iterator[tuple[str, str, str]]:
    used = [[wager for wager in option if wager in played] for option in rule.options]
    for wagers in used:
        if len(wagers) > 1:
            yield "one_of_option", wagers[-1], f"only one of {' and '.join(wagers)} may be played in a round"
    options_played = [wagers for wagers in used if wagers]
    if len(options_played) > rule.at_most:
        message = f"of the {len(rule.options)} betting options a seat may play {rule.at_most}"
        yield "too_many_options", options_played[-1][-1], message


def is_base(wager: str) -> bool:
    return wager.partition(".")[0] == BASE_GROUP
