"""A table that requests are brought to, and what must hold of every request, checked as it goes.

Desk, service, replays, PIN office and table are the real ones, on virtual time. Storing, PIN checks and the broker's
confirmations end at once, or, in a slow world, when the caller says so.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import msgspec

from shoe_controller.clock.moment import Moment
from shoe_controller.config.people import Person
from shoe_controller.config.secret_files import Secret
from shoe_controller.daemon.pin_office import PeoplesPins
from shoe_controller.house.rules import read_rules
from shoe_controller.journal.records import Head
from shoe_controller.messages.acts import Role, rule_of
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.facts import AlertRaised, AnyFact, WrongPin
from shoe_controller.messages.refusals import AnyRefusal, JournalFull, WrongPinRefused
from shoe_controller.messages.requests import (
    PLACE,
    REPLAY,
    Answer,
    ReplayDone,
    ReplayRequest,
    RequestRole,
    SeatWagers,
    SentCheckpoints,
)
from shoe_controller.messages.topics import event_topic
from shoe_controller.mqtt import requests
from shoe_controller.mqtt.broker import BrokerLostError, Incoming
from shoe_controller.mqtt.envelope import Envelopes, EventMessage
from shoe_controller.mqtt.replays import Replays
from shoe_controller.mqtt.request_service import RequestService
from shoe_controller.mqtt.requests import LONGEST_CORRELATION, RequestDesk, RequestRefusedError, Send
from shoe_controller.mqtt.retained import seat_wagers
from shoe_controller.table.inputs import AnyInput, PersonActs, PinVerdict, SeatBets, ShoeReport, TimerRanOut
from shoe_controller.table.pins import guessing, pause_left
from shoe_controller.table.state import SECOND, TableState
from shoe_controller.table.table import Handled, Table
from tests.fuzz.brought import TOPICS, Brought, Key, is_forged, read_contents
from tests.fuzz.positions import Position
from tests.mqtt.schema_check import objections
from tests.simulation.virtual_time import DaemonLoop, VirtualTime
from tests.table.sitting import Sitting

PINS = {"ann": "480612", "ben": "773501", "dan": "264079"}
PEOPLE = tuple(
    Person(name, name, Role.DEALER if name == "dan" else Role.SUPERVISOR, Secret(f"hash of {pin}"))
    for name, pin in PINS.items()
)
SEAT_USERS = {"seat-1": "1"}
CHECKPOINTS = tuple(
    Checkpoint(
        journal="j1", index=n, number=9 * n, hash="1" * 64, time=n, key="2" * 64, next_key="3" * 64, signature="4" * 128
    )
    for n in range(1, 4)
)

MOST_REMEMBERED, MOST_PIN_CHECKS, MOST_REPLAYS = 6, 3, 2
"""Instead of the desk's own limits: few enough that one input goes beyond them."""

NOT_JUDGED = frozenset(
    {"bad_request", "busy", "journal_full", "locked_out", "no_response_topic", "pin_missing", "retained", "wrong_pin"}
)
"""Refusals that a repeat of a request that was carried out may get: they stand before the question of what it does."""

DEEP = 100
"""A payload that is nested more deeply may be refused without being read."""

LONGEST_WAIT = 5.0
"""Seconds within which everything is served once nothing is held up: a slowed PIN check takes half a second."""

_decode_answer = msgspec.json.Decoder(Answer).decode
_decode_any = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_shapes: set[tuple[object, ...]] = set()
"""Answers of which one was held against the schema: a validator takes longer than the whole input."""


@contextmanager
def small_limits() -> Iterator[None]:
    """Requests are served within these limits."""
    own = requests.MOST_REMEMBERED, requests.MOST_PIN_CHECKS, requests.MOST_REPLAYS
    requests.MOST_REMEMBERED, requests.MOST_PIN_CHECKS, requests.MOST_REPLAYS = (
        MOST_REMEMBERED,
        MOST_PIN_CHECKS,
        MOST_REPLAYS,
    )
    try:
        yield
    finally:
        requests.MOST_REMEMBERED, requests.MOST_PIN_CHECKS, requests.MOST_REPLAYS = own


class RequestWorld(Sitting):
    def __init__(self, start: Position, *, slow: bool) -> None:
        # Not Sitting's own beginning, which plays; nor its checks, which take longer than the rest of an input.
        self.rules = start.rules
        self.table = Table(read_rules, start.state)
        self.facts: list[AnyFact] = list(start.facts)
        self.mono_ns = self._started_ns = start.mono_ns
        self.sequence = start.sequence
        self.slow = slow
        self.full = False
        """Nothing can be stored."""
        self.brought: list[Brought] = []
        self._asks: deque[tuple[PersonActs | SeatBets, asyncio.Future[AnyRefusal | None]]] = deque()
        self._pin_checks: deque[asyncio.Future[None]] = deque()
        self._by_message: dict[int, Brought] = {}
        self._answering: Brought | None = None
        self._taking: Brought | None = None
        self._done: dict[str, tuple[str, str]] = {}
        """Role and user of each request that the table has carried out, by the id it was given."""
        self._agreed: dict[Key, Brought] = {}
        """The requests that were answered with "ok"."""
        self._troubles: list[str] = []
        self._envelopes = Envelopes("j1")
        self._time = VirtualTime()
        self._start_daemon()

    def running(self) -> AbstractContextManager[None]:
        """Everything happens inside of this."""
        return self._time.passing()

    # --- what happens ------------------------------------------------------------------------------------------------

    def bring(self, message: Incoming) -> None:
        levels = message.topic.removeprefix(f"{TOPICS.prefix}/request/").split("/")
        if (
            not message.topic.startswith(f"{TOPICS.prefix}/request/")
            or len(levels) != 3
            or not 0 < len(levels[1]) <= 80
        ):
            self._take(message, None)  # no request at all: nothing may come of it
            return
        role, user, name = levels
        contents = read_contents(message.payload)
        key = Key(role, user, contents.request_id)
        earlier = tuple(each for each in self.brought if each.key == key)
        new = Brought(message, role, user, name, contents, key, is_forged(message, user), earlier)
        self.brought.append(new)
        self._by_message[id(message)] = new
        self._take(message, new)

    def _take(self, message: Incoming, new: Brought | None) -> None:
        self._time.run_as(self._loop)
        self._taking = new
        self._service.take(message)
        self._taking = None
        self.go_on()

    def go_on(self, seconds: float = 0.0) -> None:
        """Let everything run that can, and time pass."""
        self._time.pass_until(self._time.now + seconds)
        self.mono_ns = self._started_ns + int(self._time.now * SECOND)
        timer = self.table.next_timer
        if seconds and timer is not None and timer[1] <= self.mono_ns:
            self.give(TimerRanOut(timer=timer[0]))
        assert not self._troubles, self._troubles
        for task in self._loop._tasks:  # noqa: SLF001 - nobody else knows
            if task.done() and not task.cancelled():
                error = task.exception()
                if error is not None and not isinstance(error, RequestRefusedError):
                    raise error

    def store_next(self) -> None:
        if self._asks:
            self._store()
            self.go_on()

    def finish_pin_check(self) -> None:
        if self._pin_checks:
            check = self._pin_checks.popleft()
            if not check.done():
                check.set_result(None)
            self.go_on()

    def confirm_next(self) -> None:
        self._session.confirm_next()
        self.go_on()

    def lose_connection(self) -> None:
        """And connect again: what was not answered by then never will be."""
        for each in self.brought:
            each.given_up = each.given_up or not each.served
        self._session.lose()
        self._time.run_as(self._loop)
        self._loop.create_task(self._service.end())
        self.go_on()
        assert not self._service._tasks  # noqa: SLF001 - no lane is left
        self._connect()

    def restart(self) -> None:
        """The daemon is killed: it comes back with what the table has stored, and nothing else."""
        for each in self.brought:
            each.given_up = each.given_up or not each.served
        self._loop.kill()
        self._loop.bury()
        self._asks.clear()
        self._pin_checks.clear()
        self._start_daemon()

    def finish(self) -> None:
        """Hold nothing up any more; then everything is served, and nothing is left over."""
        self.slow = False
        while self._asks or self._pin_checks or self._session.unconfirmed:
            self.store_next()
            self.finish_pin_check()
            self.confirm_next()
        self.go_on(LONGEST_WAIT)
        for each in self.brought:
            answerable = each.message.response_topic is not None and not each.forged
            assert each.given_up or each.served or each.answers or each.forged, "a request was not served"
            assert each.given_up or each.answers == int(answerable), "one answer for each request"
        assert all(task.done() for task in self._loop._tasks), "a task is left"  # noqa: SLF001 - nobody else knows
        assert not self._service._lanes  # noqa: SLF001 - as above
        assert self._service._waiting_bytes == 0  # noqa: SLF001 - as above
        assert self._desk._pins_waiting == self._desk._replays == 0  # noqa: SLF001 - as above

    def _start_daemon(self) -> None:
        self._loop = DaemonLoop(self._time, self._troubles)  # type: ignore[abstract]  # as much of a loop as this needs
        pins = PeoplesPins(lambda: PEOPLE, self._check_pin)
        self._desk = RequestDesk(TOPICS, self, pins, self, SEAT_USERS)
        self._desk.on_failure = self._failed
        self._replays = Replays(self)
        self._connect()

    def _connect(self) -> None:
        self._session = MemorySession(self)
        session: Any = self._session  # as much of a `BrokerSession` as answering needs
        self._service = RequestService(session, TOPICS, self._desk, self)

    def _failed(self, error: Exception) -> None:
        self._troubles.append(f"the desk failed: {error!r}")

    # --- the table (TableDesk) ---------------------------------------------------------------------------------------

    def moment(self) -> Moment:
        return Moment(wall_ms=1_790_000_000_000 + self.mono_ns // 1_000_000, mono_ns=self.mono_ns, synchronised=True)

    def give(self, given: AnyInput) -> Handled:
        wrapped = given
        if isinstance(given, PersonActs | ShoeReport) and self.table.opens_shoe(given, self.moment()):
            wrapped = self.table.new_shoe(self.rules, given)
        before = self.table.state
        encoded = _encode(_changing(before))
        handled = self.table.handle(wrapped, self.moment())
        assert _encode(_changing(before)) == encoded, "handle must not change the state"
        assert handled.changed or (handled.state is before and not handled.facts)
        if isinstance(given, PersonActs | SeatBets) and handled.changed:
            self._check_request(before, given, handled)
        self.table.take_over(handled)
        for fact in handled.facts:
            assert fact.seq == len(self.facts) + 1
            self.facts.append(fact)
        return handled

    def _check_request(self, before: TableState, given: PersonActs | SeatBets, handled: Handled) -> None:
        after = handled.state
        if handled.refusal is not None:
            assert isinstance(handled.refusal, WrongPinRefused), "a refused request changed something"
            assert all(isinstance(fact, WrongPin | AlertRaised) for fact in handled.facts)
            assert (after.phase, after.round, after.shoe) == (before.phase, before.round, before.shoe)
            assert after.lasting.proposal == before.lasting.proposal
            return
        assert given.request_id not in self._done, f"{given.request_id!r} was carried out twice"
        role = given.role.value if isinstance(given, PersonActs) else RequestRole.WAGERS.value
        self._done[given.request_id] = (role, given.user)
        if isinstance(given, SeatBets):
            assert SEAT_USERS.get(given.user, given.seat) == given.seat
            stakes = _stakes(before)
            stakes.update({(given.seat, change.wager): change.stake for change in given.stakes})
            assert _stakes(after) == {place: stake for place, stake in stakes.items() if stake}
        elif rule_of(given.act).role is Role.SUPERVISOR:
            assert given.pin is PinVerdict.RIGHT
            assert given.person in ("ann", "ben")

    async def ask(self, given: PersonActs | SeatBets) -> AnyRefusal | None:
        answer: asyncio.Future[AnyRefusal | None] = self._loop.create_future()
        self._asks.append((given, answer))
        if not self.slow:
            while not answer.done():
                self._store()
        return await answer

    def _store(self) -> None:
        given, answer = self._asks.popleft()
        refusal = JournalFull() if self.full else self.give(given).refusal
        if not answer.done():
            answer.set_result(refusal)

    def pin_pause(self, user: str, person: str) -> int:
        return pause_left(self.state, user, person, self.mono_ns)

    def pins_guessed(self) -> bool:
        return guessing(self.state, self.mono_ns)

    def seat_wagers(self, seat: str) -> SeatWagers | None:
        return seat_wagers(self.state, seat)

    async def _check_pin(self, _check: Callable[[str, str], bool], pin: str, stored: str) -> bool:
        """Stands for scrypt, which takes a tenth of a second."""
        if self.slow:
            waiting: asyncio.Future[None] = self._loop.create_future()
            self._pin_checks.append(waiting)
            await waiting
        return stored == f"hash of {pin}"

    # --- the journal (Replayer, Outbox) ------------------------------------------------------------------------------

    async def replay(self, request: ReplayRequest, send: Send) -> ReplayDone:
        return await self._replays.replay(request, send)

    def checkpoints(self, after: int, limit: int) -> SentCheckpoints:
        found = tuple(each for each in CHECKPOINTS if each.index > after)[:limit]
        return SentCheckpoints(journal="j1", newest=CHECKPOINTS[-1].index, checkpoints=found)

    def events(self, after: int, limit: int) -> list[EventMessage]:
        return [
            self._envelopes.message(
                seq=fact.seq,
                topic=event_topic(fact.TOPIC),
                shoe=fact.shoe,
                round_number=fact.round,
                head=Head(number=fact.seq, hash=b"h" * 32),
                body=_encode(fact),
            )
            for fact in self.facts[after : after + limit]
        ]

    def newest(self) -> int:
        return len(self.facts)

    def oldest(self) -> int:
        return 1

    # --- answers (ServiceWatcher, and what the session sends) ---------------------------------------------------------

    def request_served(self, message: Incoming, code: str) -> None:
        served = self._answering = self._by_message[id(message)]
        served.served += 1
        assert served.served == 1
        assert (code == "forged_response_topic") == served.forged
        assert len(self._desk._served) <= MOST_REMEMBERED  # noqa: SLF001 - nobody else knows

    def requests_dropped(self) -> None:
        raise AssertionError("so much does not fit into one input")

    def sent(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        if not payload.startswith(b'{"status":'):
            self._event_sent(topic, payload, correlation)
            return
        served = self._taking or self._answering
        assert served is not None, "an answer to nothing"
        self._check_address(served, topic, correlation)
        served.answers += 1
        assert served.answers == 1
        self._check_answer(served, payload)

    def _event_sent(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        """Requests of one client are served one after another, so this is for the first that is not."""
        user = topic.removeprefix(TOPICS.replies).partition("/")[0]
        under_way = next(
            each
            for each in self.brought
            if each.role == RequestRole.DISPLAY
            and each.user == user
            and not (each.served or each.answers or each.given_up)
        )
        self._check_address(under_way, topic, correlation)
        message = _decode_any(payload)
        for event in message.get("events", [message]):
            under_way.replayed.append(event["seq"])

    def _check_address(self, served: Brought, topic: str, correlation: bytes | None) -> None:
        assert topic == served.message.response_topic
        assert topic.startswith(f"{TOPICS.prefix}/reply/{served.user}/"), "an answer to another user"
        asked = served.message.correlation
        assert correlation == (asked if asked is None or len(asked) <= LONGEST_CORRELATION else None)

    def _check_answer(self, served: Brought, payload: bytes) -> None:
        answer = _decode_answer(payload)
        shape = (answer.code, type(answer.refusal), answer.wagers is None, answer.replay is None, served.name)
        if shape not in _shapes:
            _shapes.add(shape)
            assert objections("reply.answer", msgspec.json.decode(payload), strict=True) == []
        if served.key.request_id and served.message.payload.count(b"[") < DEEP:
            assert answer.request_id == served.key.request_id
        if answer.code == "other_contents":
            assert any(not served.says_the_same(each) for each in served.earlier), "no such id was used before"
        if answer.refusal is not None:
            agreed = self._agreed.get(served.key)
            judged = agreed is not None and served.says_the_same(agreed) and answer.code not in NOT_JUDGED
            assert not judged, f"a repeat of what was carried out got {answer.code}"
        elif served.name == REPLAY:
            assert answer.replay is not None
            assert served.replayed == list(range(served.contents.read["after"] + 1, answer.replay.last + 1))
        elif served.role != RequestRole.WITNESS:
            self._agreed.setdefault(served.key, served)
            assert any(
                done == (served.role, served.user) and whole_id.endswith(served.key.request_id)
                for whole_id, done in self._done.items()
            ), "an ok for what was not done"
        if served.name == PLACE and answer.wagers is not None:
            stands = {(answer.wagers.seat, each.wager): each.stake for each in answer.wagers.wagers}
            assert stands == {
                place: stake for place, stake in _stakes(self.state).items() if place[0] == answer.wagers.seat
            }


class MemorySession:
    """A connection to a broker that takes everything."""

    dropped = 0

    def __init__(self, world: RequestWorld) -> None:
        self._world = world
        self._lost = False
        self.unconfirmed: deque[asyncio.Future[None]] = deque()

    def publish_soon(
        self, topic: str, payload: bytes, *, correlation: bytes | None = None, answer: bool = False
    ) -> "asyncio.Future[None]":
        assert answer, "answers and replays stand behind everything else"
        future: asyncio.Future[None] = self._world._loop.create_future()  # noqa: SLF001 - part of it
        if self._lost:
            future.set_exception(BrokerLostError("lost"))
            future.exception()
            return future
        self._world.sent(topic, payload, correlation)
        self.unconfirmed.append(future)
        if not self._world.slow:
            self.confirm_next()
        return future

    def confirm_next(self) -> None:
        if self.unconfirmed:
            future = self.unconfirmed.popleft()
            if not future.done():
                future.set_result(None)

    def lose(self) -> None:
        self._lost = True
        for future in self.unconfirmed:
            if not future.done():
                future.set_exception(BrokerLostError("lost"))
                future.exception()
        self.unconfirmed.clear()


def _changing(state: TableState) -> tuple[object, ...]:
    """What requests could change by mistake; the texts of the rules would take ten times as long."""
    return state.phase, state.round, state.lasting


def _stakes(state: TableState) -> dict[tuple[str, str], int]:
    wagers = () if state.round is None else state.round.wagers
    return {(wager.seat, wager.wager): wager.stake for wager in wagers}
