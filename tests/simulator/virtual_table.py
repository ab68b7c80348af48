"""An emulated shoe and a controller's link on one line, in one process and on virtual time.

    table = VirtualTable(EmulationSettings(...))
    table.run_until(lambda: table.emulation.dealer.finished)

The table plays the port too: it pulls the cable when the emulation orders it. Everything that the controller got, in
order, is in `seen`; what the line carried, with its times, in `traffic`; what really happened, in `truth`.
"""

import heapq
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.events import AnyShoeEvent
from firmware_protocol.lines.cards_file import CardIds, read_cards_file
from firmware_protocol.lines.controller import LinesController
from firmware_protocol.link import ControllerLink, Delivery, DesiredShoe, LinkReport
from firmware_protocol.native.controller import NativeController
from simulator.emulation import Emulation, EmulationSettings
from simulator.fault_effects import PortOrder
from simulator.reader_ids import cards_file
from simulator.shoe_line import Wire
from simulator.truth import AnyHappening, CardOut, FaultInjected

LATENCY = 0.002
KEY = bytes(range(100, 132))


class Carried(NamedTuple):
    """A piece of bytes on the line, when it arrived, and who had sent it."""

    t: float
    sender: str
    data: bytes


def controller_for(settings: EmulationSettings) -> ControllerLink:
    """The controller's end of this emulation's line; its nonces come from the seed as well."""
    wire = settings.wire
    if wire.wire is Wire.ANGEL_EYE:
        return AngelEyeController()
    if wire.wire is Wire.LINES:
        decks = settings.decks
        return LinesController(
            cards=CardIds([read_cards_file(cards_file(decks, wire.ids), "emulated")]),
            pattern=wire.pattern,
            card_takes=0.0,
        )
    nonces = random.Random(f"controller {settings.seed}")  # noqa: S311 -- a test that must repeat itself
    return NativeController(key=wire.key, insecure=wire.key is None, nonce=lambda: nonces.randbytes(16))


class VirtualTable:
    def __init__(self, settings: EmulationSettings, *, attached: bool = True) -> None:
        self.now = 0.0
        self.truth: list[AnyHappening] = []
        self.seen: list[AnyShoeEvent | LinkReport] = []
        self.traffic: list[Carried] = []
        self.seen_before_fault = 0
        """How many things the controller had seen when the last fault was injected."""
        self.emulation = Emulation(settings, now=self.now, truth=self._tell)
        self.controller: ControllerLink = controller_for(settings)
        self._arriving: list[tuple[float, int, str, bytes]] = []
        self._count = 0
        self.plugged = False
        self.controller.want(DesiredShoe(gate_locked=False), self.now)
        if attached:
            self.plug_in()

    def _tell(self, happening: AnyHappening) -> None:
        self.truth.append(happening)
        if isinstance(happening, FaultInjected):
            self.seen_before_fault = len(self.seen)

    def plug_in(self) -> None:
        self.plugged = True
        self.controller.connected(self.now)
        self.emulation.host_attached(self.now)

    def pull_out(self) -> None:
        self.plugged = False
        self._arriving.clear()
        self.emulation.host_detached(self.now)
        self._take(self.controller.disconnected(self.now))

    def replace_controller(self, link: ControllerLink) -> None:
        """Another controller takes over the line."""
        self.pull_out()
        self.controller = link
        self.plug_in()

    # --- time --------------------------------------------------------------------------------------------------

    def run_until(self, condition: Callable[[], bool], within: float = 100_000.0) -> None:
        end = self.now + within
        while not condition():
            assert self._step(end), f"not within {within} s: {self.truth[-5:]}"

    def run_for(self, seconds: float) -> None:
        end = self.now + seconds
        while self._step(end):
            pass
        self.now = end

    def _step(self, end: float) -> bool:
        self._exchange()
        moments = [self.emulation.next_deadline(), self.controller.next_deadline()]
        if self._arriving:
            moments.append(self._arriving[0][0])
        next_moment = min((moment for moment in moments if moment is not None), default=end)
        if next_moment >= end:
            return False
        self.now = max(self.now, next_moment)
        while self._arriving and self._arriving[0][0] <= self.now:
            _, _, sender, data = heapq.heappop(self._arriving)
            self._arrive(sender, data)
        self.emulation.tick(self.now)
        self._take(self.controller.tick(self.now))
        return True

    def _exchange(self) -> None:
        for order in self.emulation.take_port_orders():
            if order is PortOrder.UNPLUG and self.plugged:
                self.pull_out()
            elif order is PortOrder.REPLUG and not self.plugged:
                self.plug_in()
        pieces = [("shoe", piece) for piece in self.emulation.to_send(self.now)]
        pieces.append(("host", self.controller.to_send()))
        for sender, piece in pieces:
            if piece and self.plugged:
                self._count += 1
                heapq.heappush(self._arriving, (self.now + LATENCY, self._count, sender, piece))

    def _arrive(self, sender: str, data: bytes) -> None:
        self.traffic.append(Carried(round(self.now, 6), sender, data))
        if sender == "shoe":
            self._take(self.controller.receive(data, self.now))
        else:
            self.emulation.received(data, self.now)

    def _take(self, found: Sequence[Delivery | LinkReport]) -> None:
        for item in found:
            if isinstance(item, Delivery):
                self.controller.committed(item, self.now)
                self.seen.append(item.event)
            else:
                self.seen.append(item)

    # --- what came of it ---------------------------------------------------------------------------------------

    def seen_plainly(self) -> list[dict[str, Any]]:
        return [msgspec.to_builtins(item) for item in self.seen]

    def cards_out(self) -> list[CardOut]:
        return [happening for happening in self.truth if isinstance(happening, CardOut)]
