"""What a test may leave behind: nothing. Counts the open files, the tasks and the threads of this process."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Belongings:
    files: frozenset[tuple[int, str]]
    tasks: frozenset[str]
    threads: frozenset[str]

    @classmethod
    def now(cls) -> Self:
        """Everything this process has now, but for the task that asks."""
        files = set()
        for descriptor in Path("/proc/self/fd").iterdir():
            try:
                files.add((int(descriptor.name), str(descriptor.readlink())))
            except FileNotFoundError:  # the listing itself needed one, which is closed again
                continue
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        threads = (f"{thread.name} ({thread.ident})" for thread in threading.enumerate())
        return cls(frozenset(files), frozenset(str(task) for task in tasks), frozenset(threads))

    def left_since(self, before: "Belongings") -> list[str]:
        return sorted(
            [f"file {number}: {target}" for number, target in self.files - before.files]
            + [f"task: {task}" for task in self.tasks - before.tasks]
            + [f"thread: {thread}" for thread in self.threads - before.threads]
        )


@asynccontextmanager
async def leak_check() -> AsyncIterator[None]:
    """Fails when anything is left that was not there before."""
    before = Belongings.now()
    yield
    # A name look-up leaves the loop's own worker waiting for the next; ending it is what `asyncio.run` does too.
    await asyncio.get_running_loop().shutdown_default_executor()
    left = Belongings.now().left_since(before)
    assert not left, f"the test left behind: {left}"


def has_open(path: str) -> int:
    """How many descriptors of this process are open on a device."""
    real = os.path.realpath(path)
    return sum(target == real for _, target in Belongings.now().files)
