"""Every test of this folder runs inside a leak check; one that needs another than a plain broker sets `setting`."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.mqtt.brokers import BrokerUnderTest, HangingEmulated, HangingMosquitto, nothing_left_since
from tests.mqtt.certificates import Certificates
from tests.simulator.broker.compatibility.brokers import EMULATED, MOSQUITTO, Setting
from tests.transports.leaks import Belongings


@pytest_asyncio.fixture(autouse=True)
async def nothing_leaks() -> AsyncIterator[None]:
    before = Belongings.now()
    yield
    # A name look-up leaves the loop's own worker waiting for the next; ending it is what `asyncio.run` does too.
    await asyncio.get_running_loop().shutdown_default_executor()
    await nothing_left_since(before)


@pytest.fixture
def setting() -> Setting:
    """A plain broker; a test parametrises this."""
    return Setting()


@pytest_asyncio.fixture(params=[EMULATED, MOSQUITTO])
async def broker(
    request: pytest.FixtureRequest,
    setting: Setting,
    tmp_path: Path,
    nothing_leaks: None,  # noqa: ARG001 - started inside the leak check
) -> AsyncIterator[BrokerUnderTest]:
    chosen = HangingEmulated(setting) if request.param == EMULATED else HangingMosquitto(setting, tmp_path)
    await chosen.start()
    yield chosen
    await chosen.end()


@pytest.fixture
def port(broker: BrokerUnderTest) -> int:
    return broker.port


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))
