"""`python -m simulator.broker` as a person runs it."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from simulator.broker import EmulatedBroker
from simulator.broker.__main__ import main
from tests.simulator.broker.raw_client import RawClient, client

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
async def test_users_and_an_access_file(tmp_path: Path) -> None:
    access = tmp_path / "access"
    access.write_text("user table\ntopic write events/#\n")
    async with running("--user", "table:se:cret", "--user", "other:x", "--access", str(access)) as (_, port, _greeting):
        stranger = await RawClient.open(port)
        assert (await stranger.connect("x")).reason == 0x87
        await stranger.drop()
        async with client(port, "table-7", user="table", password="se:cret") as table:  # noqa: S106 - a test's
            assert await table.publish("events/card") == 0x10
            assert await table.publish("commands/stop") == 0x87


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
        (["--access", "/no/such/file"], "cannot read the access file /no/such/file: No such file"),
    ],
)
def test_nonsense_is_answered_with_a_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_bad_access_file_is_answered_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "access"
    file.write_text("user table\ntopic read a#\n")
    assert main(["--access", str(file)]) == 2
    assert f"{file}, line 2: 'a#' is not a topic filter" in capsys.readouterr().err
    file.write_bytes(os.urandom(3) + b"\xff\xfe")
    assert main(["--access", str(file)]) == 2
    assert "it is not UTF-8 text" in capsys.readouterr().err


@pytest.mark.parametrize("user", ["table", ":secret", "table:", ""])
def test_a_user_needs_a_name_and_a_password(user: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--user", user])
    assert ended.value.code == 2
    assert f"{user!r} is not NAME:PASSWORD" in capsys.readouterr().err
