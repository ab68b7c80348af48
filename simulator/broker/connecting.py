"""Clients come and go: who is let in, whose session goes on, what becomes of a will and of a session."""

import math

from simulator.broker.access import ANONYMOUS, ClientIdentity
from simulator.broker.connection import Connection, Ending
from simulator.broker.delivery import MessageRouter
from simulator.broker.encoding import REFUSALS_IN_3_1_1
from simulator.broker.messages import Message
from simulator.broker.packets import HIGHEST_QOS, MQTT_3_1_1, MQTT_5, Connack, Connect, Disconnect, Will
from simulator.broker.properties import Properties
from simulator.broker.reasons import ClientError, Reason
from simulator.broker.session import ClientSession
from simulator.broker.state import BrokerState

_NEVER = 0xFFFF_FFFF
"""The session expiry that means: never."""


class ConnectionManager:
    def __init__(self, state: BrokerState, router: MessageRouter) -> None:
        self._state = state
        self._router = router
        self._assigned = 0

    def accept(self, connection: Connection, packet: Connect, now: float) -> None:
        """Accept a client, or raise `ClientError`."""
        self._check(packet)
        client = ClientIdentity(packet.user or ANONYMOUS, packet.client_id or self._new_client_id())
        self._take_over(client.client_id, now)
        session, present = self._session_for(client, clean_start=packet.clean_start, now=now)
        given, limits = packet.properties, self._state.limits
        connection.session = session
        connection.keep_alive = packet.keep_alive
        connection.will = packet.will
        connection.largest_packet = given.maximum_packet_size or math.inf
        connection.session_expiry = _expiry_of(packet)
        session.attach(
            min(limits.in_flight, given.receive_maximum or limits.in_flight), one_copy=packet.version == MQTT_3_1_1
        )
        self._state.online[client.client_id] = connection
        # The connect timeout ends here; from now on its keep-alive counts, if it has one.
        self._state.timers.remove(connection)
        if connection.deadline < math.inf:
            self._state.timers.schedule(connection, connection.deadline)
        introduction = Properties(
            assigned_client_id=None if packet.client_id else client.client_id,
            receive_maximum=limits.in_flight,
            maximum_qos=HIGHEST_QOS,
            maximum_packet_size=limits.packet_bytes,
            subscription_identifiers_available=0,
            shared_subscriptions_available=0,
        )
        if not connection.send(Connack(reason=Reason.SUCCESS, session_present=present, properties=introduction)):
            self._state.notes.append(f"{client.client_id!r} is disconnected: CONNACK exceeds its maximum packet size")
            self.leave(connection, now, Ending.AT_ONCE)
            return
        how = "MQTT 5" if packet.version == MQTT_5 else "MQTT 3.1.1"
        self._state.notes.append(f"{client.client_id!r} connected ({how}{', session resumed' if present else ''})")
        self._router.send_waiting(session, now)

    def reject(self, connection: Connection, error: ClientError, now: float) -> None:
        """End a connection because of its client's error, with the reason code where the protocol has one."""
        explained = Properties(reason_string=error.sentence)
        if connection.session is not None:
            who = f"{connection.session.client_id!r}"
            if connection.version == MQTT_5:
                connection.send(Disconnect(reason=error.reason, properties=explained))
        else:
            who = "a new connection"
            if connection.version == MQTT_5 or error.reason in REFUSALS_IN_3_1_1:
                connection.send(Connack(reason=error.reason, properties=explained))
        self._state.notes.append(f"{who} is disconnected: {error.sentence} (0x{error.reason:02X})")
        self.leave(connection, now, Ending.POLITELY)

    def leave(self, connection: Connection, now: float, ending: Ending, *, publish_will: bool = True) -> None:
        """End a connection and publish its will. Its session lives on for as long as the client asked."""
        connection.end(ending)
        self._state.timers.remove(connection)
        session, connection.session = connection.session, None
        if session is None:
            return
        del self._state.online[session.client_id]
        session.detach()
        session.ends_at = now + connection.session_expiry
        if connection.will is not None and publish_will:
            self._publish_will(session, connection.will, now)
        self.expire_session(session, now)

    def expire_session(self, session: ClientSession, now: float) -> None:
        """Forget a session whose client has been away for too long."""
        if now >= session.ends_at:
            self._state.memory.end(session)
            self._state.timers.remove(session)
        elif session.ends_at < math.inf:
            self._state.timers.schedule(session, session.ends_at)

    def _publish_will(self, session: ClientSession, will: Will, now: float) -> None:
        if self._state.access.may_write(session.client, will.topic):
            self._router.publish(Message.left_behind(will, session.client_id, now), now)

    def end_session(self, session: ClientSession, now: float) -> None:
        """Forget the session of a client that is away."""
        session.ends_at = now
        self.expire_session(session, now)

    def _check(self, packet: Connect) -> None:
        if packet.properties.authentication_method is not None:
            raise ClientError(
                Reason.BAD_AUTHENTICATION_METHOD, "this broker supports user names and passwords only, no other method"
            )
        if packet.will is not None and packet.will.properties.will_delay:
            raise ClientError(
                Reason.IMPLEMENTATION_SPECIFIC_ERROR, "this broker publishes a will at once and knows no will delay"
            )
        if not packet.client_id and packet.version == MQTT_3_1_1 and not packet.clean_start:
            raise ClientError(Reason.CLIENT_ID_NOT_VALID, "a persistent session needs a client id")
        if not self._state.users.admits(packet.user, packet.password):
            raise ClientError(Reason.NOT_AUTHORISED, "wrong user name or password")

    def _take_over(self, client_id: str, now: float) -> None:
        """End the connection of another client with this client id."""
        old = self._state.online.get(client_id)
        if old is not None:
            self.reject(old, ClientError(Reason.SESSION_TAKEN_OVER, "the same client id connected again"), now)

    def _session_for(self, client: ClientIdentity, *, clean_start: bool, now: float) -> tuple[ClientSession, bool]:
        sessions = self._state.memory.sessions
        old = sessions.get(client.client_id)
        if old is not None and clean_start:
            self.end_session(old, now)
        elif old is not None:
            old.client = client
            return old, True
        session = ClientSession(client=client, queue_limit=self._state.limits.queued)
        sessions[client.client_id] = session
        return session, False

    def _new_client_id(self) -> str:
        while True:
            self._assigned += 1
            client_id = f"auto-{self._assigned}"
            if client_id not in self._state.memory.sessions:
                return client_id


def _expiry_of(packet: Connect) -> float:
    if packet.version == MQTT_3_1_1:
        return 0.0 if packet.clean_start else math.inf
    return seconds_of_expiry(packet.properties.session_expiry or 0)


def seconds_of_expiry(given: int) -> float:
    return math.inf if given == _NEVER else float(given)
