"""Two controllers of one table at a real broker: one that begins is refused, and of two that serve one stays."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from shoe_controller.messages.controllers import ControllerAnswer, ControllerQuestion
from shoe_controller.messages.retained import StatusMessage
from shoe_controller.mqtt import peers as under_test
from shoe_controller.mqtt import publisher as publishers
from shoe_controller.mqtt.broker import BrokerAddress, BrokerSession, Incoming
from shoe_controller.mqtt.client import NetworkBroker
from shoe_controller.mqtt.peers import Peers, Retained, ServedElsewhereError
from shoe_controller.mqtt.publisher import Publisher
from shoe_controller.mqtt.request_limits import RequestLimits
from simulator.broker import AccessList, EmulatedBroker, Rule
from tests.mqtt.brokers import address, becomes, connected, next_message
from tests.mqtt.counter import TOPICS, Counter
from tests.mqtt.test_publisher import House, peers
from tests.simulator.broker.compatibility.mosquitto import Mosquitto

pytestmark = pytest.mark.asyncio

HOUR, MINUTE = 3600.0, 60.0
PASSWORD = "of the table's user"  # noqa: S105 - of this test


@pytest_asyncio.fixture
async def mosquitto(
    tmp_path: Path,
    nothing_leaks: None,  # noqa: ARG001 - started inside the leak check
) -> AsyncIterator[Mosquitto]:
    broker = Mosquitto(tmp_path, "allow_anonymous true")
    await broker.start()
    yield broker
    await broker.kill()


class Controller(House):
    """As much of a controller as meets another one: a publisher, and what it publishes."""

    def __init__(self, who: Peers, events: int = 0) -> None:
        super().__init__(events)
        self.who = who
        self.ended: ServedElsewhereError | None = None
        self.publisher: Publisher | None = None

    def status(self, session: int, *, online: bool, publishing: str, discarded: int) -> bytes:
        del publishing, discarded
        return msgspec.json.encode(StatusMessage(online=online, session=session, start=self.who.start))

    async def run(self, publisher: Publisher) -> None:
        try:
            await publisher.run()
        except ServedElsewhereError as error:
            self.ended = error

    @property
    def met(self) -> list[str]:
        return [line.removeprefix("another controller: ") for line in self.told if line.startswith("another")]


class LateSession:
    """A session whose messages are read only while the gate is open."""

    def __init__(self, session: BrokerSession, gate: asyncio.Event) -> None:
        self._session = session
        self._gate = gate

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all else is as it was
        return getattr(self._session, name)

    async def incoming(self) -> AsyncIterator[Incoming]:
        async for message in self._session.incoming():
            await self._gate.wait()
            yield message


class LateBroker(NetworkBroker):
    def __init__(self, to: BrokerAddress, gate: asyncio.Event) -> None:
        super().__init__(to)
        self._gate = gate

    @asynccontextmanager
    async def connect(self, *given: Any, **named: Any) -> AsyncIterator[BrokerSession]:  # noqa: ANN401 - handed on
        async with super().connect(*given, **named) as session:
            yield LateSession(session, self._gate)


@asynccontextmanager
async def controller(
    port: int, who: Peers, folder: Path, gate: asyncio.Event | None = None
) -> AsyncIterator[Controller]:
    """While the gate is not open, it reads nothing that comes."""
    house = Controller(who)
    to = address(port, client_id=f"table {who.start}")
    made = house.publisher = Publisher(
        broker=NetworkBroker(to) if gate is None else LateBroker(to, gate),
        topics=TOPICS,
        outbox=house,
        published=0,
        presence=house,
        desk=Counter(folder).desk,
        limits=RequestLimits(TOPICS, lambda: 0.0, house.told.append),
        watcher=house,
        peers=who,
        session=lambda: 1,
    )
    running = asyncio.create_task(house.run(made))
    try:
        yield house
    finally:
        made.stop()
        await running


async def look(port: int, who: Peers) -> Retained:
    """What a controller finds that wants to begin."""
    return await who.read_retained(NetworkBroker(address(port, client_id=f"new {who.start}")), lambda _: None)


async def retained_status(port: int) -> StatusMessage:
    async with connected(port, TOPICS.status, client_id="reader") as session:
        return msgspec.json.decode((await next_message(session)).payload, type=StatusMessage)


async def retain(port: int, topic: str, payload: bytes) -> None:
    async with connected(port, client_id="writer") as session:
        await session.publish(topic, payload, retain=True)


# --- one that begins -------------------------------------------------------------------------------------------------


async def test_one_that_begins_is_refused_and_learns_where_the_other_runs(mosquitto: Mosquitto, tmp_path: Path) -> None:
    async with controller(mosquitto.port, peers("old", served=HOUR), tmp_path) as old:
        await becomes(lambda: "up" in old.told)
        found = await look(mosquitto.port, peers("new"))
        assert found.peer is not None
        assert found.peer.how.value == "stays"
        assert (found.peer.start, found.peer.host, found.peer.process) == ("old", "machine of old", 7)
        assert found.peer.served_ms == HOUR * 1000
        assert found.peer.address == "127.0.0.1"
        message = str(ServedElsewhereError("north/t1", found.peer, served_ms=0))
        assert "machine of old at 127.0.0.1, process 7, for 60 minutes now" in message
        await becomes(lambda: old.met == ["new refused"])
        assert old.ended is None


async def test_nobody_answers_for_a_controller_that_lost_its_power(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(under_test, "PATIENCE", 0.3)
    gone = msgspec.json.encode(StatusMessage(online=True, session=1, start="gone"))
    await retain(mosquitto.port, TOPICS.status, gone)
    new = peers("new")
    began = asyncio.get_running_loop().time()
    assert await look(mosquitto.port, new) == Retained(gone, None, None)
    assert asyncio.get_running_loop().time() - began >= under_test.PATIENCE
    # It is not asked again: the first session of the new controller waits no second time.
    async with asyncio.timeout(under_test.PATIENCE):
        assert await look(mosquitto.port, new) == Retained(gone, None, None)


async def test_one_that_did_not_answer_in_the_time_that_a_start_has_is_not_asked_again(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look at the broker takes no longer than `PATIENCE`, so it ends before the question does."""
    monkeypatch.setattr(under_test, "PATIENCE", 0.5)
    gone = msgspec.json.encode(StatusMessage(online=True, session=1, start="gone"))
    await retain(mosquitto.port, TOPICS.status, gone)
    new = peers("new")
    async with connected(mosquitto.port, TOPICS.questions, client_id="ears") as ears:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(under_test.PATIENCE):
                await look(mosquitto.port, new)
        assert await look(mosquitto.port, new) == Retained(gone, None, None)
        await ears.publish(TOPICS.questions, b"the end")
        heard = [(await next_message(ears)).payload for _ in range(2)]
    assert [payload == b"the end" for payload in heard] == [False, True]


@pytest.mark.parametrize("status", [None, StatusMessage(online=False, session=1, start="gone")])
async def test_nothing_is_asked_where_no_other_one_is_online(
    mosquitto: Mosquitto, status: StatusMessage | None
) -> None:
    payload = None if status is None else msgspec.json.encode(status)
    if payload is not None:
        await retain(mosquitto.port, TOPICS.status, payload)
    async with connected(mosquitto.port, TOPICS.questions, client_id="ears") as ears:
        assert await look(mosquitto.port, peers("new")) == Retained(payload, None, None)
        await ears.publish(TOPICS.questions, b"the end")
        assert (await next_message(ears)).payload == b"the end"


# --- two that serve --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("here", "there"), [(HOUR, MINUTE), (MINUTE, HOUR)])
async def test_of_two_that_serve_the_one_stays_that_has_served_longer(
    mosquitto: Mosquitto, tmp_path: Path, here: float, there: float
) -> None:
    """The second is back after a network failure: `status` names the first."""
    async with controller(mosquitto.port, peers("first", served=here), tmp_path) as first:
        await becomes(lambda: "up" in first.told)
        async with controller(mosquitto.port, peers("second", served=there), tmp_path) as second:
            stays, stops = (first, second) if here > there else (second, first)
            await becomes(lambda: stops.ended is not None and "up" in stays.told)
            assert stays.ended is None
            assert stops.met == [f"{stays.who.start} stays"]
            await becomes(lambda: stays.met == [f"{stops.who.start} stops"])
            assert (await retained_status(mosquitto.port)).start == stays.who.start
            assert (await retained_status(mosquitto.port)).online, "the one that stops says no word of its own"


async def test_two_that_begin_at_once_see_each_other_and_one_stays(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither has found the other when it looked; then each sees what the other publishes."""

    async def find_nothing(*_: object) -> Retained:
        return Retained(None, None, None)

    monkeypatch.setattr(Peers, "read_retained", find_nothing)
    ours, theirs = peers("b", served=1.0), peers("a", served=2.0)
    async with controller(mosquitto.port, ours, tmp_path) as b, controller(mosquitto.port, theirs, tmp_path) as a:
        await becomes(lambda: b.ended is not None)
        assert b.met == ["a stays"]
        await becomes(lambda: a.met == ["b stops"])
        assert a.ended is None
        await becomes(lambda: a.publisher is not None and a.publisher.connected)
        assert (await retained_status(mosquitto.port)).start == "a"


async def test_what_the_other_one_has_published_is_replaced_when_it_stops(
    mosquitto: Mosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishers, "AFTER_ANOTHER", 0.1)
    async with controller(mosquitto.port, peers("stays", served=HOUR), tmp_path) as stays:
        await becomes(lambda: "up" in stays.told)
        async with connected(mosquitto.port, TOPICS.answers, client_id="other") as other:
            await other.publish(TOPICS.info, b"of another journal", retain=True)
            question = peers("other", served=MINUTE).question(other, "stays", served=60_000)
            await other.publish(TOPICS.questions, msgspec.json.encode(question))
            answer = msgspec.json.decode((await next_message(other)).payload, type=ControllerAnswer)
            assert answer.stays

            async def info() -> bytes:
                async with connected(mosquitto.port, TOPICS.info, client_id="reader") as session:
                    return (await next_message(session)).payload

            async with asyncio.timeout(10):
                while await info() != b"info":
                    pass


# --- questions and answers that come late ---------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (under_test, publishers):
        monkeypatch.setattr(module, "PATIENCE", 0.1)
    monkeypatch.setattr(under_test, "LONGEST_PAUSE", 0.02)


BOTH_ORDERS = pytest.mark.parametrize(("first", "second"), [("a", "b"), ("b", "a")])


@pytest.mark.usefixtures("impatient")
@BOTH_ORDERS
async def test_one_that_hung_while_another_began_stays_and_the_other_one_stops(
    mosquitto: Mosquitto, tmp_path: Path, first: str, second: str
) -> None:
    """It reads both questions of the other one late; its answers find nobody who waits for them."""
    gate = asyncio.Event()
    gate.set()
    async with controller(mosquitto.port, peers(first, served=HOUR), tmp_path, gate) as old:
        await becomes(lambda: "up" in old.told)
        gate.clear()
        newcomer = peers(second)
        assert (await look(mosquitto.port, newcomer)).peer is None
        newcomer.serves()
        async with controller(mosquitto.port, newcomer, tmp_path) as new:
            await becomes(lambda: "up" in new.told)
            assert new.ended is None
            gate.set()
            await becomes(lambda: new.ended is not None)
        assert new.met[-1] == f"{first} stays"
        await becomes(lambda: old.met == [f"{second} stops"])
        assert old.ended is None
        await becomes(lambda: old.publisher is not None and old.publisher.connected)
        assert (await retained_status(mosquitto.port)).start == first


@pytest.mark.usefixtures("impatient")
@BOTH_ORDERS
async def test_one_that_was_refused_and_publishes_nevertheless_is_asked_until_it_stops(
    mosquitto: Mosquitto, tmp_path: Path, first: str, second: str
) -> None:
    async with controller(mosquitto.port, peers(first, served=HOUR), tmp_path) as old:
        await becomes(lambda: "up" in old.told)
        topics = (TOPICS.answers, TOPICS.questions)
        async with connected(mosquitto.port, *topics, client_id="other") as other, asyncio.timeout(10):
            who = peers(second, served=MINUTE)
            await other.publish(TOPICS.questions, msgspec.json.encode(who.question(other, first, served=0)))
            incoming = other.incoming()
            while (await anext(incoming)).topic != TOPICS.answers:
                pass
            assert old.met == [], "that the other one has read the answer is not known"
            status = msgspec.json.encode(StatusMessage(online=True, session=1, start=second))
            for _ in range(3):
                await other.publish(TOPICS.status, status, retain=True)
                question = await anext(incoming)
                assert question.topic == TOPICS.questions
            assert f"{second} refused" not in old.met
            found = who.answer_to(other, question.payload)
            assert found is not None
            assert not found[0].stays
            await other.publish(TOPICS.answers, msgspec.json.encode(found[0]))
            await becomes(lambda: old.met[-1:] == [f"{second} stops"])
        assert old.ended is None


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("served", "ends"), [(HOUR, True), (1.0, False)])
async def test_an_answer_counts_when_nobody_waits_for_it_any_more(
    mosquitto: Mosquitto,
    tmp_path: Path,
    served: float,
    ends: bool,  # noqa: FBT001 - a case
) -> None:
    ours = peers("a", served=MINUTE, password=PASSWORD)
    async with controller(mosquitto.port, ours, tmp_path) as house:
        await becomes(lambda: "up" in house.told)
        async with connected(mosquitto.port, TOPICS.questions, client_id="other") as other:
            status = msgspec.json.encode(StatusMessage(online=True, session=1, start="b"))
            await other.publish(TOPICS.status, status, retain=True)
            question = (await next_message(other)).payload
            await becomes(lambda: house.met == ["b unanswered"])
            asked = msgspec.json.decode(question, type=ControllerQuestion)
            fields = msgspec.structs.asdict(asked) | {"start": "b", "to": "a", "served": 7_200_000}
            await other.publish(TOPICS.answers, msgspec.json.encode(ControllerAnswer(**fields, stays=True)))
            who = peers("b", served=served, password=PASSWORD)
            found = who.answer_to(other, question)
            assert found is not None
            assert found[0].stays is ends
            await other.publish(TOPICS.answers, msgspec.json.encode(found[0]))
            last = "b stays" if ends else "b stops"
            await becomes(lambda: house.met == ["b unanswered", last])
            await becomes(lambda: (house.ended is not None) is ends)
            assert house.ended is None or house.ended.peer.served_ms == HOUR * 1000, "the forged one says two hours"


@BOTH_ORDERS
async def test_of_two_that_each_have_said_that_they_stay_one_stops(
    mosquitto: Mosquitto, first: str, second: str
) -> None:
    """Each has asked, and each has read the question of the other one so late that it had served longer by then."""
    async with connected(mosquitto.port, client_id="both") as session:
        both = (peers(first, served=MINUTE), peers(second, served=MINUTE))
        questions = [each.question(session, "", served=1) for each in both]
        answers = [
            each.answer_to(session, msgspec.json.encode(question))
            for each, question in zip(both, reversed(questions), strict=True)
        ]
        for each, answer in zip(both, reversed(answers), strict=True):
            assert answer is not None
            assert answer[0].stays
            each.answered(msgspec.json.encode(answer[0]))
        assert [who.start for who in both if who.yields_to is not None] == ["a"]
        # Nor do questions that it reads later stop the one that stays, as one of a clock that stood still might.
        staying = next(who for who in both if who.yields_to is None)
        later = peers("a").question(session, "", served=7_200_000)
        answer = staying.answer_to(session, msgspec.json.encode(later))
        assert answer is not None
        assert answer[0].stays


@pytest.mark.usefixtures("impatient")
async def test_one_that_was_silent_is_asked_again_where_it_has_published_since(mosquitto: Mosquitto) -> None:
    gone = msgspec.json.encode(StatusMessage(online=True, session=1, start="gone"))
    await retain(mosquitto.port, TOPICS.status, gone)
    who = peers("new")
    async with connected(mosquitto.port, TOPICS.questions, client_id="ears") as ears:
        for _ in range(2):
            await look(mosquitto.port, who)
        who.status_published()
        await look(mosquitto.port, who)
        await ears.publish(TOPICS.questions, b"the end")
        heard = [(await next_message(ears)).payload for _ in range(3)]
    assert [payload == b"the end" for payload in heard] == [False, False, True]


async def test_pauses_between_questions_grow() -> None:
    who = peers("new")
    assert [who.pause("other") for _ in range(8)] == [0, 1, 2, 4, 8, 16, 30, 30]
    assert who.pause("another") == 0


# --- who may ask and answer ------------------------------------------------------------------------------------------


async def test_where_the_user_has_a_password_nobody_else_keeps_a_table_from_starting(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker of this test lets everybody write everything, as one without an access list does."""
    monkeypatch.setattr(under_test, "PATIENCE", 0.5)
    gone = StatusMessage(online=True, session=1, start="gone")
    await retain(mosquitto.port, TOPICS.status, msgspec.json.encode(gone))
    async with connected(mosquitto.port, TOPICS.questions, client_id="display") as display:

        async def answer() -> None:
            async for message in display.incoming():
                asked = msgspec.json.decode(message.payload, type=ControllerQuestion)
                for seal in ("", asked.seal):
                    fields = msgspec.structs.asdict(asked) | {"start": "gone", "to": asked.start, "seal": seal}
                    forged = ControllerAnswer(**fields | {"served": 3_600_000}, stays=True)
                    await display.publish(TOPICS.answers, msgspec.json.encode(forged))

        forging = asyncio.create_task(answer())
        try:
            assert (await look(mosquitto.port, peers("new", password=PASSWORD))).peer is None
            believed = await look(mosquitto.port, peers("open"))
            assert believed.peer is not None, "the forgery would have been believed without a password"
        finally:
            forging.cancel()
            with suppress(asyncio.CancelledError):
                await forging


async def test_where_the_user_has_a_password_nobody_else_stops_a_table(mosquitto: Mosquitto, tmp_path: Path) -> None:
    secret = peers("old", served=MINUTE, password=PASSWORD)
    async with controller(mosquitto.port, secret, tmp_path) as old:
        await becomes(lambda: "up" in old.told)
        async with connected(mosquitto.port, TOPICS.answers, client_id="display") as display:
            for forger in (peers("forger", served=HOUR), peers("forger", served=HOUR, password="another")):  # noqa: S106 - as above
                question = forger.question(display, "old", served=3_600_000)
                await display.publish(TOPICS.questions, msgspec.json.encode(question))
            await display.publish(TOPICS.questions, b"")
            found = await look(mosquitto.port, peers("new", password=PASSWORD))
            assert found.peer is not None
            assert found.peer.how.value == "stays"
        await becomes(lambda: old.met == ["new refused"])
        assert old.ended is None


async def test_one_that_only_wants_to_know_leaves_no_trace(mosquitto: Mosquitto, tmp_path: Path) -> None:
    async with controller(mosquitto.port, peers("old", served=MINUTE), tmp_path) as old:
        await becomes(lambda: "up" in old.told)
        async with connected(mosquitto.port, TOPICS.answers, client_id="doctor") as doctor:
            question = peers("doctor").question(doctor, "", served=None)
            await doctor.publish(TOPICS.questions, msgspec.json.encode(question))
            answer = msgspec.json.decode((await next_message(doctor)).payload, type=ControllerAnswer)
        assert (answer.start, answer.stays, answer.served) == ("old", True, 60_000)
        assert old.met == []


async def test_a_broker_that_refuses_these_topics_is_served_without_them(tmp_path: Path) -> None:
    """As one with an access list from before them, which refuses subscriptions where Mosquitto withholds messages."""
    below = ("status", "head", "info", "state", "event/#", "request/#")
    rules = [Rule(f"{TOPICS.prefix}/{topic}") for topic in below]
    async with EmulatedBroker(access=AccessList(rules)) as broker:
        assert await look(broker.port, peers("new")) == Retained(None, None, None)
        async with controller(broker.port, peers("old"), tmp_path) as old:
            await becomes(lambda: "up" in old.told)
            assert old.ended is None
            assert sum(line.startswith("cannot ask: ") for line in old.told) == 1
