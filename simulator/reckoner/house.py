"""The rules of a house as the reckoner needs them, read from what its table publishes in `info` and `shoe_opened`."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from simulator.reckoner.mismatch import Json
from simulator.reckoner.pay_tables import GAMES, L8, Rule, rules


class RoundLimit(NamedTuple):
    """The most that is paid in a round for these wagers together."""

    amount: int
    wagers: frozenset[str]
    policy: str


class HouseRules(NamedTuple):
    prices: Mapping[str, Rule]
    """What wagers pay, by a second opinion. A wager of the house's own is not in it."""
    taxed: frozenset[str] = frozenset()
    """Wagers that pay even money, less commission."""
    commission_taken: str = "at_once"
    seats: tuple[str, ...] = ()
    """In the order of action."""
    offered: tuple[str, ...] = ()
    """In the order in which a seat is paid."""
    rounding: str = "down"
    unit: int = 1
    limit: RoundLimit | None = None

    def rounded(self, amount: Fraction) -> int:
        """A multiple of the unit, as the house rounds what does not divide."""
        units = amount / self.unit
        match self.rounding:
            case "up":
                whole = -(-units.numerator // units.denominator)
            case "nearest":
                whole = (2 * units.numerator + units.denominator) // (2 * units.denominator)
            case _:
                whole = units.numerator // units.denominator
        return whole * self.unit


def house_of(published: Json) -> HouseRules:
    """The house that published these rules."""
    offered = {wager["id"]: [price["pays"] for price in wager["prices"]] for wager in published["offered"]}
    game, limit, rounding = published["base_game"], published["round_limit"], published["rounding"]
    commission = Fraction(published["commission"].removesuffix("%")) / 100
    prices: dict[str, Rule] = {}
    if game in GAMES:
        known = rules(game, _suite(offered), _fortune(offered), _lucky(offered), commission)
        prices = {wager: rule for wager, rule in known.items() if wager in offered}
    return HouseRules(
        prices=prices,
        taxed=frozenset({"base.banker"}) if game == "commission" else frozenset(),
        commission_taken=published["commission_taken"],
        seats=tuple(published["seats"]),
        offered=tuple(offered),
        rounding=rounding["mode"],
        unit=rounding["unit"],
        limit=None if limit is None else RoundLimit(limit["amount"], frozenset(limit["wagers"]), limit["policy"]),
    )


Posted = Mapping[str, list[str]]
"""The prices of each wager, as they are posted."""


def _suite(offered: Posted) -> str:
    return "B" if offered.get("five_dragons.any_dragon", [])[:1] == ["4:1"] else "A"


def _fortune(offered: Posted) -> str:
    return "2" if offered.get("infinite_fortune.natural_9_over_natural_8") == ["45:1"] else "1"


def _lucky(offered: Posted) -> str:
    posted = offered.get("lucky_8.player") or offered.get("lucky_8.banker")
    return next((name for name, prices in L8.items() if posted == [f"{price}:1" for price in prices]), "L8-1")
