"""A table and its witness, each a process of its own, at a real Mosquitto with an access list."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from shoe_controller.messages.topics import witness_topic
from shoe_controller.messages.witness import WitnessMessage
from shoe_controller.process.lines_file import TornTail
from shoe_controller.witness.lines import AlarmRaised, AnyLine, CheckpointSeen
from shoe_controller.witness.lines_file import read_lines
from tests.daemon.clients import Display, Heard, MqttClient, Terminal, Visitor
from tests.daemon.harness import Chain
from tests.daemon.house_file import SITE, TABLE, write_secret
from tests.daemon.programs import Program
from tests.doctor.guarded_broker import as_the_table, guarded_settings, password_of
from tests.table_files import as_toml


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
            for act in ("open_shoe", "end_shoe"):
                before = self.display.phase
                asked = self.supervisor.act if act == "open_shoe" else self.supervisor.supervisor
                answer = await asked(act)
                assert answer.status == "ok", answer
                await self.display.until(lambda: self.display.phase != before, what=act)  # noqa: B023 - at once

    async def keeps(self, *indices: int) -> None:
        await self.chain.becomes(lambda: self.checkpoints == [*indices], what=f"checkpoints {indices} in the file")

    async def alarmed(self, code: str) -> None:
        """Wait for an alarm, in the file and at the pit view."""
        await self.pit.until(lambda: code in self.pit.alarms, what=f"{code} at the pit view")
        assert code in self.alarms

    async def start_table(self) -> None:
        before = self.chain.times_logged("broker_up")
        await self.chain.start_daemon()
        await self.chain.becomes(lambda: self.chain.times_logged("broker_up") > before, what="the table at the broker")
        await self.display.until(lambda: self.display.state is not None, what="the table's state")

    async def stop_table(self) -> None:
        assert await self.chain.stop_daemon() == 0

    async def deal(self, rounds: int) -> None:
        """Wait for so many rounds more of the emulated shoe."""
        before = self.chain.times_logged("round_result")
        await self.chain.becomes(
            lambda: self.chain.times_logged("round_result") >= before + rounds, what=f"{rounds} rounds"
        )

    # --- what an attacker copies and puts back, while the table is stopped -------------------------------------------

    async def copy(self, name: str) -> Path:
        """Copy the journal, its keys, its anchor, and what the broker remembers; the broker is restarted for it."""
        copy = self.chain.folder / name
        (copy / "broker").mkdir(parents=True)
        await self.chain.broker.stop()
        for file in self._copied():
            place = copy / file.relative_to(self.chain.folder)
            (shutil.copytree if file.is_dir() else shutil.copy2)(file, place)
        await self.chain.broker.start()
        return copy

    async def put_back(self, copy: Path) -> None:
        await self.chain.broker.kill()
        for file in self._copied():
            shutil.rmtree(file) if file.is_dir() else file.unlink()
        shutil.copytree(copy, self.chain.folder, dirs_exist_ok=True)
        self.display.forget()
        await self.chain.broker.start()

    def _copied(self) -> list[Path]:
        folder = self.chain.folder
        return [*folder.glob("table.journal*"), self.chain.anchor, folder / "broker" / "mosquitto.db"]


def as_toml_file(data: dict[str, Any]) -> str:
    return "\n".join(f"{section} = {as_toml(values)}" for section, values in data.items()) + "\n"


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
