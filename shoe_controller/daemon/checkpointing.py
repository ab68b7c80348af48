"""Makes the signed checkpoints of a running table's journal: at the end of a shoe, after so many records, every hour.

    next key on the disk ─▶ checkpoint committed ─▶ old key removed ─▶ input of the table, which publishes it

Work on files of keys is done beside the event loop and beside the journal's writer: a card waits for neither. Whatever
fails here is logged and tried again; the table goes on without.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

import msgspec

from shoe_controller.clock.system_clock import Clock
from shoe_controller.journal.checkpoints import (
    RECORDS_BETWEEN,
    SECONDS_BETWEEN,
    AlreadyStoredError,
    Checkpoint,
    Signing,
    as_body,
    read_checkpoint,
)
from shoe_controller.journal.errors import DamagedJournalError, FileError
from shoe_controller.journal.key_folder import KeyFolder, KeysBegun
from shoe_controller.journal.records import Entry, Receipt
from shoe_controller.messages import checkpoints as messages
from shoe_controller.process.logging import Log
from shoe_controller.table.inputs import CheckpointMade
from shoe_controller.table.state import TableState

RETRY = 5.0
"""Seconds between two attempts after a failure; only the first of them is logged."""


class Keys(Protocol):
    """A `KeyFolder`, as an event loop sees it."""

    async def begin(self, journal: str, last: Checkpoint | None, now_ms: int) -> KeysBegun: ...

    async def prepare(self) -> Signing: ...

    async def retire(self) -> None: ...


class ThreadedKeys:
    """`Keys` whose files are written in a thread: a disk may take seconds to sync."""

    def __init__(self, folder: KeyFolder) -> None:
        self._folder = folder

    async def begin(self, journal: str, last: Checkpoint | None, now_ms: int) -> KeysBegun:
        return await asyncio.to_thread(self._folder.begin, journal, last, now_ms)

    async def prepare(self) -> Signing:
        return await asyncio.to_thread(self._folder.prepare)

    async def retire(self) -> None:
        await asyncio.to_thread(self._folder.retire)


class Submits(Protocol):
    def submit(self, entry: Entry) -> Awaitable[Receipt]: ...


class Checkpointing:
    def __init__(  # noqa: PLR0913 - what it works with, each given by name
        self,
        *,
        keys: Keys,
        journal: Submits,
        journal_id: str,
        last: Checkpoint | None,
        clock: Clock,
        state: Callable[[], TableState],
        happened: Callable[[CheckpointMade], None],
        log: Log,
        records_between: int = RECORDS_BETWEEN,
    ) -> None:
        self._keys = keys
        self._journal = journal
        self._journal_id = journal_id
        self._last = last
        """The newest checkpoint of the journal."""
        self._clock = clock
        self._state = state
        self._happened = happened
        self._log = log
        self._records_between = records_between
        self._due = asyncio.Event()
        self._published = asyncio.Event()
        """Whether the table has stored the event of the last checkpoint."""

    def stored(self, number: int, *, shoe_ended: bool) -> None:
        """The journal ends with this record now."""
        if self._last is not None and self._is_published(self._last):
            self._published.set()
        if shoe_ended or number - (0 if self._last is None else self._last.number) >= self._records_between:
            self._due.set()

    async def run(self) -> None:
        """Make checkpoints until cancelled."""
        await self._until_it_succeeds(self._begin)
        if self._last is not None:
            await self._published.wait()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds_left()):
                    await self._due.wait()
            self._due.clear()
            await self._until_it_succeeds(self._make)
            # A crash may leave one checkpoint that is not published, never two.
            await self._published.wait()

    async def _until_it_succeeds(self, work: Callable[[], Awaitable[None]]) -> None:
        logged = ""
        while True:
            try:
                return await work()
            except DamagedJournalError:
                raise  # `daemon.py` sets the file aside
            except Exception as error:  # noqa: BLE001 - whatever is wrong with a key, cards go on
                if str(error) != logged:
                    logged = str(error)
                    expected = isinstance(error, FileError)
                    self._log.error("checkpoint_failed", what=logged, exc_info=None if expected else error)
            await asyncio.sleep(RETRY)

    async def _begin(self) -> None:
        begun = await self._keys.begin(self._journal_id, self._last, self._clock.now().wall_ms)
        if begun.lost:
            self._log.error(
                "checkpoint_key_lost",
                what="the key that the last checkpoint names is gone; a new one was made, which nothing vouches for",
            )
        if begun.made:
            self._log.warning(
                "checkpoint_key_made", what="move the public key in the folder of keys to a place outside this machine"
            )
        if begun.succeeds:
            self._due.set()
        if self._last is not None and self._is_published(self._last):
            self._published.set()
        elif self._last is not None:
            # The program died between the commit and the input that leads to the event.
            self._publish(as_body(self._last))

    async def _make(self) -> None:
        signing = await self._keys.prepare()
        state = self._state()
        entry = Entry(at=self._clock.now(), shoe=state.shoe_number, round=state.round_number, checkpoint=signing)
        try:
            receipt = await self._journal.submit(entry)
            body = receipt.checkpoint
        except AlreadyStoredError as error:
            body = error.body
        if body is None:
            raise RuntimeError("the journal stored no checkpoint")
        await self._keys.retire()
        self._last = read_checkpoint(body)
        self._publish(body)

    def _is_published(self, checkpoint: Checkpoint) -> bool:
        known = self._state().lasting.checkpoint
        return known is not None and known.journal == checkpoint.journal and known.index >= checkpoint.index

    def _publish(self, body: bytes) -> None:
        self._published.clear()
        self._happened(CheckpointMade(checkpoint=msgspec.json.decode(body, type=messages.Checkpoint)))

    def _seconds_left(self) -> float:
        """Until an hour after the last one; by the wall clock, because the hour goes on while no program runs."""
        if self._last is None:
            return SECONDS_BETWEEN
        passed = (self._clock.now().wall_ms - self._last.time) / 1000
        return min(max(SECONDS_BETWEEN - passed, 0.0), SECONDS_BETWEEN)
