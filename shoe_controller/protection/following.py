"""Whether the stakes of a seat follow the edge of a wager: a sequential test with a stated rate of false alarms.

`docs/protection.md` says how, and what the theorem behind it needs. In short: if stakes do not depend on the cards, the
shoe is to them as good as any other. So the same stakes are laid against the edges of many fresh shoes, and how far
the table's own shoe stands out among them is an e-value: a number of at least 0 whose mean is no more than 1. Over the
shoes of a seat they are combined as Shiryaev and Roberts did, R = (1 + R) e, which reaches a threshold no sooner than
after as many shoes, on average.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoe_controller.protection.fresh_shoes import FreshShoes
from shoe_controller.protection.shoe_record import ShoeRecord

THRESHOLD = 10_000.0
"""Shoes to a false alarm, for one seat and wager: at least so many on average."""

MOST_SEATS = 50_000
"""Seats with a wager of which something is kept; those that staked longest ago make room."""

ENOUGH = 200
"""Fresh shoes to compare with; the last rounds of a shoe that lasts longer than all but so many are not counted."""

TILTS = (0.5, 1.0, 1.5)
"""How strongly an e-value rewards stakes that follow the edge, in standard deviations."""


class Follows(NamedTuple):
    """A seat's stakes on a wager follow its edge."""

    seat: str
    wager: str
    shoes: int
    """Shoes that it rests on."""
    rounds: int
    """Rounds in them in which the seat staked on the wager."""
    mean_edge: float
    """The player's edge, weighted with the stakes."""
    evidence: float
    """The value of the test, at least the threshold."""


class _Evidence:
    """What is kept of a seat and a wager."""

    __slots__ = ("rounds", "shoes", "staked", "value", "won")

    def __init__(self) -> None:
        self.value = np.zeros(len(TILTS))
        """The statistic of Shiryaev and Roberts, by tilt."""
        self.begin()

    def begin(self) -> None:
        self.shoes = 0
        self.rounds = 0
        self.staked = 0.0
        self.won = 0.0


class Following:
    def __init__(self, threshold: float = THRESHOLD, most_seats: int = MOST_SEATS) -> None:
        self._threshold = threshold
        self._most_seats = most_seats
        self._kept: OrderedDict[tuple[str, str, str], _Evidence] = OrderedDict()
        """By table, seat and wager."""

    def wagers(self, record: ShoeRecord) -> frozenset[str]:
        """The wagers with stakes that varied: `take` needs the fresh shoes of these."""
        return frozenset(wager for (_, wager), stakes in record.stakes.items() if len(set(stakes)) > 1)

    def take(self, table: str, record: ShoeRecord, fresh: Mapping[str, FreshShoes]) -> list[Follows]:
        """Add a shoe that has ended; return the seats that are past the threshold with it.

        A wager without fresh shoes is left out, which is no evidence.
        """
        found = []
        for (seat, wager), staked in record.stakes.items():
            dealt = fresh.get(wager)
            if dealt is None or len(set(staked)) == 1:
                continue
            stakes = np.array(staked, dtype=np.float64)
            edges = np.array(record.edges[wager])
            kept = self._evidence(table, seat, wager)
            kept.value = (1 + kept.value) * e_values(record.rounds, stakes, edges, dealt)
            evidence = float(kept.value.mean())
            kept.shoes += 1
            kept.rounds += int(np.count_nonzero(stakes))
            kept.staked += float(stakes.sum())
            kept.won += float(stakes @ edges)
            if evidence >= self._threshold and kept.won > 0:
                mean = kept.won / kept.staked
                found.append(Follows(seat, wager, kept.shoes, kept.rounds, mean, evidence))
                del self._kept[table, seat, wager]
            elif evidence < 1:
                kept.begin()
        return found

    def _evidence(self, table: str, seat: str, wager: str) -> _Evidence:
        key = table, seat, wager
        kept = self._kept.setdefault(key, _Evidence())
        self._kept.move_to_end(key)
        if len(self._kept) > self._most_seats:
            self._kept.popitem(last=False)
        return kept


def e_values(
    rounds: tuple[int, ...], stakes: NDArray[np.float64], edges: NDArray[np.float64], fresh: FreshShoes
) -> NDArray[np.float64]:
    """How far a shoe stands out among fresh ones when the same stakes are laid against all of them, by tilt."""
    last = min(rounds[-1], int(np.sort(fresh.rounds)[-min(ENOUGH, len(fresh.rounds))]))
    counted = sum(number <= last for number in rounds)
    columns = np.array(rounds[:counted]) - 1
    weights = stakes[:counted] - stakes[:counted].mean()
    others = fresh.edges[fresh.rounds >= last][:, columns].astype(np.float64) @ weights
    values = np.append(others, edges[:counted] @ weights)
    spread = values.std()
    if spread == 0:
        return np.ones(len(TILTS))
    standing = (values - values.mean()) / spread
    scores = np.exp(np.outer(TILTS, standing - standing.max()))
    own: NDArray[np.float64] = scores[:, -1] / scores.mean(axis=1)
    return own
