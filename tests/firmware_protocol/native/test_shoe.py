"""The shoe's end: it keeps, numbers and ages its events, sends again in good time, and locks its gate in silence."""

import pytest

from firmware_protocol.events import (
    CardDrawn,
    Standby,
)
from firmware_protocol.link import (
    ClockSet,
    DesiredShoe,
    GateLockedBySilence,
    IdentifyRequested,
    LinkUsageError,
    ShoeIdentity,
    Wanted,
)
from firmware_protocol.native.counts import MALFORMED
from firmware_protocol.native.messages import (
    ACK,
    CLOCK,
    IDENTIFY,
    NAK,
    OUR_VERSIONS,
    WINDOW,
    Desire,
    FrameType,
    Hello,
    ShoeStatus,
)
from firmware_protocol.native.resend import ResendWait
from firmware_protocol.native.session import REPLAYED, payload_of
from firmware_protocol.native.shoe import NativeShoe, ShoeTimings
from firmware_protocol.native.store import ShoeStore
from tests.firmware_protocol.native.events import table_events
from tests.firmware_protocol.native.line import KEY, Ends, Line, Weather
from tests.firmware_protocol.native.puppets import BOOT_ID, PuppetController

NO_LOCK = ShoeTimings(lock_gate_after=None)


def new_shoe(
    store: ShoeStore | None = None, timings: ShoeTimings = NO_LOCK, boot_id: int = BOOT_ID, now: float = 0.0
) -> NativeShoe:
    numbers = iter(range(1, 100_000))
    identity = ShoeIdentity(
        model="M", firmware="1", serial_number="S", boot_id=boot_id, protocol_version=1, capabilities=frozenset()
    )
    shoe = NativeShoe(
        identity=identity,
        store=store or ShoeStore(),
        nonce=lambda: next(numbers).to_bytes(16, "big"),
        now=now,
        key=KEY,
        timings=timings,
    )
    shoe.connected(now)
    return shoe


@pytest.fixture
def controller() -> PuppetController:
    """In a session with a shoe without history."""
    puppet = PuppetController(new_shoe())
    puppet.shake_hands()
    return puppet


def sequences(controller: PuppetController) -> list[int]:
    """The events that the shoe has sent since the last look."""
    return [int.from_bytes(body[4:8], "big") for kind, body in controller.opened() if kind == FrameType.EVENT]


def statuses(controller: PuppetController) -> list[ShoeStatus]:
    return [ShoeStatus.read(body) for kind, body in controller.opened() if kind == FrameType.STATUS]


def acknowledge(controller: PuppetController, sequence: int, boot_id: int = BOOT_ID) -> None:
    controller.say_sealed(FrameType.ACK, ACK.pack(boot_id, sequence))


# --- keeping ---------------------------------------------------------------------------------------------------


def test_events_are_numbered_and_kept_until_acknowledged(controller: PuppetController) -> None:
    shoe = controller.shoe
    assert [shoe.report(event, 0.0) for event in table_events(5)] == [1, 2, 3, 4, 5]
    assert sequences(controller) == [1, 2, 3, 4, 5]
    acknowledge(controller, 3)
    assert [stored.sequence for stored in shoe.store.events] == [4, 5]
    acknowledge(controller, 2)
    acknowledge(controller, 9)
    acknowledge(controller, 5, boot_id=BOOT_ID + 1)
    acknowledge(controller, 0, boot_id=0)
    assert [stored.sequence for stored in shoe.store.events] == [4, 5], "none of these names an event that it holds"
    acknowledge(controller, 5)
    assert shoe.store.events == []


# --- restarts --------------------------------------------------------------------------------------------------


def test_numbers_and_total_run_on_after_a_restart_and_the_boot_id_tells_old_from_new() -> None:
    first = new_shoe(now=50.0)
    first.report(CardDrawn(), 51.0)
    second = new_shoe(first.store, boot_id=77, now=3.0)
    assert second.report(CardDrawn(), 4.0) == 2
    controller = PuppetController(second, now=9.0)
    status = controller.shake_hands()
    assert (status.oldest, status.upcoming, status.card_total, status.recognised) == (1, 3, 2, True)
    old, new = [body for kind, body in controller.opened() if kind == FrameType.EVENT]
    assert (int.from_bytes(old[:4], "big"), int.from_bytes(new[:4], "big")) == (BOOT_ID, 77)
    assert int.from_bytes(old[8:12], "big") == 7000, "at least as old as this power-up"
    assert int.from_bytes(new[8:12], "big") == 6000


POSITIONS = [
    (0, 0, True, 3, "a controller that has stored nothing"),
    (BOOT_ID, 2, True, 3, "the last one acknowledged"),
    (BOOT_ID, 4, True, 5, "one still held: the acknowledgement was lost"),
    (BOOT_ID, 5, True, 6, "the newest"),
    (BOOT_ID, 1, False, 3, "an older journal than the shoe knows"),
    (BOOT_ID, 6, False, 3, "one that the shoe has yet to produce"),
    (BOOT_ID + 1, 2, False, 3, "another shoe's number"),
    (BOOT_ID + 1, 4, False, 3, "another shoe's number"),
]


@pytest.mark.parametrize(("boot_id", "sequence", "recognised", "oldest", "why"), POSITIONS)
def test_what_the_controller_stored_last_is_recognised_or_not(
    boot_id: int,
    sequence: int,
    recognised: bool,  # noqa: FBT001 -- a column of the table above
    oldest: int,
    why: str,
) -> None:
    store = ShoeStore()
    for event in table_events(5):
        store.add(event, BOOT_ID, 0.0)
    assert store.acknowledge(BOOT_ID, 2)
    status = PuppetController(new_shoe(store)).shake_hands(boot_id, sequence)
    assert (status.recognised, status.oldest, status.upcoming) == (recognised, oldest, 6), why


def test_after_its_line_was_cut_a_shoe_answers_the_same_hello_again() -> None:
    controller = PuppetController(new_shoe())
    controller.shake_hands()
    hello = Hello(OUR_VERSIONS, insecure=False, nonce=controller.nonces.to_bytes(16, "big")).body()
    controller.now += 1.0
    controller.say(hello)
    assert controller.sent() == [], "it is the HELLO of the present session"
    controller.shoe.disconnected(controller.now)
    controller.shoe.connected(controller.now)
    controller.say(hello)
    assert [body[0] for body in controller.sent()] == [FrameType.AWAKE, FrameType.CHALLENGE]


# --- sending ---------------------------------------------------------------------------------------------------


def test_no_more_than_a_window_is_under_way(controller: PuppetController) -> None:
    for event in table_events(100):
        controller.shoe.report(event, controller.now)
    assert sequences(controller) == list(range(1, WINDOW + 1))
    acknowledge(controller, 10)
    assert sequences(controller) == list(range(WINDOW + 1, WINDOW + 11))


def test_a_resend_is_a_new_frame_with_a_new_counter_and_age(controller: PuppetController) -> None:
    controller.shoe.report(Standby(), controller.now)
    first = controller.sent()[-1]
    controller.now += 0.25
    controller.shoe.tick(controller.now)
    second = controller.sent()[-1]
    assert int.from_bytes(second[1:9], "big") > int.from_bytes(first[1:9], "big")
    assert payload_of(first)[:8] == payload_of(second)[:8]
    assert int.from_bytes(payload_of(first)[8:12], "big") == 0
    assert int.from_bytes(payload_of(second)[8:12], "big") == 250


def test_the_wait_doubles_up_to_its_limit_and_only_the_oldest_is_sent_again(controller: PuppetController) -> None:
    for event in table_events(10):
        controller.shoe.report(event, controller.now)
    assert len(sequences(controller)) == 10
    waits: list[float] = []
    last = controller.now
    while len(waits) < 6:
        controller.now = controller.shoe.next_deadline() or 0.0
        controller.shoe.tick(controller.now)
        again = sequences(controller)
        if again:
            assert again == [1]
            waits.append(round(controller.now - last, 6))
            last = controller.now
    assert waits == [0.25, 0.5, 1.0, 2.0, 2.0, 2.0]
    acknowledge(controller, 1)
    assert sequences(controller) == [2, 3], "then twice as many with each acknowledgement"
    acknowledge(controller, 3)
    assert sequences(controller) == [4, 5, 6, 7]


def test_the_wait_follows_the_line() -> None:
    wait = ResendWait(0.25, 0.05, 2.0)
    for number in range(50):
        wait.sent_first_time(number, number)
        wait.acknowledged(number, number + 0.3)
    assert 0.3 < wait.seconds < 0.35
    for number in range(50, 100):
        wait.sent_first_time(number, number)
        wait.acknowledged(number, number + 0.001)
    assert wait.seconds == 0.05
    wait.sent_first_time(100, 100.0)
    wait.going_back()
    wait.acknowledged(100, 101.9)
    assert wait.seconds == 0.05, "the answer to an event that was sent twice tells nothing"


def test_with_everything_acknowledged_nothing_is_waited_for(controller: PuppetController) -> None:
    controller.shoe.report(Standby(), controller.now)
    acknowledge(controller, 1)
    assert controller.shoe.next_deadline() == controller.now + ShoeTimings().keep_alive


def test_an_event_sent_twice_on_demand_is_not_measured(controller: PuppetController) -> None:
    controller.shoe.report(Standby(), controller.now)
    controller.now += 0.2
    controller.say_sealed(FrameType.NAK, NAK.pack(1))
    acknowledge(controller, 1)
    controller.shoe.report(Standby(), controller.now)
    assert controller.shoe.next_deadline() == controller.now + 0.25, "the wait is still the first one"


def test_a_nak_is_obeyed_from_its_event_on(controller: PuppetController) -> None:
    for event in table_events(6):
        controller.shoe.report(event, controller.now)
    sequences(controller)
    controller.say_sealed(FrameType.NAK, NAK.pack(4))
    assert sequences(controller) == [4, 5, 6]
    acknowledge(controller, 5)
    for strange in (0, 3, 5, 7, 2**32 - 1):
        controller.say_sealed(FrameType.NAK, NAK.pack(strange))
        (status,) = statuses(controller)
        assert (status.oldest, status.upcoming) == (6, 7), "it gets what there is"


def test_after_a_time_out_later_events_count_as_not_sent(controller: PuppetController) -> None:
    for event in table_events(3):
        controller.shoe.report(event, controller.now)
    assert sequences(controller) == [1, 2, 3]
    controller.now += 0.25
    controller.shoe.tick(controller.now)
    assert sequences(controller) == [1]
    controller.say_sealed(FrameType.NAK, NAK.pack(2))
    assert len(statuses(controller)) == 1
    assert controller.shake_hands().oldest == 1
    assert sequences(controller) == [1, 2, 3], "a session begins with the whole window"


def test_the_age_is_never_negative_nor_too_large(controller: PuppetController) -> None:
    controller.shoe.report(Standby(), controller.now)
    for now, age in ((controller.now - 5.0, 0), (controller.now + 1e9, 2**32 - 1)):
        controller.sent()
        controller.now = now
        controller.say_sealed(FrameType.NAK, NAK.pack(1))
        (event,) = [payload_of(body) for body in controller.sent() if body[0] == FrameType.EVENT]
        assert int.from_bytes(event[8:12], "big") == age


def test_a_lost_frame_costs_one_nak_on_a_line_that_loses_one_in_ten() -> None:
    line = Line(seed=12, weather=Weather(loss=0.1, delay=(0.05, 0.05)))
    line.recording = True
    line.plan(table_events(2000))
    line.run_until(lambda: len(line.journal) == 2000)
    asked = [payload_of(body) for body in line.sent["controller"] if body[0] == FrameType.NAK]
    assert len(asked) == len(set(asked)) > 50, "no event is asked for twice in a session"


# --- what the controller wants ---------------------------------------------------------------------------------


def test_a_wish_is_told_once_and_confirmed_every_time(controller: PuppetController) -> None:
    desired = DesiredShoe(gate_locked=False)
    assert controller.say_sealed(FrameType.DESIRE, Desire(7, desired).payload()) == [Wanted(desired=desired)]
    assert [status.revision for status in statuses(controller)] == [7]
    assert controller.say_sealed(FrameType.DESIRE, Desire(7, desired).payload()) == []
    assert [status.revision for status in statuses(controller)] == [7]
    assert controller.say_sealed(FrameType.DESIRE, Desire(3, desired).payload()) == [Wanted(desired=desired)]
    assert [status.revision for status in statuses(controller)] == [3], "a lower revision is followed too"
    assert controller.shake_hands().revision == 0, "a new session has wished for nothing yet"
    assert controller.say_sealed(FrameType.DESIRE, Desire(7, desired).payload()) == [Wanted(desired=desired)]


def test_clock_and_identify_arrive(controller: PuppetController) -> None:
    assert controller.say_sealed(FrameType.CLOCK, CLOCK.pack(1_700_000_000_123)) == [
        ClockSet(unix_milliseconds=1_700_000_000_123)
    ]
    assert controller.say_sealed(FrameType.IDENTIFY, IDENTIFY.pack(9)) == [IdentifyRequested(seconds=9)]


def test_frames_of_unknown_types_are_skipped_and_bad_ones_refused(controller: PuppetController) -> None:
    assert controller.say_sealed(0x5D, b"new") == []
    assert controller.say(b"\x0e") == []
    assert controller.shoe.counts.unknown == 2
    for frame_type in (FrameType.ACK, FrameType.NAK, FrameType.DESIRE, FrameType.CLOCK, FrameType.IDENTIFY):
        controller.say_sealed(frame_type, b"")
    controller.say_sealed(FrameType.DESIRE, bytes((0, 0, 0, 1, 9, 0, 0)))
    controller.say_sealed(FrameType.DESIRE, bytes((0, 0, 0, 1, 0, 0, 9)))
    assert controller.shoe.counts.refused == {MALFORMED: 7}


def test_a_malformed_frame_that_is_believed_takes_its_counter_and_breaks_the_silence() -> None:
    controller = PuppetController(new_shoe(timings=ShoeTimings(lock_gate_after=2.0)))
    controller.shake_hands()
    controller.now += 1.5
    malformed = controller.session.seal(FrameType.DESIRE, b"")
    controller.say(malformed)
    controller.say(malformed)
    assert controller.shoe.counts.refused == {MALFORMED: 1, REPLAYED: 1}
    controller.now += 1.5
    assert controller.shoe.tick(controller.now) == []


# --- silence ---------------------------------------------------------------------------------------------------


def test_the_gate_is_locked_when_the_controller_is_silent_and_freed_by_its_wish() -> None:
    line = Line(ends=Ends(shoe_timings=ShoeTimings(lock_gate_after=2.0)))
    open_gate = DesiredShoe(gate_locked=False)
    line.controller.want(open_gate, line.now)
    line.run_for(10.0)
    assert [notice for notice in line.notices if isinstance(notice, Wanted)] == [Wanted(desired=open_gate)]
    line.notices.clear()
    line.weather = Weather(loss=1.0)
    line.run_for(2.49)
    (lock,) = line.notices
    assert isinstance(lock, GateLockedBySilence)
    assert 2.0 <= lock.silent_for < 2.01
    line.weather = Weather()
    assert line.controller.shoe is not None, "the session has outlived the silence"
    line.run_for(1.2)
    assert line.notices[1:] == [Wanted(desired=open_gate)], "it reports that it follows nothing, and gets it again"
    line.run_for(60.0)
    assert len(line.notices) == 2


@pytest.mark.parametrize("ever_connected", [True, False])
def test_the_gate_is_locked_once_per_silence_also_without_a_line(ever_connected: bool) -> None:  # noqa: FBT001 -- both cases
    line = Line(connected=ever_connected)
    line.run_for(1.0)
    if ever_connected:
        line.controller.disconnected(line.now)
        line.shoe.disconnected(line.now)
    line.notices.clear()
    line.run_for(600.0)
    assert [type(notice) for notice in line.notices] == [GateLockedBySilence]


def test_locking_can_be_switched_off() -> None:
    line = Line(ends=Ends(shoe_timings=NO_LOCK), connected=False)
    line.run_for(600.0)
    assert line.notices == []


def test_status_tells_of_a_gate_locked_by_silence() -> None:
    controller = PuppetController(new_shoe(timings=ShoeTimings(lock_gate_after=2.0)))
    controller.shake_hands()
    controller.say_sealed(FrameType.DESIRE, Desire(1, DesiredShoe(gate_locked=False)).payload())
    assert [(status.revision, status.gate_locked_by_silence) for status in statuses(controller)] == [(1, False)]
    controller.now += 2.0
    controller.shoe.tick(controller.now)
    assert [(status.revision, status.gate_locked_by_silence) for status in statuses(controller)] == [(0, True)]
    controller.say_sealed(FrameType.DESIRE, Desire(1, DesiredShoe()).payload())
    assert [(status.revision, status.gate_locked_by_silence) for status in statuses(controller)] == [(1, True)]
    controller.now += 2.0
    controller.shoe.tick(controller.now)
    statuses(controller)
    controller.say_sealed(FrameType.DESIRE, Desire(1, DesiredShoe(gate_locked=False)).payload())
    assert [(status.revision, status.gate_locked_by_silence) for status in statuses(controller)] == [(1, False)]


def test_a_port_that_nobody_drains_costs_bounded_memory(controller: PuppetController) -> None:
    for event in table_events(1000):
        controller.shoe.report(event, controller.now)
    for _ in range(20_000):
        controller.now += 0.1
        controller.shoe.tick(controller.now)
    assert controller.shoe.counts.unsent > 1000
    assert len(controller.shoe.to_send()) < 9_000


def test_using_a_line_that_is_not_there_is_our_own_mistake() -> None:
    shoe = new_shoe()
    with pytest.raises(LinkUsageError):
        shoe.connected(0.0)
    shoe.disconnected(0.0)
    with pytest.raises(LinkUsageError):
        shoe.disconnected(0.0)
    with pytest.raises(LinkUsageError):
        shoe.receive(b"", 0.0)
    assert shoe.report(Standby(), 0.0) == 1, "events happen with or without a line"
