"""Shoes that lose their event store: which seeds have one, what is lost with it, and what a shoe may delete.

Apart from all else, as `reader.py`, so that every other seed means what it meant before.
"""

import random

import msgspec

from firmware_protocol.events import Button
from firmware_protocol.native.event_layouts import cards_leaving
from firmware_protocol.native.store import StoredEvent
from simulator.emulation import Emulation
from simulator.reckoner.mismatch import Json, MismatchError
from simulator.shoe_line import Wire
from tests.simulation.mishaps import NEW_JOURNAL, WIPED
from tests.simulation.plan import Mishap, Plan

EVERY, WHICH = 27, 24
"""Of so many seeds this one: it is none that aims, and none that finds a bug put in on purpose."""

NOT_BESIDE = NEW_JOURNAL | {"reader_dead", "shoe_exchanged"}
"""What is lost with the store is not told apart from what these lose."""
MOST_BESIDE = 3
AROUND_IT = ("daemon_killed", "killed_after_commit", "unplug", "slow_disk", "power_loss", "silence")


def has_wiped_shoe(seed: int) -> bool:
    return seed % EVERY == WHICH


def with_wiped_shoe(plan: Plan) -> Plan:
    """The plan with a native shoe that loses its store, and at times something beside it."""
    chance = random.Random(f"wiped {plan.seed}")  # noqa: S311 - the same every time
    wiped = Mishap(
        name=WIPED,
        entry=chance.randint(8, 70),
        delay=chance.choice([0.0, chance.uniform(0, 0.02), chance.uniform(0, 3.0)]),
        seconds=chance.uniform(0.5, 12.0),
        number=chance.randrange(1 << 30),
    )
    beside = [mishap for mishap in plan.mishaps if mishap.name not in NOT_BESIDE][
        : chance.choice([0, 0, 1, MOST_BESIDE])
    ]
    if chance.random() < 0.5:
        entry = wiped.entry + chance.randint(0, 12)
        beside.append(wiped._replace(name=chance.choice(AROUND_IT), entry=entry, seconds=chance.uniform(0.5, 6.0)))
    mishaps = sorted([*beside, wiped], key=lambda each: each.entry)
    return plan._replace(wire=Wire.NATIVE, mishaps=tuple(mishaps))


def wipe(emulation: Emulation, number: int, now: float) -> int:
    """Take the power, and with it the store; how many cards are lost that were not acknowledged.

    A shoe of three has a random source, one counts power-ups and sessions in the store, one its power-ups alone.
    """
    line = emulation.shoe.line
    lost = sum(cards_leaving(stored.event) for stored in line.store.events)
    emulation.power_off(now)
    line.lose_store(keeps_total=number % 4 == 0, boot_id_repeats=number % 3 != 0, nonces_repeat=number % 3 == 1)
    return lost


def start_again(emulation: Emulation, number: int, before: int, now: float) -> None:
    """The power is back. At every second shoe a person presses a button until it has counted as far as before."""
    if emulation.shoe.powered:
        return
    emulation.power_on(now)
    if number // 12 % 2:
        while emulation.shoe.line.store.next_sequence < before + 2:
            emulation.press(Button.CALL_SUPERVISOR, now)


class Deletions:
    """What the shoe deletes, which must be in a journal: nothing else may be acknowledged."""

    def __init__(self, emulation: Emulation) -> None:
        self._line = emulation.shoe.line
        self._store = self._line.store
        self._held: list[StoredEvent] = []
        self._in_journal: set[tuple[int, int, bytes]] = set()

    def stored(self, report: Json) -> None:
        """A report of the shoe is on the disk."""
        event = report["event"]
        event = event["what"] if event["event"] == "came_again" else event
        self._in_journal.add((report["boot_id"], report["sequence"], _content(event)))

    def look(self) -> None:
        store = self._line.store
        if store is not self._store:
            self._store, self._held = store, []
        deleted = [stored for stored in self._held if stored.sequence < store.oldest]
        for stored in deleted:
            name = stored.boot_id, stored.sequence, _content(msgspec.to_builtins(stored.event))
            if name not in self._in_journal:
                raise MismatchError(f"event {stored.sequence} was acknowledged and is not stored: {stored.event}")
        if deleted or len(self._held) != len(store.events):
            self._held = list(store.events)


def _content(event: Json) -> bytes:
    return msgspec.json.encode(event, order="deterministic")
