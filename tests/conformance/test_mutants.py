"""Bugs put into the shoe in C on purpose: each fails in the clause that it breaks."""

import ctypes
import os
from functools import cache

import pytest

from simulator.conformance.trials import TRIALS
from tests.conformance.mutants import MUTANTS, Mutant
from tests.conformance.virtual import ShoeInC, tried
from tests.firmware_protocol.native.c_build import BLAKE2S, FOLDER, KIT, LINK, compiled
from tests.firmware_protocol.native.c_shoe import CShoe, as_library

LONG = "LONG_TESTS" in os.environ


@cache
def _kit(mutant: Mutant) -> ctypes.CDLL:
    source = LINK.read_text(encoding="utf-8")
    assert source.count(mutant.search) == 1, f"{mutant.bug}: its place in shoe_link.c is gone, or not the only one"
    FOLDER.mkdir(parents=True, exist_ok=True)
    return as_library(source.replace(mutant.search, mutant.replacement), "mutant", ("-O0",))


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.bug for mutant in MUTANTS])
def test_each_bug_fails_in_the_clause_that_it_breaks(mutant: Mutant) -> None:
    trials = tuple(trial for trial in TRIALS if LONG or set(trial.clauses) & set(mutant.breaks))
    findings = tried(ShoeInC(lambda **given: CShoe(kit=_kit(mutant), **given)), trials)
    assert set(mutant.breaks) <= set(findings.failed)
