"""A small MQTT client for the tests that sends exactly what a test asks for, on a real socket.

It acknowledges only when asked to, keeps messages apart from answers, and every wait has an end.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

from tests.simulator.broker import wire
from tests.simulator.broker.wire import V5, Kind, Received

PATIENCE = 10.0


class HungUp(ConnectionError):  # noqa: N818 - what happened, not that it is wrong: many tests wait for it
    """The broker closed the connection."""


class RawClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, version: int) -> None:
        self.version = version
        self._reader, self.writer = reader, writer
        self._bytes = wire.BrokerBytes(version)
        self._messages: deque[Received] = deque()
        self._answers: deque[Received] = deque()
        self._packet_id = 0

    @classmethod
    async def open(cls, port: int, version: int = V5) -> Self:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        return cls(reader, writer, version)

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def connect(self, client_id: str = "", **fields: Any) -> Received:  # noqa: ANN401 - fields of wire.connect
        await self.send(wire.connect(client_id, version=self.version, **fields))
        return await self.answer(Kind.CONNACK)

    async def answer(self, kind: Kind) -> Received:
        """Give the next packet that is no PUBLISH; it must be of this kind."""
        while not self._answers:
            await self._read()
        received = self._answers.popleft()
        assert received.kind is kind, f"expected {kind.name}, got {received}"
        return received

    async def message(self, *, acknowledge: bool = True) -> Received:
        """Give the next PUBLISH, acknowledged unless the test does it itself."""
        while not self._messages:
            await self._read()
        message = self._messages.popleft()
        if acknowledge and message.packet_id is not None:
            await self.acknowledge(message.packet_id)
        return message

    async def acknowledge(self, packet_id: int) -> None:
        await self.send(wire.acknowledge(Kind.PUBACK, packet_id))

    async def publish(self, topic: str, payload: bytes = b"", *, qos: int = 1, **fields: Any) -> int:  # noqa: ANN401 - fields of wire.publish
        """Publish and wait for the acknowledgement; answers the reason the broker gave."""
        packet_id = self.next_packet_id() if qos else None
        await self.send(wire.publish(topic, payload, version=self.version, qos=qos, packet_id=packet_id, **fields))
        if packet_id is None:
            return 0
        answer = await self.answer(Kind.PUBACK)
        assert answer.packet_id == packet_id
        return answer.reason

    async def subscribe(self, *filters: str | wire.Subscription) -> Received:
        """Subscribe; a filter given as plain text is subscribed with QoS 1."""
        wanted = [wire.Subscription(topic_filter=each, qos=1) if isinstance(each, str) else each for each in filters]
        packet_id = self.next_packet_id()
        await self.send(wire.subscribe(packet_id, wanted, version=self.version))
        answer = await self.answer(Kind.SUBACK)
        assert answer.packet_id == packet_id
        assert len(answer.reasons) == len(filters)
        return answer

    async def unsubscribe(self, *filters: str) -> Received:
        packet_id = self.next_packet_id()
        await self.send(wire.unsubscribe(packet_id, filters, version=self.version))
        answer = await self.answer(Kind.UNSUBACK)
        assert answer.packet_id == packet_id
        return answer

    async def ping(self) -> None:
        await self.send(wire.PINGREQ)
        await self.answer(Kind.PINGRESP)

    async def nothing_waits(self) -> None:
        """Check that no message reached us before the broker's answer to a ping."""
        await self.ping()
        assert not self._messages, f"an unexpected message: {self._messages[0]}"

    async def messages_until(self, topic: str) -> list[Received]:
        """Give all messages that come before the one under this topic."""
        found = []
        while (message := await self.message()).topic != topic:
            found.append(message)
        return found

    async def outlive_a_message(self, seconds: int) -> None:
        """Wait until a retained message has expired: the broker's own clock says that so many seconds are over."""
        await self.publish("clock", b"x", props={"message_expiry": seconds}, retain=True)
        while True:
            await self.subscribe("clock", "fence")
            await self.publish("fence")
            if not await self.messages_until("fence"):
                return
            await asyncio.sleep(0.05)

    async def disconnect(self, reason: int | None = None, props: wire.Properties | None = None) -> None:
        """Say goodbye and wait until the broker has hung up."""
        await self.send(wire.disconnect(reason, props))
        assert await self.hung_up() is None
        await self.close()

    async def hung_up(self) -> int | None:
        """Wait until the broker closes; answers the reason it gave, if it gave any. Messages are ignored."""
        try:
            while True:
                await self._read()
        except HungUp:
            pass
        reasons = [each.reason for each in self._answers if each.kind is Kind.DISCONNECT]
        assert len(reasons) <= 1
        return reasons[0] if reasons else None

    async def drop(self) -> None:
        """Vanish without a word."""
        self.writer.transport.abort()
        await self.close()

    async def close(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()

    def next_packet_id(self) -> int:
        self._packet_id += 1
        return self._packet_id

    async def _read(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                data = await self._reader.read(65536)
        except ConnectionError as error:
            raise HungUp from error
        if not data:
            raise HungUp
        for received in self._bytes.feed(data):
            (self._messages if received.kind is Kind.PUBLISH else self._answers).append(received)


@asynccontextmanager
async def client(port: int, client_id: str = "", *, version: int = V5, **fields: Any) -> AsyncIterator[RawClient]:  # noqa: ANN401 - fields of wire.connect
    """Open a connected client; it vanishes at the end if it is still there."""
    raw = await RawClient.open(port, version)
    try:
        connack = await raw.connect(client_id, **fields)
        assert connack.reason == 0, connack
        yield raw
    finally:
        await raw.drop()
