"""`shoe-controller board`: puts the board's parts together and runs them."""

import asyncio
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from shoe_controller.board.addresses import BoardAddresses
from shoe_controller.board.floor import Floor
from shoe_controller.board.web import WebSite
from shoe_controller.config.table_file import BoardConfig, load_board
from shoe_controller.follow.connection import Follower
from shoe_controller.follow.in_sight import look_around
from shoe_controller.follow.process import Logbook, broker_for
from shoe_controller.mqtt.broker import Broker
from shoe_controller.process.logging import Log, set_up_process
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.web.process import serve
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.static_files import TILES, read_files

STATIC = Path(__file__).parent / "static"


async def _serve(config: BoardConfig, log: Log, service: SystemdNotifier, random_hex: Callable[[int], str]) -> None:
    settings = config.settings
    bell = ChangeSignal()
    floor = Floor(settings.site, tables=frozenset(settings.tables), changed=bell.ring)
    files = read_files(TILES, STATIC)
    addresses = BoardAddresses(
        floor,
        files,
        language=settings.language,
        look=settings.look,
        pit=settings.pit,
        home=config.home,
        clock=time.monotonic,
    )
    password = None if config.password is None else config.password.reveal()

    def broker() -> Broker:
        client_id = f"shoe-board-{settings.site}-{socket.gethostname()}-{random_hex(8)}"
        return broker_for(config.mqtt, client_id, config.username, password)

    def saw(tables: tuple[str, ...]) -> None:
        if floor.saw(tables):
            log.warning("waits_for_tables", waits_for=floor.missing, in_sight=tables)
            bell.ring()

    follower = Follower(
        broker=broker(),
        followed=floor,
        changed=bell.ring,
        observer=Logbook(log, service),
        clock=time.monotonic,
    )
    looking = partial(look_around, broker(), lambda: bool(floor.missing), saw)
    await serve(WebSite(addresses, files, bell), follower, settings, log, service, beside=looking)


def run(file: Path) -> None:
    """Serve the boards of this file until a signal ends it. Its errors are for the person who typed the command."""
    config = load_board(file)
    with suppress(KeyboardInterrupt):
        log, service = set_up_process(config.log), SystemdNotifier.from_environment()
        asyncio.run(_serve(config, log, service, secrets.token_hex))
