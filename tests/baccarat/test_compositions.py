"""The counts behind the odds of any composition, held against counters of other kinds."""

import os
import random
from collections import Counter

import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER, Card, Rank, Suit
from shoe_controller.baccarat.composition import (
    Composition,
    CompositionError,
    all_draws,
    check,
    full_shoe,
    shoe_without,
)
from shoe_controller.baccarat.distribution import draws_by_facts, draws_from
from shoe_controller.baccarat.facts import Facts, all_facts
from tests.baccarat.brute_force import by_points, composition_of, every_face, every_order
from tests.baccarat.full_shoe_counter import draws_without_perfect_pairs

LONG = "LONG_TESTS" in os.environ


def counted(composition: Composition) -> Counter[Facts]:
    found = dict(zip(all_facts(), draws_from(composition), strict=True))
    assert sum(found.values()) == all_draws(composition)
    return Counter({facts: draws for facts, draws in found.items() if draws})


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_full_shoe_by_another_method(decks: int) -> None:
    found: Counter[tuple[int, int, int, int, bool, bool, bool, bool]] = Counter()
    for facts, draws in zip(all_facts(), draws_by_facts(decks), strict=True):
        found[facts[:8]] += draws
    expected = draws_without_perfect_pairs(decks)
    assert +found == +expected
    assert found.total() == all_draws(full_shoe(decks))


@pytest.mark.parametrize(
    "cards",
    [
        "9H 9H 9D KH KH KD KC 4H",
        "KH KD QH QH JS TS TS 5S",
        "3C 3C 3C 3D 5C 5D 8C 8C",
        "AH AH 2H 2H 6D 6H KH TH",
        *(["9H 9H 9D 9D KH KH QH JC 4H 5D", "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC"] if LONG else []),
    ],
)
def test_every_order_of_a_tiny_shoe(cards: str) -> None:
    shoe = [Card.parse(text) for text in cards.split()]
    assert counted(composition_of(shoe)) == every_order(shoe)


@pytest.mark.parametrize("seed", range(60 if LONG else 3))
def test_random_shoes_of_few_faces(seed: int) -> None:
    """Few ranks and suits, so that pairs, perfect pairs and suited hands meet in one round."""
    chance = random.Random(seed)  # noqa: S311 - shoes for a test
    ranks = chance.sample(list(Rank), 3) if seed % 3 else [Rank.TEN, Rank.KING, chance.choice(list(Rank))]
    suits = chance.sample(list(Suit), 2)
    faces = [card for card in Card if card.rank in ranks and card.suit in suits]
    composition = composition_of([card for card in faces for _ in range(chance.randint(0, 8))] + faces)
    assert counted(composition) == every_face(composition)


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
@pytest.mark.parametrize("tens", [True, False])
def test_totals_of_random_shoes_by_points_alone(seed: int, tens: bool) -> None:  # noqa: FBT001 - a parameter of a test
    chance = random.Random(seed)  # noqa: S311 - shoes for a test
    composition = tuple(chance.randint(0, 8) if card.points or tens else 0 for card in CARDS_BY_NUMBER)
    found: Counter[tuple[int, int, int, int]] = Counter()
    for facts, draws in counted(composition).items():
        found[facts[:4]] += draws
    assert found == by_points(composition)


def shoe_of(copies: int, *, of: str) -> Composition:
    return tuple(copies if any(mark in card.value for mark in of) else 0 for card in CARDS_BY_NUMBER)


def test_in_one_suit_every_hand_is_suited_and_every_pair_perfect() -> None:
    for facts in counted(shoe_of(8, of="H")):
        assert facts.player_suited
        assert facts.banker_suited
        assert facts.player_pair == facts.player_perfect_pair
        assert facts.banker_pair == facts.banker_perfect_pair


def test_tens_alone_are_one_round() -> None:
    for facts in counted(shoe_of(2, of="TJQK")):
        assert facts[:4] == (0, 0, 3, 3)


def test_six_cards_left() -> None:
    shoe = [Card.parse(text) for text in ("9H", "9H", "KC", "2D", "2D", "5S")]
    assert counted(composition_of(shoe)) == every_order(shoe)


def test_compositions_that_are_none_are_refused() -> None:
    with pytest.raises(CompositionError, match="5 cards are left; odds are counted for 6 to 416"):
        check(composition_of([Card.NINE_OF_HEARTS] * 5))
    with pytest.raises(CompositionError, match="417 cards are left"):
        check((9, *full_shoe(8)[1:]))
    with pytest.raises(CompositionError, match="none of them below 0"):
        check((-1, *full_shoe(8)[1:]))
    with pytest.raises(CompositionError, match="9H is gone 3 times; 2 decks cannot hold so many"):
        shoe_without(2, [Card.NINE_OF_HEARTS] * 3)


def test_cards_that_are_gone_are_not_in_the_shoe() -> None:
    left = shoe_without(8, [Card.NINE_OF_HEARTS, Card.NINE_OF_HEARTS, Card.ACE_OF_CLUBS])
    assert left[Card.NINE_OF_HEARTS.number] == 6
    assert left[Card.ACE_OF_CLUBS.number] == 7
    assert sum(left) == 413
