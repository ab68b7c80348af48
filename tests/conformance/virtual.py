"""Shoes in this process and on virtual time, with an operator who does at once what is asked."""

import ctypes
import random
from typing import Protocol

from simulator.conformance.bench import Bench, BenchSettings
from simulator.conformance.line import Answer, Doing, Request
from simulator.conformance.run import make_trials
from simulator.conformance.verdicts import Findings
from simulator.emulation import Emulation, EmulationSettings
from simulator.shoe_line import WireSettings
from simulator.virtual_shoe import CannotError
from tests.conformance.hands import at_emulator
from tests.firmware_protocol.native.c_shoe import CShoe, Desire, Identity, Memory

KEY = bytes(range(60, 92))
STEP = 0.01
LOCKED = 2


class VirtualShoe(Protocol):
    def receive(self, data: bytes, now: float) -> None: ...

    def tick(self, now: float) -> None: ...

    def to_send(self, now: float) -> bytes: ...

    def reopen(self, now: float) -> None: ...

    def do(self, request: Request, now: float) -> Answer: ...


class VirtualLine:
    """A line that takes no time, and a clock that goes on only while somebody waits for bytes."""

    def __init__(self, shoe: VirtualShoe) -> None:
        self.shoe = shoe
        self._now = 1000.0
        self.asked: Answer | None = None

    def now(self) -> float:
        return self._now

    def send(self, data: bytes) -> None:
        self.shoe.receive(data, self._now)

    def receive(self, until: float) -> bytes:
        while True:
            data = self.shoe.to_send(self._now)
            if data or self._now >= until:
                return data
            self._now = min(self._now + STEP, until)
            self.shoe.tick(self._now)

    def reopen(self) -> None:
        self.shoe.reopen(self._now)

    def ask(self, request: Request) -> None:
        self.asked = self.shoe.do(request, self._now)

    def answer(self) -> Answer | None:
        return self.asked

    def seen(self) -> None:
        pass


class PythonShoe:
    """The shoe of `shoe-emulator`, dealt by hand."""

    def __init__(self, now: float = 1000.0, capacity: int = 128, key: bytes | None = KEY) -> None:
        wire = WireSettings(key=key, store_capacity=capacity)
        self._emulation = Emulation(EmulationSettings(wire=wire, seed=1, speed=None), now=now, truth=lambda _: None)
        self._emulation.host_attached(now)

    def receive(self, data: bytes, now: float) -> None:
        self._emulation.received(data, now)

    def tick(self, now: float) -> None:
        deadline = self._emulation.next_deadline()
        if deadline is not None and deadline <= now:
            self._emulation.tick(now)

    def to_send(self, now: float) -> bytes:
        return b"".join(self._emulation.to_send(now))

    def reopen(self, now: float) -> None:
        self._emulation.host_detached(now)
        self._emulation.host_attached(now)

    def do(self, request: Request, now: float) -> Answer:
        try:
            return at_emulator(self._emulation, request, now)
        except CannotError as error:
            return Answer(yes=False, why_not=str(error))


class WithGate(CShoe):
    """One power-up of a firmware that does with its gate what the kit says."""

    gate_locked = True

    def _follow(self, context: int, desire: "ctypes._Pointer[Desire]") -> None:
        super()._follow(context, desire)
        gate = self.desires[-1]["gate"]
        self.gate_locked = gate == LOCKED if gate else self.gate_locked

    def _lock(self, context: int) -> None:
        super()._lock(context)
        self.gate_locked = True


class ShoeInC:
    """The kit, or a changed one, with memory that outlives a power-up."""

    def __init__(
        self,
        kit: ctypes.CDLL | None = None,
        now: float = 1000.0,
        places: int = 128,
        identity: Identity | None = None,
    ) -> None:
        self._kit = kit
        self._identity = identity
        self._memory = Memory(places)
        self._random = random.Random(7)  # noqa: S311 - the same run every time
        self._power_up(now)

    def _power_up(self, now: float) -> None:
        self._shoe = WithGate(
            key=KEY,
            memory=self._memory,
            random=self._random.randbytes,
            now=now,
            identity=self._identity,
            kit=self._kit,
        )

    def receive(self, data: bytes, now: float) -> None:
        self._shoe.receive(data, now)

    def tick(self, now: float) -> None:
        self._shoe.tick(now)

    def to_send(self, now: float) -> bytes:
        return self._shoe.to_send(now)

    def reopen(self, now: float) -> None:
        self._shoe.line_is_back(now)

    def do(self, request: Request, now: float) -> Answer:
        shoe = self._shoe
        match request.doing:
            case Doing.DRAW:
                for _ in range(request.number):
                    shoe.report({"event": "card_drawn", "hand": "player", "position": 1, "card": "9H"}, now)
            case Doing.EVENT:
                for _ in range(request.number):
                    shoe.report({"event": "button", "button": "call_supervisor"}, now)
            case Doing.POWER:
                self._power_up(now)
            case Doing.SEE_GATE_LOCKED:
                return Answer(yes=shoe.gate_locked)
            case Doing.SEE_LAMPS:
                lamps = shoe.desires[-1]["lamps"] if shoe.desires else 0
                return Answer(yes=lamps == request.number)
            case Doing.SEE_IDENTIFY:
                return Answer(yes=bool(shoe.identified))
        return Answer(yes=True)


def bench_of(shoe: VirtualShoe, *, key: bytes | None = KEY, slack: float = 1.0) -> Bench:
    line = VirtualLine(shoe)
    chance = random.Random(3)  # noqa: S311 - the same run every time
    return Bench(line, line, BenchSettings(key=key, slack=slack), Findings(), chance.randbytes)


def tried(shoe: VirtualShoe, *, key: bytes | None = KEY, slack: float = 1.0) -> Findings:
    """What the whole suite finds out about a shoe."""
    bench = bench_of(shoe, key=key, slack=slack)
    make_trials(bench)
    return bench.findings
