"""The live console for a person at a bench: the shoe's state, the last events, and a key for everything.

Draws with rich, reads keys from the terminal, and restores the terminal however the run ends. The screen's content is
made in `console_view.py`; this file has the keys.
"""

import asyncio
import os
import re
import signal
import sys
import termios
import tty
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleDimensions, Group
from rich.live import Live
from rich.text import Text

from firmware_protocol.events import Button
from simulator.console_view import DISARM_KEY, FAULT_KEYS, Panel, ScreenLine, View, picture
from simulator.dealer import AS_FAST_AS_THE_LINE
from simulator.emulator import EmulatedShoe
from simulator.faults import FAULTS, Moment
from simulator.ports.port import PortError
from simulator.truth import AnyHappening
from simulator.virtual_shoe import CannotError

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, AS_FAST_AS_THE_LINE)
REMEMBERED = 200
"""Number of events; more than any terminal shows."""
_REDRAW_AFTER = 0.05
"""Seconds within which changes are drawn together."""
_REDRAW_EVERY = 0.5
"""Seconds between redraws while nothing happens: the countdown to the dealer's next act goes on."""
_MESSAGE_STAYS = 8.0
"""Seconds."""
_ESCAPE = "\x1b"
_ARROWS_AND_THE_LIKE = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])")
"""Keys that send several characters; they have no function here."""


class LiveConsole:
    """Pass `record` to the emulator as its truth; then `run` draws until the person quits or `stop` is set."""

    def __init__(self, about: str) -> None:
        self._about = about
        self._happened: deque[AnyHappening] = deque(maxlen=REMEMBERED)
        self._message = ""
        self._message_until = 0.0
        self._panel = Panel.NONE
        self._redraw: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def record(self, happening: AnyHappening) -> None:
        self._happened.append(happening)

    async def run(self, shoe: EmulatedShoe, stop: asyncio.Event) -> None:
        self._shoe = shoe
        self._stop = stop
        self._loop = asyncio.get_running_loop()
        console = Console(highlight=False)
        with (
            _keys_one_by_one(sys.stdin.fileno()),
            Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False) as live,
        ):
            self._console, self._live = console, live
            self._loop.add_reader(sys.stdin.fileno(), self._keys_came)
            self._loop.add_signal_handler(signal.SIGWINCH, self._draw)
            shoe.on_change = self._draw_soon
            try:
                self._draw()
                await stop.wait()
            finally:
                shoe.on_change = None
                self._loop.remove_reader(sys.stdin.fileno())
                self._loop.remove_signal_handler(signal.SIGWINCH)
                if self._redraw is not None:
                    self._redraw.cancel()

    # --- drawing -----------------------------------------------------------------------------------------------

    def _draw_soon(self) -> None:
        soon = self._loop.time() + _REDRAW_AFTER
        if self._redraw is None or self._redraw.when() > soon:
            self._set_redraw(soon)

    def _set_redraw(self, at: float) -> None:
        if self._redraw is not None:
            self._redraw.cancel()
        self._redraw = self._loop.call_at(at, self._draw)

    def _draw(self) -> None:
        view = View(
            emulation=self._shoe.emulation,
            about=self._about,
            happened=list(self._happened),
            message=self._message if self._loop.time() < self._message_until else "",
            panel=self._panel,
            plugged_in=self._shoe.plugged_in,
            now=self._loop.time(),
        )
        # The size comes from the terminal itself: an inherited COLUMNS would fix it for ever.
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        width, height = columns or 80, rows or 24
        self._console.size = ConsoleDimensions(width, height)
        lines = [_as_text(line, width) for line in picture(view, width, height)]
        self._live.update(Group(*lines), refresh=True)
        self._set_redraw(self._loop.time() + _REDRAW_EVERY)

    # --- keys --------------------------------------------------------------------------------------------------

    def _keys_came(self) -> None:
        keys = os.read(sys.stdin.fileno(), 256).decode(errors="replace")
        if not keys:
            self._stop.set()
        for key in _ARROWS_AND_THE_LIKE.sub("", keys):
            self._pressed(key)
        self._draw_soon()

    def _show_message(self, message: str) -> None:
        self._message = message
        self._message_until = self._loop.time() + _MESSAGE_STAYS

    def _pressed(self, key: str) -> None:
        self._message = ""
        try:
            if self._panel is Panel.FAULTS and key in FAULT_KEYS:
                self._inject(FAULT_KEYS[key])
            elif self._panel is Panel.FAULTS and key == DISARM_KEY:
                self._panel = Panel.NONE
                self._shoe.disarm()
                self._show_message("pending faults removed")
            elif self._panel is not Panel.NONE:
                self._panel = Panel.NONE
            else:
                self._act(key)
        except CannotError as error:
            self._show_message(f"not possible: {error}")

    def _act(self, key: str) -> None:
        act = self._acts().get(key)
        if act is None:
            self._show_message("this key has no function; ? lists the keys")
        else:
            act()

    def _acts(self) -> dict[str, Callable[[], None]]:
        shoe = self._shoe
        body = shoe.emulation.shoe
        return {
            "d": shoe.draw,
            "\r": shoe.draw,
            "\n": shoe.draw,
            "r": lambda: shoe.press(Button.RESULT),
            "R": lambda: shoe.press(Button.RESULT, held=True),
            "n": shoe.new_cards,
            "N": lambda: shoe.press(Button.NEW_SHOE),
            "t": shoe.take_out_all,
            "b": lambda: shoe.press(Button.BURN),
            "m": lambda: shoe.press(Button.NO_MORE_BETS),
            "s": lambda: shoe.press(Button.CALL_SUPERVISOR),
            "c": shoe.clear,
            "k": lambda: shoe.clear(carry_over=True),
            "g": shoe.turn_gate_key,
            "l": lambda: shoe.move_lid(opened=not body.lid_open),
            "p": shoe.power_off if body.powered else shoe.power_on,
            "x": shoe.reboot,
            "u": self._move_cable,
            " ": lambda: shoe.let_dealer(deal=not shoe.emulation.dealer_is_on),
            "+": lambda: self._change_speed(1),
            "-": lambda: self._change_speed(-1),
            "f": lambda: self._show(Panel.FAULTS),
            "?": lambda: self._show(Panel.HELP),
            "h": lambda: self._show(Panel.HELP),
            "q": self._stop.set,
            _ESCAPE: lambda: None,
        }

    def _show(self, panel: Panel) -> None:
        self._panel = panel

    def _inject(self, name: str) -> None:
        self._panel = Panel.NONE
        self._shoe.inject(name)
        kind = FAULTS[name]
        waits = kind in self._shoe.emulation.plan.armed
        when = "" if not waits else f", {kind.moment.value}" if kind.moment is not Moment.AT_ONCE else ", soon"
        self._show_message(f"{name}: {kind.what}{when}")

    def _change_speed(self, step: int) -> None:
        dealer = self._shoe.emulation.dealer
        nearest = min(range(len(SPEEDS)), key=lambda place: abs(min(SPEEDS[place], 1e9) - min(dealer.speed, 1e9)))
        speed = SPEEDS[min(max(nearest + step, 0), len(SPEEDS) - 1)]
        self._shoe.let_dealer(deal=self._shoe.emulation.dealer_is_on, speed=speed)

    def _move_cable(self) -> None:
        plugged = self._shoe.plugged_in
        task = self._loop.create_task(self._shoe.unplug() if plugged else self._shoe.replug())
        self._tasks.add(task)
        task.add_done_callback(self._cable_moved)

    def _cable_moved(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            error = task.exception()
            if isinstance(error, PortError):
                self._show_message(f"not possible: {error}")
            self._draw_soon()


def _as_text(line: ScreenLine, width: int) -> Text:
    text = Text.assemble(*line.pieces, no_wrap=True)
    text.truncate(width, overflow="ellipsis")
    return text


@contextmanager
def _keys_one_by_one(terminal: int) -> Iterator[None]:
    """Read keys as they are pressed, without echo; Ctrl-Z is off, because it would leave the screen as it is."""
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        modes = termios.tcgetattr(terminal)
        modes[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(terminal, termios.TCSADRAIN, modes)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
