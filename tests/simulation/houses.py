"""The house of a simulated table: its base game, its layout with the pay tables, and how it takes commission.

Each has a second opinion on what its wagers pay (`simulator/reckoner`), which shares no code with the product.
"""

import random
from functools import cache
from typing import NamedTuple

from shoe_controller.house.catalogue_files import built_in_catalogue
from simulator.reckoner.house import HouseRules
from simulator.reckoner.pay_tables import rules
from tests.table_files import Data

DECKS = 8
SEATS = ("1", "2", "3")
LEAST, MOST = 100, 1000
"""Stakes that are taken."""

GAMES = ("commission", "no_commission", "nepal")
WHOLE_CATALOGUE = "whole_catalogue"
"""Instead of a layout: a table that offers every wager there is."""
LAYOUTS = (
    "golden_bacc",
    "five_dragons_a",
    "five_dragons_b",
    "infinite_fortune",
    "bad_beat",
    "phoenix_bonus",
    "lucky_8",
    "nepal_super_baccarat",
    "nepal_super_baccarat",
    WHOLE_CATALOGUE,
    WHOLE_CATALOGUE,
)
"""Each as likely as it is often here: those with many wagers more than the others."""


class SimulatedHouse(NamedTuple):
    game: str
    layout: str
    fortune: str
    """The pay table of Infinite Fortune,"""
    lucky: str
    """and that of Lucky 8."""
    commission_taken: str
    unit: int = 1
    """What does not divide is rounded down to a multiple of it."""

    @property
    def rules(self) -> HouseRules:
        suite = "B" if self.layout == "five_dragons_b" else "A"
        offered = every_wager() if self.layout == WHOLE_CATALOGUE else _offered(self.layout)
        prices = rules(self.game, suite, self.fortune, self.lucky)
        return HouseRules(
            prices={wager: rule for wager, rule in prices.items() if wager in offered},
            taxed=frozenset({"base.banker"} if self.game == "commission" else ()),
            commission_taken=self.commission_taken,
            seats=SEATS,
            offered=offered,
            unit=self.unit,
        )

    def __str__(self) -> str:
        return f"{self.game}, {self.layout}"


def house_of(seed: int) -> SimulatedHouse:
    chance = random.Random(f"house {seed}")  # noqa: S311 - the same every time
    game, layout = chance.choice(GAMES), chance.choice(LAYOUTS)
    fortune = chance.choice(["1", "2"])
    lucky = chance.choice(["L8-1", "L8-2", "L8-3"])
    taken = chance.choice(["at_once", "at_once", "marked"])
    # What makes no difference to a house is always the same, so that fewer are made.
    return SimulatedHouse(
        game=game,
        layout=layout,
        fortune=fortune if layout in ("infinite_fortune", WHOLE_CATALOGUE) else "1",
        lucky=lucky if layout in ("lucky_8", WHOLE_CATALOGUE) else "L8-1",
        commission_taken=taken if game == "commission" else "at_once",
        unit=chance.choice([1, 1, 1, 5]),
    )


def section(house: SimulatedHouse) -> Data:
    """The `[house]` of a table's file."""
    whole = house.layout == WHOLE_CATALOGUE
    offered = every_wager() if whole else _offered(house.layout)
    tables = {"infinite_fortune": house.fortune, "lucky_8": house.lucky}
    return {
        "base_game": house.game,
        "decks": DECKS,
        "layout": "golden_bacc" if whole else house.layout,
        "seats": list(SEATS),
        "limits": {"all": {"min": LEAST, "max": MOST}},
        "pay_tables": {group: table for group, table in tables.items() if _has_group(offered, group)}
        | ({"five_dragons.any_dragon": "A"} if whole else {}),
        "commission": {"taken": house.commission_taken},
        "rounding": {"unit": house.unit},
        # Suite A gives the player an edge on it, and a house may insist.
        "allow_player_edge": [wager for wager in offered if wager == "five_dragons.any_dragon"],
    } | ({"offer": list(offered)} if whole else {})


@cache
def every_wager() -> tuple[str, ...]:
    return tuple(built_in_catalogue().wagers)


def _offered(layout: str) -> tuple[str, ...]:
    catalogue = built_in_catalogue()
    return catalogue.expand(catalogue.layouts[layout].offers)


def _has_group(offered: tuple[str, ...], group: str) -> bool:
    return any(wager.startswith(f"{group}.") for wager in offered)
