"""`python -m simulator.broker` as a person runs it."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from simulator.broker import EmulatedBroker
from simulator.broker.__main__ import main
from tests.simulator.broker.raw_client import client

COMMAND = [sys.executable, "-m", "simulator.broker"]
PATIENCE = 20.0


@asynccontextmanager
async def running(*arguments: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int, str]]:
    """Run the command on a free port; gives the process, the port and its first line."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--port", "0", *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            greeting = (await process.stdout.readline()).decode()
        found = re.search(r"port (\d+)", greeting)
        assert found, greeting
        yield process, int(found[1]), greeting
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.asyncio
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
async def test_it_says_what_it_is_serves_and_ends_cleanly(how: signal.Signals) -> None:
    async with running() as (process, port, greeting):
        assert "never for production" in greeting
        assert "only this machine can reach it" in greeting
        async with client(port, "table-7") as table:
            await table.ping()
            process.send_signal(how)
            assert await table.hung_up() is None
        async with asyncio.timeout(PATIENCE):
            out, errors = await process.communicate()
        assert process.returncode == 0
        assert errors == b""
        assert "'table-7' connected (MQTT 5)" in out.decode()
        assert out.decode().endswith("The emulated broker has stopped.\n")


@pytest.mark.asyncio
async def test_a_taken_port_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    async with EmulatedBroker() as other:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "--port", str(other.port), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        out, errors = await process.communicate()
    assert process.returncode == 2
    assert (out, capsys.readouterr().out) == (b"", "")
    assert errors.decode() == (
        f"python -m simulator.broker: port {other.port} of 127.0.0.1 is in use by another program. "
        "Stop it, or choose another port.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "'0.0.0.0' is not this machine's loopback address"),  # noqa: S104 - to be refused
        (["--port", "70000"], "70000 is not a port"),
    ],
)
def test_nonsense_is_answered_with_a_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
