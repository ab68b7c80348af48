"""Serves the requests that come over a connection: a lane for each client and role, and in each one after another.

So the table never has more than one request of a client before it, and a card waits for few of them. Whatever a client
sends, its answers go to its own reply topics, behind everything else that the connection has to send.
"""

import asyncio
from collections import deque
from typing import Protocol

from shoe_controller.messages.refusals import Busy
from shoe_controller.messages.requests import RequestRole, refused
from shoe_controller.messages.topics import RequestTopic, Topics
from shoe_controller.mqtt.broker import MESSAGE_BYTES, BrokerSession, Incoming
from shoe_controller.mqtt.requests import LONGEST_CORRELATION, RequestDesk, encode_answer, request_id_in

MOST_BYTES = 8 * 1024 * 1024
"""Bytes of requests that may wait, over all lanes of a connection; what exceeds them is dropped."""

MOST_REPLAYS = 3
"""Replays of one client that may wait; more are answered as busy."""


class ServiceWatcher(Protocol):
    def request_served(self, message: Incoming, code: str) -> None: ...

    def requests_dropped(self) -> None:
        """More requests came than could be kept; called once for each session."""


class RequestService:
    """Serves one session."""

    def __init__(self, session: BrokerSession, topics: Topics, desk: RequestDesk, watcher: ServiceWatcher) -> None:
        self._session = session
        self._topics = topics
        self._desk = desk
        self._watcher = watcher
        self._lanes: dict[RequestTopic, deque[Incoming]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting_bytes = 0
        self._drop_reported = False

    def take(self, message: Incoming) -> None:
        """A request has come; it is served when those before it in its lane are."""
        sender = self._topics.read_request(message.topic)
        if sender is None:
            return
        size = MESSAGE_BYTES + len(message.payload)
        if self._session.dropped or self._waiting_bytes + size > MOST_BYTES:
            self._report_drop()
        if self._waiting_bytes + size > MOST_BYTES:
            return
        lane = sender._replace(name="")
        waiting = self._lanes.get(lane)
        if waiting is not None and sender.role == RequestRole.DISPLAY and len(waiting) >= MOST_REPLAYS:
            self._answer_busy(message, sender.user)
            return
        self._waiting_bytes += size
        if waiting is not None:
            waiting.append(message)
            return
        waiting = self._lanes[lane] = deque([message])
        task = asyncio.get_running_loop().create_task(self._serve_lane(lane, waiting))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Give up what is being served; nobody could get its answer."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve_lane(self, lane: RequestTopic, waiting: deque[Incoming]) -> None:
        while waiting:
            await self._serve(waiting[0])
            self._waiting_bytes -= MESSAGE_BYTES + len(waiting.popleft().payload)
        del self._lanes[lane]

    async def _serve(self, message: Incoming) -> None:
        answer = await self._desk.answer(message, lambda payload: self._send(message, payload))
        self._watcher.request_served(message, "forged_response_topic" if answer is None else answer.code)
        if answer is not None and message.response_topic is not None:
            self._send(message, encode_answer(answer))

    def _send(self, message: Incoming, payload: bytes) -> "asyncio.Future[None]":
        correlation = message.correlation
        if correlation is not None and len(correlation) > LONGEST_CORRELATION:
            correlation = None  # the desk has refused the request
        return self._session.publish_soon(message.response_topic or "", payload, correlation=correlation, answer=True)

    def _answer_busy(self, message: Incoming, user: str) -> None:
        if message.response_topic is not None and self._topics.is_reply(message.response_topic, user):
            self._send(message, encode_answer(refused(Busy(), request_id_in(message.payload))))

    def _report_drop(self) -> None:
        if not self._drop_reported:
            self._drop_reported = True
            self._watcher.requests_dropped()
