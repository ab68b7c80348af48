"""How much of everything the broker takes before it says no; the defaults are near Mosquitto's."""

from dataclasses import dataclass, fields

from simulator.broker.fields import LARGEST_VARIABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerLimits:
    packet_bytes: int = 1024 * 1024
    """The largest packet a client may send."""
    in_flight: int = 20
    """Messages to and from a client whose handshake is open at the same time."""
    queued: int = 1000
    """Messages that wait for one client; more are lost."""
    output_bytes: int = 64 * 1024
    """Written ahead for one connection before its messages wait in the queue."""
    connect_seconds: int = 10
    """How long a new connection may take to introduce itself."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) < 1:
                raise ValueError(f"the limit {each.name} must be at least 1, not {getattr(self, each.name)}.")
        if self.in_flight > 65_535:
            raise ValueError("MQTT counts messages in flight to 65535 only.")
        if self.packet_bytes > LARGEST_VARIABLE:
            raise ValueError(f"MQTT knows no packets of more than {LARGEST_VARIABLE} bytes.")
