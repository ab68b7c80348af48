"""The console's client at the broker: updates the model, and sends requests to the table.

A request without an answer is sent once more under the same id, which the table recognises as a repeat; a page never
learns more than the table's answer. `follow/connection.py` holds the connection.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec

from shoe_controller.console.failures import (
    AnyFailure,
    ControllerAway,
    NoAnswer,
    NoTable,
    NotAccepted,
    NotAnswered,
    OtherTables,
)
from shoe_controller.follow.connection import FollowObserver
from shoe_controller.follow.table import FollowedTable, Request, subscriptions
from shoe_controller.messages.requests import Answer, RequestRole
from shoe_controller.messages.topics import ROOT
from shoe_controller.mqtt.broker import BrokerError, BrokerLostError, BrokerSession, Incoming

ANSWER_WITHIN = 4.0
"""Seconds for an answer; then the request is sent once more, and then given up."""

TRIES = 2

_encode = msgspec.json.Encoder().encode
_read_answer = msgspec.json.Decoder(Answer).decode


class TableClient:
    """A `Followed`, and the `TableRequests` of the console's form desk."""

    def __init__(self, followed: FollowedTable, observer: FollowObserver) -> None:
        self.in_sight: tuple[str, ...] | None = None
        """Tables that can be seen at the broker while this one is waited for in vain; `None` before the first look."""
        self._followed = followed
        self._answers = followed.reply_topic.removesuffix("replay") + "answers"
        self._observer = observer
        self._session: BrokerSession | None = None
        self._awaited: dict[bytes, asyncio.Future[Answer]] = {}
        self._asked = 0

    @property
    def subscriptions(self) -> tuple[str, ...]:
        followed = self._followed
        return (*subscriptions(followed.topics, followed.reply_topic), self._answers)

    # --- asking ------------------------------------------------------------------------------------------------------

    async def ask(self, role: RequestRole, name: str, request: dict[str, Any]) -> Answer | NotAnswered:
        """Send a request, which has a `request_id`, and wait for the answer."""
        followed = self._followed
        topic, payload = followed.topics.request(role, followed.client, name), _encode(request)
        for attempt in range(TRIES):
            session = self._session
            if session is None or not followed.online:
                return NotAnswered(NoAnswer() if attempt else self._away())
            try:
                return await self._ask_once(session, topic, payload)
            except TimeoutError:
                continue
            except BrokerLostError:
                return NotAnswered(NoAnswer())
            except BrokerError as error:
                self._observer.not_sent(topic, error)
                return NotAnswered(NotAccepted(text=str(error)))
        return NotAnswered(NoAnswer())

    @property
    def waits(self) -> bool:
        """Whether nothing at all has come from the table, although the broker is there."""
        return self._session is not None and self._followed.status is None

    def _away(self) -> AnyFailure:
        if not self.waits or self.in_sight is None:
            return ControllerAway()
        table = self._followed.topics.prefix.removeprefix(f"{ROOT}/")
        return OtherTables(table=table, there=", ".join(self.in_sight)) if self.in_sight else NoTable(table=table)

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
                    response_topic=self._answers,
                    correlation=correlation,
                    expiry=max(1, int(ANSWER_WITHIN)),
                )
                return await answered
        finally:
            del self._awaited[correlation]

    # --- following ---------------------------------------------------------------------------------------------------

    def broker_up(self, session: BrokerSession) -> None:
        self._session = session
        self._followed.broker_up()

    def broker_down(self) -> None:
        self._session = None
        self._followed.broker_down()
        for waiting in self._awaited.values():
            if not waiting.done():
                waiting.set_exception(BrokerLostError("the connection is gone"))

    def receive(self, message: Incoming, now: float) -> None:
        if message.topic == self._answers:
            self._take_answer(message)
        elif message.payload:
            below = self._followed.topics.below(message.topic)
            self._followed.receive(below, message.payload, now, retained=message.retain)

    def _take_answer(self, message: Incoming) -> None:
        waiting = self._awaited.get(message.correlation or b"")
        if waiting is not None and not waiting.done():
            waiting.set_result(_read_answer(message.payload))

    def requests(self, now: float) -> Iterator[Request]:
        request = self._followed.request(now)
        if request is not None:
            yield request
