"""The guard: what favours the player, or is dealt with too many or too few decks, is named with its figure."""

from fractions import Fraction

import pytest

from shoe_controller.baccarat.guard import objections, rounded_expectation, rounding_objections
from shoe_controller.baccarat.house import Rounding, RoundingMode, StakeLimits
from shoe_controller.baccarat.odds import exact_odds
from shoe_controller.house.catalogue_files import built_in_catalogue

CATALOGUE = built_in_catalogue()


def test_any_dragon_suite_a_as_printed_is_refused_with_its_figure() -> None:
    schedule = CATALOGUE.schedule("nepal", {"five_dragons.any_dragon": "A"})
    (objection,) = objections(CATALOGUE, schedule, CATALOGUE.wagers, 8)
    assert objection.wager == "five_dragons.any_dragon"
    assert objection.setting == "allow_player_edge"
    assert "pay table A gives the player an edge of 34.74% (8 decks)" in objection.message


def test_nothing_else_in_the_catalogue_favours_the_player() -> None:
    for game in CATALOGUE.base_games:
        for decks in (6, 8):
            assert list(objections(CATALOGUE, CATALOGUE.schedule(game), CATALOGUE.wagers, decks)) == []


def test_decks_that_the_document_does_not_permit() -> None:
    refused = {o.wager: o.message for o in objections(CATALOGUE, CATALOGUE.schedule("nepal"), CATALOGUE.wagers, 7)}
    golden_and_lucky_8 = {
        wager
        for wager in CATALOGUE.wagers
        if wager.startswith(("golden_", "five_", "infinite_", "bad_", "phoenix_", "lucky_8."))
    }
    assert set(refused) == golden_and_lucky_8
    assert refused["lucky_8.player"] == "lucky_8.player may be dealt with 6 or 8 decks, not with 7"


def test_with_few_decks_everything_is_refused() -> None:
    by_decks = [o.wager for o in objections(CATALOGUE, CATALOGUE.schedule("nepal"), CATALOGUE.wagers, 1)]
    assert set(by_decks) == set(CATALOGUE.wagers)


def rounded(base: str, rounding: Rounding, limits: StakeLimits) -> dict[str, str]:
    schedule = CATALOGUE.schedule(base)
    found = rounding_objections(schedule, dict.fromkeys(CATALOGUE.wagers, limits), rounding, 8)
    return {objection.wager: objection.message for objection in found}


def test_rounding_up_that_pays_nepals_six_in_full_is_refused() -> None:
    refused = rounded("nepal", Rounding(RoundingMode.UP, 100), StakeLimits(100, 100))
    assert list(refused) == ["base.banker"]
    assert "1.24% at a stake of 100 (8 decks), because winnings are rounded up" in refused["base.banker"]


@pytest.mark.parametrize(
    ("rounding", "limits"),
    [
        (Rounding(RoundingMode.UP, 1), StakeLimits(1, 10_000)),
        (Rounding(RoundingMode.NEAREST, 25), StakeLimits(25, 10_000)),
        # At the least stake all is well; a little above it, it is not.
        (Rounding(RoundingMode.UP, 1), StakeLimits(20, 21)),
    ],
)
def test_rounding_away_the_commission_is_refused(rounding: Rounding, limits: StakeLimits) -> None:
    worst = rounded("commission", rounding, limits)
    if limits.min == 20:
        odds = exact_odds(CATALOGUE.schedule("commission"), "base.banker", 8)
        assert rounded_expectation(odds, 21, rounding) > rounded_expectation(odds, 20, rounding) == odds.expectation
        assert ("base.banker" in worst) == (rounded_expectation(odds, 21, rounding) > 0)
    else:
        assert list(worst) == ["base.banker"]


def test_rounding_down_and_large_stakes_are_no_matter() -> None:
    assert rounded("nepal", Rounding(RoundingMode.DOWN, 100), StakeLimits(100, 100)) == {}
    assert rounded("commission", Rounding(RoundingMode.UP, 1), StakeLimits(1_000, 10_000)) == {}


@pytest.mark.parametrize("mode", RoundingMode)
def test_where_everything_divides_rounding_changes_nothing(mode: RoundingMode) -> None:
    schedule = CATALOGUE.schedule("commission")
    for wager in CATALOGUE.wagers:
        odds = exact_odds(schedule, wager, 8)
        assert rounded_expectation(odds, 400, Rounding(mode, 1)) == odds.expectation
        assert isinstance(odds.expectation, Fraction)
