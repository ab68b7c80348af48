"""What a confirmed message costs through our client, beside bare aiomqtt, to the same Mosquitto in the same run.

Alone: one QoS 1 publish after the other, each awaited. In a window: 100 asked for at a time, the next when the oldest
is confirmed; Mosquitto itself allows 20 under way. The two clients take turns, and the median round is shown.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import logging
import socket
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiomqtt

from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession, Will
from shoe_controller.mqtt.client import NetworkBroker
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

ROUNDS = 7
ALONE = 500
IN_WINDOW = 3000
WINDOW = 100
PAYLOAD = b'{"seq":123456,"shoe":12,"round":34,"card":"9H","hand":"player","time":"2025-01-01T00:00:00.000Z"}'
TOPIC = "shoe/v1/house/7/event/card"

PublishSoon = Callable[[], Awaitable[None]]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    broker = Mosquitto(folder, "allow_anonymous true")
    await broker.start()
    try:
        rounds = [(await _bare(broker.port), await _ours(broker.port)) for _ in range(ROUNDS)]
    finally:
        await broker.kill()
    print(f"{ROUNDS} rounds; {ALONE} messages alone, {IN_WINDOW} in a window of {WINDOW}")
    print("                        p50 µs   p99 µs   messages/s in the window")
    floor, ours = (
        [statistics.median(each[which][figure] for each in rounds) for figure in range(3)] for which in (0, 1)
    )
    for name, (p50, p99, rate) in (("bare aiomqtt", floor), ("our client", ours)):
        print(f"  {name:<20}{p50:>8.0f} {p99:>8.0f} {rate:>12.0f}")
    ratios = [mine / bare for mine, bare in zip(ours, floor, strict=True)]
    print(f"  {'ratio':<20}{ratios[0]:>8.2f} {ratios[1]:>8.2f} {ratios[2]:>12.2f}")


async def _bare(port: int) -> tuple[float, float, float]:
    at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    quiet = logging.getLogger("bench.aiomqtt")
    quiet.setLevel(logging.ERROR)  # it would warn of every publish beyond the tenth that is under way
    async with aiomqtt.Client(
        "127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=at_once, logger=quiet
    ) as client:
        # One task for each, as aiomqtt has no other way to have several under way.
        return await _figures(
            lambda: client.publish(TOPIC, PAYLOAD, qos=1),
            lambda: asyncio.ensure_future(client.publish(TOPIC, PAYLOAD, qos=1)),
        )


async def _ours(port: int) -> tuple[float, float, float]:
    address = BrokerAddress(host="127.0.0.1", port=port, client_id="bench")
    async with NetworkBroker(address).connect(Will("status", b"offline"), []) as session:
        return await _session_figures(session)


async def _session_figures(session: BrokerSession) -> tuple[float, float, float]:
    return await _figures(lambda: session.publish(TOPIC, PAYLOAD), lambda: session.publish_soon(TOPIC, PAYLOAD))


async def _figures(publish: PublishSoon, publish_soon: PublishSoon) -> tuple[float, float, float]:
    took = []
    for _ in range(ALONE):
        began = time.perf_counter()
        await publish()
        took.append(1e6 * (time.perf_counter() - began))
    cuts = statistics.quantiles(took[20:], n=100)
    began = time.perf_counter()
    window: deque[Awaitable[None]] = deque()
    for _ in range(IN_WINDOW):
        if len(window) == WINDOW:
            await window.popleft()
        window.append(publish_soon())
    for each in window:
        await each
    return cuts[49], cuts[98], IN_WINDOW / (time.perf_counter() - began)
