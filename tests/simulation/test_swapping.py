"""Messages change places on the simulated line once, whole, and none is lost, however the bytes are cut."""

import pytest

from firmware_protocol.angel_eye.commands import LOCK, UNLOCK, encode_command
from firmware_protocol.angel_eye.telegrams import encode_telegram
from firmware_protocol.native.framing import encode_frame
from simulator.shoe_line import Wire
from tests.simulation.swapping import Swap

A, B, C = (encode_frame(body) for body in (b"first", b"second", b"third"))
ONE, TWO = encode_telegram(1, b"S1"), encode_telegram(2, b"S2")
SHUT, OPEN = (encode_command(command, stx_in_bcc=False) for command in (LOCK, UNLOCK))


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("wire", "to_shoe", "all_copies", "sent", "arrives"),
    [
        (Wire.NATIVE, False, False, [A, B, C], [B, A, C]),
        (Wire.NATIVE, True, True, [A, B, C], [B, A, C]),
        (Wire.ANGEL_EYE, False, False, [ONE, ONE, TWO, TWO], [ONE, TWO, ONE, TWO]),
        (Wire.ANGEL_EYE, False, True, [ONE, ONE, TWO, TWO], [TWO, ONE, ONE, TWO]),
        (Wire.ANGEL_EYE, False, True, [ONE, b"\x06", TWO], [b"\x06", TWO, ONE]),
        (Wire.ANGEL_EYE, True, True, [SHUT, OPEN], [OPEN, SHUT]),
    ],
)
def test_two_messages_change_places(
    *, wire: Wire, to_shoe: bool, all_copies: bool, sent: list[bytes], arrives: list[bytes], size: int
) -> None:
    swap = Swap(wire, to_shoe=to_shoe, all_copies=all_copies)
    data = b"".join(sent)
    came = b"".join(b"".join(swap.carry(data[at : at + size])) for at in range(0, len(data), size) if not swap.done)
    at_the_end = swap.end()
    assert swap.done
    assert at_the_end == []
    assert (came + data[len(came) :]) == b"".join(arrives)


def test_a_message_that_nothing_overtakes_goes_on() -> None:
    swap = Swap(Wire.NATIVE, to_shoe=False, all_copies=False)
    assert swap.carry(A + B[:3]) == []
    assert swap.holds
    assert swap.let_go() == [A]
    assert swap.end() == [B[:3]]
    assert not swap.done
