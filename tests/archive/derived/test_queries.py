"""The queries of `docs/archive_tables.md` on real rows: each runs, and finds something."""

import pytest

from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.messages import facts
from shoe_controller.postgres.connection import connect
from tests.archive.derived.streams import TABLES_ON
from tests.documents.snippets import Snippet, snippets_of

pytestmark = pytest.mark.timeout(1800)  # with LONG_TESTS=1, for all that is dealt before the first test

QUERIES = [snippet for snippet in snippets_of("docs/archive_tables.md") if snippet.language == "sql"]

AS_OF_THE_EVENINGS = {
    "current_date": "date '2026-09-24'",
    "extract(isodow FROM began_at) = 2": "extract(isodow FROM began_at) = 1",
    "'north'": f"'{TABLES_ON}'",
}
"""The simulated evenings are all of Monday, 21 September 2026."""


def test_the_evenings_have_every_fact(events: list[ArchivedEvent]) -> None:
    every = {str(kind.__struct_config__.tag) for kind in facts.AnyFact.__args__}
    assert {event.fact for event in events} == every


def test_there_are_twenty_and_more() -> None:
    assert len(QUERIES) >= 20


@pytest.mark.asyncio
@pytest.mark.parametrize("query", QUERIES, ids=str)
async def test_a_query_finds_rows(query: Snippet, filled: str, events: list[ArchivedEvent]) -> None:
    text = query.text
    for word, other in AS_OF_THE_EVENINGS.items():
        text = text.replace(word, other)
    tables = list(dict.fromkeys(event.table for event in events)) if "'14'" in text else ["14"]
    async with connect(filled) as connection:
        assert any([await connection.fetch(text.replace("'14'", f"'{table}'")) for table in tables])
