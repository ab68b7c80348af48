"""What pages say is data: every alert, act, phase, prompt, reason and refusal is there in all three languages."""

import re

import pytest

from shoe_controller.console.forms import BUSY
from shoe_controller.console.table_client import AWAY, NO_ANSWER
from shoe_controller.mqtt.codes import CODES
from shoe_controller.table.acts import ACTS, Role
from shoe_controller.table.alerts import ALERTS, Clearer
from shoe_controller.table.phases import Phase
from shoe_controller.web.sentences import PROMPT_CODES, REASON_CODES
from tests.web.words import FOLDERS, TABLE, TAGS, read, texts

CHINESE = ("zh-Hant", "zh-Hans")

OWN_REFUSALS = {AWAY.code, NO_ANSWER.code, BUSY.code, "not_sent"}
"""What the console itself answers, beside the table's own answers."""

SCRIPT = {"zh-Hant": "big5hkscs", "zh-Hans": "gb2312"}
"""A character set that has the characters of this script, and few of the other."""


@pytest.mark.parametrize("tag", TAGS)
def test_what_staff_read_is_there_in_every_language(tag: str) -> None:
    words = TABLE[tag]
    assert words["acts"].keys() == {rule.name for rule in ACTS.values()}
    assert words["phases"].keys() == {phase.value for phase in Phase}
    assert words["people"].keys() == {each.value for each in (*Role, *Clearer)}
    assert words["prompts"].keys() == set(PROMPT_CODES)
    assert words["reasons"].keys() == set(REASON_CODES)


@pytest.mark.parametrize("tag", CHINESE)
def test_what_the_table_says_in_english_itself_is_there_in_chinese(tag: str) -> None:
    assert TABLE[tag]["alerts"].keys() == ALERTS.keys()
    for kind, said in TABLE[tag]["alerts"].items():
        assert said.keys() == {"happened", "to_do"}, kind
    assert TABLE[tag]["refusals"].keys() == CODES.keys() | OWN_REFUSALS
    assert TABLE["en"]["alerts"] == TABLE["en"]["refusals"] == {}, "in English the table speaks for itself"


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("kind", FOLDERS)
def test_every_language_has_every_text_with_the_same_places_for_values(kind: str, tag: str) -> None:
    said, in_english = dict(texts(read(kind, tag))), dict(texts(read(kind, "en")))
    own = {place for place in said if place.split(".")[0] in ("alerts", "refusals")} if kind == "table" else set()
    assert said.keys() - own == in_english.keys()
    for place, text in in_english.items():
        assert set(re.findall(r"\{(\w+)\}", said[place])) == set(re.findall(r"\{(\w+)\}", text)), place


@pytest.mark.parametrize("tag", CHINESE)
@pytest.mark.parametrize("kind", FOLDERS)
def test_chinese_is_written_in_its_own_script(kind: str, tag: str) -> None:
    for place, text in texts(read(kind, tag)):
        for letter in re.findall(r"[\u2e80-\u9fff]", text):
            try:
                letter.encode(SCRIPT[tag])
            except UnicodeEncodeError:
                pytest.fail(f"{place}: {letter} is not {tag}: {text}")


@pytest.mark.parametrize("tag", CHINESE)
def test_nothing_was_left_in_english(tag: str) -> None:
    for kind in FOLDERS:
        for place, text in texts(read(kind, tag)):
            without_values = re.sub(r"\{\w+\}", "", text)
            assert not re.search(r"[A-Za-z]{2}", without_values), f"{kind} {place}: {text}"


MADE = {
    "board": r"not_live_\w+|(player|banker|tie)_wins|both_\w+|\w+_(true|false)|winner_\w+|\w+_(total|cards)|margin|"
    + "|".join(phase.value for phase in Phase),
    "console": r"what_\w+|stake_\w+|take|pay|push|identified|corrected|settled|open|under_way|before|not_dealt|"
    "player|banker|tie|broker|controller",
}
"""Keys that are put together on the page, or come from the table as they are."""


@pytest.mark.parametrize("kind", ["board", "console"])
def test_every_word_is_used_and_every_word_that_is_used_is_there(kind: str) -> None:
    """A word may be asked for by its key, or by the beginning of it (`stake_${code}`)."""
    folder = FOLDERS[kind]
    files = [*folder.glob("*.js"), *folder.glob("*.html"), *FOLDERS["table"].glob("*.js")]
    scripts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    asked = set(re.findall(r"\b(?:say|t)\(\"(\w+)\"", scripts)) | set(re.findall(r'data-say="(\w+)"', scripts))
    known = read(kind, "en").keys()
    staff = {key for group in ("acts", "phases") for key in TABLE["en"][group]} if kind == "console" else set()
    assert asked - known - staff == set()
    made = {key for key in known if re.fullmatch(MADE[kind], key) or re.search(rf"\b{key}\b", scripts)}
    assert known - asked - made == set()
