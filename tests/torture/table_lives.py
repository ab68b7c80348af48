"""Lives of a table with its journal: the model of `tests/table/test_model.py`, with other examples and longer ones."""

from hypothesis import HealthCheck, settings
from hypothesis import seed as seeded
from hypothesis.stateful import run_state_machine_as_test

from tests.table.test_model import TableModel

STEPS = 60


def live(lives: int, seed: int) -> None:
    """So many lives; an error, with the shortest life that leads to it, if anything is not as it should be."""
    run_state_machine_as_test(
        seeded(seed)(TableModel),
        settings=settings(
            max_examples=lives,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
