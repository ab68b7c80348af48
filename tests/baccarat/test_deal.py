"""A deal fed card by card: turns, hands, facts, and its three named errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal, OutOfTurnError, OverDrawError, UnderDrawError
from shoe_controller.baccarat.facts import Facts, all_facts, number_of
from shoe_controller.baccarat.outcome import ImpossibleCardError, dealt_round
from shoe_controller.baccarat.reasons import BankerDrawsAfterThird, PlayerDraws
from shoe_controller.baccarat.sides import Side
from simulator.reckoner import drawing as second_opinion
from tests.baccarat.sample_rounds import round_for_each_facts

SHOE_OF_CARDS = st.lists(st.sampled_from(Card), min_size=6, max_size=6)


def fed(texts: str) -> Deal:
    deal = Deal()
    for text in texts.split():
        deal.feed(Card.parse(text))
    return deal


def test_a_round_as_a_dealer_sees_it() -> None:
    deal = fed("5H TD KS 5C")
    assert (deal.next_side, deal.why) == (Side.PLAYER, PlayerDraws(player_total=5))
    assert deal.feed(Card.parse("4D")) is Side.BANKER
    assert deal.why == BankerDrawsAfterThird(banker_total=5, player_third=4)
    assert deal.feed(Card.parse("AS")) is None
    assert deal.complete
    assert [str(card) for card in deal.player] == ["5H", "KS", "4D"]
    assert [str(card) for card in deal.banker] == ["TD", "5C", "AS"]
    assert deal.facts == Facts(9, 6, 3, 3, *[False] * 6)


@pytest.mark.parametrize(
    ("texts", "player", "banker"),
    [
        ("", "", ""),
        ("5H", "5H", ""),
        ("5H TD", "5H", "TD"),
        ("6H TD KS 5C", "6H KS", "TD 5C"),
        ("6H TD KS 5C 3D", "6H KS", "TD 5C 3D"),
        ("5H TD KS 7C 3D", "5H KS 3D", "TD 7C"),
    ],
)
def test_hands_at_any_moment(texts: str, player: str, banker: str) -> None:
    deal = fed(texts)
    assert " ".join(map(str, deal.player)) == player
    assert " ".join(map(str, deal.banker)) == banker


@given(SHOE_OF_CARDS)
def test_where_the_shoe_tells_the_hand_only_the_right_one_is_taken(cards: list[Card]) -> None:
    deal = Deal()
    for card in cards:
        turn = deal.next_side
        if turn is None:
            break
        wrong = Side.BANKER if turn is Side.PLAYER else Side.PLAYER
        before = deal.cards
        with pytest.raises(OutOfTurnError, match=f"{card} went to {wrong}, but it is {turn}'s turn"):
            deal.feed(card, wrong)
        assert deal.cards == before
        assert deal.next_side is turn
        deal.feed(card, turn)
    assert deal.complete


@given(SHOE_OF_CARDS, st.sampled_from([None, Side.PLAYER, Side.BANKER]))
def test_one_card_too_many_is_an_over_draw_wherever_it_went(cards: list[Card], hand: Side | None) -> None:
    deal = Deal()
    for card in cards:
        if deal.feed(card) is None:
            break
    facts = deal.facts
    with pytest.raises(OverDrawError, match="one card too many"):
        deal.feed(cards[0], hand)
    assert deal.facts == facts


@given(SHOE_OF_CARDS)
def test_the_end_too_early_is_an_under_draw(cards: list[Card]) -> None:
    deal = Deal()
    for card in cards:
        if deal.complete:
            break
        with pytest.raises(UnderDrawError, match="not complete"):
            deal.check_complete()
        with pytest.raises(UnderDrawError, match="not complete"):
            _ = deal.facts
        deal.feed(card)
    deal.check_complete()


@given(SHOE_OF_CARDS)
def test_facts_agree_with_the_second_opinion(cards: list[Card]) -> None:
    expected = second_opinion.dealt([card.value for card in cards])
    facts = dealt_round(cards[: len(expected.player) + len(expected.banker)], decks=8).facts

    def of(hand: tuple[str, ...]) -> tuple[int, int, bool, bool, bool]:
        pair, one_suit = hand[0][0] == hand[1][0], len({card[1] for card in hand}) == 1
        return second_opinion.total(hand), len(hand), pair, one_suit, hand[0] == hand[1]

    player = facts.player_total, facts.player_cards, facts.player_pair, facts.player_suited, facts.player_perfect_pair
    banker = facts.banker_total, facts.banker_cards, facts.banker_pair, facts.banker_suited, facts.banker_perfect_pair
    assert (player, banker) == (of(expected.player), of(expected.banker))


def test_all_facts_are_the_facts_of_some_round_and_numbered_in_order() -> None:
    assert set(round_for_each_facts()) == set(all_facts())
    assert len(set(all_facts())) == len(all_facts())
    assert [number_of(facts) for facts in all_facts()] == list(range(len(all_facts())))


def test_more_copies_than_the_decks_hold() -> None:
    with pytest.raises(ImpossibleCardError, match="9H came 3 times; 2 decks"):
        dealt_round([Card("9H")] * 3, decks=2)
    assert dealt_round([Card("4H")] * 4, decks=4).complete
