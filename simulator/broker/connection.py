"""One network connection as the core sees it: what it has received so far, and what is queued to be written."""

import math
from dataclasses import dataclass, field, replace
from enum import Enum

from simulator.broker.encoding import encode
from simulator.broker.framing import PacketSplitter
from simulator.broker.packets import MQTT_3_1_1, Connack, Disconnect, Puback, ToClient, Will
from simulator.broker.session import ClientSession

_GRACE = 1.5
"""A client may be silent for this many times its keep-alive."""


class Ending(Enum):
    """How a connection is closed."""

    POLITELY = "politely"
    """After everything queued for it has been sent."""
    AT_ONCE = "at once"
    """As if the line had been cut."""


@dataclass(slots=True, eq=False, kw_only=True)
class Connection:
    number: int
    last_received: float
    splitter: PacketSplitter
    outbox: dict[int, "Connection"]
    """Shared by all connections: those with data to write or about to be closed, in order."""
    connect_seconds: float
    """Seconds within which it must send CONNECT."""
    version: int | None = None
    """Known from the first bytes of CONNECT on."""
    session: ClientSession | None = None
    """Known once CONNECT has been accepted, and until the connection ends."""
    keep_alive: int = 0
    session_expiry: float = 0.0
    will: Will | None = None
    largest_packet: float = math.inf
    """The largest packet that the client accepts."""
    output: bytearray = field(default_factory=bytearray)
    congested: bool = False
    """The client is slow to read: messages wait in the session."""
    withheld: list[Puback] = field(default_factory=list)
    ending: Ending | None = None

    @property
    def deadline(self) -> float:
        """The time by which the client must have sent something."""
        if self.session is None:
            return self.last_received + self.connect_seconds
        return self.last_received + _GRACE * self.keep_alive if self.keep_alive else math.inf

    def send(self, packet: ToClient) -> bool:
        """Queue a packet; return False if it exceeds the client's maximum packet size."""
        version = self.version or MQTT_3_1_1
        written = encode(packet, version)
        if len(written) > self.largest_packet and isinstance(packet, Connack | Disconnect):
            # The reason string is the first item to leave out.
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
