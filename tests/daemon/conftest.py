"""Tests marked `long` run in `make torture`, which sets LONG_TESTS; `make test` runs the others."""

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes too long for every run; LONG_TESTS=1 runs it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("LONG_TESTS"):
        for item in items:
            if item.get_closest_marker("long") is not None:
                item.add_marker(pytest.mark.skip(reason="long; LONG_TESTS=1 runs it"))
