"""Two messages of the shoe's line in the wrong order: one is held back until another has gone by.

A message is a frame of the native wire, a telegram of the Angel Eye wire, or a command to such a shoe. Pure: the cable
brings the bytes, and says when it has been waited for long enough.
"""

import re
from typing import NamedTuple

from simulator.shoe_line import Wire


class _Look(NamedTuple):
    """What a message looks like."""

    begins: re.Pattern[bytes]
    whole: re.Pattern[bytes]


_FRAME = _Look(re.compile(rb"[^\0]"), re.compile(rb"[^\0]+\0"))
_TELEGRAM = _Look(re.compile(rb"\x05"), re.compile(rb"\x05[^\x03\x05]+\x03[0-9A-F]{2}"))
_COMMAND = _Look(re.compile(rb"\x02"), re.compile(rb"\x02[^\x02\x03]+\x03[0-9A-F]{2}"))


class Swap:
    """One direction of the line, until two different messages have changed places.

    An Angel Eye shoe says everything several times: either `all_copies` of a message are overtaken, or the last one.
    """

    def __init__(self, wire: Wire, *, to_shoe: bool, all_copies: bool) -> None:
        angel_eye = _COMMAND if to_shoe else _TELEGRAM
        self._look = _FRAME if wire is Wire.NATIVE else angel_eye
        self._all_copies = all_copies
        self._unfinished = b""
        self._held: list[bytes] = []
        self.done = False

    @property
    def holds(self) -> bool:
        return bool(self._held)

    def carry(self, data: bytes) -> list[bytes]:
        """What arrives when these bytes are sent."""
        data, self._unfinished = self._unfinished + data, b""
        arrives: list[bytes] = []
        while data and not self.done:
            whole = self._look.whole.search(data)
            begins = self._look.begins.search(data)
            if whole is None or begins is None:
                # What is no part of a message is not held up by one.
                at = len(data) if begins is None else begins.start()
                arrives.append(data[:at])
                self._unfinished = data[at:]
                return [piece for piece in arrives if piece]
            arrives.append(data[: whole.start()])
            arrives += self._meet(whole[0])
            data = data[whole.end() :]
        return [piece for piece in (*arrives, data) if piece]

    def _meet(self, message: bytes) -> list[bytes]:
        if not self._held or message == self._held[0]:
            overtaken = [] if self._all_copies else self._held
            self._held = [*self._held, message] if self._all_copies else [message]
            return overtaken
        self.done = True
        return [message, *self.let_go()]

    def let_go(self) -> list[bytes]:
        """No other message has come: the one that waits goes on."""
        held, self._held = self._held, []
        return held

    def end(self) -> list[bytes]:
        """All that is still here."""
        rest, self._unfinished = self._unfinished, b""
        return [piece for piece in (*self.let_go(), rest) if piece]
