"""Compares what a house pays with what the documents print.

The printed prices are those of the built-in catalogue. A house's own file may replace a wager of a document, or price
it in a base game of its own; a slip (8:10 for 8:1) would then pay players less than the document promises them.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from shoe_controller.baccarat.conditions import EVERYTHING, FactSet
from shoe_controller.baccarat.guard import Objection
from shoe_controller.baccarat.wagers import LOST, Catalogue, PayTable, Result, Schedule, WagerResult


class _Case(NamedTuple):
    """Rounds in which a wager has one result."""

    when: str
    facts: FactSet
    outcome: WagerResult

    @property
    def gain(self) -> Fraction:
        return Fraction(-1) if self.outcome.result is Result.LOSE else self.outcome.pays


def price_objections(
    catalogue: Catalogue, printed: Catalogue, schedule: Schedule, offered: Iterable[str]
) -> Iterator[Objection]:
    """Yield the wagers that pay less in some round than any price that their document prints for it."""
    for wager in offered:
        if wager not in printed.wagers or wager not in schedule.pay_tables:
            continue
        if not set(catalogue.wagers[wager].documents) & set(printed.wagers[wager].documents):
            continue  # a wager of the house's own document, whose prices are not known here
        lower = next(_lower_cases(schedule, wager, _printed_tables(printed, schedule, wager)), None)
        if lower is not None:
            paid, due = lower
            message = f"{wager} {_in_words(paid)} when {due.when}, and its document prints that it {_in_words(due)}"
            yield Objection(wager, message, setting="allow_lower_price")


def _printed_tables(printed: Catalogue, schedule: Schedule, wager: str) -> list[list[_Case]]:
    """The table of the same name as the one in force; where there is none, all that are printed for this wager."""
    own, rate = printed.wagers[wager].pay_tables, schedule.commission
    by_name = {name: list(_cases(table, rate)) for name, table in own.items()} or {
        # The rate is the house's to set, and a house may put it into its prices instead.
        game.id: list(_cases(game.pay_tables[wager], max(rate, game.commission)))
        for game in printed.base_games.values()
    }
    name = schedule.table_names[wager]
    return [by_name[name]] if name in by_name else list(by_name.values())


def _lower_cases(schedule: Schedule, wager: str, tables: list[list[_Case]]) -> Iterator[tuple[_Case, _Case]]:
    """Each case that pays less than all tables print, with the least that is printed for it."""
    for case in _cases(schedule.pay_tables[wager], schedule.commission):
        lower = case.facts
        for table in tables:
            better = (printed.facts for printed in table if printed.gain > case.gain)
            lower &= sum(better)
        if lower:
            rivals = (printed for table in tables for printed in table if printed.facts & lower)
            yield case, min(rivals, key=lambda printed: printed.gain)


def _cases(table: PayTable, commission: Fraction) -> Iterator[_Case]:
    """The results of a pay table after commission; their facts do not overlap."""
    priced = Schedule("", {}, commission)
    left = EVERYTHING
    for row in table:
        yield _Case(row.when, row.holds & left, priced.row_result(row))
        left &= ~row.holds
    yield _Case("no row fits", left, LOST)


def _in_words(case: _Case) -> str:
    match case.outcome.result:
        case Result.WIN:
            return f"pays {case.outcome.odds}"
        case Result.PUSH:
            return "is a push"
        case Result.LOSE:
            return "loses"
