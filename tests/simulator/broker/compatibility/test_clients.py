"""A real client library against both brokers: aiomqtt, which stands on paho."""

import asyncio
import socket
from typing import Any

import aiomqtt
import pytest
from aiomqtt import ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.simulator.broker.compatibility.brokers import Broker, Setting

pytestmark = pytest.mark.asyncio

PATIENCE = 10.0
PROTOCOLS = {4: ProtocolVersion.V311, 5: ProtocolVersion.V5}


def library_client(port: int, name: str, version: int, **options: Any) -> aiomqtt.Client:  # noqa: ANN401 - aiomqtt's
    # Without the socket option, small packets wait for each other's acknowledgement, 40 ms each time.
    at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    return aiomqtt.Client(
        "127.0.0.1",
        port,
        identifier=name,
        protocol=PROTOCOLS[version],
        timeout=PATIENCE,
        socket_options=at_once,
        **options,
    )


def properties(packet_type: int, **values: object) -> Properties:
    made = Properties(packet_type)  # type: ignore[no-untyped-call]  # paho has no types here
    for name, value in values.items():
        setattr(made, name, value)
    return made


def property_of(message: aiomqtt.Message, name: str) -> Any:  # noqa: ANN401 - each property has its own type
    return getattr(message.properties, name)


def kept(version: int) -> dict[str, Any]:
    if version == 4:
        return {"clean_session": False}
    return {"clean_start": False, "properties": properties(PacketTypes.CONNECT, SessionExpiryInterval=1000)}


async def next_message(client: aiomqtt.Client) -> aiomqtt.Message:
    async with asyncio.timeout(PATIENCE):
        return await anext(aiter(client.messages))


async def test_every_qos_there_and_back(port: int, version: int) -> None:
    async with library_client(port, "table", version) as table, library_client(port, "display", version) as display:
        await display.subscribe("cards/#", qos=1)
        for number in range(60):
            await table.publish("cards/drawn", f"{number}", qos=number % 2)
        found = [await next_message(display) for _ in range(60)]
        # Each QoS keeps its own order; between them there is none.
        for qos in range(2):
            numbers = [int(bytes(each.payload)) for each in found if each.qos == qos]
            assert numbers == list(range(qos, 60, 2))


async def test_many_at_once(port: int, version: int) -> None:
    async with library_client(port, "table", version) as table, library_client(port, "display", version) as display:
        await display.subscribe("cards/#", qos=1)
        async with asyncio.TaskGroup() as group:
            for number in range(100):
                group.create_task(table.publish("cards/drawn", f"{number}", qos=1))
        found = {(await next_message(display)).payload for _ in range(100)}
        assert found == {b"%d" % number for number in range(100)}


async def test_birth_and_will_retained(port: int, version: int) -> None:
    will = aiomqtt.Will("table/state", "offline", qos=1, retain=True)
    async with library_client(port, "display", version) as display:
        await display.subscribe("table/state", qos=1)
        table = library_client(port, "table", version, will=will)
        async with table:
            await table.publish("table/state", "online", qos=1, retain=True)
            assert (await next_message(display)).payload == b"online"
            # Another client under the same name ends this one without a goodbye.
            async with library_client(port, "table", version):
                assert (await next_message(display)).payload == b"offline"
                with pytest.raises(aiomqtt.MqttError):
                    await next_message(table)
    async with library_client(port, "late display", version) as late:
        await late.subscribe("table/state", qos=1)
        message = await next_message(late)
        assert (message.payload, message.retain) == (b"offline", True)


async def test_a_display_that_was_away_misses_nothing(port: int, version: int) -> None:
    async with library_client(port, "display", version, **kept(version)) as display:
        await display.subscribe("cards", qos=1)
    async with library_client(port, "table", version) as table:
        for number in range(50):
            await table.publish("cards", f"{number}", qos=1)
    async with library_client(port, "display", version, **kept(version)) as display:
        assert [(await next_message(display)).payload for _ in range(50)] == [b"%d" % number for number in range(50)]


async def test_a_restart_of_the_broker_is_survived(broker: Broker, version: int) -> None:
    async with library_client(broker.port, "display", version, **kept(version)) as display:
        await display.subscribe("cards", qos=1)
        await broker.restart(keep=True)
        with pytest.raises(aiomqtt.MqttError):
            await next_message(display)
    async with (
        library_client(broker.port, "display", version, **kept(version)) as display,
        library_client(broker.port, "table", version) as table,
    ):
        await table.publish("cards", "9H", qos=1)
        assert (await next_message(display)).payload == b"9H"


async def test_a_request_finds_its_answer(port: int) -> None:
    async with library_client(port, "console", 5) as console, library_client(port, "table", 5) as table:
        await table.subscribe("table/commands", qos=1)
        await console.subscribe("console/answers", qos=1)
        asking = properties(
            PacketTypes.PUBLISH, ResponseTopic="console/answers", CorrelationData=b"17", UserProperty=("by", "dealer")
        )
        await console.publish("table/commands", "open", qos=1, properties=asking)
        request = await next_message(table)
        assert property_of(request, "UserProperty") == [("by", "dealer")]
        answering = properties(PacketTypes.PUBLISH, CorrelationData=property_of(request, "CorrelationData"))
        await table.publish(property_of(request, "ResponseTopic"), "opened", qos=1, properties=answering)
        answer = await next_message(console)
        assert (answer.payload, property_of(answer, "CorrelationData")) == (b"opened", b"17")


@pytest.mark.parametrize("setting", [Setting(users={"table": "secret"})])
async def test_a_wrong_password_is_an_error_that_says_so(port: int, version: int) -> None:
    with pytest.raises(aiomqtt.MqttError, match=r"(?i)not authori[sz]ed"):
        async with library_client(port, "table", version, username="table", password="wrong"):  # noqa: S106 - it is wrong
            pass
    async with library_client(port, "table", version, username="table", password="secret") as table:  # noqa: S106 - a test's
        await table.publish("cards", "9H", qos=1)


@pytest.mark.parametrize(
    "setting", [Setting(users={"table": "secret"}, readable={"table": ("commands/#",)})], ids=["refusing"]
)
async def test_a_refused_subscription_is_told(port: int) -> None:
    async with library_client(port, "table", 5, username="table", password="secret") as table:  # noqa: S106 - a test's
        codes = await table.subscribe([("commands/#", 1), ("events/#", 1)])
        assert [code if isinstance(code, int) else code.value for code in codes] == [1, 0x87]
