"""The drawing rules: every cell of the printed table, every reason, and all sequences against a second formulation."""

from itertools import product

import pytest

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.drawing import NOTHING_DEALT, HandTotals, dealt, next_side, reason
from shoe_controller.baccarat.reasons import (
    BankerDraws,
    BankerDrawsAfterThird,
    BankerHasDrawn,
    BankerNatural,
    BankerStandsAfterThird,
    BothNatural,
    BothStand,
    FirstCard,
    PlayerDraws,
    PlayerNatural,
    SecondCard,
)
from shoe_controller.baccarat.sides import Side
from simulator.reckoner import drawing as second_opinion

CARD_OF_POINTS = [Card(rank + "S") for rank in "TA23456789"]


@pytest.mark.parametrize("player", range(10))
@pytest.mark.parametrize("banker", range(10))
def test_after_four_cards(player: int, banker: int) -> None:
    at = HandTotals(2, 2, player, banker, None)
    if player >= 8 or banker >= 8:
        assert next_side(at) is None
        naturals = (
            BothNatural(player_total=player, banker_total=banker),
            PlayerNatural(player_total=player),
            BankerNatural(banker_total=banker),
        )
        assert reason(at) == naturals[0 if player >= 8 and banker >= 8 else 1 if player >= 8 else 2]
    elif player <= 5:
        assert next_side(at) is Side.PLAYER
        assert reason(at) == PlayerDraws(player_total=player)
    else:
        assert next_side(at) is (Side.BANKER if banker <= 5 else None)
        stood = BankerDraws if banker <= 5 else BothStand
        assert reason(at) == stood(player_total=player, banker_total=banker)


PRINTED_TABLE = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
"""Banker's two cards, and Player's third cards on which Banker draws."""


@pytest.mark.parametrize("banker", range(8))
@pytest.mark.parametrize("third", range(10))
def test_after_players_third_card(banker: int, third: int) -> None:
    at = HandTotals(3, 2, 4, banker, third)
    draws = str(third) in PRINTED_TABLE[banker]
    assert next_side(at) is (Side.BANKER if draws else None)
    after_third = BankerDrawsAfterThird if draws else BankerStandsAfterThird
    assert reason(at) == after_third(banker_total=banker, player_third=third)


def test_first_four_cards_alternate_beginning_with_player() -> None:
    at = NOTHING_DEALT
    said = []
    for _ in range(4):
        said.append((next_side(at), reason(at)))
        at = dealt(at, 1)
    assert said == [
        (Side.PLAYER, FirstCard(hand=Side.PLAYER)),
        (Side.BANKER, FirstCard(hand=Side.BANKER)),
        (Side.PLAYER, SecondCard(hand=Side.PLAYER)),
        (Side.BANKER, SecondCard(hand=Side.BANKER)),
    ]


def test_after_bankers_third_card_the_round_is_complete() -> None:
    at = HandTotals(3, 3, 4, 7, 2)
    assert next_side(at) is None
    assert reason(at) == BankerHasDrawn(banker_total=7)


@pytest.mark.parametrize("first", range(10))
def test_all_point_sequences_agree_with_the_second_formulation(first: int) -> None:
    """A tenth of the million each: what a deal makes of the six points is what the transposed rules make of them."""
    texts = [card.value for card in CARD_OF_POINTS]
    for rest in product(range(10), repeat=5):
        sequence = (first, *rest)
        deal = Deal()
        for points in sequence:
            if deal.feed(CARD_OF_POINTS[points]) is None:
                break
        expected = second_opinion.dealt([texts[points] for points in sequence])
        standing = deal.standing
        assert (standing.player_cards, standing.banker_cards, standing.player_total, standing.banker_total) == (
            len(expected.player),
            len(expected.banker),
            expected.p,
            expected.b,
        ), sequence
