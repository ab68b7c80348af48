"""The table with its journal beside bare SQLite: one durable commit for each input, and many at once.

A whole shoe of eight decks is dealt beforehand, with three seats that play. Bare commits store the rows that the same
inputs lead to, hashes computed beforehand, straight through sqlite3 with the same settings; the journal alone stores
the same entries. Then what a table takes by itself, how long a restart at the end of a shoe takes, and the size.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from firmware_protocol.events import IndicatedWinner
from shoe_controller.baccarat.deal import Deal
from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.table_journal import entry_for, recover
from shoe_controller.house.rules import read_rules
from shoe_controller.journal.loop_callbacks import LoopCallbacks
from shoe_controller.journal.opening import Identity, create
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Direction, Entry, Head, Raw, Receipt, Record, RecordKind
from shoe_controller.journal.store import INSERT_RECORD, Journal, chain_entry, open_journal
from shoe_controller.table.inputs import AnyInput, ShoeReport
from shoe_controller.table.table import Handled, Table
from simulator.decks import shuffled_decks
from tests.table.sitting import Sitting

IDENTITY = Identity(table="bench", journal_id="bench")
WRITE_POSITION = "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?, link_state = ?"
INPUTS_IN_A_BLOCK = 10
LEFT_AT_THE_CUT = 26
"""Cards behind the cut card."""
TIMES = 7
BYTES_OF_A_FRAME = 40
"""About what the shoe sends for a card."""


class Given(NamedTuple):
    given: AnyInput
    at: Moment


def main() -> None:
    inputs, rounds = _a_shoe(seed=5)
    entries = list(_entries(inputs))
    records = sum(len(one) for one in _chained(entries))
    print(f"a shoe of {rounds} rounds: {len(inputs)} inputs, {records} records")
    with tempfile.TemporaryDirectory(prefix="table-bench-") as name:
        folder = Path(name)
        _durable_commits(folder, inputs, entries)
        _alone(inputs)
        _restart_and_size(folder, entries, rounds)


def _a_shoe(seed: int) -> tuple[list[Given], int]:
    """All inputs of a shoe that is dealt to its end, and how many rounds that were."""
    sitting = Sitting()
    cards = [piece.card for piece in shuffled_decks(8, random.Random(seed)).pieces]  # noqa: S311 - cards of a bench
    first = cards.pop()
    sitting.open_shoe(str(first))
    del cards[-(first.points or 10) :]
    rounds = 0
    while len(cards) > LEFT_AT_THE_CUT:
        rounds += 1
        sitting.bet("1", "base.player", 50)
        sitting.bets("2", [("base.banker", 100), ("lucky_6.lucky_6", 10)])
        sitting.bets("3", [("base.player", 20), ("pairs.player", 5)])
        deal = Deal()
        while not deal.complete:
            card = cards.pop()
            deal.feed(card)
            sitting.card(str(card))
        sitting.result(IndicatedWinner(deal.facts.winner.value))
    if sitting.alerts:
        raise AssertionError(f"an honest shoe raised {sitting.alerts}")
    return [Given(given, at) for given, at, _ in sitting.history], rounds


def _entry(one: Given, handled: Handled) -> Entry:
    raw: tuple[Raw, ...] = ()
    if isinstance(one.given, ShoeReport):
        raw = (Raw(direction=Direction.FROM_SHOE, data=bytes(BYTES_OF_A_FRAME), mono_ns=one.at.mono_ns),)
    return entry_for(one.given, handled, one.at, raw=raw, link_state=b"%d" % one.at.mono_ns)


def _entries(inputs: list[Given]) -> Iterator[Entry]:
    table = Table(read_rules)
    for one in inputs:
        handled = table.handle(*one)
        yield _entry(one, handled)
        table.take_over(handled)


def _chained(entries: list[Entry]) -> Iterator[list[Record]]:
    head, seq = Head(number=0, hash=IDENTITY.genesis), 0
    for one in entries:
        records = chain_entry(one, head, seq, "bench")
        head, seq = Head(number=records[-1].number, hash=records[-1].hash), seq + len(one.events)
        yield records


# One durable commit each -------------------------------------------------------------------------------------------


def _durable_commits(folder: Path, inputs: list[Given], entries: list[Entry]) -> None:
    """They take turns in small blocks, and the median block counts: other work on the machine hits single blocks."""
    chained = list(_chained(entries))
    times: dict[str, list[float]] = {}
    with ExitStack() as stack:
        bare = stack.enter_context(_bare_database(folder / "bare"))
        journal = stack.enter_context(_InLoop(folder / "journal"))
        desk = stack.enter_context(_InLoop(folder / "table"))
        table = Table(read_rules)
        ways: dict[str, Callable[[slice], list[float]]] = {
            "bare sqlite3, hashes computed beforehand": lambda block: _bare(bare, chained[block]),
            "journal alone, entries made beforehand": lambda block: journal.one_by_one(_ready_made(entries[block])),
            "table and journal": lambda block: desk.one_by_one(_judged(table, inputs[block])),
        }
        for first in range(0, len(inputs) - INPUTS_IN_A_BLOCK + 1, INPUTS_IN_A_BLOCK):
            for name, way in ways.items():
                times.setdefault(name, []).extend(way(slice(first, first + INPUTS_IN_A_BLOCK)))
    crowd = statistics.median(_in_a_crowd(folder / f"crowd-{number}", inputs) for number in range(TIMES))
    floor = _blocks(next(iter(times.values())))
    print("one durable commit each:                          inputs/s  ratio to bare  undisturbed  p50 ms  p99 ms")
    for name, taken in times.items():
        blocks = _blocks(taken)
        p50, p99 = (1000 * statistics.quantiles(taken, n=100)[place] for place in (49, 98))
        ratio = statistics.median(one / other for one, other in zip(floor, blocks, strict=True))
        speed = INPUTS_IN_A_BLOCK / statistics.median(blocks)
        undisturbed = _undisturbed(floor) / _undisturbed(blocks)
        print(f"  {name:<43} {speed:>12.0f} {ratio:>14.2f} {undisturbed:>12.2f} {p50:>7.3f} {p99:>7.3f}")
    ratio = crowd * statistics.median(floor) / INPUTS_IN_A_BLOCK
    print(f"  {'table and journal, all at once (group commit)':<45} {crowd:>10.0f} {ratio:>14.2f}")


def _undisturbed(blocks: list[float]) -> float:
    """The tenth part that was quickest lies below this."""
    return statistics.quantiles(blocks, n=10)[0]


def _blocks(taken: list[float]) -> list[float]:
    return [sum(taken[first : first + INPUTS_IN_A_BLOCK]) for first in range(0, len(taken), INPUTS_IN_A_BLOCK)]


@contextmanager
def _bare_database(path: Path) -> Iterator[sqlite3.Connection]:
    create(path, IDENTITY, created_ms=0)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        yield database


def _bare(database: sqlite3.Connection, chained: list[list[Record]]) -> list[float]:
    taken = []
    for records in chained:
        start = time.perf_counter()
        last = records[-1]
        database.execute("BEGIN IMMEDIATE")
        database.executemany(INSERT_RECORD, records)
        database.execute(WRITE_POSITION, (last.number, last.hash, last.seq or 0, b"%d" % last.mono_ns))
        database.execute("COMMIT")
        taken.append(time.perf_counter() - start)
    return taken


class _Work(NamedTuple):
    """One input on its way: how its entry is made, and what is done when it is stored."""

    entry: Callable[[], Entry]
    stored: Callable[[], object]


def _ready_made(entries: list[Entry]) -> Iterator[_Work]:
    for entry in entries:
        yield _Work(lambda entry=entry: entry, lambda: None)  # type: ignore[misc]  # a default that binds


def _judged(table: Table, inputs: list[Given]) -> Iterator[_Work]:
    """As the shell does it: handle, store, take over."""
    for one in inputs:
        handled: list[Handled] = []

        def entry(one: Given = one, handled: list[Handled] = handled) -> Entry:
            handled.append(table.handle(*one))
            return _entry(one, handled[0])

        def stored(handled: list[Handled] = handled) -> None:
            table.take_over(handled[0])

        yield _Work(entry, stored)


class _InLoop:
    """As the daemon does it: the answer runs in the event loop, and the next input is looked at from there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        self._journal = _opened(self._path)
        self._answers = self._loop.run_until_complete(_answers())
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()
        self._answers.close()
        self._loop.close()

    def one_by_one(self, work: Iterator[_Work]) -> list[float]:
        """How long each took, from the input to the moment when it is stored and taken over."""
        return self._loop.run_until_complete(self._one_by_one(work))

    async def _one_by_one(self, work: Iterator[_Work]) -> list[float]:
        finished = self._loop.create_future()
        taken: list[float] = []
        under_way: list[tuple[float, _Work]] = []

        def begin() -> None:
            one = next(work, None)
            if one is None:
                finished.set_result(None)
                return
            under_way.append((time.perf_counter(), one))
            self._journal.store(one.entry(), answer)

        def stored(outcome: Receipt | BaseException) -> None:
            if isinstance(outcome, BaseException):
                finished.set_exception(outcome)
                return
            start, one = under_way.pop()
            one.stored()
            taken.append(time.perf_counter() - start)
            begin()

        answer = self._answers.in_loop(stored)
        begin()
        await finished
        return taken


async def _answers() -> LoopCallbacks:
    return LoopCallbacks()


def _opened(path: Path) -> Journal:
    """A journal whose writer has opened its connection."""
    journal = open_journal(path, identity=IDENTITY, software="bench", now_ms=0, stamp="bench")
    journal.confirm(0).result()
    return journal


def _in_a_crowd(path: Path, inputs: list[Given]) -> float:
    """Inputs per second when nobody waits for the answer to the one before, as with many tables."""
    journal, table = _opened(path), Table(read_rules)
    start = time.perf_counter()
    answers = []
    for one in inputs:
        handled = table.handle(*one)
        answers.append(journal.submit(_entry(one, handled)))
        table.take_over(handled)
    for answer in answers:
        answer.result()
    taken = time.perf_counter() - start
    journal.close()
    return len(inputs) / taken


# The table alone, its restart, its size ----------------------------------------------------------------------------


def _alone(inputs: list[Given]) -> None:
    print("without a disk:                                   inputs/s   microseconds each")
    ways: dict[str, Callable[[Given, Handled], object]] = {
        "Table.handle": lambda _one, _handled: None,
        "Table.handle and the entry for the journal": _entry,
    }
    for name, way in ways.items():
        taken = statistics.median(_through(inputs, way) for _ in range(TIMES))
        print(f"  {name:<43} {len(inputs) / taken:>12.0f} {1e6 * taken / len(inputs):>19.1f}")


def _through(inputs: list[Given], way: Callable[[Given, Handled], object]) -> float:
    table = Table(read_rules)
    start = time.perf_counter()
    for one in inputs:
        handled = table.handle(*one)
        way(one, handled)
        table.take_over(handled)
    return time.perf_counter() - start


def _restart_and_size(folder: Path, entries: list[Entry], rounds: int) -> None:
    path = folder / "shoe"
    journal = _opened(path)
    empty = path.stat().st_size
    for answer in [journal.submit(one) for one in entries]:
        answer.result()
    journal.close()
    read, recovered = (statistics.median(way(path) for _ in range(TIMES)) for way in (_read, _recovered))
    print(f"restart at the end of the shoe: {1000 * recovered:.1f} ms, of which {1000 * read:.1f} ms to read it")
    opening = sum(len(one.input.body) for one in entries if one.input is not None and _is_opening(one))
    size = path.stat().st_size - empty
    print(
        f"on disk: {size / rounds:.0f} bytes for a round, {opening / rounds:.0f} of them its share of the opening, "
        "which holds the rules of the house"
    )


def _is_opening(entry: Entry) -> bool:
    return entry.input is not None and entry.input.start is not None and entry.input.start.value == RecordKind.OPENING


def _read(path: Path) -> float:
    start = time.perf_counter()
    with JournalReader(path) as reader:
        for _ in reader.current_shoe():
            pass
    return time.perf_counter() - start


def _recovered(path: Path) -> float:
    start = time.perf_counter()
    with JournalReader(path) as reader:
        recover(reader)
    return time.perf_counter() - start
