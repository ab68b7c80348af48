"""The `[house]` section of a table's file: its keys, and how they become the rules of the house.

What contradicts itself, or the catalogue, is collected as problems; so is what the guard objects to.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from shoe_controller.baccarat.guard import objections
from shoe_controller.baccarat.house import (
    CommissionTaken,
    House,
    Limits,
    OverLimit,
    Rounding,
    RoundingMode,
    RoundLimit,
    is_base,
)
from shoe_controller.baccarat.wagers import Catalogue, CatalogueError, Layout, OptionRule, Schedule, unknown
from shoe_controller.catalogue_files import parse_percentage
from shoe_controller.strict_reading import Problem

ALL_WAGERS = "all"
"""The key of limits that hold for every wager without limits of its own."""


class RoundingEntry(msgspec.Struct):
    mode: Literal["down", "nearest", "up"] = "down"
    unit: int = 1


class CommissionEntry(msgspec.Struct):
    rate: str | None = None
    taken: Literal["at_once", "marked"] = "at_once"


class RoundLimitEntry(msgspec.Struct):
    amount: int
    groups: tuple[str, ...] | None = None
    over_limit: Literal["proportional", "in_order"] = "proportional"


class OptionRuleEntry(msgspec.Struct):
    at_most: int
    options: tuple[tuple[str, ...], ...]


class HouseEntry(msgspec.Struct):
    base_game: str
    decks: int
    layout: str | tuple[str, ...]
    seats: tuple[str, ...]
    limits: dict[str, Limits]
    offer: tuple[str, ...] | None = None
    pay_tables: dict[str, str] = {}
    catalogue: tuple[str, ...] = ()
    needs_base: tuple[str, ...] = ()
    option_rules: tuple[OptionRuleEntry, ...] | None = None
    rounding: RoundingEntry = msgspec.field(default_factory=RoundingEntry)
    commission: CommissionEntry = msgspec.field(default_factory=CommissionEntry)
    round_limit: RoundLimitEntry | None = None
    allow_player_edge: tuple[str, ...] = ()
    allow_decks: tuple[str, ...] = ()


def house_from(entry: HouseEntry, catalogue: Catalogue, problems: list[Problem]) -> House | None:
    """The rules of the house; `None`, and a problem for each reason, if they cannot be used."""
    return _HouseReader(entry, catalogue, problems).house()


class _HouseReader:
    def __init__(self, entry: HouseEntry, catalogue: Catalogue, problems: list[Problem]) -> None:
        self.entry = entry
        self.catalogue = catalogue
        self.problems = problems

    def house(self) -> House | None:
        entry = self.entry
        layouts = self._layouts()
        offered = self._offered(layouts)
        schedule = self._schedule(layouts, offered)
        limits = self._limits(offered)
        option_rules = self._option_rules(layouts)
        round_limit = self._round_limit(offered)
        needs_base = self._named("needs_base", entry.needs_base, offered)
        if any(is_base(wager) for wager in needs_base):
            self._problem("needs_base", "a base wager cannot need a base wager; name side wagers or their groups")
        if entry.rounding.unit < 1:
            self._problem("rounding.unit", "must be at least 1 minor unit")
        self._check_seats()
        if entry.decks not in range(1, 9):
            self._problem("decks", f"must be from 1 to 8, not {entry.decks}")
        elif schedule is not None:
            self._ask_the_guard(schedule, offered)
        if self.problems or schedule is None:
            return None
        return House(
            decks=entry.decks,
            schedule=schedule,
            offered=offered,
            seats=entry.seats,
            limits=limits,
            needs_base=frozenset(needs_base),
            option_rules=option_rules,
            rounding=Rounding(RoundingMode(entry.rounding.mode), entry.rounding.unit),
            round_limit=round_limit,
            commission_taken=CommissionTaken(entry.commission.taken),
        )

    def _layouts(self) -> list[Layout]:
        names = (self.entry.layout,) if isinstance(self.entry.layout, str) else self.entry.layout
        if not names:
            self._problem("layout", "name at least one layout")
        for name in names:
            if name not in self.catalogue.layouts:
                self._problem("layout", unknown("layout", name, self.catalogue.layouts))
        return [self.catalogue.layouts[name] for name in names if name in self.catalogue.layouts]

    def _offered(self, layouts: list[Layout]) -> tuple[str, ...]:
        if self.entry.offer is None:
            return self.catalogue.expand(tuple(name for layout in layouts for name in layout.offers))
        return self._named("offer", self.entry.offer)

    def _schedule(self, layouts: list[Layout], offered: tuple[str, ...]) -> Schedule | None:
        entry = self.entry
        pay_tables = {name: table for layout in layouts for name, table in layout.pay_tables.items()} | entry.pay_tables
        for name in entry.pay_tables:
            self._named("pay_tables", (name,), offered)
        rate = None
        if entry.commission.rate is not None:
            rate = parse_percentage(entry.commission.rate)
            if rate is None:
                self._problem("commission.rate", f"must be a percentage like '5%', not {entry.commission.rate!r}")
            base_game = self.catalogue.base_games.get(entry.base_game)
            if base_game is not None and base_game.commission == 0:
                self._problem("commission.rate", f"the base game {entry.base_game!r} takes no commission")
        try:
            return self.catalogue.schedule(entry.base_game, pay_tables, rate)
        except CatalogueError as error:
            place = "base_game" if entry.base_game not in self.catalogue.base_games else "pay_tables"
            self._problem(place, str(error))
            return None

    def _limits(self, offered: tuple[str, ...]) -> dict[str, Limits]:
        """Limits of each wager offered: its own, else its group's, else those for all."""
        entries = self.entry.limits
        for name, limits in entries.items():
            if name != ALL_WAGERS:
                self._named("limits", (name,), offered)
            if not 1 <= limits.min <= limits.max:
                self._problem(
                    f"limits.{name}", f"min {limits.min} and max {limits.max}: min is at least 1, max at least min"
                )
        found: dict[str, Limits] = {}
        for wager in offered:
            group = wager.partition(".")[0]
            limits_here = entries.get(wager) or entries.get(group) or entries.get(ALL_WAGERS)
            if limits_here is None:
                self._problem("limits", f"{wager} is offered and has no limits; give some for it, {group!r} or 'all'")
            else:
                found[wager] = limits_here
        return found

    def _option_rules(self, layouts: list[Layout]) -> tuple[OptionRule, ...]:
        if self.entry.option_rules is None:
            return tuple(layout.option_rule for layout in layouts if layout.option_rule is not None)
        for rule in self.entry.option_rules:
            for option in rule.options:
                for name in option:
                    if name not in self.catalogue.wagers:
                        self._problem("option_rules", unknown("wager", name, self.catalogue.wagers))
            if not 1 <= rule.at_most <= len(rule.options):
                self._problem("option_rules", f"at_most must be from 1 to the number of options, not {rule.at_most}")
        return tuple(OptionRule(rule.at_most, rule.options) for rule in self.entry.option_rules)

    def _round_limit(self, offered: tuple[str, ...]) -> RoundLimit | None:
        entry = self.entry.round_limit
        if entry is None:
            return None
        if entry.amount < 1:
            self._problem("round_limit.amount", "must be at least 1 minor unit")
        if entry.groups is None:
            limited: tuple[str, ...] = tuple(wager for wager in offered if not is_base(wager))
        else:
            limited = self._named("round_limit.groups", entry.groups, offered)
        if any(is_base(wager) for wager in limited):
            self._problem("round_limit.groups", "base wagers are always paid in full; name bonus groups only")
        return RoundLimit(entry.amount, frozenset(limited), OverLimit(entry.over_limit))

    def _check_seats(self) -> None:
        seats = self.entry.seats
        if not seats:
            self._problem("seats", "name at least one seat")
        for seat in sorted({seat for seat in seats if seats.count(seat) > 1}):
            self._problem("seats", f"seat {seat!r} is listed more than once")

    def _ask_the_guard(self, schedule: Schedule, offered: tuple[str, ...]) -> None:
        allowed = {
            "allow_player_edge": self._named("allow_player_edge", self.entry.allow_player_edge),
            "allow_decks": self._named("allow_decks", self.entry.allow_decks),
        }
        for wager, message, setting in objections(self.catalogue, schedule, offered, self.entry.decks):
            if wager not in allowed[setting]:
                self._problem("offer", f'{message}; if the house insists: {setting} = ["{wager}"]')

    def _named(self, place: str, names: Iterable[str], offered: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """The wagers of these groups and wagers; names that are unknown, or not offered, are problems."""
        found: set[str] = set()
        for name in names:
            try:
                wagers = self.catalogue.expand((name,))
            except CatalogueError as error:
                self._problem(place, str(error))
                continue
            if offered is not None and not any(wager in offered for wager in wagers):
                self._problem(place, f"{name} is not offered at this table")
            found.update(wager for wager in wagers if offered is None or wager in offered)
        return tuple(wager for wager in self.catalogue.wagers if wager in found)

    def _problem(self, place: str, message: str) -> None:
        problem = Problem(f"house.{place}", message)
        if problem not in self.problems:
            self.problems.append(problem)
