"""The session of one client, connected or not: subscriptions, queued messages and messages in flight.

Messages to the client pass through two places: first a bounded queue in order of arrival, then, as far as the client's
window allows, the list of those sent and not yet acknowledged. After a reconnect that list is sent again.
"""

import math
from collections import deque
from dataclasses import dataclass, field

from simulator.broker.access import ClientIdentity
from simulator.broker.messages import Delivery, Message
from simulator.broker.packets import Publish, Subscription
from simulator.broker.topics import matches

_PACKET_IDS = 65_535


@dataclass(slots=True, eq=False, kw_only=True)
class ClientSession:
    client: ClientIdentity
    """Also checked against the access list while the client is disconnected."""
    queue_limit: int
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    connected: bool = False
    one_copy: bool = False
    """Overlapping subscriptions share one copy of a message, as 3.1.1 clients expect; otherwise each gets its own."""
    ends_at: float = math.inf
    """When this session expires, unless the client reconnects."""
    _queue: deque[Delivery] = field(default_factory=deque)
    _in_flight: dict[int, Delivery] = field(default_factory=dict)
    _again: deque[int] = field(default_factory=deque)
    """Packet ids to send again on this connection."""
    _window: int = 0
    _last_packet_id: int = 0

    @property
    def client_id(self) -> str:
        return self.client.client_id

    def attach(self, window: int, *, one_copy: bool) -> None:
        """Begin a connection: messages in flight are sent again, in their old order."""
        self.connected, self.one_copy = True, one_copy
        self.ends_at = math.inf
        self._window = window
        self._again = deque(self._in_flight)

    def detach(self) -> None:
        """End a connection: only messages of QoS 1 wait for the next."""
        self.connected = False
        self._queue = deque(delivery for delivery in self._queue if delivery.qos)

    def copies(self, message: Message) -> list[Delivery]:
        """Return this client's copies of a message; a shared one has the highest QoS of its subscriptions."""
        found = [
            Delivery.for_subscription(message, subscription)
            for topic_filter, subscription in self.subscriptions.items()
            if matches(topic_filter, message.topic)
            and not (subscription.no_local and message.publisher == self.client_id)
        ]
        return [max(found, key=lambda delivery: delivery.qos)] if self.one_copy and found else found

    def offer(self, delivery: Delivery) -> bool:
        """Queue one delivery; return whether there was room for it."""
        if (not delivery.qos and not self.connected) or len(self._queue) >= self.queue_limit:
            return False
        self._queue.append(delivery)
        return True

    def next_packet(self, now: float) -> Publish | None:
        """Return the next packet that may be sent to the client now, if any."""
        if self._again:
            return self._packet_again(now)
        while self._queue and self._queue[0].not_before <= now:
            delivery = self._queue[0]
            if delivery.qos and len(self._in_flight) >= self._window:
                return None
            self._queue.popleft()
            if delivery.message.expired(now):
                continue
            if not delivery.qos:
                return delivery.packet(now, packet_id=None, dup=False)
            packet_id = self._free_packet_id()
            self._in_flight[packet_id] = delivery
            return delivery.packet(now, packet_id=packet_id, dup=False)
        return None

    def waiting_until(self) -> float:
        """Return the time until which the head of the queue is delayed; in the past if it is not."""
        return self._queue[0].not_before if self._queue else -math.inf

    def unsendable(self, packet: Publish) -> None:
        """Drop a message that exceeds the client's maximum packet size, as if it had been delivered."""
        if packet.packet_id is not None:
            self.acknowledged(packet.packet_id)

    def acknowledged(self, packet_id: int) -> None:
        """The client has this message; whatever else it acknowledges is ignored."""
        self._in_flight.pop(packet_id, None)
        if packet_id in self._again:  # the client acknowledged it from before, without waiting for the repetition
            self._again.remove(packet_id)

    def _packet_again(self, now: float) -> Publish | None:
        sent_now = len(self._in_flight) - len(self._again)
        if sent_now >= self._window:
            return None
        packet_id = self._again.popleft()
        return self._in_flight[packet_id].packet(now, packet_id=packet_id, dup=True)

    def _free_packet_id(self) -> int:
        # The window is far smaller than the number of identifiers, so one is always free.
        while True:
            self._last_packet_id = self._last_packet_id % _PACKET_IDS + 1
            if self._last_packet_id not in self._in_flight:
                return self._last_packet_id
