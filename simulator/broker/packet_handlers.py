"""The broker's answer to each packet of a connected client."""

from simulator.broker.connecting import FrontDesk, seconds_of_expiry
from simulator.broker.connection import Connection, Ending
from simulator.broker.delivery import PostOffice
from simulator.broker.messages import Message
from simulator.broker.packets import (
    MQTT_5,
    Acknowledgement,
    Connect,
    Disconnect,
    FromClient,
    PacketType,
    Ping,
    Pong,
    Publish,
    Subscribe,
    SubscriptionAnswer,
    Unsubscribe,
)
from simulator.broker.reasons import FIRST_FAILURE, ClientError, Reason, protocol_error
from simulator.broker.session import ClientSession
from simulator.broker.state import BrokerState


class Conversation:
    def __init__(self, state: BrokerState, post: PostOffice, desk: FrontDesk) -> None:
        self._state = state
        self._post = post
        self._desk = desk

    def take(self, connection: Connection, session: ClientSession, packet: FromClient, now: float) -> None:
        match packet:
            case Publish():
                self._published(connection, session, packet, now)
            case Acknowledgement(kind=PacketType.PUBREL):
                self._released(connection, session, packet.packet_id, now)
            case Acknowledgement():
                if (answer := session.acknowledged(packet)) is not None:
                    connection.say(answer)
                self._post.send_waiting(session, now)
            case Subscribe():
                self._subscribe(connection, session, packet, now)
            case Unsubscribe():
                self._unsubscribe(connection, session, packet)
            case Ping():
                connection.say(Pong())
            case Disconnect():
                self._disconnect(connection, session, packet, now)
            case Connect():
                raise protocol_error("a second CONNECT on one connection")

    def _published(self, connection: Connection, session: ClientSession, packet: Publish, now: float) -> None:
        packet = self._with_topic(connection, packet)
        if packet.packet_id is None:
            if self._refusal(session, packet, now) is None:
                self._post.publish(Message.published(packet, session.client_id, now), now)
            return
        if packet.qos == 2 and packet.packet_id in session.incoming:
            self._acknowledge(connection, session, packet, Reason.SUCCESS)
            return
        self._check_window(connection, session, packet.packet_id)
        reason = self._refusal(session, packet, now)
        message = Message.published(packet, session.client_id, now) if reason is None else None
        if packet.qos == 2:
            # A 3.1.1 client cannot be told, so its handshake goes on and the message goes nowhere.
            if reason is None or connection.version != MQTT_5:
                session.incoming[packet.packet_id] = message
        elif message is not None and not self._post.publish(message, now):
            reason = Reason.NO_MATCHING_SUBSCRIBERS
        self._acknowledge(connection, session, packet, reason or Reason.SUCCESS)

    def _with_topic(self, connection: Connection, packet: Publish) -> Publish:
        """Put the topic a client's alias stands for in its place."""
        alias = packet.properties.topic_alias
        if alias is None:
            return packet
        if not 0 < alias <= self._state.limits.topic_aliases:
            raise ClientError(Reason.TOPIC_ALIAS_INVALID, f"{alias} is not a topic alias this broker takes")
        if packet.topic:
            connection.aliases[alias] = packet.topic
            return packet
        if alias not in connection.aliases:
            raise protocol_error(f"topic alias {alias} has not been given a topic")
        return packet._replace(topic=connection.aliases[alias])

    def _refusal(self, session: ClientSession, packet: Publish, now: float) -> Reason | None:
        """Say why a message is not taken, or nothing if it is."""
        ordered = self._state.misbehaviour.denial(session.client_id, packet.topic)
        if ordered is not None:
            return ordered
        if not self._state.access.may_write(session.person, packet.topic):
            self._state.notes.append(f"{session.client_id!r} may not publish under {packet.topic!r}")
            return Reason.NOT_AUTHORISED
        if packet.retain and packet.payload and not self._state.memory.retained.has_room_for(packet.topic, now):
            return Reason.QUOTA_EXCEEDED
        return None

    def _check_window(self, connection: Connection, session: ClientSession, packet_id: int) -> None:
        # MQTT 5 clients are told a window; those of 3.1.1 have none, and still cannot fill the memory.
        limits = self._state.limits
        window = limits.in_flight if connection.version == MQTT_5 else limits.queued
        if len(session.incoming) + len(connection.withheld) < window:
            return
        unanswered = session.incoming.keys() | {withheld.packet_id for withheld in connection.withheld}
        if packet_id not in unanswered and len(unanswered) >= window:
            raise ClientError(Reason.RECEIVE_MAXIMUM_EXCEEDED, f"more than {window} messages are unacknowledged")

    def _acknowledge(self, connection: Connection, session: ClientSession, packet: Publish, reason: Reason) -> None:
        if packet.packet_id is None:
            return
        kind = PacketType.PUBACK if packet.qos == 1 else PacketType.PUBREC
        acknowledgement = Acknowledgement(kind=kind, packet_id=packet.packet_id, reason=reason)
        if self._state.misbehaviour.withholds(session.client_id, packet.topic):
            connection.withheld.append(acknowledgement)
        else:
            connection.say(acknowledgement)

    def _released(self, connection: Connection, session: ClientSession, packet_id: int, now: float) -> None:
        known = packet_id in session.incoming
        message = session.incoming.pop(packet_id, None)
        if message is not None:
            self._post.publish(message, now)
        reason = Reason.SUCCESS if known else Reason.PACKET_ID_NOT_FOUND
        connection.say(Acknowledgement(kind=PacketType.PUBCOMP, packet_id=packet_id, reason=reason))

    def _subscribe(self, connection: Connection, session: ClientSession, packet: Subscribe, now: float) -> None:
        codes, wants_retained = [], []
        for subscription in packet.subscriptions:
            is_new = subscription.topic_filter not in session.subscriptions
            code = self._post.subscribe(session, subscription)
            codes.append(code)
            handling = subscription.retain_handling
            if code < FIRST_FAILURE and (handling == 0 or (handling == 1 and is_new)):
                wants_retained.append(subscription)
        connection.say(SubscriptionAnswer(kind=PacketType.SUBACK, packet_id=packet.packet_id, codes=tuple(codes)))
        for subscription in wants_retained:
            self._post.send_retained(session, subscription, now)

    def _unsubscribe(self, connection: Connection, session: ClientSession, packet: Unsubscribe) -> None:
        codes = []
        for topic_filter in packet.topic_filters:
            existed = session.subscriptions.pop(topic_filter, None) is not None
            codes.append(Reason.SUCCESS if existed else Reason.NO_SUBSCRIPTION_EXISTED)
        connection.say(SubscriptionAnswer(kind=PacketType.UNSUBACK, packet_id=packet.packet_id, codes=tuple(codes)))

    def _disconnect(self, connection: Connection, session: ClientSession, packet: Disconnect, now: float) -> None:
        asked = packet.properties.session_expiry
        if asked is not None:
            if asked and not connection.session_expiry:
                raise protocol_error("DISCONNECT cannot set a session expiry when CONNECT set none")
            connection.session_expiry = seconds_of_expiry(asked)
        self._state.notes.append(f"{session.client_id!r} disconnected")
        self._desk.leave(connection, now, Ending.POLITELY, publish_will=packet.reason != Reason.SUCCESS)
