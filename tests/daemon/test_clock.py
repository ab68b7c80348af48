"""A clock that is set while the table is quiet, and one that is behind when the table starts."""

import time
from pathlib import Path

import pytest

from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import RecordKind
from shoe_controller.messages.acts import OpenShoe, Role
from shoe_controller.table.inputs import PersonActs, PinVerdict
from tests.daemon.harness import Chain
from tests.daemon.in_process import ClockThatIsSet, daemon_running
from tests.daemon.test_wiped_shoe import ShoeOnTheDesk

HOUR_MS = 3_600_000

OPENED = PersonActs(
    act=OpenShoe(),
    person="dealer",
    role=Role.DEALER,
    pin=PinVerdict.NOT_GIVEN,
    reason="",
    shoe=0,
    round=0,
    request_id="r1",
)


@pytest.mark.asyncio
@pytest.mark.parametrize("by_ms", [60_000, -HOUR_MS])
async def test_the_clock_is_set_while_the_table_is_quiet_and_then_it_ends(tmp_path: Path, by_ms: int) -> None:
    """How the table stands is stored at its end, with what the clock has done, so that another version can go on."""
    async with Chain(tmp_path, with_broker=False) as chain:
        clock = ClockThatIsSet()
        async with daemon_running(chain.folder / "table.toml", clock) as daemon:
            assert await daemon.ask(OPENED) is None
            clock.by_ms = by_ms
        with JournalReader(chain.journal) as reader:
            inputs = [step.input.input for step in reader.steps(1)]
            records = list(reader.records(0, reader.position().head.number))
        assert [given.name for given in inputs[-2:]] == ["clock_stepped", "snapshot"]
        assert records[-1].kind == RecordKind.SNAPSHOT


@pytest.mark.asyncio
async def test_the_shoe_gets_the_time_with_its_session_and_again_when_the_clock_is_set(tmp_path: Path) -> None:
    async with Chain(tmp_path, with_broker=False) as chain:
        shoe, clock = ShoeOnTheDesk(), ClockThatIsSet()
        async with shoe.listening() as port:
            chain.data["shoe"]["port"] = f"socket://127.0.0.1:{port}"
            chain.write_file()
            async with daemon_running(chain.folder / "table.toml", clock):
                for by_ms in (0, HOUR_MS, -HOUR_MS):
                    before = len(shoe.times_set)
                    clock.by_ms = by_ms
                    await chain.becomes(lambda: len(shoe.times_set) > before, what="the shoe to get the time")  # noqa: B023 - used at once
                    assert abs(shoe.times_set[-1] - time.time() * 1000 - by_ms) < 60_000
        assert len(shoe.times_set) == 3, "only then, in the one session"


@pytest.mark.asyncio
async def test_a_session_is_never_older_than_what_is_stored(tmp_path: Path) -> None:
    """A machine without a battery for its clock comes back an hour behind; displays tell sessions by their numbers."""
    async with Chain(tmp_path) as chain:
        display = await chain.display()
        newest = 0
        for by_ms in (0, -HOUR_MS, -2 * HOUR_MS):
            async with daemon_running(chain.folder / "table.toml", ClockThatIsSet(by_ms)):
                await display.until(lambda: display.status is not None and display.status.online, what="the table")
                assert display.status is not None
                assert display.status.session > newest
            await display.until(lambda: display.status is not None and not display.status.online, what="its end")
            with JournalReader(chain.journal) as reader:
                head = reader.position().head.number
                newest = max(record.wall_ms for record in reader.records(head - 1, head))
