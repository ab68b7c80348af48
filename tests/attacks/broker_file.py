"""Clients that keep the broker busy with floods and large messages, under the settings that `init` writes."""

import asyncio
from pathlib import Path

from shoe_controller.setup.broker_files import mosquitto_conf
from tests.attacks.attack import Attack
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.simulator.broker.raw_client import client
from tests.simulator.broker.wire import Kind, publish

OF_THE_HOUSE = ("listener", "cafile", "certfile", "keyfile", "tls_version", "password_file", "acl_file")
WINDOW = 20
"""Messages that Mosquitto accepts before it has acknowledged the first."""


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
                    assert (await guest.answer(Kind.PUBACK)).reason < 0x80
            for _ in range(min(tries, WINDOW)):
                await guest.answer(Kind.PUBACK)
            for number in range(100):
                await guest.publish(f"retained/{number}", b"x", retain=True)
            assert await guest.publish("request/2", bytes(65_537)) >= 0x80, "larger than any table accepts"
            await guest.ping()
        saves = (folder / "mosquitto.log").read_text(encoding="utf-8").count("Saving in-memory database")
        assert saves <= 1 + tries // 10_000, f"{saves} saves for {tries} requests"
    finally:
        await broker.kill()
    return f"{saves} saves of the broker's database; a message of 65,537 bytes refused"


def flooded(folder: Path, tries: int) -> str:
    return asyncio.run(_flooded(folder, tries))


ATTACKS = (Attack("a flood of requests, and the broker's disk", flooded, tries=40_000, sample=200),)
