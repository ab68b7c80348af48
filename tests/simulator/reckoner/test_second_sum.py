"""The second sum of cards, where one is carried into the next round."""

from typing import Any

from simulator.second_sum import second_sum

ASIDE = {"fact": "card_set_aside"}
USED = {"fact": "extra_card_decided", "used": True, "burned": 0}
BURNED = {"fact": "extra_card_decided", "used": False, "burned": 1}
FIRST = {"fact": "card_dealt", "place": {"number": 1}}


def cards(*events: dict[str, Any]) -> int:
    return second_sum([{"fact": "shoe_opened"}, *events]).cards


def test_a_carried_card_is_counted_once() -> None:
    assert cards(ASIDE, USED, FIRST) == 1


def test_also_where_another_is_burned_meanwhile() -> None:
    assert cards(ASIDE, USED, ASIDE, BURNED, FIRST) == 2


def test_burned_after_all_it_begins_no_round() -> None:
    assert cards(ASIDE, USED, BURNED, FIRST) == 2
