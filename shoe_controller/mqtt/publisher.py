"""Publishes to the broker: events in order from the journal, retained messages as they change, answers to requests.

The journal is the outbox. An event that was just stored is sent from memory; after an outage, and after a start, events
are read from the journal. The cursor moves when the broker has confirmed, so an event may be sent twice and is never
left out: displays go by `seq`. A broker that is away, hangs or restarts changes nothing but the delay.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from shoe_controller.messages.details import MetController
from shoe_controller.messages.topics import ROOT, Topics
from shoe_controller.mqtt.broker import (
    Broker,
    BrokerError,
    BrokerLostError,
    BrokerSession,
    DiscardedMessage,
    Incoming,
    PublishRefusedError,
    SubscriptionRefusedError,
    Will,
)
from shoe_controller.mqtt.discard_reports import DiscardReports
from shoe_controller.mqtt.envelope import EventMessage
from shoe_controller.mqtt.peers import MOST_MET, PATIENCE, Peer, Peers, ServedElsewhereError, encode, status_in
from shoe_controller.mqtt.replays import Outbox
from shoe_controller.mqtt.request_limits import RequestLimits
from shoe_controller.mqtt.request_service import RequestService, ServiceWatcher
from shoe_controller.mqtt.requests import RequestDesk

WINDOW = 100
"""Messages under way at once."""

MOST_LIVE = 2000
"""Events kept in memory for a broker that is behind; the rest is read from the journal."""

CONFIRM_EVERY = 2.0
"""Seconds between two updates of the cursor in the journal; each is a commit."""

RETAINED_AGAIN = 60.0
"""Seconds after which all retained messages are sent again, for a display that missed one."""

AFTER_ANOTHER = 1.0
"""Seconds after which they are sent once more where another controller stops, which may have overwritten them."""

MOST_SETTLING = 10
"""Other controllers that are asked at once: a client that may write `status` could name any number of them."""

MOST_SILENT, SILENT_WITHIN = 10, 3600.0
"""Other controllers that are reported as silent within so many seconds."""

ASK_AGAIN = 5.0
"""Seconds until a message that the broker refused is retried."""

FIRST_RETRY, LAST_RETRY = 0.25, 8.0
"""Seconds between attempts to reach a broker."""

GOODBYE = 0.8
"""Seconds that the last messages get when the daemon ends."""


class PublisherOutbox(Outbox, Protocol):
    def confirm(self, seq: int) -> None: ...


class Presence(Protocol):
    """Makes the retained messages."""

    def retained(self) -> Iterator[tuple[str, bytes]]:
        """Topic and payload of every retained message but the status, as things stand."""

    def status(self, session: int, *, online: bool, publishing: str, discarded: int) -> bytes: ...


class Watcher(ServiceWatcher, Protocol):
    def own_message(self, payload: bytes) -> None:
        """This table's `status` or `head`, as the broker has it before anything is published.

        An error ends the publisher.
        """

    def broker_up(self) -> None: ...

    def broker_down(self, error: BrokerError) -> None:
        """Called once for each outage."""

    def refused(self, error: PublishRefusedError) -> None: ...

    def taken_again(self) -> None: ...

    def another_controller(self, peer: Peer) -> None:
        """This controller has met another one of its table."""

    def cannot_ask(self, error: SubscriptionRefusedError) -> None:
        """The broker refuses the topics on which controllers of one table ask each other."""

    def discarded(self, count: int, newest: DiscardedMessage) -> None:
        """So many messages since the start were discarded unread; called at most once a minute."""


class _Pipe:
    """What goes through one session: events and retained messages in order, a limited number under way at once."""

    def __init__(
        self,
        session: BrokerSession,
        topics: Topics,
        after: Callable[[int, int], list[EventMessage]],
        stir: Callable[[], None],
    ) -> None:
        self.sent = 0
        """The last event that was handed to the session."""
        self._session = session
        self._topics = topics
        self._after = after
        self._stir = stir
        self._under_way: deque[tuple[int | None, str, asyncio.Future[None]]] = deque()

    @property
    def has_room(self) -> bool:
        return len(self._under_way) < WINDOW

    def fill(self) -> None:
        """Send the next events, as many as there is room for."""
        while self.has_room and (batch := self._after(self.sent, WINDOW - len(self._under_way))):
            for message in batch:
                self.put(message.seq, self._topics.event(message.topic), message.payload)
            self.sent = batch[-1].seq

    def put(self, seq: int | None, topic: str, payload: bytes) -> None:
        """Send one message; without a number it is a retained one."""
        future = self._session.publish_soon(topic, payload, retain=seq is None)
        future.add_done_callback(lambda _: self._stir())
        self._under_way.append((seq, topic, future))

    def confirmed(self) -> Iterator[tuple[int | None, str]]:
        """Numbers and topics of what the broker confirmed since, in order; `PublishRefusedError` where it did not."""
        while self._under_way and self._under_way[0][2].done():
            seq, topic, future = self._under_way.popleft()
            future.result()
            yield seq, topic

    async def rest(self) -> AsyncIterator[tuple[int | None, str]]:
        """As `confirmed`, for all that is still under way."""
        while self._under_way:
            seq, topic, future = self._under_way.popleft()
            await future
            yield seq, topic

    async def let_go(self) -> None:
        """Wait for what is under way, whatever becomes of it."""
        await asyncio.gather(*(future for _, _, future in self._under_way), return_exceptions=True)
        self._under_way.clear()


class Publisher:
    def __init__(  # noqa: PLR0913 - the parts of a publisher, each given by name
        self,
        *,
        broker: Broker,
        topics: Topics,
        outbox: PublisherOutbox,
        published: int,
        presence: Presence,
        desk: RequestDesk,
        limits: RequestLimits,
        watcher: Watcher,
        peers: Peers,
        session: Callable[[], int],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._broker = broker
        self._topics = topics
        self._outbox = outbox
        self._presence = presence
        self._desk = desk
        self._limits = limits
        self._watcher = watcher
        self._peers = peers
        self._next_session = session
        self._sleep = sleep
        self.published = published
        """The last event that the broker has confirmed."""
        self.connected = False
        self.refusal = ""
        """Why the broker refuses our messages; `None` when it accepts them."""
        self._not_taken: set[str] = set()
        """Topics that it refused, and has not accepted since."""
        self._live: deque[EventMessage] = deque(maxlen=MOST_LIVE)
        self._shown: dict[str, bytes] = {}
        """Retained messages as they were last sent in this session."""
        self._retained_stale = True
        self._wake = asyncio.Event()
        self._stopping = False
        self._noted = published
        self._note_timer: asyncio.TimerHandle | None = None
        self._again_timer: asyncio.TimerHandle | None = None
        self._pipe: _Pipe | None = None
        """Set while events may be sent at once."""
        self._session_number = 0
        self.discards = DiscardReports(self._discarded)
        self._unanswered: deque[str] = deque(maxlen=MOST_MET)
        """By start: other controllers that do not answer."""
        self._silent_reported: deque[float] = deque(maxlen=MOST_SILENT)
        """When it was reported of one that it does not answer."""
        self._yields: ServedElsewhereError | None = None
        """Set when another controller serves this table, and this one is to stop."""
        self._refusal_told = False
        """Whether it was reported that controllers cannot ask each other at this broker."""
        self._answer: asyncio.Future[None] | None = None
        """The last answer to another controller, on its way."""
        self._settling: dict[str, asyncio.Task[None]] = {}
        """By start: other controllers with which it is being settled who serves on."""
        self._unsettled: dict[str, bytes] = {}
        """By start: the last status of each that it has published since it was asked."""

    # --- what is to be published -------------------------------------------------------------------------------------

    def offer(self, messages: Sequence[EventMessage]) -> None:
        """Events that were just stored. If the broker is there and has all before them, they go out at once."""
        self._live.extend(messages)
        self._retained_stale = True
        self._wake.set()
        if self._pipe is not None:
            self._pipe.fill()

    def touch(self) -> None:
        """Something in the retained messages has changed without an event."""
        self._retained_stale = True
        self._wake.set()

    def stop(self) -> None:
        """Send the last messages, disconnect and end `run`."""
        self._stopping = True
        self._wake.set()

    # --- the connection ----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        delay = FIRST_RETRY
        reported = False
        while not self._stopping:
            try:
                await self._one_session()
                delay, reported = FIRST_RETRY, False
            except* BrokerError as group:
                was_up, self.connected = self.connected, False
                if was_up or not reported:
                    self._watcher.broker_down(_first(group))
                reported = True
                delay = FIRST_RETRY if was_up else min(delay * 2, LAST_RETRY)
            if not self._stopping:
                await self._sleep(delay)

    async def _one_session(self) -> None:
        await self._read_own_messages()
        self._session_number = self._next_session()
        will = Will(self._topics.status, self._status(online=False))
        try:
            await self._publish_in_session(will)
        except SubscriptionRefusedError as error:
            if not self._peers.goes_on_without(error):
                raise
            await self._publish_in_session(will)
        self.connected = False
        if self._yields is not None:
            raise self._yields

    async def _publish_in_session(self, will: Will) -> None:
        if self._peers.refusal is not None and not self._refusal_told:
            self._refusal_told = True
            self._watcher.cannot_ask(self._peers.refusal)
        async with self._broker.connect(
            will,
            [*self._topics.staffs_requests, self._topics.status, *self._peers.topics],
            retained=False,
            on_discarded=self.discards.discarded,
            admits=self._limits.admits,
        ) as session:
            self._send_all_again()
            try:
                async with asyncio.TaskGroup() as group:
                    receiving = group.create_task(self._receive(session, group))
                    losing = group.create_task(_raise_when_lost(session))
                    await self._pump(_Pipe(session, self._topics, self._after, self._wake.set))
                    for task in (receiving, losing, *self._settling.values()):
                        task.cancel()
            finally:
                self._settling.clear()
                self._unsettled.clear()
                self._pipe = None
                if self._again_timer is not None:
                    self._again_timer.cancel()

    async def _read_own_messages(self) -> None:
        """Hand on what the broker has retained of this table's head, unless another controller has published it."""
        retained = await self._peers.read_retained(self._broker, self.discards.discarded)
        if retained.peer is not None:
            self._meet(retained.peer)
            if self._yields is not None:
                raise self._yields
            return
        for payload in (retained.head, retained.status):
            if payload is not None:
                self._watcher.own_message(payload)

    def _send_all_again(self) -> None:
        self._send_all_again_in(RETAINED_AGAIN)

    def _send_all_again_in(self, seconds: float) -> None:
        """Send all retained messages now, and again after so long."""
        self._shown.clear()
        self.touch()
        if self._again_timer is not None:
            self._again_timer.cancel()
        self._again_timer = asyncio.get_running_loop().call_later(seconds, self._send_all_again)

    # --- events and retained messages --------------------------------------------------------------------------------

    async def _pump(self, pipe: "_Pipe") -> None:
        """Send whatever is due, until `stop`."""
        pipe.sent = self.published
        self._send_retained(pipe)
        self._pipe = pipe
        while True:
            self._wake.clear()
            if self._yields is not None:
                # Neither events nor an offline status: what is retained is the other controller's by now.
                await self._answer_sent()
                return
            try:
                for seq, topic in pipe.confirmed():
                    self._confirmed(seq, topic)
            except PublishRefusedError as error:
                if error.topic in self._shown:
                    self._retained_refused(error)
                else:
                    await self._refused(error, pipe)
                continue
            pipe.fill()
            if self._retained_stale and pipe.has_room:
                self._send_retained(pipe)
            if self._stopping and not self._after(pipe.sent, 1):
                await self._say_goodbye(pipe)
                return
            await self._wake.wait()

    def _after(self, sent: int, room: int) -> list[EventMessage]:
        """The next events: from memory where they follow at once, else from the journal."""
        live = self._live
        while live and live[0].seq <= sent:
            live.popleft()
        found: list[EventMessage] = []
        while live and live[0].seq == sent + 1 + len(found) and len(found) < room:
            found.append(live.popleft())
        if found or (not live and self._outbox.newest() <= sent):
            return found
        return self._outbox.events(sent, room)

    def _send_retained(self, pipe: "_Pipe") -> None:
        """Retained messages that differ from those sent last; after a connect, all of them."""
        self._retained_stale = False
        for topic, payload in ((self._topics.status, self._status(online=True)), *self._presence.retained()):
            if self._shown.get(topic) != payload:
                self._shown[topic] = payload
                pipe.put(None, topic, payload)

    def _status(self, *, online: bool) -> bytes:
        return self._presence.status(
            self._session_number, online=online, publishing=self.refusal, discarded=self.discards.reported
        )

    def _confirmed(self, seq: int | None, topic: str) -> None:
        if not self.connected:
            self.connected = True
            self._watcher.broker_up()
        self._not_taken.discard(topic)
        if self.refusal and not self._not_taken:
            self.refusal = ""
            self.touch()
            self._watcher.taken_again()
        if seq is None:
            if topic == self._topics.status:
                self._peers.status_published()
            return
        self.published = seq
        if self._note_timer is None:
            self._note_timer = asyncio.get_running_loop().call_later(CONFIRM_EVERY, self.note)

    def note(self) -> None:
        """Store the cursor: the last event that the broker has confirmed."""
        if self._note_timer is not None:
            self._note_timer.cancel()
            self._note_timer = None
        if self.published > self._noted:
            self._noted = self.published
            self._outbox.confirm(self.published)

    async def _refused(self, error: PublishRefusedError, pipe: "_Pipe") -> None:
        """The cursor stays where it is; publishing is retried from that event on."""
        self._note_refusal(error)
        self._pipe = None
        await pipe.let_go()
        await self._sleep(ASK_AGAIN)
        pipe.sent = self.published
        self._shown.clear()
        self._retained_stale = True
        self._pipe = pipe

    def _retained_refused(self, error: PublishRefusedError) -> None:
        """Events continue; this message is retried after a while."""
        self._note_refusal(error)
        self._shown.pop(error.topic, None)
        asyncio.get_running_loop().call_later(ASK_AGAIN, self.touch)

    def _note_refusal(self, error: PublishRefusedError) -> None:
        if not self.refusal:
            self._watcher.refused(error)
        self.refusal = f"{error.answer}: {error.topic}"
        self._not_taken.add(error.topic)

    async def _say_goodbye(self, pipe: "_Pipe") -> None:
        self._pipe = None
        pipe.put(None, self._topics.status, self._status(online=False))
        with suppress(PublishRefusedError, TimeoutError):
            async with asyncio.timeout(GOODBYE):
                async for seq, topic in pipe.rest():
                    self._confirmed(seq, topic)

    async def _answer_sent(self) -> None:
        """Wait until the controller that serves on has been told so."""
        if self._answer is not None:
            with suppress(PublishRefusedError, TimeoutError):
                async with asyncio.timeout(GOODBYE):
                    await self._answer

    # --- what comes in -----------------------------------------------------------------------------------------------

    async def _receive(self, session: BrokerSession, group: asyncio.TaskGroup) -> None:
        service = RequestService(session, self._topics, self._desk, self._watcher)
        try:
            async for message in session.incoming():
                if message.topic == self._topics.status:
                    self._other_status(message, session, group)
                elif message.topic == self._topics.questions:
                    self._asked(message, session)
                elif message.topic == self._topics.answers:
                    self._answered(message, session)
                else:
                    service.take(message)
        finally:
            await service.end()

    def _other_status(self, message: Incoming, session: BrokerSession, group: asyncio.TaskGroup) -> None:
        """Another connection has published this table's status: a forgotten one of ours, or another controller.

        The broker publishes the will of a connection that was lost with the power or the network only after a while,
        and a client id that is new at every start does not end it earlier. It must not stay retained.
        """
        status = status_in(message.payload)
        if status is None:
            return
        start = status.start
        if not status.online:
            self._settled(start)
            if not self._peers.has_met(start):
                self._watcher.own_message(message.payload)
            self._send_all_again()
        elif start != self._peers.start:
            if start not in self._settling and len(self._settling) >= MOST_SETTLING:
                return
            self._unsettled[start] = message.payload
            if start not in self._settling:
                self._settling[start] = group.create_task(self._settle_with(start, session))

    async def _settle_with(self, start: str, session: BrokerSession) -> None:
        """Find out which of the two serves on, as long as the other one publishes."""
        while self._yields is None and (payload := self._unsettled.get(start)) is not None:
            await self._sleep(self._peers.pause(start))
            payload = self._unsettled.pop(start, payload)
            heard = self._peers.heard(start)
            await self._ask(start, session)
            if heard == self._peers.heard(start):
                self._report_silent(start)
                self._watcher.own_message(payload)
        self._settling.pop(start, None)

    async def _ask(self, start: str, session: BrokerSession) -> None:
        """One of the two asks, so that one of them decides; the other one asks where no question has come."""
        heard = self._peers.heard(start)
        if self._peers.start > start or not self._peers.can_ask:
            await self._sleep(PATIENCE)
            if heard != self._peers.heard(start) or not self._peers.can_ask:
                return
        await self._peers.ask(session, start)

    def _report_silent(self, start: str) -> None:
        """Once for each, and for a limited number of them: each is a record in the journal."""
        if start in self._unanswered:
            return
        reported, now = self._silent_reported, asyncio.get_running_loop().time()
        if len(reported) < MOST_SILENT or now - reported[0] >= SILENT_WITHIN:
            reported.append(now)
            self._unanswered.append(start)
            self._watcher.another_controller(Peer(start=start, how=MetController.UNANSWERED))

    def _settled(self, start: str) -> None:
        """The one of this start does not serve any more."""
        self._unsettled.pop(start, None)
        settling = self._settling.pop(start, None)
        if settling is not None:
            settling.cancel()

    def _asked(self, message: Incoming, session: BrokerSession) -> None:
        """Another controller of this table asks whether this one lives."""
        found = None if self._stopping else self._peers.answer_to(session, message.payload)
        if found is None:
            return
        answer, peer = found
        self._answer = session.publish_soon(self._topics.answers, encode(answer))
        if peer is None:
            return
        if peer.how is MetController.STAYS:
            self._meet(peer)
        elif peer.how is MetController.STOPS:
            self._send_all_again_in(AFTER_ANOTHER)

    def _answered(self, message: Incoming, session: BrokerSession) -> None:
        """Another controller says that it stays, or that it stops: as an answer to us, however late, or unasked."""
        peer = None if self._stopping else self._peers.answered(message.payload)
        if peer is None:
            return
        if peer.how is MetController.STAYS:
            self._answer = self._peers.say_stop(session, peer)
        self._meet(peer)

    def _meet(self, peer: Peer) -> None:
        self._watcher.another_controller(peer)
        if peer.how is MetController.STAYS:
            table = self._topics.prefix.removeprefix(f"{ROOT}/")
            self._yields = ServedElsewhereError(table, peer, self._peers.served_ms)
            self._pipe = None
            self._wake.set()
            return
        self._settled(peer.start)
        if peer.how is MetController.STOPS:
            self._send_all_again_in(AFTER_ANOTHER)

    def _discarded(self, count: int, newest: DiscardedMessage) -> None:
        self._watcher.discarded(count, newest)
        self.touch()


async def _raise_when_lost(session: BrokerSession) -> None:
    raise await session.lost()


def _first(group: BaseExceptionGroup[BrokerError]) -> BrokerError:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, BrokerError) else BrokerLostError(str(error))
