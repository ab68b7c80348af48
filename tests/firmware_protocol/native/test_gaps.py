"""Gaps: events or cards that the shoe lost are detected, reported, and reported again if that could not be stored."""

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Button,
    ButtonPressed,
    CardDrawn,
    DoubleFeed,
    Fault,
    FaultCode,
    Misread,
    ShoeEvent,
    Standby,
    Started,
)
from firmware_protocol.link import Delivery, EventGap, LinkReport, LinkUp
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.messages import NAK, WINDOW, FrameType, event_payload
from firmware_protocol.native.progress import LastCommitted, remember
from firmware_protocol.native.recent import MOST_RECENT
from tests.firmware_protocol.native.puppets import BOOT_ID, PuppetShoe, new_controller, only_delivery

NEW_BOOT_ID = 0x77777777


def stored(boot_id: int, sequence: int, total: int | None = None) -> LastCommitted:
    return LastCommitted(boot_id=boot_id, sequence=sequence, total=total)


def drawn(total: int, face: str = "7H") -> CardDrawn:
    return CardDrawn(card=Card(face), total=total)


def gap(found: list[Delivery | LinkReport]) -> EventGap:
    (report,) = [item for item in found if isinstance(item, EventGap)]
    return report


# --- what the shoe says it holds -------------------------------------------------------------------------------


def test_the_controller_says_what_it_stored_last_and_goes_on_from_there() -> None:
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 41, 7)))
    assert [type(item) for item in shoe.shake_hands(oldest=42, upcoming=44, card_total=9)] == [LinkUp]
    assert shoe.proof[1:] == (BOOT_ID, 41)
    only_delivery(shoe.say_event(42, CardDrawn(total=8)))
    only_delivery(shoe.say_event(43, CardDrawn(total=9)))


def test_a_controller_without_history_begins_with_the_oldest_event_and_no_gap() -> None:
    shoe = PuppetShoe(new_controller())
    assert [type(item) for item in shoe.shake_hands(oldest=901, upcoming=903, card_total=5000)] == [LinkUp]
    assert shoe.proof[1:] == (0, 0)
    only_delivery(shoe.say_event(901, CardDrawn(total=4999)))
    only_delivery(shoe.say_event(902, CardDrawn(total=5000)))


def test_events_that_the_shoe_no_longer_holds_are_a_gap() -> None:
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 41)))
    report = gap(shoe.shake_hands(oldest=45, upcoming=47, recognised=False))
    assert (report.expected, report.received) == (42, 45)
    assert report.reason == "the shoe no longer holds events 42 to 44"
    assert shoe.say_status() == [], "reported once"
    only_delivery(shoe.say_event(45, Standby()))


def test_events_lost_in_the_middle_of_a_session_are_a_gap() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=3)
    only_delivery(shoe.say_event(1, Standby()))
    report = gap(shoe.say_status(oldest=9, upcoming=12))
    assert (report.expected, report.received) == (2, 9)
    only_delivery(shoe.say_event(9, Standby()))


@pytest.mark.parametrize("upcoming", [1, 60, 42, 500])
def test_a_wiped_or_exchanged_shoe_is_a_gap_and_none_of_its_events_are_skipped(upcoming: int) -> None:
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 41, 300)), boot_id=NEW_BOOT_ID)
    found = shoe.shake_hands(oldest=1, upcoming=upcoming, recognised=False)
    assert gap(found).expected == 42
    assert gap(found).received == 1
    for sequence in range(1, min(upcoming, WINDOW)):
        assert only_delivery(shoe.say_event(sequence, Standby())).sequence == sequence


def test_a_shoe_that_was_wiped_before_anything_was_stored_is_a_gap() -> None:
    """What its STATUS has told of is lost, and what bears the same numbers now is of a later power-up."""
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=4, card_total=2)
    shoe.reconnect()
    shoe.boot_id, shoe.now = NEW_BOOT_ID, 60.0
    found = shoe.shake_hands(upcoming=4, card_total=2)
    assert not [item for item in found if isinstance(item, EventGap)], "it may hold them still"
    report, first = shoe.say_event(1, Started())
    assert isinstance(report, EventGap)
    assert "wiped" in report.reason
    assert isinstance(first, Delivery)
    assert first.age == 0, "it is as young as the shoe says"
    shoe.controller.committed(first, 60.0)
    assert shoe.acks()[-1] == (NEW_BOOT_ID, 1)
    only_delivery(shoe.say_event(2, Standby()))


def test_what_a_shoe_still_holds_of_an_earlier_power_up_is_no_gap() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=3)
    shoe.reconnect()
    shoe.boot_id = NEW_BOOT_ID
    shoe.shake_hands(upcoming=4)
    for number, boot_id in ((1, BOOT_ID), (2, BOOT_ID), (3, NEW_BOOT_ID)):
        only_delivery(shoe.say_event(number, Standby(), boot_id=boot_id))


def test_after_a_gap_a_reconnect_delivers_nothing_twice() -> None:
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 41)), boot_id=NEW_BOOT_ID)
    shoe.shake_hands(oldest=1, upcoming=3, recognised=False)
    first = only_delivery(shoe.say_event(1, Standby()))
    shoe.reconnect()
    found = shoe.shake_hands(recognised=True)
    assert shoe.proof[1:] == (0, 0), "nothing of this count is stored yet"
    assert [type(item) for item in found] == [LinkUp]
    assert shoe.say_event(1, Standby()) == []
    shoe.controller.committed(first, 0.0)
    assert (NEW_BOOT_ID, 1) in shoe.acks()


def in_journal(*events: AnyShoeEvent, first: int = 1) -> list[Delivery]:
    return [Delivery(event=event, sequence=number, boot_id=BOOT_ID) for number, event in enumerate(events, first)]


def test_a_shoe_that_lost_its_newest_events_repeats_some_that_are_stored() -> None:
    """Firmware that acknowledges power before it has stored: events 44 to 46 of the journal are gone in the shoe."""
    recent = in_journal(*map(drawn, range(42, 47)), first=42)
    controller = new_controller(last_committed=stored(BOOT_ID, 46, 46), recent=recent)
    shoe = PuppetShoe(controller, boot_id=NEW_BOOT_ID)
    report = gap(shoe.shake_hands(oldest=42, upcoming=45, card_total=43, recognised=False))
    assert "gone back" in report.reason
    again = [only_delivery(shoe.say_event(number, drawn(number), boot_id=BOOT_ID)) for number in (42, 43)]
    assert [delivery.again for delivery in again] == [True, True]
    assert set(shoe.acks()) <= {(0, 0)}, "not before it is stored that they came again"
    controller.committed(again[1], 0.0)
    assert shoe.acks() == [(BOOT_ID, 43)], "they are stored, and the shoe may let them go"
    new = only_delivery(shoe.say_event(44, Standby(), boot_id=NEW_BOOT_ID))
    assert (new.boot_id, new.again) == (NEW_BOOT_ID, False)


def test_a_wiped_shoe_whose_boot_id_repeats_is_heard_in_full() -> None:
    """Its power-ups were counted in the memory that was wiped: the first one comes twice."""
    before = in_journal(Started(), ButtonPressed(button=Button.NEW_SHOE), *map(drawn, range(1, 19)))
    controller = new_controller(last_committed=stored(BOOT_ID, 20, 18), recent=before)
    shoe = PuppetShoe(controller)
    gap(shoe.shake_hands(oldest=1, upcoming=1, card_total=0, recognised=False))
    jam = Fault(code=FaultCode.JAM, stopped=True)
    button = ButtonPressed(button=Button.NEW_SHOE)
    events: list[AnyShoeEvent] = [Started(), button, drawn(1, "KS"), drawn(2), jam, drawn(3, "9D")]
    for number, event in enumerate(events, 1):
        heard = shoe.say_event(number, event)[-1]
        assert isinstance(heard, Delivery)
        assert heard.event == event
        assert heard.again is (event == before[number - 1].event)
        assert (BOOT_ID, number) not in shoe.acks(), "it is not stored yet"
        controller.committed(heard, 0.0)
        assert (BOOT_ID, number) in shoe.acks()


def test_a_wiped_shoe_that_holds_the_number_we_stored_keeps_all_it_holds() -> None:
    """It has no random source, so its first nonce comes again too: to such a shoe no event is named."""
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 41, 7), used_nonces=[(1).to_bytes(16, "big")]))
    found = shoe.shake_hands(oldest=1, upcoming=50, card_total=7)
    assert shoe.proof[1:] == (0, 0)
    assert "count of power-ups" in gap(found).reason
    shoe.controller.committed(only_delivery(shoe.say_event(1, Standby())), 0.0)
    shoe.reconnect()
    assert [type(item) for item in shoe.shake_hands(oldest=2)] == [LinkUp], "from here on it counts as it should"
    assert shoe.proof[1:] == (BOOT_ID, 1)


# --- a shoe that holds events of the numbers that are stored ---------------------------------------------------


def with_journal(events: list[AnyShoeEvent]) -> PuppetShoe:
    """A shoe of whose present power-up these events are in the journal, as if they had been numbered from 1."""
    total = next((event.total for event in reversed(events) if isinstance(event, CardDrawn)), None)
    return PuppetShoe(
        new_controller(last_committed=stored(BOOT_ID, len(events), total), recent=in_journal(*events)[-MOST_RECENT:])
    )


BUTTON = ButtonPressed(button=Button.NEW_SHOE)


def test_a_wiped_shoe_with_new_nonces_that_holds_the_number_we_stored_keeps_all_it_holds() -> None:
    """Its power-ups repeat, its sessions do not: nothing tells before the events that it holds."""
    shoe = with_journal([Started(), BUTTON, *map(drawn, range(1, 19))])
    found = shoe.shake_hands(oldest=1, upcoming=31, card_total=28)
    assert shoe.proof[1:] == (0, 0), "an event that is named is deleted"
    assert [type(item) for item in found] == [LinkUp]
    now: list[AnyShoeEvent] = [Started(), BUTTON, *(drawn(total, "KS") for total in range(1, 29))]
    assert [shoe.say_event(number, event) for number, event in enumerate(now[:2], 1)] == [[], []]
    assert "event 3 came as another one than was stored" in gap(shoe.say_event(3, now[2])).reason
    assert (FrameType.NAK, NAK.pack(1)) in shoe.opened(), "from the first on that it holds"
    for number, event in enumerate(now, 1):
        heard = shoe.say_event(number, event)[-1]
        assert isinstance(heard, Delivery)
        assert (heard.event, heard.again) == (event, number < 3)
        assert (BOOT_ID, number) not in shoe.acks(), "it is not stored yet"
        shoe.controller.committed(heard, 0.0)
        assert (BOOT_ID, number) in shoe.acks()


def test_what_the_shoe_still_holds_is_acknowledged_once_it_is_seen_to_be_what_is_stored() -> None:
    shoe = with_journal([Started(), BUTTON, *map(drawn, range(1, 19))])
    assert [type(item) for item in shoe.shake_hands(oldest=19, upcoming=23, card_total=20)] == [LinkUp]
    assert shoe.say_event(21, drawn(19)) == [], "news wait until then"
    assert shoe.naks() == [19]
    assert shoe.say_event(19, drawn(17)) == []
    assert shoe.acks() == []
    assert shoe.say_event(20, drawn(18)) == []
    assert shoe.acks() == [(BOOT_ID, 20)]
    only_delivery(shoe.say_event(21, drawn(19)))


def test_a_controller_that_is_started_while_events_come_again_knows_the_rest_of_them() -> None:
    """A shoe without a random source has lost its marks: two of its five stored events came again before the kill."""
    events: list[AnyShoeEvent] = [Started(), BUTTON, drawn(1), drawn(2), drawn(3)]
    journal = [*in_journal(*events), *in_journal(*events[:2])]
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 2, 3), recent=journal))
    found = shoe.shake_hands(oldest=3, upcoming=7, card_total=4)
    assert [type(item) for item in found] == [LinkUp]
    rest: list[AnyShoeEvent] = [*events[2:], drawn(4)]
    again = [only_delivery(shoe.say_event(number, event)).again for number, event in enumerate(rest, 3)]
    assert again == [True, True, True, False]


def test_what_follows_in_the_journal_has_not_come_again() -> None:
    """Of one count without a hole, nothing is of an earlier one."""
    shoe = with_journal([Started(), BUTTON, drawn(1)])
    shoe.shake_hands(oldest=4, upcoming=5, card_total=2)
    assert only_delivery(shoe.say_event(4, drawn(2))).again is False


def test_an_event_is_named_once_the_shoe_has_shown_that_it_holds_none_of_that_number() -> None:
    shoe = with_journal([Started(), BUTTON, drawn(1)])
    shoe.answer_hello()
    assert shoe.proof[1:] == (0, 0)
    assert shoe.say_status(oldest=4, upcoming=5, card_total=2) == []
    assert shoe.say_event(4, drawn(2)) == [], "it is sent again in the session to come"
    assert shoe.sent() == [], "a shoe answers no HELLO within 0.1 s of the last"
    shoe.controller.tick(0.15)
    shoe.answer_hello()
    assert shoe.proof[1:] == (BOOT_ID, 3)
    assert [type(item) for item in shoe.say_status()] == [LinkUp]
    only_delivery(shoe.say_event(4, drawn(2)))


def test_a_shoe_that_holds_nothing_and_does_not_recognise_the_last_event_is_a_gap() -> None:
    shoe = with_journal([Started(), BUTTON, drawn(1)])
    report = gap(shoe.shake_hands(oldest=4, upcoming=5, card_total=2, recognised=False))
    assert "does not recognise event 3" in report.reason


def test_more_than_a_window_of_stored_events_is_let_go_part_by_part() -> None:
    """Firmware that writes its acknowledgements late may hold them all after a loss of power."""
    shoe = with_journal([Standby()] * 70)
    shoe.shake_hands(oldest=1, upcoming=72)
    acks = []
    for number in range(1, 71):
        assert shoe.say_event(number, Standby()) == []
        acks += shoe.acks()
    assert sorted(set(acks) - {(0, 0)}) == [(BOOT_ID, 32), (BOOT_ID, 64), (BOOT_ID, 70)]
    only_delivery(shoe.say_event(71, Standby()))


def test_a_shoe_that_went_back_sends_as_much_at_once_again_as_it_gets_acknowledgements() -> None:
    """One frame was lost: from then on the shoe has one event in flight, twice as many with each acknowledgement."""
    shoe = with_journal([Standby()] * 70)
    shoe.shake_hands(oldest=1, upcoming=72)
    assert [shoe.say_event(number, Standby()) for number in (1, 2, 4, 1)] == [[]] * 4
    assert (BOOT_ID, 2) in shoe.acks()
    for first, last in ((3, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 70)):
        assert [shoe.say_event(number, Standby()) for number in range(first, last + 1)] == [[]] * (last + 1 - first)
        assert shoe.acks()[-1] == (BOOT_ID, last), "it waits for nothing that the shoe may not send yet"
    only_delivery(shoe.say_event(71, Standby()))


def test_an_event_that_the_shoe_has_lost_between_two_that_are_stored_holds_up_nothing() -> None:
    shoe = with_journal([Started(), BUTTON, drawn(1), drawn(2)])
    shoe.shake_hands(oldest=1, upcoming=6, card_total=3)
    for _ in range(2):
        assert [shoe.say_event(1, Started()), shoe.say_event(2, BUTTON), shoe.say_event(4, drawn(2))] == [[], [], []]
    assert (BOOT_ID, 2) in shoe.acks(), "it does not go on: it gets what is certain"
    assert shoe.say_status(oldest=4) == []
    assert shoe.say_event(4, drawn(2)) == []
    assert (BOOT_ID, 4) in shoe.acks()
    only_delivery(shoe.say_event(5, drawn(3)))


def test_what_is_too_long_ago_to_be_compared_is_not_acknowledged() -> None:
    shoe = with_journal([Standby()] * (MOST_RECENT + WINDOW + 1))
    shoe.shake_hands(oldest=1, upcoming=MOST_RECENT + WINDOW + 2)
    found = [item for number in range(1, WINDOW + 1) for item in shoe.say_event(number, Standby())]
    assert "too long ago to be compared" in gap(found).reason
    assert shoe.say_event(1, Standby()) == [], "reported once in a session"
    assert set(shoe.acks()) <= {(0, 0)}


def test_what_is_too_long_ago_is_let_go_with_what_is_seen_to_be_stored_after_it() -> None:
    shoe = with_journal([Standby()] * (MOST_RECENT + 5))
    shoe.shake_hands(oldest=1, upcoming=MOST_RECENT + 6)
    assert [shoe.say_event(number, Standby()) for number in range(1, WINDOW + 1)] == [[]] * WINDOW
    assert (BOOT_ID, WINDOW) in shoe.acks()


def test_a_shoe_in_the_place_of_another_is_not_a_gap_when_it_holds_the_same_number() -> None:
    controller = new_controller(
        last_committed=stored(BOOT_ID, 2, 2), recent=in_journal(drawn(1), drawn(2)), perhaps_another=True
    )
    shoe = PuppetShoe(controller, boot_id=NEW_BOOT_ID)
    assert [type(item) for item in shoe.shake_hands(oldest=1, upcoming=4, card_total=3)] == [LinkUp]
    assert [only_delivery(shoe.say_event(number, drawn(number, "KS"))).sequence for number in (1, 2, 3)] == [1, 2, 3]


def test_what_is_too_long_ago_to_be_compared_is_new() -> None:
    before = in_journal(*[Standby()] * MOST_RECENT, first=7)
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 6 + MOST_RECENT), recent=before))
    gap(shoe.shake_hands(oldest=6, upcoming=8, recognised=False))
    assert [only_delivery(shoe.say_event(number, Standby())).again for number in (6, 7)] == [False, True]


def test_a_commit_of_an_old_event_does_not_acknowledge_a_new_one_with_its_number() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=3)
    old = only_delivery(shoe.say_event(1, drawn(1)))
    shoe.reconnect()
    gap(shoe.shake_hands(oldest=1, upcoming=1))
    new = only_delivery(shoe.say_event(1, Standby()))
    shoe.opened()
    shoe.controller.committed(old, 0.0)
    assert shoe.acks() == []
    shoe.controller.committed(new, 0.0)
    assert shoe.acks() == [(BOOT_ID, 1)]


def test_a_wiped_shoe_that_fits_the_count_is_found_out_by_what_it_sends() -> None:
    """Nothing was stored yet, so no handshake could tell; what came before is another event under the same number."""
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=2)
    old = only_delivery(shoe.say_event(1, drawn(1)))
    shoe.reconnect()
    assert [type(item) for item in shoe.shake_hands(oldest=1, upcoming=3)] == [LinkUp]
    missed, new = shoe.say_event(1, ButtonPressed(button=Button.NEW_SHOE))
    assert isinstance(missed, EventGap)
    assert isinstance(new, Delivery)
    shoe.opened()
    shoe.controller.committed(old, 0.0)
    assert shoe.acks() == []
    assert only_delivery(shoe.say_event(2, Standby())).sequence == 2


def test_even_an_event_without_a_boot_id_is_not_taken_for_one_that_is_known() -> None:
    """Only faulty firmware says 0; its card is delivered all the same, in a new count too."""
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 46)), boot_id=NEW_BOOT_ID)
    gap(shoe.shake_hands(oldest=42, upcoming=45, recognised=False))
    shoe.controller.committed(only_delivery(shoe.say_event(42, Standby())), 0.0)
    payload = event_payload(0, 43, 0, encode_event(Standby()))
    only_delivery(shoe.say(shoe.session.seal(FrameType.EVENT, payload)))


def test_a_commit_from_before_the_shoe_lost_its_count_harms_nothing() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=5)
    old = [only_delivery(shoe.say_event(number, Standby())) for number in (1, 2, 3)]
    shoe.reconnect()
    shoe.boot_id = NEW_BOOT_ID
    gap(shoe.shake_hands(oldest=1, upcoming=1))
    shoe.opened()
    shoe.controller.committed(old[-1], 0.0)
    assert shoe.acks() in ([], [(0, 0)])
    new = only_delivery(shoe.say_event(1, Standby()))
    shoe.controller.committed(new, 0.0)
    assert shoe.acks() == [(NEW_BOOT_ID, 1)]


def test_an_event_and_the_status_that_ends_its_count_in_one_piece() -> None:
    """Its owner learns of both at once, and only then asks what to store with the event."""
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=2)
    event = shoe.session.seal(FrameType.EVENT, event_payload(BOOT_ID, 1, 0, encode_event(CardDrawn(total=8))))
    wiped = shoe.status._replace(oldest=5, upcoming=5)
    found = shoe.say(event, shoe.session.seal(FrameType.STATUS, wiped.payload()))
    assert [type(item) for item in found] == [Delivery, EventGap]
    delivery = found[0]
    assert isinstance(delivery, Delivery)
    assert remember(shoe.controller.memory(delivery)) == stored(BOOT_ID, 1, 8)
    shoe.controller.committed(delivery, 0.0)


# --- the lifetime total ----------------------------------------------------------------------------------------

TOTALS: list[tuple[ShoeEvent, bool]] = [
    (CardDrawn(total=101), True),
    (CardDrawn(total=102), False),
    (CardDrawn(total=100), False),
    (CardDrawn(total=100, carried_over=True), True),
    (CardDrawn(total=101, carried_over=True), False),
    (Misread(total=101), True),
    (Misread(total=103), False),
    (DoubleFeed(total=102), True),
    (DoubleFeed(cards=3, total=103), True),
    (DoubleFeed(total=101), False),
]


@pytest.mark.parametrize(("event", "fits"), TOTALS, ids=str)
def test_a_jump_in_the_card_total_is_a_gap_beside_the_event(event: CardDrawn, fits: bool) -> None:  # noqa: FBT001 -- a column of the table above
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 5, 100)))
    shoe.shake_hands(oldest=6, upcoming=7, card_total=event.total or 0)
    found = shoe.say_event(6, event)
    assert isinstance(found[-1], Delivery)
    assert found[-1].event == event
    assert [type(item) for item in found[:-1]] == ([] if fits else [EventGap])
    assert [type(item) for item in shoe.say_event(7, CardDrawn(total=(event.total or 0) + 1))] == [Delivery]


def test_cards_that_no_event_told_of_show_at_the_next_handshake() -> None:
    shoe = PuppetShoe(new_controller(last_committed=stored(BOOT_ID, 5, 100)))
    report = gap(shoe.shake_hands(oldest=6, upcoming=6, card_total=103))
    assert (report.expected, report.received) == (100, 103)
    assert shoe.say_status() == []


def test_the_total_survives_events_without_one() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=9, card_total=9)
    only_delivery(shoe.say_event(1, CardDrawn(total=7)))
    standby = only_delivery(shoe.say_event(2, Standby()))
    shoe.controller.committed(standby, 0.0)
    only_delivery(shoe.say_event(3, CardDrawn(total=8)))
    assert gap(shoe.say_event(4, CardDrawn(total=10))).expected == 9


def test_a_status_that_counts_a_card_before_its_event_is_a_gap() -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=1, card_total=10)
    only_delivery(shoe.say_event(1, CardDrawn(total=11)))
    assert shoe.say_status(upcoming=2, card_total=11) == []
    assert shoe.say_status(upcoming=3, card_total=12) == [], "the event is under way"
    only_delivery(shoe.say_event(2, CardDrawn(total=12)))
    report = gap(shoe.say_status(upcoming=3, card_total=13))
    assert (report.expected, report.received) == (12, 13)


@pytest.mark.parametrize("kind", range(0x14, 0x20))
def test_cards_of_a_kind_that_we_do_not_know_are_a_gap_at_the_next_total(kind: int) -> None:
    shoe = PuppetShoe(new_controller())
    shoe.shake_hands(oldest=1, upcoming=1, card_total=10)
    said = bytes((kind,)) + (11).to_bytes(4, "big")
    found = shoe.say(shoe.session.seal(FrameType.EVENT, event_payload(BOOT_ID, 1, 0, said)))
    assert only_delivery(found).event == Fault(code=FaultCode.OTHER, detail=kind)
    report = gap(shoe.say_event(2, CardDrawn(total=12)))
    assert (report.expected, report.received) == (11, 12)
