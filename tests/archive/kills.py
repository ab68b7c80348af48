"""Everything that can die around an archive dies, at seeded moments, while a table deals; then everything is compared.

    python -m tests.archive.kills [SEED] [--archive N] [--database N] [--broker N] [--journals N]

What is killed: the archive (`kill -9`), the postmaster (`kill -9`, or `pg_ctl stop -m immediate`), the broker with all
its memory; and journals are set aside in between, each with what the archive did not have of it yet, which is loaded
from the file at the end. Then every event of every journal is in the database once, with the bytes of its journal.
"""

import argparse
import asyncio
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.archive.house import ArchiveHouse, archive_house
from tests.commands.running import run_program
from tests.daemon.programs import PATIENCE
from tests.postgres.cluster import Cluster, running_cluster

SURVIVES_KILLS = ("fsync=off", "full_page_writes=off")
"""A commit is in the page cache when it is answered, which outlives every process."""

LONGEST_PAUSE = 0.6
"""Seconds between two deaths, at most."""


class Times(NamedTuple):
    """How often each of them dies."""

    archive: int = 200
    database: int = 50
    broker: int = 50
    journals: int = 20


class Outcome(NamedTuple):
    """What was compared at the end, and was equal."""

    events: int
    journals: int
    loaded: int
    """Events that only the files of journals that were set aside had."""


class Killing:
    def __init__(self, house: ArchiveHouse, cluster: Cluster, chance: random.Random, longest_pause: float) -> None:
        self._house = house
        self._chain = house.chain
        self._cluster = cluster
        self._chance = chance
        self._longest_pause = longest_pause
        self.aside: list[Path] = []

    async def archive(self) -> None:
        await self._house.archive.kill()
        await self._pause()
        await self._house.archive.start()

    async def database(self) -> None:
        how = self._chance.choice((signal.SIGKILL, signal.SIGQUIT))
        await asyncio.to_thread(self._cluster.stop, how)
        await self._pause()
        await self.start_database()

    async def start_database(self) -> None:
        """The processes of a server whose postmaster was killed take a moment to notice."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                await asyncio.to_thread(self._cluster.start)
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                await asyncio.sleep(0.1)
            else:
                return

    async def broker(self) -> None:
        await self._chain.broker.kill()
        self._chain.broker.forget()
        await self._pause()
        await self._chain.broker.start()

    async def journals(self) -> None:
        """The table begins a new journal, and a new shoe; every second time the archive has all of the old one."""
        await self._chain.kill_emulator()
        if len(self.aside) % 2 == 0:
            await self._house.has_all_of(self._chain.journal)
        await self._chain.stop_daemon()
        await self._chain.broker.kill()
        self._chain.broker.forget()  # who has seen the table deal would be asked about
        place = self._chain.folder / f"aside-{len(self.aside)}"
        place.mkdir()
        for path in self._chain.folder.glob(f"{self._chain.journal.name}*"):
            path.rename(place / path.name)
        self._chain.anchor.unlink(missing_ok=True)
        self.aside.append(place / self._chain.journal.name)
        await self._chain.broker.start()
        await self._chain.start_daemon()
        await self._chain.start_emulator()

    async def _pause(self) -> None:
        if self._chance.random() < 0.5:
            await asyncio.sleep(self._chance.uniform(0, self._longest_pause))


async def kill_everything(
    folder: Path,
    *,
    seed: int,
    times: Times,
    longest_pause: float = LONGEST_PAUSE,
    tell: Callable[[str], None] = lambda _: None,
) -> Outcome:
    chance = random.Random(seed)  # noqa: S311 - the same moments every time
    deaths = [name for name, count in times._asdict().items() for _ in range(count)]
    chance.shuffle(deaths)
    with running_cluster(SURVIVES_KILLS) as cluster:
        async with archive_house(folder, cluster.address(), seed=seed, speed="max", shoes=None) as house:
            killing = Killing(house, cluster, chance, longest_pause)
            await house.chain.start_daemon()
            await house.chain.start_emulator()
            await house.archive.start()
            await house.stored(1)
            for done, name in enumerate(deaths, 1):
                await asyncio.sleep(chance.uniform(0, longest_pause))
                await getattr(killing, name)()
                tell(f"{done} of {len(deaths)}: {name}")
            await house.chain.kill_emulator()
            loaded = [await _load(house, path) for path in killing.aside]
            await house.is_complete(*killing.aside, house.chain.journal)
            ((events, twice),) = await house.rows(
                "SELECT count(*), count(*) - count(DISTINCT (journal_id, seq)) FROM archive.event"
            )
            assert twice == 0
            holes = await house.rows("SELECT * FROM archive.hole")
            assert holes == []
            assert house.archive.is_running
            return Outcome(events, len(killing.aside) + 1, sum(loaded))


async def _load(house: ArchiveHouse, path: Path) -> int:
    """Load a journal that was set aside; how many events the archive did not have of it."""
    answer = await asyncio.to_thread(run_program, "archive", str(house.file), "load", str(path), "--json")
    assert answer.exit_code == 0, answer.err
    stored: int = answer.json["events"]
    return stored


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.archive.kills", description="Kill everything around an archive."
    )
    parser.add_argument("seed", nargs="?", type=int, default=1)
    for name, usual in Times()._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    args = parser.parse_args()
    times = Times(args.archive, args.database, args.broker, args.journals)

    def tell(line: str) -> None:
        print(f"  {line}", flush=True)  # noqa: T201 - reports to the terminal

    with tempfile.TemporaryDirectory(prefix="archive-kills-") as folder:
        outcome = asyncio.run(kill_everything(Path(folder), seed=args.seed, times=times, tell=tell))
    print(f"{times}, seed {args.seed}: {outcome}; each event once, with the bytes of its journal")  # noqa: T201 - as above
    return 0


if __name__ == "__main__":
    sys.exit(main())
