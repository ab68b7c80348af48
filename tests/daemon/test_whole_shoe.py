"""A whole shoe with wagers on every seat, from the emulated shoe to displays: every published fact is the truth."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog

from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import for_running, load_config
from shoe_controller.daemon.assembly import brokers_for, open_table
from shoe_controller.daemon.daemon import Daemon
from shoe_controller.messages.facts import AlertRaised
from shoe_controller.process.systemd import SystemdNotifier
from shoe_controller.transports.usb_device import UsbDevice
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_shoe import UsbIdentity
from simulator.shoe_line import WireSettings
from simulator.truth import AnyHappening, RoundEnded
from tests.daemon.clients import Display
from tests.daemon.harness import QUICK, Chain
from tests.daemon.house_file import SEATS, SHOE_KEY, Wire
from tests.daemon.in_process import peers_in_process
from tests.daemon.parties import PatientDealer, Players, at_work, deal_on
from tests.daemon.programs import COMMANDS
from tests.daemon.retained_messages import roads_and_state_agree
from tests.reckoning import StoredJournal, last_number, reckoned, sound_journal

BY_DEALER = {"bets_close": "dealer"}
"""The gate stays locked until the dealer says "no more bets", so that everybody can bet however fast cards come."""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("wire", "disclose", "cut_card", "least"),
    [
        pytest.param("native", "at_draw", 14, 60, id="native"),
        pytest.param("angel_eye", "at_draw", 340, 8, id="angel_eye-at_draw-short"),
        pytest.param("angel_eye", "at_result", 340, 8, id="angel_eye-at_result-short"),
        pytest.param("angel_eye", "at_draw", 14, 60, id="angel_eye-at_draw", marks=pytest.mark.long),
        pytest.param("angel_eye", "at_result", 14, 60, id="angel_eye-at_result", marks=pytest.mark.long),
    ],
)
async def test_a_whole_shoe_over_a_pty(tmp_path: Path, wire: Wire, disclose: str, cut_card: int, least: int) -> None:
    procedure = BY_DEALER | {"reveal": disclose}
    async with Chain(tmp_path, wire=wire, disclose=disclose, seed=20, procedure=procedure) as chain:
        await chain.start_daemon()
        display = await chain.display()
        terminal = await chain.terminal(display)
        players = Players(terminal, display, await chain.terminal(display), await chain.terminal(display))
        async with chain.emulated_shoe(cut_card=cut_card), at_work(deal_on(display, players, terminal)):
            await display.until(lambda: ended_or_stopped(display), within=110, what="the shoe to end")
        assert display.facts_of(AlertRaised) == []
        await chain.stop_daemon()
        await display.has_everything(last_number(chain.journal))
        check(chain, chain.truth, display, players, least)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("cut_card", "least"), [pytest.param(340, 8, id="short"), pytest.param(14, 60, id="whole", marks=pytest.mark.long)]
)
async def test_a_whole_shoe_over_usb(tmp_path: Path, cut_card: int, least: int) -> None:
    """The daemon shares the test's process and its USB bus with the emulated shoe; the rest is as everywhere."""
    truth: list[AnyHappening] = []
    bus, identity = UsbBus(), UsbIdentity()
    settings = EmulationSettings(wire=WireSettings(key=SHOE_KEY), seed=21, shoes=1, cut_card=cut_card, pace=QUICK)
    shoe = EmulatedShoe(port=UsbPort(bus, identity), settings=settings, truth=truth.append)
    PatientDealer(shoe)
    async with Chain(tmp_path, procedure=BY_DEALER) as chain:
        display = await chain.display()
        terminal = await chain.terminal(display)
        players = Players(terminal, display, await chain.terminal(display), await chain.terminal(display))
        device = UsbDevice(identity.vendor, identity.product, identity.serial_number, backend=bus)
        async with serving(chain, device), shoe, at_work(deal_on(display, players, terminal)):
            await display.until(lambda: ended_or_stopped(display), within=110, what="the shoe to end")
        assert display.facts_of(AlertRaised) == []
        await display.has_everything(last_number(chain.journal))
        check(chain, truth, display, players, least)


@asynccontextmanager
async def serving(chain: Chain, port: UsbDevice) -> AsyncIterator[None]:
    """The daemon in this event loop, with another port than its file names."""
    config = for_running(load_config(chain.folder / "table.toml"))
    clock = SystemClock()
    with chain.daemon.log.open("w", encoding="utf-8") as file:
        logger = structlog.PrintLogger(file)
        daemon = Daemon(
            config,
            open_table(config, clock),
            clock=clock,
            port=port,
            brokers=brokers_for(config, "in-process"),
            peers=peers_in_process(config, clock),
            log=structlog.wrap_logger(logger, processors=[structlog.processors.JSONRenderer()]),
            service=SystemdNotifier(None, None),
        )
        running = asyncio.create_task(daemon.run())
        try:
            yield
        finally:
            daemon.stop()
            await running


def ended_or_stopped(display: Display) -> bool:
    return display.state is not None and (display.phase == "ended" or display.state.stopped)


def check(chain: Chain, truth: list[AnyHappening], display: Display, players: Players, least: int) -> None:
    rounds = sum(isinstance(happening, RoundEnded) for happening in truth)
    assert rounds >= least
    assert display.contradictions == []
    journal = sound_journal(chain.journal, display.events)
    assert reckoned(journal, truth, info=display.info, every_round=True).settlements == rounds
    roads_and_state_agree(truth, display)
    assert players.accepted == {(1, number): len(SEATS) for number in range(1, rounds + 1)}
    compare_with_command(journal)


def compare_with_command(journal: StoredJournal) -> None:
    """The outcome of the last round is the object that the command prints for its cards."""
    outcome = journal.of("round_result")[-1]["outcome"]
    player, banker = outcome["player"]["cards"], outcome["banker"]["cards"]
    cards = [player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]]
    command = [str(COMMANDS / "shoe-controller"), "hand", "--json", "--base", "commission", *cards]
    assert outcome == json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
