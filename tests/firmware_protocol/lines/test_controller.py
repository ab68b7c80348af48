"""What the controller's end makes of lines: cards, repeats, what cannot be read, and what may have been missed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CardReadAgain, CutCard, ForeignCard, Misread
from firmware_protocol.lines.cards_file import CardIds, IdsName
from firmware_protocol.lines.controller import (
    AGAIN_AT_ONCE,
    QUIET_AFTER,
    REPEAT_WITHIN,
    UNREAD_AT_ONCE,
    LinesController,
    remember,
)
from firmware_protocol.lines.flood import LONGEST
from firmware_protocol.lines.shoe import LinesShoe
from firmware_protocol.link import (
    Delivery,
    DesiredShoe,
    EventGap,
    LineError,
    LinkDown,
    LinkReport,
    LinkUp,
    LinkUsageError,
)
from firmware_protocol.pace import CARD_TAKES
from tests.firmware_protocol.lines.sets import CUT_ID, PATTERN, PLAIN, link, piece, some_set

NINE = CardDrawn(card=Card("9H"), card_id=piece("9H"))


def told(made: LinesController, data: bytes, now: float = 0.0) -> list[AnyShoeEvent | LinkReport]:
    return [item.event if isinstance(item, Delivery) else item for item in made.receive(data, now)]


def line(card: str, deck: int = 1) -> bytes:
    return PLAIN.write(piece(card, deck))


def test_an_id_is_a_card_without_a_place() -> None:
    assert told(link(), line("9H")) == [NINE]
    assert told(link("faces"), b"9H\r\n") == [CardDrawn(card=Card("9H"))]
    assert told(link(), PLAIN.write(CUT_ID)) == [CutCard()]


def test_the_name_of_the_set_goes_with_the_card() -> None:
    made = LinesController(cards=CardIds([some_set(name="red")]), pattern=PLAIN)
    made.connected(0.0)
    assert told(made, line("9H"))[1] == CardDrawn(card=Card("9H"), card_id=piece("9H"), deck_set="red")


@pytest.mark.parametrize("seconds", [0.0, REPEAT_WITHIN])
def test_a_piece_that_is_read_again_at_once_is_one_card_and_noted_once(seconds: float) -> None:
    made = link()
    assert told(made, line("9H"), 10.0) == [NINE]
    again = CardReadAgain(card=Card("9H"), card_id=piece("9H"), after_ms=round(seconds * 1000))
    assert told(made, line("9H"), 10.0 + seconds) == [again]
    for number in range(2, 9):
        assert told(made, line("9H"), 10.0 + number * seconds) == []
    assert told(made, line("9H", deck=2), 12.5) == [CardDrawn(card=Card("9H"), card_id=piece("9H", 2))]
    assert made.repeats == 8


def test_two_pieces_that_the_reader_reads_in_turns_are_two_cards() -> None:
    made = link()
    events = [event for number in range(6) for event in told(made, line("9H") + line("4D"), number / 5)]
    assert [event for event in events if isinstance(event, CardDrawn)] == [
        NINE,
        CardDrawn(card=Card("4D"), card_id=piece("4D")),
    ]


def test_after_the_time_the_same_piece_is_a_card_again_which_the_table_judges() -> None:
    made = link()
    assert told(made, line("9H"), 10.0) == [NINE]
    assert told(made, line("9H"), 10.001 + REPEAT_WITHIN) == [NINE]


def test_of_faces_nothing_is_dropped() -> None:
    made = link("faces")
    told(made, b"9H\n", 10.0)
    for number in (1, 2, 3):
        assert told(made, b"9H\n", 10.0 + number) == [CardReadAgain(card=Card("9H"), after_ms=1000)]
    assert told(made, b"9H\n", 20.0) == [CardDrawn(card=Card("9H"))]


def test_a_restart_knows_what_was_read_just_before() -> None:
    made = link()
    (delivery,) = made.receive(line("9H"), 10.0)
    assert isinstance(delivery, Delivery)
    memory = remember(made.memory(delivery))
    made.committed(delivery, 10.0)
    assert made.state == memory
    assert isinstance(told(link(state=memory, state_age=1.0, joined=False), line("9H"), 0.5)[0], CardReadAgain)
    assert told(link(state=memory, state_age=3.0, joined=False), line("9H"), 0.5) == [NINE]
    (next_one,) = link(state=memory, state_age=3.0, joined=False).receive(line("4D"), 0.0)
    assert isinstance(next_one, Delivery)
    assert next_one.sequence == delivery.sequence + 1


def test_an_unknown_id_is_a_foreign_card() -> None:
    assert told(link(), b"E00XX99\n") == [ForeignCard(card_id="E00XX99")]


@pytest.mark.parametrize("damaged", [b"\xff\xfe\n", b"z" * 400 + b"\n", b"$E009H01*0000\n", b"E009H01\n"])
def test_a_damaged_line_is_a_card_that_could_not_be_read(damaged: bytes) -> None:
    error, event = told(link(pattern=PATTERN), damaged)
    assert isinstance(error, LineError)
    assert event == Misread()


def test_a_line_that_breaks_off_is_a_card_that_could_not_be_read_and_the_next_is_whole() -> None:
    made = link()
    assert told(made, b"E00", 5.0) == []
    assert made.unfinished
    assert made.next_deadline() == 5.0 + QUIET_AFTER
    assert made.tick(5.0 + QUIET_AFTER / 2) == []
    error, delivery = made.tick(5.0 + QUIET_AFTER)
    assert isinstance(error, LineError)
    assert isinstance(delivery, Delivery)
    assert delivery.event == Misread()
    assert made.next_deadline() is None
    assert told(made, line("9H"), 7.0) == [NINE]


def test_a_late_timer_glues_no_two_lines_together() -> None:
    made = link()
    told(made, b"E00", 5.0)
    _, misread, nine = told(made, line("9H"), 5.0 + QUIET_AFTER)
    assert (misread, nine) == (Misread(), NINE)


@pytest.mark.parametrize("rest", [b"9H01\n", b"\xffxx\n", b"junk"])
def test_the_rest_of_a_line_after_the_port_opened_may_be_a_missed_card(rest: bytes) -> None:
    made = link(joined=False)
    items: list[object] = [*told(made, rest, 1.0), *made.tick(1.0 + QUIET_AFTER)]
    first, second = items
    assert isinstance(first, LineError)
    assert isinstance(second, EventGap)
    assert told(made, line("9H"), 9.0) == [NINE]
    assert told(made, b"E00XX99\n", 9.0) == [ForeignCard(card_id="E00XX99")]


def test_the_rest_of_a_line_that_was_given_up_is_no_second_card() -> None:
    made = link()
    told(made, b"E00", 5.0)
    error, misread = (item.event if isinstance(item, Delivery) else item for item in made.tick(5.0 + QUIET_AFTER))
    assert (type(error), misread) == (LineError, Misread())
    (rest,) = told(made, b"9H01\r\n", 6.2)
    assert isinstance(rest, LineError)
    assert "together they are the id 'E009H01'" in rest.reason
    assert told(made, b"E00XX99\n", 9.0) == [ForeignCard(card_id="E00XX99")]


@pytest.mark.parametrize("pieces", [[b"9X01\n"], [b"\xff\n"], [b"9", b"Q01\n"]])
def test_what_may_be_the_rest_of_a_line_that_was_given_up_is_a_gap_and_counts_no_card(pieces: list[bytes]) -> None:
    made, now = link(), 5.0
    told(made, b"E00", now)
    assert len(made.tick(now + QUIET_AFTER)) == 2
    for data in pieces:
        now += 2 * QUIET_AFTER
        items: list[object] = [*told(made, data, now), *made.tick(now + QUIET_AFTER)]
        assert [type(item) for item in items] == [LineError, EventGap]
    assert told(made, line("9H"), now + 2.0) == [NINE]


def test_a_line_that_was_given_up_twice_is_known_by_its_end() -> None:
    made = link()
    for number, data in enumerate((b"E0", b"09")):
        told(made, data, 5.0 + 2 * number)
        made.tick(6.0 + 2 * number)
    (rest,) = told(made, b"H01\n", 9.0)
    assert isinstance(rest, LineError)


@pytest.mark.parametrize("noise", [b"x\n", b"\xff\n", b"NOREAD\n", b"z" * 200 + b"\n"])
def test_lines_of_noise_are_a_few_cards_and_one_gap_with_their_count(noise: bytes) -> None:
    made = link()
    assert told(made, line("9H"), 100.0) == [NINE]
    items = [item for item in told(made, noise * 15_000, 101.0) if not isinstance(item, LineError)]
    assert len(items) == UNREAD_AT_ONCE
    assert all(isinstance(item, Misread | ForeignCard) for item in items)
    assert made.next_deadline() == 101.0 + QUIET_AFTER
    (gap,) = made.tick(101.0 + QUIET_AFTER)
    assert isinstance(gap, EventGap)
    assert f"{15_000 - UNREAD_AT_ONCE} more lines came at once" in gap.reason
    assert made.next_deadline() is None
    assert told(made, line("4D"), 103.0) == [CardDrawn(card=Card("4D"), card_id=piece("4D"))]


def test_a_card_in_the_middle_of_noise_is_a_card() -> None:
    made = link()
    items = told(made, b"x\n" * 9 + line("9H") + b"x\n" * 9, 101.0)
    gap, nine = items[UNREAD_AT_ONCE:]
    assert (type(gap), nine) == (EventGap, NINE)
    (later,) = made.tick(101.0 + QUIET_AFTER)
    assert isinstance(later, EventGap)
    assert "9 more lines" in later.reason


def test_noise_without_an_end_is_reported_once_a_minute() -> None:
    made = link()
    told(made, line("9H"), 0.5)
    events: list[object] = []
    for tenth in range(10, 3_000):
        events += told(made, b"\xff\n" * 60, tenth / 10)
    assert sum(isinstance(event, EventGap) for event in events) == 299 // LONGEST
    assert sum(isinstance(event, Misread) for event in events) <= UNREAD_AT_ONCE + 1


def test_cards_that_a_weak_reader_cannot_read_are_cards_each() -> None:
    made = link()
    events = [event for number in range(1, 40) for event in told(made, b"NOREAD\n", 1.5 * number)]
    assert events == [Misread()] * 39


def test_a_face_that_comes_again_and_again_is_bounded_too() -> None:
    made = link("faces")
    items = told(made, b"9H\n" * 7_000, 10.0)
    assert len(items) == 1 + AGAIN_AT_ONCE
    (gap,) = made.disconnected(10.5)[:1]
    assert isinstance(gap, EventGap)
    assert f"{7_000 - 1 - AGAIN_AT_ONCE} more repeats" in gap.reason


def test_cards_that_came_at_once_had_been_held_up_and_that_is_said_before_them() -> None:
    made = link(card_takes=CARD_TAKES)
    four = b"".join(map(line, ("9H", "4D", "KS", "2C")))
    assert told(made, four[: len(four) * 3 // 4], 60.0)[0] == NINE
    made = link(card_takes=CARD_TAKES)
    gap, *drawn = told(made, four, 60.0)
    assert isinstance(gap, EventGap)
    assert "the line had stalled" in gap.reason
    assert not gap.joined
    assert [event.card for event in drawn if isinstance(event, CardDrawn)] == list(map(Card, ("9H", "4D", "KS", "2C")))


def test_a_reader_says_when_it_could_not_read_and_what_means_nothing_is_passed_over() -> None:
    made = link(pattern=PATTERN)
    assert told(made, b"# PN532 found\r\nNOREAD\r\n") == [Misread()]


def test_the_link_is_up_while_the_port_is_open_and_sends_nothing() -> None:
    made = LinesController(cards=CardIds([some_set()]), pattern=PLAIN)
    assert made.next_deadline() is None
    made.connected(3.0)
    assert made.next_deadline() == 3.0
    assert made.tick(3.0) == [LinkUp(authenticated=False)]
    assert made.next_deadline() is None, "silence is all there is between two cards"
    made.want(DesiredShoe(gate_locked=True), 4.0)
    told(made, b"E0", 5.0)
    assert [type(report) for report in made.disconnected(6.0)] == [LineError, LinkDown]
    assert made.disconnected(7.0) == []
    assert made.to_send() == b""


def test_calls_that_make_no_sense_are_our_own_mistakes() -> None:
    made = link()
    with pytest.raises(LinkUsageError, match="open already"):
        made.connected(1.0)
    with pytest.raises(LinkUsageError, match="never made"):
        made.committed(Delivery(event=NINE, sequence=77), 1.0)
    with pytest.raises(LinkUsageError, match="never made"):
        made.memory(Delivery(event=NINE, sequence=77))
    made.disconnected(1.0)
    with pytest.raises(LinkUsageError, match="not open"):
        made.receive(b"x", 1.0)
    with pytest.raises(LinkUsageError, match="no line for"):
        LinesShoe(PLAIN).report(CutCard(), 0.0)


EVENTS = st.lists(st.tuples(st.sampled_from(list(Card)), st.integers(1, 2)), max_size=20)


@given(EVENTS, st.lists(st.integers(1, 9), max_size=60), st.sampled_from(["pieces", "faces"]))
def test_both_ends_agree_however_the_bytes_are_cut(
    cards: list[tuple[Card, int]], lengths: list[int], ids: IdsName
) -> None:
    shoe = LinesShoe(PATTERN, ids=ids, cut_card=CUT_ID)
    shoe.connected(0.0)
    for card, deck in cards:
        shoe.report(CardDrawn(card=card, card_id=piece(card.value, deck)), 0.0)
    shoe.report(CutCard(), 0.0)
    data = shoe.to_send()
    made, at, events = link(ids, pattern=PATTERN), 0, []
    for length in [*lengths, len(data)]:
        events += told(made, data[at : at + length])
        at += length
    assert events == told(link(ids, pattern=PATTERN), data)
    drawn = [event.card for event in events if isinstance(event, CardDrawn | CardReadAgain)]
    if ids == "faces":
        assert drawn == [card for card, _ in cards]
    pieces = [(event.card, event.card_id) for event in events if isinstance(event, CardDrawn)]
    assert len(pieces) == len(set(cards if ids == "pieces" else [card for card, _ in cards]))
    assert events[-1] == CutCard()
