"""README.md: its figures are those of the code, each with its command, and what is said of others has a source."""

import re

from PIL import Image

from shoe_controller.demo.faults import faults_on
from shoe_controller.demo.irregularities import irregularities_at
from shoe_controller.demo.settings import GAMES, WIRES
from shoe_controller.house.catalogue_files import built_in_catalogue
from tests.attacks.collection import every_attack
from tests.documents.snippets import ROOT, text_of

README = text_of("README.md")
LARGEST_PICTURE = 2_000_000
"""Bytes of the moving picture."""
FIRST_SCREEN = 24
"""Lines before the first chapter."""


def rows(chapter: str) -> list[list[str]]:
    """The cells of the table in a chapter, without its head."""
    (text,) = re.findall(rf"^## {chapter}\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_it_begins_with_a_moving_picture_and_how_to_see_it() -> None:
    first, _, _ = README.partition("\n## ")
    assert first.count("\n") <= FIRST_SCREEN
    assert "make demo" in first
    (name,) = re.findall(r"!\[.+\]\((.+)\)", first)
    assert (ROOT / name).stat().st_size <= LARGEST_PICTURE
    with Image.open(ROOT / name) as picture:
        assert getattr(picture, "n_frames", 1) > 1


def test_its_contents_lead_to_every_chapter() -> None:
    contents = re.findall(r"\[([^]]+)\]\(#([a-z-]+)\)", README.partition("\n## ")[0])
    chapters = re.findall(r"^## (.+)$", README, re.MULTILINE)
    assert [title for title, _ in contents] == chapters
    assert [anchor for _, anchor in contents] == [
        re.sub(r"[^a-z -]", "", t.lower()).replace(" ", "-") for t in chapters
    ]


def test_every_figure_has_the_command_that_makes_it() -> None:
    found = rows("Why trust it")
    assert found
    for _, _, command in found:
        assert re.fullmatch(r"`(make|python -m) .+`", command), command


def test_figures_that_the_code_knows() -> None:
    attacks = re.search(r"(\d+) attacks", README)
    assert attacks is not None
    assert int(attacks[1]) == len(list(every_attack()))
    shown = re.search(r"(\d+) of (\d+) caught", README)
    assert shown is not None
    assert set(shown.groups()) == {str(len(faults_on(WIRES[0])) + len(irregularities_at(WIRES[0], GAMES[0])))}
    catalogue = built_in_catalogue()
    assert (len(catalogue.wagers), len(catalogue.base_games)) == (60, 3)
    assert "sixty wagers, three base games" in README


def test_what_is_said_of_others_has_a_source() -> None:
    found = rows("Beside what there is")
    assert found
    for who, said, _ in found:
        assert re.search(r"\]\(https?://", said), who
