"""A client that floods a table with requests: `python -m tests.bench.floors.flood PORT KIND PER_SECOND`.

It follows the table's state, so that its requests name the round that is on. Each line on standard output is the number
of requests that it has sent so far.
"""

# ruff: noqa: T201 - the benchmark reads what it prints

import asyncio
import itertools
import sys

import msgspec

from shoe_controller.messages.requests import RequestRole
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerAddress
from shoe_controller.mqtt.client import NetworkBroker
from tests.simulator.broker import wire

TOPICS = Topics("bench", "t1")
FLOODER = "flooder"
EVERY = 0.01
"""Seconds between two bursts."""

REQUESTS = {
    "nonsense": (RequestRole.WAGERS, "place"),
    "late wagers": (RequestRole.WAGERS, "place"),
    "acts": (RequestRole.DEALER, "call_supervisor"),
    "wrong PINs": (RequestRole.SUPERVISOR, "sign_in"),
    "replays": (RequestRole.DISPLAY, "replay"),
}


class Flood:
    def __init__(self, kind: str) -> None:
        self._kind = kind
        role, name = REQUESTS[kind]
        self._topic = TOPICS.request(role, FLOODER, name)
        self._reply = f"{TOPICS.replies}{FLOODER}/1"
        self._numbers = itertools.count(1)
        self.shoe = self.round = 0

    async def follow(self, port: int) -> None:
        address = BrokerAddress(host="127.0.0.1", port=port, client_id="flooders-view")
        async with NetworkBroker(address).connect(None, [TOPICS.state]) as session:
            async for message in session.incoming():
                state = msgspec.json.decode(message.payload)
                self.shoe, self.round = state["shoe"], state["round"]

    async def send(self, port: int, per_second: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(wire.connect(FLOODER, keep_alive=0))
        loop = asyncio.get_running_loop()
        began, sent = loop.time(), 0
        while True:
            due = int((loop.time() - began) * per_second) - sent
            # At QoS 0 nothing holds the flooder back.
            writer.write(b"".join(self._packet() for _ in range(min(due, per_second // 10))))
            await writer.drain()
            sent += min(due, per_second // 10)
            print(sent, flush=True)
            await asyncio.sleep(EVERY)

    def _packet(self) -> bytes:
        properties = {"response_topic": self._reply, "correlation_data": b"c"}
        return wire.publish(self._topic, self._body(), qos=0, props=properties)

    def _body(self) -> bytes:
        number = next(self._numbers)
        named = b'{"request_id":"%d","shoe":%d,"round":%d' % (number, self.shoe, self.round)
        match self._kind:
            case "nonsense":
                return b'{"request_id": '
            case "late wagers":
                wagers = b'"seat":"1","stakes":[{"wager":"base.player","stake":10}]}'
                return b'{"request_id":"%d","shoe":1,"round":10000,%b' % (number, wagers)
            case "acts":
                return named + b"}"
            case "wrong PINs":
                return named + b',"person":"p%d","pin":"000000"}' % number
            case _:
                return b'{"request_id":"%d","after":0,"limit":100000,"batch":100}' % number


async def main() -> None:
    port, kind, per_second = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    flood = Flood(kind)
    async with asyncio.TaskGroup() as group:
        group.create_task(flood.follow(port))
        group.create_task(flood.send(port, per_second))


if __name__ == "__main__":
    asyncio.run(main())
