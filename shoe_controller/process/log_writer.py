"""Writes log lines in a thread of its own: a log that nobody reads, or that is full or gone, never holds up a table.

A write to a pipe, to journald's socket or to a terminal blocks for as long as its reader hangs. So the caller only
queues lines; a line for which there is no room is dropped and counted, and the count is logged when lines can be
written again.
"""

import io
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable

MOST_BYTES = 1 << 20
"""Bytes of lines that may wait: about four thousand of the usual length."""

DRAIN = 1.0
"""Seconds that lines which still wait get when the process ends."""


class LogWriter:
    def __init__(self, descriptor: int, dropped: Callable[[int, int], str]) -> None:
        """`dropped` makes the line that reports so many lines dropped since the last such line, and so many in all."""
        self._descriptor = descriptor
        self._dropped_line = dropped
        self._lines: deque[bytes] = deque()
        self._waiting = 0
        """Bytes in `_lines` and in the line that is being written."""
        self._dropped = 0
        self._dropped_in_all = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="log", daemon=True).start()

    def write(self, text: str) -> None:
        line = text.encode(errors="replace")
        with self._changed:
            if self._waiting + len(line) > MOST_BYTES:
                self._drop()
            else:
                self._queue(line)

    def flush(self) -> None:
        """Do nothing: whoever logs does not wait."""

    def drain(self, within: float = DRAIN) -> None:
        """Wait until everything is written, but not for a reader that hangs."""
        deadline = time.monotonic() + within
        with self._changed:
            while self._waiting and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)

    def _queue(self, line: bytes) -> None:
        self._lines.append(line)
        self._waiting += len(line)
        self._changed.notify_all()

    def _drop(self) -> None:
        self._dropped += 1
        self._dropped_in_all += 1

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._lines:
                    self._changed.wait()
                line = self._lines.popleft()
            written = self._is_written(line)
            with self._changed:
                self._waiting -= len(line)
                if not written:
                    self._drop()
                elif self._dropped:
                    # Behind the lines that waited, which are older than those that were dropped.
                    self._queue(self._dropped_line(self._dropped, self._dropped_in_all).encode())
                    self._dropped = 0
                self._changed.notify_all()

    def _is_written(self, line: bytes) -> bool:
        rest = memoryview(line)
        try:
            while rest:
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except BlockingIOError:  # another program has made our standard error non-blocking
                    select.select([], [self._descriptor], [])
        except OSError:
            return False
        return True


class LogStream(io.TextIOBase):
    """A stand-in for `sys.stderr`, so that Python's own messages and tracebacks do not wait either."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer

    def write(self, text: str) -> int:
        self._writer.write(text)
        return len(text)
