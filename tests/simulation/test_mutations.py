"""Bugs put in on purpose are found; `python -m tests.simulation --mutations` tries all of them with many seeds."""

import json
import re

import pytest

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.table.procedure import Procedure
from simulator.shoe_line import Wire
from tests.simulation.mutations import MUTATIONS, SEEDS, SEEDS_THAT_FIND, Mutation, found_at, put_in
from tests.simulation.plan import Mishap
from tests.simulation.seeds import IN_EVERY_TEST, plan_of
from tests.simulation.shrink import breaks, fewest_mishaps

FOUND_BY: dict[str, int] = json.loads(SEEDS_THAT_FIND.read_text(encoding="utf-8"))
"""The bugs of `mutations.py`, and a seed that finds each: `python -m tests.simulation --mutations --renew`."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_bug_is_found(mutation: Mutation) -> None:
    found = found_at(mutation, [FOUND_BY[mutation.name]])
    assert found is not None
    # A bug that no longer fits the program would be found by the interpreter, and prove nothing.
    assert not re.search("AttributeError|TypeError|NameError", found[1]), found[1]


def test_without_the_bugs_these_seeds_find_nothing() -> None:
    # The others are run by `test_simulation.py`.
    for seed in {seed for seed in FOUND_BY.values() if seed >= IN_EVERY_TEST}:
        assert not breaks(plan_of(seed))


def test_every_bug_has_its_seed() -> None:
    assert sorted(FOUND_BY) == sorted(mutation.name for mutation in MUTATIONS)
    assert max(FOUND_BY.values()) < SEEDS


def test_a_plan_shrinks_to_the_mishap_that_matters() -> None:
    misread = next(mutation for mutation in MUTATIONS if mutation.name == "settle_on_misread")
    names = ("display_cut", "misread", "clock_steps", "broker_forgets")
    mishaps = tuple(Mishap(name=name, entry=12, delay=0.0, seconds=2.0, number=7) for name in names)
    plan = plan_of(0)._replace(wire=Wire.NATIVE, disclosing=Disclosing.AT_DRAW, procedure=Procedure(), mishaps=mishaps)
    assert not breaks(plan)
    with put_in(misread):
        assert breaks(plan)
        assert fewest_mishaps(plan).names == ["misread"]
