"""The controller's machine: its clocks, its disk, and the real daemon that is started, killed and started again."""

import random
import traceback
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from shoe_controller.clock.moment import Moment
from shoe_controller.clock.system_clock import Clock
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.daemon.assembly import Brokers, Opened, open_table, peers_for
from shoe_controller.daemon.daemon import Daemon
from shoe_controller.daemon.table_journal import SOFTWARE, ReplayDiffersError, recover
from shoe_controller.journal import opening
from shoe_controller.journal.anchor import Claim, with_newest
from shoe_controller.journal.errors import DamagedJournalError
from shoe_controller.journal.key_folder import KeyFolder
from shoe_controller.journal.opening import Identity, WriterLock
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Head, Receipt
from shoe_controller.mqtt.peers import Peers, Place
from shoe_controller.process.systemd import SystemdNotifier
from tests.simulation.cable import Cable
from tests.simulation.copies import Copy, JournalCopies
from tests.simulation.daemon_broker import CLIENT_ID, REQUESTS_ID, DaemonBroker
from tests.simulation.damage import damage
from tests.simulation.inline_keys import InlineKeys
from tests.simulation.inline_writer import Disk, InlineWriter
from tests.simulation.observer import BrokenPromiseError, Memory
from tests.simulation.virtual_broker import VirtualBroker
from tests.simulation.virtual_time import DaemonLoop, VirtualTime

FIRST_WALL_MS = 1_790_000_000_000
UPTIME = 100.0
"""Seconds for which the machine had been running when the simulation began."""
PIN_SECONDS = 0.05
RECORDS_BETWEEN = 40
"""Between two checkpoints: so there are some in every run."""


class Machine:
    def __init__(
        self,
        *,
        time: VirtualTime,
        config: RunningConfig,
        cable: Cable,
        broker: VirtualBroker,
        generator: random.Random,
        sync_seconds: float,
        stored: Callable[[Entry, Receipt], None],
        begun: Callable[[str], None],
        taken_over: Callable[[JournalReader, Memory], None],
        remember: Callable[[], Memory] | None,
        gone: Callable[[], None],
    ) -> None:
        self.config = config
        self.disk = Disk(sync_seconds)
        self.daemon: Daemon | None = None
        self.starts = 0
        self.boots = 1
        self.powered = True
        self.wall_step_ms = 0
        self.killed_at_commit: list[str] = []
        """The phase of the table in which the daemon was killed at a commit, each time."""
        self.failures: list[str] = []
        """What no part of a daemon caught."""
        self.damaged: list[dict[str, bytes]] = []
        """What was left of each journal that was damaged, oldest first."""
        self.anchored: tuple[Claim, ...] = ()
        """The table's anchor, which survives whatever happens to the daemon."""
        self.rolled_back: list[Head] = []
        """Where each journal ended that was an older copy of itself, oldest first."""
        self._put_back: Copy | None = None
        """The journal was replaced by this since the last start."""
        self._copies = JournalCopies(config.journal.file, remember)
        self._journal_id = ""
        self._must_notice = False
        """The journal was damaged since the last start."""
        self._journals = 0
        self._time = time
        self._cable = cable
        self._broker = broker
        self._random = generator
        self._keys_random = random.Random(generator.random())  # noqa: S311 - the same keys every time
        self._stored = stored
        self._begun = begun
        """Called with the name of each new journal,"""
        self._taken_over = taken_over
        """or with one that takes over the state of an older copy, and what was known when that was taken."""
        self._gone = gone
        self._booted_at = -UPTIME
        self._loop: DaemonLoop | None = None
        self._connections: tuple[DaemonBroker, ...] = ()
        self._writer: InlineWriter | None = None
        self._graves: list[tuple[DaemonLoop, InlineWriter, JournalReader]] = []

    # --- the clock (`Clock`) ------------------------------------------------------------------------------------------

    def now(self) -> Moment:
        seconds = self._time.now
        return Moment(
            wall_ms=FIRST_WALL_MS + round(seconds * 1000) + self.wall_step_ms,
            mono_ns=round((seconds - self._booted_at) * 1e9),
            synchronised=True,
        )

    def time_of(self, moment: Moment) -> float:
        """When that was, in virtual time; for moments of the present boot."""
        return moment.mono_ns / 1e9 + self._booted_at

    def boot(self) -> str:
        return f"boot-{self.boots}"

    # --- the daemon ---------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self.daemon is not None

    @property
    def journal(self) -> Path:
        return self.config.journal.file

    def start(self) -> None:
        """As systemd does it."""
        self.starts += 1
        loop = DaemonLoop(self._time, self.failures)  # type: ignore[abstract]  # as much of a loop as the daemon needs
        with loop.running():
            opened = self._open(loop)
            table, requests = self._connections = tuple(
                DaemonBroker(self._broker, self._time, loop, name) for name in (CLIENT_ID, REQUESTS_ID)
            )
            daemon = Daemon(
                self.config,
                opened,
                clock=self,
                port=self._cable.for_daemon(loop),
                brokers=Brokers(table, requests),
                log=NoLog(),
                service=SystemdNotifier(None, None),
                in_thread=_check_pin,
                nonce=lambda: self._random.randbytes(16),
                peers=self._peers(),
                port_for=lambda _shoe: self._cable.for_daemon(loop),
                records_between=RECORDS_BETWEEN,
            )
            self.daemon = daemon
            self._loop = loop
            loop.create_task(self._run(daemon), name="daemon")

    def _peers(self) -> Peers:
        return peers_for(
            self.config,
            self,
            start=str(self.starts),
            random_id=lambda: self._random.randbytes(8).hex(),
            place=Place("simulated", self.starts, self.boot()),
        )

    async def _run(self, daemon: Daemon) -> None:
        try:
            await daemon.run()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a defect that the simulation has found
            self.failures.append("".join(traceback.format_exception(error)[-3:]))
        self._writer = self._loop = self.daemon = None

    def _open(self, loop: DaemonLoop) -> Opened:
        """With a writer that has no thread."""

        def open_journal(_config: RunningConfig, _clock: Clock) -> Opened:
            try:
                return self._open_journal(loop)
            except (DamagedJournalError, ReplayDiffersError) as error:
                if not self._must_notice:
                    raise BrokenPromiseError("a journal that nobody damaged was taken for damaged") from error
                self._must_notice = False
                raise

        opened = open_table(self.config, self, open_journal=open_journal, journal_id=self._next_id)
        if self._put_back is not None:
            raise BrokenPromiseError("an older copy of the journal was opened as if it were the journal")
        if self._must_notice:
            raise BrokenPromiseError("a damaged journal was opened as if it were sound")
        # Without the folder, which has another name each time.
        opened.damaged = opened.damaged.replace(f"{self.journal.parent}/", "")
        return opened

    def _next_id(self) -> str:
        self._journals += 1
        return f"5e1ec7ed{self._journals:08x}"

    def _open_journal(self, loop: DaemonLoop) -> Opened:
        path = self.journal
        table_name = f"{self.config.table.site}/{self.config.table.name}"
        lock = WriterLock(path)
        try:
            if path.exists():
                opening.prepare(path, table_name, stamp="20261116T120000Z")
            else:
                identity = Identity(table=table_name, journal_id=self._next_id())
                opening.create(path, identity, created_ms=self.now().wall_ms)
                self._journal_id = identity.journal_id
                self._copies.forget()
                self._begun(identity.journal_id)
            reader = JournalReader(path)
            try:
                table = recover(reader, SOFTWARE)
            except BaseException:
                reader.close()
                raise
        except BaseException:
            lock.release()
            raise
        self._writer = InlineWriter(
            path,
            software=SOFTWARE,
            lock=lock,
            time=self._time,
            loop=loop,
            disk=self.disk,
            stored=self._entry_stored,
            killed=self._kill_at_commit,
        )
        self._graves.append((loop, self._writer, reader))
        self._look_at_journal(reader)
        folder = KeyFolder(self.config.journal.keys, table_name, self._keys_random.randbytes)
        return Opened(
            path=path,
            writer=self._writer,
            reader=reader,
            table=table,
            keys=InlineKeys(folder, lambda: self.disk.sync_seconds),
            checkpoint=reader.last_checkpoint(),
            anchor=KeptAnchor(self),
        )

    def _look_at_journal(self, reader: JournalReader) -> None:
        """Which journal it is that was opened."""
        if self._put_back is not None:
            if reader.identity.journal_id == self._journal_id:
                return  # the older copy itself, which the table must not go on with
            self._journal_id = reader.identity.journal_id
            self._copies.forget()
            self._taken_over(reader, self._put_back.memory)
            self.rolled_back.append(self._put_back.head)
            self._put_back = None
        if reader.identity.journal_id != self._journal_id:
            raise BrokenPromiseError("a journal that nobody had replaced was taken for an older copy")
        self._copies.take(reader.position().head)

    def _entry_stored(self, entry: Entry, receipt: Receipt) -> None:
        self._stored(entry, receipt)
        if self._writer is not None and self._writer.head == receipt.head:
            self._copies.take_now_and_then(receipt.head)

    @property
    def _noted(self) -> int:
        """The last record of the present journal that the anchor has noted."""
        return max((claim.head.number for claim in self.anchored if claim.journal == self._journal_id), default=0)

    @property
    def older_copies(self) -> bool:
        """Whether there is a copy of the journal that must be noticed in its place."""
        return not self._must_notice and bool(self._copies.behind(self._noted))

    def put_back(self, number: int) -> None:
        """An older copy takes the journal's place while no program has it open, or its log is taken away."""
        if self.running:
            raise RuntimeError("a journal is replaced while nobody has it open: kill the daemon first")
        main_now = self.journal.read_bytes()
        self._let_go()
        self._put_back = self._copies.put_back(main_now, number, self._noted)

    def _let_go(self) -> None:
        for _, writer, reader in self._graves:
            writer.bury()
            reader.close()

    def damage_journal(self, number: int) -> None:
        """Something happens to the file while no program has it open."""
        if self.running:
            raise RuntimeError("a journal is damaged while nobody has it open: kill the daemon first")
        if not self._must_notice:
            self._let_go()
            self._put_back = None
            self._must_notice = True
            self.damaged.append(damage(self.journal, number))

    def _kill_at_commit(self) -> None:
        if self.daemon is not None:
            self.killed_at_commit.append(self.daemon.state.phase.value)
        self.kill()

    def kill(self) -> None:
        """The program ends between two of its steps."""
        self.disk.kill_at = None
        if self._loop is None or self._writer is None:
            return
        self._loop.kill()
        self._writer.abandon()
        for connection in self._connections:
            connection.vanish()
        self._cable.cut()
        self._writer = self._loop = self.daemon = None
        self._gone()

    def lose_power(self) -> None:
        self.kill()
        self.powered = False

    def power_up(self) -> None:
        """Power comes back, unless it is back already."""
        if not self.powered:
            self.powered = True
            self.boots += 1
            self._booted_at = self._time.now - UPTIME / 10

    def stop(self) -> None:
        """In order, as on SIGTERM."""
        if self.daemon is not None:
            self.daemon.stop()

    def bury(self) -> None:
        for loop, writer, reader in self._graves:
            loop.bury()
            writer.abandon()
            writer.bury()
            reader.close()
        self._graves.clear()


async def _check_pin(check: Callable[[str, str], bool], pin: str, hashed: str) -> bool:
    return _checked(check, pin, hashed)


@lru_cache(maxsize=1000)
def _checked(check: Callable[[str, str], bool], pin: str, hashed: str) -> bool:
    """Hashing takes real time on purpose, and the answer is always the same."""
    return check(pin, hashed)


class KeptAnchor:
    """An `Anchor` without a thread: what is noted is kept at once."""

    trouble = ""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.claims = machine.anchored

    def keep(self, claim: Claim) -> None:
        self._machine.anchored = with_newest(self._machine.anchored, claim)

    def close(self, patience: float) -> None:
        """Do nothing."""


class NoLog:
    """Takes every line and keeps none."""

    def bind(self, **_fields: object) -> "NoLog":
        return self

    def info(self, _event: str, **_fields: object) -> None:
        """Nothing."""

    debug = warning = error = info
