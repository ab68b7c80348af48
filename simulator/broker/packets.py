"""The packets from and to clients, as values. `decoding.py` and `encoding.py` convert them from and to bytes.

The frequent ones are tuples, which take a third of the time to create.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from simulator.broker.properties import NONE, Properties
from simulator.broker.reasons import Reason

MQTT_3_1_1, MQTT_5 = 4, 5
"""The protocol levels this broker speaks, as CONNECT writes them."""

HIGHEST_QOS = 1


class PacketType(IntEnum):
    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    PUBREC = 5
    PUBREL = 6
    PUBCOMP = 7
    SUBSCRIBE = 8
    SUBACK = 9
    UNSUBSCRIBE = 10
    UNSUBACK = 11
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14
    AUTH = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Will:
    """The message that the broker publishes if the client's connection is lost."""

    topic: str
    payload: bytes
    qos: int
    retain: bool
    properties: Properties = NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Connect:
    version: int
    client_id: str
    clean_start: bool
    keep_alive: int
    user: str | None = None
    password: bytes | None = None
    will: Will | None = None
    properties: Properties = NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Connack:
    reason: Reason
    session_present: bool = False
    properties: Properties = NONE


class Publish(NamedTuple):
    topic: str
    payload: bytes
    qos: int = 0
    packet_id: int | None = None
    """Present exactly when the QoS is 1."""
    retain: bool = False
    dup: bool = False
    properties: Properties = NONE


class Puback(NamedTuple):
    packet_id: int
    reason: int = Reason.SUCCESS
    """A plain number: a client may use codes that are not in `Reason`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One filter of a SUBSCRIBE with its options; stored in the session as received."""

    topic_filter: str
    qos: int
    no_local: bool = False
    retain_as_published: bool = False
    retain_handling: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe:
    packet_id: int
    subscriptions: tuple[Subscription, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsubscribe:
    packet_id: int
    topic_filters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionAnswer:
    """SUBACK or UNSUBACK: one code for each filter, in order."""

    kind: PacketType
    packet_id: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pong:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnect:
    reason: int = Reason.SUCCESS
    properties: Properties = NONE


FromClient = Connect | Publish | Puback | Subscribe | Unsubscribe | Ping | Disconnect
ToClient = Connack | Publish | Puback | SubscriptionAnswer | Pong | Disconnect
