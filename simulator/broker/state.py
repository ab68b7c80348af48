"""State shared by the parts of the core: sessions, connections, timers, misbehaviour."""

from collections import deque
from dataclasses import dataclass, field

from simulator.broker.access import AccessList, Users
from simulator.broker.connection import Connection
from simulator.broker.limits import BrokerLimits
from simulator.broker.memory import Memory
from simulator.broker.misbehaviour import Misbehaviour
from simulator.broker.session import ClientSession
from simulator.broker.timers import TimerQueue

_NOTES_KEPT = 1000


@dataclass(slots=True, eq=False, kw_only=True)
class BrokerState:
    limits: BrokerLimits
    users: Users
    access: AccessList
    misbehaviour: Misbehaviour
    memory: Memory
    online: dict[str, Connection] = field(default_factory=dict)
    """The connection of each client that has one."""
    timers: TimerQueue[Connection | ClientSession] = field(default_factory=TimerQueue)
    notes: deque[str] = field(default_factory=lambda: deque(maxlen=_NOTES_KEPT))
    """Log lines for people."""
    lost_messages: int = 0
    """Copies lost to a full queue or to a client's maximum packet size."""
