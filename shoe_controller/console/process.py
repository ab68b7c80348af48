"""`shoe-controller console`: puts the console's parts together and runs them."""

import asyncio
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from shoe_controller.config.table_file import ConsoleConfig, load_console
from shoe_controller.console.forms import FormDesk
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.table_client import TableClient
from shoe_controller.console.web import ConsoleSite
from shoe_controller.follow.connection import Follower
from shoe_controller.follow.in_sight import look_around
from shoe_controller.follow.process import Logbook, broker_for
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Broker
from shoe_controller.process.logging import Log, set_up_process
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.web.process import serve
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.sessions import Sessions
from shoe_controller.web.static_files import read_files

STATIC = Path(__file__).parent / "static"


async def _serve(config: ConsoleConfig, log: Log, service: SystemdNotifier, random_hex: Callable[[int], str]) -> None:
    settings = config.settings
    log = log.bind(table=config.table)
    observer = Logbook(log, service)
    bell = ChangeSignal()
    model = ConsoleModel(Topics(config.site, config.table), client=config.client, instance=random_hex(6))
    client = TableClient(model.followed, observer)
    password = None if config.password is None else config.password.reveal()

    def broker() -> Broker:
        client_id = f"shoe-console-{config.site}-{config.table}-{socket.gethostname()}-{random_hex(8)}"
        return broker_for(config.mqtt, client_id, config.username, password)

    def saw(tables: tuple[str, ...]) -> None:
        if tables != client.in_sight:
            client.in_sight = tables
            log.warning("waits_for_table", waits_for=f"{config.site}/{config.table}", in_sight=tables)

    follower = Follower(
        broker=broker(),
        followed=client,
        changed=bell.ring,
        observer=observer,
        clock=time.monotonic,
    )
    site = ConsoleSite(
        front=FormDesk(client, model.followed, lambda: random_hex(12)),
        model=model,
        sessions=Sessions(
            idle=settings.idle_timeout, clock=time.monotonic, new_token=lambda: secrets.token_urlsafe(32)
        ),
        files=read_files(STATIC),
        bell=bell,
        language=settings.language,
    )
    looking = partial(look_around, broker(), lambda: client.waits, saw)
    await serve(site, follower, settings, log, service, beside=looking)


def run(file: Path) -> None:
    """Serve the console of this file until a signal ends it. Its errors are for the person who typed the command."""
    config = load_console(file)
    with suppress(KeyboardInterrupt):
        log, service = set_up_process(config.log), SystemdNotifier.from_environment()
        asyncio.run(_serve(config, log, service, secrets.token_hex))
