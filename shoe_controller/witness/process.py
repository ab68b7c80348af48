"""`shoe-controller witness`: puts the parts of a witness together and runs them."""

import asyncio
import secrets
import signal
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import msgspec

from shoe_controller.config.table_file import WitnessConfig, load_witness
from shoe_controller.follow.connection import Follower
from shoe_controller.follow.process import Logbook, broker_for, follow_until
from shoe_controller.process.logging import Log, set_up_process
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.witness.lines import AlarmRaised
from shoe_controller.witness.lines_file import LinesFile
from shoe_controller.witness.site import WitnessedSite
from shoe_controller.words.render import ENGLISH


class AlarmLog:
    """An `AlarmObserver` that logs alarms, and ends the process when its file fails."""

    def __init__(self, log: Log, stop: asyncio.Event) -> None:
        self.failure: OSError | None = None
        self._log = log
        self._stop = stop

    def alarm(self, line: AlarmRaised) -> None:
        self._log.error(
            "alarm",
            table=line.table,
            file_line=line.line,
            what=ENGLISH.of(line.alarm),
            **msgspec.to_builtins(line.alarm),
        )

    def file_failed(self, error: OSError) -> None:
        self.failure = error
        self._stop.set()


async def _watch(config: WitnessConfig, log: Log, service: SystemdNotifier) -> None:
    settings = config.settings
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    alarms = AlarmLog(log, stop)
    file = LinesFile(settings.file)
    try:
        site = WitnessedSite(
            settings.site,
            client=config.client,
            instance=secrets.token_hex(6),
            file=file,
            heads_every=settings.heads_every,
            observer=alarms,
            clock=time.monotonic,
            wall=lambda: time.time_ns() // 1_000_000,
        )
        torn = site.begin(version("shoe-controller"), settings.acknowledged)
        if torn:
            log.warning("unfinished_line", bytes=torn, what="a power cut left an unfinished line; it is passed over")
        client_id = f"shoe-witness-{settings.site}-{secrets.token_hex(8)}"
        password = None if config.password is None else config.password.reveal()
        follower = Follower(
            broker=broker_for(config.mqtt, client_id, config.username, password),
            followed=site,
            changed=lambda: None,
            observer=Logbook(log, service),
            clock=time.monotonic,
        )
        log.info("ready", file=str(settings.file), line="" if file.last is None else file.last.end)
        service.ready("Looking for the broker.")
        await follow_until(stop, follower, service)
        site.end()
    finally:
        service.stopping()
        file.close()
        log.info("stopped")
    if alarms.failure is not None:
        raise alarms.failure


def run(file: Path) -> None:
    """Watch the tables of this file's site until a signal ends it. Errors are for the person who typed the command."""
    config = load_witness(file)
    with suppress(KeyboardInterrupt):
        asyncio.run(_watch(config, set_up_process(config.log), SystemdNotifier.from_environment()))
