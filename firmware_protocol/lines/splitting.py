"""Splits what a reader sends into lines. Pure: bytes in, lines and what could not be a line out.

However the bytes are cut into pieces, the same lines come of them.
"""

import re
from typing import NamedTuple

MAX_LINE = 128
"""Bytes of a line without its end. What is longer is noise, and is skipped up to the next end of a line."""

_ENDS = re.compile(rb"[\r\n\x02\x03]")
"""CR, LF and CRLF; STX and ETX, which some readers put around an id. Lines without text mean nothing."""


class Line(NamedTuple):
    text: str
    """Without spaces and tabs around it."""
    offset: int
    """Counts from the first byte ever received."""
    length: int


class DamagedLine(NamedTuple):
    offset: int
    length: int
    reason: str
    begun: bytes = b""
    """What came of a line that was given up."""


class LineReader:
    """Holds at most one unfinished line."""

    def __init__(self) -> None:
        self._held = b""
        self._begin = 0
        """Offset of the first byte of the current line."""
        self._skipping = False
        """The rest of a line that was too long is skipped."""

    @property
    def unfinished(self) -> bool:
        return bool(self._held.strip())

    @property
    def waiting(self) -> bool:
        """Whether a line has begun, or one that was too long has not ended: `give_up` is due after a silence."""
        return self.unfinished or self._skipping

    def read(self, data: bytes) -> list[Line | DamagedLine]:
        items: list[Line | DamagedLine] = []
        at = 0
        for end in _ENDS.finditer(data):
            self._add(data[at : end.start()], items)
            self._close(items)
            self._begin += 1
            at = end.end()
        self._add(data[at:], items)
        return items

    def give_up(self, why: str) -> DamagedLine | None:
        """Stop waiting for the rest of the line, which is reported if anything of it came."""
        damaged = None
        if self.unfinished:
            reason = f"the line is unfinished: {why} {_shown(self._held)}"
            damaged = DamagedLine(self._begin, len(self._held), reason, self._held)
        self._begin += len(self._held)
        self._held = b""
        self._skipping = False
        return damaged

    def _add(self, piece: bytes, items: list[Line | DamagedLine]) -> None:
        if self._skipping:
            self._begin += len(piece)
            return
        self._held += piece
        if len(self._held) > MAX_LINE:
            head = self._held[:MAX_LINE]
            items.append(DamagedLine(self._begin, MAX_LINE, f"a line of more than {MAX_LINE} bytes {_shown(head)}"))
            self._begin += len(self._held)
            self._held = b""
            self._skipping = True

    def _close(self, items: list[Line | DamagedLine]) -> None:
        held, offset = self._held, self._begin
        self._begin += len(held)
        self._held = b""
        self._skipping = False
        if not held.strip():
            return
        try:
            text = held.decode().strip(" \t")
        except UnicodeDecodeError:
            items.append(DamagedLine(offset, len(held), f"a line that is not UTF-8 {_shown(held)}"))
            return
        if text.isprintable():
            items.append(Line(text, offset, len(held)))
        else:
            items.append(DamagedLine(offset, len(held), f"a line with control characters {_shown(held)}"))


def _shown(data: bytes) -> str:
    return f"[{data[:32].hex(' ')}{' …' if len(data) > 32 else ''}]"
