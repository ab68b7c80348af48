"""The line to the table: keeps the model told, and asks the table for acts and for events that are missing.

A request that got no answer is sent once more under the same number, which the table knows as a repeat; a page never
learns more than the table's answer. `web/following.py` holds the connection.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec

from shoe_controller.console.model import ConsoleModel
from shoe_controller.messages.requests import Answer, RequestRole
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import BrokerError, BrokerLostError, BrokerSession, Incoming
from shoe_controller.web.following import Watcher
from shoe_controller.web.replay_request import Ask, ask_for_replay

ANSWER_WITHIN = 4.0
"""Seconds for an answer; then the request is sent once more, and then given up."""

TRIES = 2

AWAY = Answer(status="error", code="away", message="The controller is away. Nothing was asked of it.")
NO_ANSWER = Answer(
    status="error",
    code="no_answer",
    message="No answer came. See whether the table has done it before you try again.",
)

_encode = msgspec.json.Encoder().encode
_read_answer = msgspec.json.Decoder(Answer).decode


class TableClient:
    """A `Followed`, and the `Table` that the console's front asks."""

    def __init__(self, *, topics: Topics, client: str, model: ConsoleModel, watcher: Watcher, instance: str) -> None:
        """`client` is our name in reply topics, `instance` unlike that of any other start of a console."""
        self._topics = topics
        self._replies = f"{topics.replies}{client}/{instance}/"
        self._model = model
        self._watcher = watcher
        self._instance = instance
        self._session: BrokerSession | None = None
        self._awaited: dict[bytes, asyncio.Future[Answer]] = {}
        self._asked = 0

    @property
    def subscriptions(self) -> tuple[str, ...]:
        topics = self._topics
        return topics.status, topics.info, topics.state, f"{topics.prefix}/event/#", f"{self._replies}#"

    # --- asking ------------------------------------------------------------------------------------------------------

    async def ask(self, role: str, name: str, request: dict[str, Any]) -> Answer:
        """Ask for something, and wait for the answer; `request` has a `request_id`."""
        topic = self._topics.request(RequestRole(role), self._topics.client_of(self._replies), name)
        payload = _encode(request)
        for attempt in range(TRIES):
            session = self._session
            if session is None or not self._model.online:
                return NO_ANSWER if attempt else AWAY
            try:
                return await self._ask_once(session, topic, payload)
            except TimeoutError:
                continue
            except BrokerLostError:
                return NO_ANSWER
            except BrokerError as error:
                self._watcher.not_sent(topic, error)
                return Answer(status="error", code="not_sent", message=f"The broker did not take it: {error}")
        return NO_ANSWER

    async def _ask_once(self, session: BrokerSession, topic: str, payload: bytes) -> Answer:
        self._asked += 1
        correlation = str(self._asked).encode()
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._awaited[correlation] = answered
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                await session.publish_soon(
                    topic,
                    payload,
                    response_topic=f"{self._replies}answers",
                    correlation=correlation,
                    expiry=max(1, int(ANSWER_WITHIN)),
                )
                return await answered
        finally:
            del self._awaited[correlation]

    # --- following ---------------------------------------------------------------------------------------------------

    def broker_up(self, session: BrokerSession) -> None:
        self._session = session
        self._model.broker_up()

    def broker_down(self) -> None:
        self._session = None
        self._model.broker_down()
        for waiting in self._awaited.values():
            if not waiting.done():
                waiting.set_exception(BrokerLostError("the connection is gone"))

    def heard(self, message: Incoming, _now: float) -> None:
        if message.topic == f"{self._replies}answers":
            self._take_answer(message)
        elif message.topic == f"{self._replies}replay":
            self._model.heard_replay(message.payload)
        elif message.payload:
            self._model.heard(message.topic.removeprefix(f"{self._topics.prefix}/"), message.payload)

    def _take_answer(self, message: Incoming) -> None:
        waiting = self._awaited.get(message.correlation or b"")
        if waiting is not None and not waiting.done():
            waiting.set_result(_read_answer(message.payload))

    def asks(self, now: float) -> Iterator[Ask]:
        after = self._model.wanted(now)
        if after is not None:
            self._model.asked(now)
            self._asked += 1
            request_id = f"{self._instance}-{self._asked}"
            yield ask_for_replay(self._topics, after, request_id=request_id, response_topic=f"{self._replies}replay")
