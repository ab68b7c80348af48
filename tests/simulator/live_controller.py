"""A controller in the event loop: the real transports and the real links, with a list for a journal."""

import asyncio
import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.events import AnyShoeEvent
from firmware_protocol.lines.cards_file import CardIds, read_cards_file
from firmware_protocol.lines.controller import LinesController
from firmware_protocol.link import ControllerLink, Delivery, DesiredShoe, LinkReport
from firmware_protocol.native.controller import NativeController
from shoe_controller.transports.reconnect import LineOpened, LineReport, Reconnector
from shoe_controller.transports.transport import Port
from simulator.decks import USUAL_DECKS
from simulator.reader_ids import cards_file
from simulator.shoe_line import Wire, WireSettings


def link_for(wire: WireSettings) -> ControllerLink:
    if wire.wire is Wire.ANGEL_EYE:
        return AngelEyeController()
    if wire.wire is Wire.LINES:
        decks = USUAL_DECKS
        return LinesController(
            cards=CardIds([read_cards_file(cards_file(decks, wire.ids), "emulated")]),
            pattern=wire.pattern,
            card_takes=0.0,
        )
    return NativeController(key=wire.key, insecure=wire.key is None, nonce=lambda: os.urandom(16))


class LiveController:
    def __init__(self, port: Port, wire: WireSettings) -> None:
        self.seen: list[AnyShoeEvent | LinkReport] = []
        self.link = link_for(wire)
        self._connected = False
        self._reconnector = Reconnector(port, self._line_changed, self._received)
        self._timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()

    def count(self, kind: type[object]) -> int:
        """How many events or reports of a kind it has seen."""
        return sum(isinstance(item, kind) for item in self.seen)

    async def until(self, condition: Callable[[], bool], *, within: float = 30.0) -> None:
        async with asyncio.timeout(within):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self.link.want(DesiredShoe(gate_locked=False), self._loop.time())
        self._task = asyncio.create_task(self._reconnector.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._timer is not None:
            self._timer.cancel()

    def _line_changed(self, report: LineReport) -> None:
        now = self._loop.time()
        if isinstance(report, LineOpened):
            self._connected = True
            self.link.connected(now)
            self._take([])
        elif self._connected:
            self._connected = False
            self._take(self.link.disconnected(now))

    def _received(self, data: bytes) -> None:
        self._take(self.link.receive(data, self._loop.time()))

    def _take(self, found: Sequence[Delivery | LinkReport]) -> None:
        for item in found:
            if isinstance(item, Delivery):
                self.link.committed(item, self._loop.time())
            self.seen.append(item.event if isinstance(item, Delivery) else item)
        self._changed.set()
        self._reconnector.write(self.link.to_send())
        deadline = self.link.next_deadline()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None:
            self._timer = self._loop.call_at(deadline, self._time_has_come)

    def _time_has_come(self) -> None:
        self._timer = None
        self._take(self.link.tick(self._loop.time()))
