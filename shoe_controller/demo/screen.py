"""Where a demonstration is seen: a live picture on a terminal, or plain lines anywhere else.

The live picture has the terminal's other screen, so that the report stands on a clean one when it is over.
"""

import asyncio
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from rich.console import Console, ConsoleDimensions, Group
from rich.live import Live

from shoe_controller.demo.display import TimedLine
from shoe_controller.demo.event_lines import in_letters
from shoe_controller.demo.picture import DemoView, picture

REDRAW_AFTER = 0.05
"""Seconds: changes that come together are drawn together."""


class Screen(Protocol):
    def open(self, view: Callable[[], DemoView], lost: Callable[[], None]) -> None:
        """Show what `view` returns from here on; call `lost` when the terminal is gone."""

    def line(self, table: str, line: TimedLine) -> None:
        """Something happened."""

    def changed(self) -> None:
        """Something of the picture is different now."""

    def say(self, sentence: str) -> None:
        """Print a line before the picture begins, or after it has ended."""

    def close(self) -> None: ...


def has_a_screen() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def speaks_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")


class PlainScreen:
    """One line for each thing that happens."""

    def __init__(self, *, several_tables: bool) -> None:
        self._several = several_tables
        self._letters = not speaks_unicode()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")

    def open(self, view: Callable[[], DemoView], lost: Callable[[], None]) -> None:  # noqa: ARG002 - writing fails when the output is gone
        shown = view()
        self.say(f"{shown.about}; {shown.broker}")

    def line(self, table: str, line: TimedLine) -> None:
        self.say(f"{line.at:8.2f}  {f'{table}  ' if self._several else ''}{line.line.words}")

    def changed(self) -> None:
        pass

    def say(self, sentence: str) -> None:
        sys.stdout.write((in_letters(sentence) if self._letters else sentence) + "\n")
        sys.stdout.flush()

    def close(self) -> None:
        pass


class LiveScreen:
    """The picture, drawn again when something has changed and when the terminal has another size."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False)
        self._live = Live(console=self._console, screen=True, auto_refresh=False, redirect_stdout=False)
        self._letters = not speaks_unicode()
        self._view: Callable[[], DemoView] | None = None
        self._lost: Callable[[], None] = lambda: None
        self._redraw: asyncio.TimerHandle | None = None

    def open(self, view: Callable[[], DemoView], lost: Callable[[], None]) -> None:
        self._view, self._lost = view, lost
        self._live.start()
        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, self.changed)
        self._draw()

    def line(self, table: str, line: TimedLine) -> None:  # noqa: ARG002 - it is in the picture
        self.changed()

    def changed(self) -> None:
        if self._view is not None and self._redraw is None:
            self._redraw = asyncio.get_running_loop().call_later(REDRAW_AFTER, self._draw)

    def say(self, sentence: str) -> None:
        with suppress(OSError):
            self._console.print(in_letters(sentence) if self._letters else sentence, soft_wrap=True)

    def close(self) -> None:
        if self._redraw is not None:
            self._redraw.cancel()
            self._redraw = None
        if self._view is not None:
            self._view = None
            asyncio.get_running_loop().remove_signal_handler(signal.SIGWINCH)
            with suppress(OSError):
                self._live.stop()

    def _draw(self) -> None:
        self._redraw = None
        if self._view is None:
            return
        try:
            self._show(self._view())
        except OSError:
            # The window was closed, or the connection to it.
            self._lost()

    def _show(self, view: DemoView) -> None:
        # Read from the terminal itself: a COLUMNS variable in the environment would fix the size.
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        width, height = columns or 80, rows or 24
        self._console.size = ConsoleDimensions(width, height)
        lines = picture(view, width, height)
        if self._letters:
            for line in lines:
                line.plain = in_letters(line.plain)
        self._live.update(Group(*lines), refresh=True)
