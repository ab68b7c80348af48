"""The shoe in C at a real table: the emulated shoe deals, and the kit of `firmware_protocol/c` speaks for it.

Its line damages, doubles and loses bytes, it restarts in the middle of a round with nothing but its memory, and the
daemon is killed; then truth, journal and subscriber are held against each other: every card once.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from firmware_protocol.events import AnyShoeEvent, Hand, Started
from firmware_protocol.link import (
    DesireAwaited,
    DesiredShoe,
    GateLockedBySilence,
    Lamp,
    LinkReport,
    ShoeIdentity,
    ShoeNotice,
    Wanted,
)
from firmware_protocol.native.event_layouts import START_CAUSE_CODES
from firmware_protocol.native.shoe import ShoeTimings
from firmware_protocol.native.store import EventStoreFullError, ShoeStore, StoredEvent
from shoe_controller.messages.facts import RoundSettled
from simulator.firmware import Stage
from tests.daemon.harness import Chain
from tests.firmware_protocol.native.c_shoe import CShoe, Identity, Memory
from tests.torture.hand_shoe import PATIENCE, HandShoe, all_told, deal, hand_shoe
from tests.torture.sitting import Books, Sitting, people_at

LINE_FAULTS = ("bytes_lost", "bytes_corrupted", "bytes_doubled", "bytes_delayed", "single_bytes", "glued")
SLOW_LINE_FAULTS = ("silence",)
"""The others that the emulator has; a table stands still meanwhile."""
VOIDS = frozenset({"shoe_restarted"})
"""The shoe has forgotten the round, so it cannot be finished."""
_HANDS = (None, Hand.PLAYER, Hand.BANKER, Hand.BURN, Hand.EXTRA)
_LAMPS = (Lamp.PLAYER, Lamp.BANKER, Lamp.TIE, Lamp.ALERT)


class _CLink:
    """A `ShoeLink` that is the shoe in C; it stands where the emulator makes a `NativeShoe`.

    The emulator's own store only shows how many events the memory of the shoe in C holds.
    """

    def __init__(
        self,
        memories: dict[int, Memory],
        *,
        identity: ShoeIdentity,
        store: ShoeStore,
        nonce: Callable[[], bytes],
        now: float,
        key: bytes | None,
        insecure: bool,
        timings: ShoeTimings,
    ) -> None:
        del insecure  # it is, without a key
        self._store = store
        self._now = now
        self._connected = False
        self._boot_id = identity.boot_id
        self._nonce = nonce
        self._shoe = CShoe(
            key=key,
            memory=memories.setdefault(id(store), Memory(event_places=store.capacity + 1)),
            random=self._random,
            now=now,
            identity=Identity(
                cause=START_CAUSE_CODES[identity.start_cause],
                model=identity.model,
                firmware=identity.firmware,
                serial_number=identity.serial_number,
            ),
            silence=round((timings.lock_gate_after or 0) * 1000),
            acknowledged_without_mark=8,
        )
        self._show_store()

    def _random(self, size: int) -> bytes:
        return self._boot_id.to_bytes(4, "big") if size == 4 else self._nonce()

    def connected(self, now: float) -> None:
        self._now, self._connected = now, True
        self._shoe.line_is_back(now)

    def disconnected(self, now: float) -> list[LinkReport]:
        self._now, self._connected = now, False
        return []

    def report(self, event: AnyShoeEvent, now: float) -> int:
        self._now = now
        if not isinstance(event, Started) and not self._shoe.report(msgspec.to_builtins(event), now):
            raise EventStoreFullError
        self._show_store()
        return self._shoe.next - 1

    def receive(self, data: bytes, now: float) -> list[ShoeNotice | LinkReport]:
        self._now = now
        self._shoe.receive(data, now)
        self._show_store()
        return self._notices()

    def next_deadline(self) -> float | None:
        return self._now + 0.01

    def tick(self, now: float) -> list[ShoeNotice | LinkReport]:
        self._now = now
        self._shoe.tick(now)
        return self._notices()

    def to_send(self) -> bytes:
        return self._shoe.to_send(self._now) if self._connected else b""

    def _notices(self) -> list[ShoeNotice | LinkReport]:
        notices: list[ShoeNotice | LinkReport] = []
        if self._shoe.locks:
            self._shoe.locks = 0
            silent = self._shoe.locked_by_silence
            notices.append(GateLockedBySilence(silent_for=0.0) if silent else DesireAwaited())
        for desire in self._shoe.desires:
            desired = DesiredShoe(
                gate_locked=(None, False, True)[desire["gate"]],
                lamps=frozenset(lamp for bit, lamp in enumerate(_LAMPS) if desire["lamps"] >> bit & 1),
                next_hand=_HANDS[desire["next_hand"]],
            )
            notices.append(Wanted(desired=desired))
        self._shoe.desires.clear()
        return notices

    def _show_store(self) -> None:
        some = StoredEvent(sequence=1, boot_id=self._boot_id, happened=self._now, event=Started())
        self._store.events = [some] * self._shoe.held
        self._store.full = bool(self._shoe.full)


@contextmanager
def shoe_in_c() -> Iterator[None]:
    """Every shoe that is emulated in this process meanwhile speaks through the kit."""
    memories: dict[int, Memory] = {}

    def made(**given: Any) -> _CLink:  # noqa: ANN401 - whatever the emulator gives
        return _CLink(memories, **given)

    with patch("simulator.shoe_line.NativeShoe", made):
        yield


async def deal_shoe_in_c(
    folder: Path, *, seed: int, restarts: int, whole: bool = False, tell: Callable[[str], None] = lambda _: None
) -> Books:
    """Restart shoe and daemon in turns, in mid-round, with rounds on a bad line between: every fault that it can have.

    `whole`: to the end of the shoe, and with the faults that take long.
    """
    chance = random.Random(seed)  # noqa: S311 - the same moments every time
    faults = faults_in_turns((*LINE_FAULTS, *SLOW_LINE_FAULTS) if whole else LINE_FAULTS, restarts + 1, chance)
    with shoe_in_c():
        async with Chain(folder, seed=seed) as chain:
            await chain.start_daemon()
            async with hand_shoe(chain, seed=seed) as hand, people_at(chain, VOIDS) as table:
                for number in range(restarts):
                    await _deal_round(hand, table, faults[number])
                    cards = chance.randint(1, 3)
                    await deal(hand, table, lambda: _cards_on_table(hand) == cards)  # noqa: B023 - used at once
                    await (_restart_daemon(chain, table) if number % 2 else _restart_shoe(hand, table))
                    tell(f"{number + 1} of {restarts} restarts in mid-round, {hand.cards_out} cards")
                await _deal_round(hand, table, faults[-1])
                if whole:
                    await deal(hand, table, lambda: table.display.phase == "ended")
                await all_told(hand, table)
                await table.people_leave()
                assert await chain.stop_daemon() == 0
                return table.compare(hand.truth)


def faults_in_turns(faults: Sequence[str], rounds: int, chance: random.Random) -> list[list[str]]:
    """Which faults each round has: all have come at the end, however few the rounds are."""
    order = chance.sample(faults, len(faults))
    in_one = -(-len(faults) // rounds)
    return [[order[(number * in_one + at) % len(order)] for at in range(in_one)] for number in range(rounds)]


async def _deal_round(hand: HandShoe, table: Sitting, faults: list[str]) -> None:
    def settled() -> int:
        return len(table.display.facts_of(RoundSettled))

    goal = settled() + 1
    for fault in faults:
        hand.inject(fault)
    await deal(hand, table, lambda: settled() >= goal)


def _cards_on_table(hand: HandShoe) -> int:
    return len(hand.shoe.emulation.shoe.firmware.table) if hand.stage is Stage.DEALING else 0


async def _restart_shoe(hand: HandShoe, table: Sitting) -> None:
    before = len(table.supervisor.acts)
    hand.inject("reboot")
    await table.chain.becomes(
        lambda: len(table.supervisor.acts) > before, PATIENCE, what="the supervisor to void the round"
    )


async def _restart_daemon(chain: Chain, table: Sitting) -> None:
    session = table.session
    await chain.kill_daemon()
    await chain.daemon.start()
    await table.is_back(session)
    table.players.repeat()
