"""`shoe-controller run`: a table as a process.

Reads the file, looks whether another controller serves the table, opens the journal and handles signals; the `Daemon`
runs until a signal stops it, or another controller that has served the table for longer.
"""

import asyncio
import os
import secrets
import signal
import socket
from contextlib import suppress
from functools import partial
from pathlib import Path

from shoe_controller.clock.system_clock import Clock, SystemClock
from shoe_controller.config.shoe import port_of
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import RunningConfig, for_running, load_config
from shoe_controller.daemon.assembly import Brokers, Opened, brokers_for, open_table, peers_for, set_aside
from shoe_controller.daemon.beginning import is_missing, journal_in
from shoe_controller.daemon.daemon import Daemon
from shoe_controller.daemon.rollback import RolledBackError
from shoe_controller.daemon.table_log import TableLog
from shoe_controller.house.rules import rules_of
from shoe_controller.journal.errors import DamagedJournalError
from shoe_controller.mqtt.broker import BrokerError, BrokerSettingsError
from shoe_controller.mqtt.peers import PATIENCE, Peers, Place, ServedElsewhereError
from shoe_controller.mqtt.publisher import FIRST_RETRY
from shoe_controller.process.logging import Log, set_up_process
from shoe_controller.process.systemd import SystemdNotifier

BROKER_PATIENCE = 5.0
"""Seconds for the broker to answer where the journal is missing: it may have dealt before."""

CLIENT_ID_BYTES, START_ID_BYTES, QUESTION_BYTES = 8, 4, 8
"""Random bytes of the client id, which nobody else may guess, of the start's id, which is published, and of what
another controller is asked."""


async def _serve(config: RunningConfig, log: Log) -> None:
    """Run the table. If its journal is found to be damaged or rolled back, it is set aside and a new one is begun."""
    clock = SystemClock()
    peers = peers_of_process(config, clock)
    brokers = brokers_of_process(config)
    status_of = await look_at_broker(config, brokers, peers)
    damaged, rolled_back = "", None
    while True:
        opened = open_table(config, clock, damaged, rolled_back=rolled_back, status_of=status_of)
        damaged, rolled_back = "", None
        goes_on = _goes_on_with_its_rules(config, opened)
        daemon = _table(config, opened, clock, log, brokers, peers)
        judging = asyncio.create_task(_judge_while_dealing(config, log)) if goes_on else None
        try:
            await daemon.run()
        except (DamagedJournalError, RolledBackError, ExceptionGroup) as error:
            fault = _fault_in(error)
            if isinstance(fault, RolledBackError):
                rolled_back = fault
            else:
                damaged = set_aside(config, clock, fault)
            if daemon.stop_requested:
                return
            # With what was reloaded since the start: a person who was removed stays removed.
            config = daemon.config
        else:
            return
        finally:
            if judging is not None:
                judging.cancel()


def brokers_of_process(config: RunningConfig) -> Brokers | None:
    """The connections of this process, under client ids of its own."""
    return brokers_for(config, secrets.token_hex(CLIENT_ID_BYTES))


def peers_of_process(config: RunningConfig, clock: Clock) -> Peers:
    """This process among the controllers of the table."""
    return peers_for(
        config,
        clock,
        start=secrets.token_hex(START_ID_BYTES),
        random_id=partial(secrets.token_hex, QUESTION_BYTES),
        place=Place(socket.gethostname(), os.getpid(), clock.boot()),
    )


async def look_at_broker(config: RunningConfig, brokers: Brokers | None, peers: Peers) -> str | None:
    """The journal that the table's status at the broker names, if the broker answers in time and has one.

    Raises `ServedElsewhereError` where another controller serves the table: before the journal and the shoe's line are
    opened, so that nothing is stored or acknowledged for a table that is not ours.
    """
    if brokers is None:
        return None
    missing, status_of = is_missing(config.journal), None
    with suppress(TimeoutError):
        async with asyncio.timeout(BROKER_PATIENCE if missing else PATIENCE):
            while True:
                try:
                    retained = await peers.read_retained(brokers.table, lambda _: None)
                except BrokerSettingsError:
                    raise
                except BrokerError:
                    if not missing or peers.yields_to is not None:
                        break
                    await asyncio.sleep(FIRST_RETRY)
                    continue
                status_of = journal_in(retained.status)
                break
    if peers.yields_to is not None:
        raise ServedElsewhereError(f"{config.table.site}/{config.table.name}", peers.yields_to, served_ms=0)
    return status_of


def _fault_in(
    error: DamagedJournalError | RolledBackError | ExceptionGroup[Exception],
) -> DamagedJournalError | RolledBackError:
    """The journal's fault among these, if any. The publisher's errors come in an exception group."""
    found: Exception | None = error
    while isinstance(found, ExceptionGroup):
        faults = found.subgroup((DamagedJournalError, RolledBackError))
        found = None if faults is None else faults.exceptions[0]
    if not isinstance(found, DamagedJournalError | RolledBackError):
        raise error
    return found


def _table(  # noqa: PLR0913, PLR0917 - the parts of a table
    config: RunningConfig, opened: Opened, clock: Clock, log: Log, brokers: Brokers | None, peers: Peers
) -> Daemon:
    try:
        _ask_guard(config, opened)
    except BaseException:
        opened.close()
        raise
    daemon = Daemon(
        config,
        opened,
        clock=clock,
        port=port_of(config.shoe),
        brokers=brokers,
        log=log,
        service=SystemdNotifier.from_environment(),
        peers=peers,
    )
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, daemon.stop)
    loop.add_signal_handler(signal.SIGHUP, daemon.reload)
    return daemon


def _ask_guard(config: RunningConfig, opened: Opened) -> None:
    """Rules that the shoe on the table was opened with have passed the guard; a restart in mid-shoe must be quick."""
    if not _goes_on_with_its_rules(config, opened):
        load_config(config.file)


def _goes_on_with_its_rules(config: RunningConfig, opened: Opened) -> bool:
    shoe = opened.table.state.shoe
    return shoe is not None and shoe.rules == rules_of(config)


async def _judge_while_dealing(config: RunningConfig, log: Log) -> None:
    """Ask the guard about rules that an earlier version accepted; if this one is stricter, no table stops for it."""
    try:
        await asyncio.to_thread(load_config, config.file)
    except BadFileError as error:
        TableLog(log, config.table.name).rules_refused(error)


def run_table(file: Path) -> None:
    """Run the table of this file until a signal ends it. Its errors are for the person who typed the command."""
    config = for_running(load_config(file, guarded=False))
    asyncio.run(_serve(config, set_up_process(config.log)))
