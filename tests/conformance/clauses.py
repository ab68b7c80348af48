"""The clauses of the page as it is, and what the suite knows of them."""

from collections.abc import Iterable

from simulator.conformance.clauses import Bound, Clause, read_clauses
from simulator.conformance.frames import JUDGED
from simulator.conformance.trials import TRIALS
from simulator.conformance.untriable import UNTRIABLE
from tests.documents.snippets import text_of

CLAUSES = read_clauses(text_of("firmware_protocol/native/PROTOCOL.md"))
TRIED = {*JUDGED, *(number for trial in TRIALS for number in trial.clauses)}


def unknown(clauses: Iterable[Clause]) -> list[str]:
    """Every MUST of a shoe that is neither tried nor listed as one that cannot be."""
    musts = [clause for clause in clauses if clause.must and clause.bound is not Bound.CONTROLLER]
    return [clause.number for clause in musts if clause.number not in TRIED and clause.number not in UNTRIABLE]
