"""The second settlement and the product's own come to the same, for any house and any wagers."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.settlement import settle
from shoe_controller.house.rules import read_rules
from simulator.reckoner.drawing import dealt
from simulator.reckoner.house import HouseRules, house_of
from simulator.reckoner.mismatch import MismatchError
from simulator.reckoner.settlement import check_settlement, rows_of, settled, wagers_of
from tests.table.sitting import rules
from tests.table.state_checks import as_json, info_of

GAMES = ("commission", "nepal", "no_commission")
LAYOUTS = ("golden_bacc", "five_dragons_a", "five_dragons_b", "infinite_fortune", "lucky_8", "nepal_super_baccarat")

houses = st.fixed_dictionaries(
    {
        "base_game": st.sampled_from(GAMES),
        "layout": st.sampled_from(LAYOUTS),
        "commission": st.fixed_dictionaries({"taken": st.sampled_from(["at_once", "marked"])}),
        "rounding": st.fixed_dictionaries(
            {"mode": st.sampled_from(["down", "nearest", "up"]), "unit": st.sampled_from([1, 5])}
        ),
    },
    optional={
        "round_limit": st.fixed_dictionaries(
            {
                "amount": st.sampled_from([5, 700, 1_000_000]),
                "over_limit": st.sampled_from(["proportional", "in_order"]),
            }
        )
    },
)


@settings(max_examples=60, deadline=None)
@given(house=houses, seed=st.integers(0, 9999))
def test_both_settlements_are_the_same(house: dict[str, object], seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same every time
    source = rules({"allow_player_edge": ["five_dragons.any_dragon", "base.banker"], **house})
    product = read_rules(source)
    second = house_of(as_json(info_of(source)))
    stack = chance.sample([*CARDS_BY_NUMBER] * 8, 6)
    deal, left = Deal(), iter(stack)
    while deal.next_side is not None:
        deal.feed(next(left))
    wagers = [w for w in product.offered if w in ("base.player", "base.banker", "base.tie") or chance.random() < 0.5]
    placed = [PlacedWager(seat, wager, 5 * chance.randint(1, 60)) for seat in product.seats for wager in wagers]
    product = msgspec.structs.replace(product, option_rules=())
    published = as_json(settle(product, deal.facts, placed))
    played = dealt([card.value for card in stack])
    rows = rows_of(published)
    assert settled(second, played, wagers_of(as_json(placed))) == rows
    check_settlement(published, rows, second)


def test_a_house_that_takes_another_commission() -> None:
    source = rules({"base_game": "commission", "commission": {"rate": "4%"}})
    house = house_of(info_of(source))
    price = house.prices["base.banker"](dealt(["2H", "9D", "3S", "KC", "2C", "2C"]))
    assert price is not None
    assert float(price) == pytest.approx(0.96)


def test_a_base_game_of_the_houses_own_has_no_prices() -> None:
    info = dict(info_of(rules({}))) | {"base_game": "riverside"}
    assert house_of(info).prices == {}


def test_a_settlement_must_say_how_commission_is_taken() -> None:
    empty = {"wagers": [], "totals": {}, "seats": {}, "steps": [], "commission_taken": "never"}
    with pytest.raises(MismatchError):
        check_settlement(empty, [], HouseRules({}))
