"""The line to the table: connects to the broker, keeps the model told, asks for events that are missing, and for acts.

It comes back by itself after every loss. A request that got no answer is sent once more under the same number, which
the table knows as a repeat; a page never learns more than the table's answer.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

import msgspec

from shoe_controller.console.model import ConsoleModel
from shoe_controller.mqtt.broker import Broker, BrokerError, BrokerLostError, BrokerSession, Incoming
from shoe_controller.mqtt.contract import Answer, ReplayRequest, Topics

LOOK_EVERY = 0.25
"""Seconds between two looks at what is missing."""

FIRST_RETRY, LAST_RETRY = 0.25, 4.0
"""Seconds between attempts to reach a broker."""

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


class Watcher(Protocol):
    def broker_up(self) -> None: ...

    def broker_down(self, error: BrokerError) -> None:
        """Called once for each outage."""

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None: ...

    def not_sent(self, topic: str, error: BrokerError) -> None:
        """The broker does not let us ask for this."""


class TableLine:
    def __init__(  # noqa: PLR0913 - the parts of a line, each given by name
        self,
        *,
        broker: Broker,
        topics: Topics,
        client: str,
        model: ConsoleModel,
        changed: Callable[[], None],
        watcher: Watcher,
        clock: Callable[[], float],
        instance: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`client` is our name in reply topics, `instance` unlike that of any other start of a console."""
        self._broker = broker
        self._topics = topics
        self._replies = f"{topics.replies}{client}/{instance}/"
        self._model = model
        self._changed = changed
        self._watcher = watcher
        self._clock = clock
        self._instance = instance
        self._sleep = sleep
        self._session: BrokerSession | None = None
        self._awaited: dict[bytes, asyncio.Future[Answer]] = {}
        self._asked = 0
        self._unreadable: set[str] = set()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        topics = self._topics
        return topics.status, topics.info, topics.state, f"{topics.prefix}/event/#", f"{self._replies}#"

    # --- asking ------------------------------------------------------------------------------------------------------

    async def ask(self, role: str, name: str, request: dict[str, Any]) -> Answer:
        """Ask for something, and wait for the answer; `request` has a `request_id`."""
        topic, payload = f"{self._topics.prefix}/request/{role}/{name}", _encode(request)
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

    async def run(self) -> None:
        """Follow until cancelled."""
        delay, told = FIRST_RETRY, False
        while True:
            try:
                await self._one_session()
            except* BrokerError as group:
                was_up = self._session is not None
                if was_up or not told:
                    self._watcher.broker_down(_first(group))
                told = True
                delay = FIRST_RETRY if was_up else min(delay * 2, LAST_RETRY)
            finally:
                self._let_go()
            await self._sleep(delay)

    def _let_go(self) -> None:
        if self._session is None:
            return
        self._session = None
        self._model.broker_down()
        self._changed()
        for waiting in self._awaited.values():
            if not waiting.done():
                waiting.set_exception(BrokerLostError("the connection is gone"))

    async def _one_session(self) -> None:
        async with self._broker.connect(None, self.subscriptions) as session:
            self._session = session
            self._model.broker_up()
            self._changed()
            self._watcher.broker_up()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._look_for_gaps(session))
                async for message in session.incoming():
                    self._take(message)

    def _take(self, message: Incoming) -> None:
        below = message.topic.removeprefix(f"{self._topics.prefix}/")
        try:
            if message.topic == f"{self._replies}answers":
                self._take_answer(message)
            elif message.topic == f"{self._replies}replay":
                self._model.heard_replay(message.payload)
            elif message.payload:
                self._model.heard(below, message.payload)
        except msgspec.DecodeError as error:
            if message.topic not in self._unreadable:
                self._unreadable.add(message.topic)
                self._watcher.unreadable(message.topic, error)
        self._changed()

    def _take_answer(self, message: Incoming) -> None:
        waiting = self._awaited.get(message.correlation or b"")
        if waiting is not None and not waiting.done():
            waiting.set_result(_read_answer(message.payload))

    async def _look_for_gaps(self, session: BrokerSession) -> None:
        while True:
            await self._sleep(LOOK_EVERY)
            if session.dropped:
                raise BrokerLostError("messages came faster than they could be read; all of it is read anew.")
            now = self._clock()
            after = self._model.wanted(now)
            if after is None:
                continue
            self._model.asked(now)
            self._asked += 1
            request = ReplayRequest(request_id=f"{self._instance}-{self._asked}", after=after)
            with suppress(BrokerError):  # asked again after a while; a broker that refuses is in its own log
                await session.publish_soon(
                    f"{self._topics.prefix}/request/display/replay",
                    _encode(request),
                    response_topic=f"{self._replies}replay",
                    expiry=10,
                )


def _first(group: BaseExceptionGroup[BrokerError]) -> BrokerError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, BrokerError) else BrokerLostError(str(error))
