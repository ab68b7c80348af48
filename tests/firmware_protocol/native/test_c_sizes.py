"""The pages that say what the shoe in C takes say the same: `make bench` measures it once, and writes both."""

import shutil

import pytest

from tests.bench.c_kit import (
    CODE,
    COMPILER,
    LINK_RAM,
    MOST_CODE,
    MOST_RAM,
    PAGES,
    STACK,
    figures_of,
    measured,
    with_figures,
)


def test_both_pages_have_the_same_figures() -> None:
    one, other = (figures_of(page.read_text("utf-8"), rows) for page, rows in PAGES.items())
    assert one == other


@pytest.mark.skipif(shutil.which(COMPILER[0]) is None, reason="needs .ci/system-packages bench")
def test_the_pages_say_what_is_measured_within_the_budgets() -> None:
    figures = measured()
    for page, rows in PAGES.items():
        assert figures_of(page.read_text("utf-8"), rows) == figures, "python -m tests.bench.c_kit renews them"
    assert figures[CODE] <= MOST_CODE
    assert figures[LINK_RAM] + figures[STACK] <= MOST_RAM


def test_what_is_measured_is_written_into_the_rows_that_name_it() -> None:
    for page, rows in PAGES.items():
        written = with_figures(page.read_text("utf-8"), {row: 1000 + at for at, row in enumerate(rows)})
        assert figures_of(written, rows) == {name: 1000 + at for at, name in enumerate(rows.values())}
