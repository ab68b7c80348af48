"""The broker's limits; the defaults are near Mosquitto's."""

from dataclasses import dataclass, fields

from simulator.broker.fields import LARGEST_VARIABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerLimits:
    packet_bytes: int = 1024 * 1024
    """The largest packet a client may send."""
    in_flight: int = 20
    """Unacknowledged messages in flight, in each direction of a client."""
    queued: int = 1000
    """Messages queued for one client; more are lost."""
    output_bytes: int = 64 * 1024
    """Write buffer of one connection; beyond it messages wait in the queue."""
    connect_seconds: int = 10
    """Seconds within which a new connection must send CONNECT."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) < 1:
                raise ValueError(f"the limit {each.name} must be at least 1, not {getattr(self, each.name)}.")
        if self.in_flight > 65_535:
            raise ValueError("MQTT counts messages in flight to 65535 only.")
        if self.packet_bytes > LARGEST_VARIABLE:
            raise ValueError(f"MQTT allows packets of at most {LARGEST_VARIABLE} bytes.")
