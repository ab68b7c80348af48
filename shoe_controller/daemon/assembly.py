"""The parts of a running table, made from its configuration: journal and table, link, broker.

`daemon.py` puts them together. Nothing here runs by itself.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from firmware_protocol.angel_eye import sequence as angel_eye_memory
from firmware_protocol.angel_eye.controller import NOTHING_RECEIVED, AngelEyeController, LineSettings
from firmware_protocol.lines import controller as lines_memory
from firmware_protocol.lines.controller import LinesController
from firmware_protocol.link import ControllerLink
from firmware_protocol.native import progress as native_memory
from firmware_protocol.native.controller import NativeController
from shoe_controller.clock.system_clock import Clock
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.daemon.beginning import allow_beginning, is_unexplained
from shoe_controller.daemon.checkpointing import Keys, ThreadedKeys
from shoe_controller.daemon.engine import SECOND, LinkMemory, Stored
from shoe_controller.daemon.published import PublishedEvents
from shoe_controller.daemon.rollback import (
    Anchor,
    NewJournalId,
    NoAnchor,
    RolledBackError,
    first_entry,
    new_journal_id,
    what_contradicts,
)
from shoe_controller.daemon.table_journal import (
    SOFTWARE,
    PublishedFact,
    ReplayDiffersError,
    recent_events,
    recover,
    topic_of,
    used_nonces,
)
from shoe_controller.journal import opening, succession
from shoe_controller.journal.anchor import AnchorWriter, read_anchor
from shoe_controller.journal.checkpoints import Checkpoint
from shoe_controller.journal.errors import DamagedJournalError, NotAnAnchorError, UnreadableAnchorError
from shoe_controller.journal.key_folder import KeyFolder
from shoe_controller.journal.loop_callbacks import LoopCallbacks
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Receipt
from shoe_controller.journal.store import Journal, open_journal
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import Broker, BrokerAddress, TlsFiles
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.mqtt.peers import Peers, Place
from shoe_controller.mqtt.request_connection import RECEIVE_MAXIMUM
from shoe_controller.table.table import Table

ANCHOR_PATIENCE = 0.5
"""Seconds that the last write of the anchor may take when the table stops."""


class TableWriter(Protocol):
    """The journal's writer, as an event loop sees it."""

    def submit(self, entry: Entry) -> Awaitable[Receipt]: ...

    def confirm(self, seq: int) -> None:
        """Not awaited: a confirmation that cannot be stored is repeated with the next one."""

    async def sign_of_life(self) -> None: ...

    def close(self) -> None: ...


class LoopJournal:
    """A `TableWriter`: the journal's own thread writes, and answers into this loop."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._answers = LoopCallbacks()

    def submit(self, entry: Entry) -> Awaitable[Receipt]:
        future: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self.journal.store(entry, self._answers.in_loop(partial(_settle, future)))
        return future

    def confirm(self, seq: int) -> None:
        self.journal.confirm(seq)

    async def sign_of_life(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.journal.sign_of_life(self._answers.in_loop(partial(_settle, future)))
        await future

    def close(self) -> None:
        self.journal.close()
        self._answers.close()


def _settle(future: "asyncio.Future[Any]", outcome: object) -> None:
    if future.done():
        return
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


class JournalOutbox:
    """What the publisher needs of the journal."""

    def __init__(self, reader: JournalReader, writer: TableWriter, last_seq: int) -> None:
        self._reader = reader
        self._writer = writer
        self._published = PublishedEvents(reader)
        self.last_seq = last_seq

    def just_stored(self, stored: Stored) -> list[EventMessage]:
        """The messages of what was just stored, without reading it back."""
        self.last_seq = stored.facts[-1].seq
        return [
            self._published.message(
                fact.seq, PublishedFact(topic_of(type(fact)), fact.shoe, fact.round, event.body), head
            )
            for fact, event, head in zip(stored.facts, stored.events, stored.receipt.heads, strict=True)
        ]

    def events(self, after: int, limit: int) -> list[EventMessage]:
        return self._published.events(after, limit)

    def newest(self) -> int:
        return self.last_seq

    def oldest(self) -> int:
        pruned = self._reader.tombstones()
        return pruned[-1].last_seq + 1 if pruned else 1

    def confirm(self, seq: int) -> None:
        self._writer.confirm(seq)


class Opened(msgspec.Struct, kw_only=True):
    """An open journal, and the table restored from it."""

    path: Path
    writer: TableWriter
    reader: JournalReader
    table: Table
    keys: Keys
    """Those of the journal's checkpoints."""
    checkpoint: Checkpoint | None
    """The newest in the journal."""
    anchor: Anchor = msgspec.field(default_factory=NoAnchor)
    backup: Path | None = None
    """The backup copy, if the journal had to be migrated."""
    damaged: str = ""
    """What had to be set aside, and why."""
    rolled_back: RolledBackError | None = None
    """Why this journal has just taken over from another."""
    is_unexplained: bool = False
    """Whether it was begun as that of a table which has never dealt, and nothing of it was published yet."""

    def close(self) -> None:
        self.reader.close()
        self.writer.close()
        self.anchor.close(ANCHOR_PATIENCE)


def open_table(  # noqa: PLR0913 - what a simulation replaces, and what was found before, each given by name
    config: RunningConfig,
    clock: Clock,
    damaged: str = "",
    open_journal: Callable[[RunningConfig, Clock], Opened] | None = None,
    *,
    rolled_back: RolledBackError | None = None,
    status_of: str | None = None,
    journal_id: NewJournalId = new_journal_id,
) -> Opened:
    """Open the journal and restore the table. A journal that cannot be trusted is set aside, never overwritten.

    `damaged` describes a journal that was set aside just before. `open_journal` opens the existing one or creates one.
    `rolled_back` is what a message showed; what the anchor shows is found here. `status_of` is the journal that the
    table's status at the broker names. Raises `NotBegunError` where a journal is missing that must have been there.
    """
    open_journal = open_journal or _open
    succession.finish(config.journal.file)
    allow_beginning(config.journal, status_of, config.file)
    try:
        opened = open_journal(config, clock)
    except (DamagedJournalError, ReplayDiffersError) as error:
        damaged = set_aside(config, clock, error)
        opened = open_journal(config, clock)
    seen = what_contradicts(opened.reader, opened.anchor, rolled_back)
    if seen is not None:
        _succeed(config, clock, opened, seen, journal_id())
        opened = open_journal(config, clock)
        opened.rolled_back = seen
    opened.damaged = _with_unreported(damaged, opened)
    opened.is_unexplained = not opened.damaged and opened.rolled_back is None and is_unexplained(opened.reader)
    return opened


def _succeed(config: RunningConfig, clock: Clock, opened: Opened, seen: RolledBackError, journal_id: str) -> None:
    """Put a new journal, which continues from the rolled-back one, in its place."""
    path = opening.real_path(config.journal.file)
    stamp = succession.free_stamp(path, _stamp(clock))
    identity = Identity(table=opened.reader.identity.table, journal_id=journal_id)
    now = clock.now()
    kept_as = succession.name_of_old(path, stamp)
    entry = first_entry(opened.reader, opened.table.state, seen, kept_as, now)
    opened.close()
    succession.succeed(path, identity, entry, created_ms=now.wall_ms, software=SOFTWARE, stamp=stamp)


def _with_unreported(damaged: str, opened: Opened) -> str:
    """A journal without events has not yet published what was set aside before it: the power may have failed."""
    if _has_events(opened):
        return damaged
    unreported = [name for name in opening.set_aside_names(opened.path) if name not in damaged]
    if not unreported:
        return damaged
    return f"{damaged} Journals that were set aside before: {', '.join(unreported)}.".lstrip()


def _has_events(opened: Opened) -> bool:
    """Whether the table has published anything, but that a journal was rolled back which had no events either."""
    lasting, last_seq = opened.table.state.lasting, opened.reader.position().last_seq
    if last_seq > 1 or not last_seq:
        return bool(last_seq)
    rolled_back = sum(alert.kind is AlertKind.JOURNAL_ROLLED_BACK for alert in lasting.alerts)
    return lasting.alerts_raised != rolled_back


def set_aside(config: RunningConfig, clock: Clock, why: DamagedJournalError | ReplayDiffersError) -> str:
    """Rename a journal that cannot be trusted; returns a sentence for the person who must act."""
    aside = opening.set_aside(config.journal.file, stamp=_stamp(clock))
    return f"{why} It was set aside as {aside.name}."


def _open(config: RunningConfig, clock: Clock) -> Opened:
    identity = Identity(table=f"{config.table.site}/{config.table.name}", journal_id=new_journal_id())
    journal = open_journal(
        config.journal.file, identity=identity, software=SOFTWARE, now_ms=clock.now().wall_ms, stamp=_stamp(clock)
    )
    try:
        reader = JournalReader(config.journal.file)
        try:
            return Opened(
                path=journal.path,
                writer=LoopJournal(journal),
                reader=reader,
                table=recover(reader, SOFTWARE),
                keys=ThreadedKeys(KeyFolder(config.journal.keys, identity.table)),
                checkpoint=reader.last_checkpoint(),
                anchor=_anchor(config),
                backup=journal.backup,
            )
        except BaseException:
            reader.close()
            raise
    except BaseException:
        journal.close()
        raise


def _anchor(config: RunningConfig) -> Anchor:
    file = config.journal.anchor
    if file is None:
        return NoAnchor()
    try:
        return AnchorWriter(file, read_anchor(file))
    except NotAnAnchorError as error:
        # It may be the journal itself, or a key: what is no anchor is not replaced by one.
        return NoAnchor(str(error))
    except UnreadableAnchorError as error:
        return AnchorWriter(file, (), str(error))


def _stamp(clock: Clock) -> str:
    return datetime.fromtimestamp(clock.now().wall_ms / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")


def time_of(reader: JournalReader, number: int) -> int:
    """When a record was stored, by the clock of that time; 0 if it is not there."""
    return max((record.wall_ms for record in reader.records(number - 1, number)), default=0)


def new_nonce() -> bytes:
    """A nonce for the handshake with a shoe."""
    return os.urandom(16)


def link_for(  # noqa: PLR0913 - what a link must know, each given by name
    config: RunningConfig,
    link_state: bytes | None,
    clock: Clock,
    nonce: Callable[[], bytes] = new_nonce,
    *,
    reader: JournalReader | None = None,
    perhaps_another: bool = False,
) -> ControllerLink:
    """A link that knows what was stored last; `perhaps_another` says that the shoe may not be the one that sent it.

    `reader` is for what a link must know besides, where its wire can make use of it.
    """
    stored = None if link_state is None else msgspec.json.decode(link_state, type=LinkMemory)
    if stored is not None and stored.wire != config.shoe.wire:
        stored = None
    if config.shoe.wire == "native":
        key = config.shoe_key
        return NativeController(
            key=None if key is None else key.reveal(),
            insecure=key is None,
            nonce=nonce,
            last_committed=None if stored is None else native_memory.remember(stored.memory),
            recent=() if reader is None else recent_events(reader),
            used_nonces=() if reader is None else used_nonces(reader),
            perhaps_another=perhaps_another,
        )
    age = 0.0
    if stored is not None:
        # After a power-up its age is unknown; treated as old, a repeat of it stops the table.
        same_boot = stored.boot == clock.boot()
        age = max(0.0, (clock.now().mono_ns - stored.mono_ns) / SECOND) if same_boot else 1e9
    lines, cards = config.shoe.lines, config.shoe_cards
    if lines is not None and cards is not None:
        return LinesController(
            cards=cards,
            pattern=lines.pattern,
            repeat_within=lines.repeat_within,
            card_takes=config.shoe.card_takes,
            state=lines_memory.NOTHING_RECEIVED if stored is None else lines_memory.remember(stored.memory),
            state_age=age,
        )
    state = NOTHING_RECEIVED if stored is None else angel_eye_memory.remember(stored.memory)
    line = LineSettings(stx_in_bcc=config.shoe.stx_in_bcc, card_takes=config.shoe.card_takes)
    return AngelEyeController(state=state, state_age=age, commands=config.shoe.commands, line=line)


class Brokers(NamedTuple):
    """The table's connections to one broker."""

    table: Broker
    """For everything that the table publishes, and the requests of dealers and supervisors."""
    requests: Broker
    """For the requests of displays and wager terminals."""


def brokers_for(config: RunningConfig, random_part: str) -> Brokers | None:
    """`random_part` is for the client ids: new at every start, and kept to ourselves."""
    mqtt = config.mqtt
    if mqtt is None:
        return None
    tls = None
    if mqtt.ca_file is not None:
        tls = TlsFiles(ca_file=mqtt.ca_file, cert_file=mqtt.cert_file, key_file=mqtt.key_file)
    password = config.mqtt_password
    table = BrokerAddress(
        host=mqtt.host,
        port=mqtt.port,
        client_id=f"shoe-controller-{config.table.site}-{config.table.name}-{random_part}",
        username=mqtt.username,
        password=None if password is None else password.reveal(),
        tls=tls,
        keep_alive=mqtt.keep_alive,
    )
    requests = replace(table, client_id=f"{table.client_id}-requests", receive_maximum=RECEIVE_MAXIMUM)
    return Brokers(NetworkBroker(table), NetworkBroker(requests))


def peers_for(config: RunningConfig, clock: Clock, *, start: str, random_id: Callable[[], str], place: Place) -> Peers:
    """This controller among those of its table; `start` names it in what it publishes."""
    return Peers(
        Topics(config.table.site, config.table.name),
        start=start,
        place=place,
        password=None if config.mqtt_password is None else config.mqtt_password.reveal(),
        now=lambda: clock.now().mono_ns / SECOND,
        random_id=random_id,
    )
