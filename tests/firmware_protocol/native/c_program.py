"""Deals a shoe into the product's link with the shoe in C as a program of its own, through a pseudo-terminal.

The line loses, changes and makes up bytes, both ways; the shoe is killed with `kill -9` and started again on what it
kept, in the middle of a round and of a write; the link is thrown away and begun again from what was stored. The program
runs under the address and undefined-behaviour sanitizers. Moments are seeded; what the machine makes of them is not.
"""

import os
import random
import select
import subprocess
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from firmware_protocol.events import CardDrawn
from firmware_protocol.link import Delivery, EventGap, Refused
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.progress import remember
from firmware_protocol.native.recent import MOST_RECENT
from tests.firmware_protocol.native.c_build import host_program

KEY = bytes(range(7, 39))
PATIENCE = 30.0
CHANGED, LOST, MADE_UP = 0.01, 0.02, 0.02
"""How often a piece of what is on the line has a byte changed, is lost, or is followed by noise."""
KILLED, FORGOTTEN = 0.03, 0.03
"""How often, for each card, the shoe is killed and the link begun again."""


class CProgram:
    """One process after another, all with the same memory."""

    def __init__(self, folder: Path, runner: tuple[str, ...] = (), program: Path | None = None) -> None:
        self.port = folder / "shoe.pty"
        self._memory = folder / "shoe.memory"
        self._key = folder / "shoe.key"
        self._key.write_text(KEY.hex(), encoding="ascii")
        self._command = [*runner, str(program or host_program())]
        self._errors = folder / "shoe.errors"
        self.start()

    def start(self) -> None:
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(
                [*self._command, "pty", str(self.port), str(self._memory), str(self._key)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
            )
        self._heard = b""
        while "ready" not in self.lines():
            self.check()
            time.sleep(0.005)

    def check(self) -> None:
        """Raise what the sanitizers found."""
        assert self._process.poll() is None, self._errors.read_text(encoding="utf-8", errors="replace")

    def type(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line.encode("ascii") + b"\n")

    def lines(self) -> list[str]:
        assert self._process.stdout
        while select.select([self._process.stdout], [], [], 0)[0]:
            piece = os.read(self._process.stdout.fileno(), 4096)
            if not piece:
                break
            self._heard += piece
        *whole, self._heard = self._heard.split(b"\n")
        return [line.decode("ascii") for line in whole]

    def kill(self) -> list[str]:
        """With no warning; what it had said until then."""
        self._process.kill()
        self._process.wait()
        said = self.lines()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        return said


class Dealing:
    """The controller's end, the line between, and the account of what was dealt and what was stored."""

    def __init__(self, shoe: CProgram, chance: random.Random) -> None:
        self.shoe = shoe
        self.chance = chance
        self.mishaps = random.Random(chance.random())  # noqa: S311 - the same ones, however quick the line is
        self.certain: list[str] = []
        self.doubtful: set[str] = set()
        self.stored: list[str] = []
        self.gaps: list[EventGap] = []
        self.kills = self.forgotten = self.refused = 0
        self._memory = b""
        self._delivered: list[Delivery] = []
        self._recent: deque[Delivery] = deque(maxlen=MOST_RECENT)
        self._line = -1
        self._begin_link()

    def deal(self, cards: int) -> None:
        for number in range(cards):
            self._draw(number)
            if self.mishaps.random() < KILLED:
                self._kill_shoe()
            if self.mishaps.random() < FORGOTTEN:
                self.forgotten += 1
                self._delivered.clear()
                self._hang_up()
                self._begin_link()
            self._run_until(lambda: self.chance.random() < 0.3)
        last = self.certain[-1]
        self._run_until(lambda: last in self.stored)

    def close(self) -> None:
        self._hang_up()
        self.shoe.kill()

    def check(self) -> None:
        """Every card once and in order; one that the shoe was killed over may have been stored or not."""
        assert [card for card in self.stored if card not in self.doubtful] == self.certain
        assert self.stored == sorted(set(self.stored))
        assert self.gaps == []

    def _draw(self, number: int) -> None:
        card = f"CARD-{number:04}"
        where = f"hand={number % 2 + 1} position={number % 3 + 1}"
        self.shoe.type(f"card_drawn {where} card={0x11 + number % 13} burns_left=255 card_id={card}")
        if self.mishaps.random() < KILLED:
            time.sleep(self.chance.uniform(0, 0.003))
            said = self._kill_shoe()
            if "stored" in said:
                self.certain.append(card)
            else:
                self.doubtful.add(card)
            return
        self._run_until(lambda: "stored" in self.shoe.lines())
        self.certain.append(card)

    def _kill_shoe(self) -> list[str]:
        self.kills += 1
        said = self.shoe.kill()
        self._hang_up()
        self.shoe.start()
        self._pick_up()
        return said

    def _begin_link(self) -> None:
        last = remember(self._memory) if self._memory else None
        self._controller = NativeController(
            key=KEY, nonce=lambda: os.urandom(16), last_committed=last, recent=self._recent
        )
        self._pick_up()

    def _pick_up(self) -> None:
        self._line = os.open(self.shoe.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._controller.connected(time.monotonic())

    def _hang_up(self) -> None:
        os.close(self._line)
        self._controller.disconnected(time.monotonic())

    def _run_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        self._turn()
        while not condition():
            assert time.monotonic() < deadline, f"{len(self.stored)} of {len(self.certain)} cards are stored"
            self._turn()
        self.shoe.check()

    def _turn(self) -> None:
        with suppress(BlockingIOError):
            if select.select([self._line], [], [], 0.005)[0]:
                self._hear(self._on_the_line(os.read(self._line, 512)))
        now = time.monotonic()
        deadline = self._controller.next_deadline()
        if deadline is not None and deadline <= now:
            self._controller.tick(now)
        if self._delivered and self.chance.random() < 0.7:
            self._store()
        to_shoe = self._on_the_line(self._controller.to_send())
        if to_shoe:
            with suppress(BlockingIOError):
                os.write(self._line, to_shoe)

    def _hear(self, data: bytes) -> None:
        for heard in self._controller.receive(data, time.monotonic()):
            if isinstance(heard, Delivery):
                self._delivered.append(heard)
            elif isinstance(heard, EventGap):
                self.gaps.append(heard)
            elif isinstance(heard, Refused):
                self.refused += 1

    def _store(self) -> None:
        last = self._delivered[-1]
        self._recent += self._delivered
        self.stored += [
            one.event.card_id for one in self._delivered if isinstance(one.event, CardDrawn) and one.event.card_id
        ]
        self._delivered.clear()
        self._memory = self._controller.memory(last)
        self._controller.committed(last, time.monotonic())

    def _on_the_line(self, data: bytes) -> bytes:
        if not data or self.chance.random() < LOST:
            return b""
        changed = bytearray(data)
        if self.chance.random() < CHANGED * len(data) / 16:
            changed[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
        if self.chance.random() < MADE_UP:
            changed += self.chance.randbytes(self.chance.randint(1, 300))
        return bytes(changed)


def deal_shoe(folder: Path, *, cards: int, seed: int, shoe: CProgram | None = None) -> Dealing:
    """Deal so many cards with everything that happens to them; what came of it, checked."""
    dealing = Dealing(shoe or CProgram(folder), random.Random(seed))  # noqa: S311 - the same moments every time
    try:
        dealing.deal(cards)
    finally:
        dealing.close()
    dealing.check()
    return dealing
