"""What the tests of the shoe in C need: a controller moved by hand, and a line to the product's controller.

The product is known here only as a `ControllerLink`. Time is a number that the tests move; frames are lost by their
place on the line, so every run is the same.
"""

import itertools
from collections.abc import Callable

import msgspec

from firmware_protocol.link import Delivery, EventGap, LinkReport
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.progress import remember
from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.c_shoe import CShoe, Identity, Memory
from tests.firmware_protocol.native.second_reader import Fields, Line

KEY = bytes(range(100, 132))


def nonces(of: int) -> Callable[[], bytes]:
    counts = itertools.count()
    return lambda: second.nonce_without_random_source(KEY, of, next(counts))


def random_of(boot_id: int, nonce: Callable[[], bytes]) -> Callable[[int], bytes]:
    """What a shoe's random source gives: its boot id, then nonces."""
    return lambda size: boot_id.to_bytes(4, "big") if size == 4 else nonce()


def drawn(number: int) -> Fields:
    """The cards come in the order of their codes, each with an id of its own."""
    faces = [face for face in second.CARDS.values() if face is not None]
    return {
        "event": "card_drawn",
        "hand": "player" if number % 2 == 0 else "banker",
        "position": number % 3 + 1,
        "card": faces[number % 52],
        "burns_left": None,
        "first_of_shoe": number == 0,
        "carried_over": False,
        "card_id": f"CARD-{number:04}",
        "deck_set": "SET-9",
    }


class HandmadeController:
    """Frames of a controller, one by one, for a shoe in C; what the shoe answers is returned as bodies."""

    def __init__(self, shoe: CShoe) -> None:
        self.shoe = shoe
        self.now = 0.0
        self.challenge = b""
        self._counter = 0
        shoe.to_send(self.now)

    def say(self, body: bytes, after: float = 0.0) -> list[bytes]:
        self.now += after
        self.shoe.receive(second.framed(body), self.now)
        return list(Line().bodies(self.shoe.to_send(self.now)))

    def seal(self, type_: int, fields: Fields) -> bytes:
        key = second.key_to_shoe(KEY, self.challenge)
        return second.sealed(key, type_, self.next_counter(), second.message_bytes(type_, fields))

    def next_counter(self) -> int:
        self._counter += 1
        return self._counter

    def proof(self, boot_id: int = 0, sequence: int = 0, key: bytes = KEY) -> bytes:
        fields = {"nonce_s": self.challenge[23:39], "boot_id": boot_id, "sequence": sequence}
        proof = second.message_bytes(second.PROOF, fields)
        return proof + second.controller_tag(key, self.challenge, proof)


class Table:
    """The product's controller and a shoe in C, with a line between them that loses frames by their number.

    `loses` is asked with the sender and the number of the frame on its way. All that the controller delivers is stored
    at once, unless `stores` is false.
    """

    def __init__(
        self,
        loses: Callable[[str, int], bool] = lambda _sender, _number: False,
        shoe_key: bytes = KEY,
        memory: Memory | None = None,
    ) -> None:
        self.now = 0.0
        self.memory = memory or Memory()
        self.deliveries: list[Delivery] = []
        self.reports: list[LinkReport] = []
        self.stores = True
        self._stored = 0
        self._link_memory = b""
        self.from_shoe = b""
        self._loses = loses
        self._numbers = {"shoe": itertools.count(), "controller": itertools.count()}
        self._shoe_key = shoe_key
        self._power_ups = 0
        self.controller = NativeController(key=KEY, nonce=nonces(of=0))
        self.shoe = self._powered_up()
        self.controller.connected(self.now)

    def restart_shoe(self) -> None:
        self.shoe = self._powered_up()

    def restart_controller(self) -> None:
        """What it did not store it has never received."""
        del self.deliveries[self._stored :]
        last_committed = remember(self._link_memory) if self._link_memory else None
        self.controller = NativeController(key=KEY, nonce=nonces(of=1_000), last_committed=last_committed)
        self.controller.connected(self.now)

    def hear(self, data: bytes) -> None:
        """Bytes that reach the controller, whoever sent them."""
        for heard in self.controller.receive(data, self.now):
            if isinstance(heard, Delivery):
                self.deliveries.append(heard)
                if self.stores:
                    self._stored = len(self.deliveries)
                    self._link_memory = self.controller.memory(heard)
                    self.controller.committed(heard, self.now)
            else:
                self.reports.append(heard)

    def run(self, seconds: float) -> None:
        """Let time pass in steps of 10 ms, which is also how long a frame is on its way."""
        for _ in range(round(seconds * 100)):
            self.step()

    def run_until_all_is_stored(self, seconds: float) -> None:
        deadline = self.now + seconds
        while self.shoe.held:
            assert self.now < deadline, f"after {seconds} s the shoe still holds {self.shoe.held} events"
            self.step()

    def step(self) -> None:
        self.now += 0.01
        deadline = self.controller.next_deadline()
        if deadline is not None and deadline <= self.now:
            self.reports += self.controller.tick(self.now)
        self.shoe.tick(self.now)
        to_shoe, to_controller = self.controller.to_send(), self.shoe.to_send(self.now)
        self.from_shoe += to_controller
        self.shoe.receive(self._what_arrives("controller", to_shoe), self.now)
        self.hear(self._what_arrives("shoe", to_controller))

    def _what_arrives(self, sender: str, data: bytes) -> bytes:
        frames = [frame + b"\0" for frame in data.split(b"\0") if frame]
        return b"".join(frame for frame in frames if not self._loses(sender, next(self._numbers[sender])))

    def _powered_up(self) -> CShoe:
        self._power_ups += 1
        identity = Identity(cause=1 if self._power_ups == 1 else 2)
        random = random_of(1000 + self._power_ups, nonces(of=self._power_ups))
        return CShoe(key=self._shoe_key, memory=self.memory, identity=identity, random=random, now=self.now)

    def events(self) -> list[Fields]:
        return [msgspec.to_builtins(delivery.event) for delivery in self.deliveries]

    def gaps(self) -> list[EventGap]:
        return [report for report in self.reports if isinstance(report, EventGap)]


def _assert_once_and_in_order(table: Table, reported: list[Fields]) -> None:
    """Each event that happened is delivered, each once, in its order, with nothing between them."""
    assert table.events() == reported
    assert [delivery.sequence for delivery in table.deliveries] == list(range(1, len(reported) + 1))
    assert table.gaps() == []


class Happenings:
    """Reports events at a table's shoe, and keeps what the controller must then say."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.expected: list[Fields] = [{"event": "started", "cause": "power_on"}]
        self.boot_ids = [1001]
        self._cards = itertools.count()

    def draw(self, cards: int = 1) -> None:
        for _ in range(cards):
            self.happen(drawn(next(self._cards)))

    def happen(self, event: Fields) -> None:
        self.table.shoe.report(event, self.table.now)
        expected = dict(event)
        if "total" in event or event["event"] == "card_drawn":
            expected["total"] = self.table.shoe.total
        self.expected.append(expected)
        self.boot_ids.append(self.boot_ids[-1])

    def restart(self) -> None:
        self.table.restart_shoe()
        self.expected.append({"event": "started", "cause": "brown_out"})
        self.boot_ids.append(self.boot_ids[-1] + 1)

    def assert_all_told(self) -> None:
        _assert_once_and_in_order(self.table, self.expected)
        assert [delivery.boot_id for delivery in self.table.deliveries] == self.boot_ids
