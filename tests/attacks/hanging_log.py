"""The reader of the log hangs, and the log is full before the table starts: cards go on, and SIGTERM ends it."""

import asyncio
import os
import pty
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from shoe_controller.messages.facts import RoundResult
from tests.attacks.attack import Attack
from tests.daemon.harness import Chain
from tests.daemon.programs import COMMANDS, PATIENCE

ROUNDS = 1


def _pipe() -> tuple[int, int]:
    return os.pipe()


def _journal_socket() -> tuple[int, int]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return theirs.detach(), ours.detach()


def _terminal() -> tuple[int, int]:
    return pty.openpty()


KINDS: tuple[Callable[[], tuple[int, int]], ...] = (_pipe, _journal_socket, _terminal)


def fill(descriptor: int) -> None:
    os.set_blocking(descriptor, False)
    try:
        while os.write(descriptor, b"x" * 1000 + b"\n"):
            pass
    except BlockingIOError:
        os.set_blocking(descriptor, True)


async def _table_with_a_full_log(folder: Path, kind: Callable[[], tuple[int, int]]) -> None:
    reader, log = kind()
    try:
        async with Chain(folder, speed="200", log={"level": "debug"}) as chain:
            fill(log)
            command = (str(COMMANDS / "shoe-controller"), "run", str(folder / "table.toml"))
            table = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL, stderr=log)
            try:
                display = await chain.display()
                await chain.start_emulator()
                await display.until(
                    lambda: len(display.facts_of(RoundResult)) >= ROUNDS, what=f"a round, with a full {kind.__name__}"
                )
                table.send_signal(signal.SIGTERM)
                async with asyncio.timeout(PATIENCE):
                    assert await table.wait() == 0
            finally:
                if table.returncode is None:
                    table.kill()
                    await table.wait()
    finally:
        os.close(reader)
        os.close(log)


def _run(folder: Path, tries: int) -> str:
    for number in range(tries):
        inside = folder / str(number)
        inside.mkdir()
        asyncio.run(_table_with_a_full_log(inside, KINDS[number % len(KINDS)]))
    return f"{tries} tables dealt a round each and ended with exit code 0, over full pipes, sockets, terminals"


ATTACKS = (Attack("log reader hangs", _run, tries=9, sample=1),)
