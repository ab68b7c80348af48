"""Requests to the table, with a broker that behaves as the test says: answers that are lost, late, or not for us."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec
import pytest

from shoe_controller.console import table_client
from shoe_controller.console.failures import ControllerAway, NoAnswer, NoTable, NotAccepted, NotAnswered, OtherTables
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.table_client import TableClient
from shoe_controller.follow.connection import Follower
from shoe_controller.messages.requests import Answer, ReplayDone, RequestRole
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import (
    BrokerError,
    BrokerLostError,
    BrokerSession,
    BrokerUnreachableError,
    DiscardedMessage,
    Inbox,
    Incoming,
    PublishRefusedError,
    Will,
)
from tests.console.bench import encode, online, state_of
from tests.follow.samples import replayed
from tests.table.sitting import Sitting

pytestmark = pytest.mark.asyncio

TOPICS = Topics("north", "t1")
REQUEST = {"request_id": "r1", "shoe": 0, "round": 0}


class Sent(NamedTuple):
    topic: str
    body: dict[str, Any]
    response_topic: str | None
    correlation: bytes | None


class Session:
    """One connection; `on_request` decides what happens to what is sent."""

    def __init__(self, broker: "WilfulBroker") -> None:
        self.inbox = Inbox()
        self._broker = broker

    async def publish(self, topic: str, payload: bytes, **more: Any) -> None:  # noqa: ANN401 - of the protocol
        await self.publish_soon(topic, payload, **more)

    async def retained_arrived(self) -> None:
        """Nothing is retained here."""

    def publish_soon(self, topic: str, payload: bytes, **more: Any) -> asyncio.Future[None]:  # noqa: ANN401 - as above
        sent = Sent(topic, msgspec.json.decode(payload), more.get("response_topic"), more.get("correlation"))
        self._broker.sent.append(sent)
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        error = self._broker.on_request(self, sent)
        if error is None:
            taken.set_result(None)
        else:
            taken.set_exception(error)
        return taken

    def answer(self, sent: Sent, answer: Answer, correlation: bytes | None = None) -> None:
        assert sent.response_topic is not None
        self.hear(sent.response_topic, encode(answer), correlation or sent.correlation)

    def hear(self, topic: str, payload: bytes, correlation: bytes | None = None) -> None:
        self.inbox.put(Incoming(topic=topic, payload=payload, correlation=correlation))

    def incoming(self) -> AsyncIterator[Incoming]:
        return self.inbox

    @property
    def local_address(self) -> str:
        return ""

    @property
    def dropped(self) -> int:
        return self.inbox.dropped

    async def lost(self) -> BrokerLostError:
        raise NotImplementedError


OnRequest = Callable[[Session, Sent], BrokerError | None]


def done(session: Session, sent: Sent) -> None:
    session.answer(sent, Answer(status="ok", request_id=sent.body["request_id"]))


class WilfulBroker:
    def __init__(self, on_request: OnRequest) -> None:
        self.on_request = on_request
        self.sent: list[Sent] = []
        self.sessions: list[Session] = []
        self.away = 0
        """So many attempts to reach it fail."""

    @asynccontextmanager
    async def connect(
        self,
        will: Will | None,
        subscriptions: Sequence[str],
        *,
        retained: bool = True,
        on_discarded: Callable[[DiscardedMessage], None] = lambda _: None,  # noqa: ARG002 - everything can be read
        admits: Callable[[str], bool] = lambda _: True,  # noqa: ARG002 - and everything is read
    ) -> AsyncIterator[BrokerSession]:
        assert retained, "a console begins with what is retained"
        assert will is None, "a console is missed by nobody"
        assert f"{TOPICS.prefix}/event/#" in subscriptions
        assert not any("request" in topic for topic in subscriptions), "requests carry PINs"
        if self.away:
            self.away -= 1
            raise BrokerUnreachableError("nobody there")
        session = Session(self)
        self.sessions.append(session)
        session.hear(TOPICS.status, online())
        yield session


class Bench:
    """A line that is connected."""

    def __init__(self, on_request: OnRequest) -> None:
        self.broker = WilfulBroker(on_request)
        self.model = ConsoleModel(TOPICS, client="console", instance="i1")
        self.told: list[str] = []
        self.stirred = asyncio.Event()
        self.client = TableClient(self.model.followed, self)
        self.follower = Follower(
            broker=self.broker,
            followed=self.client,
            changed=self.stirred.set,
            observer=self,
            clock=lambda: asyncio.get_running_loop().time(),
            sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)),
        )

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(10):
            while not condition():
                self.stirred.clear()
                await self.stirred.wait()

    # --- FollowObserver ----------------------------------------------------------------------------------------------

    def broker_up(self) -> None:
        self.told.append("up")

    def broker_down(self, error: BrokerError) -> None:
        self.told.append(f"down: {error}")

    def unreadable(self, topic: str, error: msgspec.DecodeError) -> None:
        self.told.append(f"unreadable: {topic}: {bool(str(error))}")

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        self.told.append(f"discarded: {count} {newest.topic}")

    def not_sent(self, topic: str, error: BrokerError) -> None:
        self.told.append(f"not sent: {topic}: {bool(str(error))}")


@asynccontextmanager
async def connected(on_request: OnRequest, away: int = 0) -> AsyncIterator[Bench]:
    bench = Bench(on_request)
    bench.broker.away = away
    running = asyncio.create_task(bench.follower.run())
    try:
        await bench.until(lambda: bench.model.followed.online)
        yield bench
    finally:
        running.cancel()
        await asyncio.wait([running])


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_client, "ANSWER_WITHIN", 0.25)


async def test_the_answer_to_a_request_is_the_tables() -> None:
    async with connected(done) as bench:
        assert (await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST)).status == "ok"
        (sent,) = bench.broker.sent
        assert sent.topic == f"{TOPICS.prefix}/request/dealer/console/confirm"
        assert sent.body == REQUEST
        assert sent.response_topic is not None
        assert TOPICS.is_reply(sent.response_topic, "console")


async def test_many_questions_at_once_get_each_its_own_answer() -> None:
    def in_turn(session: Session, sent: Sent) -> None:
        waiting.append(sent)
        if len(waiting) == 20:
            for each in reversed(waiting):
                session.answer(each, Answer(status="ok", request_id=each.body["request_id"]))

    waiting: list[Sent] = []
    async with connected(in_turn) as bench:
        asked = [bench.client.ask(RequestRole.DEALER, "confirm", REQUEST | {"request_id": f"r{n}"}) for n in range(20)]
        answers = await asyncio.gather(*asked)
        assert answers == [Answer(status="ok", request_id=f"r{n}") for n in range(20)]


async def test_a_lost_answer_is_asked_for_once_more_under_the_same_number() -> None:
    def second_time(session: Session, sent: Sent) -> None:
        if len(bench.broker.sent) == 2:
            done(session, sent)

    async with connected(second_time) as bench:
        assert (await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST)).status == "ok"
        first, second = bench.broker.sent
        assert first.body == second.body == REQUEST
        assert first.correlation != second.correlation


async def test_without_an_answer_the_page_is_told_to_look() -> None:
    async with connected(lambda _session, _sent: None) as bench:
        assert await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST) == NotAnswered(NoAnswer())
        assert len(bench.broker.sent) == table_client.TRIES


async def test_answers_for_others_and_late_ones_are_nobodys() -> None:
    def strange(session: Session, sent: Sent) -> None:
        session.answer(sent, Answer(status="ok"), b"another")
        session.hear(f"{TOPICS.replies}console/i1/answers", b"{", sent.correlation)
        session.hear(f"{TOPICS.replies}console/i1/elsewhere", encode(Answer(status="ok")), sent.correlation)

    async with connected(strange) as bench:
        assert await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST) == NotAnswered(NoAnswer())
        done(bench.broker.sessions[0], bench.broker.sent[0])
        bench.broker.on_request = done
        assert (await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST)).status == "ok"


async def test_a_broker_that_refuses_the_message_is_told_of() -> None:
    def refuse(_session: Session, sent: Sent) -> BrokerError:
        return PublishRefusedError(sent.topic, "not authorised")

    async with connected(refuse) as bench:
        answer = await bench.client.ask(RequestRole.SUPERVISOR, "end_shoe", REQUEST)
        assert isinstance(answer, NotAnswered)
        assert isinstance(answer.failure, NotAccepted)
        assert "not authorised" in answer.failure.text
        assert bench.told[-1] == f"not sent: {TOPICS.prefix}/request/supervisor/console/end_shoe: True"


async def test_a_connection_that_is_lost_while_an_answer_is_awaited() -> None:
    def hang_up(session: Session, _sent: Sent) -> None:
        session.inbox.end(BrokerLostError("gone"))

    async with connected(hang_up) as bench:
        bench.broker.away = 3
        assert await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST) == NotAnswered(NoAnswer())
        assert await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST) == NotAnswered(ControllerAway())
        await bench.until(lambda: bench.model.followed.online)
        bench.broker.on_request = done
        assert (await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST)).status == "ok"
        assert bench.told == ["up", "down: gone", "up"], "one outage is reported once"


async def test_a_broker_that_is_away_at_first() -> None:
    async with connected(done, away=5) as bench:
        assert bench.told == ["down: nobody there", "up"]


async def test_while_the_controller_is_away_nothing_is_asked() -> None:
    async with connected(done) as bench:
        bench.broker.sessions[0].hear(TOPICS.status, online(online=False))
        await bench.until(lambda: not bench.model.followed.online)
        assert await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST) == NotAnswered(ControllerAway())
        assert bench.broker.sent == []


async def test_missing_events_are_asked_for() -> None:
    table = Sitting()
    table.open_shoe()

    def replay(session: Session, sent: Sent) -> None:
        assert sent.topic == f"{TOPICS.prefix}/request/display/console/replay"
        for fact in table.facts:
            if fact.seq > sent.body["after"]:
                session.hear(str(sent.response_topic), replayed(fact))
        replay = ReplayDone(sent=1, last=table.facts[-1].seq, oldest=1, newest=table.facts[-1].seq)
        session.answer(sent, Answer(status="ok", request_id=sent.body["request_id"], replay=replay))

    async with connected(replay) as bench:
        bench.broker.sessions[0].hear(TOPICS.state, encode(state_of(table)))
        await bench.until(lambda: list(bench.model.facts) == table.facts)
        assert len(bench.broker.sent) == 1


async def test_nonsense_on_a_topic_is_told_of_once_and_the_line_goes_on() -> None:
    async with connected(done) as bench:
        for _ in range(3):
            bench.broker.sessions[0].hear(TOPICS.state, b"{")
        bench.broker.sessions[0].hear(TOPICS.info, b"")
        assert (await bench.client.ask(RequestRole.DEALER, "confirm", REQUEST)).status == "ok"
        assert bench.told == ["up", f"unreadable: {TOPICS.state}: True"]


async def test_a_table_that_was_never_there_is_named_with_those_that_are() -> None:
    client = TableClient(ConsoleModel(TOPICS, client="console", instance="i1").followed, Bench(lambda *_: None))

    async def failure() -> object:
        answer = await client.ask(RequestRole.DEALER, "sign_in", REQUEST)
        assert isinstance(answer, NotAnswered)
        return answer.failure

    assert [client.waits] == [False], "without a broker it is the broker that is missing"
    client.broker_up(Session(WilfulBroker(lambda *_: None)))
    assert client.waits
    assert await failure() == ControllerAway(), "nobody has looked yet"
    client.in_sight = ("north/t2", "north/t3")
    assert await failure() == OtherTables(table="north/t1", there="north/t2, north/t3")
    client.in_sight = ()
    assert await failure() == NoTable(table="north/t1")
    client.receive(Incoming(topic=TOPICS.status, payload=online(online=False)), 0.0)
    assert await failure() == ControllerAway()
