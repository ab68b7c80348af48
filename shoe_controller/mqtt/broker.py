"""What the daemon needs of a broker: its address, a connection, and the errors a person can act on. No library here.

`client.py` is the connection over a network; a simulation brings its own. A connection is used once: when it is lost,
the owner makes a new one, and sends again whatever was not confirmed. Every connection is a clean start, so a request
that waited at the broker while the controller was away is never acted on.

A confirmed message is one the broker has accepted, not one that a client has read.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

INBOX_BYTES = 16 * 1024 * 1024
"""Bytes that may wait to be read, about 40,000 messages; what exceeds them is dropped and counted."""
MESSAGE_BYTES = 300
"""Estimated overhead per queued message, in bytes."""

LARGEST_PACKET = 64 * 1024
"""Bytes of the largest packet that the controller reads; larger messages are discarded."""


class BrokerError(Exception):
    """Base of all broker errors; the message is a sentence."""


class BrokerSettingsError(BrokerError):
    """The settings are invalid, whatever the broker."""


class BrokerUnreachableError(BrokerError):
    """There is no connection now. It can be tried again, with nothing changed."""


class BadCertificateError(BrokerError):
    """A certificate, the broker's or our own, is not accepted."""


class NotWelcomeError(BrokerError):
    """The broker refuses this client, or lacks a feature that the controller needs."""


class SubscriptionRefusedError(BrokerError):
    """The broker refuses a subscription that this client needs."""

    def __init__(self, topic_filter: str, reason: str) -> None:
        super().__init__(
            f"the broker refused the subscription to {topic_filter}: {reason}. "
            "Allow this user to read it in the broker's access list."
        )
        self.topic_filter = topic_filter
        self.reason = reason


class BrokerLostError(BrokerError):
    """The connection is lost. Unconfirmed messages may or may not have been accepted."""

    def again(self) -> Self:
        """The same error to be raised once more; one object raised in many places gathers all their tracebacks."""
        return type(self)(*self.args)


PACKET_TOO_LARGE = "packet too large"
"""The MQTT 5 name of what a broker would answer to a message that is not sent at all."""


class PublishRefusedError(BrokerError):
    """The broker refused this message; the connection stays open."""

    def __init__(self, topic: str, reason: str, answer: str = PACKET_TOO_LARGE) -> None:
        """`reason` is a sentence for the person who must act, `answer` the name of the broker's reason code."""
        super().__init__(f"the message for {topic!r} was refused: {reason}")
        self.topic = topic
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """The files of an encrypted connection."""

    ca_file: Path | None = None
    """Who signed the broker's certificate; `None` for the authorities this system trusts."""
    cert_file: Path | None = None
    """Our own certificate, where the broker asks for one."""
    key_file: Path | None = None
    """The key to our own certificate; `None` where it is in the same file."""

    def __post_init__(self) -> None:
        if self.key_file is not None and self.cert_file is None:
            raise BrokerSettingsError(f"the key file {self.key_file} is useless without its certificate: give both.")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerAddress:
    """The broker's address, and our identity there."""

    host: str
    port: int = 1883
    client_id: str
    """With a random part, new at every start and never published: whoever connects under it throws this client out."""
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: TlsFiles | None = None
    keep_alive: int = 5
    """Seconds; a broker that hangs is detected after twice as long."""
    connect_timeout: float = 5.0
    """Seconds until a connection must stand, with all its subscriptions."""
    receive_maximum: int | None = None
    """Messages that the broker may send before the first is acknowledged; `None` for as many as MQTT allows."""

    def __post_init__(self) -> None:
        if not self.host:
            raise BrokerSettingsError("the broker's host is empty: give its name or its address.")
        if not 0 < self.port < 65536:
            raise BrokerSettingsError(f"{self.port} is not a port: give a number from 1 to 65535.")
        if not self.client_id:
            raise BrokerSettingsError("the client id is empty: give every controller one of its own.")
        if self.password is not None and self.username is None:
            raise BrokerSettingsError("there is a password for the broker, but no user name: give both.")
        if not 0 < self.keep_alive < 65536:
            raise BrokerSettingsError(
                f"a keep-alive of {self.keep_alive} seconds is not possible: give 1 to 65535, best 5 to 10."
            )
        if not 0 < self.connect_timeout < float("inf"):
            raise BrokerSettingsError(
                f"a connection cannot be made within {self.connect_timeout} seconds: give more than 0."
            )
        for name, text in (("client id", self.client_id), ("user name", self.username), ("password", self.password)):
            if text is not None and not fits_string(text):
                raise BrokerSettingsError(f"the {name} for the broker is too long, or has invalid characters.")

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes for us, retained and at QoS 1, if we vanish without a DISCONNECT."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message from the broker."""

    topic: str
    payload: bytes
    response_topic: str | None = None
    """Where its sender wants the answer; not to be trusted, as any client can write anything here."""
    correlation: bytes | None = None
    """What the answer must carry, so that its reader knows which question it is for."""
    retain: bool = False
    """Whether it was retained at the broker before we subscribed; of a request, whether its sender had it retained."""


@dataclass(frozen=True, slots=True)
class DiscardedMessage:
    """A message from the broker that is not handed on."""

    topic: str
    why: str
    acknowledgement: bytes
    """The PUBACK for it; empty at QoS 0."""


class BrokerSession(Protocol):
    """One connection, from its beginning to its loss."""

    async def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        correlation: bytes | None = None,
        expiry: int | None = None,
    ) -> None:
        """Send at QoS 1, and return when the broker has confirmed it. Fails as the future of `publish_soon` does."""

    def publish_soon(  # noqa: PLR0913 - the parts of a message, each given by name
        self,
        topic: str,
        payload: bytes,
        *,
        retain: bool = False,
        response_topic: str | None = None,
        correlation: bytes | None = None,
        expiry: int | None = None,
        answer: bool = False,
    ) -> asyncio.Future[None]:
        """Send at QoS 1; the future is done when the broker has confirmed it.

        It is sent at once, or, when as many are under way as the broker allows, when the next is confirmed. Then events
        go first, retained messages after them, and each `answer` to a request at last, each kind in the order of the
        calls. Answers take up half of what may be under way at most, so that an event never waits for one. The future
        fails with a `PublishRefusedError` when the broker or MQTT itself refuses this message, and with a
        `BrokerLostError` in the moment the connection is lost. Cancelled before it was sent, it is not sent. Unawaited
        failures are not logged. `expiry` is in seconds, after which the broker drops the message.
        A message with a `response_topic` is a request, whose answer goes to that topic.
        """

    async def retained_arrived(self) -> None:
        """Wait until what the broker had retained for the subscriptions is among the incoming messages."""

    def incoming(self) -> AsyncIterator[Incoming]:
        """The messages of our subscriptions, for one reader; after the last comes the `BrokerLostError`."""

    @property
    def dropped(self) -> int:
        """Messages that were dropped because `INBOX_BYTES` of them already waited to be read."""

    @property
    def local_address(self) -> str:
        """The address that this machine has on its way to the broker; empty where it is not known."""

    async def lost(self) -> BrokerLostError:
        """Wait until the connection is lost, and return the reason."""


class Broker(Protocol):
    """A broker at an address; it can be connected to again and again, one connection at a time."""

    def connect(
        self,
        will: Will | None,
        subscriptions: Sequence[str],
        *,
        retained: bool = True,
        on_discarded: Callable[[DiscardedMessage], None] = ...,
        admits: Callable[[str], bool] = ...,
    ) -> AbstractAsyncContextManager[BrokerSession]:
        """Connect, subscribe at QoS 1 to every filter, and hold the connection as long as the context lasts.

        Without `retained`, neither what the broker has retained is sent nor what this connection publishes itself, and
        a message carries the retain flag that its sender gave it. `on_discarded` is called for every message that was
        discarded unread: see `packet_guard.py`. `admits` is called with the topic of every message before it is read;
        where it does not admit one, the message is acknowledged and dropped.

        A context that is left normally sends a DISCONNECT, and the will is not published: publish "offline" before. One
        that is left by an error or a cancellation closes the connection, and the broker publishes the will, if there is
        one: a display that only reads has none. Either takes less than a second, also with a broker that hangs, and
        leaves nothing behind.
        """


class Inbox:
    """Messages that wait to be read, up to `INBOX_BYTES`; what a session gives as `incoming`."""

    def __init__(self) -> None:
        self.dropped = 0
        self._bytes = 0
        self._waiting: deque[Incoming] = deque()
        self._stirred = asyncio.Event()
        self._end: BrokerLostError | None = None

    def put(self, message: Incoming) -> None:
        size = MESSAGE_BYTES + len(message.payload)
        if self._bytes + size > INBOX_BYTES:
            self.dropped += 1
            return
        self._bytes += size
        self._waiting.append(message)
        self._stirred.set()

    def end(self, error: BrokerLostError) -> None:
        """Give the reader what still waits, then this error."""
        self._end = error
        self._stirred.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Incoming:
        while not self._waiting:
            if self._end is not None:
                raise self._end.again()
            self._stirred.clear()
            await self._stirred.wait()
        message = self._waiting.popleft()
        self._bytes -= MESSAGE_BYTES + len(message.payload)
        return message


LONGEST_STRING = 65535
"""Bytes of the longest text, and of the longest binary value, that MQTT can carry."""
FRAME_BYTES = 24
"""What a message needs at most beside its topics, correlation data and payload: lengths, flags, numbers."""


def why_unsendable(  # noqa: PLR0913 - the parts of a message
    topic: str,
    payload: bytes,
    correlation: bytes | None,
    expiry: int | None,
    largest_packet: int,
    *,
    response_topic: str | None = None,
) -> str | None:
    """Why MQTT, or a broker with this limit, cannot carry a message. Sending it would cost the connection."""
    if not is_topic(topic):
        return "it is not a topic: it is empty, too long, or has + or # in it."
    if response_topic is not None and not is_topic(response_topic):
        return "its response topic is not a topic: it is empty, too long, or has + or # in it."
    if correlation is not None and len(correlation) > LONGEST_STRING:
        return f"its correlation data has {len(correlation)} bytes; at most {LONGEST_STRING} are allowed."
    if expiry is not None and not 0 < expiry < 1 << 32:
        return f"it cannot expire after {expiry} seconds."
    size = FRAME_BYTES + len(topic.encode()) + len((response_topic or "").encode())
    size += len(correlation or b"") + len(payload)
    if size > largest_packet:
        return f"it has {size} bytes, and the broker accepts {largest_packet}. Raise its max_packet_size."
    return None


def fits_string(text: str) -> bool:
    """Whether MQTT can carry this text: not too long, no NUL, no half of a surrogate pair."""
    try:
        return len(text.encode()) <= LONGEST_STRING and "\0" not in text
    except UnicodeEncodeError:
        return False


def is_topic(text: str) -> bool:
    """Whether a message can be published there: a name, not a filter."""
    return bool(text) and "+" not in text and "#" not in text and fits_string(text)
