"""How players stake: card counters by published counts, and players who double their stake after a loss. Pure.

A counter goes by the cards that everybody at the table has seen. Tags and triggers are those of `docs/protection.md`.
"""

from collections.abc import Sequence
from typing import NamedTuple


class PublishedCount(NamedTuple):
    wager: str
    """The id of the wager that it is for."""
    tags: tuple[int, ...]
    """By points, beginning with the cards that count 0."""
    trigger: int
    """From this true count on the wager is the player's: the sum of the tags of the cards seen, by decks not seen."""

    def favours_player(self, seen: Sequence[int], decks: int) -> bool:
        """`seen`: how many cards of each number of points have been shown in this shoe."""
        unseen = 52 * decks - sum(seen)
        return sum(tag * cards for tag, cards in zip(self.tags, seen, strict=True)) * 52 >= self.trigger * unseen


COUNTS = {
    "natural_9_over_7": PublishedCount("golden_bacc.natural_9_over_7", (1, 0, 1, 1, 1, 1, 1, -5, 1, -5), 6),
    "natural_9_over_natural_8": PublishedCount(
        "infinite_fortune.natural_9_over_natural_8", (1, 0, 1, 1, 1, 1, 1, 1, -5, -5), 6
    ),
    "tie_7": PublishedCount("infinite_fortune.tie_7", (1, 1, 0, 0, 0, 0, 0, -8, 2, 1), 4),
    "dragon_7": PublishedCount("golden_bacc.super_7", (0, 0, 0, 0, -1, -1, -1, -1, 2, 2), 4),
    "panda_8": PublishedCount("golden_bacc.fortune_8", (1, 1, 1, -2, -2, -2, -1, -1, -2, 4), 11),
}
"""Published by Eliot Jacobson, for eight decks; that of a tie on 7 for 45 to 1, and at 40 to 1 it wins nothing."""


def after_losses(losses: int, least: int, most: int) -> int:
    """The stake of a player who begins with the least, and doubles it after each loss in a row up to the most."""
    return min(least << min(losses, most.bit_length()), most)
