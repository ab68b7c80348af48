"""Clients that try to take a table off the air: with messages that paho cannot read, and with its client id."""

import asyncio
import contextlib
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoe_controller.messages.requests import REPLAY, RequestRole
from tests.attacks.attack import Attack
from tests.daemon.clients import Display
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE
from tests.simulator.broker.raw_client import HungUp, RawClient, client

USER = "guest"
POISON: dict[str, dict[str, Any]] = {
    "content type": {"content_type": "\ufeff"},
    "response topic": {"response_topic": "a\ufeffb"},
    "user property": {"user_properties": [("\ufeff", "")]},
    "too many": {"user_properties": [("", "")] * 12_500},
    "too large": {"correlation_data": bytes(60_000)},
    "too large a packet": {"correlation_data": bytes(60_000), "content_type": "x" * 10_000},
}
REPEATS = 60
"""A second apart: what is over the client's limit is dropped and left to time out."""
IN_FLIGHT = 20
"""Messages that Mosquitto sends without an acknowledgement; then it sends no more."""


async def _answered(chain: Chain, guest: RawClient) -> None:
    """A plain request of the same client is answered, as soon as its flood is over: a client repeats what times out."""
    reply = f"{chain.topics.replies}{USER}/1"
    request = json.dumps({"request_id": "1", "after": 0}).encode()
    await guest.subscribe(reply)
    for _ in range(REPEATS):
        await guest.publish(
            chain.topics.request(RequestRole.DISPLAY, USER, REPLAY), request, props={"response_topic": reply}
        )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                while (message := await guest.message()).topic != reply or b"status" not in message.payload:
                    pass
                return
    raise AssertionError(f"a plain request was not answered, though it was sent {REPEATS} times")


async def _connected(display: Display) -> int:
    """The number of the table's connection."""
    await display.until(lambda: display.status is not None and display.status.online, what="the table to be online")
    assert display.status is not None
    return display.status.session


async def _poisoned(folder: Path, tries: int) -> str:
    async with Chain(folder) as chain, client(chain.broker.port, USER) as guest:
        topic = chain.topics.request(RequestRole.DISPLAY, USER, REPLAY)
        assert await guest.publish(topic, b"{}", retain=True, props=POISON["content type"]) < 0x80, "Mosquitto takes it"
        await chain.start_daemon()
        display = await chain.display()
        session = await _connected(display)
        sent = 0
        for _ in range(tries):
            for props in POISON.values():
                for _ in range(IN_FLIGHT + 1):
                    await guest.publish(topic, b"{}", props=props)
                    sent += 1
        await _answered(chain, guest)
        await display.until(lambda: display.status is not None and display.status.discarded, what="a count in status")
        assert await _connected(display) == session, "the connection was lost and made again"
        lines = chain.times_logged("messages_discarded")
        assert 1 <= lines <= 3, f"{lines} lines in the log"
    return f"{sent:,} of {len(POISON)} kinds discarded on one connection; the next request was answered"


def poisoned(folder: Path, tries: int) -> str:
    return asyncio.run(_poisoned(folder, tries))


# --- client ids ------------------------------------------------------------------------------------------------------

GUESSES = (f"shoe-controller-{SITE}-{TABLE}", f"shoe-controller-{SITE}-{TABLE}-")


def _names_at(chain: Chain) -> set[str]:
    """The client ids of the table's starts, from the broker's log, which no client of it can read.

    Its connection for requests has the same with an ending, and is left out.
    """
    log = (chain.folder / "broker" / "mosquitto.log").read_text(encoding="utf-8")
    found = set(re.findall(r" as (shoe-controller-\S+) ", log)) - set(GUESSES)
    return {name for name in found if not name.endswith("-requests")}


async def _thrown_out(folder: Path, tries: int) -> str:
    async with Chain(folder) as chain:
        await chain.start_daemon()
        display = await chain.display()
        session = await _connected(display)
        for number in range(tries):
            with suppress(HungUp):
                async with client(chain.broker.port, GUESSES[number % len(GUESSES)]) as guest:
                    await guest.ping()
        assert await _connected(display) == session, "the table was thrown out"
        assert chain.times_logged("broker_down") == 0
        (first,) = _names_at(chain)
        everything = b"".join(heard.payload for heard in display.everything)
        assert first.encode() not in everything, "the client id is published"
        assert first.rpartition("-")[2].encode() not in everything, "the random part of the client id is published"
        await chain.kill_daemon()
        await chain.start_daemon()
        await display.until(lambda: display.status is not None and display.status.session > session)
        await _connected(display)
        assert len(_names_at(chain)) == 2, "the client id is the same after a restart"
    return "not thrown out; the id is new at each start and in no message"


def thrown_out(folder: Path, tries: int) -> str:
    return asyncio.run(_thrown_out(folder, tries))


ATTACKS = (
    Attack("requests that paho cannot read, retained and live", poisoned, tries=100, sample=1),
    Attack("connecting under the table's client id", thrown_out, tries=1000, sample=20),
)
