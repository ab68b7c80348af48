"""A display that has other events than the journal is found."""

import pytest

from simulator.reckoner.displays import Event, display_problems, same_event

JOURNAL: dict[int, Event] = {seq: ("event/card", b'{"fact":"card","seq":%d}' % seq) for seq in (1, 2, 3)}
WITH_ENVELOPE: dict[int, Event] = {
    seq: (topic, b'{"head":"7:aa","journal":"j",' + payload[1:]) for seq, (topic, payload) in JOURNAL.items()
}


@pytest.mark.parametrize("shown", [JOURNAL, WITH_ENVELOPE, dict(reversed(JOURNAL.items()))])
def test_a_display_that_has_everything(shown: dict[int, Event]) -> None:
    assert display_problems(JOURNAL, shown) == []


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param({seq: JOURNAL[seq] for seq in (1, 3)}, id="one is missing"),
        pytest.param({seq: JOURNAL[seq] for seq in (1, 2)}, id="the last is missing"),
        pytest.param(JOURNAL | {4: JOURNAL[3]}, id="one too many"),
        pytest.param(JOURNAL | {2: ("event/card", b'{"fact":"card","seq":3}')}, id="other bytes"),
        pytest.param(JOURNAL | {2: ("event/shoe", JOURNAL[2][1])}, id="another topic"),
        pytest.param(JOURNAL | {2: ("event/card", JOURNAL[2][1] + b" ")}, id="a byte more"),
    ],
)
def test_a_display_that_has_something_else(shown: dict[int, Event]) -> None:
    assert len(display_problems(JOURNAL, shown)) == 1


def test_a_journal_with_a_gap() -> None:
    with_gap = {seq: JOURNAL[seq] for seq in (1, 3)}
    assert len(display_problems(with_gap, with_gap)) == 1


def test_an_envelope_comes_before_the_stored_fields() -> None:
    assert same_event(JOURNAL[1], WITH_ENVELOPE[1])
    assert not same_event(JOURNAL[1], ("event/card", b'{"head":"7:aa"}'))
    assert not same_event(JOURNAL[1], ("event/card", JOURNAL[1][1][:-1] + b',"more":1}'))
