import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from simulator.decks import MOST_DECKS, BadCardsError, exact_cards, read_cards, shuffled_decks


def generator(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 -- cards of a test


@pytest.mark.parametrize("decks", range(1, MOST_DECKS + 1))
def test_every_face_is_there_once_for_each_deck_and_every_piece_has_its_own_number(decks: int) -> None:
    loaded = shuffled_decks(decks, generator(decks))
    assert Counter(piece.card for piece in loaded.pieces) == dict.fromkeys(Card, decks)
    assert len({piece.card_id for piece in loaded.pieces}) == 52 * decks
    assert {piece.deck_set for piece in loaded.pieces} == {loaded.deck_set}
    assert loaded.copies == decks


def test_the_seed_decides_the_order() -> None:
    assert shuffled_decks(8, generator(1)) == shuffled_decks(8, generator(1))
    assert shuffled_decks(8, generator(1)) != shuffled_decks(8, generator(2))


@pytest.mark.parametrize("decks", [-1, 0, MOST_DECKS + 1])
def test_a_number_of_decks_that_no_shoe_takes_is_refused(decks: int) -> None:
    with pytest.raises(BadCardsError, match=f"1 to {MOST_DECKS} decks, not {decks}"):
        shuffled_decks(decks, generator(1))


@given(st.lists(st.sampled_from(Card), min_size=1))
def test_an_exact_list_stays_in_its_order(cards: list[Card]) -> None:
    loaded = exact_cards(cards, generator(1))
    assert [piece.card for piece in loaded.pieces] == cards
    assert loaded.copies == max(Counter(cards).values())


def test_no_cards_are_no_shoe() -> None:
    with pytest.raises(BadCardsError, match="at least one card"):
        exact_cards([], generator(1))


def test_a_file_of_cards_is_read_as_a_person_writes_it() -> None:
    text = "9h, 4D 10s   # the first round\n\nKC\n"
    assert read_cards(text, "cards.txt") == [Card("9H"), Card("4D"), Card("TS"), Card("KC")]


def test_every_bad_card_of_a_file_is_named_with_its_line() -> None:
    with pytest.raises(BadCardsError) as caught:
        read_cards("9H 1D\nKC\nZZ", "cards.txt")
    first, second = str(caught.value).splitlines()
    assert first.startswith("cards.txt, line 1: '1D' is not a card")
    assert second.startswith("cards.txt, line 3: 'ZZ' is not a card")


def test_a_file_without_a_card_is_refused() -> None:
    with pytest.raises(BadCardsError, match="contains no cards"):
        read_cards("# nothing yet\n", "cards.txt")
