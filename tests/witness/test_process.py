"""A witness at a real Mosquitto with an access list, beside a real table: what it keeps, and what it alarms on."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_controller.messages.topics import witness_topic
from shoe_controller.messages.witness import WitnessMessage
from shoe_controller.witness.lines import AlarmRaised, AnyLine, CheckpointSeen
from shoe_controller.witness.lines_file import TornTail, read_lines
from tests.commands.running import run_program
from tests.daemon.clients import Display, Heard, MqttClient, Terminal, Visitor
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.daemon.programs import Program
from tests.doctor.guarded_broker import as_the_table, guarded_settings, password_of
from tests.table_files import as_toml

pytestmark = pytest.mark.asyncio


class PitView(MqttClient):
    """Reads what the witness publishes of the table."""

    def __init__(self, visitor: Visitor) -> None:
        super().__init__(visitor, witness_topic(SITE, "+", TABLE))
        self.message: WitnessMessage | None = None

    def heard(self, message: Heard) -> None:
        self.message = msgspec.json.decode(message.payload, type=WitnessMessage)

    @property
    def alarms(self) -> list[str]:
        return [] if self.message is None else [raised.alarm.code for raised in self.message.alarms]


class House:
    """A table, its supervisor, and a witness."""

    def __init__(self, chain: Chain, display: Display, supervisor: Terminal, pit: PitView) -> None:
        self.chain = chain
        self.display = display
        self.supervisor = supervisor
        self.pit = pit
        self.file = chain.folder / "test.witness"
        config = write_secret(
            chain.folder / "witness.toml",
            as_toml_file(
                {
                    "mqtt": {"host": "127.0.0.1", "port": chain.broker.port},
                    "witness": {
                        "site": SITE,
                        "file": str(self.file),
                        "heads_every": 0,
                        "username": "witness",
                        "password_file": str(write_secret(chain.folder / "w.password", password_of("witness"))),
                    },
                    "log": {"format": "json"},
                }
            ),
        )
        self.witness = Program("shoe-controller", "witness", str(config), log=chain.folder / "witness.log")

    @property
    def lines(self) -> list[AnyLine]:
        return [written.line for written in read_lines(self.file, TornTail())] if self.file.exists() else []

    @property
    def checkpoints(self) -> list[int]:
        return [line.checkpoint.index for line in self.lines if isinstance(line, CheckpointSeen)]

    @property
    def alarms(self) -> list[str]:
        return [line.alarm.code for line in self.lines if isinstance(line, AlarmRaised)]

    async def sign(self, times: int = 1) -> None:
        """Open a shoe and end it at once, which makes a checkpoint."""
        for _ in range(times):
            answer = await self.supervisor.act("open_shoe")
            assert answer.status == "ok", answer
            await self.display.is_up_to_date()
            answer = await self.supervisor.supervisor("end_shoe")
            assert answer.status == "ok", answer
            await self.display.is_up_to_date()

    async def keeps(self, *indices: int) -> None:
        await self.chain.becomes(lambda: self.checkpoints == [*indices], what=f"checkpoints {indices} in the file")

    async def start_table(self) -> None:
        before = self.chain.times_logged("broker_up")
        await self.chain.start_daemon()
        await self.chain.becomes(lambda: self.chain.times_logged("broker_up") > before, what="the table at the broker")
        await self.display.until(lambda: self.display.state is not None, what="the table's state")

    async def stop_table(self) -> None:
        assert await self.chain.stop_daemon() == 0


def as_toml_file(data: dict[str, Any]) -> str:
    return "\n".join(f"{section} = {as_toml(values)}" for section, values in data.items()) + "\n"


def copy_of_table(folder: Path, name: str) -> Path:
    """All that is in the table's own folder about its journal."""
    copy = folder / name
    copy.mkdir()
    for file in folder.glob("table.journal*"):
        (shutil.copytree if file.is_dir() else shutil.copy2)(file, copy / file.name)
    return copy


def put_back(folder: Path, copy: Path) -> None:
    for file in folder.glob("table.journal*"):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    for file in copy.iterdir():
        (shutil.copytree if file.is_dir() else shutil.copy2)(file, folder / file.name)
    for anchor in folder.rglob("*.anchor"):
        anchor.unlink()


@asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    guarded = folder / "guarded"
    guarded.mkdir()
    async with Chain(folder, broker_settings=guarded_settings(guarded), mqtt=as_the_table(folder)) as chain:

        def visitor(name: str) -> Visitor:
            return Visitor(name, chain.broker.port, username=name, password=password_of(name))

        async with (
            Display(visitor("board"), chain.topics) as display,
            Terminal(visitor("console"), chain.topics, display) as console,
            PitView(visitor("pit")) as pit,
        ):
            made = House(chain, display, console, pit)
            try:
                yield made
            finally:
                await made.witness.kill()
                print(made.witness.output[-6000:])  # noqa: T201 - for whoever reads the failure


async def test_absence_is_no_alarm_a_kill_loses_nothing_and_a_rollback_is_alarmed(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        await here.witness.start()
        await here.start_table()
        await here.sign(2)
        await here.keeps(1, 2)

        await here.witness.kill()
        await here.sign(2)
        await here.witness.start()
        await here.keeps(1, 2, 3, 4)

        await here.stop_table()
        older = copy_of_table(tmp_path, "older")
        await here.start_table()
        await here.sign()
        await here.keeps(1, 2, 3, 4, 5)
        assert here.alarms == []
        await here.stop_table()

        # Everything that was published is in the file, and fits the journal.
        done = verify(here, "--json")
        assert done["exit"] == 0, done
        assert done["witness"][0]["checkpoints"] == 5

        # The attacker puts an older copy back, with its keys, and empties the broker.
        put_back(tmp_path, older)
        await here.chain.broker.kill()
        await here.chain.broker.start()
        await here.start_table()
        await here.pit.until(lambda: "checkpoints_rolled_back" in here.pit.alarms, what="an alarm at the pit view")
        assert "checkpoints_rolled_back" in here.alarms
        assert any(json.loads(line)["event"] == "alarm" for line in here.witness.output.splitlines())
        await here.stop_table()
        done = verify(here, "--json")
        assert done["exit"] == 1, done
        assert any("checkpoint 5 is missing" in problem["what"] for problem in done["problems"])
        assert done["witness"][0]["alarms"]


def verify(here: House, *options: str) -> dict[str, Any]:
    done = run_program("journal", "verify", str(here.chain.journal), "--witness", str(here.file), *options)
    found: dict[str, Any] = json.loads(done.out)
    return found | {"exit": done.exit_code}
