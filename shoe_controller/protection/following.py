"""Whether the stakes of a seat follow the edge of a wager: a sequential test with a stated rate of false alarms.

`docs/protection.md` says how, what its theorem needs, and what was measured. In short: where stakes do not depend on
the cards, the table's shoe is to them as good as any other. So the same stakes are laid against the edges of many fresh
shoes. The share of these in which they follow the edge at least as closely is a p-value, and becomes an e-value: at
least 0, with a mean of at most 1. Over the shoes of a seat they are combined as Shiryaev and Roberts did,
R = (1 + R) e, which reaches a threshold no sooner than after as many shoes, on average.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from statistics import NormalDist
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from shoe_controller.protection.fresh_shoes import FreshShoes
from shoe_controller.protection.shoe_record import ShoeRecord

Array = NDArray[np.float64]

THRESHOLD = 10_000.0
"""Shoes to a false alarm, for one seat and wager: at least so many on average."""

MOST_SEATS = 5_000
"""Seats of which something is kept; those that staked longest ago make room."""

REMEMBERED = 0.9
"""The weight of a seat's earlier shoes in its usual stake, for each shoe since."""

FLAT = 1e-9
"""Stakes that differ by less, in proportion to the largest, differ by rounding alone."""


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


class Evidence(msgspec.Struct):
    """What is kept of a seat's stakes on one wager."""

    value: float = 0.0
    """The statistic of Shiryaev and Roberts."""
    usual_stakes: float = 0.0
    usual_rounds: float = 0.0
    """Earlier stakes and rounds, added up with less weight the longer ago: their quotient is the usual stake."""
    shoes: int = 0
    rounds: int = 0
    staked: float = 0.0
    won: float = 0.0
    """Of the shoes since the statistic was last below 1; `won` is what the stakes win on average."""

    def begin(self) -> None:
        self.shoes = self.rounds = 0
        self.staked = self.won = 0.0


class SeatEvidence(msgspec.Struct, frozen=True):
    table: str
    seat: str
    by_wager: dict[str, Evidence]


class Following:
    def __init__(
        self, threshold: float = THRESHOLD, *, kept: Iterable[SeatEvidence] = (), most_seats: int = MOST_SEATS
    ) -> None:
        """`kept` is what an earlier process had."""
        self._threshold = threshold
        self._most_seats = most_seats
        self._seats = OrderedDict(((seat.table, seat.seat), seat) for seat in kept)

    def kept(self) -> tuple[SeatEvidence, ...]:
        """All that a later process needs in order to go on."""
        return tuple(self._seats.values())

    def wagers(self, table: str, record: ShoeRecord) -> frozenset[str]:
        """The wagers whose fresh shoes `take` needs: those with stakes that say something."""
        return frozenset(
            wager
            for seat in _present(record)
            for wager, stakes in self._staked(table, seat, record)
            if _weights(stakes, self._before(table, seat, wager)) is not None
        )

    def take(self, table: str, record: ShoeRecord, fresh: Mapping[str, FreshShoes]) -> list[Follows]:
        """Add a shoe that has ended; return the seats that are past the threshold with it.

        A wager without fresh shoes is left out, which is no evidence.
        """
        found = []
        for seat in _present(record):
            by_wager = self._seats.setdefault((table, seat), SeatEvidence(table, seat, {})).by_wager
            self._seats.move_to_end((table, seat))
            for wager, stakes in list(self._staked(table, seat, record)):
                kept = by_wager.setdefault(wager, Evidence())
                weights = _weights(stakes, kept)
                _remember(stakes, kept)
                if weights is None or wager not in fresh:
                    continue
                edges = np.array(record.edges[wager])
                e_value = calibrated(p_value(record.rounds, weights, edges, fresh[wager]))
                follows = self._weigh(kept, e_value, stakes, edges)
                if follows:
                    found.append(Follows(seat, wager, kept.shoes, kept.rounds, kept.won / kept.staked, kept.value))
                    kept.value = 0.0
                if kept.value < 1:
                    kept.begin()
        while len(self._seats) > self._most_seats:
            self._seats.popitem(last=False)
        return found

    def _weigh(self, kept: Evidence, e_value: float, stakes: Array, edges: Array) -> bool:
        # Where the stakes win nothing, the statistic would otherwise grow without end.
        kept.value = (1 + min(kept.value, self._threshold)) * e_value
        kept.shoes += 1
        kept.rounds += int(np.count_nonzero(stakes))
        kept.staked += float(stakes.sum())
        kept.won += float(stakes @ edges)
        return kept.value >= self._threshold and kept.won > 0

    def _before(self, table: str, seat: str, wager: str) -> Evidence:
        seats = self._seats.get((table, seat))
        return (seats and seats.by_wager.get(wager)) or Evidence()

    def _staked(self, table: str, seat: str, record: ShoeRecord) -> Iterator[tuple[str, Array]]:
        """The stakes of a seat that is there, by wager, also those that it staked on before and not in this shoe."""
        before = self._seats.get((table, seat))
        nothing = (0,) * len(record.rounds)
        for wager in record.edges:
            stakes = record.stakes.get((seat, wager), nothing)
            if any(stakes) or (before is not None and wager in before.by_wager):
                yield wager, np.array(stakes, dtype=np.float64)


def _present(record: ShoeRecord) -> list[str]:
    """The seats that staked on anything in this shoe, each once."""
    return list(dict.fromkeys(seat for (seat, _), stakes in record.stakes.items() if any(stakes)))


def _remember(stakes: Array, kept: Evidence) -> None:
    kept.usual_stakes = REMEMBERED * kept.usual_stakes + float(stakes.sum())
    kept.usual_rounds = REMEMBERED * kept.usual_rounds + len(stakes)


def _weights(stakes: Array, kept: Evidence) -> Array | None:
    """How far each stake is from what the seat usually stakes in a round, this shoe included; `None` for a flat bettor.

    The usual stake rather than this shoe's mean: whoever counts also stays away from shoes in which the edge never is
    the player's, and that is evidence too.
    """
    usual = (REMEMBERED * kept.usual_stakes + stakes.sum()) / (REMEMBERED * kept.usual_rounds + len(stakes))
    weights = stakes - usual
    largest = max(float(stakes.max()), usual)
    return weights if np.abs(weights).max() > FLAT * largest else None


def p_value(rounds: tuple[int, ...], weights: Array, edges: Array, fresh: FreshShoes) -> float:
    """The share of shoes, this one and fresh ones, in which the stakes follow the edge at least as closely.

    A shoe that ends is compared with fresh ones that ended with the same round: how long a shoe lasts depends on its
    cards. The few last rounds of an unusually long one are not counted.
    """
    last = min(rounds[-1], fresh.longest)
    counted = sum(number <= last for number in rounds)
    by_round = np.zeros(last)
    by_round[np.array(rounds[:counted], dtype=np.int64) - 1] = weights[:counted]
    others = fresh.ended_with(last)[:, :last] @ by_round
    own = edges[:counted] @ weights[:counted]
    return (1 + int(np.count_nonzero(others >= own))) / (1 + len(others))


_TILT = 1.25
_LEAST = 0.1


def calibrated(p: float) -> float:
    """The e-value of a p-value: the density of a normal distribution that is moved by `_TILT`, and a constant.

    Its integral over p from 0 to 1 is 1, and it falls with p. Of one card counter after another it makes more than
    p^-1/2 / 2 does; the constant is there because nobody counts without mistakes.
    """
    if p >= 1:
        return _LEAST
    normal_score = NormalDist().inv_cdf(1 - p)
    return _LEAST + (1 - _LEAST) * float(np.exp(_TILT * normal_score - _TILT**2 / 2))
