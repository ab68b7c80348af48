"""The rules of PROTOCOL.md are numbered clauses that a program can find, as its conventions say."""

import re
from pathlib import Path

import firmware_protocol.native

PAGE = Path(firmware_protocol.native.__file__).with_name("PROTOCOL.md").read_text(encoding="utf-8")
CLAUSE = re.compile(r"^- \*\*(\d+)\.(\d+) (shoe|controller|both)\*\* (.*(?:\n  .*)*)", re.MULTILINE)
RULE = re.compile(r"\b(?:MUST|SHOULD)\b")


def sections() -> list[tuple[int, str]]:
    """The page from its first numbered heading on."""
    parts = re.split(r"^## (\d+)\. ", PAGE, flags=re.MULTILINE)[1:]
    return [(int(number), text) for number, text in zip(parts[::2], parts[1::2], strict=True)]


def test_the_page_gives_the_very_pattern_by_which_they_are_found_here() -> None:
    assert f"`{CLAUSE.pattern}`" in PAGE


def test_they_are_numbered_by_section_without_a_hole() -> None:
    for section, text in sections():
        found = [(int(clause[1]), int(clause[2])) for clause in CLAUSE.finditer(text)]
        assert found == [(section, number) for number in range(1, len(found) + 1)]


def test_each_says_once_how_much_it_binds() -> None:
    for clause in CLAUSE.finditer(PAGE):
        assert len(RULE.findall(clause[4])) == 1, clause[0]


def test_what_binds_is_a_clause() -> None:
    for section, text in sections():
        assert not RULE.findall(CLAUSE.sub("", text)), f"section {section} has a rule without a number"


def test_no_item_looks_like_a_clause_and_is_none() -> None:
    numbered = re.findall(r"\*\*\d+\.\d+", PAGE)
    assert len(numbered) == len(CLAUSE.findall(PAGE))
