"""One emulated shoe without its port: the shoe, its dealer, its faults and its line, all pure.

    emulation = Emulation(EmulationSettings(seed=7), now=0.0, truth=truth.append)
    emulation.host_attached(now)
    emulation.received(data, now)               # what the controller sent
    emulation.tick(now)                         # when emulation.next_deadline() has come
    for piece in emulation.to_send(now): ...    # each written separately
    emulation.take_port_orders()                # unplug and replug, which only the port can do

`emulator.py` puts a port and a clock around it; tests drive it on virtual time against the controller's links.
"""

import random

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import Button, StartCause
from simulator.dealer import HUMAN, Act, Dealer, Pace
from simulator.decks import Decks, exact_cards, shuffled_decks
from simulator.fault_effects import FaultEffects, PortOrder
from simulator.fault_plan import FaultPlan
from simulator.faults import FAULTS, Undetectable
from simulator.scenario import PlannedFault, planned
from simulator.shoe_line import WireSettings
from simulator.truth import TruthSink
from simulator.virtual_shoe import CannotError, VirtualShoe

ACTS_AT_A_TIME = 16
"""At full speed: acts of the dealer per tick, so that the line is served in between."""


_BUTTONS = {
    Act.ANNOUNCE: Button.NEW_SHOE,
    Act.RESULT: Button.RESULT,
    Act.END_BY_FORCE: Button.RESULT,
    Act.BURN_EXTRA: Button.BURN,
}


class EmulationSettings(msgspec.Struct, frozen=True, kw_only=True):
    wire: WireSettings = WireSettings()
    seed: int = 0
    decks: int = 8
    cards: tuple[Card, ...] | None = None
    """An exact list instead of shuffled decks; it is dealt to its end, once."""
    cut_card: int = 14
    """Cards behind the cut card; an exact list has none."""
    shoes: int | None = None
    """How many shoes the dealer deals; `None` for any number."""
    speed: float | None = 1.0
    """The dealer's speed as a multiple of a person's; `None` to deal by hand."""
    pace: Pace = HUMAN
    faults: tuple[PlannedFault, ...] = ()


class Emulation:
    def __init__(self, settings: EmulationSettings, *, now: float, truth: TruthSink) -> None:
        self.settings = settings
        # Cards, people, faults and the line have separate generators: more noise must not change the cards.
        self._cards_random = self._generator("cards")
        self.shoe = VirtualShoe(
            wire=settings.wire,
            decks=self._new_decks(),
            cut_card=settings.cut_card if settings.cards is None else None,
            generator=self._generator("line"),
            truth=truth,
            now=now,
        )
        self.effects = FaultEffects(self.shoe, self._generator("faults"), truth)
        self.plan = FaultPlan(self.shoe, self.effects, settings.faults, self._generator("chance"), now)
        self.dealer = Dealer(
            pace=settings.pace,
            speed=settings.speed or 1.0,
            shoes=1 if settings.cards is not None else settings.shoes,
            generator=self._generator("dealer"),
        )
        self.dealer_is_on = settings.speed is not None
        self.has_begun = False
        """A controller has been on the line: before that the dealer does not begin."""

    def _generator(self, name: str) -> random.Random:
        return random.Random(f"{name} {self.settings.seed}")  # noqa: S311 -- cards of an emulator, not a secret

    def _new_decks(self) -> Decks:
        settings = self.settings
        if settings.cards is not None:
            return exact_cards(settings.cards, self._cards_random)
        return shuffled_decks(settings.decks, self._cards_random)

    # --- the port ----------------------------------------------------------------------------------------------

    def take_port_orders(self) -> list[PortOrder]:
        """Return and clear what the owner of the port must do now."""
        orders = list(self.effects.port_orders)
        self.effects.port_orders.clear()
        return orders

    def host_attached(self, now: float) -> None:
        self.has_begun = True
        self.shoe.host_attached(now)
        self._settle(now)

    def host_detached(self, now: float) -> None:
        self.effects.from_shoe.clear()
        self.effects.from_host.clear()
        self.shoe.host_detached(now)
        self._settle(now)

    def received(self, data: bytes, now: float) -> None:
        self.effects.from_host.send(data, now)
        self._deliver_from_host(now)
        self._settle(now)

    def next_deadline(self) -> float | None:
        deadlines = (
            self.shoe.next_deadline(),
            self.dealer.next_deadline(),
            self.effects.next_deadline(),
            self.effects.from_shoe.next_deadline(),
            self.effects.from_host.next_deadline(),
        )
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    def tick(self, now: float) -> None:
        self.effects.tick(now)
        self._deliver_from_host(now)
        self.shoe.tick(now)
        # The gate may just have been locked.
        self._look(now)
        for _ in range(ACTS_AT_A_TIME):
            act = self.dealer.due(now)
            if act is None:
                break
            self._do(act, now)
            self._look(now)
        self._settle(now)

    def to_send(self, now: float) -> list[bytes]:
        return self.effects.from_shoe.due(now)

    def _deliver_from_host(self, now: float) -> None:
        for piece in self.effects.from_host.due(now):
            self.shoe.receive(piece, now)

    def _settle(self, now: float) -> None:
        """Called after every event: the shoe's output goes onto the line, and the dealer looks again."""
        data = self.shoe.line.to_send()
        if data:
            self.effects.stranger.overhear(data)
            self.plan.before_sending(now)
            self.effects.from_shoe.send(data, now)
        self.effects.record_line_faults(now)
        self._look(now)

    def _look(self, now: float) -> None:
        self.dealer.carries_over = self.effects.carries_over
        if self.dealer_is_on and self.has_begun:
            self.dealer.look(self.shoe, now)

    def _do(self, act: Act, now: float) -> None:
        shoe = self.shoe
        match act:
            case Act.DRAW | Act.BURN | Act.BEGIN:
                self.plan.draw(now)
            case Act.MEND | Act.CARRY_OVER:
                shoe.clear(now, carry_over=act is Act.CARRY_OVER)
            case Act.OPEN_LID | Act.CLOSE_LID:
                shoe.move_lid(now, opened=act is Act.OPEN_LID)
            case Act.NEW_CARDS:
                shoe.load(self._new_decks(), now)
            case _:
                shoe.press(_BUTTONS[act], now, held=act is Act.END_BY_FORCE)

    # --- people at the shoe; each act may be refused with a CannotError ----------------------------------------

    def draw(self, now: float) -> None:
        """Pull the next card."""
        try:
            self.plan.draw(now)
        finally:
            self._settle(now)

    def press(self, button: Button, now: float, *, held: bool = False) -> None:
        try:
            self.shoe.press(button, now, held=held)
        finally:
            self._settle(now)

    def clear(self, now: float, *, carry_over: bool = False) -> None:
        """Clear the shoe's faults; an extra card is burned, or kept for the next round."""
        try:
            self.shoe.clear(now, carry_over=carry_over)
        finally:
            self._settle(now)

    def new_cards(self, now: float) -> None:
        """Do a whole change of cards: lid, cards, lid, button."""
        self.shoe.move_lid(now, opened=True)
        self.shoe.load(self._new_decks(), now)
        self.shoe.move_lid(now, opened=False)
        self.press(Button.NEW_SHOE, now)

    def take_out_all(self, now: float) -> None:
        """Take all cards out by hand, as for counting them."""
        self.shoe.take_out_all(now)
        self._settle(now)

    def move_lid(self, now: float, *, opened: bool) -> None:
        self.shoe.move_lid(now, opened=opened)
        self._settle(now)

    def turn_gate_key(self, now: float) -> None:
        try:
            self.shoe.turn_gate_key(now)
        finally:
            self._settle(now)

    def reboot(self, now: float) -> None:
        self.effects.restart(StartCause.RESET_BUTTON, now)
        self._settle(now)

    def power_off(self, now: float) -> None:
        self.effects.power_off(now)
        self._settle(now)

    def power_on(self, now: float) -> None:
        self.effects.power_on(StartCause.POWER_ON, now)
        self._settle(now)

    def inject(self, fault: PlannedFault | str, now: float) -> None:
        """Inject a fault, now or as soon as it can happen."""
        if isinstance(fault, str):
            if fault not in FAULTS:
                raise CannotError(f"there is no fault {fault!r}; there are: {', '.join(FAULTS)}")
            fault = planned(fault)
        wire = self.settings.wire.wire
        detection = fault.kind.on(wire)
        if isinstance(detection, Undetectable):
            raise CannotError(f"the {wire.value} wire cannot express {fault.kind.name}: {detection.why}")
        self.plan.inject(fault, now)
        self._settle(now)

    def disarm(self) -> None:
        """Remove the injected faults that have not happened yet."""
        self.plan.disarm()

    def let_dealer(self, now: float, *, deal: bool, speed: float | None = None) -> None:
        """Let the virtual dealer deal, at this speed, or deal by hand."""
        self.dealer_is_on = deal
        self.dealer.rest()
        if speed is not None:
            self.dealer.speed = speed
        self._settle(now)
