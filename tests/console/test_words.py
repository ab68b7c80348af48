"""The page's words: three languages that say the same things, and nothing that the page says without them."""

import re

import pytest

from shoe_controller.console.allowed import RULES
from shoe_controller.console.process import PAGES
from shoe_controller.mqtt.codes import CODES
from shoe_controller.table.acts import ACTS, Role
from shoe_controller.table.phases import Phase
from shoe_controller.table.view import prompt
from tests.table.sitting import Sitting
from tests.table.test_phases import TO

WORDS = (PAGES / "words.js").read_text(encoding="utf-8")
SCRIPTS = {file.name: file.read_text(encoding="utf-8") for file in PAGES.glob("*.js")}
LANGUAGES = ("EN", "HANT", "HANS")

OWN_CODES = {"away", "no_answer"}
"""What the console itself says, beside the table's answers."""


def table(language: str) -> str:
    found = re.search(rf"^const {language} = {{\n(.*?)^}};", WORDS, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def keys(language: str) -> list[str]:
    return re.findall(r'(\w+): (?=["\[{])', table(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word_once(language: str) -> None:
    found, wanted = keys(language), keys("EN")
    assert sorted(set(found)) == sorted(set(wanted))
    assert len(found) == len(wanted)
    words = re.sub(r"reasons: {.*", "", table(language), flags=re.DOTALL)
    flat = re.findall(r"(\w+): \"", words)
    assert len(flat) == len(set(flat)), "a word is there twice"


def test_every_word_that_the_page_asks_for_is_there() -> None:
    asked = {key for text in SCRIPTS.values() for key in re.findall(r'\bt\("(\w+)"\)', text)}
    assert asked - set(keys("EN")) == set()


def test_every_act_and_every_phase_has_its_words() -> None:
    known = set(keys("EN"))
    assert {rule.name for rule in ACTS.values()} - known == set()
    assert {phase.value for phase in Phase} - known == set()
    explained = {rule.name for rule in ACTS.values() if rule.role is Role.SUPERVISOR} | {"confirm", "clear_alert"}
    assert {f"what_{name}" for name in explained} - known == set()


def test_every_act_that_needs_a_reason_offers_some() -> None:
    for language in LANGUAGES:
        reasons = table(language).partition("reasons: {")[2]
        offered = set(re.findall(r"(\w+): \[", reasons))
        assert offered == {name for name, rule in RULES.items() if rule.reason} | {"clear_alert"}


def test_codes_are_translated_that_exist() -> None:
    block = WORDS.partition("const CODES = {")[2].partition("};")[0]
    assert set(re.findall(r"^  (\w+): \[", block, re.MULTILINE)) <= set(CODES) | OWN_CODES


def test_the_sentences_of_every_phase_are_translated() -> None:
    block = WORDS.partition("const PROMPTS = {")[2].partition("};")[0]
    for phase in Phase:
        sitting = Sitting()
        TO[phase](sitting)
        said = prompt(sitting.state)
        head = re.sub(r"^(Draw a card for \w+\.).*", r"\1", said)
        head = re.sub(r".*(Ask for the result\.)$", r"\1", head)
        assert f'"{head}"' in block or re.fullmatch(r"Burn \d+ more cards?\.", head), said


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_markup_of_text(name: str) -> None:
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"):
        assert way not in SCRIPTS[name]


def test_nothing_is_loaded_from_elsewhere() -> None:
    for name, text in SCRIPTS.items():
        assert set(re.findall(r"https?://[^\"'` ]+", text)) <= {"http://www.w3.org/2000/svg"}, name
    page = (PAGES / "console.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["/files/icon.svg", "/files/console.css", "/files/main.js"]
    assert not re.search(r"<script[^>]*>[^<]", page)
    assert not re.search(r"\s(?:on\w+|style)=", page)
    assert "http" not in (PAGES / "console.css").read_text(encoding="utf-8")
