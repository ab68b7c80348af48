"""Tells of damaged and refused frames on the shoe's line: of the first at once, then once a minute while more come."""

import asyncio
from collections.abc import Callable
from typing import NoReturn

from firmware_protocol.link import LineQuality

EVERY = 60.0
"""Seconds."""


class LineWatch:
    def __init__(
        self, read: Callable[[], LineQuality], tell: Callable[[LineQuality], None], now: Callable[[], float]
    ) -> None:
        self.told = LineQuality(0, 0, 0)
        """The counts of the present link when they were told last."""
        self._read = read
        self._tell = tell
        self._now = now
        self._again_at = float("-inf")

    async def run(self) -> NoReturn:
        while True:
            await asyncio.sleep(EVERY)
            self.look()

    def look(self) -> None:
        """Tell of what has come, unless that was done a moment ago."""
        found = self._read()
        bad = (found.damaged, found.refused)
        if bad == (self.told.damaged, self.told.refused) or self._now() < self._again_at:
            return
        self._again_at = self._now() + EVERY * 0.9
        self.told = found
        if any(bad):
            self._tell(found)
