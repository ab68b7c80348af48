"""The words of the pit's page: whatever it makes keys of has words in each language."""

import re

import msgspec
import pytest

from shoe_controller.messages.pit import SuggestedAct
from shoe_controller.pit.web import STATIC
from shoe_controller.web.login import AnyLoginFailure
from tests.web.words import TAGS, read, texts

PAGE_FAILURES = {"away": set[str](), "not_accepted": set[str]()}
"""What the page itself finds out (`session.js`)."""


@pytest.mark.parametrize("tag", TAGS)
def test_every_failure_at_the_door_has_words_with_its_own_values(tag: str) -> None:
    values = {
        str(failure.__struct_config__.tag): {field.name for field in msgspec.structs.fields(failure)}
        for failure in AnyLoginFailure.__args__
    }
    words = {key.removeprefix("failed_"): text for key, text in read("pit", tag).items() if key.startswith("failed_")}
    named = {
        code: set(re.findall(r"\{(\w+)\}", " ".join(text for _, text in texts(entry)))) for code, entry in words.items()
    }
    assert named == values | PAGE_FAILURES
    sent = re.findall(r'failure: \{ code: "(\w+)"', (STATIC / "session.js").read_text(encoding="utf-8"))
    assert set(sent) == PAGE_FAILURES.keys()


@pytest.mark.parametrize("tag", TAGS)
def test_every_suggested_act_has_words(tag: str) -> None:
    acts = {key.removeprefix("act_") for key in read("pit", tag) if key.startswith("act_")}
    assert acts == {act.value for act in SuggestedAct}
