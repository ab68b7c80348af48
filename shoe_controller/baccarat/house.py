"""The rules of the house: what one table offers, to which seats, within which limits, and how it pays.

`config/house.py` reads these from the table's file; `settlement.py` settles by them.
"""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from math import ceil, floor

import msgspec

from shoe_controller.baccarat.wager_refusals import (
    AboveMaximum,
    AnyWagerRefusal,
    BelowMinimum,
    NeedsBaseWager,
    NoMultiple,
    NotOffered,
    OneOfOption,
    PlacedTwice,
    TooManyOptions,
    UnknownSeat,
)
from shoe_controller.baccarat.wagers import BASE_GROUP, Names, OptionRule, Schedule

REAL_BASE_WAGERS = frozenset({"base.player", "base.banker"})
"""The wagers that count where a side wager needs a base wager; a Tie does not."""


class RoundingMode(Enum):
    """In which direction an amount is rounded."""

    DOWN = "down"
    NEAREST = "nearest"
    UP = "up"


class Rounding(msgspec.Struct, frozen=True):
    """How an amount that does not divide is rounded, and to a multiple of how many minor units."""

    mode: RoundingMode = RoundingMode.DOWN
    """In which direction."""
    unit: int = 1
    """The smallest amount that the table pays, in minor units."""

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
    """When commission is collected."""

    AT_ONCE = "at_once"
    MARKED = "marked"
    """Written down for the seat, and due until it is collected or waived."""


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
    names: dict[str, Names]
    """What each offered wager is called on a display."""


class PlacedWager(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wager of a seat."""

    seat: str
    """The seat."""
    wager: str
    """The wager's id."""
    stake: int
    """In minor units."""


def refusals(house: House, placed: Iterable[PlacedWager]) -> list[AnyWagerRefusal]:
    """Everything in these wagers that the house does not permit; empty when all of them stand."""
    by_seat: dict[str, list[PlacedWager]] = {}
    for wager in placed:
        by_seat.setdefault(wager.seat, []).append(wager)
    return [refusal for seat, wagers in by_seat.items() for refusal in _seat_refusals(house, seat, wagers)]


def _seat_refusals(house: House, seat: str, placed: list[PlacedWager]) -> Iterator[AnyWagerRefusal]:
    if seat not in house.seats:
        for wager in placed:
            yield UnknownSeat(seat=seat, wager=wager.wager, seats=house.seats)
        return
    for number, wager in enumerate(placed):
        yield from _stake_refusals(house, wager)
        if any(other.wager == wager.wager for other in placed[:number]):
            yield PlacedTwice(seat=seat, wager=wager.wager)
    played = {wager.wager for wager in placed}
    if not played & REAL_BASE_WAGERS:
        for name in sorted(played & house.needs_base):
            yield NeedsBaseWager(seat=seat, wager=name)
    for rule in house.option_rules:
        yield from _option_refusals(seat, rule, played)


def _stake_refusals(house: House, placed: PlacedWager) -> Iterator[AnyWagerRefusal]:
    seat, wager, stake = placed.seat, placed.wager, placed.stake
    if wager not in house.offered:
        near = get_close_matches(wager, house.offered, n=1)
        yield NotOffered(seat=seat, wager=wager, nearest=near[0] if near else None)
        return
    limits = house.limits[wager]
    if stake < limits.min:
        yield BelowMinimum(seat=seat, wager=wager, stake=stake, min=limits.min)
    if stake > limits.max:
        yield AboveMaximum(seat=seat, wager=wager, stake=stake, max=limits.max)
    if stake % house.rounding.unit:
        # A stake that cannot be paid even money to the last unit would be paid short every time.
        yield NoMultiple(seat=seat, wager=wager, stake=stake, unit=house.rounding.unit)


def _option_refusals(seat: str, rule: OptionRule, played: set[str]) -> Iterator[AnyWagerRefusal]:
    used = [tuple(wager for wager in option if wager in played) for option in rule.options]
    for wagers in used:
        if len(wagers) > 1:
            yield OneOfOption(seat=seat, wager=wagers[-1], wagers=wagers)
    options_played = [wagers for wagers in used if wagers]
    if len(options_played) > rule.at_most:
        yield TooManyOptions(seat=seat, wager=options_played[-1][-1], options=len(rule.options), at_most=rule.at_most)


def is_base(wager: str) -> bool:
    return wager.partition(".")[0] == BASE_GROUP
