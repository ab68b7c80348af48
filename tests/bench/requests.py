"""How many requests a second a table answers, 100 under way at a time, while nothing else happens.

Three kinds: nonsense, a wager that is late for its round (refused without a commit), and a wager that is taken (stored
before it is answered). Beside them, in the same run, a process that answers whatever comes (`floors/echo.py`).
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession, Will
from shoe_controller.mqtt.client import NetworkBroker
from tests.bench.daemon import running_daemon
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

REQUESTS = 3000
WINDOW = 100
REPLIES = "shoe/v1/bench/t1/reply/bench"
PLACE = "shoe/v1/bench/t1/request/wagers/bench/place"
FLOOR = "floor/request/place"
STATE = "shoe/v1/bench/t1/state"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    broker = Mosquitto(folder, "allow_anonymous true")
    await broker.start()
    address = BrokerAddress(host="127.0.0.1", port=broker.port, client_id="bench")
    will = Will("bench/status", b"")
    try:
        async with NetworkBroker(address).connect(will, [f"{REPLIES}/#", "floor/ready", STATE]) as session:
            async with _echo(broker.port):
                await _heard(session, "floor/ready")
                floor = await _rate(session, FLOOR, lambda _: b"nonsense")
            print(f"requests answered, {WINDOW} under way: floor {floor:,.0f}/s")
            async with running_daemon(folder, broker.port):
                while b'"phase":"betting"' not in await _heard(session, STATE):
                    pass
                for name, body in (("nonsense", _nonsense), ("late for its round", _late), ("taken", _taken)):
                    rate = await _rate(session, PLACE, body)
                    print(f"  {name:<20}{rate:>8,.0f}/s; ratio {rate / floor:.2f}")
    finally:
        await broker.kill()


def _nonsense(number: int) -> bytes:
    return b'{"request_id": ' * (1 + number % 3)


def _late(number: int) -> bytes:
    return _wager(number, round_=10_000, stake=10)


def _taken(number: int) -> bytes:
    return _wager(number, round_=1, stake=1 + number % 1000)


def _wager(number: int, *, round_: int, stake: int) -> bytes:
    stakes = [{"wager": "base.player", "stake": stake}]
    return msgspec.json.encode(
        {"request_id": f"{round_}-{number}", "shoe": 1, "round": round_, "seat": "1", "stakes": stakes}
    )


async def _rate(session: BrokerSession, topic: str, body: Callable[[int], bytes]) -> float:
    """Answers a second; every request gets exactly one."""
    asked = answered = 0
    began = time.perf_counter()
    while answered < REQUESTS:
        while asked < REQUESTS and asked - answered < WINDOW:
            session.publish_soon(
                topic, body(asked), response_topic=f"{REPLIES}/{topic.partition('/')[0]}", correlation=b"%d" % asked
            )
            asked += 1
        await _heard(session, f"{REPLIES}/{topic.partition('/')[0]}")
        answered += 1
    return REQUESTS / (time.perf_counter() - began)


async def _heard(session: BrokerSession, topic: str) -> bytes:
    async for message in session.incoming():
        if message.topic == topic:
            return message.payload
    raise RuntimeError("the broker went away")


@asynccontextmanager
async def _echo(port: int) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "tests.bench.floors.echo", str(port))
    try:
        yield
    finally:
        process.kill()
        await process.wait()


if __name__ == "__main__":
    main()
