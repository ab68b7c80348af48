"""The emulated shoe on a real port and a real clock, for programs and tests.

    async with EmulatedShoe(port=PtyPort("/tmp/shoe"), settings=EmulationSettings(seed=7)) as shoe:
        await shoe.until(lambda: shoe.emulation.shoe.cards_out >= 10, within=60)
        shoe.inject("misread")

A thin shell around `emulation.py`. It has one timer, however many cards it deals, and no task but for the short time
in which a cable is pulled or plugged in; hundreds of them live in one event loop.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from firmware_protocol.events import Button
from simulator.emulation import Emulation, EmulationSettings
from simulator.fault_effects import PortOrder
from simulator.ports.port import Port, PortError
from simulator.scenario import PlannedFault
from simulator.truth import AnyHappening, CableMoved, TruthSink


def _discard(_happening: AnyHappening) -> None:
    pass


class EmulatedShoe:
    """One shoe, plugged in while the `async with` block lasts. Impossible actions raise `CannotError`."""

    emulation: Emulation
    """The shoe itself, for reading: its cards, its gate, its dealer. Act through the methods here."""

    def __init__(self, *, port: Port, settings: EmulationSettings | None = None, truth: TruthSink = _discard) -> None:
        self.port = port
        self.on_change: Callable[[], None] | None = None
        """Called after anything has happened."""
        self.plugged_in = False
        self.trouble: PortError | None = None
        """Why the cable could not be plugged in again."""
        self._settings = settings or EmulationSettings()
        self._truth = truth
        self._held: list[AnyHappening] | None = []
        """Events before the port is open; if it never opens, none are reported."""
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._cable: asyncio.Task[None] | None = None
        self._orders: list[PortOrder] = []
        self._open = False

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self.emulation = Emulation(self._settings, now=self._loop.time(), truth=self._record)
        self._open = True
        try:
            await self.port.open(self)
        except BaseException:
            self._close()
            raise
        self.plugged_in = True
        try:
            self._release_held()
        except BaseException:
            self._close()
            await self.port.close()
            raise
        self._pump()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        try:
            if self._cable is not None:
                self._cable.cancel()
                await asyncio.gather(self._cable, return_exceptions=True)
        finally:
            await self.port.close()

    def _record(self, happening: AnyHappening) -> None:
        if self._held is None:
            self._truth(happening)
        else:
            self._held.append(happening)

    def _release_held(self) -> None:
        held, self._held = self._held, None
        for happening in held or ():
            self._truth(happening)

    def _close(self) -> None:
        self._open = False
        if self._timer is not None:
            self._timer.cancel()

    # --- people ------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        self.emulation.draw(self._now)
        self._pump()

    def press(self, button: Button, *, held: bool = False) -> None:
        self.emulation.press(button, self._now, held=held)
        self._pump()

    def clear(self, *, carry_over: bool = False) -> None:
        self.emulation.clear(self._now, carry_over=carry_over)
        self._pump()

    def new_cards(self) -> None:
        self.emulation.new_cards(self._now)
        self._pump()

    def take_out_all(self) -> None:
        self.emulation.take_out_all(self._now)
        self._pump()

    def move_lid(self, *, opened: bool) -> None:
        self.emulation.move_lid(self._now, opened=opened)
        self._pump()

    def turn_gate_key(self) -> None:
        self.emulation.turn_gate_key(self._now)
        self._pump()

    def inject(self, fault: PlannedFault | str) -> None:
        self.emulation.inject(fault, self._now)
        self._pump()

    def disarm(self) -> None:
        self.emulation.disarm()
        self._pump()

    def reboot(self) -> None:
        self.emulation.reboot(self._now)
        self._pump()

    def power_off(self) -> None:
        self.emulation.power_off(self._now)
        self._pump()

    def power_on(self) -> None:
        self.emulation.power_on(self._now)
        self._pump()

    def let_dealer(self, *, deal: bool, speed: float | None = None) -> None:
        self.emulation.let_dealer(self._now, deal=deal, speed=speed)
        self._pump()

    async def unplug(self) -> None:
        self._obey(PortOrder.UNPLUG)
        await self._cable_is_still()

    async def replug(self) -> None:
        """Plug in again; a `PortError` says what prevents it, and it may be tried again."""
        self._obey(PortOrder.REPLUG)
        await self._cable_is_still()
        if self.trouble is not None:
            raise self.trouble

    async def until(self, condition: Callable[[], bool], *, within: float = 10.0) -> None:
        """Wait until this is true; checked after every event. Raises `TimeoutError`."""
        async with asyncio.timeout(within):
            while not condition():
                change = self._loop.create_future()
                self._waiting.append(change)
                await change

    # --- the port ----------------------------------------------------------------------------------------------

    def host_attached(self) -> None:
        self.emulation.host_attached(self._now)
        self._pump()

    def host_detached(self) -> None:
        self.emulation.host_detached(self._now)
        self._pump()

    def received(self, data: bytes) -> None:
        self.emulation.received(data, self._now)
        self._pump()

    @property
    def _now(self) -> float:
        return self._loop.time()

    def _pump(self) -> None:
        """Called after every event: write what is due, obey the emulation's orders, set the timer, wake waiters."""
        if not self._open:
            return
        for piece in self.emulation.to_send(self._now):
            self.port.write(piece)
        for order in self.emulation.take_port_orders():
            self._obey(order)
        self._set_timer()
        self._changed()

    def _set_timer(self) -> None:
        """Set the one timer. A timer that is too early is left: it finds nothing to do and is set again."""
        deadline = self.emulation.next_deadline()
        if deadline is None or (self._timer is not None and self._timer.when() <= deadline):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(deadline, self._time_has_come)

    def _time_has_come(self) -> None:
        self._timer = None
        self.emulation.tick(self._now)
        self._pump()

    def _changed(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)
        if self.on_change is not None:
            self.on_change()

    # --- the cable ---------------------------------------------------------------------------------------------

    def _obey(self, order: PortOrder) -> None:
        self._orders.append(order)
        if self._cable is None:
            self._cable = self._loop.create_task(self._handle_cable())

    async def _handle_cable(self) -> None:
        try:
            while self._orders:
                if self._orders.pop(0) is PortOrder.UNPLUG:
                    self.plugged_in = False
                    self._cable_moved()
                    await self.port.unplug()
                else:
                    await self._plug_in()
        finally:
            self._cable = None
            self._changed()

    async def _plug_in(self) -> None:
        self.trouble = None
        try:
            await self.port.replug()
        except PortError as error:
            self.trouble = error
        else:
            self.plugged_in = True
            self._cable_moved()

    def _cable_moved(self) -> None:
        at = self.emulation.shoe.time_of(self._now)
        self._record(CableMoved(t=at, plugged_in=self.plugged_in))

    async def _cable_is_still(self) -> None:
        if self._cable is not None:
            await asyncio.shield(self._cable)
