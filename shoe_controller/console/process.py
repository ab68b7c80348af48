"""`shoe-controller console`: puts the console's parts together, keeps them running, and lets them go in order."""

import asyncio
import secrets
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from shoe_controller.config import ConsoleConfig, load_console
from shoe_controller.console.front import Front
from shoe_controller.console.line import TableLine
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sessions import Sessions
from shoe_controller.console.tls import tls_context
from shoe_controller.console.web import Bell, ConsoleSite, read_files
from shoe_controller.logs import Log, set_up
from shoe_controller.mqtt.broker import BrokerAddress, BrokerError, TlsFiles
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.contract import Topics
from shoe_controller.service import Service

PAGES = Path(__file__).parent / "pages"

LONGEST_KEEP_ALIVE = 3
"""Seconds; so that a console says within ten that it is not live, also when the broker hangs rather than dies."""


class Logbook:
    """A `Watcher` that writes log lines. What people type never comes here."""

    def __init__(self, log: Log, service: Service) -> None:
        self._log = log
        self._service = service

    def broker_up(self) -> None:
        self._log.info("broker_up")
        self._service.status("Following the table.")

    def broker_down(self, error: BrokerError) -> None:
        self._log.warning("broker_down", why=str(error))
        self._service.status(f"Not live: {error}")

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        self._log.warning("unreadable_message", topic=topic, why=str(error))

    def not_sent(self, topic: str, error: BrokerError) -> None:
        self._log.warning("request_not_sent", topic=topic, why=str(error))


def _broker_for(config: ConsoleConfig) -> NetworkBroker:
    mqtt = config.mqtt
    tls = None
    if mqtt.ca_file is not None:
        tls = TlsFiles(ca_file=mqtt.ca_file, cert_file=mqtt.cert_file, key_file=mqtt.key_file)
    return NetworkBroker(
        BrokerAddress(
            host=mqtt.host,
            port=mqtt.port,
            # Unlike that of any other console, and the same at every start of this one.
            client_id=f"shoe-console-{config.site}-{config.table}-{socket.gethostname()}-{config.settings.port}",
            username=config.username,
            password=None if config.password is None else config.password.reveal(),
            tls=tls,
            keep_alive=min(mqtt.keep_alive, LONGEST_KEEP_ALIVE),
        )
    )


async def serve(config: ConsoleConfig, log: Log, service: Service) -> None:
    """Follow and serve until a signal ends it."""
    settings = config.settings
    log = log.bind(table=config.table)
    model, bell = ConsoleModel(), Bell()
    line = TableLine(
        broker=_broker_for(config),
        topics=Topics(config.site, config.table),
        client=config.client,
        model=model,
        changed=bell.ring,
        watcher=Logbook(log, service),
        clock=time.monotonic,
        instance=secrets.token_hex(6),
    )
    site = ConsoleSite(
        front=Front(line, model, lambda: secrets.token_hex(12)),
        model=model,
        sessions=Sessions(
            idle=settings.idle_timeout, clock=time.monotonic, new_token=lambda: secrets.token_urlsafe(32)
        ),
        files=read_files(PAGES),
        bell=bell,
        language=settings.language,
    )
    tls = None
    if settings.cert_file is not None and settings.key_file is not None:
        tls = tls_context(settings.cert_file, settings.key_file)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    try:
        port = await site.start(settings.host, settings.port, tls)
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        log.info("ready", address=f"http{'' if tls is None else 's'}://{host}:{port}/")
        service.ready("Looking for the broker.")
        await _until(stop, line, service)
    finally:
        service.stopping()
        await site.stop()
        log.info("stopped")


async def _until(stop: asyncio.Event, line: TableLine, service: Service) -> None:
    following = asyncio.create_task(line.run(), name="line")
    stopping = asyncio.create_task(stop.wait(), name="stop")
    living = asyncio.create_task(_live(service), name="watchdog")
    tasks: list[asyncio.Task[object]] = [following, stopping, living]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _live(service: Service) -> None:
    while True:
        service.alive()
        await asyncio.sleep(10.0 if service.watchdog is None else service.watchdog / 3)


def run(file: Path) -> None:
    """Serve the console of this file until a signal ends it. Its errors are for whoever typed the command."""
    config = load_console(file)
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(config, set_up(config.log), Service.from_environment()))
