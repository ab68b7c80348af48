"""A demonstration as a person starts it: in a terminal of some size, or with its output going elsewhere."""

import asyncio
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 45.0
"""Seconds after which a test gives up waiting for something that should take far less."""

YES = "truth = journal = display: yes"
"""How a report begins its last word when all is well."""

_OTHER_SCREEN, _BACK = "\x1b[?1049h", "\x1b[?1049l"
_HOME = "\x1b[H"
_SEQUENCES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class WatchedDemo:
    """Its temporary files go into `folder`, which also tells its programs from everybody else's."""

    def __init__(self, folder: Path, *options: str, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._arguments = (sys.executable, "-m", "shoe_controller.cli", "demo", *options)
        self._process: asyncio.subprocess.Process | None = None
        self._terminal = -1
        self._written = bytearray()
        self._came: list[tuple[float, int]] = []
        """When something came, and how much there was then."""
        self._stirred = asyncio.Event()

    async def start(self, columns: int | None = None, rows: int = 24) -> None:
        """With no columns, standard output is no terminal."""
        self._terminal, other_end = pty.openpty() if columns is not None else os.pipe()
        if columns is not None:
            fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._process = await asyncio.create_subprocess_exec(
            *self._arguments,
            stdin=other_end if columns is not None else asyncio.subprocess.DEVNULL,
            stdout=other_end,
            stderr=other_end,
            env={
                **os.environ,
                "TMPDIR": str(self._folder),
                "TERM": "xterm-256color",
                "PYTHONIOENCODING": "utf-8",
                **self._environment,
            },
        )
        os.close(other_end)
        os.set_blocking(self._terminal, False)
        asyncio.get_running_loop().add_reader(self._terminal, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._terminal, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._terminal)
        self._written += data
        self._came.append((time.monotonic(), len(self._written)))
        self._stirred.set()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def shows(self, words: str, within: float = PATIENCE) -> None:
        """Wait until it has written this."""
        async with asyncio.timeout(within):
            while words not in self.text:
                self._stirred.clear()
                await self._stirred.wait()

    def look_away(self) -> None:
        """Close the terminal, or the pipe."""
        if self._terminal >= 0:
            asyncio.get_running_loop().remove_reader(self._terminal)
            os.close(self._terminal)
            self._terminal = -1

    async def ended(self, within: float = PATIENCE) -> int:
        assert self._process is not None
        async with asyncio.timeout(within):
            code = await self._process.wait()
        if self._terminal >= 0:
            self._read()
        self.look_away()
        return code

    async def kill(self) -> None:
        """Whatever a failed test has left."""
        for pid in self.programs():
            os.kill(pid, signal.SIGKILL)
        if self._process is not None:
            await self._process.wait()
        self.look_away()

    @property
    def text(self) -> str:
        return _SEQUENCES.sub("", self._raw)

    @property
    def report(self) -> str:
        """What stands on the terminal when the picture is gone."""
        return _SEQUENCES.sub("", self._raw.rpartition(_BACK)[2])

    @property
    def pictures(self) -> list[list[str]]:
        """Every picture that was drawn, as its lines."""
        texts = [_SEQUENCES.sub("", picture) for _, picture in self.drawn]
        return [text.replace("\r", "").split("\n") for text in texts if text.strip()]

    @property
    def drawn(self) -> list[tuple[float, str]]:
        """The same as the terminal got them, each with the monotonic time when it was whole."""
        before, _, rest = bytes(self._written).partition(_OTHER_SCREEN.encode())
        pictures, end = [], len(before) + len(_OTHER_SCREEN)
        for picture in rest.partition(_BACK.encode())[0].split(_HOME.encode()):
            end += len(picture)
            at, _ = self._came[bisect_left(self._came, end, key=lambda came: came[1])]
            pictures.append((at, picture.decode(errors="replace")))
            end += len(_HOME)
        return pictures

    @property
    def _raw(self) -> str:
        return self._written.decode(errors="replace")

    def programs(self) -> Sequence[int]:
        """Processes of this demonstration that are alive: they have its folder in their environment."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    environment = (folder / "environ").read_bytes()
                    state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                except OSError:
                    continue
                if f"TMPDIR={self._folder}".encode() in environment.split(b"\0") and state != "Z":
                    found.append(int(folder.name))
        return found

    def pid_of(self, *words: str) -> int:
        """The program that was started with these words one after another."""
        wanted = "\0".join(words).encode() + b"\0"
        return next(pid for pid in self.programs() if wanted in Path(f"/proc/{pid}/cmdline").read_bytes())


class Folder:
    """Makes demonstrations, and sees to it that none of them outlives its test."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.demos: list[WatchedDemo] = []

    def demo(self, *options: str, environment: Mapping[str, str] | None = None) -> WatchedDemo:
        self.demos.append(WatchedDemo(self.path, *options, environment=environment or {}))
        return self.demos[-1]

    def is_clean(self) -> bool:
        return not list(self.path.iterdir()) and not any(demo.programs() for demo in self.demos)
