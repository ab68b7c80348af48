"""The guard: what favours the player, or is dealt with too many or too few decks, is named with its figure."""

from shoe_controller.baccarat.guard import objections
from shoe_controller.catalogue_files import built_in_catalogue

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
