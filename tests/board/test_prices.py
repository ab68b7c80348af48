"""What is posted of a pay table: nothing is left out that a player needs to know, and nothing is posted twice."""

import pytest

from shoe_controller.baccarat.conditions import WORDS
from shoe_controller.board.prices import PostedPrice, posted_prices
from shoe_controller.house.catalogue_files import built_in_catalogue
from shoe_controller.messages.rules import Price
from tests.board.texts import LANGUAGES


def prices(*lines: tuple[str, str]) -> tuple[PostedPrice, ...]:
    return posted_prices([Price(when=when, pays=pays) for when, pays in lines])


def test_one_price_needs_no_condition() -> None:
    assert prices(("player_pair true", "11:1")) == (PostedPrice((), "11:1"),)


def test_a_push_on_a_tie_goes_without_saying_and_any_other_does_not() -> None:
    assert prices(("winner player", "1:1"), ("winner tie", "push")) == (PostedPrice((), "1:1"),)
    assert prices(
        ("winner banker, banker_total 7, banker_cards 3", "push"), ("winner banker", "1:1"), ("winner tie", "push")
    ) == (
        PostedPrice((("banker_total", ("7",)), ("banker_cards", ("3",))), "push"),
        PostedPrice((), "1:1"),
    )


def test_what_all_lines_have_in_common_is_left_out() -> None:
    assert prices(
        ("winner banker, banker_total 6, banker_cards 3", "20:1"),
        ("winner banker, banker_total 6, banker_cards 2", "12:1"),
    ) == (PostedPrice((("banker_cards", ("3",)),), "20:1"), PostedPrice((("banker_cards", ("2",)),), "12:1"))


def test_several_values_stay_together() -> None:
    assert prices(("winner tie, player_total 6 or 7", "20:1"), ("any round", "1:1"))[0].when == (
        ("winner", ("tie",)),
        ("player_total", ("6", "7")),
    )


def test_no_prices_are_no_lines() -> None:
    assert prices() == ()


def test_no_two_lines_of_a_wager_in_the_catalogue_look_the_same() -> None:
    catalogue = built_in_catalogue()
    tables = [table for wager in catalogue.wagers.values() for table in wager.pay_tables.values()]
    tables += [table for game in catalogue.base_games.values() for table in game.pay_tables.values()]
    assert tables
    for table in tables:
        posted = prices(*((row.when, "push" if row.pays is None else str(row.pays)) for row in table))
        conditions = [price.when for price in posted]
        assert len(set(conditions)) == len(conditions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_catalogue_can_be_said(language: str) -> None:
    texts = LANGUAGES[language]
    for word, meaning in WORDS.items():
        each = all(f"{word}_{str(value).lower()}" in texts for value in meaning.values)
        assert each or "{n}" in texts.get(word, ""), word
