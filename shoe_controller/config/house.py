"""The `[house]` section of a table's file: its keys, and how they become the rules of the house.

Contradictions, with itself or the catalogue, are collected as problems; so are the guard's objections.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from shoe_controller.baccarat.guard import objections, one_of, rounding_objections
from shoe_controller.baccarat.house import (
    CommissionTaken,
    House,
    OverLimit,
    Rounding,
    RoundingMode,
    RoundLimit,
    StakeLimits,
    is_base,
)
from shoe_controller.baccarat.payments import paying_unit, unpaid_stakes
from shoe_controller.baccarat.printed_prices import price_objections
from shoe_controller.baccarat.wagers import (
    Catalogue,
    CatalogueError,
    Layout,
    OptionRule,
    Schedule,
    odds_text,
    unknown,
)
from shoe_controller.config.strict_reading import Hint, Problem, join_place
from shoe_controller.house.catalogue_files import built_in_catalogue, option_rule_mistakes, parse_percentage

ONE_PERCENT = Fraction(1, 100)

ALL_WAGERS = "all"
"""The key of the limits for every wager without its own."""


Amount = Annotated[
    int, Hint("an amount is in whole minor units, with neither point nor comma: 500 for 5.00 with two decimals")
]


class LimitsEntry(msgspec.Struct):
    min: Amount
    max: Amount


class RoundingEntry(msgspec.Struct):
    mode: Literal["down", "nearest", "up"] = "down"
    unit: Amount = 1


class CommissionEntry(msgspec.Struct):
    rate: Annotated[str | None, Hint('write a percentage in quotes, such as rate = "5%"')] = None
    taken: Literal["at_once", "marked"] = "at_once"


class RoundLimitEntry(msgspec.Struct):
    amount: Amount
    groups: tuple[str, ...] | None = None
    over_limit: Literal["proportional", "in_order"] = "proportional"


class HouseEntry(msgspec.Struct):
    """The keys of the section. Required ones may be `None` here, so that a mistake in one hides no other."""

    base_game: str | None = None
    decks: int | None = None
    layout: str | tuple[str, ...] | None = None
    seats: tuple[str, ...] | None = None
    limits: dict[str, Annotated[LimitsEntry, Hint("write { min = 100, max = 100000 }, in minor units")]] | None = None
    offer: tuple[str, ...] | None = None
    pay_tables: dict[str, str] = {}
    catalogue: tuple[str, ...] = ()
    needs_base: tuple[str, ...] = ()
    option_rules: tuple[OptionRule, ...] | None = None
    rounding: RoundingEntry = msgspec.field(default_factory=RoundingEntry)
    commission: CommissionEntry = msgspec.field(default_factory=CommissionEntry)
    round_limit: RoundLimitEntry | None = None
    allow_player_edge: tuple[str, ...] = ()
    allow_decks: tuple[str, ...] = ()
    allow_lower_price: tuple[str, ...] = ()
    counted_limit: int | float | None = None


REQUIRED = {
    "base_game": 'base_game = "commission", or another that `shoe-controller catalogue` lists',
    "decks": "decks = 8",
    "layout": 'layout = "nepal_super_baccarat", or another that `shoe-controller catalogue` lists',
    "seats": 'seats = ["1", "2", "3"], with the seats from the dealer\'s right',
    "limits": "limits = { all = { min = 100, max = 100000 } }, in minor units",
}
"""Each with what to write for it."""


def house_from(
    entry: HouseEntry, catalogue: Catalogue, problems: list[Problem], *, guarded: bool = True
) -> House | None:
    """Build the rules of the house; `None`, and a problem for each reason, if they cannot be used.

    Without the guard for rules that the guard judged when they came into force.
    """
    return _HouseReader(entry, catalogue, problems).house(guarded=guarded)


def _as_percentage(text: str) -> str:
    whole = text.strip().removesuffix("%").strip()
    rate = parse_percentage(f"{whole}%")
    if rate is None:
        return ""
    if "%" not in text and 0 < rate < ONE_PERCENT:  # 0.05 is what a calculator takes for 5 %
        return f': write rate = "{float(rate * 100 * 100):g}%", or "{whole}%" if that is meant'
    return f': write rate = "{whole}%"'


class _HouseReader:
    """Checks everything that can be checked, whatever else is wrong."""

    def __init__(self, entry: HouseEntry, catalogue: Catalogue, problems: list[Problem]) -> None:
        self.entry = entry
        self.catalogue = catalogue
        self.problems = problems
        self.layouts = self._layouts()
        self.offered = self._offered()
        """`None` where it is not known; then nothing is reported as not offered."""

    def house(self, *, guarded: bool) -> House | None:
        entry = self.entry
        for key, to_write in REQUIRED.items():
            if getattr(entry, key) is None and not any(p.place.startswith(f"house.{key}") for p in self.problems):
                self._problem(key, f"is missing: write {to_write}")
        schedule = self._schedule()
        limits = self._limits()
        option_rules = self._option_rules()
        round_limit = self._round_limit()
        needs_base = self._needs_base()
        self._check_seats()
        rounding = self._rounding()
        if entry.counted_limit is not None and not entry.counted_limit >= 0:
            self._problem("counted_limit", f"must be units won in a shoe, 0 or more, not {entry.counted_limit}")
        if guarded:
            self._check_guard(schedule, limits, rounding)
        if self.problems or schedule is None or entry.decks is None or entry.seats is None or self.offered is None:
            return None
        return House(
            decks=entry.decks,
            schedule=schedule,
            offered=self.offered,
            seats=entry.seats,
            limits=limits,
            needs_base=frozenset(needs_base),
            option_rules=option_rules,
            rounding=rounding,
            round_limit=round_limit,
            commission_taken=CommissionTaken(entry.commission.taken),
            names={wager: self.catalogue.wagers[wager].names for wager in self.offered},
        )

    def _layouts(self) -> list[Layout]:
        layout = self.entry.layout
        names = (layout,) if isinstance(layout, str) else layout or ()
        if layout is not None and not names:
            self._problem("layout", "name at least one layout")
        for name in names:
            if name not in self.catalogue.layouts:
                self._problem("layout", unknown("layout", name, self.catalogue.layouts))
        return [self.catalogue.layouts[name] for name in names if name in self.catalogue.layouts]

    def _offered(self) -> tuple[str, ...] | None:
        if self.entry.offer is not None:
            offered = self._named("offer", self.entry.offer, offered=None)
            if not self.entry.offer:
                self._problem("offer", "offer at least one wager, or leave the key out to offer what the layout offers")
            return offered
        if not self.layouts:
            return None
        return self.catalogue.expand(tuple(name for layout in self.layouts for name in layout.offers))

    def _schedule(self) -> Schedule | None:
        pay_tables = self._pay_tables()
        rate = self._commission_rate()
        base_game = self.entry.base_game
        if base_game is None:
            return None
        if base_game not in self.catalogue.base_games:
            self._problem("base_game", unknown("base game", base_game, self.catalogue.base_games))
            return None
        schedule = self.catalogue.schedule(base_game, pay_tables, rate)
        for wager in self.offered or ():
            if wager not in schedule.pay_tables:
                self._problem(
                    "offer", f"{wager} has no rows, and the base game {base_game!r} does not price it: leave it out"
                )
        return schedule

    def _pay_tables(self) -> dict[str, str]:
        """The choices by wager: the house's own, even for a whole group, override those of its layouts."""
        own: dict[str, str] = {}
        for name, table in self.entry.pay_tables.items():
            self._named("pay_tables", (name,), self.offered)
            try:
                self.catalogue.chosen_tables({name: table})
            except CatalogueError as error:
                self._problem("pay_tables", str(error))
            else:
                own[name] = table
        chosen = self.catalogue.chosen_tables(own)
        by_layouts: dict[str, str] = {}
        for layout in self.layouts:
            for wager, table in self.catalogue.chosen_tables(layout.pay_tables).items():
                if by_layouts.setdefault(wager, table) != table and wager not in chosen:
                    message = f"the layouts use {by_layouts[wager]} and {table} for {wager}; choose one here"
                    self._problem("pay_tables", message)
        return by_layouts | chosen

    def _commission_rate(self) -> Fraction | None:
        text = self.entry.commission.rate
        if text is None:
            return None
        rate = parse_percentage(text)
        if rate is None:
            self._problem("commission.rate", f"must be a percentage like '5%', not {text!r}{_as_percentage(text)}")
        base_game = self.catalogue.base_games.get(self.entry.base_game or "")
        if base_game is not None and base_game.commission == 0:
            self._problem("commission.rate", f"the base game {base_game.id!r} takes no commission: leave rate out")
        return rate

    def _limits(self) -> dict[str, StakeLimits]:
        """Limits of each wager offered: its own, else its group's, else those for all."""
        entries = self.entry.limits
        if entries is None:
            return {}
        for name, limits in entries.items():
            if name != ALL_WAGERS:
                self._named("limits", (name,), self.offered)
            if limits.min < 1:
                self._problem(join_place("limits", name), f"min is {limits.min}: write 1 or more")
            elif limits.min > limits.max:
                message = f"min {limits.min} is above max {limits.max}: write min = {limits.max}, max = {limits.min}"
                self._problem(join_place("limits", name), message)
        found: dict[str, StakeLimits] = {}
        without = []
        for wager in self.offered or ():
            here = entries.get(wager) or entries.get(wager.partition(".")[0]) or entries.get(ALL_WAGERS)
            if here is None:
                without.append(wager)
            else:
                found[wager] = StakeLimits(here.min, here.max)
        if without:
            more = f" and {len(without) - 3} more" if len(without) > 3 else ""
            shown = ", ".join(without[:3]) + more
            self._problem("limits", f"offered without limits: {shown}; give some for them, their group or 'all'")
        return found

    def _option_rules(self) -> tuple[OptionRule, ...]:
        if self.entry.option_rules is None:
            return tuple(layout.option_rule for layout in self.layouts if layout.option_rule is not None)
        for rule in self.entry.option_rules:
            for message in option_rule_mistakes(rule, self.catalogue.wagers):
                self._problem("option_rules", message)
        return self.entry.option_rules

    def _round_limit(self) -> RoundLimit | None:
        entry = self.entry.round_limit
        if entry is None:
            return None
        if entry.amount < 1:
            self._problem("round_limit.amount", "must be at least 1 minor unit")
        if entry.groups is None:
            limited = tuple(wager for wager in self.offered or () if not is_base(wager))
        else:
            limited = self._named("round_limit.groups", entry.groups, self.offered)
            if not entry.groups:
                self._problem("round_limit.groups", "name at least one group, or leave the key out for all side wagers")
        if any(is_base(wager) for wager in limited):
            self._problem("round_limit.groups", "base wagers are always paid in full; name bonus groups only")
        return RoundLimit(entry.amount, frozenset(limited), OverLimit(entry.over_limit))

    def _needs_base(self) -> tuple[str, ...]:
        wagers = self._named("needs_base", self.entry.needs_base, self.offered)
        if any(is_base(wager) for wager in wagers):
            self._problem("needs_base", "a base wager cannot need a base wager; name side wagers or their groups")
        return wagers

    def _check_seats(self) -> None:
        seats = self.entry.seats
        if seats is None:
            return
        if not seats:
            self._problem("seats", "name at least one seat")
        if any(not seat.strip() for seat in seats):
            self._problem("seats", "a seat needs a printable name: write one, or leave the empty one out")
        for seat in sorted({seat for seat in seats if seats.count(seat) > 1}):
            self._problem("seats", f"seat {seat!r} is listed more than once: leave one out, or give it another name")

    def _rounding(self) -> Rounding:
        entry = self.entry.rounding
        if entry.unit < 1:
            self._problem("rounding.unit", "must be at least 1 minor unit")
        return Rounding(RoundingMode(entry.mode), max(entry.unit, 1))

    def _check_guard(self, schedule: Schedule | None, limits: dict[str, StakeLimits], rounding: Rounding) -> None:
        layouts_allowed = {name for name in self.entry.allow_decks if name in self.catalogue.layouts}
        others = tuple(name for name in self.entry.allow_decks if name not in layouts_allowed or self._is_group(name))
        allowed = {
            "allow_player_edge": self._named("allow_player_edge", self.entry.allow_player_edge, offered=None),
            "allow_decks": self._named("allow_decks", others, offered=None),
            "allow_lower_price": self._named("allow_lower_price", self.entry.allow_lower_price, offered=None),
        }
        if schedule is not None:
            self._check_payments(schedule, limits, rounding)
        decks = self.entry.decks
        if decks is None:
            return
        if decks not in range(1, 9):
            self._problem("decks", f"must be from 1 to 8, not {decks}")
            return
        for layout in self.layouts:
            permitted = self.catalogue.documents[layout.document].decks
            if decks not in permitted and layout.id not in layouts_allowed:
                message = f"the layout {layout.id} is dealt with {one_of(permitted)} decks, not with {decks}"
                self._problem("decks", f'{message}; if the house insists: allow_decks = ["{layout.id}"]')
        against = list(objections(self.catalogue, schedule, self.offered or (), decks))
        if schedule is not None:
            against += rounding_objections(schedule, limits, rounding, decks)
            against += price_objections(self.catalogue, built_in_catalogue(), schedule, self.offered or ())
        for wager, message, setting in against:
            if wager not in allowed[setting]:
                self._problem("offer", f'{message}; if the house insists: {setting} = ["{wager}"]')

    def _check_payments(self, schedule: Schedule, limits: dict[str, StakeLimits], rounding: Rounding) -> None:
        """Refuse a rounding with which a winner is paid nothing."""
        limit = self.entry.round_limit
        if limit is not None and 1 <= limit.amount < rounding.unit:
            message = f"must be at least {rounding.unit}, the unit to which payments are rounded, or no winner is paid"
            self._problem("round_limit.amount", message)
        unpaid = list(unpaid_stakes(schedule, limits, rounding))
        unit = paying_unit(schedule, limits, rounding) if unpaid else None
        for found in unpaid:
            stakes = f"stakes from {found.lowest} to {found.highest}"
            if found.lowest == found.highest:
                stakes = f"a stake of {found.lowest}"
            remedy = f"set min = {found.paid_from}"
            if found.paid_from > limits[found.wager].max:
                remedy += f" and max = {found.paid_from} or more"
            self._problem(
                "rounding",
                f"{found.wager} is paid nothing at {stakes} when it wins {odds_text(found.price)}, because payments "
                f"are rounded {rounding.mode.value} to a multiple of {rounding.unit}; "
                f"{'' if unit is None else f'set unit = {unit}, or '}{remedy} for it in [house.limits]",
            )

    def _is_group(self, name: str) -> bool:
        return name in self.catalogue.groups

    def _named(self, place: str, names: Iterable[str], offered: tuple[str, ...] | None) -> tuple[str, ...]:
        """Expand groups and wagers to wagers; unknown names, and those not offered, are problems."""
        found: set[str] = set()
        for name in names:
            try:
                wagers = self.catalogue.expand((name,))
            except CatalogueError as error:
                self._problem(place, str(error))
                continue
            if offered is not None and not any(wager in offered for wager in wagers):
                self._problem(place, f"{name} is not offered at this table: leave it out here, or add it to offer")
            found.update(wager for wager in wagers if offered is None or wager in offered)
        return tuple(wager for wager in self.catalogue.wagers if wager in found)

    def _problem(self, place: str, message: str) -> None:
        problem = Problem(f"house.{place}", message)
        if problem not in self.problems:
            self.problems.append(problem)
