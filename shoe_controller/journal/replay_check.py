"""The replay half of `verify.py`: feeds the inputs of each shoe to a function, and compares the events byte for byte.

It reads the same stream of records as the check of the chain, in one pass. An input is handed out only when its events
have been read, so that the function may yield at once or at the end. What layout 1 stored as facts is compared with a
function of the caller's.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator

from shoe_controller.journal.records import (
    INPUTS,
    NAMED_EVENTS,
    STARTS,
    Event,
    Record,
    RecordKind,
    StoredInput,
    stored_input,
)

Replay = Callable[[Iterable[StoredInput]], Iterable[Event]]
"""Takes the inputs of a shoe from its opening, or from a snapshot, and yields the events they lead to, in order."""

Agree = Callable[[Event, Event], bool]
"""Whether an event that was stored in layout 1, and the one that its input leads to now, agree."""

Tell = Callable[[Record, str], object]
"""Called with a record and what is wrong with it."""


def same_bytes(stored: Event, computed: Event) -> bool:
    return stored == computed


class ReplayCheck:
    def __init__(
        self, records: Iterator[Record | None], replay: Replay, agree: Agree, software: str, tell: Tell
    ) -> None:
        self._records = records
        self._replay = replay
        self._agree = agree
        self._software = software
        self._tell = tell
        self._ahead: Record | None = None
        """The input that was read and not yet handed out."""
        self._expected: deque[Record] = deque()
        """Events of the inputs that were handed out, not yet computed again."""
        self._cut = False
        """The records that followed were pruned while we read: what is left of the shoe cannot be compared."""
        self._latest: Record | None = None
        """The input that was handed out last."""
        self.same = 0
        self.not_replayed: Counter[str] = Counter()
        """Events by the version of the program that wrote them."""

    def run(self) -> None:
        self._read_events()
        self._pass_over()
        while self._ahead is not None:
            self._cut = False
            start = self._ahead
            if start.kind in STARTS and start.software == self._software:
                self._compare(start)
            else:
                for _ in self._inputs_of(start):
                    self._pass_over()
            self._pass_over()

    def _inputs_of(self, start: Record) -> Iterator[StoredInput]:
        """Up to the next opening or snapshot; a program that changed without a snapshot ends it too."""
        while (given := self._ahead) is not None:
            if given is not start and (given.kind in STARTS or given.software != start.software):
                return
            self._read_events()
            if self._cut:
                self._expected.clear()
                return
            self._latest = given
            yield stored_input(given)

    def _compare(self, start: Record) -> None:
        inputs = self._inputs_of(start)
        try:
            self._compare_events(start, self._replay(inputs))
        except Exception as error:  # noqa: BLE001 - whatever the replay stumbles over, the journal does not explain it
            self._tell(start, f"replaying from here stopped: {type(error).__name__}: {error}")
        for _ in inputs:
            self._pass_over()

    def _compare_events(self, start: Record, events: Iterable[Event]) -> None:
        for event in events:
            if not self._expected:
                if self._cut:
                    return
                self._tell(self._latest or start, f'replaying gives one more event "{event.name}" than there are.')
                return
            record = self._expected.popleft()
            stored = Event(name=record.name, body=record.body)
            if not (stored == event or (record.kind == RecordKind.FACT and self._agree(stored, event))):
                self._tell(record, f'replaying gives another event here, "{event.name}" of {len(event.body)} bytes.')
                self.not_replayed[record.software] += 1
                return
            self.same += 1
        if self._expected and not self._cut:
            self._tell(self._expected[0], "replaying does not give this event.")

    def _read_events(self) -> None:
        """Read the events of the last input, up to the next one."""
        for record in self._records:
            if record is None:
                self._cut = True
                continue
            if record.kind in INPUTS:
                self._ahead = record
                return
            if record.kind in NAMED_EVENTS:
                self._expected.append(record)
        self._ahead = None

    def _pass_over(self) -> None:
        self.not_replayed.update(record.software for record in self._expected)
        self._expected.clear()
