"""What the console says of its own; the words for what the table says are tested in `tests/web`."""

import re

import pytest
from shoe_controller.console.allowed import RULES

from shoe_controller.console.process import STATIC
from shoe_controller.messages.acts import ACTS, Role
from shoe_controller.web.static_files import SHARED
from tests.web.words import TAGS, read

SCRIPTS = {file.name: file.read_text(encoding="utf-8") for folder in (STATIC, SHARED) for file in folder.glob("*.js")}


@pytest.mark.parametrize("tag", TAGS)
def test_every_act_that_a_supervisor_does_is_explained(tag: str) -> None:
    explained = {rule.name for rule in ACTS.values() if rule.role is Role.SUPERVISOR} | {"confirm", "clear_alert"}
    assert {f"what_{name}" for name in explained} - read("console", tag).keys() == set()


@pytest.mark.parametrize("tag", TAGS)
def test_every_act_that_needs_a_reason_offers_some(tag: str) -> None:
    offered = read("console", tag)["reasons_offered"]
    assert offered.keys() == {name for name, rule in RULES.items() if rule.reason} | {"clear_alert"}
    assert all(offered.values())


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
