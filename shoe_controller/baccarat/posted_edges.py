"""House edges that a document posts for several wagers together, to be compared with the exact ones."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from shoe_controller.baccarat.odds import WagerOdds

PRINTED_DIGITS = 3
"""A posted percentage has one digit behind its point."""


class PostedEdge(NamedTuple):
    wagers: frozenset[str]
    """Staked on with equal amounts."""
    pay_table: str
    decks: int
    house_edge: Fraction


_LUCKY_8 = frozenset({"lucky_8.player", "lucky_8.banker"})

# Lucky 8, Pay Table Schedule, "Combined Equal Wagers". The document does not name the decks; these are the edges of 8.
POSTED = (
    PostedEdge(_LUCKY_8, "L8-1", 8, Fraction("0.079")),
    PostedEdge(_LUCKY_8, "L8-2", 8, Fraction("0.101")),
    PostedEdge(_LUCKY_8, "L8-3", 8, Fraction("0.136")),
)


class CombinedEdge(NamedTuple):
    """The exact edge of equal stakes on several wagers, beside the posted one."""

    wagers: tuple[str, ...]
    pay_table: str
    decks: int
    house_edge: Fraction
    posted: PostedEdge

    @property
    def as_posted(self) -> bool | None:
        """Whether the posted figure is the exact one, rounded; `None` with another number of decks."""
        if self.decks != self.posted.decks:
            return None
        return round(self.house_edge, PRINTED_DIGITS) == self.posted.house_edge


def combined_edges(odds: Iterable[WagerOdds]) -> Iterator[CombinedEdge]:
    """Yield the combined edges that a document posts for these wagers with the pay tables in force."""
    odds = list(odds)
    for posted in POSTED:
        together = [one for one in odds if one.wager in posted.wagers and one.pay_table == posted.pay_table]
        if len(together) == len(posted.wagers):
            edge = sum((one.house_edge for one in together), Fraction(0)) / len(together)
            names = tuple(one.wager for one in together)
            yield CombinedEdge(names, posted.pay_table, together[0].decks, edge, posted)
