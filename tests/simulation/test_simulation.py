"""A few hundred seeds of the simulated table; `make simulate` runs as many as you like."""

import hashlib
import os
import subprocess
import sys

import pytest

from tests.simulation.campaign import how_to_replay
from tests.simulation.plan import plan_of
from tests.simulation.regressions import REGRESSIONS
from tests.simulation.world import run

SEEDS_AT_ONCE = 10
GROUPS = 30


@pytest.mark.parametrize("group", range(GROUPS))
def test_all_promises_are_kept(group: int) -> None:
    for seed in range(group * SEEDS_AT_ONCE, (group + 1) * SEEDS_AT_ONCE):
        ran = run(plan_of(seed))
        assert not ran.broken, f"{ran.broken}\n{ran.plan}\n{how_to_replay(seed)}"
        assert ran.rounds > ran.plan.rounds


@pytest.mark.parametrize("seed", REGRESSIONS)
def test_what_was_broken_once_stays_mended(seed: int) -> None:
    ran = run(plan_of(seed))
    assert not ran.broken, f"{REGRESSIONS[seed]}: {ran.broken}\n{how_to_replay(seed)}"


def test_without_mishaps_there_is_no_alert() -> None:
    for seed in range(5):
        plan = plan_of(seed)
        calm = plan._replace(mishaps=(), undoes=False, cut_card_after=None)
        ran = run(calm)
        assert not ran.broken
        assert set(ran.alerts) <= {"draw_before_close"}, f"{how_to_replay(seed)} without its mishaps"


TELL = """
import sys
from tests.simulation.plan import plan_of
from tests.simulation.world import run
for seed in (1, 3, 214, 415):
    run(plan_of(seed), told=print)
"""


def test_a_seed_decides_everything() -> None:
    """Two processes, in which sets are ordered differently, tell the same story to the last word."""
    stories = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", TELL],
                env=os.environ | {"PYTHONHASHSEED": hash_seed},
                capture_output=True,
                check=True,
            ).stdout
        ).hexdigest()
        for hash_seed in ("1", "2")
    }
    assert len(stories) == 1
