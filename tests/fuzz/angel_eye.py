"""Any bytes into both ends of an Angel Eye line: never an exception, never more held than one telegram.

An input is a conversation of up to sixteen pieces, each a right telegram around arbitrary content or any bytes.
"""

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.shoe import AngelEyeShoe
from firmware_protocol.angel_eye.telegrams import MAX_DATA, encode_telegram
from firmware_protocol.events import FaultCode
from firmware_protocol.link import Delivery, DesiredShoe, LineError
from tests.fuzz.source import Source

INSTRUMENTED = (
    "firmware_protocol.angel_eye.controller",
    "firmware_protocol.angel_eye.messages",
    "firmware_protocol.angel_eye.sequence",
    "firmware_protocol.angel_eye.shoe",
    "firmware_protocol.angel_eye.telegrams",
)
LONGEST_INPUT = 32

LONGEST_TELEGRAM = MAX_DATA + 5
"""Bytes: ENQ, number, data, ETX and two check characters."""


def one_input(data: bytes) -> None:
    source = Source(data)
    controller = AngelEyeController(commands=source.flag())
    shoe = AngelEyeShoe()
    now = 0.0
    controller.connected(now)
    shoe.connected(now)
    received = 0
    while source.left:
        kind = source.number(255)
        piece = source.take(kind % 16 + 1)
        if kind & 0x10:
            # A right frame around arbitrary content, or the fuzzer would spend its life on check characters.
            piece = encode_telegram(kind % 10, piece[:8])
        now += kind >> 6
        if kind & 0x20:
            shoe.receive(piece, now)
            shoe.tick(now)
            piece = shoe.to_send()
        elif kind % 16 == 0:
            controller.want(DesiredShoe(gate_locked=bool(kind & 0x40)), now)
            controller.put_right(frozenset(FaultCode), now)
        received += len(piece)
        for item in controller.receive(piece, now):
            if isinstance(item, Delivery) and kind & 1:
                controller.committed(item, now)
            if isinstance(item, LineError):
                assert 0 <= item.offset < item.offset + item.length <= received
        assert len(controller._reader._held) < LONGEST_TELEGRAM  # noqa: SLF001 - nobody else could know
        controller.tick(now)
        answer = controller.to_send()
        if answer:
            shoe.receive(answer, now)
