"""A card that left unseen is entered in its place, and what the shoe reports of it later is never dealt again."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    CardDrawn,
    DoubleFeed,
    ForeignCard,
    Hand,
    Misread,
    Started,
)
from shoe_controller.baccarat.deal import Deal
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AnyAct,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    DiscardCard,
    EnterCard,
    OpenShoe,
    Role,
    UseExtraCard,
    VoidRound,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.details import EnteredDiffers
from shoe_controller.messages.facts import (
    AlertRaised,
    CardBurned,
    CardDealt,
    EnteredCardConfirmed,
    PersonActed,
    RoundResult,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import DiscardedCard, Reveal, ShownCard
from shoe_controller.table.inputs import ControllerStarted, EventsMissed, LinkBack, LinkLost, PersonActs, PinVerdict
from shoe_controller.table.state import REVISION, TableState
from shoe_controller.table.view import view_of
from tests.table.sitting import Sitting

SIX = "2H 3D KS 2C 5H 4C"
"""Player draws on 2, and Banker on 5 against a 5."""
FOUR = "7H 4D KS 2C"
DRAWN_BEFORE = 5000
"""Milliseconds by which the cards of these tests are older than the entry."""
HANDS = {Side.PLAYER: Hand.PLAYER, Side.BANKER: Hand.BANKER}


def card(text: str) -> Card:
    return Card.parse(text)


def at_betting(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    table = Sitting(**procedure)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    return table


def code(table: Sitting, act: AnyAct) -> str | None:
    refusal = table.act(act).refusal
    return None if refusal is None else refusal.code


def lies(table: Sitting) -> list[tuple[str, str]]:
    assert table.state.round is not None
    return [(laid.hand.value, laid.card.value if laid.card else "") for laid in table.state.round.cards]


def dealt(cards: str) -> list[tuple[str, str]]:
    """Where cards lie that were dealt without a fault."""
    deal = Deal()
    where = []
    for text in cards.split():
        side = deal.next_side
        assert side is not None
        where.append((side.value, text))
        deal.feed(card(text))
    return where


# --- in its place ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cards", [SIX, FOUR, "9H KD KS 5C", "2H 7D KS KC 5H"])
@pytest.mark.parametrize("names_hands", [True, False])
def test_any_one_card_of_a_round_can_have_left_unseen(cards: str, *, names_hands: bool) -> None:
    """Whether or not the shoe names hands; and the round comes to what it would have come to."""
    whole = cards.split()
    for missing in range(1, len(whole) + 1):
        table, deal, count = at_betting(), Deal(), {Side.PLAYER: 0, Side.BANKER: 0}
        for number, text in enumerate(whole, 1):
            side = deal.next_side
            assert side is not None
            deal.feed(card(text))
            count[side] += 1
            if number != missing:
                named = {"hand": HANDS[side], "position": count[side]} if names_hands else {}
                table.event(CardDrawn(card=card(text), **named))  # type: ignore[arg-type]
        out = table.state.shoe.cards_out if table.state.shoe else 0
        refused = code(table, EnterCard(number=missing, card=card(whole[missing - 1])))
        assert refused is None, (missing, refused, table.alerts)
        assert lies(table) == dealt(cards)
        assert table.state.shoe is not None
        assert table.state.shoe.cards_out == out + 1
        entered = [place.entered_by for place in view_of(table.state, read_rules).cards]
        assert entered == ["ann" if number == missing else None for number in range(1, len(whole) + 1)]
        assert table.last(CardDealt).place.entered_by == "ann"
        assert [laid.drawn for laid in table.state.round.cards] == list(  # type: ignore[union-attr]
            range(out + 2 - len(whole), out + 2)
        )
        for alert in table.state.lasting.alerts:
            table.act(ClearAlert(alert=alert.number))
        table.dealer(Confirm())
        outcome = table.last(RoundResult).outcome
        assert (outcome.player.total, outcome.banker.total) == (deal.facts.player_total, deal.facts.banker_total)


def test_the_fact_names_the_places_that_later_cards_take_now() -> None:
    table = at_betting()
    for text in ("2H", "KS", "2C"):
        table.event(CardDrawn(card=card(text)))
    assert code(table, EnterCard(number=2, card=card("3D"))) is None
    fact = table.last(CardDealt)
    assert (fact.place.number, fact.place.hand, fact.place.card) == (2, Side.BANKER, card("3D"))
    assert [(one.number, one.hand, one.card) for one in fact.moved] == [
        (3, Side.PLAYER, card("KS")),
        (4, Side.BANKER, card("2C")),
    ]


@pytest.mark.parametrize(
    ("number", "hand"), [(0, None), (5, None), (7, None), (4, Side.PLAYER), (3, Side.BANKER), (1, Side.BANKER)]
)
def test_where_no_card_can_have_left_it_is_refused_and_nothing_changes(number: int, hand: Side | None) -> None:
    table = at_betting()
    table.deal("2H 3D KS")
    before = table.state
    assert code(table, EnterCard(number=number, hand=hand, card=card("9H"))) in ("order_disturbed", "no_such_card")
    assert table.state is before


def test_a_place_that_the_shoe_gave_for_a_card_without_one_is_kept() -> None:
    """Banker's first card was lost on the line; it is not Player's second that is missing."""
    table = at_betting()
    table.deal("2H")
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("KS")))
    assert table.alerts == ["out_of_turn"]
    assert code(table, EnterCard(number=3, card=card("3D"))) == "order_disturbed"
    assert code(table, EnterCard(number=2, card=card("3D"))) is None
    assert lies(table) == dealt("2H 3D KS")
    assert table.alerts == []


@pytest.mark.parametrize("decided", ["burned", "carried", "undecided"])
def test_an_extra_card_that_was_due_in_truth_takes_its_place(decided: str) -> None:
    """Player has 4 and draws the 4, Banker has 0 and draws the extra card."""
    table = at_betting(shown_card=ShownCard.FREE_HAND)
    for text in ("2H", "3D", "7S", "4D"):
        table.card(text)
    table.card("6C", Hand.EXTRA)
    if decided != "undecided":
        assert code(table, BurnExtraCard() if decided == "burned" else UseExtraCard()) is None
    assert code(table, EnterCard(number=3, card=card("2S"))) is None
    assert lies(table) == dealt("2H 3D 2S 7S 4D 6C")
    assert (table.alerts, table.at(Phase.COMPLETE)) == ([], True)
    assert table.state.shoe is not None
    assert (table.state.shoe.burned, table.state.shoe.burned_extras, table.state.shoe.carried) == (1, (), None)
    assert table.state.round is not None
    assert [laid.drawn for laid in table.state.round.cards] == [3, 4, 5, 6, 7, 8]
    table.check_replay()


def test_a_card_that_no_rule_allows_is_refused() -> None:
    table = at_betting()
    table.deal(FOUR)
    assert code(table, EnterCard(number=5, card=card("5H"))) == "order_disturbed"
    assert code(table, EnterCard(number=5)) == "card_missing"


def test_the_first_card_and_burned_cards() -> None:
    table = Sitting()
    table.open_shoe(burn=None)
    assert code(table, EnterCard(number=0)) == "card_missing"
    assert code(table, EnterCard(number=1, card=card("3H"))) == "no_such_card"
    assert code(table, EnterCard(number=0, card=card("3H"))) is None
    assert table.at(Phase.BURNING)
    assert table.last(CardBurned).entered_by == "ann"
    assert code(table, EnterCard(number=0)) is None
    assert code(table, EnterCard(number=0, card=card("9C"))) is None
    assert table.last(PersonActed).act == EnterCard(number=0), "burned cards are never shown"
    assert table.last(CardBurned).card is None
    table.event(CardDrawn(hand=Hand.BURN))
    assert table.at(Phase.BETTING)
    assert table.state.shoe is not None
    assert table.state.shoe.cards_out == 4
    assert sum(table.state.shoe.copies) == 2


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_neither_acts_nor_refusals_tell_of_cards_that_lie_face_down(reveal: Reveal) -> None:
    """The same answers and offers, whichever faces lie there."""
    answers = set()
    for faces in ("9H KD KS 5C", "2H 3D KS 2C"):
        table = at_betting(reveal=reveal)
        table.deal(faces)
        offered = [act.cards for act in view_of(table.state, read_rules).acts if act.act == "enter_card"]
        refused = [
            None
            if (refusal := table.table.handle(table_act(table, number, face), table.moment()).refusal) is None
            else refusal.code
            for number, face in itertools.product(range(7), ("9D", "AH"))
        ]
        answers.add((tuple(offered), tuple(refused)))
    assert len(answers) == 1
    table = at_betting(reveal=reveal)
    assert code(table, EnterCard(number=1, card=card("9H"))) is None
    assert table.last(PersonActed).act == EnterCard(number=1)
    assert table.last(CardDealt).place.card is None


def table_act(table: Sitting, number: int, face: str) -> PersonActs:
    return PersonActs(
        act=EnterCard(number=number, card=card(face)),
        person="ann",
        role=Role.SUPERVISOR,
        pin=PinVerdict.RIGHT,
        reason="seen",
        shoe=table.state.shoe_number,
        round=table.state.round_number,
    )


# --- what the shoe tells later ---------------------------------------------------------------------------------------


def entered(faces: str = "7H", card_entered: str = "4D") -> Sitting:
    table = at_betting()
    table.deal(faces)
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    table.act(ClearAlert(alert=table.alert_number("event_gap")))
    assert code(table, EnterCard(number=len(faces.split()) + 1, card=card(card_entered))) is None
    return table


def test_the_same_face_confirms_it_and_nothing_is_dealt() -> None:
    table = entered()
    before = lies(table), table.state.shoe.cards_out if table.state.shoe else 0
    fact = table.last(CardDealt).seq
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=card("4D"), card_id="x"), age_ms=DRAWN_BEFORE)
    assert (lies(table), table.state.shoe.cards_out if table.state.shoe else 0) == before
    assert table.last(EnteredCardConfirmed).entered == fact
    assert table.alerts == []
    table.card("KS")
    assert len(lies(table)) == 3


@pytest.mark.parametrize(
    "event",
    [
        CardDrawn(hand=Hand.BANKER, position=1, card=card("4H")),
        ForeignCard(hand=Hand.BANKER, position=1),
    ],
)
def test_another_face_is_an_alert_and_nothing_is_dealt(event: CardDrawn | ForeignCard) -> None:
    table = entered()
    before = lies(table)
    table.event(event, age_ms=DRAWN_BEFORE)
    assert lies(table) == before
    foreign = isinstance(event, ForeignCard)
    assert table.alerts == ["entered_card_differs", "bad_shoe"][: 1 + foreign]
    detail = table.all(AlertRaised)[-1 - foreign].alert.detail
    assert detail == EnteredDiffers(shoe=1, round=1, number=2)


@pytest.mark.parametrize("event", [Misread(hand=Hand.BANKER, position=1), CardDrawn(hand=Hand.BANKER, position=1)])
def test_a_report_without_a_face_is_matched_too(event: Misread | CardDrawn) -> None:
    table = entered()
    table.event(event, age_ms=DRAWN_BEFORE)
    assert len(lies(table)) == 2
    assert table.alerts == []


def test_a_card_that_left_after_the_entry_is_another_card() -> None:
    table = entered(card_entered="4D")
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("4D")))
    assert lies(table) == dealt("7H 4D 4D")
    assert table.all(EnteredCardConfirmed) == []
    # From now on the shoe cannot come back to what was entered before.
    table.event(CardDrawn(hand=Hand.BANKER, position=2, card=card("2C")), age_ms=DRAWN_BEFORE)
    assert len(lies(table)) == 4


def test_a_corrected_entry_is_compared_as_corrected() -> None:
    table = entered(card_entered="4D")
    assert code(table, CorrectCard(number=2, card=card("4H"))) is None
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=card("4H")), age_ms=DRAWN_BEFORE)
    assert table.alerts == []
    assert table.all(EnteredCardConfirmed)


def void(table: Sitting) -> None:
    assert code(table, VoidRound()) is None


def next_shoe(table: Sitting) -> None:
    void(table)
    table.dealer(OpenShoe())


def restart(table: Sitting) -> None:
    table.give(ControllerStarted(boot="first", revision=REVISION))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))


def reboot(table: Sitting) -> None:
    table.mono_ns = 60_000_000_000
    table.give(ControllerStarted(boot="second", revision=REVISION))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))


@pytest.mark.parametrize("meanwhile", [void, next_shoe, restart, reboot])
def test_what_was_entered_is_still_awaited_after(meanwhile: Callable[[Sitting], None]) -> None:
    table = entered()
    meanwhile(table)
    before: TableState = table.state
    lay = lies(table) if table.state.round else None
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=card("4D")), age_ms=100_000)
    assert (table.state.phase, table.state.shoe_number) == (before.phase, before.shoe_number)
    assert (lies(table) if table.state.round else None) == lay
    assert table.state.shoe is not None
    assert before.shoe is not None
    assert table.state.shoe.cards_out == before.shoe.cards_out
    assert table.all(EnteredCardConfirmed)
    assert table.alerts == []


def test_one_that_left_before_a_card_which_the_shoe_has_reported_is_not_awaited() -> None:
    """Its report was lost, and events come in order: what comes now is another card, also with the same face."""
    table = at_betting()
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=card("4D")))
    table.give(LinkLost(reason="unplugged"))
    table.wait(10)
    assert code(table, EnterCard(number=1, card=card("KS"))) is None
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("KS")), age_ms=DRAWN_BEFORE)
    assert lies(table) == dealt("KS 4D KS")
    assert table.all(EnteredCardConfirmed) == []


def test_nor_one_before_an_entered_card_that_the_shoe_has_reported() -> None:
    table = entered(card_entered="4D")
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=card("4D")), age_ms=DRAWN_BEFORE)
    table.give(LinkLost(reason="unplugged"))
    table.wait(10)
    assert code(table, EnterCard(number=1, card=card("KS"))) is None
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("KS")), age_ms=DRAWN_BEFORE)
    assert table.state.shoe is not None
    assert (len(table.all(EnteredCardConfirmed)), table.state.shoe.cards_out) == (1, 6)


def gap_stands(table: Sitting) -> None:
    table.give(LinkLost(reason="unplugged"))
    table.wait(10)
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))


@pytest.mark.parametrize("after", [reboot, gap_stands])
def test_a_card_that_the_shoe_reports_in_another_place_is_another_card(after: Callable[[Sitting], None]) -> None:
    """It cannot be told which left first, or the shoe may never report what was entered: the place tells them apart."""
    table = at_betting()
    table.card("7H")
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    assert code(table, EnterCard(number=2, card=card("4D"))) is None
    after(table)
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("4D")), age_ms=12_000)
    assert lies(table) == dealt("7H 4D 4D")
    assert table.all(EnteredCardConfirmed) == []


def test_the_alert_names_the_place_to_which_the_card_moved() -> None:
    table = at_betting(discarded_card=DiscardedCard.NEXT_CARD)
    table.deal("9H 4D")
    table.give(LinkLost(reason="unplugged"))
    table.wait(10)
    assert code(table, EnterCard(number=3, card=card("KS"))) is None
    assert code(table, DiscardCard(number=1, cause=DiscardCause.DAMAGED, card=card("9H"))) is None
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("KH")), age_ms=DRAWN_BEFORE)
    assert table.state.lasting.alerts[-1].detail == EnteredDiffers(shoe=1, round=1, number=2)


def test_a_wager_that_came_after_the_first_card_is_late_although_the_card_was_entered_later() -> None:
    table = at_betting()
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    table.act(ClearAlert(alert=table.alert_number("event_gap")))
    table.wait(10)
    assert table.bet("2", "base.player", 500).refusal is None
    table.wait(1)
    assert code(table, EnterCard(number=1, card=card("9H"))) is None
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=card("9H")), age_ms=9000)
    assert (table.alerts, table.state.lasting.alerts[0].seats) == (["late_wager"], ("2",))
    table.act(ClearAlert(alert=table.alert_number("late_wager")))
    assert table.state.round is not None
    assert [wager.seat for wager in table.state.round.wagers] == ["1"]


def test_a_third_card_of_the_other_hand_is_another_card() -> None:
    table = at_betting()
    table.deal("2H 4D 3S AC")
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    table.give(LinkLost(reason="unplugged"))
    table.wait(5)
    assert code(table, EnterCard(number=5, card=card("6C"))) is None
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))
    table.event(CardDrawn(hand=Hand.BANKER, position=3, card=card("6C")), age_ms=3000)
    assert not table.all(EnteredCardConfirmed)
    assert len(lies(table)) == 6


def test_the_same_place_in_another_round_does_not_tell_that_it_is_the_entered_card() -> None:
    table = at_betting()
    table.give(EventsMissed(reason="numbers 5 to 7 never came"))
    assert code(table, EnterCard(number=1, card=card("9H"))) is None
    table.act(ClearAlert(alert=table.alert_number("event_gap")))
    table.act(VoidRound())
    table.wait(60)
    reboot(table)
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=card("9H")), age_ms=DRAWN_BEFORE)
    assert table.alerts == ["entered_card_differs"]


def test_where_nothing_tells_whether_it_is_the_entered_card_a_supervisor_looks() -> None:
    table = entered(card_entered="4D")
    reboot(table)
    table.event(CardDrawn(card=card("4D")), age_ms=DRAWN_BEFORE)
    assert (lies(table), table.alerts) == (dealt("7H 4D"), ["entered_card_differs"])


def test_an_event_from_before_the_shoe_started_anew_is_the_entered_card() -> None:
    """The shoe cannot tell how long before its start the card left: it says when it started."""
    table = entered()
    table.give(LinkLost(reason="no power"))
    table.wait(60)
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2))
    table.event(CardDrawn(hand=Hand.BANKER, position=1, card=card("4D")), age_ms=100)
    assert len(lies(table)) == 2
    assert table.all(EnteredCardConfirmed)


def test_after_events_were_lost_the_face_decides_which_entry_is_meant() -> None:
    table = entered()
    assert code(table, EnterCard(number=3, card=card("KS"))) is None
    table.give(EventsMissed(reason="one of them is gone"))
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("KS")), age_ms=DRAWN_BEFORE)
    assert len(lies(table)) == 3
    assert "entered_card_differs" not in table.alerts


def test_two_cards_at_once_are_the_two_that_were_entered() -> None:
    table = entered()
    assert code(table, EnterCard(number=3, card=card("KS"))) is None
    table.event(DoubleFeed(cards=2), age_ms=DRAWN_BEFORE)
    assert len(lies(table)) == 3
    assert table.alerts == []


def test_a_wire_that_repeats_nothing_is_not_waited_for() -> None:
    table = at_betting()
    table.deal("7H")
    table.give(LinkLost(reason="cable"))
    assert code(table, EnterCard(number=2, card=card("4D"))) is None
    table.give(LinkBack(keeps_events=False, authenticated=False))
    for alert in table.state.lasting.alerts:
        table.act(ClearAlert(alert=alert.number))
    table.card("4D")
    assert lies(table) == dealt("7H 4D 4D")


def test_the_shoe_s_own_start_ends_the_wait() -> None:
    table = entered()
    table.event(Started())
    table.event(CardDrawn(hand=Hand.PLAYER, position=2, card=card("4D")))
    table.act(ClearAlert(alert=table.alert_number("shoe_restarted")))
    assert lies(table) == dealt("7H 4D 4D")
