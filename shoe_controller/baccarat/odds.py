"""Exact odds of a wager, from the count of every draw that wins, pushes or loses it.

Everything is an integer or a `Fraction`; decimals are made only for display.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.composition import all_draws, full_shoe
from shoe_controller.baccarat.conditions import EVERYTHING, FactSet, members
from shoe_controller.baccarat.distribution import draws_by_facts
from shoe_controller.baccarat.wagers import PayTable, Result, Schedule, odds_text


class RowOdds(msgspec.Struct, frozen=True):
    """One row of a pay table, with the number of draws that it fits."""

    when: str
    pays: str
    """Its price, as "20:1", or "push" or "lose"."""
    count: int


class WagerOdds(NamedTuple):
    wager: str
    pay_table: str
    decks: int
    rows: tuple[RowOdds, ...]
    """The pay table's rows, and last the remaining draws, which lose; the counts add up to all draws."""
    expectation: Fraction
    """The player's average gain per unit staked; the house's is its negative."""
    hit_frequency: Fraction
    variance: Fraction

    @property
    def house_edge(self) -> Fraction:
        return -self.expectation

    @property
    def standard_deviation(self) -> float:
        return math.sqrt(self.variance)


def exact_odds(schedule: Schedule, wager: str, decks: int) -> WagerOdds:
    """Compute the odds of a wager under the pay table in force, for a full shoe of that many decks."""
    draws = draws_by_facts(decks)
    counts = tuple(
        sum(draws[number] for number in members(holds)) for holds in rows_reached(schedule.pay_tables[wager])
    )
    return odds_of_counts(schedule, wager, decks, counts, all_draws(full_shoe(decks)))


def rows_reached(table: PayTable) -> Iterator[FactSet]:
    """For each row of a pay table the facts that reach it: those that fit it, and none of the rows above."""
    left = EVERYTHING
    for row in table:
        yield row.holds & left
        left &= ~row.holds


def odds_of_counts(schedule: Schedule, wager: str, decks: int, counts: Sequence[int], total: int) -> WagerOdds:
    """Compute the odds of a wager from the number of draws that reach each of its rows, out of the total."""
    rows: list[RowOdds] = []
    gains = squares = Fraction(0)
    wins = 0
    for row, count in zip(schedule.pay_tables[wager], counts, strict=True):
        outcome = schedule.row_result(row)
        if outcome.result is Result.WIN:
            gains += count * outcome.pays
            squares += count * outcome.pays**2
            wins += count
        rows.append(RowOdds(row.when, odds_text(outcome.pays) if outcome.result is Result.WIN else "push", count))
    lost = total - sum(counts)
    rows.append(RowOdds("otherwise", "lose", lost))
    expectation = (gains - lost) / total
    return WagerOdds(
        wager=wager,
        pay_table=schedule.table_names[wager],
        decks=decks,
        rows=tuple(rows),
        expectation=expectation,
        hit_frequency=Fraction(wins, total),
        variance=(squares + lost) / total - expectation**2,
    )
