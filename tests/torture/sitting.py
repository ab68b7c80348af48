"""A shoe dealt through the whole chain with people at the table, for things to be done to; then the books are compared.

    async with sitting(folder, seed=7) as table:
        await table.some_more_events(12)
        await table.chain.kill_daemon()
        …
        await table.finish()

The parts are those of `tests/daemon/harness.py`; this file puts players and a supervisor around them, and at the end
holds truth, journal and subscriber against each other.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from simulator.reckoner.alignment import STRICT, Leniency
from simulator.reckoner.inputs import request_problems
from simulator.truth import AnyHappening, CardOut
from tests.daemon.clients import Display
from tests.daemon.harness import Chain
from tests.reckoning import StoredJournal, reckoned, sound_journal
from tests.torture.people import Players, Supervisor

SEATS = ("1", "5", "9")
PATIENCE = 40.0
END_OF_SHOE = 400.0


class Books(NamedTuple):
    """What was compared at the end, and agreed."""

    cards: int
    events: int
    wagers: int
    requests: int
    repeats: int
    """Requests that were sent once more, word by word."""
    acts: tuple[tuple[str, str], ...]
    """What a supervisor had to do, and about which alert."""
    journal: StoredJournal


class Sitting:
    def __init__(self, chain: Chain, display: Display, players: Players, supervisor: Supervisor) -> None:
        self.chain = chain
        self.display = display
        self.players = players
        self.supervisor = supervisor
        self.terminal = supervisor.terminal
        self._people = [asyncio.create_task(players.play()), asyncio.create_task(supervisor.work())]

    @property
    def cards_out(self) -> int:
        return sum(isinstance(happening, CardOut) for happening in self.chain.truth)

    @property
    def is_dealt(self) -> bool:
        emulator = self.chain.emulator
        return self.display.phase == "ended" or emulator is None or not emulator.is_running

    async def some_more_events(self, count: int) -> bool:
        """Wait for so many more events; not so if the shoe is dealt to its end before."""
        target = len(self.display.events) + count
        await self.chain.becomes(lambda: len(self.display.events) >= target or self.is_dealt, 60, what="more events")
        return not self.is_dealt

    async def is_back(self, after_session: int) -> None:
        """Wait until the daemon is connected to the broker in a newer session than that."""
        await self.display.until(
            lambda: self.display.status and self.display.status.online and self.session > after_session,
            PATIENCE,
            what="the daemon to be back",
        )

    @property
    def session(self) -> int:
        return 0 if self.display.status is None else self.display.status.session

    async def finish(self) -> Books:
        """Let the shoe be dealt to its end, stop the daemon in order, and compare all accounts of it."""
        await self.chain.shoe_is_dealt(END_OF_SHOE)
        await self.display.until(lambda: self.display.phase == "ended", PATIENCE, what="the end of the shoe")
        self.players.repeat()
        await self.players.all_answered(PATIENCE)
        await self.display.has_everything()
        await self.people_leave()
        assert await self.chain.stop_daemon() == 0
        return self.compare()

    def compare(self, truth: Sequence[AnyHappening] | None = None, *, wire_loses: bool = False) -> Books:
        """Hold all accounts against each other; the truth of a shoe that is not the chain's own is handed in."""
        truth = self.chain.truth if truth is None else truth
        assert not self.display.contradictions, self.display.contradictions
        journal = sound_journal(self.chain.journal, self.display.events)
        leniency = Leniency(any_loss=True) if wire_loses else STRICT
        found = reckoned(journal, truth, info=self.display.info, native=self.chain.wire == "native", leniency=leniency)
        assert request_problems(journal.facts, *self.players.fates()) == []
        return Books(
            cards=sum(isinstance(happening, CardOut) for happening in truth),
            events=len(journal.events),
            wagers=found.wagers,
            requests=len(self.players.requests),
            repeats=self.players.repeats,
            acts=tuple(self.supervisor.acts),
            journal=journal,
        )

    async def people_leave(self) -> None:
        for person in self._people:
            person.cancel()
        for left in await asyncio.gather(*self._people, return_exceptions=True):
            if isinstance(left, Exception):
                raise left


@asynccontextmanager
async def sitting(folder: Path, *, seed: int, speed: int = 80, cut_card: int | None = None) -> AsyncIterator[Sitting]:
    """Everything runs, and the dealer has begun; a cut card far from the end makes a short shoe."""
    async with Chain(folder, seed=seed, speed=str(speed)) as chain:
        await chain.start_daemon()
        async with people_at(chain) as table:
            await chain.start_emulator(cut_card=cut_card)
            yield table


@asynccontextmanager
async def people_at(chain: Chain, voids: frozenset[str] = frozenset()) -> AsyncIterator[Sitting]:
    """People come to a table that runs."""
    display = await chain.display()
    players = Players(await chain.terminal(display, "players"), display, SEATS)
    supervisor = Supervisor(await chain.terminal(display, "supervisor"), display, voids)
    table = Sitting(chain, display, players, supervisor)
    try:
        yield table
    finally:
        await table.people_leave()


def copy_of_journal(chain: Chain) -> Path:
    """The journal as it is on the disk now. Whoever opens it may mend it, and that is for the daemon to do."""
    folder = chain.folder / "crashed"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for ending in ("", "-wal"):
        file = Path(f"{chain.journal}{ending}")
        if file.exists():
            shutil.copy(file, folder / file.name)
    return folder / chain.journal.name
