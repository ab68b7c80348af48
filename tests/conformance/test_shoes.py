"""The shoe of the emulator and the shoe in C pass every trial, on virtual time."""

import os

import pytest

from firmware_protocol.native.store import ShoeStore
from simulator.conformance.line import Answer, Doing, Request
from simulator.conformance.run import make_trials
from simulator.conformance.trials.handshake import burst_of_hellos
from simulator.conformance.trials.reliability import resends
from simulator.conformance.verdicts import Findings
from tests.conformance.clauses import CLAUSES, TRIED
from tests.conformance.virtual import PythonShoe, ShoeInC, VirtualShoe, bench_of, tried
from tests.firmware_protocol.native.c_shoe import Identity

MUSTS = {clause.number for clause in CLAUSES if clause.must}
NEEDS_NO_KEY = {"4.9"}
NEEDS_EYES = {"5.1", "5.5", "5.8", "8.3", "8.7"}
NEEDS_A_CARD_FROM_A_FULL_SHOE = {"6.5"}


def _broken(findings: Findings) -> dict[str, list[str]]:
    return {number: how for number, how in findings.failed.items() if number in MUSTS}


@pytest.mark.parametrize(
    ("shoe", "not_tried"),
    [(PythonShoe, NEEDS_NO_KEY | NEEDS_A_CARD_FROM_A_FULL_SHOE), (ShoeInC, NEEDS_NO_KEY)],
)
def test_our_shoes_hold_every_clause_that_can_be_tried(shoe: type[PythonShoe | ShoeInC], not_tried: set[str]) -> None:
    made: VirtualShoe = shoe()
    findings = tried(made)
    assert findings.failed == {}, "a SHOULD is advice, which our own shoes follow"
    assert TRIED & MUSTS - findings.held == not_tried
    assert findings.held <= TRIED


@pytest.mark.skipif("LONG_TESTS" not in os.environ, reason="seconds; make test-conformance")
@pytest.mark.parametrize("shoe", [PythonShoe, ShoeInC])
def test_time_for_a_slow_line_makes_no_shoe_fail(shoe: type[PythonShoe | ShoeInC]) -> None:
    assert tried(shoe(), slack=10).failed == {}


def test_a_shoe_without_a_key_can_be_tried() -> None:
    findings = tried(PythonShoe(key=None), key=None)
    assert _broken(findings) == {}
    assert findings.held >= NEEDS_NO_KEY


def test_a_shoe_of_the_first_pages_breaks_no_must(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 1 began with shoes that recognise sequence 0 with whatever boot id."""
    recognises = ShoeStore.recognises

    def early(store: ShoeStore, boot_id: int, sequence: int) -> bool:
        return sequence == 0 or recognises(store, boot_id, sequence)

    monkeypatch.setattr(ShoeStore, "recognises", early)
    findings = tried(PythonShoe())
    assert _broken(findings) == {}
    assert findings.failed.keys() == {"6.56"}


def test_an_operator_who_leaves_the_power_on_makes_no_shoe_fail() -> None:
    class Lazy(PythonShoe):
        def do(self, request: Request, now: float) -> Answer:
            return Answer(yes=True) if request.doing is Doing.POWER else super().do(request, now)

    findings = tried(Lazy())
    assert _broken(findings) == {}
    assert "the power was not taken away" in findings.untried["3.6"][0]
    halves = {"6.2", "6.3", "6.7"}
    assert findings.held.isdisjoint(halves), "what was seen of them without a loss of power is not all"
    assert all("the power was not taken away" in findings.untried[clause][0] for clause in halves)


def test_nothing_is_held_that_nobody_has_looked_at() -> None:
    class Unseen(ShoeInC):
        def do(self, request: Request, now: float) -> Answer:
            looks = request.doing in (Doing.SEE_GATE_LOCKED, Doing.SEE_LAMPS, Doing.SEE_IDENTIFY)
            return Answer(yes=False, why_not="nobody looks") if looks else super().do(request, now)

    findings = tried(Unseen())
    assert findings.failed == {}
    assert findings.held.isdisjoint(NEEDS_EYES)
    assert all("nobody looks" in findings.untried[clause][0] for clause in NEEDS_EYES)


@pytest.mark.parametrize("capabilities", [0x0007, 0x0006])
def test_a_gate_that_nothing_opens_or_that_is_not_there_decides_nothing(capabilities: int) -> None:
    class Shut(ShoeInC):
        def do(self, request: Request, now: float) -> Answer:
            return Answer(yes=True) if request.doing is Doing.SEE_GATE_LOCKED else super().do(request, now)

    shoe = Shut(identity=Identity(capabilities=capabilities))
    findings = tried(shoe)
    assert findings.failed == {}
    assert findings.held.isdisjoint({"5.5", "5.8", "8.3", "8.7"})
    why = "was not seen open" if capabilities & 1 else "has no gate"
    assert why in findings.untried["5.8"][0]


def test_a_shoe_at_which_nobody_is_does_not_fail() -> None:
    class Deserted(PythonShoe):
        def do(self, request: Request, now: float) -> Answer:  # noqa: ARG002 - nothing is done
            return Answer(yes=False, why_not="nobody is there")

    findings = tried(Deserted())
    assert _broken(findings) == {}
    assert "6.7" not in findings.held
    assert "nobody is there" in findings.untried["6.7"][0]


def test_an_answer_that_is_held_up_on_its_way_does_not_make_the_next_one_too_early() -> None:
    class HeldUp(ShoeInC):
        answers = 0
        held = b""
        held_until = 0.0

        def to_send(self, now: float) -> bytes:
            data = super().to_send(now)
            if data:
                self.answers += 1
            if data and self.answers % 3 == 0:
                self.held, self.held_until = data, now + 0.07
                return b""
            if data or now < self.held_until:
                return data
            data, self.held = self.held, b""
            return data

    bench = bench_of(HeldUp())
    make_trials(bench, (burst_of_hellos,))
    assert bench.findings.failed == {}
    assert "3.8" in bench.findings.held


def test_an_event_that_is_held_up_on_its_way_is_not_one_that_was_sent_again() -> None:
    class HeldUp(ShoeInC):
        held = b""
        held_until = 0.0

        def to_send(self, now: float) -> bytes:
            data = self.held + super().to_send(now)
            if self.held:
                self.held, data = (b"", data) if now >= self.held_until else (data, b"")
            elif data.count(b"\0") > 5:
                end = data.rindex(b"\0", 0, len(data) - 1) + 1
                data, self.held, self.held_until = data[:end], data[end:], now + 0.1
            return data

    bench = bench_of(HeldUp())
    make_trials(bench, (resends,))
    assert bench.findings.failed == {}
    assert "6.23" in bench.findings.held
