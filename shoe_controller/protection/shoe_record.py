"""The edges of a shoe's wagers and the stakes of its seats, round by round, as they are judged at its end."""

from collections.abc import Mapping
from typing import NamedTuple


class ShoeRecord(NamedTuple):
    """One shoe, in all its rounds with wagers."""

    decks: int
    last_rounds: int
    """Rounds after the one in which the cut card came."""
    rounds: tuple[int, ...]
    """The numbers of the rounds, in order."""
    edges: Mapping[str, tuple[float, ...]]
    """By wager, one for each round."""
    stakes: Mapping[tuple[str, str], tuple[int, ...]]
    """By seat and wager, one for each round, in minor units."""
