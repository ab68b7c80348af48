"""Any order of entries, confirmations, crowds, refusals, restarts and prunings, against a model in memory."""

import resource
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from shoe_controller.journal.errors import DiskFailedError
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Start
from shoe_controller.journal.store import Journal, open_journal
from tests.journal.samples import IDENTITY, NOON, SOFTWARE, STAMP, entry, moment, verified


class JournalModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="journal-model-"))
        self.path = self.folder / "table.journal"
        self.shoe = 0
        self.number = 0
        self.entries: list[Entry] = []
        self.published = 0

    @initialize()
    def begin(self) -> None:
        self.journal = self.opened()

    def opened(self) -> Journal:
        return open_journal(self.path, identity=IDENTITY, software=SOFTWARE, now_ms=NOON, stamp=STAMP)

    def new_entry(self, *, start: Start | None = None, events: int = 1) -> Entry:
        self.number += 1
        return entry(self.number, shoe=self.shoe, start=start, events=events)

    @property
    def events(self) -> list[bytes]:
        return [event.body for one in self.entries for event in one.events]

    def store(self, crowd: list[Entry]) -> None:
        for answer in [self.journal.submit(one) for one in crowd]:
            answer.result(timeout=30)
        self.entries += crowd

    @rule(events=st.integers(0, 3))
    def play(self, events: int) -> None:
        self.store([self.new_entry(events=events)])

    @rule(size=st.integers(2, 12))
    def crowd(self, size: int) -> None:
        self.store([self.new_entry() for _ in range(size)])

    @rule()
    def open_a_shoe(self) -> None:
        self.shoe += 1
        self.store([self.new_entry(start=Start.OPENING)])

    @rule()
    def take_a_snapshot(self) -> None:
        self.store([self.new_entry(start=Start.SNAPSHOT)])

    @rule(part=st.floats(0, 1))
    def confirm(self, part: float) -> None:
        seq = int(part * len(self.events))
        self.journal.confirm(seq).result(timeout=30)
        self.published = max(self.published, seq)

    @rule()
    def restart(self) -> None:
        self.journal.close()
        self.journal = self.opened()

    @rule()
    def lose_power(self) -> None:
        """Go on with a copy of what is on the disk at this moment, as a killed program would leave it."""
        copy = self.folder / "copy.journal"
        for ending in ("", "-wal"):
            shutil.copy(f"{self.path}{ending}", f"{copy}{ending}")
        self.journal.close()
        for ending in ("-wal", "-shm"):
            Path(f"{self.path}{ending}").unlink(missing_ok=True)
        for ending in ("", "-wal"):
            Path(f"{copy}{ending}").rename(f"{self.path}{ending}")
        self.journal = self.opened()

    @rule(size=st.integers(1, 3))
    def refuse(self, size: int) -> None:
        """No file may be written: all who wait get the error, and nothing of theirs is stored."""
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            answers = [self.journal.submit(self.new_entry()) for _ in range(size)]
            assert all(isinstance(answer.exception(timeout=30), DiskFailedError) for answer in answers)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    @precondition(lambda self: self.entries)
    @rule(part=st.floats(0, 1))
    def prune(self, part: float) -> None:
        older_than_ms = moment(int(part * self.number)).wall_ms
        result = prune(
            self.path,
            older_than_ms=older_than_ms,
            folder=self.folder,
            now=moment(0),
            software=SOFTWARE,
            progress=lambda _done, _all: None,
            rest=lambda: None,
        )
        assert result.shoes >= 0

    @invariant()
    def the_journal_is_as_the_model_says(self) -> None:
        if not hasattr(self, "journal"):
            return
        with JournalReader(self.path) as reader:
            position = reader.position()
            assert position.last_seq == len(self.events)
            assert position.published_seq == self.published
            assert position.link_state == (self.entries[-1].link_state if self.entries else None)
            tombstones = reader.tombstones()
            pruned = tombstones[-1].last_seq if tombstones else 0
            assert pruned <= self.published
            assert [event.body for event in reader.events(pruned)] == self.events[pruned:]
            steps = [step.input.input for step in reader.current_shoe()]
        starts = [place for place, one in enumerate(self.entries) if one.input is not None and one.input.start]
        assert steps == [one.input for one in self.entries[starts[-1] if starts else 0 :]]
        assert verified(self.path).good

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.journal.close()
        shutil.rmtree(self.folder)


TestJournalModel = JournalModel.TestCase
TestJournalModel.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
