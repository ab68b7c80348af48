"""A table that is set back, doubled or forked beside a running witness: real processes at a real Mosquitto.

With the journal its keys, its anchor and the broker's memory are put back, so that the table itself cannot notice it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from shoe_controller.commands.run import SERVED_ELSEWHERE
from tests.attacks.attack import Attack
from tests.daemon.cuttable_line import CuttableLine
from tests.daemon.programs import Program
from tests.table_files import write
from tests.witness.house import House, house

HEADS = {"journal_rolled_back", "record_forked"}
"""What heads alone can show."""


async def _set_back_by_a_round(here: House) -> set[str]:
    """No checkpoint lies between the copy and what was seen: heads alone show it."""
    await here.start_table()
    await here.chain.start_emulator(speed="100")
    await here.deal(1)
    await here.stop_table()
    older = await here.copy("older")
    await here.start_table()
    await here.deal(2)
    await here.stop_table()
    await here.put_back(older)
    await here.start_table()
    await here.alarmed("journal_rolled_back")
    assert set(here.alarms) <= HEADS, here.alarms
    return {"journal_rolled_back"}


async def _set_back_and_dealt_on_unseen(here: House) -> set[str]:
    """A copy from before a checkpoint deals on without the broker until it is longer than what was seen."""
    await here.start_table()
    await here.stop_table()
    older = await here.copy("older")
    await here.start_table()
    await here.sign()
    await here.keeps(1)
    await here.stop_table()
    await here.put_back(older)
    await here.chain.broker.stop()
    await here.chain.start_daemon()
    await here.chain.start_emulator(speed="100")
    await here.deal(3)
    await here.stop_table()
    await here.chain.broker.start()
    await here.start_table()
    await here.alarmed("checkpoints_rolled_back")
    assert "journal_rolled_back" not in here.alarms, "the journal is longer than it was"
    return {"checkpoints_rolled_back"}


async def _forked(here: House) -> set[str]:
    """Two copies of one journal go on, each to its next checkpoint; the witness sees one, then the other."""
    await here.start_table()
    await here.sign()
    await here.keeps(1)
    await here.stop_table()
    fork = await here.copy("fork")
    await here.start_table()
    await here.sign()
    await here.keeps(1, 2)
    await here.witness.terminate()
    await here.stop_table()
    await here.put_back(fork)
    await here.start_table()
    await here.sign(2)  # what the witness does not see now, it is shown when it is back
    await here.witness.start()
    await here.alarmed("checkpoint_forked")
    return {"checkpoint_forked"}


async def _two_controllers(here: House) -> set[str]:
    """A second controller of the same name, with a journal of its own, serves while the first is cut off and deals.

    When the first is back, one of them stops; before that the witness has seen both.
    """
    chain = here.chain
    async with CuttableLine.to(chain.broker.port) as line:
        chain.data["mqtt"]["port"] = line.port
        chain.write_file()
        await here.start_table()
        await chain.start_emulator(speed="100")
        await here.deal(1)
        other = chain.folder / "other"
        other.mkdir()
        data = chain.data | {
            "mqtt": chain.data["mqtt"] | {"port": chain.broker.port},
            "journal": {"file": str(other / "table.journal"), "anchor": str(other / "table.anchor")},
            "shoe": chain.data["shoe"] | {"port": str(other / "shoe")},
        }
        file = write(other, data)
        second = Program("shoe-controller", "run", str(file), log=other / "daemon.log")
        await second.start()
        assert await second.ended() == SERVED_ELSEWHERE, "it served beside the first"
        line.cut()
        await chain.becomes(lambda: chain.times_logged("broker_down"), what="the first to be cut off")
        begin = Program("shoe-controller", "journal", "begin", str(file), log=other / "begin.log")
        await begin.start()
        assert await begin.ended() == 0, begin.output
        await second.start()
        try:
            await chain.becomes(lambda: '"broker_up"' in second.output, what="the second to serve")
            line.mend()
            assert await second.ended() == SERVED_ELSEWHERE
        finally:
            await second.kill()
        await here.alarmed("two_controllers")
        await here.stop_table()
    return {"two_controllers"}


async def _absent(here: House) -> set[str]:
    """The witness, the broker and the table are away in turn, and nothing was done to any of them."""
    await here.start_table()
    await here.sign()
    await here.keeps(1)
    await here.witness.terminate()
    await here.sign()
    await here.chain.broker.kill()
    await here.chain.broker.start()
    await here.witness.start()
    await here.keeps(1, 2)
    await here.chain.kill_daemon()
    await here.start_table()
    await here.sign()
    await here.keeps(1, 2, 3)
    assert here.alarms == []
    return set()


SCENES: tuple[Callable[[House], Awaitable[set[str]]], ...] = (
    _set_back_by_a_round,
    _set_back_and_dealt_on_unseen,
    _forked,
    _two_controllers,
    _absent,
)


async def _play(folder: Path, number: int) -> str:
    async with house(folder) as here:
        await here.witness.start()
        expected = await SCENES[number % len(SCENES)](here)
        return ", ".join(sorted(expected)) or "no alarm"


def beside_a_witness(folder: Path, tries: int) -> str:
    held = []
    for number in range(tries):
        place = folder / str(number)
        place.mkdir()
        held.append(asyncio.run(_play(place, number)))
    return "; ".join(held)


ATTACKS = (
    Attack("a table set back, forked or doubled beside a witness", beside_a_witness, tries=len(SCENES), sample=0),
)
