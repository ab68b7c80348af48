"""Which card of the truth a report of the shoe is about, on a wire that keeps its events and on one that does not."""

from typing import Any

import pytest

from simulator.reckoner.inputs import InputBook
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.reckoner.reports import FORGET_AFTER, ReportMatcher

DEALT = [("9H", "player", 1), ("4D", "banker", 1), ("KS", "player", 2), ("2C", "banker", 2)]


def card(number: int, face: str, to: str, position: int | None, **more: Any) -> Json:  # noqa: ANN401 - fields of the truth
    return {"what": "card_out", "t": float(number), "card": face, "card_id": "", "to": to, "position": position} | more


def drawn(face: str | None, hand: str, position: int) -> Json:
    return {"event": "card_drawn", "card": face, "hand": hand, "position": position}


class Matching:
    def __init__(self, *, keeps_events: bool = True, may_lose: bool = False, may_be_false: bool = False) -> None:
        self.missed: list[Json] = []
        self.matcher = ReportMatcher(
            keeps_events=keeps_events,
            may_lose=lambda: may_lose,
            may_be_false=lambda: may_be_false,
            missed=self.missed.extend,
        )
        self.matcher.cards += [card(number, *dealt) for number, dealt in enumerate(DEALT)]
        self._number = 0

    def match(self, event: Json, arrived: float = 5.0) -> list[Json | None]:
        self._number += 1
        return self.matcher.match(event, number=self._number, arrived=arrived)


def test_reports_in_order() -> None:
    matching = Matching()
    for number, dealt in enumerate(DEALT):
        assert matching.match(drawn(*dealt)) == [matching.matcher.cards[number]]
    assert matching.matcher.unreported == []


@pytest.mark.parametrize(
    "reports",
    [
        pytest.param([DEALT[1]], id="a card is lost"),
        pytest.param([DEALT[0], DEALT[0]], id="a card is doubled"),
        pytest.param([*DEALT, ("AS", "player", 3)], id="a card is invented"),
        pytest.param([("9D", "player", 1)], id="a face is another"),
        pytest.param([("9H", "banker", 1)], id="a hand is another"),
        pytest.param([("9H", "player", 2)], id="a place is another"),
    ],
)
def test_a_report_that_fits_no_card_is_a_mismatch(reports: list[tuple[str, str, int]]) -> None:
    matching = Matching()
    for report in reports[:-1]:
        matching.match(drawn(*report))
    with pytest.raises(MismatchError):
        matching.match(drawn(*reports[-1]))


@pytest.mark.parametrize(
    ("event", "reading"),
    [
        ({"event": "misread", "hand": "player", "position": 1}, "unread"),
        ({"event": "foreign_card", "hand": "player", "position": 1}, "foreign"),
        (drawn("9H", "player", 1), "read"),
        (drawn(None, "player", 1), "hidden"),
    ],
)
def test_what_the_reader_made_of_a_card_is_what_is_reported(event: Json, reading: str) -> None:
    for happened in ("unread", "foreign", "read", "hidden"):
        matching = Matching()
        matching.matcher.cards[0] = card(0, "9H", "player", 1, reading=happened)
        if happened == reading or (reading, happened) == ("hidden", "read"):
            assert matching.match(event)
        elif (reading, happened) != ("read", "hidden"):
            with pytest.raises(MismatchError):
                matching.match(event)


def test_two_cards_at_once() -> None:
    matching = Matching()
    matching.matcher.cards[0:2] = [
        card(0, "9H", "player", 1, reading="with_another"),
        card(0, "4D", "extra", None, reading="with_another"),
    ]
    assert len(matching.match({"event": "double_feed", "cards": 2})) == 2
    with pytest.raises(MismatchError):
        matching.match({"event": "double_feed", "cards": 2})


def test_events_without_a_card_are_about_none() -> None:
    for event in ({"event": "result"}, {"event": "card_drawn", "carried_over": True, "card": "9H"}):
        assert Matching().match(event) == []


def test_cards_that_a_wire_lost_are_known_from_the_next_report() -> None:
    matching = Matching(keeps_events=False, may_lose=True)
    assert matching.match(drawn(*DEALT[2])) == [matching.matcher.cards[2]]
    assert matching.missed == matching.matcher.cards[:2]


def test_of_two_cards_for_one_place_the_younger_is_meant_unless_none_is_young() -> None:
    for arrived, meant in ((5.0, 4), (4.0 + 2 * FORGET_AFTER, 0)):
        matching = Matching(keeps_events=False, may_lose=True)
        matching.matcher.cards.append(card(4, "9H", "player", 1))
        assert matching.match(drawn(None, "player", 1), arrived) == [matching.matcher.cards[meant]]


def test_of_two_burned_cards_with_one_face_the_number_that_is_left_to_burn_says_which_is_meant() -> None:
    for left, meant in ((2, 4), (1, 5)):
        matching = Matching(keeps_events=False, may_lose=True)
        matching.matcher.cards += [card(number, "5S", "burn", None, burns_left=6 - number) for number in (4, 5)]
        report = {"event": "card_drawn", "hand": "burn", "card": "5S", "burns_left": left}
        assert matching.match(report, 6.0) == [matching.matcher.cards[meant]]


def test_a_card_that_has_not_left_yet_is_not_meant() -> None:
    with pytest.raises(MismatchError):
        Matching(keeps_events=False, may_lose=True).match(drawn(*DEALT[3]), arrived=1.0)


def test_a_stranger_may_report_a_card_that_never_left() -> None:
    assert Matching(keeps_events=False, may_lose=True, may_be_false=True).match(drawn("AS", "player", 3)) == [None]


def test_a_new_journal_gets_the_last_reports_again() -> None:
    matching = Matching()
    for dealt in DEALT:
        matching.match(drawn(*dealt))
    matching.matcher.reported_again_from(3)
    assert matching.matcher.unreported == matching.matcher.cards[2:]
    matching.matcher.reported_again_from(1)
    assert matching.matcher.unreported == matching.matcher.cards


# --- events under one number ----------------------------------------------------------------------------------------


def reported(event: Json) -> Json:
    return {"input": "shoe_report", "boot_id": 7, "sequence": 1, "event": event}


def test_a_wiped_shoe_may_use_a_number_again_for_another_event() -> None:
    book = InputBook(keeps_events=True)
    book.take(reported({"event": "standby"}), [])
    book.take(reported({"event": "cut_card"}), [])
    book.take(reported({"event": "came_again", "what": {"event": "standby"}}), [])


@pytest.mark.parametrize("again", [{"event": "standby"}, {"event": "came_again", "what": {"event": "cut_card"}}])
def test_what_is_equal_counts_once_and_nothing_comes_again_that_was_not_stored(again: Json) -> None:
    book = InputBook(keeps_events=True)
    book.take(reported({"event": "standby"}), [])
    with pytest.raises(MismatchError):
        book.take(reported(again), [])


def test_cards_in_a_store_that_is_lost_may_be_missing() -> None:
    matching = Matching()
    matcher = matching.matcher
    matcher.cards[:] = [{**card(n, face, "player", n), "number": n} for n, face in enumerate(["2C", "3C", "4C"], 1)]
    matcher.perhaps_lost.add(1)
    matcher.match(drawn("3C", "player", 2), number=1, arrived=2.0)
    assert [missed["card"] for missed in matching.missed] == ["2C"]
    with pytest.raises(MismatchError):
        matcher.match(drawn("5C", "player", 4), number=2, arrived=4.0)
