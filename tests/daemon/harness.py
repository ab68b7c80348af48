"""The whole chain on one machine, each part as in a casino: emulated shoe, pty, daemon, journal, Mosquitto, people.

    async with Chain(tmp_path, seed=7) as chain:       # Mosquitto runs
        await chain.start_daemon()
        await chain.start_emulator()
        display = await chain.display()
        terminal = await chain.terminal(display)
        await display.until(lambda: display.phase == "betting")
        assert (await terminal.bet("1", {"base.player": 500})).status == "ok"

Everything is a process of its own with a log of its own; all are ended with the context, and when the test failed what
they wrote is printed. What may be shared between tests of the chain is in `programs.py`, `clients.py`, `house_file.py`
and `parties.py`; comparing with the truth is in `tests/reckoning.py`.
"""

import asyncio
import itertools
import json
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from firmware_protocol.angel_eye.shoe import Disclosing
from shoe_controller.messages.topics import Topics
from simulator.dealer import Pace
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.event_lines import in_words
from simulator.ports.pty import PtyPort
from simulator.reader_ids import cards_file
from simulator.shoe_line import Wire as ShoeWire
from simulator.shoe_line import WireSettings
from simulator.truth import AnyHappening
from tests.daemon.clients import Display, Terminal, Visitor
from tests.daemon.house_file import (
    CARDS_FILE,
    SEAL_KEY,
    SHOE_KEY,
    SITE,
    TABLE,
    Wire,
    table_file,
    write_secret,
    write_table_file,
)
from tests.daemon.parties import PatientDealer
from tests.daemon.programs import PATIENCE, Program
from tests.simulator.broker.compatibility.mosquitto import Mosquitto
from tests.table_files import Data

QUICK = Pace(card=0.01, burn=0.003, result=0.02, wagers=0.03, new_cards=0.1, mend=0.1)
"""How quick the dealer of a shoe in the test's own process is; he waits for the gate, see `PatientDealer`."""

TAIL = 6000
"""Characters of each log that a failed test prints."""


class Chain:
    """Entered as a context, which starts Mosquitto and nothing else, and ends everything that was started."""

    def __init__(
        self,
        folder: Path,
        *,
        wire: Wire = "native",
        secure: bool = True,
        disclose: str | None = None,
        seed: int = 1,
        speed: str = "max",
        decks: int = 8,
        shoes: int | None = 1,
        procedure: dict[str, Any] | None = None,
        mqtt: dict[str, Any] | None = None,
        log: dict[str, Any] | None = None,
        with_broker: bool = True,
        broker_settings: str = "allow_anonymous true",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.wire: Wire = wire
        self.topics = Topics(SITE, TABLE)
        self.shoe_port = folder / "shoe"
        self.journal = folder / "table.journal"
        self.key_file = folder / "shoe.key" if wire == "native" and secure else None
        self.anchor = folder / "table.anchor"
        self.seal_key_file = folder / "seal.key"
        self.data: Data = {}
        """What the table's file holds; after a change, `write_file`."""
        broker_folder = folder / "broker"
        broker_folder.mkdir()
        self.broker = Mosquitto(broker_folder, broker_settings)
        self.daemon = Program(
            "shoe-controller", "run", str(folder / "table.toml"), log=folder / "daemon.log", environment=environment
        )
        self.emulator: Program | None = None
        self.truth_files: list[Path] = []
        """One for each start of the emulator."""
        self._options = {"disclose": disclose, "seed": seed, "speed": speed, "decks": decks, "shoes": shoes}
        self._parts: dict[str, Any] = {"procedure": procedure, "mqtt": mqtt, "log": log, "decks": decks}
        self._with_broker = with_broker
        self._seen: list[AnyHappening] = []
        """The truth of the shoe that runs in the test's own process."""
        self._log_lines: list[dict[str, Any]] = []
        self._clients = AsyncExitStack()
        self._numbers = itertools.count(1)

    async def __aenter__(self) -> Self:
        if self.key_file is not None:
            write_secret(self.key_file, SHOE_KEY.hex())
        write_secret(self.seal_key_file, SEAL_KEY.hex())
        if self.wire == "lines":
            (self.folder / CARDS_FILE).write_bytes(cards_file(self._parts["decks"], "pieces"))
        if self._with_broker:
            await self.broker.start()
        self.data = table_file(
            wire=self.wire,
            shoe_port=str(self.shoe_port),
            journal=self.journal,
            key_file=self.key_file,
            seal_key_file=self.seal_key_file,
            broker_port=self.broker.port if self._with_broker else None,
            **self._parts,
        )
        self.write_file()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._clients.aclose()
        if self.emulator is not None:
            await self.kill_emulator()
        await self.daemon.kill()
        await self.broker.kill()
        if error is not None:
            self._print_logs()

    # --- the daemon --------------------------------------------------------------------------------------------------

    def write_file(self) -> Path:
        """Write the table's file anew, from `data`."""
        return write_table_file(self.folder, self.data)

    async def start_daemon(self, *, wait: bool = True) -> None:
        """Start `shoe-controller run`; it is ready when it says so."""
        before = self.times_logged("ready")
        await self.daemon.start()
        if wait:
            await self.becomes(
                lambda: self.times_logged("ready") > before or not self.daemon.is_running, what="the daemon to be ready"
            )
            assert self.daemon.is_running, f"the daemon ended at once:\n{self.daemon.output}"

    async def stop_daemon(self, within: float = PATIENCE) -> int:
        """SIGTERM; its exit code."""
        return await self.daemon.terminate(within)

    async def kill_daemon(self) -> None:
        await self.daemon.kill()

    @property
    def log_lines(self) -> list[dict[str, Any]]:
        """All that the daemon has logged; a line that is no JSON is a failure."""
        whole = self.daemon.output.rpartition("\n")[0].splitlines()
        self._log_lines += map(json.loads, whole[len(self._log_lines) :])
        return self._log_lines

    def times_logged(self, event: str) -> int:
        return sum(line["event"] == event for line in self.log_lines)

    # --- the broker --------------------------------------------------------------------------------------------------

    def signal_broker(self, number: signal.Signals) -> None:
        """SIGHUP reads its access list again; SIGSTOP lets it hang, and SIGCONT go on."""
        process = self.broker._process  # noqa: SLF001 - only its process can be signalled
        assert process is not None, "the broker does not run"
        os.kill(process.pid, number)

    # --- the emulated shoe -------------------------------------------------------------------------------------------

    async def start_emulator(self, *, scenario: str | None = None, cards: str | None = None, **options: Any) -> None:  # noqa: ANN401 - options of the command
        """Start `shoe-emulator run --headless` at the table's pty; the options of the chain can be changed here."""
        number = len(self.truth_files) + 1
        truth = self.folder / f"truth{number}.jsonl"
        self.truth_files.append(truth)
        words = ["run", "--headless", "--port", f"pty:{self.shoe_port}", "--wire", self.wire, "--truth", str(truth)]
        if self.wire == "native":
            words += ["--insecure"] if self.key_file is None else ["--key", str(self.key_file)]
        chosen = self._options | options
        if cards is not None:
            file = self.folder / f"cards{number}.txt"
            file.write_text(cards)
            words += ["--cards", str(file)]
            chosen |= {"decks": None, "shoes": None}
        if scenario is not None:
            file = self.folder / f"scenario{number}.toml"
            file.write_text(scenario)
            words += ["--scenario", str(file)]
        for name, value in chosen.items():
            if value is not None:
                words += [f"--{name.replace('_', '-')}", str(value)]
        self.emulator = Program("shoe-emulator", *words, log=self.folder / "emulator.log")
        await self.emulator.start()
        await self.becomes(lambda: truth.exists() or not self._emulator_runs, what="the emulator to open its port")
        assert self._emulator_runs, f"the emulator ended at once:\n{self.emulator.output}"

    async def kill_emulator(self) -> None:
        """End it as by `kill -9`, and take away the link that it would leave behind.

        The terminal at the link's end may soon be the shoe of another test: the daemon of this one would open that.
        """
        assert self.emulator is not None, "no emulator was started"
        self.shoe_port.unlink(missing_ok=True)
        await self.emulator.kill()

    @property
    def _emulator_runs(self) -> bool:
        return self.emulator is not None and self.emulator.is_running

    def emulated_shoe(self, **settings: Any) -> EmulatedShoe:  # noqa: ANN401 - fields of EmulationSettings
        """The emulated shoe in the test's own event loop, at the same pty: for tests that take it in hand."""
        disclose = self._options["disclose"] or ("at_result" if self.wire == "angel_eye" else "at_draw")
        usual = {
            "wire": WireSettings(
                wire=ShoeWire(self.wire),
                disclosing=Disclosing(disclose),
                key=None if self.key_file is None else SHOE_KEY,
                spacing=0.004,
            ),
            "seed": self._options["seed"],
            "decks": self._options["decks"],
            "shoes": self._options["shoes"],
            "pace": QUICK,
        }
        shoe = EmulatedShoe(
            port=PtyPort(self.shoe_port), settings=EmulationSettings(**(usual | settings)), truth=self._seen.append
        )
        if self.wire != "lines":
            PatientDealer(shoe)
        return shoe

    async def shoe_is_dealt(self, within: float = 100.0) -> None:
        """Wait until the emulator has dealt all its shoes, and everything it sent was stored."""
        assert self.emulator is not None, "no emulator was started"
        assert await self.emulator.ended(within) == 0, self.emulator.output

    @property
    def truth(self) -> list[AnyHappening]:
        """What has happened at the shoe so far, over all starts of the emulator."""
        lines = (
            line for file in self.truth_files if file.exists() for line in file.read_bytes().splitlines(keepends=True)
        )
        told = [msgspec.json.decode(line, type=AnyHappening) for line in lines if line.endswith(b"\n")]
        return told + self._seen

    # --- people and displays -----------------------------------------------------------------------------------------

    def visitor(self, name: str, **settings: Any) -> Visitor:  # noqa: ANN401 - fields of Visitor
        return Visitor(f"{name}-{next(self._numbers)}", self.broker.port, **settings)

    async def display(self, *, asks_for_more: bool = True, **settings: Any) -> Display:  # noqa: ANN401 - as above
        """A display that is connected; it leaves with the chain."""
        made = Display(self.visitor("display", **settings), self.topics, asks_for_more=asks_for_more)
        return await self._clients.enter_async_context(made)

    async def terminal(self, display: Display, name: str = "terminal", **settings: Any) -> Terminal:  # noqa: ANN401 - as above
        return await self._clients.enter_async_context(Terminal(self.visitor(name, **settings), self.topics, display))

    # --- waiting -----------------------------------------------------------------------------------------------------

    async def becomes(self, condition: Callable[[], object], within: float = PATIENCE, *, what: str = "") -> None:
        """Wait for something that nobody announces: a line in a log, a file, the end of a process."""
        try:
            async with asyncio.timeout(within):
                while not condition():  # noqa: ASYNC110 - nobody announces it
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"waited {within:g} s for {what or condition}") from None

    def _print_logs(self) -> None:
        logs = [self.daemon.log, *self.folder.glob("emulator.log"), *self.folder.glob("broker/mosquitto.log")]
        for log in logs:
            if log.exists():
                text = log.read_text(encoding="utf-8", errors="replace")
                print(f"\n===== {log.name} =====\n{text[-TAIL:]}")  # noqa: T201 - for whoever reads the failure
        if self._seen:
            told = "\n".join(f"{happening.t:10.3f}  {in_words(happening)}" for happening in self._seen[-60:])
            print(f"\n===== the shoe in this process =====\n{told}")  # noqa: T201 - as above
