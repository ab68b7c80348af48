"""The controller's end: order, acknowledging only what is stored, the desired state, silence."""

from collections.abc import Iterator

import pytest

from firmware_protocol.events import (
    Fault,
    FaultCode,
    Hand,
    LinkDownCause,
    Standby,
)
from firmware_protocol.link import (
    Delivery,
    DesiredShoe,
    Lamp,
    LinkDown,
    LinkUp,
    LinkUsageError,
    Refused,
)
from firmware_protocol.native.controller import ControllerTimings, NativeController
from firmware_protocol.native.counts import MALFORMED
from firmware_protocol.native.messages import CLOCK, IDENTIFY, WINDOW, Desire, FrameType
from tests.firmware_protocol.native.events import table_events
from tests.firmware_protocol.native.line import KEY, Line
from tests.firmware_protocol.native.puppets import BOOT_ID, PuppetShoe, new_controller, only_delivery


@pytest.fixture
def shoe() -> PuppetShoe:
    """A shoe without history, in a session with a controller without history."""
    puppet = PuppetShoe(new_controller())
    (up,) = puppet.shake_hands()
    assert isinstance(up, LinkUp)
    puppet.opened()
    return puppet


# --- order and acknowledgement ---------------------------------------------------------------------------------


def test_an_event_is_delivered_with_its_number_boot_and_age(shoe: PuppetShoe) -> None:
    delivery = only_delivery(shoe.say_event(1, Standby(), age=1234))
    assert delivery == Delivery(event=Standby(), sequence=1, boot_id=BOOT_ID, age=1.234)


def test_nothing_is_acknowledged_before_it_is_committed(shoe: PuppetShoe) -> None:
    first = only_delivery(shoe.say_event(1, Standby()))
    second = only_delivery(shoe.say_event(2, Standby()))
    for _ in range(20):
        shoe.now += 0.5
        shoe.say_status(upcoming=3)
        shoe.say_event(2, Standby())
        shoe.controller.tick(shoe.now)
        assert set(shoe.acks()) <= {(0, 0)}
    shoe.controller.committed(first, shoe.now)
    assert shoe.acks() == [(BOOT_ID, 1)]
    shoe.controller.committed(second, shoe.now)
    assert shoe.acks() == [(BOOT_ID, 2)]


def test_a_commit_covers_what_came_before(shoe: PuppetShoe) -> None:
    found = [only_delivery(shoe.say_event(number, Standby())) for number in range(1, 6)]
    shoe.controller.committed(found[3], 0.0)
    assert shoe.acks() == [(BOOT_ID, 4)]
    shoe.controller.committed(found[1], 0.0)
    assert shoe.acks() in ([], [(BOOT_ID, 4)]), "an older commit takes nothing back"
    shoe.controller.committed(found[4], 0.0)
    assert shoe.acks() == [(BOOT_ID, 5)]


def test_a_duplicate_is_counted_and_acknowledged_again_only_if_it_is_stored(shoe: PuppetShoe) -> None:
    first = only_delivery(shoe.say_event(1, Standby()))
    assert shoe.say_event(1, Standby()) == []
    assert shoe.acks() == []
    shoe.controller.committed(first, 0.0)
    shoe.acks()
    assert shoe.say_event(1, Standby()) == []
    assert shoe.acks() == [(BOOT_ID, 1)]
    assert shoe.controller.counts.duplicates == 2


def test_one_nak_for_one_missing_event(shoe: PuppetShoe) -> None:
    shoe.say_event(1, Standby())
    for sequence in (3, 4, 5, 6, 3, 4):
        assert shoe.say_event(sequence, Standby()) == []
    assert shoe.naks() == [2]
    for sequence in (2, 3, 4):
        only_delivery(shoe.say_event(sequence, Standby()))
    assert shoe.naks() == []
    assert shoe.say_event(6, Standby()) == []
    assert shoe.say_event(7, Standby()) == []
    assert shoe.naks() == [5], "the next fault has its own"


def test_more_than_a_window_is_not_taken_until_something_is_stored(shoe: PuppetShoe) -> None:
    found = [only_delivery(shoe.say_event(number, Standby())) for number in range(1, WINDOW + 1)]
    assert shoe.say_event(WINDOW + 1, Standby()) == []
    assert shoe.controller.counts.held_back == 1
    shoe.controller.committed(found[0], 0.0)
    only_delivery(shoe.say_event(WINDOW + 1, Standby()))


def test_committing_what_was_never_delivered_is_our_own_mistake(shoe: PuppetShoe) -> None:
    only_delivery(shoe.say_event(1, Standby()))
    with pytest.raises(LinkUsageError, match="event 2"):
        shoe.controller.committed(Delivery(event=Standby(), sequence=2, boot_id=BOOT_ID), 0.0)


def test_using_a_line_that_is_not_there_is_our_own_mistake() -> None:
    link = NativeController(key=KEY, nonce=lambda: bytes(16))
    with pytest.raises(LinkUsageError):
        link.receive(b"", 0.0)
    with pytest.raises(LinkUsageError):
        link.disconnected(0.0)
    assert link.tick(0.0) == []
    assert link.next_deadline() is None
    assert link.to_send() == b""
    link.connected(0.0)
    with pytest.raises(LinkUsageError):
        link.connected(0.0)


# --- newer and faulty firmware ---------------------------------------------------------------------------------


def test_frames_of_unknown_types_are_skipped(shoe: PuppetShoe) -> None:
    assert shoe.say(shoe.session.seal(0xF5, b"from the future"), bytes((0x8E, 1, 2))) == []
    assert shoe.controller.counts.unknown == 2
    only_delivery(shoe.say_event(1, Standby()))


def test_an_event_of_an_unknown_kind_keeps_its_place_and_is_a_fault(shoe: PuppetShoe) -> None:
    payload = BOOT_ID.to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(4) + b"\x6ewhatever"
    delivery = only_delivery(shoe.say(shoe.session.seal(FrameType.EVENT, payload)))
    assert delivery.event == Fault(code=FaultCode.OTHER, detail=0x6E)
    shoe.controller.committed(delivery, 0.0)
    assert shoe.acks() == [(BOOT_ID, 1)]


@pytest.mark.parametrize("frame_type", [FrameType.EVENT, FrameType.STATUS])
def test_a_frame_without_its_fields_is_refused(shoe: PuppetShoe, frame_type: FrameType) -> None:
    for length in range(12):
        shoe.say(shoe.session.seal(frame_type, bytes(length)))
    assert shoe.controller.counts.refused[MALFORMED] == 12
    only_delivery(shoe.say_event(1, Standby()))


# --- refusals --------------------------------------------------------------------------------------------------


def test_replayed_and_reordered_frames_are_refused_and_counted(shoe: PuppetShoe) -> None:
    payload = BOOT_ID.to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(4) + b"\x02"
    early, late = (shoe.session.seal(FrameType.EVENT, payload) for _ in range(2))
    only_delivery(shoe.say(late))
    reports = [report for _ in range(150) for report in shoe.say(early, late)]
    assert [report.count for report in reports if isinstance(report, Refused)] == [1, 10, 100]
    assert sum(shoe.controller.counts.refused.values()) == 300
    assert shoe.controller.counts.duplicates == 0, "they never got so far"


def test_a_forged_frame_is_refused_wherever_it_was_changed(shoe: PuppetShoe) -> None:
    payload = BOOT_ID.to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(4) + b"\x02"
    real = shoe.session.seal(FrameType.EVENT, payload)
    for place in range(1, len(real)):
        forged = bytearray(real)
        forged[place] ^= 0x10
        assert not any(isinstance(item, Delivery) for item in shoe.say(bytes(forged)))
    assert sum(shoe.controller.counts.refused.values()) == len(real) - 1
    only_delivery(shoe.say(real))


# --- desire ----------------------------------------------------------------------------------------------------

LOCKED = DesiredShoe(gate_locked=True, lamps=frozenset({Lamp.ALERT, Lamp.TIE}), next_hand=Hand.BANKER)


def desires(shoe: PuppetShoe) -> Iterator[Desire]:
    for kind, payload in shoe.opened():
        if kind == FrameType.DESIRE:
            yield Desire.read(payload)


def test_a_wish_is_repeated_until_it_is_confirmed_and_again_when_it_is_lost(shoe: PuppetShoe) -> None:
    link = shoe.controller
    link.want(LOCKED, shoe.now)
    assert list(desires(shoe)) == [Desire(1, LOCKED)]
    sent = 0
    for _ in range(100):
        shoe.now += 0.1
        shoe.say_status()
        link.tick(shoe.now)
        sent += len(list(desires(shoe)))
    assert 4 <= sent <= 8, "repeated with growing pauses"
    shoe.say_status(revision=1)
    shoe.now += 3.0
    shoe.say_status()
    link.tick(shoe.now)
    assert list(desires(shoe)) == []
    shoe.say_status(revision=0)
    assert list(desires(shoe)) == [Desire(1, LOCKED)], "the shoe follows it no longer"


def test_the_same_wish_is_no_news(shoe: PuppetShoe) -> None:
    shoe.controller.want(LOCKED, 0.0)
    shoe.controller.want(LOCKED, 0.0)
    shoe.controller.want(DesiredShoe(), 0.0)
    assert list(desires(shoe)) == [Desire(1, LOCKED), Desire(2, DesiredShoe())]


def test_desire_and_clock_are_sent_after_every_reconnect() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.controller.want(LOCKED, 0.0)
    shoe.controller.set_clock(1_700_000_000.25, 10.0)
    for number in range(3):
        shoe.now = 20.0 * number
        shoe.shake_hands()
        found = dict(shoe.opened())
        assert Desire.read(found[FrameType.DESIRE]) == Desire(1, LOCKED)
        assert CLOCK.unpack(found[FrameType.CLOCK]) == (1_700_000_000_250 + round((shoe.now - 10.0) * 1000),)
        shoe.reconnect()


@pytest.mark.parametrize("unix_time", [-1.0, 1e15, float("nan"), float("inf")])
def test_a_time_that_cannot_be_is_our_own_mistake(shoe: PuppetShoe, unix_time: float) -> None:
    with pytest.raises(LinkUsageError, match="time of day"):
        shoe.controller.set_clock(unix_time, 0.0)


def test_identify_is_sent_now_or_not_at_all(shoe: PuppetShoe) -> None:
    assert shoe.controller.identify(5, 0.0)
    assert [IDENTIFY.unpack(payload) for kind, payload in shoe.opened() if kind == FrameType.IDENTIFY] == [(5,)]
    with pytest.raises(LinkUsageError):
        shoe.controller.identify(256, 0.0)
    shoe.reconnect()
    assert not shoe.controller.identify(5, 0.0)


# --- time ------------------------------------------------------------------------------------------------------


def test_silence_is_noticed_in_time_and_told_once() -> None:
    shoe = PuppetShoe(new_controller(timings=ControllerTimings(silence=2.0)))
    shoe.shake_hands()
    shoe.now = 1.999
    assert shoe.controller.tick(shoe.now) == []
    shoe.now = 2.0
    reason = "no frame was received from the shoe for 2 s"
    assert shoe.controller.tick(shoe.now) == [LinkDown(cause=LinkDownCause.SILENT, reason=reason)]
    assert shoe.controller.shoe is None
    for _ in range(100):
        shoe.now = shoe.controller.next_deadline() or 0.0
        assert shoe.controller.tick(shoe.now) == []


def test_only_believed_frames_break_the_silence(shoe: PuppetShoe) -> None:
    while shoe.now < 2.9:
        shoe.now += 0.1
        shoe.say(bytes((FrameType.STATUS,)) + bytes(40), b"\x81", b"\x8f")
        assert not any(isinstance(report, LinkDown) for report in shoe.controller.tick(shoe.now))
    shoe.now = 3.0
    assert any(isinstance(report, LinkDown) for report in shoe.controller.tick(shoe.now))


def test_an_idle_link_keeps_itself_alive_and_wakes_its_owner_seldom() -> None:
    line = Line()
    line.recording = True
    line.run_for(60.0)
    (up,) = line.reports
    assert isinstance(up, LinkUp)
    assert (up.shoe, up.authenticated) == (line.controller.shoe, True)
    for side in ("shoe", "controller"):
        assert 100 < len(line.sent[side]) < 130, "two frames a second"


def test_every_deadline_is_in_the_future_after_its_tick() -> None:
    line = Line(seed=2)
    line.plan(table_events(20))
    for _ in range(2000):
        before = line.now
        assert line.step(line.now + 100.0)
        for link in (line.controller, line.shoe):
            deadline = link.next_deadline()
            assert deadline is None or deadline > line.now or line.now == before


def test_a_port_that_nobody_drains_costs_bounded_memory(shoe: PuppetShoe) -> None:
    for number in range(20_000):
        shoe.now += 0.01
        shoe.controller.want(DesiredShoe(gate_locked=number % 2 == 0), shoe.now)
    assert shoe.controller.counts.unsent > 10_000
    assert len(shoe.controller.to_send()) < 9_000
