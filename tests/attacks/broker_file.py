"""Clients that take what the broker has, under the settings that `init` writes: what each limit of its file stops."""

import asyncio
import time
from pathlib import Path

from shoe_controller.setup.broker_files import mosquitto_conf
from tests.attacks.attack import Attack
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import Kind, publish

OF_THE_HOUSE = ("listener", "cafile", "certfile", "keyfile", "tls_version", "password_file", "acl_file")
WINDOW = 20
"""Messages that Mosquitto accepts before it has acknowledged the first, and sends before the first is acknowledged."""

REFUSED = 0x80
"""The least reason that is an error."""

SESSION_END = 24
"""Bytes before a client's name where Mosquitto 2.0 keeps the end of its session in its database, in seconds."""


def settings() -> str:
    """What `init` writes, without TLS and passwords."""
    lines = mosquitto_conf(Path("/nowhere")).splitlines()
    kept = [line for line in lines if line and not line.startswith(("#", *OF_THE_HOUSE))]
    return "\n".join(kept).replace("allow_anonymous false", "allow_anonymous true")


async def _flooded(folder: Path, tries: int) -> str:
    broker = Mosquitto(folder, settings())
    await broker.start()
    try:
        async with client(broker.port, "table") as table, client(broker.port, "guest") as guest:
            await table.subscribe("request/#")
            for number in range(tries):
                await guest.send(publish("request/1", bytes(100), qos=1, packet_id=number % 60_000 + 1))
                if number >= WINDOW:
                    assert (await guest.answer(Kind.PUBACK)).reason < REFUSED
            for _ in range(min(tries, WINDOW)):
                await guest.answer(Kind.PUBACK)
            for number in range(100):
                await guest.publish(f"retained/{number}", b"x", retain=True)
            await guest.ping()
        saves = (folder / "mosquitto.log").read_text(encoding="utf-8").count("Saving in-memory database")
        assert saves <= 1 + tries // 10_000, f"{saves} saves for {tries} requests"
    finally:
        await broker.kill()
    return f"{saves} saves of the broker's database"


def flooded(folder: Path, tries: int) -> str:
    return asyncio.run(_flooded(folder, tries))


# --- what each limit stops -------------------------------------------------------------------------------------------


async def _crowded(folder: Path, tries: int) -> str:
    """So many clients beyond the limit; those that are connected stay, and who leaves makes room.

    Half of them never sign in: they count too.
    """
    broker = Mosquitto(folder, settings())
    await broker.start()
    most = _setting("max_connections")
    inside = [await RawClient.open(broker.port) for _ in range(most)]
    try:
        for number, one in enumerate(inside[::2]):
            await one.connect(f"client-{number}")
        for _ in range(tries):
            late = await RawClient.open(broker.port)
            assert await late.hung_up() is None
            await late.close()
        await inside[0].ping()
        await inside[2].disconnect()
        async with client(broker.port, "next") as after:
            await after.ping()
    finally:
        for one in inside:
            await one.drop()
        await broker.kill()
    return f"{most} connections stayed, {tries} more were closed at once"


def crowded(folder: Path, tries: int) -> str:
    return asyncio.run(_crowded(folder, tries))


async def _unread(folder: Path, messages: int, payload: bytes) -> int:
    """So many messages for a client that reads none of them until they are all there; how many it gets then."""
    broker = Mosquitto(folder, settings())
    await broker.start()
    try:
        async with client(broker.port, "slow") as slow, client(broker.port, "guest") as guest:
            await slow.subscribe("many", "fence")
            for number in range(messages):
                await guest.send(publish("many", payload, qos=1, packet_id=number % 60_000 + 1))
                if number >= WINDOW:
                    await guest.answer(Kind.PUBACK)
            for _ in range(WINDOW):
                await guest.answer(Kind.PUBACK)
            for _ in range(WINDOW):  # some must be read before there is room for the fence
                assert (await slow.message()).topic == "many"
            await slow.ping()
            await guest.publish("fence")
            return WINDOW + len(await slow.messages_until("fence"))
    finally:
        await broker.kill()


def unread_small(folder: Path, tries: int) -> str:
    got, most = asyncio.run(_unread(folder, tries, b"x")), _setting("max_queued_messages")
    assert got <= most + WINDOW < tries, f"{got} messages were kept"
    return f"{got:,} of {tries:,} unread messages were kept for the client, the rest dropped"


def unread_large(folder: Path, tries: int) -> str:
    payload = bytes(60_000)
    got, most = asyncio.run(_unread(folder, tries, payload)), _setting("max_queued_bytes")
    assert got * len(payload) <= most + (WINDOW + 1) * len(payload) < tries * len(payload), f"{got} were kept"
    return f"{got * len(payload) / 1e6:.0f} of {tries * len(payload) / 1e6:.0f} MB unread were kept, the rest dropped"


async def _kept_for_ever(folder: Path) -> str:
    """A client asks for a session without an end, and does not come back; the broker's database has the end it gets."""
    broker = Mosquitto(folder, settings())
    await broker.start()
    name, day = "for-ever", 86_400
    before = int(time.time())
    visitor = await RawClient.open(broker.port)
    await visitor.connect(name, clean=False, props={"session_expiry": 0xFFFFFFFF})
    await visitor.subscribe("many")
    await visitor.disconnect()
    await broker.stop()
    content = (folder / "mosquitto.db").read_bytes()
    place = content.index(name.encode()) - SESSION_END
    end = int.from_bytes(content[place : place + 8], "little")
    assert before + day <= end <= time.time() + day, f"the session ends at {end}"
    return "a session without an end ends after a day"


def kept_for_ever(folder: Path, tries: int) -> str:
    assert tries == 1
    return asyncio.run(_kept_for_ever(folder))


async def _oversized(folder: Path) -> str:
    """Refused above the first limit, with and without an acknowledgement; hung up above the second."""
    broker = Mosquitto(folder, settings())
    await broker.start()
    largest, packet = _setting("message_size_limit"), _setting("max_packet_size")
    try:
        async with client(broker.port, "table") as table, client(broker.port, "guest") as guest:
            await table.subscribe("many", "fence")
            assert await guest.publish("many", bytes(largest)) < REFUSED
            assert await guest.publish("many", bytes(largest + 1)) >= REFUSED
            await guest.publish("many", bytes(largest + 1), qos=0)
            await guest.publish("many", bytes(largest + 1), retain=True)
            await guest.publish("fence")
            assert [len(each.payload) for each in await table.messages_until("fence")] == [largest]
            await guest.send(publish("many", bytes(packet), qos=1, packet_id=9))
            await guest.hung_up()
            await table.ping()
    finally:
        await broker.kill()
    return f"messages above {largest:,} bytes reached nobody; one above {packet:,} ended its sender's connection"


def oversized(folder: Path, tries: int) -> str:
    assert tries == 1
    return asyncio.run(_oversized(folder))


def _setting(name: str) -> int:
    return int(next(line.split()[1] for line in settings().splitlines() if line.startswith(f"{name} ")))


ATTACKS = (
    Attack("a flood of requests, and the broker's disk", flooded, tries=40_000, sample=200),
    Attack("more connections than the broker accepts", crowded, tries=500, sample=3),
    Attack("a client that reads no small messages", unread_small, tries=12_000, sample=0),
    Attack("a client that reads no large messages", unread_large, tries=700, sample=700),
    Attack("a session that is to be kept for ever", kept_for_ever, tries=1),
    Attack("messages and packets above the broker's limits", oversized, tries=1),
)
