"""`shoe-controller pit`: puts the parts of the pit's process together and runs them."""

import asyncio
import multiprocessing
import os
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from shoe_controller.board.floor import Floor
from shoe_controller.config.site_people import SitePerson, SiteRole
from shoe_controller.config.table_file import PitConfig, load_pit
from shoe_controller.follow.connection import Follower
from shoe_controller.follow.in_sight import look_around
from shoe_controller.follow.process import Logbook, broker_for
from shoe_controller.messages.pit import WagerExposed
from shoe_controller.mqtt.broker import Broker
from shoe_controller.pit.alarms_file import AlarmsFile
from shoe_controller.pit.evidence_file import BadEvidenceError, EvidenceFile, KeptEvidence
from shoe_controller.pit.exposures import Exposures
from shoe_controller.pit.followed import FollowedPit
from shoe_controller.pit.lines import AlarmRaised
from shoe_controller.pit.seats import JudgeQueue, SeatJudge
from shoe_controller.pit.sections import Moment
from shoe_controller.pit.shoe_fold import EndedShoe
from shoe_controller.pit.site import ExposedSite
from shoe_controller.pit.web import PitSite, pit_files
from shoe_controller.process.lines_file import LinesFileError
from shoe_controller.process.logging import Log, set_up_process
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.protection.fresh_shoes import FreshShoes, FreshWager, fresh_shoes
from shoe_controller.protection.shoe_record import ShoeRecord
from shoe_controller.web.login import Login
from shoe_controller.web.process import serve
from shoe_controller.web.push import ChangeSignal
from shoe_controller.web.sessions import Sessions
from shoe_controller.words.render import ENGLISH

NICE = 15
"""How much less important the comparison of seats is than everything else on the machine."""


def _be_nice() -> None:
    with suppress(OSError):  # a service may not be permitted to
        os.nice(NICE)


class ShoeDealer:
    """Deals fresh shoes in a process of its own, one request after another."""

    def __init__(self, log: Log, seed: int) -> None:
        self._log = log
        self._seed = seed
        self._pool: ProcessPoolExecutor | None = None

    async def deal(self, wagers: Sequence[FreshWager]) -> Sequence[FreshShoes]:
        """For wagers of the same decks and last rounds; nothing if the process died."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, initializer=_be_nice)
        first = wagers[0]
        priced = [each.wager for each in wagers]
        dealing = partial(fresh_shoes, first.decks, first.last_rounds, priced, self._seed)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, dealing)
        except BrokenExecutor as error:
            self._log.error("seats_not_judged", why=str(error))
            self.stop()
            return ()

    def stop(self) -> None:
        if self._pool is not None:
            for process in list((self._pool._processes or {}).values()):  # noqa: SLF001 - nothing public ends it at once
                process.terminate()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


class KeptSeats:
    """The evidence about seats, kept in a file; what is wrong with that is logged, and stops nothing."""

    def __init__(self, file: EvidenceFile, log: Log) -> None:
        self._file = file
        self._log = log
        self._works = True

    def restored(self) -> KeptEvidence:
        """What an earlier process had; nothing where its file cannot be used, which is set aside then."""
        try:
            return self._file.read()
        except (BadEvidenceError, OSError) as error:
            why, aside = str(error), None
        with suppress(OSError):
            aside = str(self._file.set_aside())
        self._log.warning("evidence_begins_anew", why=why, set_aside=aside)
        return KeptEvidence()

    async def store(self, evidence: Callable[[], KeptEvidence]) -> None:
        try:
            await self._file.write(evidence)
        except OSError as error:
            if self._works:
                self._log.error("evidence_not_written", why=str(error), what="it is written after the next shoe")
            self._works = False
        else:
            self._works = True


class AlarmLog:
    """The observer of the file and of the site: remembers lines, logs alarms and failures, has shoes judged."""

    def __init__(self, log: Log) -> None:
        self.remember: Callable[[AlarmRaised], None] = lambda _: None
        self.judge: Callable[[str, EndedShoe, ShoeRecord], bool] = lambda *_: True
        self._log = log

    def restored(self, line: AlarmRaised) -> None:
        self.remember(line)

    def written(self, line: AlarmRaised) -> None:
        self.remember(line)
        write = self._log.info if isinstance(line.alarm, WagerExposed) else self._log.warning
        write(
            "alarm",
            table=line.table,
            file_line=line.line,
            what=ENGLISH.of(line.alarm),
            **msgspec.to_builtins(line.alarm),
        )

    def file_failed(self, error: OSError | LinesFileError) -> None:
        self._log.error("alarms_not_written", why=str(error), what="alarms are shown, and written when that is over")

    def file_works(self) -> None:
        self._log.info("alarms_written_again")

    def shoe_ended(self, table: str, ended: EndedShoe, record: ShoeRecord) -> None:
        self._log.info("shoe_ended", table=table, shoe=ended.shoe, rounds_with_edges=len(record.rounds))
        if not self.judge(table, ended, record):
            self._log.warning("seats_not_judged", table=table, shoe=ended.shoe, why="too many shoes wait to be judged")


async def _serve(config: PitConfig, log: Log, service: SystemdNotifier, random_hex: Callable[[int], str]) -> None:
    settings = config.settings
    bell = ChangeSignal()
    floor = Floor(settings.site, tables=frozenset(settings.tables), changed=bell.ring)
    exposures = Exposures()
    alarms = AlarmLog(log)
    site = ExposedSite(
        settings.site,
        tables=frozenset(settings.tables),
        client=config.client,
        instance=random_hex(6),
        edge_limit=settings.edge_limit,
        acknowledged=settings.acknowledged,
        sink=exposures,
        observer=alarms,
        clock=time.monotonic,
        wall=_wall,
        new_start=lambda: random_hex(4),
    )
    alarms.remember = site.remember
    site.file = file = AlarmsFile(
        settings.file,
        version=version("shoe-controller"),
        acknowledged=settings.acknowledged,
        observer=alarms,
        clock=time.monotonic,
        wall=_wall,
    )
    evidence = KeptSeats(EvidenceFile(settings.evidence, settings.site, lambda: str(_wall())), log)
    # Each in a process of its own: those that take long hold up no others.
    dealers = [ShoeDealer(log, seed=int(random_hex(4), 16)) for _ in range(2)]
    password = None if config.password is None else config.password.reveal()

    def broker() -> Broker:
        client_id = f"shoe-pit-{settings.site}-{socket.gethostname()}-{random_hex(8)}"
        return broker_for(config.mqtt, client_id, config.username, password)

    def saw(tables: tuple[str, ...]) -> None:
        if floor.saw(tables):
            log.warning("waits_for_tables", waits_for=floor.missing, in_sight=tables)
            bell.ring()

    follower = Follower(
        broker=broker(),
        followed=FollowedPit(site, floor),
        changed=bell.ring,
        observer=Logbook(log, service),
        clock=time.monotonic,
        will=site.will,
    )
    page = PitSite(
        login=Login(config.people, SiteRole.PIT, clock=time.monotonic, log=log),
        sessions=Sessions[SitePerson](
            idle=settings.idle_timeout, clock=time.monotonic, new_token=lambda: secrets.token_urlsafe(32)
        ),
        floor=floor,
        exposures=exposures,
        files=pit_files(),
        bell=bell,
        clock=lambda: Moment(time.monotonic(), _wall()),
        language=settings.language,
        look=settings.look,
    )

    torn = file.open()
    if torn:
        log.warning("unfinished_line", bytes=torn, what="a power cut left an unfinished line; it is passed over")
    judge = SeatJudge(
        [
            JudgeQueue(dealer.deal, by_totals=by_totals)
            for dealer, by_totals in zip(dealers, (True, False), strict=True)
        ],
        alarm=site.seat_follows,
        judged=lambda: evidence.store(judge.evidence),
        threshold=settings.false_alarm_after,
        kept=evidence.restored(),
    )
    alarms.judge = judge.shoe_ended

    async def beside() -> None:
        await asyncio.gather(look_around(broker(), lambda: bool(floor.missing), saw), judge.run())

    try:
        await serve(page, follower, settings, log, service, beside=beside)
        file.flush()
    finally:
        for dealer in dealers:
            dealer.stop()
        file.close()


def _wall() -> int:
    return time.time_ns() // 1_000_000


def run(file: Path) -> None:
    """Follow the tables of this file's site until a signal ends it. Errors are for the person who typed the command."""
    config = load_pit(file)
    with suppress(KeyboardInterrupt):
        log, service = set_up_process(config.log), SystemdNotifier.from_environment()
        asyncio.run(_serve(config, log, service, secrets.token_hex))
