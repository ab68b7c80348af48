"""Links lead somewhere, and names are those of something that there is."""

import os
import re
from importlib.util import find_spec

import pytest

from shoe_controller.cli import COMMANDS, parser
from tests.documents.running import make
from tests.documents.snippets import DOCUMENTS, ROOT, inline_code, text_of

OPTIONAL = re.compile(r"…|\b[A-Z]{2,}\b")
"""What stands for something else: such a command is a name, and nothing to be typed."""

MANY_CHAPTERS = 5
"""A document with as many has a list of them before the first."""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_somewhere(document: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", text_of(document)):
        if not target.startswith(("https://", "http://")):
            assert ((ROOT / document).parent / target).exists(), target


def headings(document: str) -> list[str]:
    """With their marks, and without what looks like one in a block."""
    text = re.sub(r"^ *```.*?^ *```$", "", text_of(document), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ .+$", text, re.MULTILINE)


def anchors(document: str) -> list[str]:
    """Of every heading, as a forge makes them."""
    return [re.sub(r"[^\w -]", "", each.lstrip("# ").lower()).replace(" ", "-") for each in headings(document)]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_to_a_heading(document: str) -> None:
    for file, anchor in re.findall(r"\]\(([^)#:]*\.md)?#([^)]+)\)", text_of(document)):
        target = os.path.relpath((ROOT / document).parent / file, ROOT) if file else document
        assert anchor in anchors(target), f"{file}#{anchor}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_of_many_chapters_has_a_list_of_contents(document: str) -> None:
    chapters = [each.removeprefix("## ") for each in headings(document) if each.startswith("## ")]
    if len(chapters) < MANY_CHAPTERS or document == "CHANGELOG.md":
        return
    before = text_of(document).partition("\n## ")[0]
    listed = re.findall(r"\[([^]]+)\]\(#([^)]+)\)", before.rpartition("\n\n")[2] or before)
    assert [title for title, _ in listed] == [each.replace("`", "") for each in chapters]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_is_named_is_there(document: str) -> None:
    for code in inline_code(document):
        if re.fullmatch(r"(?:tests|deploy|shoe_controller|simulator|firmware_protocol|docs)/[\w./]*", code):
            assert (ROOT / code).exists(), code


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_that_is_named_is_there(document: str) -> None:
    for code in inline_code(document):
        match code.removeprefix("sudo ").split():
            case ["shoe-controller", name, *_] if not OPTIONAL.search(name):
                assert name in COMMANDS, code
                options = re.findall(r"--[a-z-]+", code)
                assert all(option in _help(name) for option in options), code
            case ["make", target, *settings] if not OPTIONAL.search(target):
                assert make(target, *(word for word in settings if word != "…")), code
            case ["python", "-m", module, *_]:
                assert find_spec(module) is not None, code
            case _:
                pass


def _help(name: str) -> str:
    """The help of a command and of all its subcommands."""
    levels, texts = [parser(name)], []
    while levels:
        level = levels.pop()
        texts.append(level.format_help())
        for action in level._actions:  # noqa: SLF001 - argparse has no other way to list what is below
            if isinstance(action.choices, dict):
                levels.extend(action.choices.values())
    return "\n".join(texts)


def test_every_document_can_be_found_from_the_readme() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)\)", text_of("README.md")))
    readers = {name for name in DOCUMENTS if name.startswith(("docs/", "firmware_protocol/"))}
    assert readers - linked == set()


def test_the_glossary_explains_each_word_once_and_in_order() -> None:
    every: list[str] = []
    for chapter in text_of("docs/glossary.md").split("\n## ")[1:]:
        words = re.findall(r"^\| ([^|]+?) \|", chapter, re.MULTILINE)[1:]
        assert words == sorted(words, key=str.lower)
        every += words
    assert len(every) == len(set(every))
