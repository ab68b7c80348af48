"""Time that passes only when nothing is left to do now: one agenda for the shoe, the broker, the people and the daemon.

A daemon's `DaemonLoop` is an asyncio event loop that puts each of its steps on that agenda. Killed, it never takes
another step: what the program was about to do is not done, and nothing of it is tidied up.
"""

import asyncio
import heapq
from asyncio.events import _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context
from functools import partial
from itertools import count
from typing import Any

Call = Callable[[], object]

RESOLUTION = 1e-6
MOST_LAST_WISHES = 20


class VirtualTime:
    def __init__(self) -> None:
        self.now = 0.0
        self.steps = 0
        self._agenda: list[tuple[float, int, Call]] = []
        self._running: DaemonLoop | None = None
        """What asyncio takes for the running event loop."""
        self._soon: deque[tuple[float, int, Call]] = deque()
        """What was entered for the moment in which it was entered: most of all, and already in order."""
        self._numbers = count()

    def at(self, when: float, call: Call) -> None:
        """Have this called then, after all that was entered for the same moment before."""
        heapq.heappush(self._agenda, (max(when, self.now), next(self._numbers), call))

    def after(self, seconds: float, call: Call) -> None:
        heapq.heappush(self._agenda, (self.now + seconds, next(self._numbers), call))

    def soon(self, call: Call) -> None:
        """Have this called now, after all that was entered for this moment before."""
        self._soon.append((self.now, next(self._numbers), call))

    def run_as(self, loop: "DaemonLoop | None") -> None:
        """Let asyncio take this event loop for the running one, until it is reset: setting it takes a while."""
        if self._running is not loop:
            self._running = loop
            _set_running_loop(loop)

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Steps are taken inside of this; outside of it no event loop is left as the running one."""
        try:
            yield
        finally:
            self.run_as(None)

    def step(self) -> None:
        soon, agenda = self._soon, self._agenda
        next_one = soon.popleft() if soon and not (agenda and agenda[0] < soon[0]) else heapq.heappop(agenda)
        self.now = next_one[0]
        self.steps += 1
        next_one[2]()

    def pass_until(self, when: float) -> None:
        """Take every step up to this moment, which is then."""
        while self._soon or (self._agenda and self._agenda[0][0] <= when):
            self.step()
        self.now = when


class DaemonLoop(asyncio.AbstractEventLoop):
    """As much of an event loop as the daemon needs."""

    def __init__(self, time: VirtualTime, troubles: list[str]) -> None:
        self.alive = True
        self._troubles = troubles
        """Gets what nobody caught."""
        self._time = time
        self._tasks: list[asyncio.Task[Any]] = []

    # --- what asyncio asks for ----------------------------------------------------------------------------------------

    def time(self) -> float:
        return self._time.now

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return self.alive

    def is_closed(self) -> bool:
        return False

    def call_soon(  # type: ignore[override]  # asyncio's own loops are typed with variable arguments, which it is not
        self,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 - asyncio's own
        context: Context | None = None,
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._time.soon(partial(self._run, handle))
        return handle

    def call_at(  # type: ignore[override]  # as above
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 - asyncio's own
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        # A timer takes a moment, as on any machine: time must not stand still because of a rounding error.
        when = max(when, self._time.now + RESOLUTION)
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._time.at(when, partial(self._run, handle))
        return handle

    def call_later(  # type: ignore[override]  # as above
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 - asyncio's own
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._time.now + delay, callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Nothing: it is passed over when its moment comes."""

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]  # as above
        self,
        coro: Coroutine[Any, Any, Any],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> "asyncio.Task[Any]":
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks = [each for each in self._tasks if not each.done()] if len(self._tasks) > 50 else self._tasks
        self._tasks.append(task)
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if self.alive:
            self._troubles.append(f"{context.get('message')}: {context.get('exception')!r}")

    # --- life and death -----------------------------------------------------------------------------------------------

    def _run(self, handle: asyncio.Handle) -> None:
        if self.alive and not handle.cancelled():
            self._time.run_as(self)
            handle._run()  # noqa: SLF001 - what every event loop does with its handles

    @contextmanager
    def running(self) -> Iterator[None]:
        """Code of the daemon may run in this outside of its own steps: when it is made."""
        self._time.run_as(self)
        try:
            yield
        finally:
            self._time.run_as(None)

    def kill(self) -> None:
        self.alive = False

    def bury(self) -> None:
        """Let go of a dead daemon's tasks, without a word; call it when nothing it could touch is in use any more."""
        self.alive = False
        with self.running():
            for task in self._tasks:
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001 - killed, not forgotten
                _close(task.get_coro())
        self._tasks.clear()


def _close(coroutine: Any) -> None:  # noqa: ANN401 - whatever a task was made of
    """Close it, however often it still waits for something on its way out."""
    for _ in range(MOST_LAST_WISHES):
        with suppress(BaseException):
            coroutine.close()
        if coroutine.cr_frame is None:
            return
