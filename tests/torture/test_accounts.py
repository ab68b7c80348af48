"""That the comparison of the accounts can fail: each kind of loss, doubling and invention is found."""

from typing import Any

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand
from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.facts import (
    AnyFact,
    CardDealt,
    CardPlace,
    RoundVoided,
    Standing,
    WagersChanged,
    WagersReturned,
)
from shoe_controller.table.inputs import AnyInput, ShoeReport
from simulator.truth import AnyHappening, CardOut
from tests.torture.accounts import (
    Journal,
    assert_each_request_done_once,
    assert_nothing_guessed,
    assert_same_cards,
    assert_subscriber_has_all,
    assert_wagers_end_once,
)

DEALT = [("9H", "player", 1), ("4D", "banker", 1), ("KS", "player", 2), ("2C", "banker", 2)]
STANDING = Standing(player_total=None, banker_total=None, next_hand=None, complete=None, why="")
WAGER = PlacedWager("1", "base.player", 500)


def common(seq: int) -> dict[str, Any]:
    return {"seq": seq, "time": 0, "shoe": 1, "round": 1}


def true_cards() -> list[AnyHappening]:
    return [
        CardOut(t=0.0, card=Card(face), card_id=str(number), number=number, to=Hand(hand), position=position)
        for number, (face, hand, position) in enumerate(DEALT, 1)
    ]


def said(face: str, hand: str, position: int) -> AnyInput:
    event = CardDrawn(card=Card(face), hand=Hand(hand), position=position)
    return ShoeReport(event=event, sequence=1)


def told(number: int, face: str, hand: str) -> AnyFact:
    place = CardPlace(number=number, hand=Side(hand), card=Card(face))
    return CardDealt(**common(number), place=place, standing=STANDING)


def journal(dealt: list[tuple[str, str, int]]) -> Journal:
    inputs = [said(*card) for card in dealt]
    facts = [told(number, face, hand) for number, (face, hand, _) in enumerate(dealt, 1)]
    return Journal(inputs, facts, {seq: ("event/card", b"%d" % seq) for seq in range(1, len(dealt) + 1)})


def wagers(*facts: AnyFact) -> Journal:
    return Journal([], list(facts), {})


CHANGED = WagersChanged(**common(1), seat="1", wagers=(WAGER,), total=500)
VOIDED = RoundVoided(**common(2), replay=False, why="", returned=(WAGER,), total=500)


def test_what_agrees_agrees() -> None:
    assert_same_cards(true_cards(), journal(DEALT))
    assert_same_cards(true_cards(), journal(DEALT[:3]), so_far=True)
    assert_nothing_guessed(true_cards(), journal(DEALT[1:3]))
    assert_subscriber_has_all(journal(DEALT), journal(DEALT).events)
    assert assert_wagers_end_once(wagers(CHANGED, VOIDED)) == 0
    assert_each_request_done_once(wagers(CHANGED), [500], [600])


@pytest.mark.parametrize(
    "dealt",
    [
        pytest.param(DEALT[:3], id="the last card is lost"),
        pytest.param([*DEALT[:1], *DEALT[2:]], id="a card is lost"),
        pytest.param([*DEALT[:2], *DEALT[1:]], id="a card is doubled"),
        pytest.param([*DEALT, ("AS", "player", 3)], id="a card is invented"),
        pytest.param([DEALT[1], DEALT[0], *DEALT[2:]], id="two cards are swapped"),
        pytest.param([("9D", "player", 1), *DEALT[1:]], id="a face is wrong"),
    ],
)
def test_every_difference_of_cards_is_found(dealt: list[tuple[str, str, int]]) -> None:
    with pytest.raises(AssertionError):
        assert_same_cards(true_cards(), journal(dealt))


def test_a_card_that_the_table_did_not_tell_of_is_found() -> None:
    whole = journal(DEALT)
    with pytest.raises(AssertionError):
        assert_same_cards(true_cards(), whole._replace(facts=whole.facts[:-1]))
    with pytest.raises(AssertionError):
        assert_nothing_guessed(true_cards(), whole._replace(facts=[*whole.facts, whole.facts[-1]]))


@pytest.mark.parametrize("dealt", [[*DEALT[:2], *DEALT[1:]], [*DEALT, ("AS", "player", 3)], DEALT[::-1]])
def test_a_card_that_was_guessed_is_found(dealt: list[tuple[str, str, int]]) -> None:
    with pytest.raises(AssertionError):
        assert_nothing_guessed(true_cards(), journal(dealt))


@pytest.mark.parametrize("seq", [1, 3, 4])
def test_an_event_that_the_subscriber_lacks_or_has_otherwise_is_found(seq: int) -> None:
    whole = journal(DEALT)
    with pytest.raises(AssertionError):
        assert_subscriber_has_all(whole, {key: event for key, event in whole.events.items() if key != seq})
    with pytest.raises(AssertionError):
        assert_subscriber_has_all(whole, whole.events | {seq: ("event/card", b"another")})


def test_wagers_that_end_twice_or_otherwise_are_found() -> None:
    returned = WagersReturned(**common(3), why="", returned=(WAGER,), total=500)
    for facts in ((CHANGED, VOIDED, VOIDED), (CHANGED, returned, returned), (VOIDED,)):
        with pytest.raises(AssertionError):
            assert_wagers_end_once(wagers(*facts))


def test_a_request_that_is_done_twice_or_not_at_all_is_found() -> None:
    for journal_, accepted, unanswered in (
        (wagers(CHANGED, CHANGED), [500], []),
        (wagers(CHANGED, CHANGED), [], [500]),
        (wagers(), [500], []),
        (wagers(CHANGED), [], []),
    ):
        with pytest.raises(AssertionError):
            assert_each_request_done_once(journal_, accepted, unanswered)
