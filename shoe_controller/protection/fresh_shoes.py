"""Shoes dealt for comparison: what the edge of a wager does in shoes that have nothing to do with a table's stakes.

Dealing them takes minutes: callers do it outside their event loop, and keep what they got.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.baccarat.distribution import Event
from shoe_controller.baccarat.odds import rows_reached
from shoe_controller.protection.counted_play import EdgeCounter, Priced, ShoeRules, chance_of, dealt_shoe
from shoe_controller.protection.quick_counts import RowCounter

CUT = 14
"""Cards behind the cut card: no house deals deeper, and a shoe that ended earlier is compared with their beginnings."""

SHOES = 4000
"""So many are dealt; some 900 of them last as long as the usual shoe does."""

ENOUGH = 100
"""Shoes that a shoe is compared with, at least."""


class FreshShoes:
    """The edges of one wager."""

    def __init__(self, edges: Sequence[NDArray[np.float32]]) -> None:
        """`edges`: by shoe, one for each of its rounds."""
        self._rounds = np.array([len(of_shoe) for of_shoe in edges])
        order = np.argsort(self._rounds, kind="stable")
        self._rounds = self._rounds[order]
        self._edges = np.zeros((len(edges), int(self._rounds[-1])), dtype=np.float32)
        for at, shoe in enumerate(order):
            self._edges[at, : self._rounds[at]] = edges[shoe]

    @cached_property
    def longest(self) -> int:
        """The last round that enough shoes have."""
        return int(self._rounds[-min(ENOUGH, len(self._rounds))])

    def ended_with(self, last: int) -> NDArray[np.float32]:
        """The edges, by shoe and round, of shoes that ended with this round.

        Where they are too few, those that ended soonest after it are with them; all shoes, if this round was never the
        last.
        """
        if last < self._rounds[0]:
            return self._edges
        begin = int(np.searchsorted(self._rounds, last))
        until = self._rounds[min(begin + ENOUGH, len(self._rounds)) - 1]
        return self._edges[begin : int(np.searchsorted(self._rounds, until, side="right"))]


def fresh_shoes(
    decks: int, last_rounds: int, wagers: Sequence[Priced], seed: int, shoes: int = SHOES
) -> tuple[FreshShoes, ...]:
    """Deal shoes, and compute the edges of each of these wagers in all of them."""
    rules = ShoeRules(decks, CUT, last_rounds)
    counter = EdgeCounter(wagers)
    full = np.array(full_shoe(decks))
    found = []
    for number in range(shoes):
        rounds, _ = dealt_shoe(rules, chance_of(seed, number))
        edges, _ = counter.edges(full - np.array([playing.seen for playing in rounds]))
        found.append(edges.astype(np.float32))
    return tuple(FreshShoes([of_shoe[:, wager] for of_shoe in found]) for wager in range(len(wagers)))


def goes_by_totals(wager: Priced) -> bool:
    """Whether it goes by totals and numbers of cards alone: with pairs and suits dealing takes ten times as long."""
    return RowCounter(list(rows_reached(wager.table))).events <= {(Event.ANY, Event.ANY)}


class FreshWager(NamedTuple):
    """What the edges depend on."""

    wager: Priced
    decks: int
    last_rounds: int


class KeptFreshShoes:
    """Fresh shoes that were dealt already; those that nobody compared with for longest make room."""

    def __init__(self, most: int) -> None:
        self._most = most
        """About 1.4 MB each."""
        self._kept: OrderedDict[FreshWager, FreshShoes] = OrderedDict()

    def missing(self, wanted: Iterable[FreshWager]) -> list[FreshWager]:
        return [one for one in wanted if one not in self._kept]

    def get(self, wanted: FreshWager) -> FreshShoes | None:
        found = self._kept.get(wanted)
        if found is not None:
            self._kept.move_to_end(wanted)
        return found

    def keep(self, one: FreshWager, dealt: FreshShoes) -> None:
        self._kept[one] = dealt
        self._kept.move_to_end(one)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
