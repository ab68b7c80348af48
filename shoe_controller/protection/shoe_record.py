"""What one shoe of a table showed: the edges of its wagers, and what each seat staked on them."""

from collections.abc import Mapping
from typing import NamedTuple


class ShoeRecord(NamedTuple):
    decks: int
    last_rounds: int
    rounds: tuple[int, ...]
    """The numbers of the rounds whose wagers were closed, in order, also those that nobody staked on."""
    edges: Mapping[str, tuple[float, ...]]
    """By wager: the player's edge, one for each of these rounds."""
    stakes: Mapping[tuple[str, str], tuple[int, ...]]
    """By seat and wager, in minor units: one for each of these rounds, 0 where none."""
