"""Every card is counted once: by the shoe's count of cards, and by its face, whichever way that becomes known."""

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, CardIdentified, CutCard, DoubleFeed, ForeignCard, Hand
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    BeginHandEntry,
    ClearAlert,
    Confirm,
    CountRemainder,
    DealCard,
    EndHandEntry,
    EndShoe,
    EnterCard,
    OpenShoe,
)
from shoe_controller.messages.details import EnteredDiffers, NotEntered
from shoe_controller.messages.facts import AlertRaised, CardSetAside, EnteredCardConfirmed, ShoeEnded
from shoe_controller.table.inputs import ControllerStarted, LinkBack, LinkLost, ShoeReport
from shoe_controller.table.state import REVISION, Shoe
from tests.table.sitting import Sitting

CARRIED = CardDrawn(hand=Hand.PLAYER, position=1, card=Card.parse("7H"), carried_over=True)


def card(text: str) -> Card:
    return Card.parse(text)


def shoe_of(table: Sitting) -> Shoe:
    assert table.state.shoe is not None
    return table.state.shoe


def counted(table: Sitting) -> tuple[int, int]:
    """The cards that are out, and how many of them are known."""
    return shoe_of(table).cards_out, sum(shoe_of(table).copies)


def done(table: Sitting, act: AnyAct, *, by_dealer: bool = False) -> None:
    assert (table.dealer(act) if by_dealer else table.act(act)).refusal is None


def by_hand(table: Sitting, cards: str = "") -> None:
    """The reader is dead, and the dealer enters what leaves the shoe."""
    table.give(LinkLost(reason="the reader is dead"))
    done(table, BeginHandEntry())
    for text in cards.split():
        table.wait(2)
        done(table, DealCard(card=card(text)), by_dealer=True)


def back(table: Sitting, *, boot_id: int = 1) -> None:
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=boot_id))


def reports_earlier(table: Sitting, text: str, since_ns: int) -> None:
    """The shoe reports a card that left it then, from before its last start if it has started anew."""
    table.sequence += 1
    event = CardDrawn(hand=Hand.PLAYER, position=1, card=card(text))
    age_ms = (table.mono_ns - since_ns) // 1_000_000
    table.give(ShoeReport(event=event, sequence=table.sequence, boot_id=1, age_ms=age_ms))


# --- identified later ------------------------------------------------------------------------------------------------


def face_down() -> Sitting:
    """Four cards that the shoe has not disclosed, and no other that is unknown."""
    table = Sitting(burn=False)
    table.open_shoe(burn=None)
    for number in range(4):
        table.event(CardDrawn(hand=(Hand.PLAYER, Hand.BANKER)[number % 2], position=1 + number // 2))
    return table


def identify_all(table: Sitting) -> None:
    for number, text in enumerate(["9H", "KD", "KS", "5C"]):
        hand, position = (Hand.PLAYER, Hand.BANKER)[number % 2], 1 + number // 2
        table.event(CardIdentified(hand=hand, position=position, card=card(text)))


def test_a_card_that_is_not_there_takes_the_place_of_none_in_the_count() -> None:
    table = face_down()
    table.event(CardIdentified(hand=Hand.EXTRA, card=card("2H")))
    assert table.alerts == ["event_gap"]
    assert counted(table) == (4, 0)
    identify_all(table)
    assert counted(table) == (4, 4)


def test_a_burned_card_is_still_counted_beside_cards_that_lie_face_down() -> None:
    table = Sitting()
    table.open_shoe()
    out, known = counted(table)
    table.card(None, Hand.PLAYER, position=1)
    table.event(CardIdentified(hand=Hand.BURN, card=card("2H")))
    assert table.alerts == []
    assert counted(table) == (out + 1, known + 1)


def test_cards_that_left_together_are_counted_as_they_are_named() -> None:
    table = Sitting(burn=False)
    table.open_shoe(burn=None)
    table.event(DoubleFeed(cards=2))
    for text in ("2H", "3H"):
        table.event(CardIdentified(hand=Hand.EXTRA, card=card(text)))
    assert table.alerts == ["double_feed"]
    assert counted(table) == (2, 2)
    table.event(CardIdentified(hand=Hand.EXTRA, card=card("4H")))
    assert table.alerts == ["double_feed", "event_gap"]
    assert counted(table) == (2, 2)


# --- carried over ----------------------------------------------------------------------------------------------------


def test_without_an_open_shoe_a_carried_card_is_not_set_aside_again() -> None:
    table = Sitting()
    table.event(CardDrawn(hand=Hand.EXTRA, card=card("7H")))
    table.event(CARRIED)
    assert len(table.all(CardSetAside)) == 1
    assert table.alerts == ["card_without_shoe"]


def test_in_what_an_earlier_version_recorded_it_is() -> None:
    table = Sitting()
    table.give(ControllerStarted(boot="first", revision=2))
    back(table)
    table.event(CARRIED)
    assert len(table.all(CardSetAside)) == 1


# --- by hand ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("boot_id", [1, 2])
def test_a_card_that_nobody_entered_is_counted_when_it_is_reported_afterwards(boot_id: int) -> None:
    table = Sitting()
    table.open_shoe()
    by_hand(table)
    table.wait(5)
    left = table.mono_ns
    table.wait(5)
    done(table, EndHandEntry())
    back(table, boot_id=boot_id)
    out, known = counted(table)
    reports_earlier(table, "7H", left)
    assert table.alerts == ["entered_card_differs"]
    assert counted(table) == (out + 1, known)
    assert table.last(CardSetAside).why == NotEntered()
    done(table, ClearAlert(alert=table.alert_number("entered_card_differs")))
    table.wait(5)
    for text in ("9H", "KD", "KS", "5C"):
        table.sequence += 1
        table.give(ShoeReport(event=CardDrawn(card=card(text)), sequence=table.sequence, boot_id=boot_id, age_ms=0))
    done(table, Confirm(), by_dealer=True)
    assert counted(table) == (out + 5, known + 4)


@pytest.mark.parametrize("boot_id", [1, 2])
def test_a_card_of_the_shoe_before_is_not_counted_in_the_next(boot_id: int) -> None:
    table = Sitting()
    table.open_shoe()
    by_hand(table)
    table.wait(5)
    left = table.mono_ns
    table.wait(5)
    done(table, EndHandEntry())
    done(table, OpenShoe())
    back(table, boot_id=boot_id)
    reports_earlier(table, "7H", left)
    assert table.alerts == ["entered_card_differs"]
    assert counted(table) == (0, 0)


def test_a_burned_card_that_is_entered_without_its_face_has_the_face_that_was_reported() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    by_hand(table, "2S")
    back(table)
    table.event(CardDrawn(hand=Hand.BURN, card=card("5H")))
    assert counted(table) == (1, 1)
    done(table, DealCard(), by_dealer=True)
    assert counted(table) == (2, 2)
    assert shoe_of(table).copies[card("5H").number] == 1


def test_a_foreign_card_is_an_alert_also_before_it_is_entered() -> None:
    table = Sitting()
    table.open_shoe()
    by_hand(table)
    back(table)
    table.event(ForeignCard(card=card("7H"), deck_set="elsewhere"))
    assert table.alerts == ["bad_card_out_of_round", "bad_shoe"]


def test_a_card_that_nobody_entered_stays_on_record_when_the_next_shoe_is_opened() -> None:
    table = Sitting()
    table.open_shoe()
    by_hand(table)
    back(table)
    out = shoe_of(table).cards_out
    table.event(CardDrawn(card=card("7H")))
    done(table, OpenShoe())
    assert table.last(CardSetAside).why == NotEntered()
    assert table.last(ShoeEnded).cards_out == out + 1
    assert counted(table) == (0, 0)
    assert table.alerts == ["entered_card_differs"]


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("ended_first", [False, True])
def test_and_when_the_shoe_is_ended(*, ended_first: bool, foreign: bool) -> None:
    """It is out of the box, before or after the end: what must be left is counted without it."""
    table = Sitting()
    table.open_shoe()
    by_hand(table)
    back(table)
    if ended_first:
        done(table, EndShoe())
    table.event(ForeignCard() if foreign else CardDrawn(card=card("7H")))
    if not ended_first:
        done(table, EndShoe())
        assert table.last(ShoeEnded).cards_out == 3
    assert (shoe_of(table).cards_out, shoe_of(table).foreign) == (3, foreign)
    assert (len(table.all(CardSetAside)), table.last(CardSetAside).why) == (1, NotEntered())
    if not foreign:
        assert table.alerts == ["entered_card_differs"]
    elif ended_first:
        assert table.alerts == ["bad_card_out_of_round"]
    done(table, CountRemainder(cards=414 if foreign else 413))
    assert "remainder_differs" not in table.alerts
    done(table, OpenShoe())
    assert len(table.all(CardSetAside)) == 1
    table.check_replay()


def test_a_card_that_is_reported_by_hand_before_the_first_shoe_is_put_on_record() -> None:
    table = Sitting()
    done(table, BeginHandEntry())
    table.event(CardDrawn(card=card("7H")))
    assert (table.alerts, len(table.all(CardSetAside))) == (["card_without_shoe"], 1)


@pytest.mark.parametrize("heard", [False, True])
def test_after_a_restart_of_the_machine_the_order_of_events_tells_whose_a_card_is(*, heard: bool) -> None:
    """Of a shoe that was opened while the line was up, or of which a card was reported."""
    table = Sitting()
    table.open_shoe()
    by_hand(table)
    if heard:
        done(table, OpenShoe())
        table.wait(10)
        done(table, DealCard(card=card("AS")), by_dealer=True)
        done(table, DealCard(), by_dealer=True)
    table.wait(100)
    for text in ("7H", "4D", "KS", "2C"):
        done(table, DealCard(card=card(text)), by_dealer=True)
    done(table, Confirm(), by_dealer=True)
    done(table, EndHandEntry())
    out = shoe_of(table).cards_out
    table.mono_ns = 5_000_000_000
    table.give(ControllerStarted(boot="second", revision=REVISION))
    table.wait(20)
    back(table)
    first = ["AS", "2S"] if heard else []
    for text in [*first, "7H", "4D", "KS", "2C"]:
        table.event(CardDrawn(card=card(text)), age_ms=60_000)
    assert shoe_of(table).cards_out == out
    table.event(CardDrawn(card=card("5D")), age_ms=60_000)
    assert (shoe_of(table).cards_out, table.alerts) == (out + 1, ["entered_card_differs"])
    table.event(CutCard(), age_ms=60_000)
    assert shoe_of(table).last_round is not None
    table.check_replay()


# --- entries that wait -----------------------------------------------------------------------------------------------


def test_an_entry_that_moved_on_is_named_by_its_new_position() -> None:
    table = Sitting()
    table.open_shoe()
    table.give(LinkLost(reason="the cable was pulled"))
    for text in ("3D", "2H"):
        table.wait(2)
        done(table, EnterCard(number=1, card=card(text)))
    back(table)
    table.event(CardDrawn(card=card("2H")), age_ms=10_000)
    table.event(CardDrawn(card=card("4D")), age_ms=9_000)
    assert table.last(AlertRaised).alert.detail == EnteredDiffers(shoe=1, round=1, number=2)


def test_an_amended_round_is_compared_as_it_was_amended() -> None:
    """The dealer entered 4D for 4H, and supervisors have put it right before the shoe reports it."""
    table = Sitting()
    table.open_shoe()
    by_hand(table, "7H 4D KS 2C")
    done(table, Confirm(), by_dealer=True)
    done(table, AmendRound(shoe=1, round=1, cards=(AmendedCard(number=2, card=card("4H")),)))
    done_by_other = table.act(Approve(proposal=table.state.lasting.proposals_made), person="ben")
    assert done_by_other.refusal is None
    back(table)
    for text in ["7H", "4H", "KS", "2C"]:
        table.event(CardDrawn(card=card(text)), age_ms=20_000)
    assert len(table.all(EnteredCardConfirmed)) == 4
    assert table.alerts == []


def test_a_card_that_fits_no_place_is_not_laid_by_one_that_came_after_it() -> None:
    table = Sitting()
    table.open_shoe()
    table.card("9H")
    table.event(CardDrawn(hand=Hand.BURN, card=card("KC")))
    refusal = table.act(EnterCard(number=3, card=card("2D"))).refusal
    assert refusal is not None
    assert refusal.code == "order_disturbed"
    assert table.state.round is not None
    assert [laid.card for laid in table.state.round.cards] == [card("9H")]
