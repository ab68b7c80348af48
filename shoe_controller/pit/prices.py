"""Pay tables from the prices that a table publishes, and the edges that follow from them, shared between tables. Pure.

Prices are published after commission, so nothing is taken from these pay tables any more.
"""

from collections import OrderedDict
from fractions import Fraction
from typing import NamedTuple

from shoe_controller.baccarat.composition import full_shoe
from shoe_controller.baccarat.conditions import ConditionError, facts_where, read_description
from shoe_controller.baccarat.wagers import PayTable, Row
from shoe_controller.messages.rules import OfferedWager, Price, PublishedRules
from shoe_controller.protection.live_edges import LiveEdges

MOST_RULES = 64
"""Different prices that are kept ready; more than any site has."""


class PricesUnknownError(ValueError):
    """A price that this version cannot read."""


def pay_table_of(wager: OfferedWager) -> PayTable:
    """Raise `PricesUnknownError` where a condition or a price cannot be read."""
    return tuple(_row(price) for price in wager.prices)


def _row(price: Price) -> Row:
    try:
        holds = facts_where(read_description(price.when))
        if price.pays == "push":
            return Row(price.when, holds, None)
        winnings, stake = map(int, price.pays.split(":"))
        return Row(price.when, holds, Fraction(winnings, stake))
    except (ConditionError, ValueError, ZeroDivisionError) as error:
        raise PricesUnknownError(f"{price.when}, {price.pays}: {error}") from error


class PricedRules(NamedTuple):
    """What a shoe's wagers are worth, by the cards that are left."""

    live: LiveEdges
    full_shoe: tuple[float, ...]
    """By wager, as in `live`."""


class SharedPrices:
    """Makes edges from prices once, for all tables and shoes with the same."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[int, tuple[tuple[str, tuple[Price, ...]], ...]], PricedRules] = OrderedDict()

    def of(self, rules: PublishedRules) -> PricedRules:
        """Raise `PricesUnknownError` where a price cannot be read."""
        key = rules.decks, tuple((wager.id, wager.prices) for wager in rules.offered)
        found = self._made.get(key)
        if found is None:
            live = LiveEdges({wager.id: pay_table_of(wager) for wager in rules.offered})
            found = self._made[key] = PricedRules(live, live.edges([full_shoe(rules.decks)])[0])
            if len(self._made) > MOST_RULES:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        return found
