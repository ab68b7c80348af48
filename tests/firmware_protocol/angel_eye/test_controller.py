"""The controller's end: repeats, gaps, joining, what is committed, errors that stack."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.angel_eye.controller import NOTHING_RECEIVED, AngelEyeController, LineSettings
from firmware_protocol.angel_eye.sequence import AngelEyeState
from firmware_protocol.angel_eye.telegrams import encode_telegram
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    LinkDownCause,
    Standby,
    Started,
)
from firmware_protocol.link import (
    ControllerLink,
    Delivery,
    DesiredShoe,
    EventGap,
    LineError,
    LinkDown,
    LinkReport,
    LinkUp,
    LinkUsageError,
)
from firmware_protocol.pace import JOINING

S = encode_telegram(0, b"S")
P1 = CardDrawn(hand=Hand.PLAYER, position=1)
B1 = CardDrawn(hand=Hand.BANKER, position=1)
PLACES = (0x81, 0x91, 0x82, 0x92)
"""Of the first two cards of each hand, in the order of the draw."""


def player_1(number: int) -> bytes:
    return encode_telegram(number, b"D\x81\x80")


def banker_1(number: int) -> bytes:
    return encode_telegram(number, b"D\x91\x80")


def standby(number: int) -> bytes:
    return encode_telegram(number, b"P")


def opened(state: AngelEyeState = NOTHING_RECEIVED, *, state_age: float = 0.0, now: float = 0.0) -> AngelEyeController:
    link = AngelEyeController(state=state, state_age=state_age)
    link.connected(now)
    assert link.tick(now) == [LinkUp(authenticated=False)]
    return link


def events(items: list[Delivery | LinkReport]) -> list[AnyShoeEvent]:
    return [item.event for item in items if isinstance(item, Delivery)]


def gaps(items: list[Delivery | LinkReport]) -> list[tuple[int, int]]:
    return [(item.expected, item.received) for item in items if isinstance(item, EventGap)]


def commit_all(link: AngelEyeController, items: list[Delivery | LinkReport], now: float = 0.0) -> None:
    for item in items:
        if isinstance(item, Delivery):
            link.committed(item, now)


def test_it_is_a_controller_link() -> None:
    link: ControllerLink = AngelEyeController()
    assert link.next_deadline() is None


# --- Repeats and gaps. -----------------------------------------------------------------------------------------------


def test_three_copies_are_one_event_and_the_numbers_go_round() -> None:
    link = opened()
    out = link.receive(S * 3 + b"".join(standby(number % 9 + 1) * 3 for number in range(30)), 0)
    assert out == [
        Delivery(event=Started(), sequence=1),
        *(Delivery(event=Standby(), sequence=number) for number in range(2, 32)),
    ]
    assert link.repeats == 62


@pytest.mark.parametrize("last", range(10))
@pytest.mark.parametrize("number", range(1, 10))
def test_every_number_after_every_number(last: int, number: int) -> None:
    link = opened(AngelEyeState(last_telegram=S if last == 0 else player_1(last), delivered=7))
    link.receive(S if last == 0 else player_1(last), 0)
    assert link.repeats == 1
    out = link.receive(banker_1(number), 0)
    following = 1 if last in (0, 9) else last + 1
    assert gaps(out) == ([] if number == following else [(following, number)])
    assert events(out) == [B1]


@pytest.mark.parametrize("last", range(1, 10))
def test_start_up_is_never_a_gap(last: int) -> None:
    link = opened()
    link.receive(S + player_1(1), 0)
    assert link.receive(S + standby(1), 0) == [
        Delivery(event=Started(), sequence=3),
        Delivery(event=Standby(), sequence=4),
    ]
    assert gaps(link.receive(standby(last), 1)) == ([(2, last)] if last not in (1, 2) else [])


def test_the_same_number_with_other_content_is_a_gap_and_not_a_repeat() -> None:
    link = opened()
    link.receive(S + player_1(1), 0)
    gap, delivery = link.receive(banker_1(1), 0)
    assert isinstance(gap, EventGap)
    assert "other content" in gap.reason
    assert delivery == Delivery(event=B1, sequence=3)
    assert link.repeats == 0


def test_a_twin_is_a_repeat_only_directly_after_it() -> None:
    link = opened()
    link.receive(S + player_1(1) + standby(2), 0)
    out = link.receive(player_1(1), 0)
    assert gaps(out) == [(3, 1)]
    assert events(out) == [P1]


def test_a_twin_is_a_repeat_only_for_a_while() -> None:
    link = AngelEyeController(line=LineSettings(repeat_window=3.0))
    link.connected(0)
    link.receive(S + player_1(1), 0)
    # Each copy keeps the window open: a slow shoe is not a gap.
    assert link.receive(player_1(1), 3.0) == []
    assert link.receive(player_1(1), 6.0) == []
    gap, delivery = link.receive(player_1(1), 9.01)
    assert isinstance(gap, EventGap)
    assert "too late for a repeat" in gap.reason
    assert delivery == Delivery(event=P1, sequence=3)


def test_copies_of_what_is_stored_keep_the_window_open_too() -> None:
    link = opened()
    commit_all(link, link.receive(S + player_1(1), 0))
    assert [link.receive(player_1(1), now) for now in (4.0, 8.0, 12.0)] == [[], [], []]
    assert gaps(link.receive(player_1(1), 17.5)) == [(2, 1)]


def test_an_impossible_card_is_an_error_and_a_sound_copy_is_still_welcome() -> None:
    link = opened()
    link.receive(S, 0)
    for card, reason in (
        (0xDE, "de is not a card"),
        (0x9E, "9e is not a card"),
        (0x81, "81 is not a card"),
        (0x32, "32 is not a"),
    ):
        out = link.receive(encode_telegram(1, bytes((0x44, 0x81, card))), 0)
        assert [type(item) for item in out] == [LineError]
        assert isinstance(out[0], LineError)
        assert reason in out[0].reason
        assert out[0].length == 8
    assert link.receive(player_1(1), 0) == [Delivery(event=P1, sequence=2)]


def test_an_impossible_card_in_every_copy_leaves_a_gap() -> None:
    link = opened()
    link.receive(S + encode_telegram(1, b"D\x81\xde") * 3, 0)
    out = link.receive(banker_1(2), 0)
    assert gaps(out) == [(1, 2)]
    assert events(out) == [B1]


def test_an_unknown_letter_is_a_fault_and_the_numbering_goes_on() -> None:
    link = opened()
    out = link.receive(S + encode_telegram(1, b"Z12") * 3 + player_1(2), 0)
    assert events(out) == [
        Started(),
        Fault(code=FaultCode.OTHER, detail=256 + ord("Z")),
        FaultCleared(code=FaultCode.OTHER, detail=256 + ord("Z")),
        P1,
    ]
    assert gaps(out) == []


# --- Joining. --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 10))
def test_joining_in_mid_stream_is_reported_once(number: int) -> None:
    link = opened()
    gap, delivery = link.receive(player_1(number), 0)
    assert gap == EventGap(expected=0, received=number, reason="joined in mid-stream", joined=True)
    assert delivery == Delivery(event=P1, sequence=1)
    assert gaps(link.receive(player_1(number) + banker_1(number % 9 + 1), 0)) == []


def test_joining_with_start_up_is_clean() -> None:
    assert opened().receive(S, 0) == [Delivery(event=Started(), sequence=1)]


def test_joining_exactly_where_the_committed_state_ends_is_clean() -> None:
    state = AngelEyeState(last_telegram=player_1(4), delivered=40)
    assert opened(state).receive(banker_1(5), 0) == [Delivery(event=B1, sequence=41)]
    gap, _ = opened(state).receive(banker_1(6), 0)
    assert gap == EventGap(expected=5, received=6, reason="joined in mid-stream", joined=True)


def test_a_repeat_across_a_restart_is_known_if_the_restart_was_quick() -> None:
    state = AngelEyeState(last_telegram=player_1(4), delivered=40)
    quick = opened(state, state_age=2.0, now=1000)
    assert quick.receive(player_1(4) + banker_1(5), 1001) == [Delivery(event=B1, sequence=41)]
    assert quick.repeats == 1
    slow = opened(state, state_age=3600.0, now=1000)
    gap, delivery = slow.receive(player_1(4), 1001)
    assert gap == EventGap(expected=5, received=4, reason="joined in mid-stream", joined=True)
    assert delivery == Delivery(event=P1, sequence=41)


def test_reconnecting_counts_the_time_of_the_outage() -> None:
    link = opened()
    commit_all(link, link.receive(S + player_1(1), 0))
    link.disconnected(1)
    link.connected(2)
    assert link.receive(player_1(1), 3) == [LinkUp(authenticated=False)]
    link.disconnected(4)
    link.connected(60)
    _, gap, _ = link.receive(player_1(1), 61)
    assert gap == EventGap(expected=2, received=1, reason="joined in mid-stream", joined=True)
    assert gaps(link.receive(banker_1(3), 62)) == [(2, 3)]


# --- What is committed. ----------------------------------------------------------------------------------------------


def test_the_state_moves_only_when_told() -> None:
    link = opened()
    first, second, third = link.receive(S + player_1(1) + banker_1(2), 0)
    assert link.state == NOTHING_RECEIVED
    assert isinstance(second, Delivery)
    link.committed(second, 0)
    assert link.state == AngelEyeState(last_telegram=player_1(1), delivered=2)
    # Covered already, so it says nothing new.
    assert isinstance(first, Delivery)
    link.committed(first, 0)
    assert link.state.delivered == 2
    assert isinstance(third, Delivery)
    link.committed(third, 0)
    assert link.state == AngelEyeState(last_telegram=banker_1(2), delivered=3)


def test_what_was_not_stored_is_delivered_again_after_a_restart() -> None:
    link = opened()
    commit_all(link, link.receive(S, 0))
    first = link.receive(player_1(1), 0)
    link = opened(link.state)
    again = link.receive(player_1(1), 0)
    assert again == first == [Delivery(event=P1, sequence=2)]
    commit_all(link, again)
    assert link.receive(player_1(1), 0) == []


def test_of_several_that_were_not_stored_the_shoe_repeats_only_the_last_and_the_gap_says_so() -> None:
    link = opened()
    commit_all(link, link.receive(S, 0))
    link.receive(player_1(1) + banker_1(2), 0)
    link = opened(link.state)
    out = link.receive(banker_1(2), 0)
    assert gaps(out) == [(1, 2)]
    assert events(out) == [B1]


@given(failures=st.lists(st.integers(0, 2), min_size=1, max_size=40))
def test_whatever_is_not_stored_before_the_last_copy_is_neither_lost_nor_doubled(failures: list[int]) -> None:
    """Of each telegram's three copies, the first few are not stored, because the controller dies."""
    link = opened()
    stored: list[AnyShoeEvent] = []
    now = 0.0
    commit_all(link, link.receive(S, now))
    expected = [CardDrawn(hand=Hand.PLAYER, position=number % 15 + 1) for number in range(len(failures))]
    for number, (event, failing_copies) in enumerate(zip(expected, failures, strict=True)):
        raw = encode_telegram(number % 9 + 1, bytes((0x44, 0x80 | (event.position or 0), 0x80)))
        for copy in range(3):
            now += 0.5
            out = link.receive(raw, now)
            assert gaps(out) == []
            if copy >= failing_copies:
                stored += events(out)
                commit_all(link, out, now)
            else:
                saved = msgspec.json.decode(msgspec.json.encode(link.state), type=AngelEyeState)
                link = opened(saved, state_age=0.1, now=now)
    assert stored == expected


def test_a_delivery_that_was_never_made_cannot_be_committed() -> None:
    link = opened()
    link.receive(S, 0)
    with pytest.raises(LinkUsageError, match="delivery 2 was never made"):
        link.committed(Delivery(event=Standby(), sequence=2), 0)
    with pytest.raises(LinkUsageError, match="delivery 1 was never made"):
        link.committed(Delivery(event=Standby(), sequence=1), 0)


# --- Errors that stack. ----------------------------------------------------------------------------------------------

OVER_DRAW, IN_ERROR_MODE_TIME_OUT, UNREADABLE = b"E\x82", b"E\xc7", b"E\x81"


def fault_cleared(code: FaultCode, number: int) -> FaultCleared:
    return FaultCleared(code=code, detail=number)


OVER_DRAW_CLEARED = fault_cleared(FaultCode.OVER_DRAW, 2)
TIME_OUT_CLEARED = fault_cleared(FaultCode.DRAW_TIMEOUT, 7)
UNREADABLE_CLEARED = fault_cleared(FaultCode.UNREADABLE, 1)


@pytest.mark.parametrize(
    ("errors", "then", "cleared"),
    [
        # As seen: no clear of its own ever comes for the time-out.
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"e\x82", [TIME_OUT_CLEARED, OVER_DRAW_CLEARED]),
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"e\xc7", [TIME_OUT_CLEARED]),
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"P", [OVER_DRAW_CLEARED, TIME_OUT_CLEARED]),
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"D\x81\x80", [OVER_DRAW_CLEARED, TIME_OUT_CLEARED]),
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"R\x81\x80", [OVER_DRAW_CLEARED, TIME_OUT_CLEARED]),
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"D\x92\x80", [TIME_OUT_CLEARED]),
        ([OVER_DRAW, IN_ERROR_MODE_TIME_OUT], b"d\xa0\x80", []),
        ([UNREADABLE, OVER_DRAW], b"e\x81", [UNREADABLE_CLEARED]),
        ([UNREADABLE, OVER_DRAW], b"e\x82", [OVER_DRAW_CLEARED]),
        ([IN_ERROR_MODE_TIME_OUT, OVER_DRAW], b"e\x82", [OVER_DRAW_CLEARED]),
        # The same error again, now in error mode, is still one error.
        ([OVER_DRAW, b"E\xc2"], b"D\x92\x80", [OVER_DRAW_CLEARED]),
        ([OVER_DRAW, OVER_DRAW], b"P", [OVER_DRAW_CLEARED]),
        # An error that was reported before we listened.
        ([], b"e\x82", [OVER_DRAW_CLEARED]),
    ],
)
def test_errors_that_stack_all_end(errors: list[bytes], then: bytes, cleared: list[FaultCleared]) -> None:
    link = opened()
    link.receive(S + b"".join(encode_telegram(number, data) for number, data in enumerate(errors, start=1)), 0)
    out = link.receive(encode_telegram(len(errors) + 1, then), 0)
    assert [event for event in events(out) if isinstance(event, FaultCleared)] == cleared
    assert [delivery.sequence for delivery in out if isinstance(delivery, Delivery)] == [
        len(errors) + 2 + place for place in range(len(out))
    ]


def test_start_up_ends_all_errors() -> None:
    link = opened()
    link.receive(S + encode_telegram(1, OVER_DRAW) + encode_telegram(2, UNREADABLE), 0)
    assert events(link.receive(S, 0)) == [OVER_DRAW_CLEARED, UNREADABLE_CLEARED, Started()]


@pytest.mark.parametrize("stored", range(4))
def test_of_several_events_in_one_telegram_each_is_stored_once(stored: int) -> None:
    """Two errors that end and the card that ends them: the crash may come between any two of them."""
    link = opened()
    commit_all(link, link.receive(S + encode_telegram(1, OVER_DRAW) + encode_telegram(2, UNREADABLE), 0))
    first = link.receive(player_1(3), 0)
    assert events(first) == [OVER_DRAW_CLEARED, UNREADABLE_CLEARED, P1]
    commit_all(link, first[:stored])
    assert opened(link.state).receive(player_1(3), 1) == first[stored:]


# --- The line itself. ------------------------------------------------------------------------------------------------


def test_noise_is_reported_at_the_next_telegram_or_when_the_line_falls_silent() -> None:
    link = opened()
    assert link.receive(b"\xff\xfe\x00", 10) == []
    assert link.next_deadline() == 12
    assert link.tick(11.9) == []
    assert link.tick(12) == [LineError(offset=0, length=3, reason="noise between telegrams")]
    assert link.next_deadline() is None
    link.receive(b"\xff" + S[:3], 20)
    (error,) = link.tick(22)
    assert error == LineError(offset=4, length=3, reason="the telegram is unfinished: the line fell silent")
    assert events(link.receive(S, 23)) == [Started()]


def test_bytes_that_come_late_still_complete_their_telegram() -> None:
    """Nobody has given it up yet: a loop that stalled for a while must not cost a card."""
    link = opened()
    link.receive(S[:3], 0)
    assert events(link.receive(S[3:], 60)) == [Started()]


def test_offsets_go_on_after_a_new_connection() -> None:
    link = opened()
    link.receive(S + player_1(1)[:4], 0)
    assert link.disconnected(1) == [
        LineError(offset=6, length=4, reason="the telegram is unfinished: the line closed"),
        LinkDown(cause=LinkDownCause.DISCONNECTED, reason="the line to the shoe closed"),
    ]
    assert link.disconnected(1) == []
    link.connected(2)
    link.receive(b"\x00", 2)
    (_, error, *_) = [LinkUp(authenticated=False), *link.receive(S, 2)]
    assert error == LineError(offset=10, length=1, reason="noise between telegrams")


def test_a_line_that_is_not_open_cannot_speak() -> None:
    link = AngelEyeController()
    assert link.tick(0) == []
    with pytest.raises(LinkUsageError, match="call connected first"):
        link.receive(S, 0)
    link.connected(0)
    with pytest.raises(LinkUsageError, match="open already"):
        link.connected(1)


@given(st.lists(st.tuples(st.binary(max_size=30), st.floats(0, 10)), max_size=20), st.booleans())
def test_without_commands_not_one_byte_is_ever_written(
    pieces: list[tuple[bytes, float]],
    locked: bool,  # noqa: FBT001 - drawn
) -> None:
    link = AngelEyeController()
    link.want(DesiredShoe(gate_locked=locked), 0)
    link.connected(0)
    now = 0.0
    for data, later in pieces:
        now += later
        commit_all(link, link.receive(data + S, now), now)
        link.tick(now)
        link.want(DesiredShoe(gate_locked=not locked), now)
        assert link.to_send() == b""
    with pytest.raises(LinkUsageError, match="switched off"):
        link.clear_error(FaultCode.OVER_DRAW, now)
    with pytest.raises(LinkUsageError, match="switched off"):
        link.confirm_game(now)
    link.disconnected(now)
    assert link.to_send() == b""


def test_the_state_survives_as_json() -> None:
    link = opened()
    commit_all(link, link.receive(S + encode_telegram(1, OVER_DRAW) + encode_telegram(2, b"E\xc7"), 0))
    assert msgspec.json.decode(msgspec.json.encode(link.state), type=AngelEyeState) == link.state


@pytest.mark.parametrize("seconds", [1.0, 600.0])
def test_cards_that_came_at_once_had_been_held_up_and_that_is_said_before_them(seconds: float) -> None:
    """Four cards in one read, or in many at once: no hand draws like that, however long the line was silent before."""
    data = b"".join(encode_telegram(number, b"D%c\x80" % place) * 3 for number, place in enumerate(PLACES, 1))
    link = opened()
    events(link.receive(S, 0.0))
    gap, *drawn = link.receive(data, seconds)
    assert isinstance(gap, EventGap)
    assert "the line had stalled" in gap.reason
    assert gap.joined == (seconds <= JOINING)
    assert len(events(drawn)) == len(drawn) == 4

    link = opened()
    items = [item for byte in S + data for item in link.receive(bytes((byte,)), seconds)]
    assert isinstance(items[-2], EventGap), "before the fourth card, so that no round is over by then"

    link = opened()
    link.receive(S, 0.0)
    size = len(data) // 4
    slowly = [item for n in range(4) for item in link.receive(data[n * size : (n + 1) * size], seconds + 0.4 * n)]
    assert len(events(slowly)) == len(slowly) == 4
