"""A real journal with checkpoints, as the tests of the journal make it."""

from tests.journal.conftest import whole

__all__ = ["whole"]
