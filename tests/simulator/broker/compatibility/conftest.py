"""Every test here runs against both brokers; one that needs another than the plain broker marks its `setting`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.simulator.broker.compatibility.brokers import (
    EMULATED,
    MOSQUITTO,
    Broker,
    EmulatedUnderTest,
    MosquittoUnderTest,
    Setting,
)
from tests.simulator.broker.wire import V5, V311


@pytest.fixture
def setting() -> Setting:
    """A plain broker; a test file overrides this, or a test parametrises it."""
    return Setting()


@pytest_asyncio.fixture(params=[EMULATED, MOSQUITTO])
async def broker(request: pytest.FixtureRequest, setting: Setting, tmp_path: Path) -> AsyncIterator[Broker]:
    chosen = EmulatedUnderTest(setting) if request.param == EMULATED else MosquittoUnderTest(setting, tmp_path)
    await chosen.start()
    yield chosen
    await chosen.end()


@pytest.fixture
def port(broker: Broker) -> int:
    return broker.port


@pytest.fixture(params=[V311, V5], ids=["3.1.1", "5"])
def version(request: pytest.FixtureRequest) -> int:
    version: int = request.param
    return version
