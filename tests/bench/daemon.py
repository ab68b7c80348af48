"""The whole chain: from the last byte of a card on the pty to its `event/card` at a subscriber of a real Mosquitto.

Beside it, in turns and in the same run, the floor: bare read, one durable commit, one aiomqtt publish
(`floors/card.py`). Then how many cards a second go through, how soon the daemon is ready, and what it costs when
nothing happens, beside a process that only imports the same libraries.
"""

# ruff: noqa: ASYNC240, T201 - a benchmark reports to the terminal, and its files are small

import asyncio
import itertools
import os
import random
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import time
import tty
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt

from firmware_protocol.cards import CARDS_BY_NUMBER
from firmware_protocol.events import Button, ButtonPressed, CardDrawn, Hand, IndicatedWinner, ResultIndicated
from firmware_protocol.link import ShoeIdentity
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.sides import Side
from tests.bench.floors.card import TOPIC as FLOOR_TOPIC
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

TURNS = 4
CARDS = 150
PAUSE = 0.01
"""Seconds between two cards, for both: whoever has just worked finds the processor awake and its caches warm."""
SUSTAINED = 2000
IDLE = 10.0
STARTS = 5
HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}

TABLE = """
[house]
base_game = "nepal"
decks = 8
layout = "nepal_super_baccarat"
seats = ["1", "2", "3"]
limits = {{ all = {{ min = 2, max = 1000 }} }}
[procedure]
burn = false
[table]
site = "bench"
name = "t1"
[shoe]
port = "{tty}"
insecure = true
[mqtt]
host = "127.0.0.1"
port = {port}
[journal]
file = "t1.journal"
anchor = "t1.anchor"
[log]
level = "{level}"
"""

IMPORTS = (
    "import asyncio, sqlite3, ssl, tomllib, msgspec, paho.mqtt.client, serial, structlog, time, sys\n"
    "sys.stdout.write('ready\\n'); sys.stdout.flush(); time.sleep(60)"
)


class Shoe:
    """The shoe's end of the pty: a real native link that deals legal rounds."""

    def __init__(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        self.pid = 0
        """Of the daemon that listens to it."""
        self._slave = slave
        os.set_blocking(self.master, False)
        identity = ShoeIdentity(
            model="bench",
            firmware="1",
            serial_number="1",
            boot_id=7,
            protocol_version=1,
            capabilities=frozenset({"button_result"}),
        )
        self.link = NativeShoe(
            insecure=True,
            identity=identity,
            store=ShoeStore(),
            nonce=lambda: os.urandom(16),
            now=time.monotonic(),
        )
        self._cards = self._endless()
        self._loop = asyncio.get_running_loop()

    def attach(self) -> None:
        self.link.connected(time.monotonic())
        self._loop.add_reader(self.master, self._read)
        self._ticking = asyncio.create_task(self._tick())

    def detach(self) -> None:
        self._ticking.cancel()
        self._loop.remove_reader(self.master)

    def close(self) -> None:
        os.close(self.master)
        os.close(self._slave)

    def _read(self) -> None:
        self.link.receive(os.read(self.master, 65536), time.monotonic())
        self._flush()

    async def _tick(self) -> None:
        while True:
            self.link.tick(time.monotonic())
            self._flush()
            await asyncio.sleep(0.05)

    def _flush(self) -> None:
        data = self.link.to_send()
        if data:
            os.write(self.master, data)

    def say(self, event: CardDrawn | ButtonPressed | ResultIndicated) -> float:
        """Send an event; when its last byte was written."""
        self.link.report(event, time.monotonic())
        data = self.link.to_send()
        began = time.perf_counter()
        if data:
            os.write(self.master, data)
        return began

    def next_event(self) -> CardDrawn | ButtonPressed | ResultIndicated:
        return next(self._cards)

    def _endless(self) -> Iterator[CardDrawn | ButtonPressed | ResultIndicated]:
        generator = random.Random(7)  # noqa: S311 - the same cards in every run
        while True:
            yield ButtonPressed(button=Button.NEW_SHOE)
            stack = list(CARDS_BY_NUMBER) * 8
            generator.shuffle(stack)
            while len(stack) > 10:
                deal = Deal()
                counts = {Side.PLAYER: itertools.count(1), Side.BANKER: itertools.count(1)}
                while (side := deal.next_side) is not None:
                    card = stack.pop()
                    deal.feed(card)
                    yield CardDrawn(hand=HANDS[side], position=next(counts[side]), card=card)
                yield ResultIndicated(winner=IndicatedWinner(deal.facts.winner.value))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> None:
    broker = Mosquitto(folder, "allow_anonymous true")
    await broker.start()
    try:
        floor, ours = await _latencies(folder, broker.port)
        _print_latency(floor, ours)
        await _sustained(folder, broker.port)
        await _start_and_idle(folder, broker.port)
    finally:
        await broker.kill()


def _print_latency(floor: list[float], ours: list[float]) -> None:
    print(f"a card from the pty to a subscriber, {len(ours)} cards each in {TURNS} turns")
    print("                        p50 µs   p99 µs")
    rows = [statistics.quantiles(took, n=100) for took in (floor, ours)]
    for name, cuts in (("floor", rows[0]), ("daemon", rows[1])):
        print(f"  {name:<20}{1e6 * cuts[49]:>8.0f} {1e6 * cuts[98]:>8.0f}")
    print(f"  {'ratio':<20}{rows[1][49] / rows[0][49]:>8.2f} {rows[1][98] / rows[0][98]:>8.2f}")


# --- latency and rate ------------------------------------------------------------------------------------------------


async def _latencies(folder: Path, port: int) -> tuple[list[float], list[float]]:
    floor: list[float] = []
    ours: list[float] = []
    async with _subscriber(port) as messages, _floor(folder, port) as line, running_daemon(folder, port) as shoe:
        frame = os.urandom(60)
        await _until(messages, "floor/ready")
        while (await anext(messages)).topic.value != "shoe/v1/bench/t1/event/shoe":
            pass
        for _ in range(TURNS):
            for _ in range(CARDS):
                began = time.perf_counter()
                os.write(line, frame)
                await _until(messages, FLOOR_TOPIC)
                floor.append(time.perf_counter() - began)
                await asyncio.sleep(PAUSE)
            dealt = 0
            while dealt < CARDS:
                event = shoe.next_event()
                began = shoe.say(event)
                if isinstance(event, CardDrawn):
                    await _until(messages, "shoe/v1/bench/t1/event/card")
                    ours.append(time.perf_counter() - began)
                    dealt += 1
                await asyncio.sleep(PAUSE)
    return floor, ours


async def _sustained(folder: Path, port: int) -> None:
    frame = os.urandom(60)
    async with _subscriber(port) as messages, _floor(folder, port) as line:
        await _until(messages, "floor/ready")
        began = time.perf_counter()
        for _ in range(SUSTAINED // 4):
            os.write(line, frame)
            await _until(messages, FLOOR_TOPIC)
        floor = SUSTAINED / 4 / (time.perf_counter() - began)
    async with _subscriber(port) as messages, running_daemon(folder, port) as shoe:
        while (await anext(messages)).topic.value != "shoe/v1/bench/t1/event/shoe":
            pass
        began = time.perf_counter()
        said = heard = 0
        while heard < SUSTAINED:
            # As fast as the daemon takes it: a shoe's own store holds what the line has not room for.
            while said < SUSTAINED and said - heard < 100:
                event = shoe.next_event()
                shoe.say(event)
                said += isinstance(event, CardDrawn)
            await _until(messages, "shoe/v1/bench/t1/event/card")
            heard += 1
        ours = SUSTAINED / (time.perf_counter() - began)
    print(f"without pauses: {ours:,.0f} cards/s; floor {floor:,.0f}/s, one after the other; ratio {ours / floor:.2f}")


async def _until(messages: "AsyncIterator[aiomqtt.Message]", topic: str) -> None:
    while (await anext(messages)).topic.value != topic:
        pass


@asynccontextmanager
async def _subscriber(port: int) -> "AsyncIterator[AsyncIterator[aiomqtt.Message]]":
    at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=at_once) as client:
        for topic in ("floor/#", "shoe/v1/bench/t1/event/#"):
            await client.subscribe(topic, qos=1)
        yield aiter(client.messages)


@asynccontextmanager
async def _floor(folder: Path, port: int) -> AsyncIterator[int]:
    master, slave = os.openpty()
    tty.setraw(slave)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.floors.card", os.ttyname(slave), str(folder / "floor.db"), str(port)
    )
    try:
        yield master
    finally:
        process.kill()
        await process.wait()
        os.close(master)
        os.close(slave)


@asynccontextmanager
async def running_daemon(folder: Path, port: int, more: str = "") -> AsyncIterator[Shoe]:
    """`more` is added to the table's file."""
    shoe = Shoe()
    shoe.attach()
    process = await _start_daemon(folder, shoe.path, port, more=more)
    shoe.pid = process.pid
    try:
        shoe.say(shoe.next_event())
        yield shoe
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()
        shoe.detach()
        shoe.close()


def _compiled(folder: Path) -> dict[str, str]:
    """The environment of a program whose modules stay compiled, as they are where it was installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


async def _start_daemon(
    folder: Path, path: str, port: int, notify: str | None = None, *, fresh: bool = True, more: str = ""
) -> "asyncio.subprocess.Process":
    config = folder / "table.toml"
    if fresh:
        for each in folder.glob("t1.journal*"):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    config.write_text(TABLE.format(tty=path, port=port, level="info") + more)
    config.chmod(0o600)
    with (folder / "daemon.log").open("wb") as log:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "shoe_controller.cli",
            "run",
            str(config),
            stderr=log,
            env=_compiled(folder) | ({"NOTIFY_SOCKET": notify} if notify else {}),
        )


# --- start and idle --------------------------------------------------------------------------------------------------


async def _start_and_idle(folder: Path, port: int) -> None:
    """The first start reckons all odds for the guard; a restart in mid-shoe, which people wait for, does not."""
    shoe = Shoe()
    shoe.attach()
    imports = [await _imports_alone(folder) for _ in range(STARTS)]
    first, process = await _started(folder, shoe, port, fresh=True)
    async with _subscriber(port) as messages:
        shoe.say(shoe.next_event())
        await _until(messages, "shoe/v1/bench/t1/event/shoe")
    await _ended(process)
    ready: list[float] = []
    memory = 0
    for number in range(STARTS):
        took, process = await _started(folder, shoe, port, fresh=False)
        ready.append(took)
        await asyncio.sleep(1.0)
        memory = resident(process.pid)
        if number == STARTS - 1:
            await _idle(process.pid)
        await _ended(process)
    shoe.detach()
    shoe.close()
    alone, bare = min(took for took, _ in imports), min(used for _, used in imports)
    print(f"ready after {1e3 * min(ready):.0f} ms in mid-shoe, imports alone {1e3 * alone:.0f} ms; ", end="")
    print(f"ratio {min(ready) / alone:.2f}; the very first start took {1e3 * first:.0f} ms")
    print(f"memory {memory / 1024:.1f} MiB, imports alone {bare / 1024:.1f} MiB; ratio {memory / bare:.2f}")


async def _imports_alone(folder: Path) -> tuple[float, int]:
    began = time.perf_counter()
    bare = await asyncio.create_subprocess_exec(
        sys.executable, "-c", IMPORTS, stdout=asyncio.subprocess.PIPE, env=_compiled(folder)
    )
    assert bare.stdout is not None
    await bare.stdout.readline()
    took, used = time.perf_counter() - began, resident(bare.pid)
    bare.kill()
    await bare.wait()
    return took, used


async def _started(folder: Path, shoe: Shoe, port: int, *, fresh: bool) -> "tuple[float, asyncio.subprocess.Process]":
    """Start the daemon; how long it took until it reported that it is ready."""
    name = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bell:
        bell.bind(str(name))
        bell.setblocking(False)  # noqa: FBT003 - the name of the call says it
        began = time.perf_counter()
        process = await _start_daemon(folder, shoe.path, port, str(name), fresh=fresh)
        while b"READY=1" not in await asyncio.get_running_loop().sock_recv(bell, 4096):
            pass
        took = time.perf_counter() - began
    name.unlink()
    return took, process


async def _ended(process: "asyncio.subprocess.Process") -> None:
    process.send_signal(signal.SIGTERM)
    await process.wait()


async def _idle(pid: int) -> None:
    before, at = _busy(pid), time.perf_counter()
    await asyncio.sleep(IDLE)
    after, took = _busy(pid), time.perf_counter() - at
    cpu, waking = (after[0] - before[0]) / took, (after[1] - before[1]) / took
    print(f"idle, with a shoe and a broker: {100 * cpu:.2f} % of a core, {waking:.1f} wake-ups/s")


def resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def _busy(pid: int) -> tuple[float, int]:
    """Seconds of processor time, and how often its threads woke."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    woken = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        status = (task / "status").read_text()
        woken += int(next(x.split()[1] for x in status.splitlines() if x.startswith("voluntary_ctxt_switches")))
    return seconds, woken


if __name__ == "__main__":
    main()
