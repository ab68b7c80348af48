"""The leak check itself, which must see a leak when there is one."""

import asyncio
import os
import threading

import pytest

from tests.transports.leaks import Belongings


@pytest.mark.asyncio
async def test_a_file_a_task_and_a_thread_left_behind_are_seen() -> None:
    before = Belongings.now()
    assert Belongings.now().left_since(before) == []

    reading, writing = os.pipe()
    task = asyncio.create_task(asyncio.sleep(60), name="forgotten task")
    enough = threading.Event()
    thread = threading.Thread(target=enough.wait, name="forgotten thread")
    thread.start()
    left = Belongings.now().left_since(before)
    assert len(left) == 4
    for trace in (f"file {reading}: pipe", f"file {writing}: pipe", "forgotten task", "forgotten thread"):
        assert any(trace in each for each in left)

    os.close(reading)
    os.close(writing)
    task.cancel()
    enough.set()
    thread.join()
    await asyncio.sleep(0)
    assert Belongings.now().left_since(before) == []
