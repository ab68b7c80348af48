"""The broker's answer to each packet of a connected client."""

from simulator.broker.connecting import ConnectionManager, seconds_of_expiry
from simulator.broker.connection import Connection, Ending
from simulator.broker.delivery import MessageRouter
from simulator.broker.messages import Message
from simulator.broker.packets import (
    MQTT_5,
    Connect,
    Disconnect,
    FromClient,
    PacketType,
    Ping,
    Pong,
    Puback,
    Publish,
    Subscribe,
    SubscriptionAnswer,
    Unsubscribe,
)
from simulator.broker.reasons import FIRST_FAILURE, ClientError, Reason, protocol_error
from simulator.broker.session import ClientSession
from simulator.broker.state import BrokerState


class PacketHandler:
    def __init__(self, state: BrokerState, router: MessageRouter, manager: ConnectionManager) -> None:
        self._state = state
        self._router = router
        self._manager = manager

    def handle(self, connection: Connection, session: ClientSession, packet: FromClient, now: float) -> None:
        match packet:
            case Publish():
                self._published(connection, session, packet, now)
            case Puback():
                session.acknowledged(packet.packet_id)
                self._router.send_waiting(session, now)
            case Subscribe():
                self._subscribe(connection, session, packet, now)
            case Unsubscribe():
                self._unsubscribe(connection, session, packet)
            case Ping():
                connection.send(Pong())
            case Disconnect():
                self._disconnect(connection, session, packet, now)
            case Connect():
                raise protocol_error("a second CONNECT on one connection")

    def _published(self, connection: Connection, session: ClientSession, packet: Publish, now: float) -> None:
        if packet.packet_id is not None:
            self._check_window(connection, packet.packet_id)
        reason = self._refusal(session, packet)
        if reason is None and not self._router.publish(Message.published(packet, session.client_id, now), now):
            reason = Reason.NO_MATCHING_SUBSCRIBERS
        if packet.packet_id is not None:
            puback = Puback(packet.packet_id, reason or Reason.SUCCESS)
            if self._state.misbehaviour.withholds(session.client_id, packet.topic):
                connection.withheld.append(puback)
            else:
                connection.send(puback)

    def _refusal(self, session: ClientSession, packet: Publish) -> Reason | None:
        """Return why a message is refused, or `None` if it is accepted."""
        ordered = self._state.misbehaviour.denial(session.client_id, packet.topic)
        if ordered is not None:
            return ordered
        if not self._state.access.may_write(session.client, packet.topic):
            self._state.notes.append(f"{session.client_id!r} may not publish under {packet.topic!r}")
            return Reason.NOT_AUTHORISED
        return None

    def _check_window(self, connection: Connection, packet_id: int) -> None:
        # MQTT 5 clients are sent a window; those of 3.1.1 have none, and still must not fill the memory.
        limits = self._state.limits
        window = limits.in_flight if connection.version == MQTT_5 else limits.queued
        unanswered = {withheld.packet_id for withheld in connection.withheld}
        if packet_id not in unanswered and len(unanswered) >= window:
            raise ClientError(Reason.RECEIVE_MAXIMUM_EXCEEDED, f"more than {window} messages are unacknowledged")

    def _subscribe(self, connection: Connection, session: ClientSession, packet: Subscribe, now: float) -> None:
        codes, wants_retained = [], []
        for subscription in packet.subscriptions:
            is_new = subscription.topic_filter not in session.subscriptions
            code = self._router.subscribe(session, subscription)
            codes.append(code)
            handling = subscription.retain_handling
            if code < FIRST_FAILURE and (handling == 0 or (handling == 1 and is_new)):
                wants_retained.append(subscription)
        connection.send(SubscriptionAnswer(kind=PacketType.SUBACK, packet_id=packet.packet_id, codes=tuple(codes)))
        for subscription in wants_retained:
            self._router.send_retained(session, subscription, now)

    def _unsubscribe(self, connection: Connection, session: ClientSession, packet: Unsubscribe) -> None:
        codes = []
        for topic_filter in packet.topic_filters:
            existed = session.subscriptions.pop(topic_filter, None) is not None
            codes.append(Reason.SUCCESS if existed else Reason.NO_SUBSCRIPTION_EXISTED)
        connection.send(SubscriptionAnswer(kind=PacketType.UNSUBACK, packet_id=packet.packet_id, codes=tuple(codes)))

    def _disconnect(self, connection: Connection, session: ClientSession, packet: Disconnect, now: float) -> None:
        expiry = packet.properties.session_expiry
        if expiry is not None:
            if expiry and not connection.session_expiry:
                raise protocol_error("DISCONNECT cannot set a session expiry when CONNECT set none")
            connection.session_expiry = seconds_of_expiry(expiry)
        self._state.notes.append(f"{session.client_id!r} disconnected")
        self._manager.leave(connection, now, Ending.POLITELY, publish_will=packet.reason != Reason.SUCCESS)
