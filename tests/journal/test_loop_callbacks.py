"""What the writer's thread answers arrives in the event loop: everything, in order, and never after the end."""

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoe_controller.journal.errors import JournalMissingError
from shoe_controller.journal.loop_callbacks import LoopCallbacks
from shoe_controller.journal.records import Receipt
from tests.journal.samples import entry, opened, verified

PATIENCE = 10.0


def in_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in a thread
            await asyncio.sleep(0.001)


def test_every_entry_is_answered_in_the_loop_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"

    async def play() -> tuple[list[int], set[int]]:
        answers = LoopCallbacks()
        heard: list[int] = []
        threads: set[int] = set()

        def stored(outcome: Receipt | BaseException) -> None:
            assert isinstance(outcome, Receipt)
            heard.append(outcome.seqs[0])
            threads.add(threading.get_ident())

        with opened(path) as journal:
            for number in range(1, 101):
                journal.store(entry(number), answers.in_loop(stored))
            await until(lambda: len(heard) == 100)
        answers.close()
        return heard, threads

    assert asyncio.run(play()) == (list(range(1, 101)), {threading.get_ident()})
    assert verified(path).good


def test_an_error_is_an_answer_too(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"

    async def play() -> list[Any]:
        answers = LoopCallbacks()
        heard: list[Any] = []
        with opened(path) as journal:
            journal.store(entry(1), answers.in_loop(heard.append))
            await until(lambda: len(heard) == 1)
            path.rename(tmp_path / "elsewhere")
            journal.store(entry(2), answers.in_loop(heard.append))
            await until(lambda: len(heard) == 2)
            (tmp_path / "elsewhere").rename(path)
        answers.close()
        return heard

    receipt, error = asyncio.run(play())
    assert isinstance(receipt, Receipt)
    assert isinstance(error, JournalMissingError)


def test_threads_that_speak_at_once_are_all_heard() -> None:
    async def listen() -> list[tuple[int, int]]:
        answers = LoopCallbacks()
        heard: list[tuple[int, int]] = []
        say = answers.in_loop(heard.append)

        def speak(thread: int) -> None:
            for number in range(500):
                say((thread, number))

        threads = [threading.Thread(target=speak, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        await until(lambda: len(heard) == 2000)
        for thread in threads:
            thread.join()
        answers.close()
        return heard

    heard = asyncio.run(listen())
    for thread in range(4):
        assert [number for one, number in heard if one == thread] == list(range(500))


def test_one_answer_that_fails_does_not_keep_the_others_back() -> None:
    async def listen() -> tuple[list[str], list[BaseException | None]]:
        answers = LoopCallbacks()
        heard: list[str] = []
        failures: list[BaseException | None] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context.get("exception")))

        def fail(_: str) -> None:
            raise LookupError

        in_thread(lambda: (answers.in_loop(fail)("one"), answers.in_loop(heard.append)("two")))
        await until(lambda: bool(heard))
        answers.close()
        return heard, failures

    heard, failures = asyncio.run(listen())
    assert heard == ["two"]
    assert [type(failure) for failure in failures] == [LookupError]


def test_closing_hands_out_what_has_arrived_and_nothing_after_that() -> None:
    async def listen() -> list[str]:
        answers = LoopCallbacks()
        heard: list[str] = []
        say = answers.in_loop(heard.append)
        in_thread(lambda: say("before"))
        answers.close()
        # Whatever has the number of the bell now must not be rung.
        files = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(20)]
        in_thread(lambda: say("after"))
        answers.close()
        await asyncio.sleep(0)
        for file in files:
            with pytest.raises(BlockingIOError):
                os.eventfd_read(file)
            os.close(file)
        return heard

    assert asyncio.run(listen()) == ["before"]


def test_nothing_stays_open() -> None:
    async def open_and_close() -> None:
        LoopCallbacks().close()

    before = {file.name for file in Path("/proc/self/fd").iterdir()}
    for _ in range(3):
        asyncio.run(open_and_close())
    assert {file.name for file in Path("/proc/self/fd").iterdir()} == before
