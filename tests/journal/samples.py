"""Entries as a table might submit them, and journals made of them. Everything follows from the numbers passed in."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2s
from itertools import count
from pathlib import Path

from shoe_controller.clock.moment import Moment
from shoe_controller.daemon import table_journal
from shoe_controller.journal.key_folder import PUBLIC, KeyFolder, read_public
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import (
    Direction,
    Entry,
    Event,
    Input,
    Raw,
    Start,
    StoredInput,
)
from shoe_controller.journal.store import Journal, open_journal
from shoe_controller.journal.verify import Report, verify

SOFTWARE = table_journal.SOFTWARE
"""So that the commands replay what these journals hold."""
IDENTITY = Identity(table="pit 3 table 7", journal_id="a1b2c3")
NOON = 1_690_000_000_000
"""A day in 2023, long enough ago for every retention time of these tests."""
STAMP = "20261116T120000Z"


def moment(number: int) -> Moment:
    return Moment(wall_ms=NOON + 1000 * number, mono_ns=10**9 * number, synchronised=number % 3 != 0)


def events_of(given: Input) -> tuple[Event, ...]:
    """A table in one line: the events that an input leads to follow from its bytes alone."""
    many = re.search(rb"with (\d+) events", given.body)
    count = int(many[1]) if many else 1
    return tuple(Event(name=f"event_{part}", body=b"%b, event %d" % (given.body, part)) for part in range(count))


def replay(inputs: Iterable[StoredInput]) -> Iterator[Event]:
    for given in inputs:
        yield from events_of(given.input)


def entry(number: int, *, shoe: int = 1, start: Start | None = None, events: int = 1) -> Entry:
    """The entry with that number in the life of a table: two pieces of raw bytes, an input, its events."""
    body = b"input %d" % number if events == 1 else b"input %d with %d events" % (number, events)
    given = Input(name="card_drawn" if start is None else start.value, body=body, start=start)
    at = moment(number)
    return Entry(
        at=at,
        shoe=shoe,
        round=1 + number // 6,
        raw=(
            Raw(direction=Direction.FROM_SHOE, data=b"\x02\x00raw %d" % number, mono_ns=at.mono_ns - 5),
            Raw(direction=Direction.TO_SHOE, data=b"\x06", mono_ns=at.mono_ns - 4),
        ),
        input=given,
        events=events_of(given),
        link_state=b"link %d" % number,
    )


@contextmanager
def opened(path: Path, *, software: str = SOFTWARE, identity: Identity = IDENTITY) -> Iterator[Journal]:
    journal = open_journal(path, identity=identity, software=software, now_ms=NOON, stamp=STAMP)
    try:
        yield journal
    finally:
        journal.close()


def write(path: Path, entries: Iterable[Entry], *, software: str = SOFTWARE) -> None:
    """All of them, in one go, and all answered."""
    with opened(path, software=software) as journal:
        for answer in [journal.submit(one) for one in entries]:
            answer.result(timeout=30)


def shoes(count: int, entries_each: int = 6, events: int = 1) -> Iterator[Entry]:
    """Whole shoes, each with its opening."""
    for shoe in range(1, count + 1):
        for index in range(entries_each):
            number = (shoe - 1) * entries_each + index + 1
            yield entry(number, shoe=shoe, start=Start.OPENING if index == 0 else None, events=events)


def verified(path: Path, *, software: str = SOFTWARE) -> Report:
    return verify(path, replay=replay, software=software, progress=lambda _done, _all: None)


def named(report: Report) -> set[int | None]:
    """The records that a report complains of."""
    return {problem.number for problem in report.problems}


def bodies_of_inputs(path: Path) -> list[bytes]:
    """The bodies of all inputs in the journal, in order."""
    with JournalReader(path) as reader:
        end = reader.position().head.number
        return [record.body for record in reader.records(0, end) if record.kind in {"opening", "snapshot", "input"}]


def key_folder(folder: Path, seed: str = "", table: str = IDENTITY.table) -> KeyFolder:
    """A folder of keys that are the same every time, by the seed."""
    numbers = count()
    return KeyFolder(folder, table, lambda size: blake2s(f"{seed}{next(numbers)}".encode(), digest_size=size).digest())


def sign(journal: Journal, keys: KeyFolder, number: int) -> None:
    """Make a checkpoint, in the order of a running table."""
    at = moment(number)
    journal.submit(Entry(at=at, shoe=1, round=1, checkpoint=keys.prepare())).result(timeout=30)
    keys.retire()


def signed(path: Path, keys: KeyFolder, number: int) -> None:
    """Make a checkpoint as a table does that was just started."""
    with opened(path) as journal:
        with JournalReader(path) as reader:
            keys.begin(reader.identity.journal_id, reader.last_checkpoint(), NOON)
        sign(journal, keys, number)


def first_keys(folder: Path) -> list[str]:
    """The public halves that wait to be taken away."""
    found = [read_public(file.read_text(encoding="utf-8")) for file in sorted(folder.glob(f"*{PUBLIC}"))]
    return [key for key in found if key is not None]
