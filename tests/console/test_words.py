"""The console's own words; those for the codes of the table are tested in `tests/web`."""

import re

import msgspec
import pytest

from shoe_controller.console.failures import AnyFailure
from shoe_controller.console.process import STATIC
from shoe_controller.messages.acts import ACTS, Role
from shoe_controller.web.static_files import SHARED
from tests.web.words import TAGS, read

SCRIPTS = {file.name: file.read_text(encoding="utf-8") for folder in (STATIC, SHARED) for file in folder.glob("*.js")}


@pytest.mark.parametrize("tag", TAGS)
def test_every_act_that_a_supervisor_does_is_explained(tag: str) -> None:
    explained = {rule.name for rule in ACTS.values() if rule.role is Role.SUPERVISOR} | {"confirm", "clear_alert"}
    assert {f"what_{name}" for name in explained} - read("console", tag).keys() == set()


AT_TIMES = {"clear_alert", "open_shoe"}
"""Acts of a dealer that need a reason where only a supervisor may do them."""


@pytest.mark.parametrize("tag", TAGS)
def test_every_act_that_needs_a_reason_offers_some(tag: str) -> None:
    offered = read("console", tag)["reasons_offered"]
    assert offered.keys() == {rule.name for rule in ACTS.values() if rule.reason} | AT_TIMES
    assert all(offered.values())


PAGE_FAILURES = {"console_away": set(), "signed_out": set(), "console_error": {"status", "text"}}
"""What the page itself finds out, with its values (`asking.js`)."""


@pytest.mark.parametrize("tag", TAGS)
def test_every_failure_has_words_with_its_own_values(tag: str) -> None:
    values = {
        str(failure.__struct_config__.tag): {field.name for field in msgspec.structs.fields(failure)}
        for failure in AnyFailure.__args__
    }
    words = read("console", tag)["failures"]
    assert {code: set(re.findall(r"\{(\w+)\}", text)) for code, text in words.items()} == values | PAGE_FAILURES
    sent = re.findall(r'failed\(\{ code: "(\w+)"', SCRIPTS["asking.js"])
    assert set(sent) == PAGE_FAILURES.keys()


def test_what_cannot_be_taken_back_is_held() -> None:
    held = re.search(r"HELD = new Set\(\[(.*?)\]\)", SCRIPTS["acts.js"], re.DOTALL)
    assert held is not None
    names = set(re.findall(r'"(\w+)"', held[1]))
    assert names <= {rule.name for rule in ACTS.values()}
    assert {"void_round", "void_and_replay", "end_shoe", "open_shoe", "approve"} <= names


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_markup_of_text(name: str) -> None:
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"):
        assert way not in SCRIPTS[name]


def test_nothing_is_loaded_from_elsewhere() -> None:
    for name, text in SCRIPTS.items():
        assert set(re.findall(r"https?://[^\"'` ]+", text)) <= {"http://www.w3.org/2000/svg"}, name
    page = (STATIC / "console.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["/files/icon.svg", "/files/console.css", "/files/main.js"]
    assert not re.search(r"<script[^>]*>[^<]", page)
    assert not re.search(r"\s(?:on\w+|style)=", page)
    assert "http" not in (STATIC / "console.css").read_text(encoding="utf-8")
