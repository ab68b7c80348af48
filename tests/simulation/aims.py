"""Two seeds of three aim at one cell of the table of mishaps and phases, so that none stays empty by chance.

A mishap waits for its phase. Where the shoe must be ahead of the table for it, the line falls silent first; and the
house deals in the way in which that phase lasts long enough.
"""

import random
from functools import cache
from typing import Any

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.procedure import GateLocks
from simulator.faults import FAULTS, Moment
from simulator.shoe_line import Wire
from tests.simulation.mishaps import AROUND, DOWN_PHASE, SHOE_FAULTS, SWAPS, possible, why_never
from tests.simulation.plan import Mishap, Plan

PHASES = (*(phase.value for phase in Phase), DOWN_PHASE)

IN_STEP = {
    Moment.NEXT_CARD: ("betting", "closed", "dealing"),
    Moment.MID_ROUND: ("dealing",),
    Moment.ROUND_COMPLETE: ("complete",),
}
"""Faults that wait for the shoe: where the table stands when it is as far. Elsewhere the shoe is ahead of it."""
SILENT = 40.0
"""Seconds in which a quick dealer deals a round, and changes the cards, without the table."""
QUICK = 40.0
"""Times as fast as a person: a shoe that receives nothing locks its gate after three seconds."""
UNHURRIED = 8.0
LINKED = 0.03
"""Seconds after a start: the shoe knows what the table desires, or no card comes out, and nobody has given it cards."""
FROM_SHOE = 1
"""A number with which the silence is on the way from the shoe."""


MEDDLING = [("unasked_acts", phase) for phase in ("dealing", "complete") for _ in range(8)]
"""There are many acts, and those with cards on the table matter most."""


def is_ahead(name: str, phase: str) -> bool:
    """Whether the shoe must be ahead of the table for this."""
    moment = FAULTS[name].moment if name in FAULTS else None
    return moment in IN_STEP and phase not in IN_STEP[moment]


@cache
def cells() -> list[tuple[str, str]]:
    """All that can be met, in an order in which neighbours have nothing in common.

    Where the shoe must be ahead, and where two messages must follow each other, a shot may miss: there are two.
    """
    found = [(name, phase) for name in (*SHOE_FAULTS, *AROUND) for phase in PHASES if why_never(name, phase) is None]
    found += [cell for cell in found if is_ahead(*cell)]
    random.Random("cells").shuffle(found)  # noqa: S311 - the same every time
    found += [cell for cell in found if cell[0] in SWAPS]
    return found + MEDDLING


def aimed(plan: Plan) -> Plan:
    """The plan of this seed with its aim; every third seed has none."""
    thirds, rest = divmod(plan.seed, 3)
    if rest == 0:
        return plan
    name, phase = cells()[(2 * thirds + rest - 1) % len(cells())]
    return aim_at(plan, name, phase)


def aim_at(plan: Plan, name: str, phase: str) -> Plan:
    chance = random.Random(f"aim {plan.seed}")  # noqa: S311 - the same every time
    ahead = is_ahead(name, phase)
    mishap = Mishap(
        name=name,
        entry=0,
        delay=0.001 if ahead else chance.choice([0.0, 0.001]),
        seconds=chance.uniform(0.5, 12.0),
        number=chance.randrange(1 << 30),
        phase=phase,
    )
    before: list[Mishap] = []
    procedure: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    if phase == DOWN_PHASE:
        where = chance.choice(["betting", "dealing"])
        before = [mishap._replace(name="daemon_killed", delay=chance.uniform(0.0, 0.02), seconds=SILENT, phase=where)]
    elif ahead:
        delay = LINKED if phase == "no_shoe" else 0.0
        before = [mishap._replace(name="silence", delay=delay, seconds=SILENT, number=FROM_SHOE)]
    if ahead:
        # When a round is complete, the result must not be on its way already.
        speed = UNHURRIED if phase == "complete" else QUICK
        changes |= {"wire": Wire.NATIVE, "speed": speed, "sync_seconds": 0.0005}
        procedure["gate_locks"] = GateLocks.WHEN_STOPPED
    if name not in AROUND and name not in possible(plan.wire):
        changes["wire"] = Wire.NATIVE
    if phase == "closed":
        # The gate is locked until the wagers are closed, so that no card comes before.
        procedure |= {"bets_close": BetsClose.DEALER, "gate_locks": GateLocks.WHEN_NO_CARD_IS_DUE}
    if phase == "ended":
        changes |= {"cut_card_after": chance.randint(12, 20), "rounds": 7}
    if phase == "first_card" or name == "commands_swapped":
        # The other wire does not tell of a shoe before its first card, and has few commands.
        changes["wire"] = Wire.NATIVE
    if phase == "complete":
        # The table knows that a round is complete before the result comes, and the gate stays open.
        changes["disclosing"] = Disclosing.AT_DRAW
        procedure |= {"reveal": Reveal.AT_DRAW, "gate_locks": GateLocks.WHEN_STOPPED}
    # Others might keep a shoe from its end until the plan is over.
    others = 0 if phase == "ended" else chance.choice([0, 0, 0, 1, 3])
    return plan._replace(
        mishaps=(*before, mishap, *plan.mishaps[:others]),
        procedure=msgspec.structs.replace(plan.procedure, **procedure),
        **changes,
    )
