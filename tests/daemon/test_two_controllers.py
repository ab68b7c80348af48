"""Two controllers with one table's name, as processes at a real Mosquitto: one serves, whatever was before."""

import json
import os
import shutil
import signal
import socket
from pathlib import Path

import pytest

from shoe_controller.commands.run import SERVED_ELSEWHERE
from shoe_controller.daemon.table_journal import SOFTWARE, recover
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.details import MetController, OtherController
from tests.commands.running import run_program
from tests.daemon.clients import Display
from tests.daemon.cuttable_line import CuttableLine
from tests.daemon.harness import Chain
from tests.daemon.house_file import write_table_file
from tests.daemon.programs import Program
from tests.daemon.test_rollback import raised
from tests.table_files import Data

pytestmark = pytest.mark.asyncio

HOST = socket.gethostname()

CLONE_OR_NOT = pytest.mark.parametrize(
    "clone", [pytest.param(False, marks=pytest.mark.long, id="another"), pytest.param(True, id="clone")]
)


class Second:
    """Another controller with the name of the chain's table, at the same broker; it has no shoe."""

    def __init__(self, chain: Chain, folder: Path, *, clone: bool) -> None:
        """A `clone` has copies of everything that the first one has; another has a journal and keys of its own."""
        folder.mkdir()
        self.journal = folder / chain.journal.name
        if clone:
            for name in (chain.journal, chain.anchor):
                shutil.copy(name, folder)
            shutil.copytree(f"{chain.journal}.keys", folder / f"{chain.journal.name}.keys")
        for name in (chain.seal_key_file, chain.folder / "shoe.key"):
            shutil.copy(name, folder)
        if not clone:
            (folder / chain.seal_key_file.name).write_text("ab" * 32)
        data: Data = json.loads(json.dumps(chain.data).replace(f"{chain.folder}/", f"{folder}/"))
        data["mqtt"]["port"] = chain.broker.port
        file = write_table_file(folder, data)
        if not clone:
            # It has a journal of its own from another time.
            assert run_program("journal", "begin", str(file)).exit_code == 0
        self.program = Program("shoe-controller", "run", str(file), log=folder / "daemon.log")

    def logged(self, event: str) -> bool:
        lines = self.program.output.rpartition("\n")[0].splitlines()
        return any(json.loads(line)["event"] == event for line in lines if line.startswith("{"))

    @property
    def told(self) -> str:
        """What it has written that is no line of its log."""
        return "\n".join(line for line in self.program.output.splitlines() if not line.startswith("{"))


async def online(display: Display) -> None:
    await display.until(lambda: display.status is not None and display.status.online, what="the table to be online")


async def met(display: Display) -> tuple[AlertMessage, OtherController]:
    alert = await raised(display, "another_controller")
    assert isinstance(alert.detail, OtherController)
    return alert, alert.detail


@CLONE_OR_NOT
async def test_a_second_controller_of_a_table_is_refused(tmp_path: Path, clone: bool) -> None:  # noqa: FBT001 - a case
    (tmp_path / "first").mkdir()
    async with Chain(tmp_path / "first") as chain:
        await chain.start_daemon()
        await chain.stop_daemon()
        second = Second(chain, tmp_path / "second", clone=clone)
        before = {file: file.read_bytes() for file in (tmp_path / "second").rglob("*") if file.is_file()}
        await chain.start_daemon()
        display = await chain.display()
        await online(display)
        try:
            await second.program.start()
            assert await second.program.ended() == SERVED_ELSEWHERE
        finally:
            await second.program.kill()
        assert f"is served by another controller, on {HOST} at 127.0.0.1, process {chain.daemon.pid}" in second.told
        assert "site and name in the section [table]" in second.told
        assert not second.logged("ready")
        after = {file: file.read_bytes() for file in (tmp_path / "second").rglob("*") if file.is_file()}
        assert {file: data for file, data in after.items() if file.name != "daemon.log"} == before, "it left a trace"
        alert, other = await met(display)
        assert (alert.severity.value, other.how, other.host) == ("warns", MetController.REFUSED, HOST)
        assert not chain.times_logged("journal_rolled_back")
        assert await chain.stop_daemon() == 0


@CLONE_OR_NOT
async def test_after_a_network_split_the_one_that_served_longer_stays(tmp_path: Path, clone: bool) -> None:  # noqa: FBT001 - a case
    (tmp_path / "first").mkdir()
    async with Chain(tmp_path / "first") as chain, CuttableLine.to(chain.broker.port) as line:
        chain.data["mqtt"]["port"] = line.port
        chain.write_file()
        await chain.start_daemon()
        await chain.stop_daemon()
        second = Second(chain, tmp_path / "second", clone=clone)
        await chain.start_daemon()
        display = await chain.display()
        await online(display)
        assert display.status is not None
        first_start, first_journal = display.status.start, display.status.journal
        line.cut()
        await display.until(lambda: display.status is not None and not display.status.online, what="the will")
        try:
            await second.program.start()
            await display.until(
                lambda: display.status is not None and display.status.online and display.status.start != first_start,
                what="the second one to serve",
            )
            line.mend()
            assert await second.program.ended() == SERVED_ELSEWHERE
        finally:
            await second.program.kill()
        assert "This one had served it for" in second.told
        _, other = await met(display)
        assert other.how is MetController.STOPS
        await display.until(
            lambda: display.status is not None and display.status.online and display.status.start == first_start,
            what="the first one to be back",
        )
        assert display.status is not None
        assert display.status.journal == first_journal
        assert not chain.times_logged("journal_rolled_back")
        assert not chain.times_logged("status_ahead")
        assert await chain.stop_daemon() == 0
        with JournalReader(second.journal) as reader:
            stood = recover(reader, SOFTWARE).state.lasting.alerts
            details = [alert.detail for alert in stood if alert.kind == "another_controller"]
        assert [detail.how for detail in details if isinstance(detail, OtherController)] == [MetController.STAYS]


@pytest.mark.long
async def test_one_that_hung_while_another_began_stays_and_the_other_one_stops(tmp_path: Path) -> None:
    """As a suspended machine does, or a stalled disk: its connection to the broker lives, and it reads nothing."""
    (tmp_path / "first").mkdir()
    async with Chain(tmp_path / "first") as chain:
        chain.data["mqtt"]["keep_alive"] = 30
        chain.write_file()
        await chain.start_daemon()
        await chain.stop_daemon()
        second = Second(chain, tmp_path / "second", clone=False)
        await chain.start_daemon()
        display = await chain.display()
        await online(display)
        assert display.status is not None
        first_start = display.status.start
        pid = chain.daemon.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            await second.program.start()
            await display.until(
                lambda: display.status is not None and display.status.start != first_start,
                what="the second one to serve",
            )
            os.kill(pid, signal.SIGCONT)
            assert await second.program.ended() == SERVED_ELSEWHERE
        finally:
            os.kill(pid, signal.SIGCONT)
            await second.program.kill()
        assert "This one had served it for" in second.told
        _, other = await met(display)
        assert other.how is MetController.STOPS, "nothing else was known of it"
        assert chain.times_logged("another_controller") == 1
        await display.until(
            lambda: display.status is not None and display.status.online and display.status.start == first_start,
            what="the first one to be back",
        )
        assert await chain.stop_daemon() == 0
