"""The journal's writer without its thread: what waits is stored in one step of virtual time, and answered in another.

The disk under it can be slow or full, and the daemon can be killed before a commit, in it, or right after it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from shoe_controller.journal.database import Database
from shoe_controller.journal.errors import DiskFullError
from shoe_controller.journal.opening import WriterLock
from shoe_controller.journal.records import Entry, Head, Receipt
from shoe_controller.journal.store import BatchWriter, Confirmation, Submission
from tests.simulation.virtual_time import DaemonLoop, VirtualTime


class KillAt(Enum):
    BEFORE_COMMIT = "killed before the commit"
    IN_COMMIT = "killed in the commit"
    AFTER_COMMIT = "killed after the commit and before its answer"


class KilledError(BaseException):
    """The program ends here."""


class Disk:
    """What the disk of the machine does at the moment."""

    def __init__(self, sync_seconds: float) -> None:
        self.full = False
        self.usual_sync = self.sync_seconds = sync_seconds
        self.kill_at: KillAt | None = None

    def database(self) -> type[Database]:
        """SQLite on this disk."""
        disk = self

        class OnThisDisk(Database):
            def run(self, statement: str, values: Sequence[object] = ()) -> int:
                if statement == "COMMIT":
                    if disk.kill_at is KillAt.IN_COMMIT:
                        raise KilledError
                    if disk.full:
                        # Without the folder, which has another name each time.
                        raise DiskFullError(
                            Path(self.path.name), "the disk is full; nothing was stored. Make room, and it goes on."
                        )
                return super().run(statement, values)

        return OnThisDisk


class InlineWriter:
    """A `TableWriter`. `stored` is called with each entry in the moment in which it is on the disk."""

    def __init__(
        self,
        path: Path,
        *,
        software: str,
        lock: WriterLock,
        time: VirtualTime,
        loop: DaemonLoop,
        disk: Disk,
        stored: Callable[[Entry, Receipt], None],
        killed: Callable[[], None],
    ) -> None:
        self._batches = BatchWriter(path, software, disk.database())
        self._lock = lock
        self._time = time
        self._loop = loop
        self._disk = disk
        self._stored = stored
        self._killed = killed
        self._waiting: list[Submission | Confirmation] = []
        self._busy = False
        self.head: Head | None = None
        """Where the journal ended after the last batch; `None` before the first."""

    def submit(self, entry: Entry) -> Awaitable[Receipt]:
        future: asyncio.Future[Receipt] = self._loop.create_future()
        self._put(Submission(entry, partial(_settle, future)))
        return future

    def confirm(self, seq: int) -> None:
        self._put(Confirmation(seq, lambda _: None))

    async def sign_of_life(self) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        """Store what waits, and let go."""
        self._write()
        self._loop.alive = self._loop.alive and self._disk.kill_at is None
        self.abandon()
        self._batches.close()

    def abandon(self) -> None:
        """The program was killed: the system lets go of its lock."""
        self._lock.release()

    def bury(self) -> None:
        self._batches.close()

    def _put(self, item: Submission | Confirmation) -> None:
        self._waiting.append(item)
        if not self._busy:
            self._busy = True
            self._time.after(self._disk.sync_seconds, self._write_if_alive)

    def _write_if_alive(self) -> None:
        if self._loop.alive:
            self._busy = False
            self._write()

    def _write(self) -> None:
        batch, self._waiting = self._waiting, []
        if not batch:
            return
        kill_at = self._disk.kill_at
        if kill_at is KillAt.BEFORE_COMMIT:
            self._killed()
            return
        outcomes = self._batches.write(batch)
        self.head = next((each.head for each in reversed(outcomes) if isinstance(each, Receipt)), self.head)
        for item, outcome in zip(batch, outcomes, strict=True):
            if isinstance(item, Submission) and isinstance(outcome, Receipt):
                self._stored(item.entry, outcome)
        if kill_at is not None:
            self._killed()
            return
        for item, outcome in zip(batch, outcomes, strict=True):
            self._loop.call_soon(item.answer, outcome)


def _settle(future: "asyncio.Future[Any]", outcome: object) -> None:
    if future.done():
        return
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
