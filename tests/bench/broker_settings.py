"""What the broker's autosave costs a card, and what a killed broker still has, for the settings `init` could write.

For each setting: a Mosquitto with the retained messages of 40 tables and a display with a kept session that is away;
then cards every 10 ms to a live display while a client sends 4,000 requests to a table that does not read. Delay is
from publishing a card to its arrival. Then the broker is killed and started again: how many retained messages it
still has, and how many events wait for the display that was away. The floor never saves while it runs.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import Kind, publish

SETTINGS = {
    "never (the floor)": "autosave_interval 0",
    "at every change": "autosave_on_changes true\nautosave_interval 1",
    "every 1000 changes": "autosave_on_changes true\nautosave_interval 1000",
    "every second": "autosave_interval 1",
    "every 10 seconds": "autosave_interval 10",
    "every 60 seconds": "autosave_interval 60",
}
QUEUES = "allow_anonymous true\nmax_queued_messages 10000\nset_tcp_nodelay true"
TABLES, RETAINED = 40, 5
REQUESTS = 4000
EVERY = 0.01
SHORTEST = 3.0
"""Seconds of cards at least, so that an autosave of every second falls into them."""


def main() -> None:
    print(f"{REQUESTS} requests beside cards every {1000 * EVERY:.0f} ms; delays of cards in ms")
    print("                                                             requests          after a kill -9")
    print("  autosave                p50      p99    worst  saves    kB     in s     retained  waiting events")
    for name, setting in SETTINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            figures = asyncio.run(_measure(Path(folder), f"{QUEUES}\n{setting}"))
        cuts = statistics.quantiles(figures.delays, n=100)
        print(
            f"  {name:<20}{cuts[49]:>7.1f} {cuts[98]:>8.1f} {max(figures.delays):>8.1f} {figures.saves:>6} "
            f"{figures.size / 1000:>5.0f} {figures.flood:>8.1f}   {figures.retained:>3} of {TABLES * RETAINED}  "
            f"{figures.waiting} of {len(figures.delays)}",
            flush=True,
        )


class Figures(NamedTuple):
    delays: list[float]
    """Milliseconds of each card."""
    flood: float
    """Seconds until all requests were accepted."""
    saves: int
    size: int
    """Bytes that the last save wrote."""
    retained: int
    waiting: int


async def _measure(folder: Path, settings: str) -> Figures:
    broker = Mosquitto(folder, settings)
    await broker.start()
    try:
        async with AsyncExitStack() as stack:
            display, flooder, table, dealer = [
                await stack.enter_async_context(client(broker.port, name))
                for name in ("display", "flooder", "table", "dealer")
            ]
            async with client(broker.port, "away", clean=False, props={"session_expiry": 3600}) as away:
                await away.subscribe("event/card")
            await table.subscribe("request/#")
            for number in range(TABLES * RETAINED):
                await dealer.publish(f"table/{number}", bytes(500), retain=True)
            await display.subscribe("event/card")
            flood = asyncio.create_task(_flood(flooder))
            delays = await _cards(dealer, display, flood)
            took = await flood
        await broker.kill()
        saves = (folder / "mosquitto.log").read_text(encoding="utf-8").count("Saving in-memory database")
        saved = folder / "mosquitto.db"
        size = saved.stat().st_size if saved.exists() else 0
        await broker.start()
        async with client(broker.port, "newcomer") as newcomer:
            retained = await _received(newcomer, "table/+")
        async with client(broker.port, "away", clean=False, props={"session_expiry": 3600}) as away:
            waiting = await _received(away, "none")
        return Figures(delays, took, saves, size, retained, waiting)
    finally:
        await broker.kill()


async def _flood(flooder: RawClient) -> float:
    began = time.perf_counter()
    window = 20  # as many as Mosquitto accepts at once
    for number in range(REQUESTS):
        await flooder.send(publish("request/display/guest/replay", bytes(100), qos=1, packet_id=number + 1))
        if number >= window:
            await flooder.answer(Kind.PUBACK)
    for _ in range(window):
        await flooder.answer(Kind.PUBACK)
    return time.perf_counter() - began


async def _cards(dealer: RawClient, display: RawClient, flood: "asyncio.Task[float]") -> list[float]:
    delays: list[float] = []
    end = time.perf_counter() + SHORTEST
    while not flood.done() or time.perf_counter() < end:
        began = time.perf_counter()
        await dealer.send(publish("event/card", b"", qos=1, packet_id=1))
        await display.message()
        delays.append(1000 * (time.perf_counter() - began))
        await dealer.answer(Kind.PUBACK)
        await asyncio.sleep(EVERY)
    return delays


async def _received(newcomer: RawClient, topic_filter: str) -> int:
    """How many messages come before one of our own, after subscribing."""
    await newcomer.subscribe(topic_filter, "fence")
    await newcomer.publish("fence")
    return len(await newcomer.messages_until("fence"))
