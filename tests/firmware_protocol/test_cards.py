"""The 52 cards: their text, their points, and the numbers that hands are compared by."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER, BadCardError, Card


def test_a_deck_is_thirteen_ranks_in_four_suits() -> None:
    assert sorted(card.value for card in Card) == sorted(rank + suit for rank, suit in product("A23456789TJQK", "CDHS"))


@pytest.mark.parametrize("card", Card)
def test_each_card_reads_itself_back(card: Card) -> None:
    assert Card.parse(str(card)) is card
    assert Card.parse(f" {str(card).lower()} ") is card
    assert card.value == card.rank.value + card.suit.value
    assert card.name == f"{card.rank.name}_OF_{card.suit.name}"


def test_points() -> None:
    assert [Card(rank + "H").points for rank in "A23456789TJQK"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]


def test_a_ten_may_be_written_as_ten() -> None:
    assert Card.parse("10s") is Card.parse("Ts") is Card.TEN_OF_SPADES


@pytest.mark.parametrize("text", ["", "9", "H", "1H", "9X", "9HH", "10", "T", "99", "9 H", "10 H", "110H", "♥9"])
def test_what_is_no_card_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadCardError, match="is not a card"):
        Card.parse(text)


@given(st.text(max_size=30))
def test_any_text_is_a_card_or_a_clear_error(text: str) -> None:
    if text.isascii() and text.strip().upper() in {card.value for card in Card}:
        assert isinstance(Card.parse(text), Card)
    elif not text.strip().startswith("10"):
        with pytest.raises(BadCardError) as error:
            Card.parse(text)
        assert repr(text) in str(error.value)


def test_numbers_tell_rank_and_suit_apart() -> None:
    assert [card.number for card in CARDS_BY_NUMBER] == list(range(52))
    for one, two in product(Card, repeat=2):
        assert (one.number ^ two.number < 4) == (one.rank is two.rank)
        assert (one.number & 3 == two.number & 3) == (one.suit is two.suit)
