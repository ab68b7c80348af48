"""An emulated shoe in the test's own loop, dealt by hand, so that something can be done to it at an exact moment.

The person at the shoe does what a dealer does next, one thing at a time, and waits until the table has taken it. He
leaves the shoe alone while its gate is locked, and sets right what the shoe complains about.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.events import Button
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.firmware import Stage
from simulator.ports.pty import PtyPort
from simulator.scenario import planned
from simulator.shoe_line import Wire, WireSettings
from simulator.truth import AnyHappening, CardOut
from simulator.virtual_shoe import CannotError
from tests.daemon.harness import Chain
from tests.daemon.house_file import SHOE_KEY
from tests.torture.sitting import Sitting

PATIENCE = 30.0


class HandShoe:
    def __init__(self, shoe: EmulatedShoe, truth: list[AnyHappening]) -> None:
        self.shoe = shoe
        self.truth = truth

    @property
    def stage(self) -> Stage:
        return self.shoe.emulation.shoe.firmware.stage

    @property
    def cards_out(self) -> int:
        return sum(isinstance(happening, CardOut) for happening in self.truth)

    @property
    def line_is_free(self) -> bool:
        """Everything that the shoe has to send has gone out; where the wire confirms, it was confirmed."""
        line = self.shoe.emulation.shoe.line
        return not line.store.events and line.has_room

    def inject(self, fault: str, seconds: float | None = None) -> None:
        """Let something go wrong now, for so long."""
        plan = planned(fault)
        self.shoe.inject(plan if seconds is None else msgspec.structs.replace(plan, seconds=seconds))

    def step(self) -> None:
        """Do what a dealer does next; a `CannotError` while the gate is locked or the power is off."""
        shoe = self.shoe.emulation.shoe
        firmware = shoe.firmware
        if not shoe.announced:
            self.shoe.press(Button.NEW_SHOE)
        elif firmware.standing:
            self.shoe.clear()
        elif firmware.spoilt:
            self.shoe.press(Button.RESULT, held=True)
        elif firmware.stage is Stage.COMPLETE:
            self.shoe.press(Button.RESULT)
        else:
            self.shoe.draw()

    async def try_to_step(self) -> bool:
        """Do the next thing if it can be done now; whether it could."""
        try:
            self.step()
        except CannotError:
            await asyncio.sleep(0.01)
            return False
        return True


@asynccontextmanager
async def hand_shoe(chain: Chain, *, seed: int, disclosing: Disclosing | None = None) -> AsyncIterator[HandShoe]:
    """At the chain's own port, with the key that the chain has."""
    native = chain.wire == "native"
    wire = WireSettings(
        wire=Wire.NATIVE if native else Wire.ANGEL_EYE,
        key=SHOE_KEY if chain.key_file is not None else None,
        disclosing=disclosing or (Disclosing.AT_DRAW if native else Disclosing.AT_RESULT),
        spacing=0.03,
    )
    truth: list[AnyHappening] = []
    settings = EmulationSettings(wire=wire, seed=seed, speed=None, shoes=1)
    async with EmulatedShoe(port=PtyPort(chain.shoe_port), settings=settings, truth=truth.append) as shoe:
        yield HandShoe(shoe, truth)


async def deal(hand: HandShoe, table: Sitting, condition: Callable[[], bool]) -> None:
    """Do one thing after another, each when the table has taken the one before, until this is so.

    Before the first card of a round the dealer waits for the players, however slowly they hear of it.
    """
    for _ in range(3000):
        await table.chain.becomes(lambda: hand.line_is_free, PATIENCE, what="the table to store what the shoe sent")
        if hand.stage is Stage.READY and hand.shoe.emulation.shoe.why_no_card is None:
            await table.display.is_up_to_date(PATIENCE)
            await table.players.have_bet(PATIENCE)
        if condition():
            return
        await hand.try_to_step()
    raise AssertionError(f"the table does not go on: {table.display.state}")


async def all_told(hand: HandShoe, table: Sitting) -> None:
    """Wait until the subscriber has received everything that the shoe reported."""
    await table.chain.becomes(lambda: hand.line_is_free, PATIENCE, what="the table to store what the shoe sent")
    await table.display.until(
        lambda: table.display.state and table.display.state.cards_out == hand.cards_out, PATIENCE, what="every card"
    )
    table.players.repeat()
    await table.players.all_answered(PATIENCE)
    await table.display.has_everything()
