"""Any bytes, and any frames under a right check, into both ends of a native line: never an exception.

The fuzzer also gets to speak under right tags, as a shoe or controller with broken firmware would: behind the
handshake lies most of the code.
"""

import sys
from itertools import count

import atheris

with atheris.instrument_imports(include=["firmware_protocol"]):
    from firmware_protocol.link import Delivery, LineError, ShoeIdentity
    from firmware_protocol.native.controller import NativeController
    from firmware_protocol.native.framing import MAX_BODY, encode_frame
    from firmware_protocol.native.listen import NativeListener
    from firmware_protocol.native.session import SealedSession
    from firmware_protocol.native.shoe import NativeShoe
    from firmware_protocol.native.store import ShoeStore

SHOE = ShoeIdentity(
    model="fuzz", firmware="1", serial_number="1", boot_id=7, protocol_version=1, capabilities=frozenset({"gate"})
)
LONGEST_PIECE = 60


def one_input(data: bytes) -> None:
    source = atheris.FuzzedDataProvider(data)
    numbers = count(1)

    def nonce() -> bytes:
        return next(numbers).to_bytes(16, "big")

    controller = NativeController(insecure=True, nonce=nonce)
    shoe = NativeShoe(identity=SHOE, store=ShoeStore(capacity=8), insecure=True, nonce=nonce, now=0.0)
    listener = NativeListener(None)
    now = 0.0
    controller.connected(now)
    shoe.connected(now)
    for _ in range(4):
        shoe.receive(controller.to_send(), now)
        controller.receive(shoe.to_send(), now)
    assert controller.shoe == SHOE, "without a session most of the code is out of reach"
    while source.remaining_bytes():
        piece = source.ConsumeBytes(source.ConsumeIntInRange(1, LONGEST_PIECE)) or b"\1"
        match source.ConsumeIntInRange(0, 2):
            case 0:
                to_controller = to_shoe = piece
            case 1:
                to_controller = to_shoe = encode_frame(piece[:MAX_BODY])
            case _:
                to_controller = _sealed(shoe, piece)
                to_shoe = _sealed(controller, piece)
        now += source.ConsumeIntInRange(0, 20) / 10
        for item in controller.receive(to_controller, now):
            if isinstance(item, Delivery) and source.ConsumeBool():
                controller.committed(item, now)
            if isinstance(item, LineError):
                assert item.length > 0
        shoe.receive(to_shoe, now)
        listener.from_shoe(to_controller)
        listener.from_controller(to_shoe)
        controller.tick(now)
        shoe.tick(now)
        shoe.receive(controller.to_send(), now)
        controller.receive(shoe.to_send(), now)


def _sealed(end: NativeController | NativeShoe, piece: bytes) -> bytes:
    """A frame of the fuzzer's under the tag of one end, if that end has a session."""
    session: SealedSession | None = end._session  # noqa: SLF001 - nobody else could forge a right tag
    if session is None:
        return b""
    return encode_frame(session.seal(piece[0], piece[1 : MAX_BODY - 20]))


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
