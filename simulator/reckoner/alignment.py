"""Two lists of cards side by side: what was lost, doubled, invented, or is in another order."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from simulator.reckoner.mismatch import Json

T = TypeVar("T")
Pairs = list[tuple[Json | None, T | None]]


def aligned(truth: Sequence[Json], records: Sequence[T], fits: Callable[[T, Json], bool]) -> "Pairs[T]":
    """Both lists in order, with as many pairs as possible; a card without its counterpart stands alone."""
    begin = 0
    while begin < min(len(truth), len(records)) and fits(records[begin], truth[begin]):
        begin += 1
    pairs: Pairs[T] = [*zip(truth[:begin], records[:begin], strict=True)]
    left, right = truth[begin:], records[begin:]
    longest = _common_lengths(left, right, fits)
    i = j = 0
    while i < len(left) and j < len(right):
        if fits(right[j], left[i]) and longest[i][j] == longest[i + 1][j + 1] + 1:
            pairs.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            pairs.append((left[i], None))
            i += 1
        else:
            pairs.append((None, right[j]))
            j += 1
    pairs += [(card, None) for card in left[i:]]
    pairs += [(None, record) for record in right[j:]]
    return pairs


def _common_lengths(left: Sequence[Json], right: Sequence[T], fits: Callable[[T, Json], bool]) -> list[list[int]]:
    """The length of the longest common subsequence from each place in both lists on."""
    longest = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            best = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = max(best, longest[i + 1][j + 1] + 1) if fits(right[j], left[i]) else best
    return longest


class Leniency(NamedTuple):
    """Which differences between cards of the truth and cards on record are no problem."""

    under_way: bool = False
    """The newest cards may not be on record yet."""
    any_loss: bool = False
    """A wire that keeps no events lost some."""
    any_invention: bool = False
    """Someone else spoke on the wire."""
    faults: frozenset[str] = frozenset()
    """Cards may be lost or invented by these faults, where the round was voided."""


STRICT = Leniency()


class Comparison(NamedTuple):
    """How many cards of each kind there are; and what is a problem."""

    agreed: int
    lost: int
    invented: int
    under_way: int
    problems: list[str]


def compare(pairs: "Pairs[T]", leniency: Leniency, excused: Callable[[int], bool]) -> Comparison:
    """Judge the pairs; `excused` says whether a fault that is allowed for explains the pair of that number."""
    both = [number for number, (left, record) in enumerate(pairs) if left is not None and record is not None]
    last = both[-1] if both else -1
    lost = invented = under_way = 0
    problems: list[str] = []
    for number, (left, record) in enumerate(pairs):
        if record is None and left is not None:
            if leniency.under_way and number > last:
                under_way += 1
            elif leniency.any_loss or excused(number):
                lost += 1
            else:
                problems.append(f"{left['card']} to {left['to']} left the shoe and is not on record")
        elif left is None:
            if leniency.any_invention or excused(number):
                invented += 1
            else:
                problems.append(f"{record} is on record and never left the shoe")
    return Comparison(len(both), lost, invented, under_way, problems)
