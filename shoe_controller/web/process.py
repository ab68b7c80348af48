"""A process that follows tables and serves pages: keeps both running until a signal, and shuts them down in order."""

import asyncio
import signal
import ssl
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from shoe_controller.config.web import ServingSettings
from shoe_controller.follow.connection import Follower
from shoe_controller.follow.process import follow_until
from shoe_controller.process.logging import Log
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.web.certificate import tls_context


class Served(Protocol):
    async def start(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> int: ...

    async def stop(self) -> None: ...


async def serve(  # noqa: PLR0913 - the parts of a process
    site: Served,
    follower: Follower,
    where: ServingSettings,
    log: Log,
    service: SystemdNotifier,
    *,
    beside: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Follow and serve until a signal ends it; `beside` runs as long."""
    tls = None
    if where.cert_file is not None and where.key_file is not None:
        tls = tls_context(where.cert_file, where.key_file)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    try:
        port = await site.start(where.host, where.port, tls)
        host = f"[{where.host}]" if ":" in where.host else where.host
        log.info("ready", address=f"http{'' if tls is None else 's'}://{host}:{port}/")
        service.ready("Looking for the broker.")
        await follow_until(stop, follower, service, beside())
    finally:
        service.stopping()
        await site.stop()
        log.info("stopped")
