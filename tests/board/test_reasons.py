"""Every sentence with which the drawing rules explain themselves can be said in any language."""

import re

import pytest

from shoe_controller.baccarat.drawing import NOTHING_DEALT, Standing, dealt, next_side, reason
from shoe_controller.board.reasons import CODES, Reason, reason_of
from shoe_controller.table.judging import CARDS_TO_COME
from tests.board.texts import LANGUAGES


def every_standing() -> set[Standing]:
    """All that a round can come to."""
    found = {NOTHING_DEALT}
    new = set(found)
    while new:
        new = {dealt(at, points) for at in new if next_side(at) is not None for points in range(10)} - found
        found |= new
    return found


def test_every_reason_is_taken_apart_into_what_it_says() -> None:
    for at in every_standing():
        taken = reason_of(reason(at))
        assert taken is not None
        assert taken.code in CODES, reason(at)
        assert taken.player in (None, at.player_total)
        assert taken.banker in (None, at.banker_total)
        assert taken.third == (at.player_third if "third" in taken.code else None)
        due = next_side(at)
        assert any(word in taken.code for word in ("draws", "first", "second")) == (due is not None)
        assert due is None or f"{due.value}_" in taken.code


def test_all_codes_are_used_but_none_other() -> None:
    used = {taken.code for at in every_standing() if (taken := reason_of(reason(at)))}
    assert used | {"face_down"} == set(CODES)


def test_cards_face_down_are_a_reason_too() -> None:
    assert reason_of(CARDS_TO_COME) == Reason("face_down")


def test_nothing_said_is_nothing_and_what_is_not_known_stays_as_it_is() -> None:
    assert reason_of("") is None
    assert reason_of("The moon is full") == Reason("", text="The moon is full")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_the_same_places(language: str) -> None:
    def places(texts: dict[str, str]) -> dict[str, set[str]]:
        return {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in texts.items()}

    assert LANGUAGES.keys() == {"en", "zh-Hant", "zh-Hans"}
    assert places(LANGUAGES[language]) == places(LANGUAGES["en"])
    assert set(CODES) <= LANGUAGES["en"].keys()
