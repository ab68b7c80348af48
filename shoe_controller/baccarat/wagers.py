"""Wagers, pay tables, base games and layouts: what can be offered at a table, and the result of each wager.

These are values; the files they are read from are `catalogue/*.toml` and a house's own (`catalogue_files.py`).
`Schedule` is the part in force at one table: it gives the result of every wager for the facts of a round.
"""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.conditions import FactSet
from shoe_controller.baccarat.facts import Facts, number_of

BASE_GROUP = "base"
"""Wagers on Player, Banker and Tie. All others are side wagers."""


class Names(msgspec.Struct, frozen=True):
    """The name shown on displays, by language."""

    en: str
    """In English."""
    zh_hant: str
    """In traditional Chinese."""
    zh_hans: str
    """In simplified Chinese."""


class Row(NamedTuple):
    """One line of a pay table. Rows are tried from the top; where none fits, the wager loses."""

    when: str
    holds: FactSet
    pays: Fraction | None
    """Winnings for a stake of one, before commission; `None` is a push."""
    commission: bool = False
    """The base game's commission is taken from these winnings."""


PayTable = tuple[Row, ...]


class Document(msgspec.Struct, frozen=True):
    """Where a wager comes from, and the numbers of decks that source permits."""

    title: str
    decks: frozenset[int]


class Wager(msgspec.Struct, frozen=True):
    id: str
    names: Names
    documents: tuple[str, ...]
    decks: frozenset[int]
    pay_tables: dict[str, PayTable]
    """By name; a wager with a single pay table has it under `ONLY_TABLE`, one priced by the base game has none."""
    default_table: str

    @property
    def group(self) -> str:
        return self.id.partition(".")[0]


ONLY_TABLE = ""
"""The name of a wager's only pay table."""


class BaseGame(msgspec.Struct, frozen=True):
    id: str
    names: Names
    commission: Fraction
    pay_tables: dict[str, PayTable]
    """Its pay tables, by wager; always one for `base.banker`."""


class OptionRule(msgspec.Struct, frozen=True):
    """How many of which options one seat may play in a round. Of one option's wagers only one may be played."""

    at_most: int
    """How many options."""
    options: tuple[tuple[str, ...], ...]
    """The ids of each option's wagers."""


class Layout(msgspec.Struct, frozen=True):
    """What a table offers unless its house configures otherwise."""

    id: str
    names: Names
    document: str
    offers: tuple[str, ...]
    pay_tables: dict[str, str]
    option_rule: OptionRule | None


class CatalogueError(ValueError):
    """A name that is not in the catalogue."""


class Result(Enum):
    """What becomes of a wager."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"


class WagerResult(NamedTuple):
    """The result of a wager in a round."""

    result: Result
    pays: Fraction
    """Winnings for a stake of one, after commission; 0 unless the wager won."""
    before_commission: Fraction

    @property
    def odds(self) -> str:
        """As a pay table prints it, in lowest terms: "20:1"."""
        return odds_text(self.pays)


LOST = WagerResult(Result.LOSE, Fraction(0), Fraction(0))
PUSHED = WagerResult(Result.PUSH, Fraction(0), Fraction(0))


def odds_text(pays: Fraction) -> str:
    return f"{pays.numerator}:{pays.denominator}"


class Catalogue(msgspec.Struct, frozen=True):
    documents: dict[str, Document]
    groups: dict[str, Names]
    wagers: dict[str, Wager]
    base_games: dict[str, BaseGame]
    layouts: dict[str, Layout]

    def expand(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Expand a mix of groups and wagers to wagers, in the catalogue's order."""
        wanted = {wager for name in names for wager in self._wagers_named(name)}
        return tuple(wager for wager in self.wagers if wager in wanted)

    def _wagers_named(self, name: str) -> tuple[str, ...]:
        if name in self.wagers:
            return (name,)
        of_group = tuple(wager.id for wager in self.wagers.values() if wager.group == name)
        if not of_group and name in self.groups:
            raise CatalogueError(f"the group {name!r} has no wagers")
        if not of_group:
            raise CatalogueError(unknown("group or wager", name, [*self.groups, *self.wagers]))
        return of_group

    def schedule(
        self, base_game: str, pay_tables: Mapping[str, str] | None = None, commission: Fraction | None = None
    ) -> "Schedule":
        """The pay tables in force: those of the base game, those chosen by group or wager, else the defaults."""
        if base_game not in self.base_games:
            raise CatalogueError(unknown("base game", base_game, self.base_games))
        base = self.base_games[base_game]
        chosen = self.chosen_tables(pay_tables or {})
        in_force: dict[str, tuple[str, PayTable]] = {}
        for wager in self.wagers.values():
            if wager.id in base.pay_tables:
                in_force[wager.id] = (base.id, base.pay_tables[wager.id])
            elif wager.pay_tables:
                table = chosen.get(wager.id, wager.default_table)
                in_force[wager.id] = (table, wager.pay_tables[table])
        return Schedule(base.id, in_force, base.commission if commission is None else commission)

    def chosen_tables(self, pay_tables: Mapping[str, str]) -> dict[str, str]:
        """Expand choices by group or wager to choices by wager."""
        chosen: dict[str, str] = {}
        # A choice for one wager is more specific than one for its group, whichever is written first.
        for name in sorted(pay_tables, key=lambda name: name in self.wagers):
            table = pay_tables[name]
            with_choice = [w for w in self._wagers_named(name) if len(self.wagers[w].pay_tables) > 1]
            if not with_choice:
                raise CatalogueError(f"{name} has only one pay table, so none can be chosen")
            fitting = [w for w in with_choice if table in self.wagers[w].pay_tables]
            if not fitting:
                known = dict.fromkeys(t for w in with_choice for t in self.wagers[w].pay_tables)
                raise CatalogueError(f"{name} has no pay table {table!r}; it has {', '.join(known)}")
            chosen.update(dict.fromkeys(fitting, table))
        return chosen


def unknown(kind: str, name: str, known: Collection[str], *, listed_by: str = "shoe-controller catalogue") -> str:
    """The message for an unknown name, with the nearest known one, or the command that lists them."""
    near = get_close_matches(name, known, n=1)
    if near:
        return f"there is no {kind} {name!r}; did you mean {near[0]!r}?"
    if len(known) > MOST_LISTED:
        return f"there is no {kind} {name!r}; `{listed_by}` lists what there is"
    return f"there is no {kind} {name!r}; there is {', '.join(known)}"


MOST_LISTED = 12
"""More names than this would bury the message."""


class Schedule:
    """The pay tables in force at one table. `results[facts]` is the result of every wager of a round."""

    def __init__(self, base_game: str, in_force: dict[str, tuple[str, PayTable]], commission: Fraction) -> None:
        self.base_game = base_game
        self.commission = commission
        self.table_names = {wager: name for wager, (name, _) in in_force.items()}
        self.pay_tables = {wager: table for wager, (_, table) in in_force.items()}
        self.results = _Results(self)

    def row_result(self, row: Row) -> WagerResult:
        """The result of a wager when this row fits."""
        if row.pays is None:
            return PUSHED
        net = row.pays * (1 - self.commission) if row.commission else row.pays
        return WagerResult(Result.WIN, net, row.pays)


class _Results(dict[Facts, Mapping[str, WagerResult]]):
    """Results by facts, computed at first use and cached: the space of facts is small."""

    def __init__(self, schedule: Schedule) -> None:
        super().__init__()
        self._tables = {
            wager: [(row.holds, schedule.row_result(row)) for row in table]
            for wager, table in schedule.pay_tables.items()
        }

    def __missing__(self, facts: Facts) -> Mapping[str, WagerResult]:
        bit = 1 << number_of(facts)
        results = MappingProxyType(
            {
                wager: next((result for holds, result in table if holds & bit), LOST)
                for wager, table in self._tables.items()
            }
        )
        self[facts] = results
        return results
