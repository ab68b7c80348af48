"""A running table: joins its parts, keeps them running, and shuts them down in order.

Port, journal, clock and broker are made in `assembly.py` and handed to `Daemon`, so that a test or a simulation can
replace them. It is ready when it serves, with or without a shoe or a broker.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from firmware_protocol.link import LineError, LineQuality, LinkReport, Refused
from shoe_controller.clock.system_clock import Clock
from shoe_controller.config.shoe import port_of
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import RunningConfig, for_running, load_config
from shoe_controller.daemon.assembly import (
    Brokers,
    JournalOutbox,
    Opened,
    link_for,
    new_nonce,
    time_of,
)
from shoe_controller.daemon.beginning import journal_in
from shoe_controller.daemon.checkpointing import Checkpointing
from shoe_controller.daemon.engine import SECOND, Engine, Stored
from shoe_controller.daemon.line_watch import LineWatch
from shoe_controller.daemon.past_rounds import past_round
from shoe_controller.daemon.pin_office import InThread, PeoplesPins
from shoe_controller.daemon.rollback import HeadNotes
from shoe_controller.daemon.shoe_line import PortFor, ShoeExchange, ShoeInFile, ShoeLine
from shoe_controller.daemon.table_journal import SOFTWARE, snapshot_if_needed
from shoe_controller.daemon.table_log import TableLog
from shoe_controller.house.rules import read_rules, rules_of
from shoe_controller.journal.checkpoints import RECORDS_BETWEEN
from shoe_controller.journal.errors import EventsPrunedError, FileError
from shoe_controller.journal.opening import set_aside_names
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.facts import RoundResult, RoundVoided, ShoeEnded
from shoe_controller.messages.refusals import AnyRefusal, Pruned
from shoe_controller.messages.requests import ReplayDone, ReplayRequest, SeatWagers, SentCheckpoints
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import (
    BrokerError,
    DiscardedMessage,
    Incoming,
    PublishRefusedError,
    SubscriptionRefusedError,
)
from shoe_controller.mqtt.peers import Peer, Peers
from shoe_controller.mqtt.presence import NotedHead, TablePresence
from shoe_controller.mqtt.publisher import Publisher
from shoe_controller.mqtt.replays import Replays
from shoe_controller.mqtt.request_connection import RequestConnection
from shoe_controller.mqtt.request_limits import RequestLimits
from shoe_controller.mqtt.requests import RequestDesk, RequestRefusedError, Send
from shoe_controller.mqtt.retained import Posted, seat_wagers
from shoe_controller.process.logging import Log
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.table.inputs import (
    ControllerMet,
    ControllerStarted,
    DealerStruckOff,
    DealtBefore,
    JournalFailed,
    JournalTrouble,
    MessagesRefused,
    MessagesTaken,
    PersonActs,
    ProposerStruckOff,
    RequestsFlooded,
    SeatBets,
    Snapshot,
)
from shoe_controller.table.pins import guessing, pause_left
from shoe_controller.table.state import REVISION, RulesSource, TableState
from shoe_controller.table.view import prompt
from shoe_controller.transports.reconnect import LineOpened, LineReport
from shoe_controller.transports.transport import Port
from shoe_controller.words.render import ENGLISH

DRAIN = 0.8
"""Seconds allowed at shutdown for storing what has arrived, and again for publishing it."""

ENDS_ROUND = (RoundResult, RoundVoided, ShoeEnded)
"""After these the table notes its journal's head."""

RESTART_SECTIONS = ("table", "shoe", "mqtt", "journal", "log")
"""Sections of the file that take effect at the next start only; that of the shoe also when it is exchanged."""


class Daemon:
    """One table, running."""

    def __init__(  # noqa: PLR0913 - the parts of a table, each given by name
        self,
        config: RunningConfig,
        opened: Opened,
        *,
        clock: Clock,
        port: Port,
        brokers: Brokers | None,
        log: Log,
        service: SystemdNotifier,
        in_thread: InThread = asyncio.to_thread,
        nonce: Callable[[], bytes] = new_nonce,
        port_for: PortFor = port_of,
        peers: Peers,
        records_between: int = RECORDS_BETWEEN,
    ) -> None:
        self.config = config
        self.rules_pending = False
        """Whether a changed configuration waits for the next shoe."""
        self._clock = clock
        self._logbook = TableLog(log, config.table.name)
        self._service = service
        self._opened = opened
        position = opened.reader.position()
        self._outbox = JournalOutbox(opened.reader, opened.writer, position.last_seq)
        self._line = ShoeLine(port, self, clock)
        exchange = ShoeExchange(
            config=lambda: self.config,
            taken_up=self._other_shoe,
            line=self._line,
            reader=opened.reader,
            clock=clock,
            nonce=nonce,
            port_for=port_for,
        )
        self.controller = Engine(
            table=opened.table,
            link=link_for(config, position.link_state, clock, nonce, reader=opened.reader),
            wire=config.shoe.wire,
            journal=opened.writer,
            clock=clock,
            rules=lambda: rules_of(self.config),
            read_past=partial(past_round, opened.reader),
            read_shoe=exchange.read,
            write=self._line.write,
            observer=self,
        )
        self._checkpoints = Checkpointing(
            keys=opened.keys,
            journal=opened.writer,
            journal_id=opened.reader.identity.journal_id,
            last=opened.checkpoint,
            clock=clock,
            state=lambda: self.state,
            happened=self.controller.happened,
            log=self._logbook.log,
            records_between=records_between,
        )
        self._line_watch = LineWatch(
            lambda: self.controller.link.quality,
            self._tell_line_quality,
            lambda: self._clock.now().mono_ns / SECOND,
        )
        key = config.seal_key
        self._heads = HeadNotes(opened.reader, opened.anchor, None if key is None else key.reveal())
        self._anchor_trouble = ""
        self._last_head = self._found_head = position.head
        self._last_session = time_of(opened.reader, position.head.number)
        self._peers = peers
        self._stop = asyncio.Event()
        self._file_changed = False
        self._reloading: asyncio.Task[None] | None = None
        self.publisher: Publisher | None = None
        self._replays = Replays(self._outbox)
        self._requests: RequestConnection | None = None
        if brokers is not None:
            topics = Topics(config.table.site, config.table.name)
            seat_users = {} if config.mqtt is None else config.mqtt.seat_users
            pins = PeoplesPins(lambda: self.config.people, in_thread)
            desk = RequestDesk(topics, self, pins, self, seat_users)
            desk.on_failure = self._logbook.request_failed
            self.publisher = Publisher(
                broker=brokers.table,
                topics=topics,
                outbox=self._outbox,
                published=position.published_seq,
                presence=TablePresence(
                    self, topics, _posted(config, peers.start), read_rules, opened.reader.identity.journal_id
                ),
                desk=desk,
                limits=self._request_limits(topics),
                watcher=self,
                peers=peers,
                session=self._next_session,
            )
            self._requests = RequestConnection(
                broker=brokers.requests,
                topics=topics,
                desk=desk,
                limits=self._request_limits(topics),
                watcher=self,
                on_discarded=self.publisher.discards.discarded,
            )

    def _request_limits(self, topics: Topics) -> RequestLimits:
        return RequestLimits(topics, lambda: self._clock.now().mono_ns / SECOND, self._flooding)

    # --- running -----------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        self._stop.set()

    @property
    def stop_requested(self) -> bool:
        return self._stop.is_set()

    async def run(self) -> None:
        """Serve until `stop`; then store and publish what has arrived, and shut down."""
        self._peers.serves()
        self._first_inputs()
        working = asyncio.create_task(self.controller.run(), name="controller")
        around: list[asyncio.Task[Any]] = [
            asyncio.create_task(self._line.run(), name="line"),
            asyncio.create_task(self._line_watch.run(), name="line watch"),
            asyncio.create_task(self._watch(), name="watchdog"),
            asyncio.create_task(self._checkpoints.run(), name="checkpoints"),
            asyncio.create_task(self._stop.wait(), name="stop"),
        ]
        if self._requests is not None:
            around.append(asyncio.create_task(self._requests.run(), name="requests"))
        publishing: list[asyncio.Task[None]] = []
        if self.publisher is not None:
            publishing = [asyncio.create_task(self.publisher.run(), name="publisher")]
        self._service.ready(ENGLISH.prompt(prompt(self.state)))
        self._logbook.log.info("ready", journal=str(self._opened.path), version=SOFTWARE)
        try:
            done, _ = await asyncio.wait([working, *around, *publishing], return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._service.stopping()
            await self._let_go(working, around, publishing)

    def _first_inputs(self) -> None:
        opened, log = self._opened, self._logbook.log
        snapshot = snapshot_if_needed(opened.reader, opened.table, SOFTWARE)
        if snapshot is not None:
            self.controller.happened(snapshot)
        if opened.rolled_back is not None:
            log.error("journal_rolled_back", what=str(opened.rolled_back))
        if opened.damaged:
            # The first event of a new journal: until it is stored, every start must report it again.
            log.error("journal_damaged", what=opened.damaged)
            aside = tuple(name for name in set_aside_names(opened.path) if name in opened.damaged)
            damaged = JournalFailed(trouble=JournalTrouble.DAMAGED, detail=opened.damaged, set_aside=aside)
            self.controller.happened(damaged)
        asks = self.config.procedure.dealer_signs_in
        self.controller.happened(ControllerStarted(boot=self._clock.boot(), revision=REVISION, dealer_signs_in=asks))
        self._look_at_people()
        if opened.backup is not None:
            log.info("journal_brought_up_to_date", backup=str(opened.backup))
        if not any(person.role.value == "supervisor" for person in self.config.people):
            log.warning(
                "no_supervisor", what="no person in [[people]] is a supervisor, so no alert can be cleared; add one"
            )

    async def _last_inputs(self) -> None:
        """Store what has arrived, and then a snapshot of the table, from which another version can continue."""
        await self.controller.all_done()
        if self.state.shoe is not None:
            self.controller.happened(Snapshot(state=self.state))
            await self.controller.all_done()

    async def _let_go(
        self,
        working: "asyncio.Task[None]",
        around: "list[asyncio.Task[Any]]",
        publishing: "list[asyncio.Task[None]]",
    ) -> None:
        await _end(around)
        if not working.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._last_inputs(), DRAIN)
        if self.publisher is not None:
            self.publisher.stop()
            await asyncio.wait(publishing, timeout=DRAIN)
            await _end(publishing)
            self.publisher.note()
        await _end([working])
        self._heads.note(self._last_head)
        self._opened.close()
        self._logbook.log.info("stopped")

    async def _watch(self) -> None:
        """Feed systemd's watchdog, while the loop turns and the journal's writer answers."""
        interval = self._service.watchdog
        if interval is None:
            await asyncio.Event().wait()
            return
        while True:
            await self._opened.writer.sign_of_life()
            self._service.alive()
            await asyncio.sleep(interval / 3)

    # --- the file read again -----------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the file again: people at once, the house's rules with the next shoe, the rest with the next start."""
        self._service.reloading(self._clock.now().mono_ns)
        self._file_changed = True
        if self._reloading is None or self._reloading.done():
            self._reloading = asyncio.create_task(self._reload(), name="reload")

    async def _reload(self) -> None:
        # One at a time: a reload requested during the check may concern a newer file, which must win.
        while self._file_changed:
            self._file_changed = False
            await self._read_file_again()
        self._service.ready(ENGLISH.prompt(prompt(self.state)))

    async def _read_file_again(self) -> None:
        try:
            # The check of the odds is slow, so it runs in a thread; cards do not wait for it.
            fresh = await asyncio.to_thread(lambda: for_running(load_config(self.config.file)))
            self._take_up(fresh)
        except BadFileError as error:
            self._logbook.reload_refused(error)
        except Exception:
            # Whatever is wrong with the file, the table keeps its present configuration.
            self._logbook.log.exception("reload_failed")

    def _take_up(self, fresh: RunningConfig) -> None:
        old = self.config
        restart = [name for name in RESTART_SECTIONS if getattr(old, name) != getattr(fresh, name)]
        kept = {name: getattr(old, name) for name in (*restart, "shoe_key", "seal_key", "mqtt_password")}
        self.config = fresh._replace(**kept)
        self._look_at_rules()
        self._look_at_people()
        if self.publisher is not None:
            self.publisher.touch()
        self._logbook.log.info("reloaded", people=len(fresh.people), next_shoe=self.rules_pending, next_start=restart)

    def _other_shoe(self, named: ShoeInFile) -> None:
        self.config = self.config._replace(shoe=named.shoe, shoe_key=named.key, shoe_cards=named.cards)

    def _look_at_rules(self) -> None:
        self.rules_pending = self.state.shoe is not None and self.state.shoe.rules != rules_of(self.config)

    def _look_at_people(self) -> None:
        """Who is struck off the file is not on duty, and nothing that this person proposed is done any more."""
        dealer, proposal = self.state.lasting.dealer_id, self.state.lasting.proposal
        if dealer is not None and all(person.id != dealer for person in self.config.people):
            self.controller.happened(DealerStruckOff(person=dealer))
        supervisors = {person.id for person in self.config.people if person.role.value == "supervisor"}
        if proposal is not None and proposal.person not in supervisors:
            self.controller.happened(ProposerStruckOff(person=proposal.person))

    # --- the line, and what the engine reports (Observer) ------------------------------------------------------------

    def line_changed(self, report: LineReport) -> None:
        self._logbook.line(report)
        if isinstance(report, LineOpened):
            self.controller.line_opened()
        else:
            self.controller.line_closed()

    def stored(self, stored: Stored) -> None:
        facts = stored.facts
        ended = any(isinstance(fact, ShoeEnded) for fact in facts)
        self._checkpoints.stored(stored.receipt.head.number, shoe_ended=ended)
        first, self._last_head = self._last_head == self._found_head, stored.receipt.head
        if first or any(isinstance(fact, ENDS_ROUND) for fact in facts):
            self._note_head()
        if not facts:
            return
        if tuple(stored.receipt.seqs) != tuple(fact.seq for fact in facts):
            raise RuntimeError(f"the journal numbered {stored.receipt.seqs}, the table {[f.seq for f in facts]}")
        if self.rules_pending:
            self._look_at_rules()
        messages = self._outbox.just_stored(stored)
        if self.publisher is not None:
            self.publisher.offer(messages)
        for fact in facts:
            self._logbook.fact(fact)
        self._service.status(ENGLISH.prompt(prompt(self.state)))

    def _note_head(self) -> None:
        self._heads.note(self._last_head)
        if self.publisher is not None:
            self.publisher.touch()
        if self._opened.anchor.trouble != self._anchor_trouble:
            self._anchor_trouble = self._opened.anchor.trouble
            self._logbook.anchor(self._anchor_trouble)

    def bytes_came(self, data: bytes) -> float:
        return self.controller.received(data)

    def line_reported(self, report: LinkReport) -> None:
        self._logbook.link(report)
        if isinstance(report, LineError | Refused):
            self._line_watch.look()

    def _tell_line_quality(self, quality: LineQuality) -> None:
        self._logbook.line_quality(quality)
        if self.publisher is not None:
            self.publisher.touch()

    def storing_failed(self, error: FileError) -> None:
        self._logbook.storing_failed(error)
        if self.publisher is not None:
            self.publisher.touch()

    def storing_again(self) -> None:
        self._logbook.storing_again()
        if self.publisher is not None:
            self.publisher.touch()

    # --- what the publisher reports (Watcher) ------------------------------------------------------------------------

    def own_message(self, payload: bytes) -> None:
        self._look_for_another_journal(payload)
        ahead = self._heads.compare(payload)
        if ahead is not None:
            self._logbook.status_ahead(ahead)
            self.controller.happened(ahead)

    def _look_for_another_journal(self, payload: bytes) -> None:
        """The broker was away when a journal was begun, and shows now that the table had dealt before."""
        journal = journal_in(payload)
        if self._opened.is_unexplained and journal is not None and journal != self._opened.reader.identity.journal_id:
            self._opened.is_unexplained = False
            self._logbook.dealt_before(journal)
            self.controller.happened(DealtBefore(journal=journal))

    def broker_up(self) -> None:
        self._opened.is_unexplained = False
        self._logbook.broker_up()
        if self._requests is not None:
            self._requests.broker_up()

    def broker_down(self, error: BrokerError) -> None:
        self._logbook.broker_down(error)

    def refused(self, error: PublishRefusedError) -> None:
        self._logbook.refused(error)
        self.controller.happened(MessagesRefused(reason=error.answer))

    def taken_again(self) -> None:
        self._logbook.taken_again()
        self.controller.happened(MessagesTaken())

    def request_served(self, message: Incoming, code: str) -> None:
        self._logbook.request_served(message, code)

    def requests_dropped(self) -> None:
        self._logbook.requests_dropped()

    def requests_down(self, error: BrokerError) -> None:
        self._logbook.requests_down(error)

    def _flooding(self, user: str) -> None:
        self._logbook.flooding(user)
        self.controller.happened(RequestsFlooded(user=user))

    def another_controller(self, peer: Peer) -> None:
        self._logbook.another_controller(peer)
        self.controller.happened(ControllerMet(how=peer.how, host=peer.host, address=peer.address))

    def cannot_ask(self, error: SubscriptionRefusedError) -> None:
        self._logbook.cannot_ask(error)

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        self._logbook.discarded(count, newest)

    # --- what retained messages and requests need (Present, TableDesk, Replayer) -------------------------------------

    @property
    def state(self) -> TableState:
        return self.controller.table.state

    @property
    def storing_trouble(self) -> str | None:
        return self.controller.storing_trouble

    @property
    def line_quality(self) -> LineQuality:
        return self._line_watch.told

    @property
    def noted_head(self) -> NotedHead:
        return self._heads.noted

    @property
    def rules(self) -> RulesSource:
        return rules_of(self.config) if self.state.shoe is None else self.state.shoe.rules

    async def ask(self, given: PersonActs | SeatBets) -> AnyRefusal | None:
        return await self.controller.ask(given)

    def pin_pause(self, user: str, person: str) -> int:
        return pause_left(self.state, user, person, self._clock.now().mono_ns)

    def pins_guessed(self) -> bool:
        return guessing(self.state, self._clock.now().mono_ns)

    def seat_wagers(self, seat: str) -> SeatWagers | None:
        return seat_wagers(self.state, seat)

    async def replay(self, request: ReplayRequest, send: Send) -> ReplayDone:
        try:
            return await self._replays.replay(request, send)
        except EventsPrunedError as error:
            raise RequestRefusedError(Pruned(oldest=error.first)) from None

    def checkpoints(self, after: int, limit: int) -> SentCheckpoints:
        reader = self._opened.reader
        newest = reader.last_checkpoint()
        found = reader.checkpoints_after(after, limit)
        return SentCheckpoints(
            journal=reader.identity.journal_id,
            newest=-1 if newest is None else newest.index,
            checkpoints=msgspec.convert(found, tuple[Checkpoint, ...], from_attributes=True),
        )

    def _next_session(self) -> int:
        """Increases over restarts too, even with a clock that is behind the journal's last record."""
        self._last_session = max(self._last_session + 1, self._clock.now().wall_ms)
        return self._last_session


def _posted(config: RunningConfig, start_id: str) -> Posted:
    table = config.table
    return Posted(
        version=SOFTWARE,
        start=start_id,
        site=table.site,
        table=table.name,
        title=table.title,
        headline=table.headline,
    )


async def _end(tasks: "Sequence[asyncio.Task[Any]]") -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
