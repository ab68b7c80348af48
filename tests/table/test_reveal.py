"""When cards are shown is the house's choice: until then nothing that leaves the table gives them away.

Shoes that disclose their cards only at the result go through the same life as those that disclose them at the draw.
"""

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import (
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    Hand,
    IndicatedWinner,
    ResultIndicated,
)
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.drawing import Side
from shoe_controller.table.acts import RevealCards
from shoe_controller.table.facts import AnyFact, CardsShown, RoundResult, RoundSettled
from shoe_controller.table.judging import judge
from shoe_controller.table.phases import Phase
from shoe_controller.table.procedure import GateLocks, Reveal
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting

HIDING = [Reveal.BY_DEALER, Reveal.AT_RESULT]

cards = st.sampled_from(CARDS_BY_NUMBER)
six_cards = st.lists(cards, min_size=6, max_size=6)


def dealt(faces: list[Card]) -> list[tuple[Hand, Card]]:
    """A legal round of these cards, with the hand that each goes to."""
    deal, places = Deal(), []
    for card in faces:
        if deal.next_side is not None:
            places.append((Hand(deal.next_side.value), card))
            deal.feed(card)
    return places


def seen(table: Sitting) -> bytes:
    """All that leaves the table: facts, the retained state, and the wishes for gate, lamps and next hand."""
    wish = table.table.desired_shoe
    lamps = sorted(lamp.value for lamp in wish.lamps)
    return msgspec.json.encode((table.facts, view_of(table.state), wish.gate_locked, lamps, wish.next_hand))


@pytest.mark.parametrize("reveal", HIDING)
@pytest.mark.parametrize("gate", GateLocks)
@settings(max_examples=60)
@given(one=six_cards, other=six_cards)
def test_rounds_that_differ_in_hidden_faces_alone_look_the_same(
    one: list[Card], other: list[Card], reveal: Reveal, gate: GateLocks
) -> None:
    tables = [Sitting(reveal=reveal, gate_locks=gate, burn=False) for _ in range(2)]
    for table in tables:
        table.open_shoe()
        table.bet("1", "base.player", 50)
    rounds = [dealt(one), dealt(other)]
    for (hand, first), (other_hand, second) in zip(*rounds, strict=False):
        if hand is not other_hand:
            break  # to which hand a card goes, everybody sees
        for table, card in zip(tables, (first, second), strict=True):
            table.card(card.value, hand)
        assert seen(tables[0]) == seen(tables[1])


@settings(max_examples=40)
@given(one=six_cards, other=six_cards)
def test_one_hand_shown_says_nothing_of_the_other(one: list[Card], other: list[Card]) -> None:
    rounds = [dealt(one)[:4], dealt(other)[:4]]
    tables = []
    for places in rounds:
        table = Sitting(reveal=Reveal.BY_DEALER, burn=False)
        table.open_shoe()
        for (hand, card), (_, player) in zip(places, rounds[0], strict=True):
            table.card((player if hand is Hand.PLAYER else card).value, hand)
        table.dealer(RevealCards(hand=Side.PLAYER))
        tables.append(table)
    assert seen(tables[0]) == seen(tables[1])
    assert tables[0].last(CardsShown).standing.player_total is not None
    assert tables[0].last(CardsShown).standing.banker_total is None


@pytest.mark.parametrize("reveal", HIDING)
def test_a_natural_is_not_given_away_by_what_people_may_do(reveal: Reveal) -> None:
    for faces in ("9H 4D KS 2C", "2H 4D KS 2C"):
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal(faces)
        view = view_of(table.state)
        assert view.phase == "dealing"
        assert "confirm" in view.possible_acts
        assert view.standing is not None
        assert (view.standing.next_hand, view.standing.complete) == (None, None)
        assert not table.table.desired_shoe.gate_locked
        assert table.table.desired_shoe.next_hand is None
        timer = table.table.next_timer
        assert timer is None, "a card that is late would give away that one is due"


def test_the_dealer_shows_hand_by_hand() -> None:
    table = Sitting(reveal=Reveal.BY_DEALER)
    table.open_shoe()
    table.deal("2H 4D KS 2C")
    table.dealer(RevealCards(hand=Side.BANKER))
    assert [place.number for place in table.last(CardsShown).places] == [2, 4]
    refusal = table.dealer(RevealCards(hand=Side.BANKER)).refusal
    assert refusal is not None
    assert refusal.code == "nothing_hidden"
    table.dealer(RevealCards())
    assert table.last(CardsShown).standing.next_hand is Side.PLAYER
    assert view_of(table.state).phase == "dealing"
    assert "confirm" not in view_of(table.state).possible_acts
    table.card("5H")
    assert view_of(table.state).cards[4].card is None
    table.dealer(RevealCards())
    assert view_of(table.state).phase == "complete"


@pytest.mark.parametrize("reveal", [Reveal.AT_DRAW, Reveal.AT_RESULT])
def test_elsewhere_the_dealer_shows_nothing(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe()
    table.deal("2H")
    refusal = table.dealer(RevealCards()).refusal
    assert refusal is not None
    assert refusal.code == "not_by_dealer"


# --- shoes that disclose at the result -------------------------------------------------------------------------------


def play(table: Sitting, places: list[tuple[Hand, Card]], *, at_draw: bool, winner: IndicatedWinner) -> None:
    """A round as such a shoe tells of it."""
    table.bet("1", "base.player", 50)
    table.bet("2", "base.banker", 50)
    positions: dict[Hand, int] = {}
    laid = []
    for hand, card in places:
        positions[hand] = positions.get(hand, 0) + 1
        laid.append((hand, positions[hand], card))
        table.event(CardDrawn(hand=hand, position=positions[hand], card=card if at_draw else None))
    table.event(ButtonPressed(button=Button.RESULT))
    if not at_draw:
        for hand, position, card in sorted(laid, key=lambda place: place[0].value):
            table.event(CardIdentified(hand=hand, position=position, card=card))
    table.event(ResultIndicated(winner=winner))


def outcome(table: Sitting) -> list[AnyFact]:
    """What came of it, apart from when and under which number it was told."""
    return [
        msgspec.structs.replace(fact, seq=0, time=0)
        for fact in table.facts
        if isinstance(fact, RoundResult | RoundSettled)
    ]


@settings(max_examples=60)
@given(faces=six_cards)
def test_whenever_faces_are_disclosed_and_shown_the_round_comes_to_the_same(faces: list[Card]) -> None:
    places = dealt(faces)
    deal = Deal()
    for _, card in places:
        deal.feed(card)
    assume(deal.complete)
    winner = IndicatedWinner(deal.facts.winner.value)
    outcomes = []
    for reveal in Reveal:
        for at_draw in (True, False):
            table = Sitting(reveal=reveal, burn=False)
            table.open_shoe()
            play(table, places, at_draw=at_draw, winner=winner)
            assert table.alerts == []
            assert table.at(Phase.BETTING)
            outcomes.append(outcome(table))
            assert table.state.shoe is not None
            assert table.state.shoe.copies == tuple([card for _, card in places].count(c) for c in CARDS_BY_NUMBER)
    assert all(same == outcomes[0] for same in outcomes)
    assert len(outcomes[0]) == 2


def test_a_shoe_that_discloses_at_the_result_is_never_asked_for_it_too_early() -> None:
    table = Sitting()
    table.open_shoe()
    for _ in range(4):
        table.card(None)
    table.event(ButtonPressed(button=Button.RESULT))
    assert table.alerts == []
    assert table.table.next_timer is None
    assert table.state.round is not None
    assert judge(table.state.round.cards).unknown == 1


@pytest.mark.parametrize("reveal", Reveal)
def test_the_first_card_of_a_shoe_is_always_shown(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe("3H")
    assert b'"3H"' in msgspec.json.encode(table.facts)


@pytest.mark.parametrize("reveal", HIDING)
def test_cards_set_aside_are_not_shown_either(reveal: Reveal) -> None:
    table = Sitting(reveal=reveal)
    table.open_shoe()
    table.deal("2H")
    table.card("9C", Hand.EXTRA)
    table.card("8D", Hand.PLAYER)
    for face in (b"2H", b"9C", b"8D"):
        assert face not in seen(table)
