"""The daemon in the test's own event loop, for what a test cannot do to a process: set its clock, take its threads."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from shoe_controller.clock.moment import Moment
from shoe_controller.clock.system_clock import Clock, SystemClock
from shoe_controller.config.shoe import port_of
from shoe_controller.config.table_file import RunningConfig, for_running, load_config
from shoe_controller.daemon.assembly import brokers_for, open_table, peers_for
from shoe_controller.daemon.daemon import Daemon
from shoe_controller.mqtt.peers import Peers, Place
from shoe_controller.process.logging import set_up
from shoe_controller.process.systemd import SystemdNotifier


class ClockThatIsSet(SystemClock):
    """The machine's clock, with a wall clock that a test may set."""

    def __init__(self, by_ms: int = 0) -> None:
        super().__init__()
        self.by_ms = by_ms

    def now(self) -> Moment:
        moment = super().now()
        return Moment(wall_ms=moment.wall_ms + self.by_ms, mono_ns=moment.mono_ns, synchronised=False)


def peers_in_process(config: RunningConfig, clock: Clock) -> Peers:
    """Of a daemon that meets no other one."""
    place = Place("in-process", 1, clock.boot())
    return peers_for(config, clock, start="in-process", random_id=lambda: "question", place=place)


@asynccontextmanager
async def daemon_running(file: Path, clock: ClockThatIsSet, notify: Path | None = None) -> AsyncIterator[Daemon]:
    """Run the table of this file; leaving the context stops it, and waits for its end."""
    config = for_running(load_config(file, guarded=False))
    daemon = Daemon(
        config,
        open_table(config, clock),
        clock=clock,
        port=port_of(config.shoe),
        brokers=brokers_for(config, "in-process"),
        peers=peers_in_process(config, clock),
        log=set_up(config.log),
        service=SystemdNotifier(None if notify is None else str(notify), None),
    )
    running = asyncio.create_task(daemon.run())
    try:
        yield daemon
    finally:
        daemon.stop()
        await running
