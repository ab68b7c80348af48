"""The emulated broker's core on virtual time, and the client's half of MQTT 5 with which everybody talks to it.

Each client is an `Endpoint`: real packets in both directions, QoS 1, a keep-alive's worth of patience. Bytes take a
moment; the broker can be away, hang, forget, refuse, and be late.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from simulator.broker.core import BrokerCore
from tests.simulation.broker_packets import acknowledgement, packets
from tests.simulation.virtual_time import VirtualTime
from tests.simulator.broker import wire
from tests.simulator.broker.wire import Kind, Received

LATENCY = 0.003
PATIENCE = 10.0
"""Seconds after which a client gives up a broker that does not answer."""


class VirtualBroker:
    def __init__(self, time: VirtualTime) -> None:
        self.core = BrokerCore()
        self.reachable = True
        self._time = time
        self._ends: dict[int, Endpoint] = {}
        self._woken_for: float | None = None

    def connect(self, end: "Endpoint") -> int | None:
        """A new connection; nothing where there is no broker."""
        if not self.reachable:
            return None
        number = self.core.connected(self._time.now)
        self._ends[number] = end
        self.look()
        return number

    def send(self, number: int, data: bytes) -> None:
        self._time.after(LATENCY, partial(self._receive, number, data))

    def _receive(self, number: int, data: bytes) -> None:
        if number in self._ends:
            self.core.receive(number, data, self._time.now)
            self.look()

    def hang_up(self, number: int) -> None:
        """The client is gone."""
        if self._ends.pop(number, None) is not None:
            self.core.lost(number, self._time.now)
            self.look()

    def do(self, act: Callable[[float], object]) -> None:
        act(self._time.now)
        self.look()

    def look(self) -> None:
        """After anything: carry what the broker says, and ask to be woken."""
        now = self._time.now
        while outgoing := self.core.to_send(now):
            for each in outgoing:
                end = self._ends.get(each.connection)
                if end is not None and each.data:
                    self._time.after(LATENCY, partial(self._deliver, each.connection, end, each.data))
                if each.ending is not None:
                    self._ends.pop(each.connection, None)
                    self.core.lost(each.connection, now)
                    if end is not None:
                        self._time.after(LATENCY, partial(end.cut, each.connection))
        deadline = self.core.next_deadline()
        if deadline is not None and (self._woken_for is None or deadline < self._woken_for):
            self._woken_for = deadline
            self._time.at(deadline, partial(self._wake, deadline))

    def _wake(self, deadline: float) -> None:
        if self._woken_for == deadline:
            self._woken_for = None
            self.core.tick(self._time.now)
            self.look()

    def _deliver(self, number: int, end: "Endpoint", data: bytes) -> None:
        end.receive(number, data)


class Outgoing(NamedTuple):
    topic: str
    payload: bytes
    retain: bool
    properties: dict[str, object]
    taken: Callable[[int], None]
    """Called with the broker's reason; 0x80 and more refuse it."""


class Endpoint:
    """One client of the broker, on one connection after another."""

    def __init__(
        self,
        broker: VirtualBroker,
        time: VirtualTime,
        client_id: str,
        *,
        filters: tuple[str, ...],
        retained: bool = True,
        on_ready: Callable[[], None],
        on_message: Callable[[Received], None],
        on_lost: Callable[[str], None],
    ) -> None:
        self.client_id = client_id
        self.ready = False
        self.receive_limit = 1000
        self._broker = broker
        self._time = time
        self._filters = filters
        self._retained = retained
        self._on_ready = on_ready
        self._on_message = on_message
        self._on_lost = on_lost
        self._number: int | None = None
        self._waiting: deque[Outgoing] = deque()
        self._under_way: dict[int, Outgoing] = {}
        self._packet_id = 0

    @property
    def connected(self) -> bool:
        return self._number is not None

    def connect(self, *, clean: bool, will: wire.Will | None = None) -> None:
        number = self._broker.connect(self)
        if number is None:
            self._time.after(LATENCY, lambda: self._on_lost("no broker answers"))
            return
        self._number = number
        expiry = {} if clean else {"session_expiry": 3600}
        hello = wire.connect(self.client_id, clean=clean, keep_alive=0, will=will, props=expiry)
        self._broker.send(number, hello)
        self._expect_answer(number, lambda: self.ready)

    def _expect_answer(self, number: int, answered: Callable[[], bool]) -> None:
        def look() -> None:
            if self._number == number and not answered():
                self.hang_up("the broker does not answer")

        self._time.after(PATIENCE, look)

    def publish(self, message: Outgoing) -> None:
        self._waiting.append(message)
        self._send()

    def _send(self) -> None:
        while self.ready and self._number is not None and self._waiting and len(self._under_way) < self.receive_limit:
            message = self._waiting.popleft()
            self._packet_id = packet_id = self._packet_id % 65535 + 1
            self._under_way[packet_id] = message
            self._broker.send(
                self._number,
                wire.publish(
                    message.topic,
                    message.payload,
                    qos=1,
                    packet_id=packet_id,
                    retain=message.retain,
                    props=message.properties,
                ),
            )
            self._expect_answer(self._number, lambda sent=message, by=packet_id: self._under_way.get(by) is not sent)  # type: ignore[misc]

    def receive(self, number: int, data: bytes) -> None:
        if number != self._number:
            return
        for packet in packets(data):
            self._take(number, packet)
            if self._number != number:
                return

    def _take(self, number: int, packet: Received) -> None:
        match packet.kind:
            case Kind.CONNACK if packet.reason:
                self.hang_up(f"the broker refuses: {packet.reason:#x}")
            case Kind.CONNACK:
                self.receive_limit = packet.properties.get("receive_maximum", 65535)
                live = not self._retained
                wanted = [
                    wire.Subscription(
                        topic_filter=each,
                        qos=1,
                        no_local=live,
                        retain_as_published=live,
                        retain_handling=2 if live else 0,
                    )
                    for each in self._filters
                ]
                self._broker.send(number, wire.subscribe(65535, wanted))
            case Kind.SUBACK:
                self.ready = True
                self._on_ready()
                self._send()
            case Kind.PUBLISH:
                if packet.packet_id is not None:
                    self._broker.send(number, acknowledgement(packet.packet_id))
                self._on_message(packet)
            case Kind.PUBACK if packet.packet_id is not None:
                message = self._under_way.pop(packet.packet_id, None)
                if message is not None:
                    message.taken(packet.reason)
                self._send()
            case _:
                pass

    def say_goodbye(self) -> None:
        if self._number is not None:
            number, self._number = self._number, None
            self.ready = False
            self._broker.send(number, wire.disconnect())
            self._time.after(2 * LATENCY, partial(self._broker.hang_up, number))

    def hang_up(self, why: str) -> None:
        if self._number is not None:
            number, self._number = self._number, None
            self._broker.hang_up(number)
            self._end(why)

    def cut(self, number: int) -> None:
        """The broker has closed the connection."""
        if self._number == number:
            self._number = None
            self._end("the broker hung up")

    def _end(self, why: str) -> None:
        self.ready = False
        self._waiting.clear()
        self._under_way.clear()
        self._on_lost(why)
