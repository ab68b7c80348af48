"""Tables with a reader that sends ids: which seeds have one, and the dealer who goes by the display instead of a gate.

Apart from all else, so that every other seed means what it meant before there was such a wire.
"""

import random

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Remainder, Reveal
from shoe_controller.table.desired_shoe import desired_shoe
from shoe_controller.table.procedure import GateLocks
from simulator.shoe_line import Wire
from tests.simulation.cable import Cable
from tests.simulation.machine import Machine
from tests.simulation.mishaps import AROUND, possible
from tests.simulation.plan import Plan

EVERY, WHICH = 27, 18
"""Of so many seeds this one: it is none that aims, and none that finds a bug put in on purpose."""

UNSEEN = ("silence", "forged_frame", "replayed_frame", "frames_swapped")
"""Nothing on this wire shows these, at no table: PROTOCOL.md says so."""
NOBODY_CAN_TELL = ("bytes_lost", "bytes_corrupted", "bytes_doubled")
"""A damaged line stops the round as a card that was not read, also where it was two cards or none: the observer cannot
know which card it is about. `tests/firmware_protocol/lines` has all of these."""
NOT_THERE = ("commands_swapped", "early_new_shoe", "shoe_exchanged")
"""A reader takes no commands and has no buttons."""


LOOKS_LIKE = {"ninth_copy": "foreign_card"}
"""What a reader cannot tell from something else: no file has the id."""


def has_reader(seed: int) -> bool:
    return seed % EVERY == WHICH


def with_reader(plan: Plan) -> Plan:
    """The plan with a reader of ids, and mishaps that can befall it."""
    chance = random.Random(f"reader {plan.seed}")  # noqa: S311 - the same every time
    names = [name for name in (*possible(Wire.LINES), *AROUND) if name not in (*UNSEEN, *NOBODY_CAN_TELL, *NOT_THERE)]
    mishaps = tuple(
        mishap._replace(name=chance.choice(names)) if mishap.name not in names else mishap for mishap in plan.mishaps
    )
    return plan._replace(
        wire=Wire.LINES,
        disclosing=Disclosing.AT_DRAW,
        # The dealer sees on the display when a round is complete; what is left in the shoe is not run through a reader.
        procedure=msgspec.structs.replace(
            plan.procedure,
            gate_locks=GateLocks.WHEN_NO_CARD_IS_DUE,
            reveal=Reveal.AT_DRAW,
            remainder=Remainder.NOT_COUNTED,
        ),
        mishaps=mishaps,
        # A reader has no button for a new shoe: the dealer of the simulation would deal it into the old one.
        cut_card_after=None,
    )


class DealerAtDisplay:
    """Lets the dealer draw when the display says so, as if a gate were locked while it does not."""

    def __init__(self, machine: Machine, cable: Cable) -> None:
        self._machine = machine
        self._cable = cable
        self.look()

    def look(self) -> None:
        shoe = self._cable.emulation.shoe
        if shoe.powered and shoe.gate_locked is not self._must_wait():
            self._cable.do(self._cable.emulation.turn_gate_key)

    def _must_wait(self) -> bool:
        daemon = self._machine.daemon
        if daemon is None:
            return True
        lasting = daemon.state.lasting
        if lasting.hand_entry:
            return False
        if daemon.state.phase in (Phase.NO_SHOE, Phase.ENDED):
            return daemon.state.shoe is None or daemon.state.shoe.run_out is None
        return not lasting.link.up or bool(desired_shoe(daemon.state).gate_locked)
