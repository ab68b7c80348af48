"""The programs of a demonstration: started in sessions of their own, ended in order, and none left behind.

A program that exits by itself is an error, and its last output is shown. The emulated shoe gets a terminal, because its
console is how a dealer presses the shoe's buttons.
"""

import asyncio
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios
from contextlib import suppress
from pathlib import Path

PATIENCE = 5.0
"""Seconds that a program gets to end in order."""
START = 30.0
"""Seconds after which a program should be there, also on a slow machine with much to do."""
LAST_LINES = 8
LONGEST_LOG = 1 << 16

_WITH_OUR_PATH = """\
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""

_CONSOLE_ROWS, _CONSOLE_COLUMNS = 10, 60
"""The emulator's console is not shown; it must only be large enough to be drawn."""


class DemoError(Exception):
    """The demonstration cannot go on; the message is for the person who started it."""


class Program:
    """One program, with all it writes in a log file."""

    def __init__(self, name: str, *arguments: str, log: Path) -> None:
        self.name = name
        self._arguments = arguments
        self._log = log
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self._log.open("wb") as log:
            await self._start(asyncio.subprocess.DEVNULL, log.fileno())

    async def _start(self, stdin: int, out: int) -> None:
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *self._arguments,
                stdin=stdin,
                stdout=out,
                stderr=out,
                env=_environment(),
                # In a session of its own, so that Ctrl-C at the terminal reaches the demonstration alone.
                start_new_session=True,
            )
        )
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # It may be there already, and must then be known, to be ended.
            self._process = await starting
            raise
        except OSError as error:
            raise DemoError(f"{self.name} could not be started: {error}") from error

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def last_words(self) -> str:
        try:
            text = self._log.read_bytes()[-LONGEST_LOG:].decode(errors="replace")
        except OSError:
            return ""
        return "\n".join(text.splitlines()[-LAST_LINES:])

    async def died(self) -> DemoError:
        """Wait until it ends, which it should not do by itself."""
        if self._process is None:
            raise RuntimeError(f"{self.name} was not started")
        code = await self._process.wait()
        return DemoError(f"{self.name} exited by itself (exit code {code}). Its last output:\n{self.last_words}")

    async def stop(self) -> None:
        """End it with SIGTERM; by force if it does not exit."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                process.send_signal(number)
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await process.wait()
                    return


class ConsoleProgram(Program):
    """A program with a terminal: its output is discarded except the last screen; keys can be sent."""

    def __init__(self, name: str, *arguments: str, log: Path) -> None:
        super().__init__(name, *arguments, log=log)
        self._terminal: int | None = None
        self._drawn = b""
        self._has_drawn = asyncio.Event()

    async def start(self) -> None:
        self._terminal, other_end = pty.openpty()
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", _CONSOLE_ROWS, _CONSOLE_COLUMNS, 0, 0))
        os.set_blocking(self._terminal, False)
        asyncio.get_running_loop().add_reader(self._terminal, self._pass_over)
        try:
            await self._start(other_end, other_end)
        finally:
            os.close(other_end)

    async def has_drawn(self) -> None:
        """Wait until something is on its screen: before that it would not see a key."""
        drawing, dying = asyncio.create_task(self._has_drawn.wait()), asyncio.create_task(self.died())
        try:
            async with asyncio.timeout(START):
                await asyncio.wait([drawing, dying], return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            raise DemoError(f"{self.name} has not started after {START:g} seconds") from None
        finally:
            drawing.cancel()
            dying.cancel()
        if not self.is_running:
            raise await self.died()

    def press(self, keys: str) -> None:
        if self._terminal is not None and self.is_running:
            with suppress(OSError):
                os.write(self._terminal, keys.encode())

    @property
    def last_words(self) -> str:
        return self._drawn.decode(errors="replace")

    async def stop(self) -> None:
        await super().stop()
        if self._terminal is not None:
            asyncio.get_running_loop().remove_reader(self._terminal)
            os.close(self._terminal)
            self._terminal = None

    def _pass_over(self) -> None:
        if self._terminal is None:
            return
        try:
            self._drawn = (self._drawn + os.read(self._terminal, 1 << 16))[-1000:]
            self._has_drawn.set()
        except BlockingIOError:
            pass
        except OSError:
            # The other end is closed: the program has ended.
            asyncio.get_running_loop().remove_reader(self._terminal)


def _environment() -> dict[str, str]:
    # Our service manager's variables are not passed on; the emulator draws only on a capable terminal.
    inherited = {key: value for key, value in os.environ.items() if key not in ("NOTIFY_SOCKET", "WATCHDOG_USEC")}
    return inherited | {"TERM": "xterm", "PYTHONUNBUFFERED": "1"}


def python(module: str) -> tuple[str, ...]:
    """How a module of ours is run, with the Python that runs this one, and with its libraries.

    The installed program is isolated: Python finds nothing but its own libraries, and ours where the program says.
    """
    if sys.flags.isolated:
        return (sys.executable, "-I", "-u", "-c", _WITH_OUR_PATH, json.dumps(sys.path), module)
    return (sys.executable, "-m", module)
