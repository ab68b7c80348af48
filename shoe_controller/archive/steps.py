"""What is stored, in its order (events, holes between them, heads), and the queue in which it waits for the database.

The queue is bounded: what does not fit is let go, and requested again later, for the journals of the tables keep it.
"""

import asyncio
from collections import deque
from itertools import islice
from typing import NamedTuple

from shoe_controller.archive.event import ArchivedEvent

MOST_STEPS = 100_000
"""Steps that wait; then no more events are taken."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of their payloads, and what each takes besides."""

STEP_BYTES = 600
"""Estimated overhead per waiting step, in bytes."""


class Hole(NamedTuple):
    """Events that the table does not have any more, both included."""

    journal_id: int
    first: int
    last: int


class AnnouncedHead(NamedTuple):
    """An end of the journal's hash chain."""

    journal_id: int
    number: int
    hash: bytes
    seq: int | None
    """The event that announced it; `None` for a retained message."""
    at_ms: int


Step = ArchivedEvent | Hole | AnnouncedHead


def last_of(step: Step) -> int | None:
    """The position of its journal after this step; `None` where it does not move."""
    match step:
        case ArchivedEvent():
            return step.seq
        case Hole():
            return step.last
        case AnnouncedHead():
            return None


class StepQueue:
    """What waits to be stored; a step leaves it only after its transaction has been committed."""

    def __init__(self, most_steps: int = MOST_STEPS, most_bytes: int = MOST_BYTES) -> None:
        self._most_steps = most_steps
        self._most_bytes = most_bytes
        self._waiting: deque[Step] = deque()
        self._bytes = 0
        self._stirred = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= self._most_steps or self._bytes >= self._most_bytes

    @property
    def room(self) -> float:
        """The part of it that is free, from 0 to 1."""
        return max(0.0, 1 - max(len(self._waiting) / self._most_steps, self._bytes / self._most_bytes))

    def put(self, step: Step) -> None:
        """Also where it is full: whoever fills it looks before."""
        self._waiting.append(step)
        self._bytes += _size(step)
        self._stirred.set()

    def stir(self) -> None:
        """Wake whoever waits for steps."""
        self._stirred.set()

    async def stirred(self, within: float) -> None:
        """Wait until there may be something to do, or for so many seconds."""
        if not self._waiting:
            try:
                async with asyncio.timeout(within):
                    await self._stirred.wait()
            except TimeoutError:
                return
        self._stirred.clear()

    def first(self, most: int, most_bytes: int) -> list[Step]:
        """The next steps, which stay; at least one, if any wait."""
        taken, size = list[Step](), 0
        for step in islice(self._waiting, most):
            size += _size(step)
            if taken and size > most_bytes:
                break
            taken.append(step)
        return taken

    def stored(self, count: int) -> None:
        """The first steps are in the database."""
        for _ in range(count):
            self._bytes -= _size(self._waiting.popleft())

    def positions(self) -> dict[int, int]:
        """Where the journals of what waits will stand when all of it is stored."""
        return {step.journal_id: last for step in self._waiting if (last := last_of(step)) is not None}

    def keep_what_follows(self, have: dict[int, int]) -> None:
        """Let go of what does not follow these positions of journals without a gap."""
        expected = dict(have)
        waiting, self._waiting, self._bytes = self._waiting, deque(), 0
        for step in waiting:
            at, last = expected.get(step.journal_id), last_of(step)
            if at is None:
                continue
            if last is not None:
                first = step.first if isinstance(step, Hole) else last
                if last <= at or first > at + 1:
                    continue
                expected[step.journal_id] = last
            self.put(step)


def _size(step: Step) -> int:
    return STEP_BYTES + (len(step.payload) if isinstance(step, ArchivedEvent) else 0)
