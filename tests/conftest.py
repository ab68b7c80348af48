"""Hypothesis runs the same examples every time, and a busy machine is no failure."""

import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a share of the tests first: compiling them for pytest takes long, and each worker would do all of it."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1 or session.config.args != session.config.getini("testpaths"):
        return
    here = Path(__file__).parent
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    for file in sorted(here.rglob("test_*.py"))[number::workers]:
        # Whatever is wrong with one is met again, and reported, when the tests are collected.
        with suppress(Exception, pytest.fail.Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(here.parent).with_suffix("").parts))
