"""Shoes dealt for comparison: what the edge of a wager does in shoes that have nothing to do with a table's stakes.

Dealing them takes seconds to minutes: callers do it outside their event loop, and keep what they got.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.protection.counted_play import EdgeCounter, Priced, ShoeRules, chance_of, dealt_shoe

CUT = 14
"""Cards behind the cut card: no house deals deeper, and a shoe that ended earlier is compared with their beginnings."""

SHOES = 2000
"""So many are dealt: an e-value of one shoe is then no more than 2001."""


class FreshShoes(NamedTuple):
    """The edges of one wager."""

    rounds: NDArray[np.int64]
    """How many rounds each shoe has."""
    edges: NDArray[np.float32]
    """By shoe and round, 0 behind a shoe's last."""


class FreshWager(NamedTuple):
    """What the edges depend on."""

    wager: Priced
    decks: int
    last_rounds: int


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
    numbers = np.array([len(edges) for edges in found])
    padded = np.zeros((len(wagers), shoes, numbers.max()), dtype=np.float32)
    for shoe, of_shoe in enumerate(found):
        padded[:, shoe, : len(of_shoe)] = of_shoe.T
    return tuple(FreshShoes(numbers, of_wager) for of_wager in padded)


class KeptFreshShoes:
    """Fresh shoes that were dealt already; those that nobody compared with for longest make room."""

    def __init__(self, most: int) -> None:
        self._most = most
        """About 0.7 MB each."""
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
