"""A card from the pty to a subscriber while one client floods the table with requests, beside the same without.

For each kind of request: how many a second came, the latency of cards, the daemon's memory before and after, and how
long another terminal waited for the answer to a supervisor's sign-in, whose PIN check alone takes its time too.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from firmware_protocol.events import CardDrawn
from shoe_controller.config.pins import check_pin, hash_pin
from shoe_controller.messages.requests import RequestRole
from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession
from shoe_controller.mqtt.client import NetworkBroker
from tests.bench.daemon import Shoe, resident, running_daemon
from tests.bench.floors.flood import REQUESTS, TOPICS
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

PER_SECOND = 10_000
CARDS = 600
PAUSE = 0.01
SIGN_INS = 5
PIN = "480612"
REPLY = f"{TOPICS.replies}pit/1"
CARD = f"{TOPICS.prefix}/event/card"

PEOPLE = f"""
[[people]]
id = "ann"
name = "Ann"
role = "supervisor"
pin = "{hash_pin(PIN, bytes(16))}"
"""


class Figures(NamedTuple):
    per_second: float
    p50: float
    p99: float
    memory: tuple[int, int]
    """KiB before and after."""
    answered_after: float
    """Seconds, of the slowest sign-in."""


def main() -> None:
    began = time.perf_counter()
    check_pin(PIN, hash_pin(PIN, bytes(16)))
    check = (time.perf_counter() - began) / 2
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder), check))


async def _measure(folder: Path, check: float) -> None:
    broker = Mosquitto(folder, "allow_anonymous true\nmax_queued_messages 10000\nset_tcp_nodelay true")
    await broker.start()
    print(
        f"cards beside a flood of requests from one client, {CARDS} cards each; a PIN check takes {1e3 * check:.0f} ms"
    )
    print("                     requests/s   p50 µs   p99 µs  p99 to quiet    memory MiB   slowest sign-in ms")
    try:
        quiet = await _beside(folder, broker.port, None)
        _print("quiet", quiet, quiet)
        for kind in REQUESTS:
            _print(kind, await _beside(folder, broker.port, kind), quiet)
    finally:
        await broker.kill()


def _print(name: str, found: Figures, quiet: Figures) -> None:
    before, after = (kib / 1024 for kib in found.memory)
    print(
        f"  {name:<18}{found.per_second:>11,.0f} {1e6 * found.p50:>8.0f} {1e6 * found.p99:>8.0f} "
        f"{found.p99 / quiet.p99:>13.2f} {before:>6.1f}→{after:<6.1f} {1e3 * found.answered_after:>19.0f}"
    )


async def _beside(folder: Path, port: int, kind: str | None) -> Figures:
    address = BrokerAddress(host="127.0.0.1", port=port, client_id="pit")
    async with (
        NetworkBroker(address).connect(None, [CARD, REPLY, TOPICS.status]) as session,
        running_daemon(folder, port, PEOPLE) as shoe,
    ):
        for _ in range(50):
            await _next_card(session, shoe)
        before = resident(shoe.pid)
        async with _flood(port, kind) as flood:
            await asyncio.sleep(1.0)
            sent, began = flood.sent, time.perf_counter()
            took = [await _next_card(session, shoe) for _ in range(CARDS)]
            per_second = (flood.sent - sent) / (time.perf_counter() - began)
            answered = [await _sign_in(session, number) for number in range(SIGN_INS)]
            after = resident(shoe.pid)
    cuts = statistics.quantiles(took, n=100)
    return Figures(per_second, cuts[49], cuts[98], (before, after), max(answered))


async def _next_card(session: BrokerSession, shoe: Shoe) -> float:
    while True:
        event = shoe.next_event()
        began = shoe.say(event)
        if isinstance(event, CardDrawn):
            await _heard(session, CARD)
            took = time.perf_counter() - began
            await asyncio.sleep(PAUSE)
            return took
        await asyncio.sleep(PAUSE)


async def _sign_in(session: BrokerSession, number: int) -> float:
    topic = TOPICS.request(RequestRole.SUPERVISOR, "pit", "sign_in")
    body = {"request_id": f"{time.time_ns()}-{number}", "shoe": 0, "round": 0, "person": "ann", "pin": PIN}
    began = time.perf_counter()
    session.publish_soon(topic, msgspec.json.encode(body), response_topic=REPLY, correlation=b"s")
    answer = msgspec.json.decode(await _heard(session, REPLY))
    assert answer["refusal"]["code"] == "other_round", answer  # the PIN was right: only the round is not
    return time.perf_counter() - began


async def _heard(session: BrokerSession, topic: str) -> bytes:
    async for message in session.incoming():
        if message.topic == topic:
            return message.payload
    raise RuntimeError("the broker went away")


class _Flood:
    def __init__(self) -> None:
        self.sent = 0
        self.begun = asyncio.Event()

    async def count(self, lines: asyncio.StreamReader) -> None:
        async for line in lines:
            self.sent = int(line)
            self.begun.set()


@asynccontextmanager
async def _flood(port: int, kind: str | None) -> AsyncIterator[_Flood]:
    flood = _Flood()
    if kind is None:
        yield flood
        return
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.floors.flood",
        str(port),
        kind,
        str(PER_SECOND),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    counting = asyncio.create_task(flood.count(process.stdout))
    try:
        await flood.begun.wait()
        yield flood
    finally:
        process.kill()
        await process.wait()
        await counting


if __name__ == "__main__":
    main()
