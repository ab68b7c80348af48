"""The journal beside bare SQLite, its start-up after a year of play, its size, and how fast it is verified.

Bare commits store the same rows, hashes computed beforehand, straight through sqlite3 with the same settings. The year
has 4.2 million records; `JOURNAL_BENCH_RECORDS` asks for another number.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import os
import queue
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Self

from shoe_controller.clock.moment import Moment
from shoe_controller.journal.key_folder import KeyFolder
from shoe_controller.journal.loop_callbacks import LoopCallbacks
from shoe_controller.journal.opening import Identity, create
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Direction, Entry, Event, Head, Input, Raw, Receipt, Record, Start
from shoe_controller.journal.store import INSERT_RECORD, Journal, chain_entry, open_journal

YEAR = int(os.environ.get("JOURNAL_BENCH_RECORDS", "4200000"))
ROUNDS_OF_BENCH = 9
BLOCKS = 150
ENTRIES = 10
"""In a block."""
CROWD = 2000
CHECKPOINTS = 300
ENTRIES_IN_A_ROUND = 6
RECORDS_IN_AN_ENTRY = 3
ROUNDS_IN_A_SHOE = 70
ROUNDS_SO_FAR = 40
"""In the current shoe when the controller starts."""

IDENTITY = Identity(table="bench", journal_id="bench")
WRITE_POSITION = "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?, link_state = ?"

VERIFY = """
import re, sys, time
from pathlib import Path
from shoe_controller.journal.verify import verify
start = time.perf_counter()
report = verify(Path(sys.argv[1]), software="bench", progress=lambda done, all: None)
assert report.good, report.problems
# Not ru_maxrss: that begins with what the parent process had.
most = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(report.records, time.perf_counter() - start, most)
"""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="journal-bench-") as name:
        folder = Path(name)
        _durable_commits(folder)
        _beside_checkpoints(folder)
        small = folder / "small"
        records, _ = _play(small, YEAR // 50)
        year = folder / "year"
        records, rounds = _play(year, YEAR)
        print(f"{records} records, {rounds} rounds: {year.stat().st_size / rounds:.0f} bytes on disk for a round")
        _start_up(folder, year)
        _verify(small, year)


def entry(number: int, shoe: int, round_: int, start: Start | None = None) -> Entry:
    """One card and what it leads to, in about the sizes of a real one: three records."""
    given = b'{"event":"card_drawn","sequence":%d,"hand":"player","card":"9H"}' % number
    return Entry(
        at=Moment(wall_ms=1_690_000_000_000 + 700 * number, mono_ns=700_000_000 * number, synchronised=True),
        shoe=shoe,
        round=round_,
        raw=(Raw(direction=Direction.FROM_SHOE, data=given[:30], mono_ns=700_000_000 * number),),
        input=Input(name="card_drawn", body=given, start=start),
        events=(Event(name="card_dealt", body=b'{"fact":"card_dealt","round":%d,"card":"9H","why":' % number * 4),),
        link_state=given[:24],
    )


def _opened(path: Path) -> Journal:
    return open_journal(path, identity=IDENTITY, software="bench", now_ms=0, stamp="bench")


# A card beside a checkpoint ------------------------------------------------------------------------------------------


def _beside_checkpoints(folder: Path) -> None:
    """A card that comes in the very moment of a checkpoint, and cards that come alone, in turns."""
    keys = KeyFolder(folder / "keys", IDENTITY.table)
    keys.begin(IDENTITY.journal_id, None, 0)
    alone, beside = [], []
    with closing(_ready(folder / "checkpoints")) as journal:
        for number in range(CHECKPOINTS):
            card = entry(number, 1, 1)
            start = time.perf_counter()
            journal.submit(card).result()
            alone.append(time.perf_counter() - start)
            signing = keys.prepare()
            start = time.perf_counter()
            journal.submit(Entry(at=card.at, shoe=1, round=1, checkpoint=signing))
            journal.submit(card).result()
            beside.append(time.perf_counter() - start)
            keys.retire()
    floor, typical = statistics.median(alone), statistics.median(beside)
    print(
        f"a card alone is stored in {floor * 1000:.2f} ms, "
        f"one that comes with a checkpoint in {typical * 1000:.2f} ms: ratio {typical / floor:.2f}"
    )


# One durable commit each -------------------------------------------------------------------------------------------


def _durable_commits(folder: Path) -> None:
    """They take turns in small blocks, and the median block counts: other work on the machine hits single blocks."""
    entries = [entry(number, 1, 1) for number in range(BLOCKS * ENTRIES)]
    chained = list(_chained(iter(entries)))
    ways: dict[str, Callable[[slice], float]] = {}
    with ExitStack() as stack:
        database = stack.enter_context(_bare_database(folder / "bare"))
        ways["bare sqlite3, hashes computed beforehand"] = lambda block: _bare(database, chained[block])
        handed = stack.enter_context(_Handed(folder / "handed"))
        ways["the same in a thread of its own"] = lambda block: handed.one_by_one(chained[block])
        in_loop = stack.enter_context(_InLoop(folder / "loop"))
        ways["journal, answered in an event loop"] = lambda block: in_loop.one_by_one(entries[block])
        in_thread = stack.enter_context(closing(_ready(folder / "thread")))
        ways["journal, answered to a waiting thread"] = lambda block: _one_by_one(in_thread, entries[block])
        by_future = stack.enter_context(closing(_ready(folder / "future")))
        ways["journal, answered by a future"] = lambda block: _by_future(by_future, entries[block])
        times: dict[str, list[float]] = {name: [] for name in ways}
        for first in range(0, len(entries), ENTRIES):
            for name, way in ways.items():
                times[name].append(way(slice(first, first + ENTRIES)))
    crowd = statistics.median(CROWD / _in_a_crowd(folder / f"crowd-{number}") for number in range(ROUNDS_OF_BENCH))
    floor, floor_undisturbed = (figure(next(iter(times.values()))) for figure in (statistics.median, _undisturbed))
    print(
        f"one durable commit each, entries of {RECORDS_IN_AN_ENTRY} records:    entries/s  ratio to bare  undisturbed"
    )
    for name, taken in times.items():
        typical = statistics.median(taken)
        print(
            f"  {name:<41} {ENTRIES / typical:>15.0f} {floor / typical:>14.2f} "
            f"{floor_undisturbed / _undisturbed(taken):>12.2f}"
        )
    print(f"  {f'journal, {CROWD} at once (group commit)':<41} {crowd:>15.0f} {crowd * floor / ENTRIES:>14.2f}")


def _undisturbed(taken: list[float]) -> float:
    """The tenth part that was quickest lies below this."""
    return statistics.quantiles(taken, n=10)[0]


@contextmanager
def _bare_database(path: Path) -> Iterator[sqlite3.Connection]:
    create(path, IDENTITY, created_ms=0)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        yield database


def _bare(database: sqlite3.Connection, chained: list[list[Record]]) -> float:
    start = time.perf_counter()
    for records in chained:
        _bare_commit(database, records)
    return time.perf_counter() - start


def _bare_commit(database: sqlite3.Connection, records: list[Record]) -> None:
    database.execute("BEGIN IMMEDIATE")
    database.executemany(INSERT_RECORD, records)
    database.execute(WRITE_POSITION, (records[-1].number, records[-1].hash, records[-1].seq, records[1].body[:24]))
    database.execute("COMMIT")


class _Handed:
    """Bare commits in a thread that owns its connection: what handing over costs, whoever does it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._given: queue.SimpleQueue[list[Record] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> Self:
        self._thread.start()
        self._done.get()
        return self

    def __exit__(self, *_: object) -> None:
        self._given.put(None)
        self._thread.join()

    def one_by_one(self, chained: list[list[Record]]) -> float:
        start = time.perf_counter()
        for records in chained:
            self._given.put(records)
            self._done.get()
        return time.perf_counter() - start

    def _work(self) -> None:
        with _bare_database(self._path) as database:
            self._done.put(None)
            while records := self._given.get():
                _bare_commit(database, records)
                self._done.put(None)


class _InLoop:
    """As the daemon does it: the answer runs in the event loop, and the next entry is submitted from there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        self._journal = _ready(self._path)
        self._answers = self._loop.run_until_complete(_answers())
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()
        self._answers.close()
        self._loop.close()

    def one_by_one(self, entries: list[Entry]) -> float:
        return self._loop.run_until_complete(self._one_by_one(entries))

    async def _one_by_one(self, entries: list[Entry]) -> float:
        finished = self._loop.create_future()
        rest = iter(entries)

        def stored(outcome: Receipt | BaseException) -> None:
            if isinstance(outcome, BaseException):
                finished.set_exception(outcome)
            elif (following := next(rest, None)) is not None:
                self._journal.store(following, answer)
            else:
                finished.set_result(None)

        answer = self._answers.in_loop(stored)
        start = time.perf_counter()
        self._journal.store(next(rest), answer)
        await finished
        return time.perf_counter() - start


async def _answers() -> LoopCallbacks:
    return LoopCallbacks()


def _ready(path: Path) -> Journal:
    """A journal whose writer has opened its connection."""
    journal = _opened(path)
    journal.confirm(0).result()
    return journal


def _one_by_one(journal: Journal, entries: list[Entry]) -> float:
    outcomes: queue.SimpleQueue[Receipt | BaseException] = queue.SimpleQueue()
    start = time.perf_counter()
    for one in entries:
        journal.store(one, outcomes.put)
        outcome = outcomes.get()
        if isinstance(outcome, BaseException):
            raise outcome
    return time.perf_counter() - start


def _by_future(journal: Journal, entries: list[Entry]) -> float:
    start = time.perf_counter()
    for one in entries:
        journal.submit(one).result()
    return time.perf_counter() - start


def _in_a_crowd(path: Path) -> float:
    entries = [entry(number, 1, 1) for number in range(CROWD)]
    journal = _ready(path)
    start = time.perf_counter()
    for answer in [journal.submit(one) for one in entries]:
        answer.result()
    taken = time.perf_counter() - start
    journal.close()
    return taken


# A year of play ----------------------------------------------------------------------------------------------------


def _play(path: Path, wanted: int) -> tuple[int, int]:
    """Make a journal of about so many records, in one transaction; how many it has, and how many rounds."""
    create(path, IDENTITY, created_ms=0)
    rounds = wanted // (ENTRIES_IN_A_ROUND * RECORDS_IN_AN_ENTRY)
    last: list[Record] = []

    def rows() -> Iterator[Record]:
        for last[:] in _chained(_year(rounds)):
            yield from last

    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        database.executemany(INSERT_RECORD, rows())
        database.execute(WRITE_POSITION, (last[-1].number, last[-1].hash, last[-1].seq, None))
        database.execute("COMMIT")
    os.sync()
    return last[-1].number, rounds


def _year(rounds: int) -> Iterator[Entry]:
    """So many rounds; the last shoe has just so many of them."""
    number = 0
    first_in_shoe = (rounds - ROUNDS_SO_FAR) % ROUNDS_IN_A_SHOE - ROUNDS_IN_A_SHOE
    for one in range(rounds):
        shoe, round_ = divmod(one - first_in_shoe, ROUNDS_IN_A_SHOE)
        for card in range(ENTRIES_IN_A_ROUND):
            number += 1
            opening = (one == 0 or round_ == 0) and card == 0
            yield entry(number, shoe, round_ + 1, Start.OPENING if opening else None)


def _chained(entries: Iterator[Entry]) -> Iterator[list[Record]]:
    head, seq = Head(number=0, hash=IDENTITY.genesis), 0
    for one in entries:
        records = chain_entry(one, head, seq, "bench")
        head, seq = Head(number=records[-1].number, hash=records[-1].hash), seq + len(one.events)
        yield records


def _start_up(folder: Path, year: Path) -> None:
    empty, shoe = folder / "empty", folder / "shoe"
    create(empty, IDENTITY, created_ms=0)
    _play(shoe, ROUNDS_SO_FAR * ENTRIES_IN_A_ROUND * RECORDS_IN_AN_ENTRY)
    shoe_times, year_times = _in_turns(lambda: _started(shoe), lambda: _started(year))
    print("start-up (checks, opening for writing, reading the current shoe):            ms        ratio")
    print(f"  one shoe of {ROUNDS_SO_FAR} rounds, no history {1000 * shoe_times:>45.1f} {1:>12.2f}")
    print(f"  the same shoe, after the year {1000 * year_times:>47.1f} {year_times / shoe_times:>12.2f}")
    _open_a_shoe(year)
    empty_times, year_times = _in_turns(lambda: _started(empty), lambda: _started(year))
    print(f"  an empty journal {1000 * empty_times:>60.1f} {1:>12.2f}")
    print(f"  a shoe just opened, after the year {1000 * year_times:>42.1f} {year_times / empty_times:>12.2f}")


def _in_turns(one: Callable[[], float], other: Callable[[], float]) -> tuple[float, float]:
    times = [(one(), other()) for _ in range(ROUNDS_OF_BENCH)]
    return statistics.median(first for first, _ in times), statistics.median(second for _, second in times)


def _started(path: Path) -> float:
    start = time.perf_counter()
    journal = _opened(path)
    with JournalReader(path) as reader:
        for _ in reader.current_shoe():
            pass
        reader.position()
    taken = time.perf_counter() - start
    journal.close()
    return taken


def _open_a_shoe(path: Path) -> None:
    journal = _opened(path)
    journal.submit(entry(0, 999_999, 0, Start.OPENING)).result()
    journal.close()


# Verify ------------------------------------------------------------------------------------------------------------


def _verify(small: Path, year: Path) -> None:
    print("verify (SQLite's own check and the chain):        records    records/s   megabytes at most")
    for path in (small, year):
        done = subprocess.run([sys.executable, "-c", VERIFY, str(path)], capture_output=True, check=True)
        records, seconds, kilobytes = map(float, done.stdout.split())
        print(f"  {path.name:<45}{records:>10.0f} {records / seconds:>12.0f} {kilobytes / 1024:>19.1f}")
