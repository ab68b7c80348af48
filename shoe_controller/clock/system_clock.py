"""The system's clocks: the time on both, and whether the wall clock is synchronised with a time server.

The one place where the daemon reads a clock. A simulation provides its own `Clock`.
"""

import ctypes
import time
from pathlib import Path
from typing import Protocol

from shoe_controller.clock.moment import Moment

LOOK_EVERY = 10.0
"""Seconds between checks whether the clock is synchronised."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_ADJTIMEX_BYTES = 512
_STATUS_OFFSET = 5 * ctypes.sizeof(ctypes.c_long)
_UNSYNCHRONISED = 0x0040
"""STA_UNSYNC of the kernel's clock state, see adjtimex(2)."""


class Clock(Protocol):
    def now(self) -> Moment: ...

    def boot(self) -> str:
        """The machine's id of its current boot."""


class SystemClock:
    def __init__(self) -> None:
        self._asked_at = float("-inf")
        self._synchronised = False

    def now(self) -> Moment:
        mono_ns = time.monotonic_ns()
        if mono_ns / 1e9 - self._asked_at > LOOK_EVERY:
            self._asked_at = mono_ns / 1e9
            self._synchronised = _is_synchronised()
        return Moment(wall_ms=time.time_ns() // 1_000_000, mono_ns=mono_ns, synchronised=self._synchronised)

    def boot(self) -> str:
        try:
            return _BOOT_ID.read_text(encoding="ascii").strip()
        except OSError:
            return "unknown"


def _is_synchronised() -> bool:
    """Read the kernel's clock state, which needs no privilege. False where it cannot be read."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        timex = ctypes.create_string_buffer(_ADJTIMEX_BYTES)
        if libc.adjtimex(timex) < 0:
            return False
    except (OSError, AttributeError):
        return False
    status = int.from_bytes(timex.raw[_STATUS_OFFSET : _STATUS_OFFSET + 4], "little")
    return not status & _UNSYNCHRONISED
