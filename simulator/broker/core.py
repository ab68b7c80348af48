"""The broker without a network: bytes and `now` in, bytes for each connection out. No socket, no clock, no asyncio.

Its owner reports connections and data (`connected`, `receive`, `lost`), calls `tick` at `next_deadline`, and writes
what `to_send` returns until that is empty. `now` is seconds on a clock that never goes back. The server in `server.py`
is one owner; a simulation on virtual time can be another.

The parts behind it, each knowing only those before it: `delivery.py` (routing of messages), `connecting.py` (connecting
and disconnecting), `packet_handlers.py` (the answer to each packet).
"""

from collections.abc import Callable, Mapping
from itertools import count
from typing import NamedTuple

from simulator.broker.access import EVERYTHING_ALLOWED, AccessList, Users
from simulator.broker.connecting import ConnectionManager
from simulator.broker.connection import Connection, Ending
from simulator.broker.decoding import decode, protocol_version
from simulator.broker.delivery import MessageRouter
from simulator.broker.framing import Frame, PacketSplitter
from simulator.broker.limits import BrokerLimits
from simulator.broker.memory import Memory
from simulator.broker.misbehaviour import Misbehaviour
from simulator.broker.packet_handlers import PacketHandler
from simulator.broker.packets import Connect, PacketType
from simulator.broker.reasons import ClientError, Reason, protocol_error
from simulator.broker.state import BrokerState


class Outgoing(NamedTuple):
    """What the owner must do with one connection: write these bytes, then close it if `ending` is given."""

    connection: int
    data: bytes
    ending: Ending | None = None


class BrokerCore:
    def __init__(
        self,
        *,
        users: Mapping[str, str] | None = None,
        access: AccessList = EVERYTHING_ALLOWED,
        limits: BrokerLimits | None = None,
    ) -> None:
        """Make an empty broker; with `users` (names and passwords), only these are accepted."""
        limits = limits or BrokerLimits()
        self._state = BrokerState(
            limits=limits,
            users=Users(users),
            access=access,
            misbehaviour=Misbehaviour(),
            memory=Memory(),
        )
        self._router = MessageRouter(self._state)
        self._manager = ConnectionManager(self._state, self._router)
        self._packet_handler = PacketHandler(self._state, self._router, self._manager)
        self._connections: dict[int, Connection] = {}
        self._outbox: dict[int, Connection] = {}
        self._numbers = count(1)
        self._stalled = False
        self._deferred: list[Callable[[float], None]] = []

    @property
    def misbehaviour(self) -> Misbehaviour:
        """The rules by which this broker misbehaves."""
        return self._state.misbehaviour

    @property
    def online(self) -> frozenset[str]:
        """Client ids of the connected clients."""
        return frozenset(self._state.online)

    @property
    def sessions(self) -> frozenset[str]:
        """Client ids of all sessions, connected or not."""
        return frozenset(self._state.memory.sessions)

    @property
    def lost_messages(self) -> int:
        """Number of copies lost to a full queue or to a client's maximum packet size."""
        return self._state.lost_messages

    def take_notes(self) -> list[str]:
        """Return and clear the log lines, for people, since the last call."""
        notes = list(self._state.notes)
        self._state.notes.clear()
        return notes

    def connected(self, now: float) -> int:
        """Begin a connection; return its number, by which the owner refers to it."""
        limits = self._state.limits
        connection = Connection(
            number=next(self._numbers),
            last_received=now,
            splitter=PacketSplitter(limits.packet_bytes),
            outbox=self._outbox,
            connect_seconds=limits.connect_seconds,
        )
        self._state.timers.schedule(connection, connection.deadline)
        self._connections[connection.number] = connection
        return connection.number

    def receive(self, number: int, data: bytes, now: float) -> None:
        """Handle bytes from a connection; those of a connection that is ending are ignored."""
        if self._stalled:
            self._deferred.append(lambda later: self.receive(number, data, later))
            return
        connection = self._connections.get(number)
        if connection is None or not connection.is_open():
            return
        connection.splitter.feed(data)
        try:
            if connection.version is None and connection.splitter.next_kind() not in {None, PacketType.CONNECT}:
                raise protocol_error("the first packet of a connection must be CONNECT")
            while connection.is_open() and (frame := connection.splitter.next_frame()) is not None:
                connection.last_received = now
                self._take(connection, frame, now)
        except ClientError as error:
            self._manager.reject(connection, error, now)

    def lost(self, number: int, now: float) -> None:
        """Remove a connection that the network ended or the owner closed on request."""
        if self._stalled:
            self._deferred.append(lambda later: self.lost(number, later))
            return
        connection = self._connections.pop(number, None)
        if connection is not None and connection.is_open():
            if connection.session is not None:
                self._state.notes.append(f"{connection.session.client_id!r} was lost without DISCONNECT")
            self._manager.leave(connection, now, Ending.AT_ONCE)
        self._outbox.pop(number, None)

    def congested(self, number: int, now: float, *, is_congested: bool) -> None:
        """Report that a connection's write buffer is full, or has room again."""
        connection = self._connections.get(number)
        if connection is None:
            return
        connection.congested = is_congested
        if connection.session is not None:
            self._router.send_waiting(connection.session, now)

    def to_send(self, now: float) -> list[Outgoing]:
        """Return what to write and close. Call it until it returns nothing: more may be queued behind."""
        ready = [each for each in self._outbox.values() if not self._stalled or each.ending is Ending.AT_ONCE]
        outgoing = []
        for connection in ready:
            del self._outbox[connection.number]
            data = b"" if connection.ending is Ending.AT_ONCE else bytes(connection.output)
            connection.output.clear()
            outgoing.append(Outgoing(connection.number, data, connection.ending))
            if connection.ending is not None:
                self._connections.pop(connection.number, None)
            elif connection.session is not None:
                self._router.send_waiting(connection.session, now)
        return outgoing

    def next_deadline(self) -> float | None:
        """The time at which `tick` is due, if any."""
        return None if self._stalled else self._state.timers.next_time()

    def tick(self, now: float) -> None:
        """Do what is due: keep-alives, sessions that end, deliveries that were held back."""
        if self._stalled:
            return
        for item in self._state.timers.due(now):
            if isinstance(item, Connection):
                self._check_connection(item, now)
            elif item.connected:
                self._router.send_waiting(item, now)
            else:
                self._manager.expire_session(item, now)

    def cut(self, now: float, client_id: str | None = None) -> None:
        """End the connection of a client, or all, as if the line had been cut."""
        for connection in list(self._connections.values()):
            is_meant = client_id is None or self._state.online.get(client_id) is connection
            if is_meant and connection.is_open():
                self._manager.leave(connection, now, Ending.AT_ONCE)

    def stall(self) -> None:
        """Hang: read, answer, notice and close nothing."""
        self._stalled = True

    def resume(self, now: float) -> None:
        """Resume after a stall and handle what has arrived meanwhile."""
        self._stalled = False
        for connection in self._connections.values():
            connection.last_received = now
        deferred, self._deferred = self._deferred, []
        for event in deferred:
            event(now)

    @property
    def stalled(self) -> bool:
        return self._stalled

    def release_acknowledgements(self) -> None:
        """Send every withheld acknowledgement whose client is still connected."""
        for connection in self._state.online.values():
            withheld, connection.withheld = connection.withheld, []
            for acknowledgement in withheld:
                connection.send(acknowledgement)

    def forget_session(self, client_id: str, now: float) -> None:
        """Delete a client's session, and its connection if it has one."""
        self.cut(now, client_id)
        session = self._state.memory.sessions.get(client_id)
        if session is not None:
            self._manager.end_session(session, now)

    def restart(
        self, now: float, *, keep_sessions: bool = True, keep_retained: bool = True, orderly: bool = True
    ) -> None:
        """End every connection and restart with what is kept.

        An orderly shutdown publishes the clients' wills first; a crash does not.
        """
        self._stalled, self._deferred = False, []
        for connection in list(self._connections.values()):
            if connection.is_open():
                self._manager.leave(connection, now, Ending.AT_ONCE, publish_will=orderly)
        for session in list(self._state.memory.sessions.values()):
            if not keep_sessions:
                self._manager.end_session(session, now)
        if not keep_retained:
            self._state.memory.retained.forget()

    def _take(self, connection: Connection, frame: Frame, now: float) -> None:
        if connection.version is None:
            connection.version = protocol_version(frame)
        packet = decode(frame, connection.version)
        if connection.session is not None:
            self._packet_handler.handle(connection, connection.session, packet, now)
        elif isinstance(packet, Connect):
            self._manager.accept(connection, packet, now)

    def _check_connection(self, connection: Connection, now: float) -> None:
        if now < connection.deadline:
            self._state.timers.schedule(connection, connection.deadline)
        elif connection.session is None:
            self._state.notes.append("a new connection sent no CONNECT in time")
            self._manager.leave(connection, now, Ending.AT_ONCE)
        else:
            sentence = f"nothing was received for one and a half times the keep-alive of {connection.keep_alive} s"
            self._manager.reject(connection, ClientError(Reason.KEEP_ALIVE_TIMEOUT, sentence), now)
