"""The two clients an experiment runs with, in one shape: aiomqtt by its public interface, and our own."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

import aiomqtt

from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession, TlsFiles
from shoe_controller.mqtt.client import NetworkBroker

HOST = "127.0.0.1"
USER, PASSWORD = "table", "secret"


class Connection(Protocol):
    @property
    def public(self) -> object:
        """What a caller of the library holds; its public attributes are all that the caller can see."""

    async def publish(self, topic: str, payload: bytes) -> object:
        """Publish at QoS 1, wait for the broker's confirmation, and return whatever the library returns."""

    async def lost(self) -> None:
        """Wait until the library itself has noticed that the connection is gone."""


@dataclass(frozen=True)
class _Aiomqtt:
    public: aiomqtt.Client

    async def publish(self, topic: str, payload: bytes) -> object:
        # Typed as returning nothing; a later release may return what the broker answered.
        returned: object = await self.public.publish(topic, payload, qos=1)  # type: ignore[func-returns-value]
        return returned

    async def lost(self) -> None:
        with suppress(aiomqtt.MqttError):
            await anext(self.public.messages)


@asynccontextmanager
async def with_aiomqtt(port: int, *, tls: bool = False) -> AsyncIterator[Connection]:
    client = aiomqtt.Client(
        HOST,
        port,
        protocol=aiomqtt.ProtocolVersion.V5,
        username=USER,
        password=PASSWORD,
        tls_context=ssl.create_default_context() if tls else None,
    )
    await client.__aenter__()
    try:
        yield _Aiomqtt(client)
    finally:
        with suppress(aiomqtt.MqttError):  # some releases raise when a lost connection is left
            await client.__aexit__(None, None, None)


@dataclass(frozen=True)
class _Ours:
    public: BrokerSession

    async def publish(self, topic: str, payload: bytes) -> object:
        await self.public.publish(topic, payload)
        return None

    async def lost(self) -> None:
        await self.public.lost()


@asynccontextmanager
async def with_ours(port: int, *, tls: bool = False) -> AsyncIterator[Connection]:
    address = BrokerAddress(
        host=HOST,
        port=port,
        client_id="experiment",
        username=USER,
        password=PASSWORD,
        tls=TlsFiles() if tls else None,
    )
    async with NetworkBroker(address).connect(None, ()) as session:
        yield _Ours(session)
