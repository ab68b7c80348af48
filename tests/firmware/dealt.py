"""Has a board deal cards to the product's link, with losses of power and of the link in mid-round: every card once."""

import os
import random
import select
import time
from contextlib import suppress

from firmware_protocol.events import CardDrawn, Hand, Started
from firmware_protocol.link import Delivery, DesiredShoe, EventGap
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import FrameType
from firmware_protocol.native.progress import remember
from tests.firmware.boards import KEY, Board

PATIENCE = 60.0
HANDS = (Hand.PLAYER, Hand.BANKER)
ROUND = 6
AWAKE = encode_frame(bytes((FrameType.AWAKE,)))


class Dealt:
    def __init__(self, board: Board, seed: int) -> None:
        self.cards: list[CardDrawn] = []
        self.sequences: list[int] = []
        self.starts = self.power_losses = self.forgotten = 0
        self.gaps: list[EventGap] = []
        self._board = board
        self._said = b""
        """The end of what the board has sent since its last power-up."""
        self._is_on = False
        """It has said since then that it is awake, so that STARTED is in its memory."""
        self._chance = random.Random(seed)  # noqa: S311 - the same moments every time
        self._memory = b""
        self._begin_link()

    def deal(self, cards: int) -> None:
        """Ask for so many, one after another; every second or so the power fails, or the link is begun again."""
        deadline = time.monotonic() + PATIENCE
        fails_at = time.monotonic() + self._chance.uniform(0.4, 1.6)
        while len(self.cards) < cards:
            assert time.monotonic() < deadline, f"{len(self.cards)} of {cards} cards after {PATIENCE} s"
            self._turn()
            # On a busy machine the board takes long to start; a power-up that is cut short before it is stored is none.
            if time.monotonic() >= fails_at and self._is_on:
                fails_at = time.monotonic() + self._chance.uniform(0.4, 1.6)
                deadline += 2.0
                if self._chance.random() < 0.6:
                    self.power_losses += 1
                    self._is_on, self._said = False, b""
                    self._board.lose_power()
                else:
                    self.forgotten += 1
                    self._begin_link()

    def check(self) -> None:
        assert self.sequences == list(range(1, len(self.sequences) + 1))
        assert [card.total for card in self.cards] == list(range(1, len(self.cards) + 1))
        assert self.gaps == []
        power_ups = self.power_losses + 1
        assert self.starts == power_ups, f"of {power_ups} power-ups the board reported {self.starts}"

    def _begin_link(self) -> None:
        last = remember(self._memory) if self._memory else None
        self._link = NativeController(key=KEY, nonce=lambda: os.urandom(16), last_committed=last)
        self._link.connected(time.monotonic())
        self._ask()

    def _ask(self) -> None:
        hand = HANDS[len(self.cards) % 2] if len(self.cards) % ROUND else HANDS[0]
        self._link.want(DesiredShoe(gate_locked=False, next_hand=hand), time.monotonic())

    def _turn(self) -> None:
        process = self._board.process
        assert process.stdin
        assert process.stdout
        if select.select([process.stdout], [], [], 0.005)[0]:
            self._hear(os.read(process.stdout.fileno(), 256))
        now = time.monotonic()
        deadline = self._link.next_deadline()
        if deadline is not None and deadline <= now:
            self._link.tick(now)
        to_shoe = self._link.to_send()
        if to_shoe:
            with suppress(BrokenPipeError):
                process.stdin.write(to_shoe)

    def _hear(self, data: bytes) -> None:
        self._said = (self._said + data)[-len(data) - len(AWAKE) :]
        self._is_on = self._is_on or AWAKE in self._said
        for heard in self._link.receive(data, time.monotonic()):
            if isinstance(heard, EventGap):
                self.gaps.append(heard)
            if not isinstance(heard, Delivery):
                continue
            self.sequences.append(heard.sequence)
            self._memory = self._link.memory(heard)
            self._link.committed(heard, time.monotonic())
            self.starts += isinstance(heard.event, Started)
            if isinstance(heard.event, CardDrawn):
                self.cards.append(heard.event)
                self._ask()
