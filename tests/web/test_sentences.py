"""Every sentence with which the table explains itself can be said in any language."""

import pytest

from shoe_controller.baccarat.drawing import NOTHING_DEALT, Standing, dealt, next_side, reason
from shoe_controller.history.recall import WHY_NOT_DUE, WHY_NOT_SHOWN
from shoe_controller.table.judging import CARDS_TO_COME
from shoe_controller.table.phases import Phase
from shoe_controller.table.view import prompt
from shoe_controller.web.sentences import PROMPT_CODES, REASON_CODES, Prompt, Sentence, prompt_of, reason_of
from tests.table.sitting import Sitting
from tests.table.test_phases import TO
from tests.web.words import TABLE

OTHER_REASONS = {CARDS_TO_COME: "face_down", WHY_NOT_DUE: "not_due", WHY_NOT_SHOWN: "not_shown"}
"""What is said where the drawing rules are silent."""


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
        assert taken.code in REASON_CODES, reason(at)
        assert taken.player in (None, at.player_total)
        assert taken.banker in (None, at.banker_total)
        assert taken.third == (at.player_third if "third" in taken.code else None)
        due = next_side(at)
        assert any(word in taken.code for word in ("draws", "first", "second")) == (due is not None)
        assert due is None or f"{due.value}_" in taken.code


def test_all_codes_of_reasons_are_used_but_none_other() -> None:
    used = {taken.code for at in every_standing() if (taken := reason_of(reason(at)))}
    assert used | set(OTHER_REASONS.values()) == set(REASON_CODES)


@pytest.mark.parametrize(("said", "code"), OTHER_REASONS.items())
def test_what_is_said_where_the_rules_are_silent(said: str, code: str) -> None:
    assert reason_of(said) == Sentence(code)


def test_nothing_said_is_nothing_and_what_is_not_known_stays_as_it_is() -> None:
    assert reason_of("") is None
    assert reason_of("The moon is full") == Sentence("", text="The moon is full")
    assert prompt_of("The moon is full.") == Prompt(Sentence("", text="The moon is full."), None)


@pytest.mark.parametrize("phase", Phase)
def test_the_prompt_of_every_phase_is_known(phase: Phase) -> None:
    sitting = Sitting()
    TO[phase](sitting)
    taken = prompt_of(prompt(sitting.state))
    assert taken.what.code in PROMPT_CODES, prompt(sitting.state)
    assert taken.why is None or taken.why.code in REASON_CODES


def test_a_prompt_with_its_reason_is_taken_apart_in_both_directions() -> None:
    for at in every_standing():
        due, why = next_side(at), reason(at)
        said = f"{why}. Ask for the result." if due is None else f"Draw a card for {due}. {why}."
        assert prompt_of(said) == Prompt(Sentence("ask_result" if due is None else f"draw_{due.value}"), reason_of(why))


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("Burn 5 more cards.", Sentence("burn", cards=5)),
        ("Burn 1 more card.", Sentence("burn_last", cards=1)),
        ("The shoe is not connected. Check its cable and its power.", Sentence("no_link")),
        ("Show the cards, or ask for the result.", Sentence("show_or_ask")),
    ],
)
def test_what_comes_next(said: str, sentence: Sentence) -> None:
    assert prompt_of(said) == Prompt(sentence, None)
    english = TABLE["en"]["prompts"][sentence.code]
    assert english.format(cards=sentence.cards) == said
