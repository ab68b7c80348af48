"""Sends events again from the journal, to one client, a window at a time."""

import asyncio
from typing import Protocol

from shoe_controller.messages.refusals import BeyondNewest
from shoe_controller.messages.requests import ReplayDone, ReplayRequest
from shoe_controller.mqtt.envelope import EventMessage, replayed, replayed_in_batches
from shoe_controller.mqtt.requests import RequestRefusedError, Send

WINDOW = 10
"""Events under way at once, unless they go in batches."""

PIECE, PAUSE = 20, 0.001
"""Events read from the journal at once, and the seconds in which the event loop does other work before the next."""

LARGEST_BATCH = 32 * 1024
"""Bytes of a message with several events."""


class Outbox(Protocol):
    def events(self, after: int, limit: int) -> list[EventMessage]:
        """Events with numbers above `after`, in order, at most `limit`; blocks the event loop while it reads."""

    def newest(self) -> int: ...

    def oldest(self) -> int:
        """The number of the oldest event that can still be read."""


class Replays:
    """All replays together have one window under way."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._turn = asyncio.Lock()

    async def replay(self, request: ReplayRequest, send: Send) -> ReplayDone:
        newest, last = self._outbox.newest(), request.after
        if last > newest:
            raise RequestRefusedError(BeyondNewest(newest=newest))
        # What is stored from now on is published anyway.
        end = min(newest, last + request.limit)
        while last < end:
            # A window is read and confirmed before the next one, so that replays take turns.
            async with self._turn:
                found = await self._read(last, min(end - last, max(WINDOW, request.batch)))
                payloads = map(replayed, found) if request.batch == 1 else replayed_in_batches(found, LARGEST_BATCH)
                taken = await asyncio.gather(*map(send, payloads), return_exceptions=True)
            if any(isinstance(each, BaseException) for each in taken):
                break  # the connection is gone, or the broker refuses them: the client gets no answer either
            last = found[-1].seq
        return ReplayDone(
            sent=last - request.after, last=last, oldest=self._outbox.oldest(), newest=self._outbox.newest()
        )

    async def _read(self, after: int, limit: int) -> list[EventMessage]:
        found: list[EventMessage] = []
        while len(found) < limit:
            if found:
                await asyncio.sleep(PAUSE)
            last = found[-1].seq if found else after
            piece = self._outbox.events(last, min(PIECE, limit - len(found)))
            if not piece:
                raise RuntimeError(f"the journal has no event after {last}, although there are newer ones")
            found += piece
        return found
