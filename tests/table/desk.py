"""A table with its real journal, which can be killed at the worst moments and goes on with what is on the disk.

    with desk_in(folder) as desk:
        desk.open_shoe("3H")                          # everything that a `Sitting` can do
        desk.killed_when = KilledWhen.BEFORE_SUBMIT
        with pytest.raises(KilledError):
            desk.card("9H")
        desk.lose_power()
        desk.start(boot="first")                      # as the shell starts: open, recover, snapshot, ControllerStarted
        desk.link_back()                              # the shoe sends again what was not acknowledged

Every input goes the whole way: handle, one durable entry, take over. State and facts are compared after each
(`state_checks.py`).
"""

import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from firmware_protocol.events import AnyStoredEvent
from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.past_rounds import past_round
from shoe_controller.daemon.table_journal import entry_for, recover, replay, snapshot_if_needed
from shoe_controller.house.rules import read_rules
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Direction, Raw
from shoe_controller.journal.store import Journal, open_journal
from shoe_controller.journal.verify import Report, verify
from shoe_controller.messages.facts import ShoeOpened
from shoe_controller.table.inputs import (
    AnyInput,
    ControllerStarted,
    EventsMissed,
    LinkBack,
    NewShoe,
    PersonActs,
    SeatBets,
    ShoeReport,
)
from shoe_controller.table.state import REVISION, TableState
from shoe_controller.table.table import Handled, Table
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting
from tests.table.state_checks import CARD_FACTS, act_done, acted, cards_in, entering, enters_card

IDENTITY = Identity(table="pit 1 table 2", journal_id="d4e5f6")
SOFTWARE = "1.0"
PATIENCE = 30
SECOND = 1_000_000_000
LATER_BOOT_NS = 5 * SECOND
"""The clock that never goes back begins anew with the machine."""


class KilledWhen(Enum):
    BEFORE_SUBMIT = "after handle, before the entry was submitted"
    BEFORE_TAKE_OVER = "after the entry was answered, before the table took it over"


class KilledError(Exception):
    """The program is gone at this point."""


class Desk(Sitting):
    def __init__(
        self,
        folder: Path,
        house: dict[str, Any] | None = None,
        *,
        software: str = SOFTWARE,
        **procedure: Any,  # noqa: ANN401 - as in `Sitting`
    ) -> None:
        self.path = folder / "table.journal"
        self.software = software
        self.killed_when: KilledWhen | None = None
        self.kept: list[ShoeReport] = []
        """Unacknowledged events of the shoe, which it sends again."""
        self.kept_since: list[tuple[int, ShoeReport]] = []
        """Events of the shoe while there is no line, with their moments."""
        self.acknowledged = 0
        self.boot_id = 1
        self.stepped_ms = 0
        self.cards_gone = 0
        """Cards that left the shoe since it was opened, as the shoe tells of them."""
        self.last_request: PersonActs | SeatBets | None = None
        self.journal = self._opened()
        super().__init__(house, **procedure)

    def _opened(self) -> Journal:
        return open_journal(self.path, identity=IDENTITY, software=self.software, now_ms=0, stamp="20261116T120000Z")

    @property
    def rules_decks(self) -> int:
        return read_rules(self.rules).decks

    # --- the way of an input -----------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        known = super().moment()
        return Moment(wall_ms=known.wall_ms + self.stepped_ms, mono_ns=known.mono_ns, synchronised=known.synchronised)

    def give(self, given: AnyInput) -> Handled:
        """As the shell does it: handle, store, take over."""
        if isinstance(given, PersonActs | SeatBets) and given.request_id:
            self.last_request = given
        if self.table.exchanges_shoe(given):
            given = self.with_past(given)
        meant = self.table.past_round(given)
        if meant is not None and isinstance(given, PersonActs):
            with JournalReader(self.path) as reader:
                given = msgspec.structs.replace(given, past=past_round(reader, meant, self.state))
        self.wait(0.1)
        at, before = self.moment(), self.table.state
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, at):
            given = self.table.new_shoe(self.rules, given)
        handled = self.table.handle(given, at)
        if not handled.changed:
            assert handled.facts == ()
            assert handled.state == before
            return handled
        report = given.cause if isinstance(given, NewShoe) else given
        sequence = report.sequence if isinstance(report, ShoeReport) else self.acknowledged
        raw = (Raw(direction=Direction.FROM_SHOE, data=b"%d" % sequence, mono_ns=at.mono_ns),)
        entry = entry_for(given, handled, at, raw=raw, link_state=b"%d" % sequence)
        if self.killed_when is KilledWhen.BEFORE_SUBMIT:
            raise KilledError
        receipt = self.journal.submit(entry).result(timeout=PATIENCE)
        # From here on it has happened, whoever dies now.
        assert list(receipt.seqs) == [fact.seq for fact in handled.facts]
        self.acknowledged = sequence
        self.history.append((given, at, handled.facts))
        self.facts += handled.facts
        self.checks.check(before, given, handled)
        self._count(before, report, handled)
        if self.killed_when is KilledWhen.BEFORE_TAKE_OVER:
            raise KilledError
        self.table.take_over(handled)
        return handled

    def _count(self, before: TableState, report: AnyInput, handled: Handled) -> None:
        if any(isinstance(fact, ShoeOpened) for fact in handled.facts):
            self.cards_gone = 0
        if enters_card(act_done(before, report)) and acted(handled):
            self.cards_gone += 1
            return
        # What a person had entered is reported without a card of its own.
        counts = not entering(before) or any(isinstance(fact, CARD_FACTS) for fact in handled.facts)
        if isinstance(report, ShoeReport) and handled.state.shoe is not None and counts:
            self.cards_gone += cards_in(report.event)

    # --- the shoe, which keeps what was not acknowledged -------------------------------------------------------------

    def event(self, event: AnyStoredEvent, *, age_ms: int = 0) -> Handled:
        self.sequence += 1
        report = ShoeReport(event=event, sequence=self.sequence, boot_id=self.boot_id, age_ms=age_ms)
        self.kept.append(report)
        return self.deliver()

    def deliver(self) -> Handled:
        """The shoe sends what it has kept, if there is a line."""
        handled = Handled(self.state, (), None, changed=False)
        while self.kept and self.state.lasting.link.up:
            if self.kept[0].sequence > self.acknowledged:
                handled = self.give(self.kept[0])
            self.kept.pop(0)
        return handled

    def link_back(self, *, keeps_events: bool = True, boot_id: int = 1) -> None:
        """A shoe that keeps no events has lost those that never arrived; the count of its cards tells."""
        self.boot_id = boot_id
        self.give(
            LinkBack(
                keeps_events=keeps_events,
                authenticated=True,
                boot_id=boot_id,
                shoe_name="bench",
                can_blink=keeps_events,
            )
        )
        self._age_what_was_kept(boot_id)
        if not keeps_events:
            lost = [report for report in self.kept if report.sequence > self.acknowledged]
            self.kept = []
            if any(cards_in(report.event) for report in lost):
                self.give(EventsMissed(reason=f"{len(lost)} events never arrived"))
        self.deliver()

    def _age_what_was_kept(self, boot_id: int) -> None:
        """A shoe does not know how long before its last start something happened."""
        for happened, report in self.kept_since:
            age_ms = 0 if report.boot_id != boot_id else max(0, self.mono_ns - happened) // 1_000_000
            self.kept.append(msgspec.structs.replace(report, age_ms=age_ms))
        self.kept_since = []

    # --- the end of a program, and its next beginning ----------------------------------------------------------------

    def lose_power(self) -> None:
        """What is on the disk at this moment is all that is left."""
        copy = self.path.with_name("copy.journal")
        for ending in ("", "-wal"):
            shutil.copy(f"{self.path}{ending}", f"{copy}{ending}")
        self.journal.close()
        for ending in ("-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)
        for ending in ("", "-wal"):
            Path(f"{copy}{ending}").rename(f"{self.path}{ending}")

    def start(self, *, boot: str | None = None, software: str | None = None) -> None:
        """As the shell starts; without another `boot`, the machine was on all the time."""
        self.killed_when = None
        self.software = self.software if software is None else software
        if boot is not None and boot != self.state.lasting.boot:
            self.mono_ns = LATER_BOOT_NS
        self.journal = self._opened()
        with JournalReader(self.path) as reader:
            self.table = recover(reader)
            snapshot = snapshot_if_needed(reader, self.table, self.software)
            self.acknowledged = int(reader.position().link_state or b"0")
        if snapshot is not None:
            self.give(snapshot)
        self.give(ControllerStarted(boot=self.state.lasting.boot if boot is None else boot, revision=REVISION))

    def restart(self, *, boot: str | None = None, software: str | None = None) -> None:
        """An orderly end, and the next beginning; the shoe is back at once."""
        self.journal.close()
        self.start(boot=boot, software=software)
        self.link_back()

    # --- what must hold ----------------------------------------------------------------------------------------------

    def recovered(self) -> Table:
        with JournalReader(self.path) as reader:
            return recover(reader)

    def check_recovery(self) -> None:
        """A program that started now would stand exactly where this one stands."""
        again = self.recovered()
        assert again.state == self.state
        assert again.next_timer == self.table.next_timer
        assert again.desired_shoe == self.table.desired_shoe
        assert view_of(again.state, read_rules) == view_of(self.state, read_rules)

    def verified(self) -> Report:
        return verify(self.path, replay=replay, software=self.software, progress=lambda _done, _all: None)

    def close(self) -> None:
        self.journal.close()


@contextmanager
def desk_in(folder: Path, house: dict[str, Any] | None = None, **settings: Any) -> Iterator[Desk]:  # noqa: ANN401 - as in `Desk`
    desk = Desk(folder, house, **settings)
    try:
        yield desk
    finally:
        desk.close()


def quick_folder() -> Path:
    """A new folder in memory, where there is one: these tests wait for the disk thousands of times.

    That what was answered survives a power cut is shown elsewhere, on a file system made for that.
    """
    memory = Path("/dev/shm")  # noqa: S108 - the folder gets a name that nobody else has
    return Path(tempfile.mkdtemp(prefix="desk-", dir=memory if os.access(memory, os.W_OK) else None))


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
