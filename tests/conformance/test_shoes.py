"""The shoe of the emulator and the shoe in C pass every trial, on virtual time."""

import pytest

from simulator.conformance.verdicts import Findings
from tests.conformance.clauses import CLAUSES, TRIED
from tests.conformance.virtual import PythonShoe, ShoeInC, VirtualShoe, tried

MUSTS = {clause.number for clause in CLAUSES if clause.must}
NEEDS_NO_KEY = {"4.9"}
NEEDS_A_CARD_FROM_A_FULL_SHOE = {"6.5"}


def _broken(findings: Findings) -> dict[str, list[str]]:
    return {number: how for number, how in findings.failed.items() if number in MUSTS}


@pytest.mark.parametrize(
    ("shoe", "not_tried"),
    [(PythonShoe, NEEDS_NO_KEY | NEEDS_A_CARD_FROM_A_FULL_SHOE), (ShoeInC, NEEDS_NO_KEY)],
)
def test_our_shoes_hold_every_must(shoe: type[PythonShoe | ShoeInC], not_tried: set[str]) -> None:
    made: VirtualShoe = shoe()
    findings = tried(made)
    assert _broken(findings) == {}
    assert TRIED & MUSTS - findings.held == not_tried
    assert findings.held <= TRIED


def test_a_shoe_without_a_key_can_be_tried() -> None:
    findings = tried(PythonShoe(key=None), key=None)
    assert _broken(findings) == {}
    assert findings.held >= NEEDS_NO_KEY
