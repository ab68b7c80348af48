"""Any bytes into both ends of an Angel Eye line: never an exception, never more held than one telegram."""

import sys

import atheris

with atheris.instrument_imports(include=["firmware_protocol"]):
    from firmware_protocol.angel_eye.controller import AngelEyeController
    from firmware_protocol.angel_eye.shoe import AngelEyeShoe
    from firmware_protocol.angel_eye.telegrams import encode_telegram
    from firmware_protocol.link import Delivery, LineError

LONGEST_PIECE = 40


def one_input(data: bytes) -> None:
    source = atheris.FuzzedDataProvider(data)
    controller = AngelEyeController(commands=source.ConsumeBool())
    shoe = AngelEyeShoe()
    now = 0.0
    controller.connected(now)
    shoe.connected(now)
    received = 0
    while source.remaining_bytes():
        piece = source.ConsumeBytes(source.ConsumeIntInRange(1, LONGEST_PIECE))
        if source.ConsumeBool():
            # A right frame around arbitrary content, or the fuzzer would spend its life on check characters.
            piece = encode_telegram(source.ConsumeIntInRange(0, 9), piece[:8])
        now += source.ConsumeIntInRange(0, 3)
        received += len(piece)
        for item in controller.receive(piece, now):
            if isinstance(item, Delivery) and source.ConsumeBool():
                controller.committed(item, now)
            if isinstance(item, LineError):
                assert 0 <= item.offset < item.offset + item.length <= received
        controller.tick(now)
        shoe.receive(piece, now)
        shoe.tick(now)
        controller.to_send()
        shoe.to_send()


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
