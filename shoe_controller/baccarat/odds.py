"""Exact odds of a wager, from the count of every draw that wins, pushes or loses it.

Everything is an integer or a `Fraction`; decimals are made only for display.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import msgspec

from shoe_controller.baccarat.conditions import EVERYTHING, members
from shoe_controller.baccarat.distribution import all_draws, draws_by_facts
from shoe_controller.baccarat.wagers import Result, Schedule, odds_text


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
    total = all_draws(decks)
    rows: list[RowOdds] = []
    left = EVERYTHING
    gains = squares = wins = Fraction(0)
    for row in schedule.pay_tables[wager]:
        count = sum(draws[number] for number in members(row.holds & left))
        left &= ~row.holds
        outcome = schedule.row_result(row)
        if outcome.result is Result.WIN:
            gains += count * outcome.pays
            squares += count * outcome.pays**2
            wins += count
        rows.append(RowOdds(row.when, odds_text(outcome.pays) if outcome.result is Result.WIN else "push", count))
    lost = total - sum(row.count for row in rows)
    rows.append(RowOdds("otherwise", "lose", lost))
    expectation = (gains - lost) / total
    return WagerOdds(
        wager=wager,
        pay_table=schedule.table_names[wager],
        decks=decks,
        rows=tuple(rows),
        expectation=expectation,
        hit_frequency=wins / total,
        variance=(squares + lost) / total - expectation**2,
    )
