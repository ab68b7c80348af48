"""Reports messages that were discarded unread: the first at once, those that follow at most once a minute."""

import asyncio
from collections.abc import Callable

from shoe_controller.mqtt.broker import DiscardedMessage

REPORT_EVERY = 60.0
"""Seconds between two reports, so that a flood of such messages costs neither log nor broker anything."""


class DiscardReports:
    """Counts over all connections of a process."""

    def __init__(self, report: Callable[[int, DiscardedMessage], None]) -> None:
        """`report` is called with the number of messages so far and the newest of them."""
        self.reported = 0
        """The number of messages that was reported last."""
        self._count = 0
        self._report = report
        self._newest: DiscardedMessage | None = None
        """Of those that were not reported yet."""
        self._pause: asyncio.TimerHandle | None = None

    def discarded(self, message: DiscardedMessage) -> None:
        self._count += 1
        self._newest = message
        if self._pause is None:
            self._report_newest()

    def _report_newest(self) -> None:
        self._pause = None
        if self._newest is not None:
            newest, self._newest = self._newest, None
            self.reported = self._count
            self._pause = asyncio.get_running_loop().call_later(REPORT_EVERY, self._report_newest)
            self._report(self._count, newest)
