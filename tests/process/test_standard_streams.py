"""Long-running programs with closed standard streams, or a log that nobody reads: they serve, and end when asked."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from tests.attacks.hanging_log import fill
from tests.board.room import free_port
from tests.daemon.house_file import SITE
from tests.daemon.programs import COMMANDS, PATIENCE
from tests.table_files import Data, write

pytestmark = pytest.mark.asyncio

STANDARD = (0, 1, 2)


def answers(port: int) -> bool:
    with closing(socket.socket()) as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def opened(process: int, descriptor: int) -> str:
    return str(Path(f"/proc/{process}/fd/{descriptor}").readlink())


def prepared(kind: str, folder: Path) -> tuple[Data, Callable[[], bool]]:
    """What its file holds, and whether it is up."""
    data: Data = {"mqtt": {"host": "127.0.0.1", "port": free_port()}}
    port, lines = free_port(), folder / "site.witness"
    if kind == "witness":
        return data | {"witness": {"site": SITE, "file": str(lines)}}, lines.exists
    if kind == "console":
        data |= {"table": {"site": SITE, "name": "table-1"}, "console": {"port": port}}
    else:
        data |= {"board": {"site": SITE, "port": port}}
    return data, lambda: answers(port)


@asynccontextmanager
async def running(kind: str, folder: Path, redirections: str, log: int | None = None) -> AsyncIterator[int]:
    """The program's process id, when it is up. At the end SIGTERM must end it."""
    data, is_up = prepared(kind, folder)
    command = f"exec {COMMANDS / 'shoe-controller'} {kind} {write(folder, data)} {redirections}"
    program = await asyncio.create_subprocess_shell(command, stdin=asyncio.subprocess.DEVNULL, stderr=log)
    try:
        async with asyncio.timeout(60):
            while not is_up():
                assert program.returncode is None, "it ended at once"
                await asyncio.sleep(0.05)
        yield program.pid
        program.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert await program.wait() == 0
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()


async def test_closed_streams_are_replaced_so_that_no_file_or_socket_gets_the_log(tmp_path: Path) -> None:
    async with running("witness", tmp_path, "0<&- 1>&- 2>&-") as process:
        assert {opened(process, each) for each in STANDARD} == {os.devnull}


@pytest.mark.parametrize("kind", ["board", "console", "witness"])
async def test_a_log_that_nobody_reads_holds_up_neither_start_nor_end(kind: str, tmp_path: Path) -> None:
    reader, log = os.pipe()
    try:
        fill(log)
        async with running(kind, tmp_path, "", log):
            pass
    finally:
        os.close(reader)
        os.close(log)


async def test_a_command_without_standard_output_does_its_work() -> None:
    command = f"{COMMANDS / 'shoe-controller'} hand 9H 4D KS 2C >&-"
    program = await asyncio.create_subprocess_shell(command, stderr=asyncio.subprocess.PIPE)
    _, complaints = await program.communicate()
    assert (program.returncode, complaints) == (0, b"")
