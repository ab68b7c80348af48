"""What QoS 1 promises, with lines that break in mid-packet and a broker that restarts, all from one seed."""

import random

import pytest

from simulator.broker import BrokerCore, Ending
from tests.simulator.broker import wire
from tests.simulator.broker.wire import V5, V311, Kind, Received

MESSAGES = 150
WINDOW = 8


class World:
    """One broker, two clients, and the lines between them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - any failure must replay from its seed
        self.core = BrokerCore()
        self.now = 0.0
        self.break_chance = 0.05
        self.broken = 0
        self.peers: dict[int, Peer] = {}

    def breaks(self) -> bool:
        return self.random.random() < self.break_chance

    def flush(self) -> None:
        while outgoing := self.core.to_send(self.now):
            for each in outgoing:
                if each.connection in self.peers:
                    self.peers[each.connection].hear(each.data, each.ending)

    def step(self) -> None:
        self.now += 0.01
        if self.random.random() < self.break_chance / 10:
            self.core.restart(self.now, orderly=self.random.random() < 0.5)
        self.core.tick(self.now)
        self.flush()


class Peer:
    """A client whose session outlives its connections."""

    def __init__(self, world: World, name: str, version: int) -> None:
        self.world, self.name, self.version = world, name, version
        self._number: int | None = None
        self._bytes = wire.BrokerBytes(version)
        self._known_to_broker = False
        self.is_ready = False

    def act(self) -> None:
        """Do the next thing: come back if the line is broken."""
        if self._number is not None:
            return
        self._number = self.world.core.connected(self.world.now)
        self.world.peers[self._number] = self
        self._bytes = wire.BrokerBytes(self.version)
        props = {"session_expiry": 0xFFFF_FFFF} if self.version == V5 else None
        self.say(wire.connect(self.name, version=self.version, clean=False, keep_alive=0, props=props))

    def say(self, data: bytes) -> None:
        if self._number is None:
            return
        number, is_broken = self._number, self.world.breaks()
        part = data[: self.world.random.randrange(len(data) + 1)] if is_broken else data
        self.world.core.receive(number, part, self.world.now)
        if is_broken:
            self._lose(number)

    def hear(self, data: bytes, ending: Ending | None) -> None:
        number = self._number
        assert number is not None
        is_broken = self.world.breaks()
        if is_broken:
            data = data[: self.world.random.randrange(len(data) + 1)]
        for received in self._bytes.feed(data):
            if received.kind is Kind.CONNACK:
                assert received.session_present or not self._known_to_broker
                self._known_to_broker = self.is_ready = True
                self.connected()
            else:
                self.take(received)
        if self._number == number and (is_broken or ending is not None):
            self._lose(number)

    def _lose(self, number: int) -> None:
        self._number, self.is_ready = None, False
        self.world.broken += 1
        del self.world.peers[number]
        self.world.core.lost(number, self.world.now)

    def connected(self) -> None:
        raise NotImplementedError

    def take(self, received: Received) -> None:
        raise NotImplementedError


class Publisher(Peer):
    def __init__(self, world: World, version: int) -> None:
        super().__init__(world, "table", version)
        self.published = 0
        self._under_way: dict[int, bytes] = {}

    @property
    def done(self) -> bool:
        return self.published == MESSAGES and not self._under_way

    def act(self) -> None:
        super().act()
        if self.published < MESSAGES and len(self._under_way) < WINDOW and self.is_ready:
            number = self.published
            self.published += 1
            self._under_way[number + 1] = self._packet(number, dup=True)
            self.say(self._packet(number, dup=False))

    def _packet(self, number: int, *, dup: bool) -> bytes:
        return wire.publish("cards", b"%d" % number, version=self.version, qos=1, packet_id=number + 1, dup=dup)

    def connected(self) -> None:
        for packet in list(self._under_way.values()):
            self.say(packet)

    def take(self, received: Received) -> None:
        assert received.kind is Kind.PUBACK
        assert received.packet_id is not None
        self._under_way.pop(received.packet_id, None)


class Subscriber(Peer):
    def __init__(self, world: World, version: int) -> None:
        super().__init__(world, "display", version)
        self.seen: set[int] = set()
        self.subscribed = False

    def connected(self) -> None:
        if not self.subscribed:
            cards = [wire.Subscription(topic_filter="cards", qos=1)]
            self.say(wire.subscribe(1, cards, version=self.version))

    def take(self, received: Received) -> None:
        packet_id = received.packet_id
        assert packet_id is not None
        match received.kind:
            case Kind.SUBACK:
                self.subscribed = True
            case Kind.PUBLISH:
                self.seen.add(int(received.payload))
                self.say(wire.acknowledge(Kind.PUBACK, packet_id))


@pytest.mark.parametrize("version", [V311, V5], ids=["3.1.1", "5"])
@pytest.mark.parametrize("seed", range(25))
def test_nothing_is_lost(version: int, seed: int) -> None:
    world = World(seed)
    display, table = Subscriber(world, version), Publisher(world, version)
    while not display.subscribed:
        display.act()
        world.step()
    for _ in range(100_000):
        if table.done:
            break
        display.act()
        table.act()
        world.step()
    assert table.done
    world.break_chance = 0.0
    for _ in range(MESSAGES):
        display.act()
        world.step()
    assert display.seen == set(range(MESSAGES))
    assert world.broken > 20, "too little went wrong for this to test anything"
