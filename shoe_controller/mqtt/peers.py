"""The other controllers of a table: who of them lives, and which one serves.

`status` names the process that serves a table. One that wants to serve and finds another's name there asks it, on a
topic that only the table's user may write; so does one that is back after a network failure. The one that is asked
decides: whoever has served longer stays. The one that does not serve, or not any more, says so in an answer of its own.
No answer within `PATIENCE` means that nobody is there, until there is a sign of the other one again: an answer to us
counts however late it is, and what it publishes is a reason to ask once more.

Of two that ask each other at once, or read questions late, one goes on to serve: who has said that it stays, stays.
Where both have, the one with the greater start does.

Each message carries a keyed hash with the password of the table's user: where the broker's access list is missing or
wrong, a display still cannot keep a table from serving.
"""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import NamedTuple, TypeVar

import msgspec

from shoe_controller.messages.controllers import LONGEST_PLACE, ControllerAnswer, ControllerQuestion
from shoe_controller.messages.details import MetController
from shoe_controller.messages.retained import StatusMessage
from shoe_controller.messages.topics import Topics
from shoe_controller.mqtt.broker import (
    Broker,
    BrokerSession,
    DiscardedMessage,
    Incoming,
    PublishRefusedError,
    SubscriptionRefusedError,
)

PATIENCE = 2.0
"""Seconds that another controller has to answer."""

LAST_WORD = 0.5
"""Seconds for the broker to confirm that this one has said that it stops."""

LONGEST_PAUSE = 30.0
"""Seconds between two questions to one that publishes and does not stop; the first pauses are shorter."""

RETAINED_GRACE = 0.05
"""Seconds for a broker that sends what it has retained later than it should; only one that has nothing takes them."""

MOST_MET = 100
"""Other controllers that are remembered; of a table there are seldom two."""

_LABEL = b"shoe-controller peers 1"

M = TypeVar("M", ControllerQuestion, ControllerAnswer)

encode = msgspec.json.Encoder().encode
_decode_status = msgspec.json.Decoder(StatusMessage).decode
_decode_question = msgspec.json.Decoder(ControllerQuestion).decode
_decode_answer = msgspec.json.Decoder(ControllerAnswer).decode


class Place(NamedTuple):
    """Where a controller runs."""

    host: str
    process: int
    boot: str
    """The machine's id of its current boot."""


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """Another controller of this table, as far as it is known."""

    start: str
    how: MetController
    """What came of it that the two met."""
    host: str = ""
    address: str = ""
    process: int = 0
    served_ms: int | None = None
    question: str = ""
    """The question with which, or with the answer to which, it came to be known."""

    @property
    def where(self) -> str:
        """For people: the machine and the process; empty where only its messages are known."""
        if not self.host:
            return ""
        address = f" at {self.address}" if self.address else ""
        return f"{self.host}{address}, process {self.process}"


class ServedElsewhereError(Exception):
    """Another controller serves this table; this one does not, or not any more."""

    def __init__(self, table: str, peer: Peer, served_ms: int) -> None:
        since = "" if peer.served_ms is None else f", for {_duration(peer.served_ms)} now"
        here = (
            f" This one had served it for {_duration(served_ms)}, and has stopped: what it dealt since then is in its "
            "own journal alone."
            if served_ms
            else ""
        )
        super().__init__(
            f"the table {table} is served by another controller, on {peer.where}{since}.{here} Two cannot serve one "
            "table. Stop the other one before this one is started; or, if this is another table, give it a name of "
            "its own: site and name in the section [table]."
        )
        self.peer = peer


def _duration(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"


class Retained(NamedTuple):
    """What the broker had retained of this table, and what came of asking about it."""

    status: bytes | None
    head: bytes | None
    peer: Peer | None
    """The controller that has published it, if it lives."""


class Peers:
    """One controller among those of its table."""

    def __init__(  # noqa: PLR0913 - what a controller says of itself, each given by name
        self,
        topics: Topics,
        *,
        start: str,
        place: Place,
        password: str | None,
        now: Callable[[], float],
        random_id: Callable[[], str],
    ) -> None:
        """`now` is in seconds, on a clock that is never set; `password` is that of the table's user at the broker."""
        self.start = start
        self.refusal: SubscriptionRefusedError | None = None
        """Set where the broker refuses the topics on which controllers ask each other, as one with an older access list
        may."""
        self.yields_to: Peer | None = None
        """The one that stays, once there is one: from then on this one says nothing but that it stops."""
        self._topics = topics
        self._place = place
        self._password = None if password is None else password.encode()
        self._now = now
        self._random_id = random_id
        self._serving_since: float | None = None
        self._heard: dict[str, int] = {}
        """By start: how many genuine messages to us have come."""
        self._silent: dict[str, int] = {}
        """By start: those that did not answer."""
        self._asked: dict[str, int] = {}
        """By start: how often what it published was a reason to ask."""
        self._defied: dict[str, int] = {}
        """By start: those that have our answer that we stay; it is not taken back."""
        self._waiting: dict[str, asyncio.Future[Peer]] = {}
        """By start: those that are to answer."""

    def serves(self) -> None:
        """From now on this controller serves the table."""
        if self._serving_since is None:
            self._serving_since = self._now()

    @property
    def served_ms(self) -> int:
        """For how long it has served; 0 if it has not begun."""
        return 0 if self._serving_since is None else max(1, round((self._now() - self._serving_since) * 1000))

    @property
    def topics(self) -> tuple[str, ...]:
        """What a connection subscribes to that asks and answers."""
        return (self._topics.questions, self._topics.answers) if self.refusal is None else ()

    def has_met(self, start: str) -> bool:
        """Whether it is known who publishes under this start: what it published is nothing that we have forgotten."""
        return start in self._heard

    def heard(self, start: str) -> int:
        """How many genuine messages to us have come from the one of this start."""
        return self._heard.get(start, 0)

    def pause(self, start: str) -> float:
        """Seconds until the one of this start is asked, since it publishes: longer each time that this is called."""
        before = self._asked.get(start, 0)
        _count(self._asked, start)
        return min(2.0 ** (before - 1), LONGEST_PAUSE) if before else 0.0

    def status_published(self) -> None:
        """The broker has retained our status: if another one's is found again, that one has published since."""
        self._silent.clear()

    def stranger(self, payload: bytes | None) -> StatusMessage | None:
        """A status, if it says that another controller is online."""
        status = None if payload is None else status_in(payload)
        return status if status is not None and status.online and status.start != self.start else None

    @property
    def can_ask(self) -> bool:
        return self.refusal is None

    def goes_on_without(self, error: SubscriptionRefusedError) -> bool:
        """Whether the broker refuses only what asking needs; then it is not tried again."""
        if error.topic_filter not in self.topics:
            return False
        self.refusal = error
        return True

    # --- before serving, and before each session ---------------------------------------------------------------------

    async def read_retained(self, broker: Broker, on_discarded: Callable[[DiscardedMessage], None]) -> Retained:
        """Read what the broker has retained of this table; if it is another controller's, ask whether that one lives.

        On a connection of its own: a will of this table must not replace what is to be read.
        """
        if self.yields_to is not None:
            return Retained(None, None, self.yields_to)
        try:
            return await self._read_retained(broker, on_discarded)
        except SubscriptionRefusedError as error:
            if not self.goes_on_without(error):
                raise
            return await self._read_retained(broker, on_discarded)

    async def _read_retained(self, broker: Broker, on_discarded: Callable[[DiscardedMessage], None]) -> Retained:
        wanted = {self._topics.status, self._topics.head}
        found: dict[str, bytes] = {}
        filters = sorted({*wanted, *self.topics} - {self._topics.questions})
        async with broker.connect(None, filters, on_discarded=on_discarded) as session:
            await session.retained_arrived()
            incoming = session.incoming()
            with suppress(TimeoutError):
                async with asyncio.timeout(RETAINED_GRACE):
                    async for message in incoming:
                        if message.topic in wanted:
                            found[message.topic] = message.payload
                        if found.keys() == wanted:
                            break
            status, head = found.get(self._topics.status), found.get(self._topics.head)
            stranger, peer = self.stranger(status), None
            if stranger is not None and self.can_ask and stranger.start not in self._silent:
                peer = await self._ask_and_read(session, incoming, stranger.start)
            if self.yields_to is not None:
                with suppress(TimeoutError, PublishRefusedError):
                    async with asyncio.timeout(LAST_WORD):
                        await self.say_stop(session, self.yields_to)
            return Retained(status, head, peer)

    async def _ask_and_read(self, session: BrokerSession, incoming: AsyncIterator[Incoming], start: str) -> Peer | None:
        async def read_answers() -> None:
            async for message in incoming:
                if message.topic == self._topics.answers:
                    self.answered(message.payload)
                if self.yields_to is not None:
                    return

        began = asyncio.get_running_loop().time()
        asking, reading = (asyncio.create_task(each) for each in (self.ask(session, start), read_answers()))
        try:
            await asyncio.wait((asking, reading), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                reading.result()  # the connection is lost, unless it was another one that has answered
            return self.yields_to or await asking
        except asyncio.CancelledError:
            # The one that looks waits no longer: it has waited for this answer, unless the connection took the time.
            if asyncio.get_running_loop().time() - began >= PATIENCE / 2:
                _count(self._silent, start)
            raise
        finally:
            for task in (asking, reading):
                task.cancel()
            await asyncio.gather(asking, reading, return_exceptions=True)

    # --- asking ------------------------------------------------------------------------------------------------------

    async def ask(self, session: BrokerSession, start: str) -> Peer | None:
        """Ask the controller of this start whether it lives; nothing if no answer of it comes, to whichever question.

        Somebody else must hand its answer to `answered`.
        """
        coming: asyncio.Future[Peer] = asyncio.get_running_loop().create_future()
        self._waiting[start] = coming
        heard = self.heard(start)
        try:
            await session.publish(self._topics.questions, encode(self.question(session, start, self.served_ms)))
            async with asyncio.timeout(PATIENCE):
                return await coming
        except (TimeoutError, PublishRefusedError):
            if heard == self.heard(start):
                _count(self._silent, start)
            return None
        finally:
            del self._waiting[start]

    def question(self, session: BrokerSession, to: str, served: int | None) -> ControllerQuestion:
        return self._sealed(
            ControllerQuestion(
                question=self._random_id(),
                start=self.start,
                to=to,
                served=served,
                host=self._place.host[:LONGEST_PLACE],
                address=session.local_address,
                process=self._place.process,
                boot=self._place.boot,
            )
        )

    def answered(self, payload: bytes) -> Peer | None:
        """An answer has come. Gives who sent it, if it is a genuine one to us, whether anybody waits for it or not."""
        answer = self.read_answer(payload)
        if answer is None or answer.start == self.start or self.yields_to is not None:
            return None
        stops = MetController.STOPS if answer.served else MetController.REFUSED
        peer = self._peer(answer, MetController.STAYS if answer.stays else stops)
        if answer.stays:
            if peer.start in self._defied and self.start > peer.start:
                return None  # both have said so: the other one stops
            self.yields_to = peer
        waiting = self._waiting.get(peer.start)
        if waiting is not None and not waiting.done():
            waiting.set_result(peer)
        return peer

    def read_answer(self, payload: bytes) -> ControllerAnswer | None:
        """A genuine answer to us."""
        answer = _decoded(_decode_answer, payload)
        return answer if answer is not None and answer.to == self.start and self._is_genuine(answer) else None

    def say_stop(self, session: BrokerSession, peer: Peer) -> asyncio.Future[None]:
        """Say that this one does not serve, or not any more, since the other one stays."""
        answer = self._answer(session, peer.question, peer.start, self.served_ms, stays=False)
        return session.publish_soon(self._topics.answers, encode(answer))

    # --- answering ---------------------------------------------------------------------------------------------------

    def answer_to(self, session: BrokerSession, payload: bytes) -> tuple[ControllerAnswer, Peer | None] | None:
        """The answer to a question, if it is a genuine one to us; and who asked, unless that one only wants to know.

        What comes of it is known at once only where this one stops; another one says it when it has read the answer.
        """
        asked = _decoded(_decode_question, payload)
        if asked is None or asked.to not in ("", self.start) or asked.start == self.start:
            return None
        if not self._is_genuine(asked) or self.yields_to is not None:
            return None
        served = self.served_ms
        stays = not asked.served or asked.start in self._defied or (served, self.start) >= (asked.served, asked.start)
        answer = self._answer(session, asked.question, asked.start, served, stays=stays)
        if asked.served is None:
            return answer, None
        if not stays:
            self.yields_to = self._peer(asked, MetController.STAYS)
            return answer, self.yields_to
        _count(self._defied, asked.start)
        return answer, self._peer(asked, MetController.STOPS if asked.served else MetController.REFUSED)

    def _answer(self, session: BrokerSession, question: str, to: str, served: int, *, stays: bool) -> ControllerAnswer:
        return self._sealed(
            ControllerAnswer(
                question=question,
                start=self.start,
                to=to,
                served=served,
                host=self._place.host[:LONGEST_PLACE],
                address=session.local_address,
                process=self._place.process,
                boot=self._place.boot,
                stays=stays,
            )
        )

    # --- what both have ----------------------------------------------------------------------------------------------

    def _peer(self, message: ControllerQuestion | ControllerAnswer, how: MetController) -> Peer:
        _count(self._heard, message.start)
        self._silent.pop(message.start, None)
        return Peer(
            start=message.start,
            how=how,
            host=message.host,
            address=message.address,
            process=message.process,
            served_ms=message.served,
            question=message.question,
        )

    def _sealed(self, message: M) -> M:
        return message if self._password is None else msgspec.structs.replace(message, seal=self._seal(message))

    def _is_genuine(self, message: ControllerQuestion | ControllerAnswer) -> bool:
        return self._password is None or hmac.compare_digest(self._seal(message).encode(), message.seal.encode())

    def _seal(self, message: ControllerQuestion | ControllerAnswer) -> str:
        """Over the fields that there are today: those that a later version adds change nothing in it."""
        stays = message.stays if isinstance(message, ControllerAnswer) else None
        said = (message.question, message.start, message.to, message.served, stays)
        where = (message.host, message.address, message.process, message.boot)
        parts = encode((_LABEL.decode(), self._topics.prefix, type(message).__name__, *said, *where))
        return hmac.new(self._password or b"", parts, "sha256").hexdigest()


def status_in(payload: bytes) -> StatusMessage | None:
    return _decoded(_decode_status, payload)


T = TypeVar("T")


def _decoded(decode: Callable[[bytes], T], payload: bytes) -> T | None:
    try:
        return decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _count(known: dict[str, int], start: str) -> None:
    """Once more; the one that was counted longest ago is forgotten where there are too many."""
    known[start] = known.pop(start, 0) + 1
    while len(known) > MOST_MET:
        del known[next(iter(known))]
