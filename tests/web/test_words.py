"""Words are data: every code has words in every language, whose placeholders are values of that code."""

import re
from collections.abc import Iterator
from enum import Enum
from types import UnionType
from typing import Any, get_args

import msgspec
import pytest

from firmware_protocol.events import FaultCode, LineLook, LinkDownCause
from shoe_controller.baccarat.codes import Code
from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import ActName, Role
from shoe_controller.messages.alerts import AlertKind, Clearer, Remedy, Severity
from shoe_controller.messages.causes import CorrectionCause, DiscardCause, ReturnCause
from shoe_controller.messages.codes import FAMILIES, codes_of
from shoe_controller.messages.details import CardProblem, DealtSign, HeadSource, MetController, ResultMark, ShoeProof
from shoe_controller.messages.phases import Phase
from shoe_controller.table.alerts import ALERTS
from shoe_controller.web.static_files import SHARED, TILES
from shoe_controller.words.render import AMOUNT, PLACEHOLDER
from tests.web.words import FOLDERS, TABLE, TAGS, read, texts

CHINESE = ("zh-Hant", "zh-Hans")

SCRIPT = {"zh-Hant": "big5hkscs", "zh-Hans": "gb2312"}
"""A character set that has the characters of this script, and few of the other."""

SECTIONS: dict[str, tuple[type[Enum], ...]] = {
    "acts": (ActName,),
    "phases": (Phase,),
    "people": (Role, Clearer),
    "hands": (Side,),
    "winners": (Winner,),
    "problems": (CardProblem,),
    "proofs": (ShoeProof,),
    "marks": (ResultMark,),
    "faults": (FaultCode,),
    "link_causes": (LinkDownCause,),
    "head_sources": (HeadSource,),
    "dealt_signs": (DealtSign,),
    "met_controllers": (MetController,),
    "line_looks": (LineLook,),
    "severities": (Severity,),
    "alerts": (AlertKind,),
    "return_causes": (ReturnCause,),
    "correction_causes": (CorrectionCause,),
    "discard_causes": (DiscardCause,),
    "remedies": (Remedy,),
}
"""The sections that have the values of enums, beside those for the codes."""

SEPARATORS = {"list_separator", "detail_separator"}


# --- the tables are complete -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", TAGS)
def test_a_table_of_words_has_these_sections(tag: str) -> None:
    assert TABLE[tag].keys() == SEPARATORS | {*SECTIONS, *FAMILIES}


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_code_has_words(family: str, tag: str) -> None:
    assert TABLE[tag][family].keys() == codes_of(family).keys()


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("section", SECTIONS)
def test_every_value_of_an_enum_has_words(section: str, tag: str) -> None:
    values = {str(member.value) for enum in SECTIONS[section] for member in enum}
    assert TABLE[tag][section].keys() == values


@pytest.mark.parametrize("tag", TAGS)
def test_every_alert_says_what_happened_what_to_do_and_when_it_ends_by_itself(tag: str) -> None:
    for kind, rule in ALERTS.items():
        parts = {"happened", "to_do"} | ({"ends"} if rule.ends_itself else set())
        assert TABLE[tag]["alerts"][kind].keys() == parts, kind


def wordings(entry: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """The texts of an entry; it has several where the grammar depends on a number."""
    if isinstance(entry, str):
        yield entry
    else:
        assert entry.keys() == {"by", "one", "other"}
        yield from (entry["one"], entry["other"])


def types_in(annotation: Any) -> Iterator[type]:  # noqa: ANN401 - a type
    """The types that a field may hold: of a tuple those of its items, of an optional one not None."""
    inside = [each for each in get_args(annotation) if each not in (type(None), ...)]
    if not inside:
        yield annotation
    for each in inside:
        yield from types_in(each)


def code_fields(code: type[Code]) -> dict[str, Any]:
    return {field.name: field.type for field in msgspec.structs.fields(code)}


CODES = [(family, name) for family in FAMILIES for name in codes_of(family)]


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize(("family", "name"), CODES)
def test_every_placeholder_is_a_value_of_its_code(family: str, name: str, tag: str) -> None:
    entry, fields = TABLE[tag][family][name], code_fields(codes_of(family)[name])
    if not isinstance(entry, str):
        assert fields[entry["by"]] is int
    for text in wordings(entry):
        assert "{" not in PLACEHOLDER.sub("", text), "this is no placeholder"
        for value, section in PLACEHOLDER.findall(text):
            assert value in fields, f"{{{value}}} is not a value of {name}"
            kinds = set(types_in(fields[value]))
            if not section:
                assert kinds <= {int, str}, f"{value} needs a section, or nobody can read it"
            elif section == AMOUNT:
                assert kinds == {int}
            else:
                assert_looked_up(tag, section, kinds)


def assert_looked_up(tag: str, section: str, kinds: set[type]) -> None:
    """Every value of the field's enum is in the section that it is looked up in."""
    where, _, part = section.partition(".")
    (kind,) = kinds
    assert issubclass(kind, Enum), f"{section} is for an enum"
    for member in kind:
        found = TABLE[tag][where][member.value]
        assert isinstance(found[part] if part else found, str)


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize(("family", "name"), CODES)
def test_no_value_is_left_out_in_another_language(family: str, name: str, tag: str) -> None:
    in_english = {value for text in wordings(TABLE["en"][family][name]) for value, _ in PLACEHOLDER.findall(text)}
    here = {value for text in wordings(TABLE[tag][family][name]) for value, _ in PLACEHOLDER.findall(text)}
    assert here == in_english


def test_the_check_sees_what_it_should() -> None:
    assert list(types_in(Side | None)) == [Side]
    assert list(types_in(tuple[str, ...])) == [str]
    assert isinstance(next(iter(FAMILIES.values())), UnionType)


# --- all files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("kind", ["board", "console", "pit", "tiles"])
def test_every_language_has_every_text_with_the_same_places_for_values(kind: str, tag: str) -> None:
    here, in_english = _merged(read(kind, tag)), _merged(read(kind, "en"))
    assert here.keys() == in_english.keys()
    for place, text in in_english.items():
        assert set(re.findall(r"\{(\w+)\}", here[place])) == set(re.findall(r"\{(\w+)\}", text)), place


def _merged(words: dict[str, Any]) -> dict[str, str]:
    """Every text with its place; those of an entry that depends on a number as one."""
    flat = {key: " ".join(wordings(each)) if _depends(each) else each for key, each in words.items()}
    return dict(texts(flat))


def _depends(entry: object) -> bool:
    return isinstance(entry, dict) and "by" in entry


@pytest.mark.parametrize("tag", CHINESE)
@pytest.mark.parametrize("kind", FOLDERS)
def test_chinese_is_written_in_its_own_script(kind: str, tag: str) -> None:
    for place, text in texts(read(kind, tag)):
        for letter in re.findall(r"[\u2e80-\u9fff]", text):
            try:
                letter.encode(SCRIPT[tag])
            except UnicodeEncodeError:
                pytest.fail(f"{place}: {letter} is not {tag}: {text}")


COUNTED = "cards|events|rounds|tables|wagers|disputes|seats|people|points|times|checkpoints|records"

ALWAYS_SEVERAL = {"cards_together", "too_many_changes", "too_many_disputes", "player_cards", "banker_cards"}
ALWAYS_SEVERAL |= {"both_player_cards", "both_banker_cards", "winning_cards", "losing_cards"}
"""Whose number is never one."""


@pytest.mark.parametrize("kind", FOLDERS)
def test_of_one_thing_english_speaks_in_the_singular(kind: str) -> None:
    found = 0
    for place, text in texts(read(kind, "en")):
        key = place.removesuffix(".one").removesuffix(".other").rpartition(".")[2]
        plural = re.search(rf"\{{\w+\}} ({COUNTED})\b", text)
        found += plural is not None
        assert not plural or place.endswith(".other") or key in ALWAYS_SEVERAL, f"{place}: {text}"
    assert found


UNITS = r"\b(ms|s)\b|PIN"
"""Written the same in Chinese."""


@pytest.mark.parametrize("tag", CHINESE)
def test_nothing_was_left_in_english(tag: str) -> None:
    for kind in FOLDERS:
        for place, text in texts(read(kind, tag)):
            if place.endswith(".by"):
                continue  # the name of a value
            without_values = re.sub(UNITS, "", re.sub(r"\{[\w|.]+\}", "", text))
            assert not re.search(r"[A-Za-z]{2}", without_values), f"{kind} {place}: {text}"


MADE = {
    "board": r"not_live_\w+|(player|banker|tie)_wins|both_\w+|\w+_(true|false)|winner_\w+|\w+_(total|cards)|margin|"
    + "|".join(phase.value for phase in Phase),
    "console": r"what_\w+|placed_(assigned|due_in_truth|discarded)|take|pay|push|identified|corrected|settled|open|"
    "under_way|before|not_dealt|"
    "player|banker|tie|broker|controller|failures|"
    "note_made|dispute_opened|dispute_closed|payment_adjusted|commission_collected|commission_waived",
    "pit": r"failed_\w+|act_\w+",
}
"""Keys that are put together on the page, or come from the table as they are."""


@pytest.mark.parametrize("kind", ["board", "console", "pit"])
def test_every_word_is_used_and_every_word_that_is_used_is_there(kind: str) -> None:
    """A word may be asked for by its key, or by the beginning of it (`what_${act}`)."""
    folders = [FOLDERS[kind], SHARED] if kind == "console" else [FOLDERS[kind], SHARED, TILES]
    files = [file for folder in folders for file in (*folder.glob("*.js"), *folder.glob("*.html"))]
    scripts = "\n".join(file.read_text(encoding="utf-8") for file in files)
    asked = set(re.findall(r"\b(?:say|t)\(\"(\w+)\"", scripts)) | set(re.findall(r'data-say="(\w+)"', scripts))
    known = read(kind, "en").keys() | (set() if kind == "console" else read("tiles", "en").keys())
    staff = {key for group in ("acts", "phases") for key in TABLE["en"][group]} if kind == "console" else set()
    assert asked - known - staff == set()
    made = {key for key in known if re.fullmatch(MADE[kind], key) or re.search(rf"\b{key}\b", scripts)}
    assert known - asked - made == set()
