"""What a seed means: all of it is drawn here, and two of three take aim (`aims.py`)."""

import random
from typing import Any

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, Reveal, ShownCard
from shoe_controller.table.procedure import FinishedRound, GateLocks, OverDrawn, Procedure
from simulator.reckoner.settlement import MARKED
from simulator.shoe_line import Wire
from tests.simulation.aims import FROM_SHOE, aimed
from tests.simulation.houses import house_of
from tests.simulation.mishaps import AROUND, possible
from tests.simulation.plan import CORRECTING, COUNTING, DOWN, Mishap, Plan
from tests.simulation.reader import has_reader, with_reader
from tests.simulation.wiping import has_wiped_shoe, with_wiped_shoe

MOMENTS = ("shoe_opened", "shoe_ended", "betting_closed", DOWN)
"""Facts that begin a short phase, and the end of the daemon: so that these are met often enough."""

IN_EVERY_TEST = 100
"""So many seeds are run with every `make test`."""

HOW_MANY = (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 6, 9)
"""Mishaps of one seed, each as likely as it is often here."""


OFTEN = ("over_draw_burned", "over_draw_carried_over", "over_draw_carried_over")
"""Mishaps that are drawn more often than others: of a card too many there is most to decide."""


def plan_of(seed: int) -> Plan:
    """All that this seed decides."""
    plan = _plan_of(seed)
    if has_wiped_shoe(seed):
        return with_wiped_shoe(plan)
    return with_reader(plan) if has_reader(seed) else plan


def _plan_of(seed: int) -> Plan:
    plan = aimed(_drawn(seed))._replace(counts=seed % COUNTING == COUNTING - 2)
    if seed % CORRECTING == 1:
        plan = plan._replace(misnames=True)
        if not any(mishap.phase == "closed" for mishap in plan.mishaps):
            # The gate stays open when the table takes a round for complete.
            plan = plan._replace(procedure=msgspec.structs.replace(plan.procedure, gate_locks=GateLocks.WHEN_STOPPED))
    if not plan.corrects:
        return plan
    if seed % 3:
        # What was marked changes with the wagers and the winner.
        plan = plan._replace(house=plan.house._replace(game="commission", commission_taken=MARKED), argues=True)
    if seed % 2:
        two = msgspec.structs.replace(plan.procedure, finished_round=FinishedRound.TWO_SUPERVISORS)
        plan = plan._replace(procedure=two)
    # Wagers that are closed by hand are never late.
    aims_at_closed = any(mishap.phase == "closed" for mishap in plan.mishaps)
    return _with_late_wagers(plan) if seed % 4 == 0 and not aims_at_closed else plan


def _with_late_wagers(plan: Plan) -> Plan:
    """While seats change their wagers, the line is silent: the first card may have left before it is heard of."""
    chance = random.Random(f"late {plan.seed}")  # noqa: S311 - the same every time
    silences = tuple(
        Mishap(name="silence", entry=0, delay=chance.uniform(0, 7), seconds=2.0, number=FROM_SHOE, phase="betting")
        for _ in range(3)
    )
    gate = msgspec.structs.replace(plan.procedure, bets_close=BetsClose.FIRST_CARD)
    return plan._replace(wire=Wire.NATIVE, procedure=gate, mishaps=(*plan.mishaps, *silences))


def _duty(seed: int) -> dict[str, Any]:
    """Whether dealers sign in, and burn a card when they take over; drawn apart, so that all else stays as it is."""
    chance = random.Random(f"duty {seed}")  # noqa: S311 - the same every time
    signs_in = chance.random() < 0.4
    burns = signs_in and chance.random() < 0.6
    remainder = Remainder.COUNTED if chance.random() < 0.5 else Remainder.NOT_COUNTED
    return {"dealer_signs_in": signs_in, "new_dealer_burns": burns, "remainder": remainder}


def _cards(seed: int) -> dict[str, Any]:
    """What becomes of cards that were seen or may not be used; drawn apart, so that all else stays as it is."""
    chance = random.Random(f"cards {seed}")  # noqa: S311 - the same every time
    return {"shown_card": chance.choice(list(ShownCard)), "discarded_card": chance.choice(list(DiscardedCard))}


def _drawn(seed: int) -> Plan:
    chance = random.Random(f"plan {seed}")  # noqa: S311 - the same every time
    wire = Wire.ANGEL_EYE if chance.random() < 0.3 else Wire.NATIVE
    rounds = chance.randint(2, 4)
    names = [*possible(wire), *AROUND, *OFTEN]
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
    house = house_of(seed)
    disclosing = chance.choice([Disclosing.AT_DRAW, Disclosing.AT_DRAW, Disclosing.AT_RESULT])
    return Plan(
        seed=seed,
        house=house,
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
            **_duty(seed),
            **_cards(seed),
        ),
        rounds=rounds,
        cut_card_after=cut_card_after,
        speed=chance.choice([1.5, 3.0, 3.0, 8.0]),
        sync_seconds=chance.choice([0.0005, 0.004, 0.012]),
        undoes=chance.random() < 0.1,
        mishaps=tuple(mishaps),
        argues=chance.random() < (0.6 if house.commission_taken == MARKED else 0.2),
    )


def _mishap(chance: random.Random, name: str) -> Mishap:
    return Mishap(
        name=name,
        entry=chance.choice([chance.randint(1, 20), chance.randint(8, 60), chance.randint(8, 60)]),
        delay=chance.choice([0.0, chance.uniform(0, 0.02), chance.uniform(0, 3.0)]),
        seconds=chance.uniform(0.5, 12.0),
        number=chance.randrange(1 << 30),
    )
