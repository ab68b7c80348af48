"""The keys of a simulated table's checkpoints: real files, written after some virtual time and without a thread."""

import asyncio
from collections.abc import Callable

from shoe_controller.journal.checkpoints import Checkpoint, Signing
from shoe_controller.journal.key_folder import KeyFolder, KeysBegun


class InlineKeys:
    """A `Keys`. The daemon can be killed while it waits, so between any two steps of a checkpoint."""

    def __init__(self, folder: KeyFolder, seconds: Callable[[], float]) -> None:
        self._folder = folder
        self._seconds = seconds
        """How long the disk takes."""

    async def begin(self, journal: str, last: Checkpoint | None, now_ms: int) -> KeysBegun:
        await asyncio.sleep(self._seconds())
        return self._folder.begin(journal, last, now_ms)

    async def prepare(self) -> Signing:
        signing = self._folder.prepare()
        await asyncio.sleep(self._seconds())
        return signing

    async def retire(self) -> None:
        await asyncio.sleep(self._seconds())
        self._folder.retire()
