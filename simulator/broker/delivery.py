"""Routing of messages: from the publisher to every subscriber's session, and from there to its connection."""

from simulator.broker.messages import Delivery, Message
from simulator.broker.packets import Subscription
from simulator.broker.reasons import Reason
from simulator.broker.session import ClientSession
from simulator.broker.state import BrokerState
from simulator.broker.topics import SHARED_PREFIX


class MessageRouter:
    def __init__(self, state: BrokerState) -> None:
        self._state = state

    def publish(self, message: Message, now: float) -> int:
        """Queue a message for every subscriber, and store it if it is retained; return the number of copies."""
        if message.retain:
            self._state.memory.retained.keep(message)
        copies = 0
        for session in list(self._state.memory.sessions.values()):
            found = session.copies(message)
            if found and self._state.access.may_read(session.client, message.topic):
                copies += len(found)
                self._deliver(session, found, now)
        return copies

    def subscribe(self, session: ClientSession, subscription: Subscription) -> int:
        """Add or replace a subscription; return the SUBACK code: the QoS granted, or the reason for refusal."""
        topic_filter = subscription.topic_filter
        if topic_filter.startswith(SHARED_PREFIX):
            return Reason.SHARED_SUBSCRIPTIONS_NOT_SUPPORTED
        if not self._state.access.may_subscribe(session.client, topic_filter):
            self._state.notes.append(f"{session.client_id!r} may not subscribe to {topic_filter!r}")
            return Reason.NOT_AUTHORISED
        session.subscriptions[topic_filter] = subscription
        return subscription.qos

    def send_retained(self, session: ClientSession, subscription: Subscription, now: float) -> None:
        """Queue the retained messages of its filter for a new subscriber."""
        self._deliver(
            session,
            [
                Delivery.for_subscription(message, subscription, newly_subscribed=True)
                for message in self._state.memory.retained.matching(subscription.topic_filter)
                if self._state.access.may_read(session.client, message.topic)
            ],
            now,
        )

    def send_waiting(self, session: ClientSession, now: float) -> None:
        """Send as much of a session's queue as its connection and its window allow."""
        connection = self._state.online.get(session.client_id)
        if connection is None:
            return
        while not connection.congested and len(connection.output) < self._state.limits.output_bytes:
            packet = session.next_packet(now)
            if packet is None:
                break
            if not connection.send(packet):
                session.unsendable(packet)
                self._state.lost_messages += 1
        if (held_until := session.waiting_until()) > now:
            self._state.timers.schedule(session, held_until)

    def _deliver(self, session: ClientSession, deliveries: list[Delivery], now: float) -> None:
        orders = self._state.misbehaviour
        for delivery in deliveries:
            topic = delivery.message.topic
            delay = orders.delay(session.client_id, topic)
            sent = delivery._replace(not_before=now + delay) if delay else delivery
            for _ in range(orders.copies(session.client_id, topic)):
                if not session.offer(sent):
                    self._state.lost_messages += 1
            self.send_waiting(session, now)
