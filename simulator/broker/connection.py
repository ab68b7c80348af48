"""One network connection as the core sees it: what it has said so far, and what is to be written to it."""

import math
from dataclasses import dataclass, field, replace
from enum import Enum

from simulator.broker.encoding import encode
from simulator.broker.framing import PacketSplitter
from simulator.broker.packets import MQTT_3_1_1, Connack, Disconnect, Puback, ToClient, Will
from simulator.broker.session import ClientSession

_GRACE = 1.5
"""A client may be silent for one and a half times its keep-alive."""


class Ending(Enum):
    """How a connection is closed."""

    POLITELY = "politely"
    """After everything written to it has gone out."""
    AT_ONCE = "at once"
    """As if the line had been cut."""


@dataclass(slots=True, eq=False, kw_only=True)
class Connection:
    number: int
    last_heard: float
    splitter: PacketSplitter
    outbox: dict[int, "Connection"]
    """Shared by all connections: those with something to write, or to be closed, in the order it came up."""
    connect_seconds: float
    """How long it may take to introduce itself."""
    version: int | None = None
    """Known from the first bytes of CONNECT on."""
    session: ClientSession | None = None
    """Known once CONNECT has been accepted, and until the connection ends."""
    keep_alive: int = 0
    session_expiry: float = 0.0
    will: Will | None = None
    largest_packet: float = math.inf
    """The largest packet the client says it can take."""
    output: bytearray = field(default_factory=bytearray)
    congested: bool = False
    """The other end is slow to read: messages wait in the session."""
    withheld: list[Puback] = field(default_factory=list)
    ending: Ending | None = None

    @property
    def deadline(self) -> float:
        """The time by which the client must have said something."""
        if self.session is None:
            return self.last_heard + self.connect_seconds
        return self.last_heard + _GRACE * self.keep_alive if self.keep_alive else math.inf

    def say(self, packet: ToClient) -> bool:
        """Write a packet, if the client can take one of its size."""
        version = self.version or MQTT_3_1_1
        written = encode(packet, version)
        if len(written) > self.largest_packet and isinstance(packet, Connack | Disconnect):
            # The sentence that explains the reason is the first thing to go.
            written = encode(replace(packet, properties=replace(packet.properties, reason_string=None)), version)
        if len(written) > self.largest_packet:
            return False
        self.output += written
        self.outbox[self.number] = self
        return True

    def is_open(self) -> bool:
        return self.ending is None

    def end(self, ending: Ending) -> None:
        self.ending = ending
        self.outbox[self.number] = self
