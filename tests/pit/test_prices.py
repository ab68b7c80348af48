"""Pay tables are rebuilt from published prices exactly, and their edges are those of `odds`."""

from fractions import Fraction

import msgspec
import pytest

from shoe_controller.baccarat.conditions import describe, facts_where
from shoe_controller.baccarat.house import House
from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.baccarat.wagers import Result, Row, Schedule
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.rules import Price, PublishedRules
from shoe_controller.pit import prices
from shoe_controller.pit.prices import PricesUnknownError, SharedPrices, pay_table_of
from shoe_controller.table.published_rules import published_rules
from tests.table.sitting import rules

CATALOGUE = built_in_catalogue()


def published(schedule: Schedule) -> PublishedRules:
    """As a table publishes a schedule that offers everything it has a price for."""
    source = rules({"offer": ["base"]})
    house: House = msgspec.structs.replace(
        read_rules(source),
        schedule=schedule,
        offered=tuple(schedule.pay_tables),
        names={wager: CATALOGUE.wagers[wager].names for wager in schedule.pay_tables},
        limits=dict.fromkeys(schedule.pay_tables, next(iter(read_rules(source).limits.values()))),
    )
    return published_rules(source, house)


def schedules() -> list[Schedule]:
    """Every base game, each with its commission and another, and every pay table of every wager."""
    most = max(len(wager.pay_tables) for wager in CATALOGUE.wagers.values())
    chosen = [
        {
            wager.id: list(wager.pay_tables)[number % len(wager.pay_tables)]
            for wager in CATALOGUE.wagers.values()
            if len(wager.pay_tables) > 1
        }
        for number in range(most)
    ]
    games = [
        CATALOGUE.schedule(game, chosen[0], rate) for game in CATALOGUE.base_games for rate in (None, Fraction(1, 14))
    ]
    return [*games, *(CATALOGUE.schedule("nepal", each) for each in chosen)]


@pytest.mark.parametrize("schedule", schedules())
def test_pay_tables_are_rebuilt_from_published_prices(schedule: Schedule) -> None:
    offered = published(schedule).offered
    assert len(offered) >= 59
    for wager in offered:
        rebuilt, own = pay_table_of(wager), schedule.pay_tables[wager.id]
        assert [row.holds for row in rebuilt] == [row.holds for row in own]
        results = [schedule.row_result(row) for row in own]
        assert [row.pays for row in rebuilt] == [None if r.result is Result.PUSH else r.pays for r in results]


@pytest.mark.parametrize("base_game", CATALOGUE.base_games)
def test_the_edges_of_a_full_shoe_are_those_of_odds(base_game: str) -> None:
    schedule = CATALOGUE.schedule(base_game)
    priced = SharedPrices().of(published(schedule))
    for wager, edge in zip(priced.live.wagers, priced.full_shoe, strict=True):
        assert edge == pytest.approx(float(exact_odds(schedule, wager, 8).expectation), abs=1e-10)


def test_the_conditions_of_a_house_may_have_several_values() -> None:
    when = {"player_perfect_pair": True, "margin": [0, 1], "winner": ["player", "tie"]}
    price = Price(when=describe(when), pays="25:2")
    wager = msgspec.structs.replace(published(CATALOGUE.schedule("nepal")).offered[0], prices=(price,))
    assert pay_table_of(wager) == (Row(price.when, facts_where(when), Fraction(25, 2)),)


@pytest.mark.parametrize(
    ("when", "pays"),
    [
        ("winner dragon", "1:1"),
        ("sun_shines true", "1:1"),
        ("winner", "1:1"),
        ("", "1:1"),
        ("winner tie", "1:0"),
        ("winner tie", "8"),
    ],
)
def test_a_price_that_is_not_known_is_refused(when: str, pays: str) -> None:
    wager = published(CATALOGUE.schedule("nepal")).offered[0]
    with pytest.raises(PricesUnknownError):
        pay_table_of(msgspec.structs.replace(wager, prices=(Price(when=when, pays=pays),)))


def test_tables_with_equal_prices_share_them_and_there_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "MOST_RULES", 2)
    shared, one = SharedPrices(), published(CATALOGUE.schedule("nepal"))
    one = msgspec.structs.replace(one, offered=one.offered[:3])
    first = shared.of(one)
    assert shared.of(msgspec.convert(msgspec.to_builtins(one), PublishedRules)) is first
    for decks in (6, 7):
        shared.of(msgspec.structs.replace(one, decks=decks))
    assert shared.of(one) is not first
