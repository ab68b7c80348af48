"""Every MUST of the page is tried, or listed with the reason why it cannot be."""

from simulator.conformance.clauses import Bound, read_clauses
from simulator.conformance.untriable import UNTRIABLE
from tests.conformance.clauses import CLAUSES, TRIED, unknown
from tests.documents.snippets import text_of

PAGE = text_of("firmware_protocol/native/PROTOCOL.md")


def test_every_must_of_a_shoe_is_known() -> None:
    assert len(CLAUSES) > 100
    assert unknown(CLAUSES) == []


def test_a_must_that_the_page_gains_is_missed() -> None:
    gained = PAGE.replace("\n## 7. Events", "\n- **6.99 shoe** A shoe MUST\n  sing.\n\n## 7. Events", 1)
    assert unknown(read_clauses(gained)) == ["6.99"]
    for other in ("shoe** A shoe SHOULD", "controller** It MUST"):
        advice = gained.replace("shoe** A shoe MUST", other)
        assert unknown(read_clauses(advice)) == []


def test_every_number_of_the_suite_is_a_clause_that_binds_a_shoe() -> None:
    binding = {clause.number for clause in CLAUSES if clause.bound is not Bound.CONTROLLER}
    assert {*TRIED, *UNTRIABLE} - binding == set()
    assert TRIED & set(UNTRIABLE) == set()


def test_every_must_and_should_of_the_page_stands_in_a_clause() -> None:
    """Otherwise a rule would bind, and nobody would miss its trial."""
    clauses = " ".join(clause.text for clause in CLAUSES)
    words = sum(PAGE.count(word) for word in (" MUST ", " SHOULD "))
    within = sum(clauses.count(word) for word in (" MUST ", " SHOULD "))
    assert words == within
