"""Everything that is done to a table: `python -m tests.torture [TIMES [SEED]] [--only PART]`.

TIMES is how often the power is cut and the daemon killed (default 200); the broker is killed a quarter as often,
and as many lives of a table are lived. A failure names its part and its seed; the same two find it again.
"""

# ruff: noqa: T201 - reports to the terminal

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.archive.kills import Times, kill_everything
from tests.firmware_protocol.native.c_program import deal_shoe
from tests.torture import angel_eye_gaps, broker_kills, damaged_journal, full_disk, two_controllers, unplugging
from tests.torture.c_shoe import deal_shoe_in_c
from tests.torture.daemon_kills import kill_daemon
from tests.torture.power_cuts import Cuts, forgetful_disk, why_not
from tests.torture.sitting import Books
from tests.torture.table_lives import live

AGAIN = "python -m tests.torture"
TIMES = 200
CUTS_IN_ONE_LIFE = 20
"""Then another journal is begun: beginnings are cut too."""
KILLS_IN_ONE_SHOE = 20
BROKER_KILLS_IN_ONE_SHOE = 25
CARDS_OF_SHOE = 416


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        yield Path(folder)


def _do(work: Callable[[Path], Coroutine[Any, Any, Any]]) -> Any:  # noqa: ANN401 - whatever the work gives
    with _folder() as folder:
        return asyncio.run(work(folder))


def _tell(line: str) -> None:
    print(f"  {line}", flush=True)


def _agree(what: str, seed: int, books: Books) -> None:
    print(
        f"{what}, seed {seed}: {books.cards} cards, {books.events} events and {books.wagers} wagers agree; "
        f"{books.repeats} requests repeated, {len(books.acts)} acts of a supervisor",
        flush=True,
    )


def power_cuts(times: int, seed: int) -> None:
    done = answered = lives = 0
    with forgetful_disk() as disk, forgetful_disk() as anchors:
        while done < times:
            with _folder() as folder:
                # In every second life the anchor has a disk of its own.
                cuts = Cuts(disk, folder, seed + done, anchors=anchors if lives % 2 else None)
                lives += 1
                for _ in range(min(CUTS_IN_ONE_LIFE, times - done)):
                    cuts.cut()
                    done += 1
                answered += cuts.answered
            print(f"{done} of {times} power cuts, {answered} answered entries, all of them there", flush=True)


def table_lives(times: int, seed: int) -> None:
    lives = max(1, times // 4)
    live(lives, seed)
    print(f"{lives} lives of a table with its journal, seed {seed}", flush=True)


def daemon_kills(times: int, seed: int) -> None:
    done = 0
    while done < times:
        kills = min(KILLS_IN_ONE_SHOE, times - done)
        _tell(f"a shoe with seed {seed}: to see it alone, {AGAIN} {kills} {seed} --only daemon_kills")
        killed, books = _do(lambda folder: kill_daemon(folder, seed=seed, kills=kills, tell=_tell))  # noqa: B023 - used at once
        done += killed
        _agree(f"daemon killed {done} of {times} times", seed, books)
        seed += 1


def broker(times: int, seed: int) -> None:
    _agree("no broker at first", seed, _do(lambda folder: broker_kills.no_broker_at_first(folder, seed=seed)))
    _agree("broker hangs", seed, _do(lambda folder: broker_kills.hang_broker(folder, seed=seed)))
    done, goal, first = 0, max(1, times // 4), seed
    while done < goal:
        kills, seed = min(BROKER_KILLS_IN_ONE_SHOE, goal - done), first + done
        _tell(f"a shoe with seed {seed}: to see it alone, {AGAIN} {4 * kills} {seed} --only broker")
        killed, books = _do(lambda folder: broker_kills.kill_broker(folder, seed=seed, kills=kills, tell=_tell))  # noqa: B023 - used at once
        done += killed
        _agree(f"broker killed {done} of {goal} times", seed, books)


def disk(_times: int, seed: int) -> None:
    with forgetful_disk() as mounted:
        for wire in full_disk.WIRES:
            books = _do(lambda folder: full_disk.fill_disk(folder, mounted, wire=wire, seed=seed, tell=_tell))  # noqa: B023 - used at once
            _agree(f"full disk, {wire}", seed, books)
        books = _do(lambda folder: full_disk.request_into_full_disk(folder, mounted, seed=seed))
        _agree("a request meets a full disk", seed, books)
        books = _do(lambda folder: full_disk.restart_on_full_disk(folder, mounted, seed=seed))
        _agree("a restart on a full disk", seed, books)


def shoe(_times: int, seed: int) -> None:
    for fault in unplugging.FAULTS:
        books = _do(lambda folder: unplugging.take_shoe_away(folder, fault=fault, seed=seed, tell=_tell))  # noqa: B023 - used at once
        _agree(fault, seed, books)


def angel_eye(_times: int, seed: int) -> None:
    for how in angel_eye_gaps.AWAY:
        for disclosing in ("at_result", "at_draw"):
            books = _do(
                lambda folder: angel_eye_gaps.go_away(folder, how=how, disclosing=disclosing, seed=seed, tell=_tell)  # noqa: B023 - used at once
            )
            _agree(f"Angel Eye, {how}, {disclosing}", seed, books)


def c_shoe(times: int, seed: int) -> None:
    """The shoe in C: whole shoes as a program at a bad line, then at a table."""
    shoes = max(1, times // 20)
    for number in range(shoes):
        with _folder() as folder:
            dealt = deal_shoe(folder, cards=CARDS_OF_SHOE, seed=seed + number)
        kills = f"shoe killed {dealt.kills} times, link begun again {dealt.forgotten} times"
        print(f"shoe in C, seed {seed + number}: {len(dealt.stored)} cards once and in order; {kills}", flush=True)
    books = _do(lambda folder: deal_shoe_in_c(folder, seed=seed, restarts=max(2, times // 10), whole=True, tell=_tell))
    _agree("shoe in C at a table", seed, books)


def journal(_times: int, seed: int) -> None:
    for damage in damaged_journal.DAMAGES:
        detail = _do(lambda folder: damaged_journal.damage_journal(folder, damage=damage, seed=seed))  # noqa: B023 - used at once
        print(f"journal {damage}, seed {seed}: {detail}", flush=True)


def controllers(times: int, seed: int) -> None:
    """A second controller of the table, beside the first one or apart from it."""
    goal = max(1, times // 10)
    _tell(f"to see it alone, {AGAIN} {times} {seed} --only controllers")
    met = _do(lambda folder: two_controllers.meet(folder, seed=seed, times=goal, tell=_tell))
    print(f"two controllers met {goal} times, seed {seed}: {met}", flush=True)


def archive(times: int, seed: int) -> None:
    """An archive, its database and the broker are killed, and journals are set aside."""
    deaths = Times(times, max(1, times // 4), max(1, times // 4), max(1, times // 10))
    _tell(f"to see it alone, {AGAIN} {times} {seed} --only archive")
    kept = _do(lambda folder: kill_everything(folder, seed=seed, times=deaths, tell=_tell))
    print(f"{deaths}, seed {seed}: {kept}, each event once and as its journal has it", flush=True)


PARTS = {
    part.__name__: part
    for part in (
        power_cuts,
        table_lives,
        daemon_kills,
        broker,
        disk,
        shoe,
        angel_eye,
        c_shoe,
        journal,
        controllers,
        archive,
    )
}
NEED_FUSE = (power_cuts, disk)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description="Torture a table.")
    parser.add_argument("times", nargs="?", type=int, default=TIMES)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, action="append")
    args = parser.parse_args()
    began = time.monotonic()
    for name in args.only or PARTS:
        part = PARTS[name]
        if part in NEED_FUSE and why_not():
            print(f"no {name} here: {why_not()}", file=sys.stderr)
            return 1
        try:
            part(args.times, args.seed)
        except BaseException:
            again = f"{AGAIN} {args.times} {args.seed} --only {name}"
            print(f"FAILED in {name}; to see it again: {again}", file=sys.stderr, flush=True)
            raise
        print(f"{name}: done after {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
