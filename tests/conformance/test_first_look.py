"""What is not a shoe that can be tried is told from one, before anything is done to it."""

import pytest

from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import FrameType
from simulator.conformance.first_look import CannotBeginError, look_at
from simulator.conformance.line import Answer, Doing, Request
from tests.conformance.virtual import KEY, PythonShoe, bench_of
from tests.firmware_protocol.native.line import bodies


class Something:
    """At the port, but no shoe of the native wire."""

    def __init__(self, says: bytes) -> None:
        self._says = says
        self._waiting = b""

    def receive(self, data: bytes, now: float) -> None:
        pass

    def tick(self, now: float) -> None:
        self._waiting = self._says if round(now * 100) % 10 == 0 else b""

    def to_send(self, now: float) -> bytes:  # noqa: ARG002 - it says what it said at the last tick
        waiting, self._waiting = self._waiting, b""
        return waiting

    def reopen(self, now: float) -> None:
        pass

    def do(self, request: Request, now: float) -> Answer:
        raise NotImplementedError


@pytest.mark.parametrize(("says", "why"), [(b"", "nothing came"), (b"\x02E82\x03", "such as Angel Eye")])
def test_something_else_is_told_from_a_shoe(says: bytes, why: str) -> None:
    with pytest.raises(CannotBeginError, match=why):
        look_at(bench_of(Something(says)), consume=False)


@pytest.mark.parametrize(
    ("of_shoe", "ours", "why"),
    [(KEY, None, "--key"), (None, KEY, "--insecure"), (KEY, bytes(31) + b"a", "has another key")],
)
def test_a_key_that_does_not_fit_is_named(of_shoe: bytes | None, ours: bytes | None, why: str) -> None:
    with pytest.raises(CannotBeginError, match=why):
        look_at(bench_of(PythonShoe(key=of_shoe), key=ours), consume=False)


def test_a_new_shoe_can_be_tried_and_one_with_events_of_worth_keeps_them() -> None:
    shoe = PythonShoe()
    bench = bench_of(shoe)
    assert look_at(bench, consume=False).serial_number == "EMU-0001"
    shoe.do(Request(Doing.EVENT, 1, "", ""), bench.now())
    for _ in range(2):
        with pytest.raises(CannotBeginError, match="1 events that a table may need"):
            look_at(bench, consume=False)
    shoe.do(Request(Doing.EVENT, 40, "", ""), bench.now())
    with pytest.raises(CannotBeginError, match="42 events"):
        look_at(bench, consume=False)
    assert look_at(bench, consume=True).serial_number == "EMU-0001"


def test_a_shoe_that_answers_no_nak_is_told_which_clause_it_breaks() -> None:
    class Silent(PythonShoe):
        def receive(self, data: bytes, now: float) -> None:
            of_session = bodies(data)
            super().receive(b"".join(encode_frame(body) for body in of_session if body[0] != FrameType.NAK), now)

    with pytest.raises(CannotBeginError, match=r"does not answer a NAK with STATUS \(6\.32\)"):
        look_at(bench_of(Silent()), consume=False)
