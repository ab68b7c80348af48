"""What a seed means: all of it is drawn here, and two of three take aim (`aims.py`)."""

import random

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.messages.procedure import BetsClose, Reveal
from shoe_controller.table.procedure import GateLocks, OverDrawn, Procedure
from simulator.shoe_line import Wire
from tests.simulation.aims import aimed
from tests.simulation.houses import house_of
from tests.simulation.mishaps import AROUND, possible
from tests.simulation.plan import DOWN, Mishap, Plan

MOMENTS = ("shoe_opened", "shoe_ended", "betting_closed", DOWN)
"""Facts that begin a short phase, and the end of the daemon: so that these are met often enough."""

IN_EVERY_TEST = 200
"""So many seeds are run with every `make test`."""

HOW_MANY = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6, 9)
"""Mishaps of one seed, each as likely as it is often here."""


def plan_of(seed: int) -> Plan:
    """All that this seed decides."""
    return aimed(_drawn(seed))


def _drawn(seed: int) -> Plan:
    chance = random.Random(f"plan {seed}")  # noqa: S311 - the same every time
    wire = Wire.ANGEL_EYE if chance.random() < 0.3 else Wire.NATIVE
    rounds = chance.randint(2, 4)
    names = [*possible(wire), *AROUND]
    mishaps = sorted(
        (_mishap(chance, chance.choice(names)) for _ in range(chance.choice(HOW_MANY))), key=lambda each: each.entry
    )
    moment = chance.choice([None, None, None, *MOMENTS])
    cut_card_after = chance.randint(12, 40) if chance.random() < 0.25 else None
    if moment is not None:
        mishaps.append(_mishap(chance, chance.choice(names))._replace(after=moment, delay=chance.choice([0.0, 0.3])))
        if moment == DOWN:
            mishaps.insert(0, _mishap(chance, "daemon_killed"))
        cut_card_after = chance.randint(12, 30) if moment == "shoe_ended" else cut_card_after
    disclosing = chance.choice([Disclosing.AT_DRAW, Disclosing.AT_DRAW, Disclosing.AT_RESULT])
    return Plan(
        seed=seed,
        house=house_of(seed),
        wire=wire,
        disclosing=disclosing,
        procedure=Procedure(
            bets_close=chance.choice([BetsClose.FIRST_CARD, BetsClose.FIRST_CARD, BetsClose.DEALER]),
            reveal=chance.choice([Reveal.AT_DRAW, Reveal.AT_DRAW, Reveal.BY_DEALER, Reveal.AT_RESULT]),
            over_drawn=chance.choice(list(OverDrawn)),
            gate_locks=chance.choice(
                [GateLocks.WHEN_NO_CARD_IS_DUE, GateLocks.WHEN_NO_CARD_IS_DUE, GateLocks.WHEN_STOPPED]
            ),
            draw_within=chance.choice([None, 60.0, 120.0]),
        ),
        rounds=rounds,
        cut_card_after=cut_card_after,
        speed=chance.choice([1.5, 3.0, 3.0, 8.0]),
        sync_seconds=chance.choice([0.0005, 0.004, 0.012]),
        undoes=chance.random() < 0.1,
        mishaps=tuple(mishaps),
    )


def _mishap(chance: random.Random, name: str) -> Mishap:
    return Mishap(
        name=name,
        entry=chance.choice([chance.randint(1, 20), chance.randint(8, 60), chance.randint(8, 60)]),
        delay=chance.choice([0.0, chance.uniform(0, 0.02), chance.uniform(0, 3.0)]),
        seconds=chance.uniform(0.5, 12.0),
        number=chance.randrange(1 << 30),
    )
