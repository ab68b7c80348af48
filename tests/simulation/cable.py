"""The cable between the virtual shoe and the controller: a `Port` for the daemon, and the hands that move the shoe.

The emulation is brought its time, its bytes and the port's orders here; bytes take a moment to the other end, and two
messages may change places on the way.
"""

from collections.abc import Callable, Iterator
from functools import partial

from shoe_controller.transports.transport import OnBytes, OnLost, TransportError, every_half_second
from simulator.emulation import Emulation
from simulator.fault_effects import PortOrder
from tests.simulation.swapping import Swap
from tests.simulation.virtual_time import DaemonLoop, VirtualTime

LATENCY = 0.002
LONGEST_HELD = 2.0
"""Seconds that a message waits for another one to overtake it."""


class Cable:
    def __init__(self, time: VirtualTime, emulation: Emulation) -> None:
        self.emulation = emulation
        self.plugged = True
        self.looked: Callable[[], object] = lambda: None
        """Called whenever anything may have changed at the shoe."""
        self._time = time
        self._line: CableLine | None = None
        self._woken_for: float | None = None
        self._swaps: dict[bool, tuple[Swap, Callable[[], object]]] = {}
        """By whether it is the way to the shoe: what changes places, and the callback when it has."""

    def for_daemon(self, loop: DaemonLoop) -> "CablePort":
        return CablePort(self, loop)

    # --- the shoe's end -----------------------------------------------------------------------------------------------

    def do(self, act: Callable[[float], object]) -> None:
        """Something happens at the shoe."""
        act(self._time.now)
        self.look()

    def look(self) -> None:
        """After anything: carry what was sent, and ask to be woken for what comes next."""
        self.looked()
        now = self._time.now
        for order in self.emulation.take_port_orders():
            self._move_plug(plugged=order is PortOrder.REPLUG)
        line = self._line
        for sent in self.emulation.to_send(now):
            if line is not None:
                for piece in self._swapped(sent, to_shoe=False):
                    line.arrive(piece)
        deadline = self.emulation.next_deadline()
        if deadline is not None and (self._woken_for is None or deadline < self._woken_for):
            self._woken_for = deadline
            self._time.at(deadline, partial(self._wake, deadline))

    def _wake(self, deadline: float) -> None:
        if self._woken_for == deadline:
            self._woken_for = None
            self.emulation.tick(self._time.now)
            self.look()

    def replug(self) -> None:
        """Somebody pulls the cable, and plugs it in again."""
        self._move_plug(plugged=False)
        self._time.after(1.0, lambda: self._move_plug(plugged=True))

    def pull(self) -> None:
        self._move_plug(plugged=False)

    def plug_in(self) -> None:
        self._move_plug(plugged=True)

    def _move_plug(self, *, plugged: bool) -> None:
        self.plugged = plugged
        if not plugged and self._line is not None:
            line = self._line
            self.let_go(line)
            line.lose("the shoe was unplugged")

    # --- messages that change places ----------------------------------------------------------------------------------

    def swap(self, *, to_shoe: bool, all_copies: bool, swapped: Callable[[], object]) -> None:
        """The next two messages in this direction that differ come in the wrong order."""
        self.end_swap(to_shoe=to_shoe)
        swap = Swap(self.emulation.settings.wire.wire, to_shoe=to_shoe, all_copies=all_copies)
        self._swaps[to_shoe] = (swap, swapped)

    def end_swap(self, *, to_shoe: bool) -> None:
        """Whatever has changed places by now: from here on all comes as it was sent."""
        ended = self._swaps.pop(to_shoe, None)
        if ended is not None:
            self._arrive(ended[0].end(), to_shoe=to_shoe)

    def _swapped(self, data: bytes, *, to_shoe: bool) -> list[bytes]:
        if to_shoe not in self._swaps:
            return [data]
        swap, swapped = self._swaps[to_shoe]
        held_before = swap.holds
        arrives = swap.carry(data)
        if swap.done:
            del self._swaps[to_shoe]
            swapped()
        elif swap.holds and not held_before:
            self._time.after(LONGEST_HELD, lambda: self._arrive(swap.let_go(), to_shoe=to_shoe))
        return arrives

    def _arrive(self, pieces: list[bytes], *, to_shoe: bool) -> None:
        line = self._line
        if line is not None:
            for piece in pieces:
                if to_shoe:
                    self.do(partial(self.emulation.received, piece))
                else:
                    line.arrive(piece)

    # --- the controller's end -----------------------------------------------------------------------------------------

    def attach(self, line: "CableLine") -> None:
        if line.is_open:
            self._line = line
            self.do(self.emulation.host_attached)

    def let_go(self, line: "CableLine") -> None:
        if self._line is line:
            self._line = None
            for swap, _ in self._swaps.values():
                swap.end()
            self.do(self.emulation.host_detached)

    def cut(self) -> None:
        """The program at the other end is gone."""
        if self._line is not None:
            self.let_go(self._line)

    def carry(self, line: "CableLine", data: bytes) -> None:
        """To the shoe."""

        def arrive() -> None:
            if self._line is line:
                self._arrive(self._swapped(data, to_shoe=True), to_shoe=True)

        self._time.after(LATENCY, arrive)


class CablePort:
    """The `Port` of one daemon."""

    name = "the virtual shoe"

    def __init__(self, cable: Cable, loop: DaemonLoop) -> None:
        self._cable = cable
        self._loop = loop

    def retry_delays(self) -> Iterator[float]:
        return every_half_second()

    async def open(self, on_bytes: OnBytes, on_lost: OnLost) -> "CableLine":
        if not self._cable.plugged:
            raise TransportError("there is no shoe on the cable; plug it in")
        line = CableLine(self._cable, self._loop, on_bytes, on_lost)
        # Neither callback may be called from inside `open`.
        self._loop.call_soon(self._cable.attach, line)
        return line


class CableLine:
    """The `Transport`."""

    def __init__(self, cable: Cable, loop: DaemonLoop, on_bytes: OnBytes, on_lost: OnLost) -> None:
        self._cable = cable
        self._loop = loop
        self._on_bytes = on_bytes
        self._on_lost = on_lost
        self.is_open = True

    def write(self, data: bytes) -> None:
        if self.is_open and self._loop.alive:
            self._cable.carry(self, data)

    async def close(self) -> None:
        self.is_open = False
        if self._loop.alive:
            self._cable.let_go(self)

    def arrive(self, data: bytes) -> None:
        self._loop.call_later(LATENCY, self._give, data)

    def _give(self, data: bytes) -> None:
        if self.is_open:
            self._on_bytes(data)

    def lose(self, why: str) -> None:
        def lost() -> None:
            if self.is_open:
                self.is_open = False
                self._on_lost(TransportError(why))

        self._loop.call_soon(lost)
