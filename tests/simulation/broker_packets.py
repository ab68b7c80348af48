"""The broker's packets as its simulated clients read them: quickly where there are many, else as `wire.py` reads them.

The emulated broker hands over whole packets, so that nothing has to be put together.
"""

from collections.abc import Iterator
from functools import cache

from tests.simulator.broker import wire
from tests.simulator.broker.wire import Kind, Received

_ACKNOWLEDGED = Kind.PUBACK << 4
_QOS, _QOS_1 = 0x06, 0x02


def packets(data: bytes) -> Iterator[Received]:
    at = 0
    while at < len(data):
        body, after = _body(data, at)
        assert after <= len(data), "the broker handed over half a packet"
        first = data[at]
        found = None
        if first == _ACKNOWLEDGED and after - body == 2:
            found = Received(kind=Kind.PUBACK, size=4, packet_id=int.from_bytes(data[body:after], "big"))
        elif first >> 4 == Kind.PUBLISH and first & _QOS == _QOS_1:
            found = _plain_message(data, at, body, after)
        yield wire.read(data[at:after], wire.V5) if found is None else found
        at = after


def _body(data: bytes, at: int) -> tuple[int, int]:
    """Where the packet's body begins, and where it ends."""
    length = 0
    for place in range(4):
        byte = data[at + 1 + place]
        length |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return at + 2 + place, at + 2 + place + length
    raise AssertionError("the broker wrote a length of more than four bytes")


def _plain_message(data: bytes, at: int, body: int, after: int) -> Received | None:
    """A message without properties."""
    topic_end = body + 2 + int.from_bytes(data[body : body + 2], "big")
    if topic_end + 3 > after or data[topic_end + 2] != 0:
        return None
    return Received(
        kind=Kind.PUBLISH,
        size=after - at,
        topic=data[body + 2 : topic_end].decode(),
        packet_id=int.from_bytes(data[topic_end : topic_end + 2], "big"),
        qos=1,
        retain=bool(data[at] & 0x01),
        dup=bool(data[at] & 0x08),
        payload=data[topic_end + 3 : after],
    )


@cache
def acknowledgement(packet_id: int) -> bytes:
    return wire.acknowledge(Kind.PUBACK, packet_id)
