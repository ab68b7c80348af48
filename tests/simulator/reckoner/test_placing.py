"""What the reckoner refuses of cards that are assigned, discarded, carried and burned."""

from collections.abc import Callable

import pytest

from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.placing import (
    check_burns,
    check_discarded,
    check_no_wagers,
    check_none_passed_over,
    check_replaced,
    check_taken_back,
    check_who_assigned,
    placed,
)
from simulator.reckoner.recorded_cards import RecordedCard

FACES = ("6H", "3D", "KS", "2C", "4S")
HANDS = ("player", "banker", "player", "banker", "banker")


def order() -> list[RecordedCard]:
    return [RecordedCard(hand, face, (1, 1)) for hand, face in zip(HANDS, FACES, strict=True)]


def assigned(*, hands: tuple[str, ...] = HANDS, extra: int = 0, **first: object) -> Json:
    pairs = zip(hands, FACES, strict=False)
    places: list[dict[str, object]] = [
        {"number": number, "hand": hand, "card": face} for number, (hand, face) in enumerate(pairs, 1)
    ]
    places[0] |= first
    return {"seq": 9, "places": places, "extra_cards": extra, "person": "ann", "taken_back": 0}


def test_cards_lie_where_the_rules_put_them() -> None:
    cards = order()
    cards[4].place = "aside"
    hand, extra = placed(assigned(), cards)
    assert [laid.hand for laid in hand] == list(HANDS)
    assert (extra, [record.assigned for record in cards]) == ([], [False] * 4 + [True])


def named(face: str) -> list[RecordedCard]:
    """A person said that the first card is another one, and it was not published as that."""
    cards = order()
    cards[0].named, cards[0].said = True, face
    return cards


ENTERED = RecordedCard("player", "6H", (1, 1), entered_by="ann")

WRONG: dict[str, Callable[[], object]] = {
    "a hand that is not due": lambda: placed(assigned(hands=(*HANDS[:4], "player")), order()),
    "a card less": lambda: placed(assigned(hands=HANDS[:4]), order()),
    "a card left over that is due": lambda: placed(assigned(hands=HANDS[:4], extra=1), order()),
    "another face": lambda: placed(assigned(card="7H"), order()),
    "another face, by itself": lambda: placed({**assigned(card="7H"), "person": None}, named("7H")),
    "another number": lambda: placed(assigned(number=2), order()),
    "entered by nobody": lambda: placed(assigned(), [ENTERED, *order()[1:]]),
    "another event is replaced": lambda: check_replaced({"replaces": 3}, 4),
    "another number of burns": lambda: check_burns({"to_burn": 3}, "5H"),
    "more taken back than there are": lambda: check_taken_back({"taken_back": 1}, []),
    "a card that was drawn before": lambda: check_none_passed_over({}, order()),
    "assigned by nobody": lambda: check_who_assigned({"person": None}, {"act": "assign_cards"}),
    "assigned without an act": lambda: check_who_assigned({"person": "ann"}, None),
    "another cause": lambda: check_discarded(
        {"place": {"number": 1}, "cause": "damaged"},
        {"act": "discard_card", "number": 1, "cause": "foreign"},
        {"discarded_card": "next_card"},
    ),
    "a house that does not discard": lambda: check_discarded(
        {"place": {"number": 1}, "cause": "foreign"}, {"act": "discard_card", "number": 1, "cause": "foreign"}, {}
    ),
    "wagers on a card that was seen": lambda: check_no_wagers({}, seen=True),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_anything_else_is_a_mismatch(wrong: Callable[[], object]) -> None:
    with pytest.raises(MismatchError):
        wrong()


def test_what_is_right_is_none() -> None:
    check_replaced({"replaces": 4}, 4)
    check_burns({"to_burn": 10}, "KH")
    check_no_wagers({}, seen=True, wagers=False)
    check_who_assigned({"person": None}, {"act": "correct_card"})


def test_a_shoe_that_burns_on_after_the_first_card_was_corrected() -> None:
    """Its cards are dealt, also in a later round: what it takes for a burned one by its own count is none."""
    record = RecordedCard("player", "6H", (1, 2))
    burned = {"card": "6H", "to": "burn", "burns_left": 4}
    assert not record.fits(burned)
    record.burned_by_shoe = True
    assert record.fits(burned)
    assert not record.fits(burned | {"burns_left": None})
