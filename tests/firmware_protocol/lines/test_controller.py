"""What the controller's end makes of lines: cards, repeats, what cannot be read, and what may have been missed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, CardReadAgain, CutCard, ForeignCard, Misread
from firmware_protocol.lines.cards_file import CardIds, IdsName
from firmware_protocol.lines.controller import QUIET_AFTER, REPEAT_WITHIN, LinesController, remember
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
