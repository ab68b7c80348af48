"""One cluster for all tests that do no harm to it; each test has a database of its own in it."""

import itertools
from collections.abc import Iterator

import pytest

from tests.postgres.cluster import Cluster, running_cluster

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def shared_cluster() -> Iterator[Cluster]:
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def database(shared_cluster: Cluster) -> str:
    """The address of an empty database."""
    name = f"house{next(_NUMBERS)}"
    shared_cluster.sql(f"CREATE DATABASE {name}")
    return shared_cluster.address(name)
