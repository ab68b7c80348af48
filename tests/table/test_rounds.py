"""The life of a shoe and of a round when nothing goes wrong."""

import pytest

from firmware_protocol.events import CutCard, DoubleFeed, Hand, IndicatedWinner
from shoe_controller.baccarat.reasons import FirstCard, PlayerNatural, SecondCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import UseExtraCard
from shoe_controller.messages.facts import BettingOpened, CardDealt, RoundResult, RoundSettled, ShoeEnded, ShoeOpened
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from tests.table.sitting import Sitting


def test_a_whole_round() -> None:
    table = Sitting()
    table.open_shoe("3H")
    assert table.last(ShoeOpened).decks == 8
    assert table.state.shoe is not None
    assert table.state.shoe.cards_out == 4
    assert table.last(BettingOpened).round == 1
    assert table.bet("1", "base.player", 50).refusal is None
    table.deal("9H 4D KS 2C")
    assert table.at(Phase.COMPLETE)
    table.result(IndicatedWinner.PLAYER)
    assert table.alerts == []
    assert table.last(RoundResult).outcome.winner.value == "player"
    assert table.last(RoundSettled).settlement.totals.returned == 100
    assert table.at(Phase.BETTING)
    assert table.state.round_number == 2
    assert [fact.seq for fact in table.facts] == list(range(1, len(table.facts) + 1))
    assert [fact.standing.why for fact in table.all(CardDealt)] == [
        FirstCard(hand=Side.BANKER),
        SecondCard(hand=Side.PLAYER),
        SecondCard(hand=Side.BANKER),
        PlayerNatural(player_total=9),
    ]
    assert table.last(RoundResult).why == PlayerNatural(player_total=9)


def test_after_the_cut_card_the_round_is_finished_and_one_more_is_dealt() -> None:
    table = Sitting()
    table.open_shoe()
    table.deal("9H 4D")
    table.event(CutCard())
    table.deal("KS 2C")
    table.result(IndicatedWinner.PLAYER)
    table.deal("9H 4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    assert table.at(Phase.ENDED)
    assert table.last(ShoeEnded).cards_out == 10


@pytest.mark.parametrize("first", ["AS", "9D", "TH", "KC"])
def test_the_first_card_says_how_many_are_burned(first: str) -> None:
    table = Sitting()
    table.open_shoe(first)
    assert table.state.shoe is not None
    assert table.state.shoe.burned == {"A": 1, "9": 9, "T": 10, "K": 10}[first[0]]
    assert table.at(Phase.BETTING)


def test_every_card_keeps_its_place_in_the_order_of_the_draw() -> None:
    table = Sitting(reveal=Reveal.BY_DEALER)
    table.open_shoe("AS")
    assert table.state.shoe is not None
    assert table.state.shoe.first_card is not None
    assert table.state.shoe.first_card.drawn == 1
    table.deal("9H 4D KS 2C")
    table.card(None, Hand.EXTRA)
    assert table.state.round is not None
    assert [card.drawn for card in table.state.round.cards + table.state.round.extras] == [3, 4, 5, 6, 7]
    table.act(UseExtraCard())
    table.result(IndicatedWinner.PLAYER)
    table.card("4D", Hand.BANKER)
    table.card("KS", Hand.BANKER)
    table.event(DoubleFeed(cards=2))
    assert [card.drawn for card in table.state.round.cards + table.state.round.strays] == [7, 8, 9, 10, 11]
