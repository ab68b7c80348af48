"""Our commands as processes of the test's own, with everything they wrote kept in a file."""

import asyncio
import os
import signal
import sys
from pathlib import Path

PATIENCE = 60.0
"""Seconds after which a test gives up waiting for something that should take far less."""

COMMANDS = Path(sys.executable).parent
"""Where `shoe-controller` and `shoe-emulator` are installed."""


class Program:
    """One command; it can be started again after it has ended, and goes on writing to the same file."""

    def __init__(self, command: str, *arguments: str, log: Path, environment: dict[str, str] | None = None) -> None:
        self.arguments = (str(COMMANDS / command), *arguments)
        self.log = log
        self.environment = environment or {}
        self._process: asyncio.subprocess.Process | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        assert self._process is not None, f"{self.arguments[0]} was never started"
        return self._process.pid

    @property
    def output(self) -> str:
        """Everything that it has written so far, over all its starts."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    async def start(self) -> None:
        assert not self.is_running, f"{self.arguments[0]} runs already"
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self.arguments, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment()
            )

    def signal(self, number: signal.Signals) -> None:
        assert self.is_running, f"{self.arguments[0]} does not run:\n{self.output}"
        os.kill(self.pid, number)

    async def ended(self, within: float = PATIENCE) -> int:
        """Wait until it ends by itself, or after a signal; its exit code."""
        assert self._process is not None, f"{self.arguments[0]} was never started"
        async with asyncio.timeout(within):
            return await self._process.wait()

    async def terminate(self, within: float = PATIENCE) -> int:
        """Ask it to end (SIGTERM) and wait for that; its exit code."""
        if self.is_running:
            self.signal(signal.SIGTERM)
        return await self.ended(within)

    async def kill(self) -> None:
        """End it as by `kill -9`, if it runs."""
        if self.is_running:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
        if self._process is not None:
            await self.ended()

    def _environment(self) -> dict[str, str]:
        # The test's own service manager must not be notified by the programs it starts.
        inherited = {key: value for key, value in os.environ.items() if key not in ("NOTIFY_SOCKET", "WATCHDOG_USEC")}
        return inherited | {"PYTHONUNBUFFERED": "1"} | self.environment
