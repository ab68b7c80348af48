"""A message inside the broker, and one copy of it for one subscriber."""

import math
from dataclasses import replace
from typing import NamedTuple, Self

from simulator.broker.packets import Publish, Subscription, Will
from simulator.broker.properties import NONE, Properties


class Message(NamedTuple):
    topic: str
    payload: bytes
    qos: int
    retain: bool
    publisher: str
    """The client id it came from."""
    received_at: float
    expiry: int | None = None
    """Message expiry interval in seconds."""
    properties: Properties = NONE
    """Only those that are forwarded unchanged."""

    @classmethod
    def published(cls, packet: Publish, publisher: str, now: float) -> Self:
        return cls._made(packet, publisher, now)

    @classmethod
    def left_behind(cls, will: Will, publisher: str, now: float) -> Self:
        return cls._made(will, publisher, now)

    @classmethod
    def _made(cls, source: Publish | Will, publisher: str, now: float) -> Self:
        given = source.properties
        return cls(
            topic=source.topic,
            payload=source.payload,
            qos=source.qos,
            retain=source.retain,
            publisher=publisher,
            received_at=now,
            expiry=given.message_expiry,
            properties=given if given is NONE else _travelling(given),
        )

    def expired(self, now: float) -> bool:
        return self.expiry is not None and now - self.received_at >= self.expiry

    def expiry_left(self, now: float) -> int | None:
        """Seconds until it expires: the interval it came with, minus the whole seconds it has waited."""
        return None if self.expiry is None else max(0, self.expiry - int(now - self.received_at))


class Delivery(NamedTuple):
    """One copy for one subscriber, with the options of its subscription applied."""

    message: Message
    qos: int
    retain: bool
    not_before: float = -math.inf
    """Delayed until then by a misbehaviour rule."""

    @classmethod
    def for_subscription(cls, message: Message, subscription: Subscription, *, newly_subscribed: bool = False) -> Self:
        """Return a subscriber's copy; the retain flag is set for new subscriptions."""
        return cls(
            message=message,
            qos=min(message.qos, subscription.qos),
            retain=newly_subscribed or (message.retain and subscription.retain_as_published),
        )

    def packet(self, now: float, *, packet_id: int | None, dup: bool) -> Publish:
        message, properties = self.message, self.message.properties
        if message.expiry is not None:
            properties = replace(properties, message_expiry=message.expiry_left(now))
        return Publish(
            topic=message.topic,
            payload=message.payload,
            qos=self.qos,
            packet_id=packet_id,
            retain=self.retain,
            dup=dup,
            properties=properties,
        )


def _travelling(given: Properties) -> Properties:
    """The properties that are forwarded to subscribers."""
    travelling = Properties(
        payload_format=given.payload_format,
        content_type=given.content_type,
        response_topic=given.response_topic,
        correlation_data=given.correlation_data,
        user_properties=given.user_properties,
    )
    return NONE if travelling == NONE else travelling
