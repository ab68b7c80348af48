"""Notifies systemd of readiness, status and watchdog keep-alives. Without systemd, it does nothing.

Written here because it is a datagram to a socket; a library would be one more thing to keep up to date.
"""

import os
import socket
from contextlib import suppress

PATIENCE = 0.5
"""Seconds to wait for the service manager to accept a message that it must not miss."""


class SystemdNotifier:
    """Made once, from the service's environment."""

    def __init__(self, address: str | None, watchdog_usec: str | None) -> None:
        self._address = address
        self.watchdog: float | None = int(watchdog_usec) / 1e6 if watchdog_usec and watchdog_usec.isdigit() else None
        """Seconds within which systemd expects a keep-alive."""

    @classmethod
    def from_environment(cls) -> "SystemdNotifier":
        return cls(os.environ.get("NOTIFY_SOCKET"), os.environ.get("WATCHDOG_USEC"))

    def ready(self, status: str) -> None:
        self._notify(f"READY=1\nSTATUS={status}")

    def status(self, status: str) -> None:
        # It is sent with every card: a service manager that does not read must not hold one up.
        self._notify(f"STATUS={status}", wait=False)

    def alive(self) -> None:
        # The next one makes up for a missed one; waiting here would hold up the cards.
        self._notify("WATCHDOG=1", wait=False)

    def reloading(self, mono_ns: int) -> None:
        self._notify(f"RELOADING=1\nMONOTONIC_USEC={mono_ns // 1000}")

    def stopping(self) -> None:
        self._notify("STOPPING=1")

    def _notify(self, message: str, *, wait: bool = True) -> None:
        if not self._address:
            return
        # An address that begins with @ is in the abstract namespace.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.settimeout(PATIENCE if wait else 0.0)
            line.connect(address)
            line.send(message.encode())
