"""The emulated broker on real sockets: where it listens, what it leaves behind, clients that do not read, stalls."""

import asyncio
import errno
from contextlib import suppress
from pathlib import Path

import pytest

from simulator.broker import BrokerAddressError, BrokerLimits, EmulatedBroker
from simulator.broker.server import LINGER_SECONDS, ClientLine
from tests.simulator.broker import wire
from tests.simulator.broker.raw_client import RawClient, client
from tests.simulator.broker.wire import Kind, Subscription, Will

pytestmark = pytest.mark.asyncio

PATIENCE = 10.0
FLOOD = 100_000_000
KERNEL_BUFFERS = 30_000_000
"""More than the kernel keeps for one connection, both ends together."""
NOT_LOOPBACK = ["0.0.0.0", "::", "192.168.1.1", "8.8.8.8", "", "example.org", "127.0.0.1.evil.org", "fe80::1"]  # noqa: S104 - to be refused


def open_sockets() -> int:
    found = 0
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        with suppress(FileNotFoundError):  # the listing's own descriptor is gone by now
            found += str(descriptor.readlink()).startswith("socket:")
    return found


async def sent_until_the_line_is_full(writer: asyncio.StreamWriter, data: bytes) -> int:
    """Send the same bytes until the other end takes no more; gives how many bytes went, or gives up at FLOOD."""
    sent = 0
    with suppress(TimeoutError):
        while sent < FLOOD:
            writer.write(data)
            async with asyncio.timeout(0.5):
                await writer.drain()
            sent += len(data)
    return sent


@pytest.mark.parametrize("host", NOT_LOOPBACK)
async def test_it_listens_on_this_machine_alone(host: str) -> None:
    with pytest.raises(BrokerAddressError, match=r"loopback.*Mosquitto"):
        EmulatedBroker(host=host)


@pytest.mark.parametrize(
    ("host", "bound"), [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("127.9.9.9", "127.9.9.9")]
)
async def test_every_name_of_loopback_will_do(host: str, bound: str) -> None:
    async with EmulatedBroker(host=host) as broker:
        assert broker.host == bound
        _, writer = await asyncio.open_connection(bound, broker.port)
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("port", [-1, 65_536])
async def test_a_port_is_a_number_of_sixteen_bits(port: int) -> None:
    with pytest.raises(BrokerAddressError, match="is not a port"):
        EmulatedBroker(port=port)


async def test_a_taken_port_is_a_clear_message_and_nothing_is_left_behind() -> None:
    async with EmulatedBroker() as first:
        before = open_sockets()
        with pytest.raises(BrokerAddressError, match=f"port {first.port} of 127.0.0.1 is in use"):
            async with EmulatedBroker(port=first.port):
                pass
        assert open_sockets() == before
        async with client(first.port, "still here") as raw:
            await raw.ping()


async def test_it_leaves_no_sockets_and_no_tasks_behind() -> None:
    sockets, tasks = open_sockets(), asyncio.all_tasks()
    async with EmulatedBroker() as broker:
        clients = [await RawClient.open(broker.port) for _ in range(20)]
        for number, raw in enumerate(clients[:15]):
            await raw.connect(f"client {number}", will=Will(topic="gone"))
        await clients[0].send(b"\xff" * 10)
        broker.stall()
    for raw in clients:
        await raw.drop()
    assert open_sockets() == sockets
    assert asyncio.all_tasks() == tasks


async def test_stopping_and_starting_once_too_often_do_no_harm() -> None:
    broker = EmulatedBroker()
    await broker.stop()
    await broker.start()
    await broker.start()
    assert broker.is_listening
    await broker.stop()
    await broker.stop()
    assert not broker.is_listening


async def test_it_comes_back_on_its_port_as_often_as_one_likes() -> None:
    async with EmulatedBroker() as broker:
        port = broker.port
        for number in range(5):
            async with client(port, "table", clean=False, props={"session_expiry": 1000}) as table:
                await table.publish("state", b"%d" % number, retain=True)
                await broker.restart()
                assert await table.hung_up() is None
        assert broker.port == port
        async with client(port, "display") as display:
            await display.subscribe("state")
            assert (await display.message()).payload == b"4"


async def test_while_it_is_down_nobody_answers() -> None:
    async with EmulatedBroker() as broker:
        await broker.stop()
        with pytest.raises(ConnectionRefusedError) as refused:
            await RawClient.open(broker.port)
        assert refused.value.errno == errno.ECONNREFUSED
        await broker.start()
        async with client(broker.port, "table") as table:
            await table.ping()


async def test_a_stalled_broker_keeps_its_connections_and_takes_in_no_more() -> None:
    async with EmulatedBroker() as broker, client(broker.port, "table") as table:
        broker.stall()
        flooding = await RawClient.open(broker.port)
        assert await sent_until_the_line_is_full(flooding.writer, wire.publish("cards", b"x" * 60_000)) < KERNEL_BUFFERS
        await table.send(wire.PINGREQ)
        newcomer = await RawClient.open(broker.port)
        await newcomer.send(wire.connect("newcomer"))
        broker.resume()
        await newcomer.answer(Kind.CONNACK)
        await table.answer(Kind.PINGRESP)
        await flooding.drop()
        await newcomer.drop()


async def test_withheld_acknowledgements_reach_the_line_when_released() -> None:
    async with EmulatedBroker() as broker, client(broker.port, "table") as table:
        broker.misbehaviour.withhold_acknowledgements()
        await table.send(wire.publish("cards", qos=1, packet_id=9))
        await table.ping()
        broker.release_acknowledgements()
        assert (await table.answer(Kind.PUBACK)).packet_id == 9


async def test_a_delayed_delivery_comes_by_itself() -> None:
    async with EmulatedBroker() as broker, client(broker.port, "both") as both:
        await both.subscribe("cards")
        broker.misbehaviour.delay_deliveries(0.1)
        loop = asyncio.get_running_loop()
        start = loop.time()
        await both.publish("cards", b"late")
        await both.nothing_waits()
        assert (await both.message()).payload == b"late"
        assert loop.time() - start >= 0.1


async def test_a_display_that_does_not_read_costs_a_bounded_amount_and_nobody_else_anything() -> None:
    async with (
        EmulatedBroker(limits=BrokerLimits(queued=20)) as broker,
        client(broker.port, "lazy") as lazy,
        client(broker.port, "busy") as busy,
        client(broker.port, "table") as table,
    ):
        for each in (lazy, busy):
            await each.subscribe(Subscription(topic_filter="cards"))
        payload = b"x" * 100_000
        for number in range(300):
            await table.publish("cards", b"%d" % number + payload)
            assert (await busy.message()).payload.startswith(b"%d" % number)
        # Of 30 MB, the lazy one's socket buffers and queue hold a part; the rest is lost, as QoS 0 may be.
        assert broker.core.lost_messages > 100
        received = 0
        await table.publish("cards", b"the end", qos=0)
        while received + broker.core.lost_messages < 301:
            await lazy.message()
            received += 1
        await lazy.nothing_waits()


class StuckTransport(asyncio.Transport):
    """A line whose other end takes nothing: all that is written stays in the buffer."""

    def __init__(self) -> None:
        super().__init__()
        self._reads = True
        self.buffered = b""
        self.aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.buffered += data

    def abort(self) -> None:
        self.aborted = True

    def pause_reading(self) -> None:
        self._reads = False

    def resume_reading(self) -> None:
        self._reads = True

    def is_reading(self) -> bool:
        return self._reads

    def is_closing(self) -> bool:
        return False


async def test_a_client_that_never_reads_its_answers_is_not_heard_until_it_does() -> None:
    async with EmulatedBroker() as broker:
        line, transport = ClientLine(broker), StuckTransport()
        line.connection_made(transport)
        line.data_received(wire.connect("chatterbox") + wire.subscribe(1, [Subscription(topic_filter="cards")]))
        line.pause_writing()
        assert not transport.is_reading()
        before = transport.buffered
        async with client(broker.port, "table") as table:
            await table.publish("cards", b"9H")
        assert transport.buffered == before
        line.resume_writing()
        assert transport.is_reading()
        assert transport.buffered.endswith(b"9H")
        line.connection_lost(None)
        assert "chatterbox" not in broker.core.online


async def test_a_connection_accepted_in_the_moment_of_closing_is_let_go() -> None:
    broker = EmulatedBroker()
    line, transport = ClientLine(broker), StuckTransport()
    line.connection_made(transport)
    assert transport.aborted
    line.data_received(wire.connect("too late"))
    line.connection_lost(None)
    assert broker.core.online == frozenset()
    assert transport.buffered == b""


async def test_the_last_words_reach_a_client_that_goes_on_talking() -> None:
    async with (
        EmulatedBroker(limits=BrokerLimits(packet_bytes=1000)) as broker,
        client(broker.port, "offender") as offender,
    ):
        await offender.send(wire.publish("cards", b"x" * 20_000_000))
        assert await offender.hung_up() == 0x95


async def test_a_client_that_ignores_the_goodbye_is_cut_in_the_end() -> None:
    async with EmulatedBroker() as broker:
        deaf = await RawClient.open(broker.port)
        await deaf.connect("deaf")
        await deaf.send(b"\xff" * 10)

        async def go_on_talking() -> None:
            while True:
                await deaf.send(b"\0")
                await asyncio.sleep(0.02)

        with pytest.raises(ConnectionError):
            await asyncio.wait_for(go_on_talking(), LINGER_SECONDS + PATIENCE)
        await deaf.close()


async def test_many_come_and_go() -> None:
    async def visit(number: int) -> None:
        async with client(broker.port, f"client {number % 50}") as raw:
            await raw.subscribe(f"own/{number}")
            await raw.publish(f"own/{number}", b"%d" % number)
            assert (await raw.message()).payload == b"%d" % number
            await raw.disconnect()

    async with EmulatedBroker() as broker:
        for start in range(0, 300, 50):
            await asyncio.gather(*(visit(number) for number in range(start, start + 50)))
        assert broker.core.online == frozenset()
        assert broker.core.sessions == frozenset()
