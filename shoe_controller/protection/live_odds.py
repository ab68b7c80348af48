"""Exact odds of wagers from what is left of a shoe."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoe_controller.baccarat.composition import Composition, all_draws, check
from shoe_controller.baccarat.conditions import FactSet
from shoe_controller.baccarat.odds import WagerOdds, odds_of_counts, rows_reached
from shoe_controller.baccarat.wagers import Schedule
from shoe_controller.protection.quick_counts import RowCounter


class _Rows(NamedTuple):
    wager: str
    begin: int
    end: int


class LiveOdds:
    """Computes the odds of some wagers for one composition after another: the same as `exact_odds` for a full shoe."""

    def __init__(self, schedule: Schedule, wagers: Sequence[str]) -> None:
        self._schedule = schedule
        self._wagers: list[_Rows] = []
        rows: list[FactSet] = []
        for wager in wagers:
            begin = len(rows)
            rows += rows_reached(schedule.pay_tables[wager])
            self._wagers.append(_Rows(wager, begin, len(rows)))
        self._counter = RowCounter(rows)

    def odds(self, composition: Composition, decks: int) -> list[WagerOdds]:
        """Compute the odds of every wager; raise `CompositionError` if no round can be dealt from so few cards."""
        check(composition)
        (counts,) = self._counter.draws(np.array([composition])).tolist()
        total = all_draws(composition)
        return [
            odds_of_counts(self._schedule, wager, decks, counts[begin:end], total) for wager, begin, end in self._wagers
        ]
