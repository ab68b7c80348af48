"""What a test may leave behind: nothing. Counts the open files, the tasks and the threads of this process."""

import asyncio
import os
import threading
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


def has_open(path: str) -> int:
    """How many descriptors of this process are open on a device."""
    real = os.path.realpath(path)
    return sum(target == real for _, target in Belongings.now().files)
