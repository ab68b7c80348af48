"""Brings the answers of the journal's writer from its thread into an event loop.

`loop.call_soon_threadsafe` does the same, but lets the loop turn twice before the function runs, and every card waits
for that. Here the loop watches an eventfd, and hands out what has arrived in the very turn in which it wakes.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

_Outcome = TypeVar("_Outcome")


class LoopCallbacks:
    """Belongs to the loop in which it was made, and is closed there, after the journal."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived: deque[tuple[Callable[[Any], object], object]] = deque()
        self._bell: int | None = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._ringing = threading.Lock()
        """Held while signalling or closing: a closed descriptor's number may soon belong to another file."""
        self._loop.add_reader(self._bell, self._answer_the_bell, self._bell)

    def in_loop(self, answer: Callable[[_Outcome], object]) -> Callable[[_Outcome], None]:
        """What the writer may call; `answer` itself runs in the loop, in the order of the calls."""
        return partial(self._arrive, answer)

    def close(self) -> None:
        """Deliver the answers that have arrived and drop later ones. May be called twice."""
        with self._ringing:
            bell, self._bell = self._bell, None
            if bell is not None:
                self._loop.remove_reader(bell)
                os.close(bell)
        self._hand_out()

    def _arrive(self, answer: Callable[[_Outcome], object], outcome: _Outcome) -> None:
        with self._ringing:
            if self._bell is not None:
                self._arrived.append((answer, outcome))
                os.eventfd_write(self._bell, 1)

    def _answer_the_bell(self, bell: int) -> None:
        os.eventfd_read(bell)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._arrived:
            answer, outcome = self._arrived.popleft()
            try:
                answer(outcome)
            except Exception as error:  # noqa: BLE001 - the loop reports it, and the others get their answers
                self._loop.call_exception_handler({"message": f"{answer} failed", "exception": error})
