"""The controller between a link and a real journal: what happens when the journal is slow and the line goes on.

The line is moved by hand: what a shoe says is handed to the controller, what the controller writes is kept.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.telegrams import encode_telegram
from firmware_protocol.events import Standby
from firmware_protocol.lines.cards_file import CardIds
from firmware_protocol.lines.controller import UNREAD_AT_ONCE, LinesController
from firmware_protocol.link import ControllerLink, Delivery, LinkReport
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.progress import LastCommitted, remember
from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import for_running, load_config
from shoe_controller.daemon.assembly import open_table
from shoe_controller.daemon.engine import Engine, LinkMemory, OtherShoe, Stored
from shoe_controller.daemon.past_rounds import past_round
from shoe_controller.daemon.raw_bytes import HEAD_BYTES, MOST_PIECES, TAIL_BYTES
from shoe_controller.house.rules import rules_of
from shoe_controller.journal.database import Database
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Direction, Entry, Receipt, RecordKind
from shoe_controller.messages.acts import ExchangeShoe, Role
from shoe_controller.table.inputs import (
    BadShoeSection,
    EventsMissed,
    LinkBack,
    LinkLost,
    NewShoeLine,
    PersonActs,
    PinVerdict,
    ShoeReport,
)
from shoe_controller.transports.descriptor_line import READ_SIZE
from simulator.reader_ids import cards_file
from tests.daemon.house_file import Wire, table_file, write_table_file
from tests.firmware_protocol.lines.sets import PLAIN, piece, some_set
from tests.firmware_protocol.native.line import KEY, bodies
from tests.firmware_protocol.native.puppets import BOOT_ID, PuppetShoe

pytestmark = pytest.mark.asyncio

PATIENCE = 10.0
LINE = NewShoeLine(wire="native", port="/dev/ttyUSB1")


class Desk:
    """A controller with a table and a journal, and an observer of what it has stored."""

    def __init__(self, folder: Path, link: ControllerLink, wire: Wire, other: OtherShoe | None = None) -> None:
        self.journal = folder / "table.journal"
        data = table_file(wire=wire, shoe_port=str(folder / "shoe"), journal=self.journal)
        config = for_running(load_config(write_table_file(folder, data), guarded=False))
        clock = SystemClock()
        self.opened = open_table(config, clock)
        self.written = b""
        self.held: asyncio.Semaphore | None = None
        """If there is one, each entry waits for it before it is stored."""
        self.given: list[object] = []
        """What was stored, in order."""
        self._more = asyncio.Event()
        self.controller = Engine(
            table=self.opened.table,
            link=link,
            wire=wire,
            journal=self,
            clock=clock,
            rules=lambda: rules_of(config),
            read_past=partial(past_round, self.opened.reader),
            read_shoe=lambda: other or BadShoeSection(text="there is no other shoe"),
            write=self._write,
            observer=self,
        )

    def _write(self, data: bytes) -> None:
        self.written += data

    async def submit(self, entry: Entry) -> Receipt:
        if self.held is not None:
            await self.held.acquire()
        return await self.opened.writer.submit(entry)

    async def store_one(self, number: int) -> None:
        """Let one entry be stored, which is the one with this number."""
        assert self.held is not None
        self.held.release()
        async with asyncio.timeout(PATIENCE):
            await self.reached(number)
        await asyncio.sleep(0)

    def let_go(self) -> None:
        assert self.held is not None
        self.held.release()
        self.held = None

    async def reached(self, number: int) -> None:
        while len(self.given) < number:
            self._more.clear()
            await self._more.wait()

    def stored(self, stored: Stored) -> None:
        self.given.append(stored.given)
        self._more.set()

    def line_reported(self, report: LinkReport) -> None:
        """It comes as an input too, where it matters."""

    def storing_failed(self, error: FileError) -> None:
        raise AssertionError(error)

    def storing_again(self) -> None:
        raise AssertionError

    async def all_done(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.controller.all_done()


@asynccontextmanager
async def at_work(desk: Desk) -> AsyncIterator[None]:
    """The controller works as long as the context lasts; an error of its own is the test's."""
    working = asyncio.create_task(desk.controller.run())
    try:
        yield
    finally:
        desk.controller.line_closed()
        waiting = asyncio.create_task(desk.all_done())
        await asyncio.wait([working, waiting], return_when=asyncio.FIRST_COMPLETED)
        failed = working.done()
        working.cancel()
        waiting.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)
        desk.opened.reader.close()
        desk.opened.writer.close()
        if failed:
            working.result()


class ShoeAtDesk(PuppetShoe):
    """A native shoe moved by hand, at the controller's line."""

    def __init__(self, desk: Desk, link: NativeController) -> None:
        super().__init__(link)
        self._desk = desk

    def sent(self) -> list[bytes]:
        data, self._desk.written = self._desk.written, b""
        return bodies(data)

    def say(self, *frames: bytes) -> list[Delivery | LinkReport]:
        self._desk.controller.received(b"".join(map(encode_frame, frames)))
        return []

    def reconnect(self) -> None:
        self._desk.controller.line_closed()
        self._desk.controller.line_opened()


async def test_shoes_are_swapped_while_the_journal_is_held_up(tmp_path: Path) -> None:
    numbers = iter(range(1, 100))
    link = NativeController(key=KEY, nonce=lambda: next(numbers).to_bytes(16, "big"))
    desk = Desk(tmp_path, link, "native")
    shoe = ShoeAtDesk(desk, link)
    boot_ids = [BOOT_ID, BOOT_ID + 1, BOOT_ID + 2]
    async with at_work(desk):
        desk.controller.line_opened()
        shoe.shake_hands()
        await desk.all_done()
        desk.given.clear()
        other_program = Database.for_writing(desk.journal)
        with other_program.transaction():
            # One event is being stored and the others wait; each shoe knows of its own events alone.
            shoe.say_event(1, Standby())
            await asyncio.sleep(0)
            shoe.say_event(2, Standby())
            for boot_id in boot_ids[1:]:
                shoe.boot_id = boot_id
                shoe.reconnect()
                shoe.shake_hands(recognised=False)
                shoe.say_event(1, Standby())
        other_program.close()
        await desk.all_done()
        reports = [given for given in desk.given if isinstance(given, ShoeReport)]
        assert [report.boot_id for report in reports] == [BOOT_ID, *boot_ids]
        kinds = [type(given) for given in desk.given if not isinstance(given, ShoeReport)]
        assert kinds.count(EventsMissed) == 2, "that the count broke off is on the record"
        assert (kinds.count(LinkLost), kinds.count(LinkBack)) == (2, 2)
        with JournalReader(desk.journal) as reader:
            link_state = reader.position().link_state
        assert link_state is not None
        memory = remember(msgspec.json.decode(link_state, type=LinkMemory).memory)
        assert (memory.boot_id, memory.sequence) == (boot_ids[-1], 1)


@pytest.mark.parametrize("same", [True, False], ids=["the same shoe", "another shoe"])
async def test_what_a_shoe_sends_while_it_is_exchanged_is_stored_once(tmp_path: Path, *, same: bool) -> None:
    """What waits when the supervisor acts is stored before; what comes later the same shoe sends again."""
    numbers = iter(range(1, 100))

    def link_after(sequence: int) -> NativeController:
        stored = LastCommitted(boot_id=BOOT_ID, sequence=sequence) if sequence else None
        nonce = partial(_nonce, numbers)
        return NativeController(key=KEY, nonce=nonce, last_committed=stored, perhaps_another=bool(sequence))

    links = [link_after(0), link_after(2)]
    desk = Desk(tmp_path, links[0], "native", OtherShoe(LINE, links[1], None, lambda: None))
    old, new = (ShoeAtDesk(desk, link) for link in links)
    new.boot_id = BOOT_ID if same else BOOT_ID + 1
    right = PinVerdict.RIGHT
    act = PersonActs(
        act=ExchangeShoe(), person="rana", role=Role.SUPERVISOR, pin=right, reason="it jams", shoe=0, round=0
    )
    async with at_work(desk):
        desk.controller.line_opened()
        old.shake_hands()
        await desk.all_done()
        desk.given.clear()
        desk.held = asyncio.Semaphore(0)
        old.say_event(1, Standby())
        await asyncio.sleep(0)
        asking = asyncio.create_task(desk.controller.ask(act))
        await asyncio.sleep(0)
        old.say_event(2, Standby())
        for stored in (1, 2):
            await desk.store_one(stored)
        # The exchange is being stored.
        old.say_event(3, Standby())
        desk.let_go()
        async with asyncio.timeout(PATIENCE):
            assert await asking is None
        await desk.all_done()
        desk.controller.line_opened()
        new.shake_hands(recognised=same, upcoming=4 if same else 2)
        new.say_event(3 if same else 1, Standby())
        await desk.all_done()
    reports = [(given.boot_id, given.sequence) for given in desk.given if isinstance(given, ShoeReport)]
    assert reports == [(BOOT_ID, 1), (BOOT_ID, 2), (new.boot_id, 3 if same else 1)]
    assert [type(given) for given in desk.given].count(EventsMissed) == 1


def _nonce(numbers: Iterator[int]) -> bytes:
    return next(numbers).to_bytes(16, "big")


async def test_of_endless_noise_only_the_end_is_kept_and_a_telegram_after_it_is_whole(tmp_path: Path) -> None:
    desk = Desk(tmp_path, AngelEyeController(), "angel_eye")
    telegram = encode_telegram(1, b"P")
    async with at_work(desk):
        desk.controller.line_opened()
        for _ in range(2 * (HEAD_BYTES + TAIL_BYTES)):
            desk.controller.received(b"\xaa")
        desk.controller.received(telegram)
        await desk.all_done()
        with JournalReader(desk.journal) as reader:
            raw = [r for r in reader.records(0, reader.position().head.number) if r.kind == RecordKind.RAW]
        from_shoe = [record.body for record in raw if record.name == Direction.FROM_SHOE]
        (left_out,) = (record.body for record in raw if record.name == Direction.LEFT_OUT)
        assert from_shoe[-1] == telegram
        assert len(from_shoe) == 2 * MOST_PIECES
        kept = sum(map(len, from_shoe))
        assert kept == MOST_PIECES + TAIL_BYTES, "a beginning in pieces of its own, and the end"
        assert json.loads(left_out) == {"bytes": 2 * (HEAD_BYTES + TAIL_BYTES) + len(telegram) - kept}
        assert any(isinstance(given, ShoeReport) for given in desk.given)


async def test_a_read_full_of_lines_of_noise_is_a_few_inputs(tmp_path: Path) -> None:
    cards = tmp_path / "cards.jsonl"
    cards.write_bytes(cards_file(8, "pieces"))
    cards.chmod(0o640)
    desk = Desk(tmp_path, LinesController(cards=CardIds([some_set()]), pattern=PLAIN), "lines")
    async with at_work(desk):
        desk.controller.line_opened()
        desk.controller.received(PLAIN.write(piece("9H")))
        desk.controller.received(b"x\n" * READ_SIZE)
        desk.controller.line_closed()
        await desk.all_done()
        assert [type(given) for given in desk.given].count(EventsMissed) == 1
        assert [type(given) for given in desk.given].count(ShoeReport) == 1 + UNREAD_AT_ONCE
