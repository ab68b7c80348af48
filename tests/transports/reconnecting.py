"""A controller's line that is opened again and again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from shoe_controller.transports.reconnect import LineState, Reconnector
from shoe_controller.transports.transport import Port
from tests.transports.ears import Ears


async def hardly_sleep(_: float) -> None:
    await asyncio.sleep(0.001)


@asynccontextmanager
async def running(port: Port, ears: Ears) -> AsyncIterator[Reconnector]:
    """A reconnector that looks for the shoe every millisecond, and is cancelled in the end."""
    reconnector = Reconnector(port, ears.on_report, ears.on_bytes, sleep=hardly_sleep)
    task = asyncio.create_task(reconnector.run())
    try:
        yield reconnector
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert reconnector.state is LineState.STOPPED
