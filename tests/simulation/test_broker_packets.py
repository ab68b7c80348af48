"""The quick reader of the broker's packets reads what the thorough one reads."""

import pytest

from tests.simulation.broker_packets import packets
from tests.simulator.broker import wire
from tests.simulator.broker.wire import BrokerBytes, Kind

PACKETS = [
    wire.acknowledge(Kind.PUBACK, 513),
    wire.acknowledge(Kind.PUBACK, 7, reason=0x87),
    *(
        wire.publish(
            "table/event/card", b"x" * size, qos=qos, packet_id=300 if qos else None, retain=retain, props=props
        )
        for size in (0, 1, 100, 127, 128, 20_000, 3_000_000)
        for qos in (0, 1)
        for retain in (False, True)
        for props in ({}, {"correlation_data": b"c"})
    ),
]


@pytest.mark.parametrize(
    "packet", [*PACKETS, b"".join(PACKETS)], ids=lambda packet: f"{packet[:4].hex()}-{len(packet)}"
)
def test_both_read_the_same(packet: bytes) -> None:
    assert list(packets(packet)) == list(BrokerBytes(wire.V5).feed(packet))


def test_half_a_packet_is_noticed() -> None:
    with pytest.raises(AssertionError, match="half a packet"):
        list(packets(PACKETS[-1][:-1]))
