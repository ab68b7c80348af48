"""Debian's Mosquitto as a process of the test's own, on a free loopback port."""

import asyncio
import getpass
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 10.0


class Mosquitto:
    """Started with `start`; its configuration and its memory lie in `folder`."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self._folder = folder
        self._settings = settings
        self._process: asyncio.subprocess.Process | None = None
        self.port = 0

    async def start(self) -> None:
        """Start on the port it had before, or at first on any that is free."""
        if self.port:
            assert await self._start_on(self.port), f"Mosquitto did not come back: {self._log.read_text()}"
            return
        for port in candidate_ports():
            if await self._start_on(port):
                self.port = port
                return
        raise AssertionError(f"Mosquitto did not start: {self._log.read_text()}")

    async def stop(self) -> None:
        """End in order: it writes down what it remembers."""
        if self._process is not None:
            self._process.terminate()
            await self._ended()

    async def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            await self._ended()

    def forget(self) -> None:
        """Lose what it wrote down; only while it is stopped."""
        (self._folder / "mosquitto.db").unlink(missing_ok=True)

    async def _ended(self) -> None:
        assert self._process is not None
        async with asyncio.timeout(PATIENCE):
            await self._process.wait()
        self._process = None

    @property
    def _log(self) -> Path:
        return self._folder / "mosquitto.log"

    async def _start_on(self, port: int) -> bool:
        # The user matters to root alone: Mosquitto would become another user who may not read the folder.
        configuration = (
            f"listener {port} 127.0.0.1\nuser {getpass.getuser()}\nlog_dest file {self._log}\nset_tcp_nodelay true\n"
            f"persistence true\npersistence_location {self._folder}/\n{self._settings}\n"
        )
        file = self._folder / "mosquitto.conf"
        file.write_text(configuration)
        self._log.touch()
        started_before = self._times_started()
        self._process = await asyncio.create_subprocess_exec(
            executable(), "-c", str(file), stderr=asyncio.subprocess.DEVNULL
        )
        async with asyncio.timeout(PATIENCE):
            while self._process.returncode is None:
                if self._times_started() > started_before:
                    return True
                await asyncio.sleep(0.002)
        self._process = None
        return False

    def _times_started(self) -> int:
        """Count how often it has written that its port is open; a connection might be answered by somebody else."""
        return len(re.findall(r"mosquitto version \S+ running", self._log.read_text()))


def executable() -> str:
    found = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    assert found, "Mosquitto is not installed; .ci/system-packages installs what the tests need."
    return found


def dynamic_security() -> Path:
    """Give the plug-in that Debian ships with Mosquitto."""
    found = sorted(Path("/usr/lib").glob("*/mosquitto_dynamic_security.so"))
    assert found, "Mosquitto's dynamic security plug-in is missing; .ci/system-packages installs what the tests need."
    return found[0]


def candidate_ports() -> Iterator[int]:
    """Give ports worth trying, below those the kernel lends to clients, and not the same in processes side by side."""
    first = os.getpid() * 10 % 10_000
    for number in range(first, first + 50):
        yield 20_000 + number % 10_000
