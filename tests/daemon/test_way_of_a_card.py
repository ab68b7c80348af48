"""A real card is followed from the port to the broker, and the way in the document is the way it takes."""

import re
from pathlib import Path

import pytest

from tests.daemon.way_of_a_card import ROOT, files_of, way_of_a_card

DOCUMENT = ROOT / "docs" / "architecture.md"
MOST_FILES = 47
"""What a reader must open to follow a card.

It was 34 before people's irregularities could be put right. Each of the eight files since then decides something about
the card: whether it comes from the present shoe (`shoe_line`), was entered by hand already (`entered_cards`), belongs
to what is left of a shoe (`remainder`) or to one that nobody may have opened (`opening`), how it counts (`counting`),
whether it waits for the round before it (`dealing_on`), whether a new dealer had to burn one before it (`duty`), and
whether it proves that the shoe is bad (`inventory`). Four more keep a bad line or a wiped shoe from harming it: what
came before (`recent`), how old it can be (`ages`), which bytes are kept of it (`raw_bytes`), and whether there is
anything but noise on the line (`line_budget`). One makes the bytes that are published, now and when a journal is
compared with an archive (`published`).
"""


def documented() -> list[str]:
    block = re.search(r"<!-- way of a card -->\n```\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    return [line.strip() for line in block[1].splitlines() if line.strip()]


@pytest.mark.asyncio
async def test_the_document_shows_the_way_that_a_card_takes(tmp_path: Path) -> None:
    way = await way_of_a_card(tmp_path)
    steps = documented()
    assert [step for step in way if step in steps] == steps, "\n".join(way)
    assert (way[0], way[-1]) == (steps[0], steps[-1])
    assert len(files_of(way)) <= MOST_FILES, files_of(way)
