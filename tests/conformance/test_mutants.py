"""Bugs put into the shoe in C on purpose: each fails in the clause that it breaks."""

import ctypes
import os
from pathlib import Path

import pytest

from tests.conformance.clauses import CLAUSES
from tests.conformance.mutants import MUTANTS, Mutant
from tests.conformance.virtual import ShoeInC, tried
from tests.firmware_protocol.native import c_shoe
from tests.firmware_protocol.native.c_build import KIT, LINK

INCLUDED = '#include "../../../firmware_protocol/c/shoe_link.c"'
LONG = "LONG_TESTS" in os.environ


def _kit(mutant: Mutant, folder: Path) -> ctypes.CDLL:
    link = LINK.read_text(encoding="utf-8")
    seen = Path(c_shoe.__file__).with_name("c_shoe.c").read_text(encoding="utf-8")
    source = folder / "c_shoe.c"
    source.write_text(seen.replace(INCLUDED, link.replace(mutant.search, mutant.replacement)), encoding="utf-8")
    # A bug may leave a function without a user; it is a bug all the same.
    return c_shoe.loaded_kit(source, ("-O0", f"-I{KIT}", "-Wno-unused"))


def test_every_bug_has_its_place_in_the_shoe() -> None:
    link = LINK.read_text(encoding="utf-8")
    assert len(MUTANTS) >= 20
    assert [mutant.bug for mutant in MUTANTS if link.count(mutant.search) != 1] == []


@pytest.mark.parametrize("mutant", MUTANTS if LONG else MUTANTS[::12], ids=lambda mutant: mutant.bug)
def test_each_bug_fails_in_the_clause_that_it_breaks(mutant: Mutant, tmp_path: Path) -> None:
    findings = tried(ShoeInC(_kit(mutant, tmp_path)))
    failed = {clause.number for clause in CLAUSES if clause.must and clause.number in findings.failed}
    assert set(mutant.breaks) <= failed <= {*mutant.breaks, *mutant.also}
