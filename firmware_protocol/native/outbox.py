"""Queue of frames for the line. Bounded, because a blocked port may not drain it for a long time."""

from firmware_protocol.native.counts import LinkCounts
from firmware_protocol.native.framing import encode_frame

LIMIT = 8192
"""Bytes. A full window of the longest events fits; whatever is dropped above it is repeated in time."""


class Outbox:
    def __init__(self, counts: LinkCounts) -> None:
        self._counts = counts
        self._waiting = bytearray()

    def put(self, body: bytes) -> None:
        if len(self._waiting) >= LIMIT:
            self._counts.unsent += 1
        else:
            self._waiting += encode_frame(body)

    def take(self) -> bytes:
        """Return and clear the queue. A zero byte goes first, so that noise on the idle line spoils no frame."""
        if not self._waiting:
            return b""
        taken = b"\0" + self._waiting
        self._waiting.clear()
        return taken

    def clear(self) -> None:
        self._waiting.clear()
