"""What systemd is told: that we are ready, how we are, and that we are alive. Without systemd, nothing happens.

Written here because it is a datagram to a socket; a library would be one more thing to keep up to date.
"""

import os
import socket
from contextlib import suppress

PATIENCE = 0.5
"""Seconds that a service manager gets to take what it should not miss."""


class SystemdNotifier:
    """Made once, from the environment that the service was started with."""

    def __init__(self, address: str | None, watchdog_usec: str | None) -> None:
        self._address = address
        self.watchdog: float | None = int(watchdog_usec) / 1e6 if watchdog_usec and watchdog_usec.isdigit() else None
        """Seconds within which a sign of life is expected."""

    @classmethod
    def from_environment(cls) -> "SystemdNotifier":
        return cls(os.environ.get("NOTIFY_SOCKET"), os.environ.get("WATCHDOG_USEC"))

    def ready(self, status: str) -> None:
        self._tell(f"READY=1\nSTATUS={status}")

    def status(self, status: str) -> None:
        # It is told with every card: a service manager that does not listen must not hold one up.
        self._tell(f"STATUS={status}", wait=False)

    def alive(self) -> None:
        # One that is missed is made up for by the next; waiting here would hold up the cards.
        self._tell("WATCHDOG=1", wait=False)

    def reloading(self, mono_ns: int) -> None:
        self._tell(f"RELOADING=1\nMONOTONIC_USEC={mono_ns // 1000}")

    def stopping(self) -> None:
        self._tell("STOPPING=1")

    def _tell(self, message: str, *, wait: bool = True) -> None:
        if not self._address:
            return
        # A name that begins with @ is in the abstract namespace.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.settimeout(PATIENCE if wait else 0.0)
            line.connect(address)
            line.send(message.encode())
