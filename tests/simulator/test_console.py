"""The live console: what its screen says at any size, and the real thing in a terminal of its own."""

import os
import pty
import re
import selectors
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from fcntl import ioctl
from pathlib import Path

import pytest

from firmware_protocol.angel_eye.shoe import Disclosing
from firmware_protocol.cards import Card
from firmware_protocol.events import Button
from simulator.console_view import FAULT_KEYS, HELP, Panel, View, picture
from simulator.emulation import EmulationSettings
from simulator.faults import FAULTS, Detection
from simulator.shoe_line import Wire, WireSettings
from tests.simulator.virtual_table import VirtualTable

ANGEL_EYE = WireSettings(wire=Wire.ANGEL_EYE, disclosing=Disclosing.AT_RESULT)
WITHIN = 20.0
SIZES = [(80, 24), (140, 45), (200, 60), (40, 10), (20, 5), (1, 1)]


def screen(table: VirtualTable, panel: Panel = Panel.NONE, size: tuple[int, int] = (80, 24)) -> list[str]:
    view = View(
        emulation=table.emulation,
        about="a port, native, seed 5",
        happened=table.truth,
        message="",
        panel=panel,
        plugged_in=table.plugged,
        now=table.now,
    )
    return [line.plain for line in picture(view, *size)]


def table_by_hand(wire: WireSettings, cards: str = "AC 9H KC 9D KD KH 5H 4H 3H 2H") -> VirtualTable:
    settings = EmulationSettings(wire=wire, seed=5, cards=tuple(map(Card, cards.split())), speed=None)
    table = VirtualTable(settings)
    table.run_for(1)
    return table


@pytest.mark.parametrize("wire", [WireSettings(), ANGEL_EYE], ids=["native", "angel_eye"])
@pytest.mark.parametrize("panel", Panel)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_screen_is_never_higher_than_the_terminal(wire: WireSettings, panel: Panel, size: tuple[int, int]) -> None:
    table = VirtualTable(EmulationSettings(wire=wire, seed=5, decks=1, speed=20.0))
    for _ in range(30):
        assert len(screen(table, panel, size)) == size[1]
        table.run_for(1)


@pytest.mark.parametrize("wire", [WireSettings(), ANGEL_EYE], ids=["native", "angel_eye"])
def test_everything_fits_eighty_columns(wire: WireSettings) -> None:
    table = VirtualTable(EmulationSettings(wire=wire, seed=5, decks=1, speed=20.0))
    names = [name for name, kind in FAULTS.items() if isinstance(kind.on(wire.wire), Detection)]
    for name in names * 3:
        table.emulation.inject(name, table.now)
        for _ in range(6):
            too_long = [line for panel in Panel for line in screen(table, panel) if len(line) > 80]
            assert not too_long
            table.run_for(0.7)


def test_the_panels_show_everything_on_a_small_terminal() -> None:
    table = table_by_hand(WireSettings())
    faults = "\n".join(screen(table, Panel.FAULTS))
    assert all(re.search(rf" {key} {name}\b", faults) for key, name in FAULT_KEYS.items())
    assert set(FAULT_KEYS.values()) == set(FAULTS)
    help_text = "\n".join(screen(table, Panel.HELP))
    assert all(words in help_text for _, words in HELP)


def test_a_large_terminal_says_what_each_fault_is() -> None:
    faults = "\n".join(screen(table_by_hand(ANGEL_EYE), Panel.FAULTS, (140, 50)))
    assert "an extra card is drawn; it is burned" in faults
    assert re.search(r"lid_opened +cannot: it has no telegram for a lid", faults)


def test_the_hint_says_what_a_person_would_do_next() -> None:
    table = table_by_hand(WireSettings())
    emulation = table.emulation

    def dealer_line() -> str:
        (line,) = [line for line in screen(table) if line.startswith(" Dealer")]
        return line

    for _ in range(6):
        assert "d draws the next card" in dealer_line()
        emulation.draw(table.now)
    assert "r asks for the result" in dealer_line()
    emulation.draw(table.now)
    assert "b burns the extra card, k keeps it" in dealer_line()
    emulation.clear(table.now, carry_over=True)
    emulation.press(Button.RESULT, table.now)
    assert any("the next begins with 5H, carried over" in line for line in screen(table))
    emulation.draw(table.now)
    emulation.inject("misread", table.now)
    assert any("pending: misread" in line for line in screen(table))
    emulation.draw(table.now)
    assert "c clears the shoe's faults" in dealer_line()
    emulation.clear(table.now)
    assert "R ends the round by force" in dealer_line()


def test_the_picture_shows_hands_gate_and_lid() -> None:
    table = table_by_hand(WireSettings())
    for _ in range(6):
        table.emulation.draw(table.now)
    table.emulation.move_lid(table.now, opened=True)
    table.emulation.turn_gate_key(table.now)
    table.pull_out()
    shown = screen(table)
    assert "no controller" in shown[0]
    assert any(re.fullmatch(r" Player +KC KD +0", line) for line in shown)
    assert any(re.fullmatch(r" Banker +9D KH +9", line) for line in shown)
    assert any("gate LOCKED" in line and "lid OPEN" in line and "cable OUT" in line for line in shown)


# --- in a terminal ---------------------------------------------------------------------------------------------


class Terminal:
    """A terminal of 80 by 24 with the console in it."""

    def __init__(self, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.slave = slave
        self.modes_before = termios.tcgetattr(slave)
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simulator.cli", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color"},
        )
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._master, selectors.EVENT_READ)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + WITHIN
        while not condition():
            assert time.monotonic() < end, self.shown[-3000:]
            if self._selector.select(0.05):
                self.shown += os.read(self._master, 65536).decode(errors="replace")

    def until_shown(self, text: str) -> None:
        """Wait until this is drawn anew."""
        self.shown = ""
        self.until(lambda: text in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown))

    def ended(self) -> bool:
        return self.process.poll() is not None

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._selector.close()
        os.close(self._master)
        os.close(self.slave)


@pytest.fixture
def link(tmp_path: Path) -> Path:
    return tmp_path / "shoe"


@pytest.fixture
def terminal(link: Path) -> Iterator[Terminal]:
    terminal = Terminal("--wire", "angel_eye", "--speed", "manual", "--seed", "5", "--port", f"pty:{link}")
    terminal.until_shown("no controller")
    yield terminal
    terminal.close()


def assert_given_back(terminal: Terminal, link: Path) -> None:
    """The other screen is left, the cursor is there, keys are shown again, and no link is left behind."""
    terminal.until(terminal.ended)
    terminal.until(lambda: "\x1b[?1049l" in terminal.shown and "\x1b[?25h" in terminal.shown)
    assert termios.tcgetattr(terminal.slave) == terminal.modes_before
    assert not link.is_symlink()


def test_a_person_deals_by_hand_and_quits(terminal: Terminal, link: Path) -> None:
    terminal.press("d")
    terminal.until_shown("1 cards out")
    terminal.press("f")
    terminal.until_shown("Which fault?")
    terminal.press("o")
    terminal.until_shown("not possible: the angel_eye wire cannot express lid_opened")
    terminal.press("?")
    terminal.until_shown("hold the result button down")
    terminal.press("\x1b")
    terminal.press("\x1b[A")  # an arrow key means nothing
    terminal.press("Z")
    terminal.until_shown("this key has no function")
    terminal.press(" +")
    terminal.until_shown("speed 2, waits for a controller")
    terminal.press("u")
    terminal.until_shown("cable OUT")
    terminal.press("u")
    terminal.until_shown("cable in")
    terminal.press("q")
    assert_given_back(terminal, link)
    assert terminal.process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(terminal: Terminal, link: Path, number: signal.Signals) -> None:
    terminal.process.send_signal(number)
    assert_given_back(terminal, link)
    assert terminal.process.returncode == 0


def test_the_screen_follows_the_terminal_s_size(terminal: Terminal) -> None:
    ioctl(terminal.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 150, 0, 0))
    terminal.process.send_signal(signal.SIGWINCH)
    terminal.until_shown("─" * 150)


def test_ctrl_z_does_not_leave_a_half_drawn_screen(terminal: Terminal, link: Path) -> None:
    terminal.press("\x1a")
    terminal.press("d")
    terminal.until_shown("1 cards out")
    terminal.press("q")
    assert_given_back(terminal, link)
