"""Two controllers of one table, again and again: one begins beside the other, or they have served apart.

Whatever came before, one serves in the end: the one that had served longer, with the journal that it had.
"""

import asyncio
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from shoe_controller.commands.run import SERVED_ELSEWHERE
from shoe_controller.journal.opening import kept_names
from tests.commands.running import run_program
from tests.daemon.clients import Display
from tests.daemon.cuttable_line import CuttableLine
from tests.daemon.harness import Chain
from tests.daemon.house_file import write_table_file
from tests.daemon.programs import Program
from tests.reckoning import sound_journal
from tests.table_files import Data

SPEED = 20
"""Of the shoe, which is at the first controller: it deals all the while."""
LONGEST_PAUSE = 1.5
"""Seconds between two things that happen."""


async def meet(folder: Path, *, seed: int, times: int, tell: Callable[[str], None] = lambda _: None) -> dict[str, int]:
    """Let them meet so many times; how often in which way."""
    chance = random.Random(seed)  # noqa: S311 - the same moments every time
    met = dict.fromkeys(("begins beside it", "a clone begins beside it", "served apart", "served apart for longer"), 0)
    async with Chain(folder, seed=seed, speed=str(SPEED)) as chain, CuttableLine.to(chain.broker.port) as line:
        chain.data["mqtt"]["port"] = line.port
        chain.write_file()
        await chain.start_daemon()
        await chain.stop_daemon()
        table = Meetings(chain, line, chance)
        await chain.start_daemon()
        await chain.start_emulator()
        for number in range(times):
            how = chance.choice(list(met))
            await table.online(chain.daemon)
            await table.meet(how, folder / f"second-{number}")
            met[how] += 1
            tell(f"{number + 1} of {times}: {how}")
        await table.online(chain.daemon)
        assert await chain.stop_daemon() == 0
        assert not chain.times_logged("journal_rolled_back")
        assert not chain.times_logged("status_ahead")
        assert not kept_names(chain.journal)
        sound_journal(chain.journal, None)
    return met


class Meetings:
    def __init__(self, chain: Chain, line: CuttableLine, chance: random.Random) -> None:
        self._chain = chain
        self._line = line
        self._chance = chance
        self._clone, self._other = chain.folder / "clone", chain.folder / "other"
        self._clone.mkdir()
        for name in (chain.journal, chain.anchor, *self._secrets):
            shutil.copy(name, self._clone)
        shutil.copytree(f"{chain.journal}.keys", self._clone / f"{chain.journal.name}.keys")
        self._other.mkdir()
        for name in self._secrets:
            shutil.copy(name, self._other)
        begun = run_program("journal", "begin", str(self._file(self._other)))
        assert begun.exit_code == 0, begun.err

    @property
    def _secrets(self) -> tuple[Path, Path]:
        return self._chain.seal_key_file, self._chain.folder / "shoe.key"

    async def meet(self, how: str, folder: Path) -> None:
        second = self._second(folder, clone=how == "a clone begins beside it")
        try:
            match how:
                case "served apart":
                    await self._apart(second)
                case "served apart for longer":
                    await self._apart_for_longer(second)
                case _:
                    await second.start()
                    assert await second.ended() == SERVED_ELSEWHERE, second.output
        finally:
            await second.kill()

    async def online(self, program: Program) -> None:
        """The table is online, and served by this one."""
        display = await self._chain.display()
        await display.until(lambda: _is_online(display), what="the table to be online")
        assert program.is_running, program.output

    async def _apart(self, second: Program) -> None:
        self._line.cut()
        await self._serves(second)
        await self._pause()
        self._line.mend()
        assert await second.ended() == SERVED_ELSEWHERE, second.output
        assert self._chain.daemon.is_running, self._chain.daemon.output

    async def _apart_for_longer(self, second: Program) -> None:
        """The first one restarts while it is cut off: it has served less then."""
        self._line.cut()
        await self._serves(second)
        await self._chain.stop_daemon()
        await self._pause()
        await self._chain.start_daemon()
        self._line.mend()
        first = self._chain.daemon
        assert await first.ended() == SERVED_ELSEWHERE, first.output
        # The one line that is not of its log.
        *log, last = first.output.splitlines(keepends=True)
        assert "is served by another controller" in last, first.output
        first.log.write_text("".join(log), encoding="utf-8")
        assert second.is_running, second.output
        assert await second.terminate() == 0
        await self._chain.start_daemon()

    async def _serves(self, second: Program) -> None:
        await second.start()
        await self._chain.becomes(lambda: '"broker_up"' in second.output, what="the second one to serve")

    async def _pause(self) -> None:
        await asyncio.sleep(self._chance.uniform(0, LONGEST_PAUSE))

    def _second(self, folder: Path, *, clone: bool) -> Program:
        """A clone has what the first one had; another has a journal of its own, from another time."""
        shutil.copytree(self._clone if clone else self._other, folder)
        return Program("shoe-controller", "run", str(self._file(folder)), log=folder / "daemon.log")

    def _file(self, folder: Path) -> Path:
        chain = self._chain
        data: Data = json.loads(json.dumps(chain.data).replace(f"{chain.folder}/", f"{folder}/"))
        data["mqtt"]["port"] = chain.broker.port
        return write_table_file(folder, data)


def _is_online(display: Display) -> bool:
    return display.status is not None and display.status.online
