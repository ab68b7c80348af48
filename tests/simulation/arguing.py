"""What people at a table argue about: rounds noted, disputed and put right by hand, and commission that is owed.

Nothing has gone wrong for it; players leave, forget, and remember otherwise.
"""

import random
from typing import NamedTuple

from shoe_controller.messages.acts import Role
from shoe_controller.messages.retained import TableView
from tests.simulation.houses import SEATS

CLOSES, WAIVES, COLLECTS, UNDOES, ARGUES = 0.06, 0.08, 0.16, 0.17, 0.94
"""At each look at the display: below and above which number of chance something is done."""


class Whim(NamedTuple):
    role: Role
    act: str
    details: dict[str, object]


def whim(view: TableView, chance: random.Random) -> Whim | None:
    """What somebody wants at this moment, if anything."""
    roll = chance.random()
    if view.disputes and roll < CLOSES:
        return Whim(Role.SUPERVISOR, "close_dispute", {"dispute": chance.choice(view.disputes).number})
    if view.commission and roll < UNDOES:
        return _about_commission(view, chance, roll)
    return _about_round(view, chance) if roll > ARGUES and view.shoe else None


def _about_commission(view: TableView, chance: random.Random, roll: float) -> Whim | None:
    due = chance.choice(view.commission)
    details: dict[str, object] = {"seat": due.seat, "shoe": chance.choice([None, None, due.shoe])}
    if roll < WAIVES:
        return Whim(Role.SUPERVISOR, "waive_commission", details)
    if roll < COLLECTS:
        return Whim(Role.DEALER, "collect_commission", details)
    may_undo = view.last_outcome is not None and view.phase in ("betting", "ended") and not view.alerts
    return Whim(Role.SUPERVISOR, "undo_last_result", {}) if may_undo else None


def _about_round(view: TableView, chance: random.Random) -> Whim:
    earlier: dict[str, object] = {"shoe": view.shoe, "round": chance.randint(1, max(1, view.round))}
    which: dict[str, object] = chance.choice([{}, earlier, {"round": view.round + 1}])
    seat = chance.choice([*SEATS, "99"])
    return chance.choice(
        [
            Whim(Role.SUPERVISOR, "note", which),
            Whim(Role.DEALER, "note", {}),
            Whim(Role.SUPERVISOR, "open_dispute", {**which, "seat": chance.choice([None, seat])}),
            Whim(Role.SUPERVISOR, "open_dispute", {**earlier, "seat": None}),
            Whim(Role.SUPERVISOR, "adjust", {**which, "seat": seat, "amount": chance.choice([-50, 0, 120])}),
        ]
    )
