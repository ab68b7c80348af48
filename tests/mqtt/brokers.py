"""The two brokers of the tests, as the compatibility suite sets them up, and with ways to die and to hang."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession, Incoming, Will
from shoe_controller.mqtt.client import NetworkBroker
from tests.simulator.broker.compatibility.brokers import EmulatedUnderTest, MosquittoUnderTest
from tests.transports.leaks import Belongings

PATIENCE = 10.0
WILL = Will("status", b"offline")


class BrokerUnderTest(Protocol):
    @property
    def port(self) -> int: ...

    async def start(self) -> None: ...

    async def end(self) -> None:
        """Leave nothing behind; the test is over."""

    async def kill(self) -> None:
        """Die as by `kill -9`."""

    def hang(self) -> None:
        """Keep all connections, and do nothing any more."""

    def wake(self) -> None: ...


class HangingEmulated(EmulatedUnderTest):
    async def kill(self) -> None:
        await self._broker.stop(keep_sessions=False, keep_retained=False, orderly=False)

    def hang(self) -> None:
        self._broker.stall()

    def wake(self) -> None:
        self._broker.resume()


class HangingMosquitto(MosquittoUnderTest):
    async def kill(self) -> None:
        await self._mosquitto.kill()

    def hang(self) -> None:
        self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        process = self._mosquitto._process  # noqa: SLF001 - only its process can be made to hang
        assert process is not None
        os.kill(process.pid, number)


def address(port: int, **settings: Any) -> BrokerAddress:  # noqa: ANN401 - the fields of BrokerAddress
    usual: dict[str, Any] = {"host": "127.0.0.1", "port": port, "client_id": "table-7"}
    return BrokerAddress(**(usual | settings))


@asynccontextmanager
async def connected(port: int, *subscriptions: str, **settings: Any) -> AsyncIterator[BrokerSession]:  # noqa: ANN401 - as above
    async with NetworkBroker(address(port, **settings)).connect(WILL, subscriptions) as session:
        yield session


async def next_message(session: BrokerSession) -> Incoming:
    async with asyncio.timeout(PATIENCE):
        return await anext(session.incoming())


async def nothing_left_since(before: Belongings, within: float = 1.0) -> None:
    """Wait until this process has nothing that it did not have before; the broker's end of a line may need a moment."""
    await becomes(lambda: not Belongings.now().left_since(before), within)


async def becomes(condition: Callable[[], bool], within: float = PATIENCE) -> None:
    """Wait for something that nobody announces."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110 - nobody announces it
            await asyncio.sleep(0.005)
