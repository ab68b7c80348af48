"""The broker's core on virtual time, with clients that are no more than a list of what they were sent."""

from typing import Any

from simulator.broker import BrokerCore, BrokerLimits, Ending
from simulator.broker.access import EVERYTHING_ALLOWED, AccessList
from simulator.broker.misbehaviour import Misbehaviour
from tests.simulator.broker import wire
from tests.simulator.broker.wire import V5, Kind, Received, Subscription


class Bench:
    """Time passes only in `wait`, and everything that is sent is received at once."""

    def __init__(
        self,
        *,
        users: dict[str, str] | None = None,
        access: AccessList = EVERYTHING_ALLOWED,
        limits: BrokerLimits | None = None,
    ) -> None:
        self.core = BrokerCore(users=users, access=access, limits=limits)
        self.now = 1000.0
        self._clients: dict[int, BenchClient] = {}

    @property
    def misbehaviour(self) -> Misbehaviour:
        return self.core.misbehaviour

    def open(self, version: int = V5) -> "BenchClient":
        number = self.core.connected(self.now)
        client = self._clients[number] = BenchClient(self, number, version)
        self.flush()
        return client

    def client(self, client_id: str = "", version: int = V5, **fields: Any) -> "BenchClient":  # noqa: ANN401 - fields of wire.connect
        """Open a connection and introduce it; its CONNACK is in `connack`."""
        client = self.open(version)
        client.send(wire.connect(client_id, version=version, **fields))
        client.connack = client.first(Kind.CONNACK)
        assert client.connack.reason == 0, client.connack
        return client

    def forget(self, client: "BenchClient") -> None:
        """Take the line away: from now on the broker has nothing to say to this one."""
        del self._clients[client.number]

    def flush(self) -> None:
        while outgoing := self.core.to_send(self.now):
            for each in outgoing:
                self._clients[each.connection].hear(each.data, each.ending)

    def wait(self, seconds: float) -> None:
        """Let time pass, stopping at every deadline on the way."""
        end = self.now + seconds
        while (deadline := self.core.next_deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            self.core.tick(self.now)
            self.flush()
        self.now = end

    def publish(self, topic: str, payload: bytes = b"x", **fields: Any) -> None:  # noqa: ANN401 - fields of wire.publish
        """Publish as somebody who has nothing else to do with the test."""
        stranger = self.client("", will=None)
        stranger.send(wire.publish(topic, payload, **fields))
        stranger.send(wire.disconnect())


class BenchClient:
    def __init__(self, bench: Bench, number: int, version: int) -> None:
        self.version = version
        self.number = number
        self.connack: Received | None = None
        self.ending: Ending | None = None
        self._bench = bench
        self._bytes = wire.BrokerBytes(version)
        self._inbox: list[Received] = []

    def hear(self, data: bytes, ending: Ending | None) -> None:
        assert self.ending is None, "the broker wrote to a connection it had closed"
        self._inbox += self._bytes.feed(data)
        self.ending = ending

    def send(self, data: bytes) -> None:
        self._bench.core.receive(self.number, data, self._bench.now)
        self._bench.flush()

    def subscribe(self, *filters: str | Subscription, props: wire.Properties | None = None) -> tuple[int, ...]:
        wanted = [Subscription(topic_filter=each, qos=1) if isinstance(each, str) else each for each in filters]
        self.send(wire.subscribe(1, wanted, version=self.version, props=props))
        return self.first(Kind.SUBACK).reasons

    def publish(self, topic: str, payload: bytes = b"x", *, qos: int = 0, packet_id: int | None = None) -> None:
        self.send(wire.publish(topic, payload, version=self.version, qos=qos, packet_id=packet_id))

    def acknowledge(self, packet_id: int | None) -> None:
        assert packet_id is not None
        self.send(wire.acknowledge(Kind.PUBACK, packet_id))

    def take(self) -> list[Received]:
        """Take everything received so far."""
        taken, self._inbox = self._inbox, []
        return taken

    def first(self, kind: Kind) -> Received:
        """Take the first packet received, which must be of this kind, and leave the rest."""
        assert self._inbox, "nothing was received"
        first = self._inbox.pop(0)
        assert first.kind is kind, first
        return first

    def only(self, kind: Kind) -> Received:
        """Take what was received, which must be one packet of this kind."""
        taken = self.take()
        assert [each.kind for each in taken] == [kind], taken
        return taken[0]

    def payloads(self) -> list[bytes]:
        """Take what was received, which must be messages."""
        taken = self.take()
        assert {each.kind for each in taken} <= {Kind.PUBLISH}, taken
        return [each.payload for each in taken]

    def vanish(self) -> None:
        self._bench.forget(self)
        self._bench.core.lost(self.number, self._bench.now)
        self._bench.flush()

    def congested(self, *, is_congested: bool) -> None:
        self._bench.core.congested(self.number, self._bench.now, is_congested=is_congested)
        self._bench.flush()
