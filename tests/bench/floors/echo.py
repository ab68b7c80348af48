"""The least that anybody does with a request: take it and answer it. A process of its own.

`python -m tests.bench.floors.echo MQTT_PORT`: every message under `floor/request/` is answered with QoS 1 by aiomqtt,
to its response topic and with its correlation data. Nothing is read, checked or stored.
"""

import asyncio
import socket
import sys

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

ANSWER = b"x" * 80
"""About what a refusal holds."""


async def main(port: int) -> None:
    at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=at_once) as client:
        await client.subscribe("floor/request/#", qos=1)
        await client.publish("floor/ready", b"", qos=1, retain=True)
        async for message in client.messages:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho has no types here
            properties.CorrelationData = message.properties.CorrelationData  # type: ignore[union-attr]  # made when asked
            await client.publish(message.properties.ResponseTopic, ANSWER, qos=1, properties=properties)  # type: ignore[union-attr]


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
