"""Where the cards of a shoe are when it has ended, to the card; what is left counted; and shoes that are proven bad."""

from collections import Counter

import pytest

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import (
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCode,
    ForeignCard,
    Hand,
    IndicatedWinner,
    Misread,
    ResultIndicated,
)
from shoe_controller.messages.acts import (
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    BeginHandEntry,
    BeginRunOut,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    CorrectCard,
    CountRemainder,
    DealCard,
    EndRunOut,
    EndShoe,
    EnterCard,
    IdentifyCard,
    OpenShoe,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.details import FromBadShoe, ProvenBad, RemainderOff, ShoeProof
from shoe_controller.messages.facts import (
    BettingOpened,
    CardCounted,
    CardDealt,
    CardSetAside,
    Inventory,
    RemainderCounted,
    RoundResult,
    RoundSettled,
    ShoeEnded,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Remainder
from shoe_controller.messages.prompts import ChangeCards, CountCardsLeft, RunCardsOut
from shoe_controller.table.inputs import EventsMissed, LinkBack
from shoe_controller.table.view import prompt
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"
DECKS = 8


def card(text: str) -> Card:
    return Card.parse(text)


def code(table: Sitting, act: AnyAct, **more: object) -> str | None:
    refusal = table.act(act, **more).refusal  # type: ignore[arg-type]  # fields of `act`
    return None if refusal is None else refusal.code


def ended(table: Sitting) -> Inventory:
    """The shoe ends; its inventory adds up, whatever came before."""
    table.act(EndShoe())
    fact = table.last(ShoeEnded)
    inventory = fact.inventory
    assert inventory is not None
    assert sum(inventory.known.values()) + inventory.unseen == fact.cards_out
    assert fact.cards_out + inventory.remainder == 52 * inventory.decks + inventory.foreign
    return inventory


def faces(text: str) -> dict[Card, int]:
    return dict(Counter(card(each) for each in text.split()))


def played(**procedure: object) -> Sitting:
    """A shoe with an ace shown, one card burned unseen and a round: six cards are out."""
    table = Sitting(house={"decks": DECKS}, **procedure)
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    return table


# --- what has come ---------------------------------------------------------------------------------------------------


def test_every_face_that_came_and_the_numbers_without_a_face() -> None:
    inventory = ended(played())
    assert inventory.known == faces(f"AS {PLAYER_WINS}")
    assert (inventory.decks, inventory.unseen, inventory.foreign, inventory.remainder) == (DECKS, 1, 0, 52 * DECKS - 6)


def test_a_fresh_shoe_has_all_its_cards() -> None:
    table = Sitting()
    table.dealer(OpenShoe())
    assert ended(table) == Inventory(decks=DECKS, known={}, unseen=0, foreign=0, remainder=416)


def test_cards_burned_set_aside_misread_entered_and_foreign_are_all_in_it() -> None:
    table = played()
    table.event(CardDrawn(hand=Hand.BURN))
    table.event(CardDrawn(hand=Hand.BURN, card=card("9C")))
    table.event(CardIdentified(hand=Hand.BURN, card=card("8C")))
    assert ended(table).known == faces(f"AS {PLAYER_WINS} 9C 8C")
    assert table.last(ShoeEnded).inventory.unseen == 1  # type: ignore[union-attr]

    table = played()
    table.event(Misread(hand=Hand.PLAYER, position=1))
    table.act(IdentifyCard(number=1, card=card("7S")))
    table.card("4S")
    table.card("KD", Hand.BANKER)
    table.event(DoubleFeed(cards=2))
    table.act(VoidRound())
    assert (ended(table).known, table.last(ShoeEnded).cards_out) == (faces(f"AS {PLAYER_WINS} 7S 4S KD"), 11)
    assert table.last(ShoeEnded).inventory.unseen == 3  # type: ignore[union-attr]

    table = played()
    table.deal("7H 4D KS 2C 5C")
    table.act(BurnExtraCard())
    table.act(CorrectCard(number=1, card=card("8H")))
    table.act(Confirm())
    assert ended(table).known == faces(f"AS {PLAYER_WINS} 8H 4D KS 2C 5C")

    table = played()
    table.give(EventsMissed(reason="a card never arrived"))
    table.act(EnterCard(number=1, card=card("7S")))
    table.act(VoidRound())
    assert ended(table).known == faces(f"AS {PLAYER_WINS} 7S")

    table = played()
    table.act(BeginHandEntry())
    table.dealer(DealCard(card=card("7S")))
    table.act(VoidRound())
    assert ended(table).known == faces(f"AS {PLAYER_WINS} 7S")

    table = played()
    table.event(ForeignCard(hand=Hand.PLAYER, position=1))
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    table.act(VoidRound())
    inventory = ended(table)
    assert (inventory.foreign, inventory.unseen, inventory.remainder) == (1, 2, 410), "it took no card of the decks"


def test_a_shoe_that_the_next_one_closes_tells_the_same() -> None:
    table = played()
    table.act(OpenShoe())
    inventory = table.last(ShoeEnded).inventory
    assert inventory is not None
    assert (inventory.known, inventory.unseen, inventory.remainder) == (faces(f"AS {PLAYER_WINS}"), 1, 410)
    table.check_replay()


def test_a_shoe_that_an_earlier_version_opened_tells_what_it_told() -> None:
    table = Sitting(house={"decks": 1})
    table.revision = 2
    table.open_shoe()
    table.deal("7H 7H")
    assert table.alerts == ["too_many_copies"]
    table.act(VoidRound())
    table.act(EndShoe())
    assert table.last(ShoeEnded).inventory is None
    table.check_replay()


# --- what is left, counted by hand -----------------------------------------------------------------------------------


@pytest.mark.parametrize("found", [0, 409, 410, 411, 416])
def test_a_count_that_is_off_by_one_is_an_alert(found: int) -> None:
    table = played()
    table.act(EndShoe())
    assert code(table, CountRemainder(cards=found)) is None
    counted = table.last(RemainderCounted)
    assert (counted.expected, counted.found, counted.fits, counted.faces) == (410, found, found == 410, None)
    assert table.alerts == ([] if found == 410 else ["remainder_differs"])
    if found != 410:
        assert table.state.lasting.alerts[0].detail == RemainderOff(shoe=1, expected=410, found=found)
    table.check_replay()


def test_a_card_that_came_after_the_end_is_not_left_any_more() -> None:
    table = played()
    table.act(EndShoe())
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=card("9S")))
    table.act(CountRemainder(cards=409))
    assert table.last(RemainderCounted).fits


@pytest.mark.parametrize("keeps_events", [True, False], ids=["native", "angel_eye"])
def test_a_foreign_card_that_came_after_the_end_is_counted_once(*, keeps_events: bool) -> None:
    """One wire reports it as such, and the fault once more; the other reports a card, and then the fault alone."""
    table = played()
    table.act(EndShoe())
    table.give(LinkBack(keeps_events=keeps_events, authenticated=keeps_events, boot_id=1))
    table.event(ForeignCard(hand=Hand.PLAYER) if keeps_events else CardDrawn(hand=Hand.PLAYER, position=1))
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    table.act(CountRemainder(cards=410))
    assert table.last(RemainderCounted).fits


def test_cards_are_counted_again_and_the_last_count_counts() -> None:
    table = played()
    table.act(EndShoe())
    table.act(CountRemainder(cards=409))
    first = table.last(RemainderCounted)
    table.act(CountRemainder(cards=410))
    assert table.last(RemainderCounted).replaces == first.seq
    assert table.alerts == []
    table.act(CountRemainder(cards=411))
    table.act(OpenShoe())
    assert table.alerts == ["remainder_differs"], "the next shoe does not make it right"
    table.act(EndShoe())
    assert table.alerts == ["remainder_differs"]
    table.act(ClearAlert(alert=table.alert_number("remainder_differs")))
    assert table.alerts == []


@pytest.mark.parametrize("by", ["dealer", "supervisor", "button", "first card"])
def test_the_next_shoe_waits_for_the_count_where_the_house_asks_for_it(by: str) -> None:
    table = played(remainder=Remainder.COUNTED)

    def opens() -> str | None:
        if by == "button":
            table.event(ButtonPressed(button=Button.NEW_SHOE))
        elif by == "first card":
            table.event(CardDrawn(hand=Hand.BURN, card=card("2S"), first_of_shoe=True))
        elif by == "supervisor":
            return code(table, OpenShoe())
        else:
            refusal = table.dealer(OpenShoe()).refusal
            return None if refusal is None else refusal.code
        return None

    assert code(table, OpenShoe()) == "remainder_not_counted", "not in the middle of a shoe either"
    table.act(EndShoe())
    assert prompt(table.state) == CountCardsLeft(cards=410)
    refused = opens()
    assert table.state.shoe_number == 1
    by_shoe = by in ("button", "first card")
    assert table.alerts == (["shoe_change_unconfirmed"] if by_shoe else [])
    assert refused == (None if by_shoe else "remainder_not_counted")
    assert code(table, CountRemainder(cards=410)) is None
    if by_shoe:
        assert code(table, OpenShoe()) is None
        assert table.at(Phase.BURNING if by == "first card" else Phase.FIRST_CARD)
    else:
        assert prompt(table.state) == ChangeCards()
        assert opens() is None
    assert table.state.shoe_number == 2
    table.check_replay()


def test_a_result_taken_back_asks_for_the_count_again() -> None:
    table = played(remainder=Remainder.COUNTED)
    table.event(CutCard())
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    assert table.at(Phase.ENDED)
    table.act(CountRemainder(cards=406))
    table.act(UndoLastResult())
    table.act(Approve(proposal=1), person="ben")
    table.act(CorrectCard(number=1, card=card("2H")))
    table.card("5S")
    table.act(Confirm())
    assert table.at(Phase.ENDED)
    assert code(table, OpenShoe()) == "remainder_not_counted"
    table.act(CountRemainder(cards=406))
    assert table.alerts == ["remainder_differs"], "one more has come"
    table.act(CountRemainder(cards=405))
    assert code(table, OpenShoe()) is None


# --- what is left, drawn through the reader --------------------------------------------------------------------------


def small() -> tuple[Sitting, list[Card]]:
    """A shoe of one deck that has ended, with the cards that are left in it: a 9C was burned unseen."""
    table = Sitting(house={"decks": 1})
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    table.act(EndShoe())
    gone = [card(text) for text in f"AS 9C {PLAYER_WINS}".split()]
    return table, [each for each in CARDS_BY_NUMBER if each not in gone]


def run_out(table: Sitting, cards: list[Card | None]) -> RemainderCounted:
    assert code(table, BeginRunOut()) is None
    for number, each in enumerate(cards):
        table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=each, card_id=f"piece {number}"))
    assert code(table, EndRunOut()) is None
    return table.last(RemainderCounted)


def test_the_rest_through_the_reader_gives_the_face_of_the_card_that_was_burned_unseen() -> None:
    table, left = small()
    counted = run_out(table, list(left))
    assert (counted.expected, counted.found, counted.fits) == (46, 46, True)
    assert counted.faces is not None
    assert (counted.faces.missing, counted.faces.extra, counted.faces.unseen) == ({card("9C"): 1}, {}, 1)
    assert table.alerts == []
    assert [fact.counted for fact in table.all(CardCounted)] == list(range(1, 47))
    assert len(table.all(CardDealt)) == 4, "no card of them is dealt"
    assert code(table, OpenShoe()) is None
    table.check_replay()


@pytest.mark.parametrize(
    ("change", "missing", "extra", "found"),
    [
        (lambda left: left[1:], 2, {}, 45),
        (lambda left: [*left, card("9C")], 0, {}, 47),
        (lambda left: [*left, left[0]], 1, {0}, 47),
        (lambda left: [left[1], *left[1:]], 2, {1}, 46),
        (lambda left: [None, *left[1:]], 2, {}, 46),
    ],
    ids=["one less", "the burned one", "one more", "one for another", "one not read"],
)
def test_one_card_more_or_less_or_another_shows(change, missing, extra, found) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    table, left = small()
    counted = run_out(table, change(left))
    assert counted.faces is not None
    assert counted.found == found
    assert sum(counted.faces.missing.values()) == missing
    assert set(counted.faces.extra) == {left[number] for number in extra}
    fits = found == 46 and not extra
    assert counted.fits == fits
    assert table.alerts == ([] if fits else ["remainder_differs"])


def test_a_piece_that_came_before_and_a_foreign_card_show() -> None:
    table, left = small()
    table.act(BeginRunOut())
    for number, each in enumerate(left):
        table.event(CardDrawn(hand=Hand.BURN, card=each, card_id=f"piece {max(number, 1)}"))
    table.act(EndRunOut())
    counted = table.last(RemainderCounted)
    assert counted.faces is not None
    assert (counted.found, counted.faces.extra, counted.faces.duplicates) == (46, {}, ("piece 1",))
    assert table.alerts == ["remainder_differs"]

    table.act(BeginRunOut())
    for each in left[1:]:
        table.event(CardDrawn(hand=Hand.BURN, card=each))
    table.event(ForeignCard(hand=Hand.BURN))
    table.event(Fault(code=FaultCode.FOREIGN_CARD, stopped=True))
    table.act(EndRunOut())
    counted = table.last(RemainderCounted)
    assert counted.faces is not None
    assert (counted.found, counted.fits, counted.faces.foreign) == (46, False, 1)


def test_what_the_shoe_makes_of_these_cards_means_nothing() -> None:
    table, left = small()
    table.act(BeginRunOut())
    assert not table.table.desired_shoe.gate_locked
    assert prompt(table.state) == RunCardsOut(counted=0, cards=46)
    for event in (
        CardDrawn(hand=Hand.BURN, card=left[0], first_of_shoe=True),
        Fault(code=FaultCode.OVER_DRAW),
        ResultIndicated(winner=IndicatedWinner.TIE),
        CutCard(),
        Misread(hand=Hand.PLAYER, position=1),
        Fault(code=FaultCode.UNREADABLE, stopped=True),
        CardIdentified(hand=Hand.PLAYER, position=1, card=left[1]),
        DoubleFeed(cards=2),
    ):
        table.event(event)
    assert table.alerts == []
    assert table.state.shoe_number == 1
    assert prompt(table.state) == RunCardsOut(counted=4, cards=46)
    assert code(table, OpenShoe()) == "run_out_under_way"
    assert code(table, CountRemainder(cards=46)) == "run_out_under_way"
    assert code(table, BeginRunOut()) == "run_out_under_way"
    table.act(EndRunOut())
    counted = table.last(RemainderCounted)
    assert (counted.found, counted.fits) == (4, False)
    assert code(table, EndRunOut()) == "no_run_out"
    table.check_replay()


def test_nor_does_what_it_makes_of_them_after_the_last() -> None:
    """A shoe that takes them for a round still gives its result; the next card is one after the end, as ever."""
    table, left = small()
    run_out(table, list(left))
    shoe = table.state.shoe
    assert shoe is not None
    known = shoe.copies
    for event in (
        CardIdentified(hand=Hand.PLAYER, position=1, card=left[0]),
        CardIdentified(hand=Hand.EXTRA, card=left[1]),
        ResultIndicated(winner=IndicatedWinner.TIE),
        Fault(code=FaultCode.BUTTON_MISUSED),
    ):
        table.event(event)
    assert table.alerts == []
    assert table.state.shoe is not None
    assert table.state.shoe.copies == known
    table.event(CardDrawn(hand=Hand.PLAYER, position=1, card=left[0]))
    assert table.alerts == ["card_after_end"]
    table.check_replay()


def test_by_hand_nothing_comes_through_the_reader() -> None:
    table, _ = small()
    table.act(BeginHandEntry())
    assert code(table, BeginRunOut()) == "in_hand_entry"


# --- a bad shoe ------------------------------------------------------------------------------------------------------


def one_copy_too_many(table: Sitting) -> None:
    table.deal("KS KS")


def a_piece_twice(table: Sitting) -> None:
    table.card("7H", card_id="one")
    table.card("7C", card_id="one")


def a_foreign_card(table: Sitting) -> None:
    table.event(ForeignCard(hand=Hand.PLAYER, position=1))


def a_foreign_set(table: Sitting) -> None:
    table.card("7H", deck_set="theirs")


def too_many_burned(table: Sitting) -> None:
    for _ in range(50):
        table.event(CardDrawn(hand=Hand.BURN))
    assert "bad_shoe" not in table.alerts, "52 cards are in a deck"
    table.event(CardDrawn(hand=Hand.BURN))


BAD = {
    one_copy_too_many: ShoeProof.TOO_MANY_COPIES,
    a_piece_twice: ShoeProof.CARD_TWICE,
    a_foreign_card: ShoeProof.FOREIGN_CARD,
    a_foreign_set: ShoeProof.FOREIGN_CARD,
    too_many_burned: ShoeProof.TOO_MANY_CARDS,
}


@pytest.mark.parametrize(("cause", "proof"), BAD.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_bad_shoe_is_voided_and_ended_and_nothing_is_bet_or_settled_any_more(cause, proof) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    table = Sitting(house={"decks": 1}, card_sets=("ours",))
    table.open_shoe()
    table.bet("1", "base.player", 50)
    cause(table)
    alert = next(alert for alert in table.state.lasting.alerts if alert.kind == "bad_shoe")
    assert alert.detail == ProvenBad(proof=proof)
    opened = len(table.all(BettingOpened))
    if not table.at(Phase.BETTING):
        assert code(table, VoidAndReplay()) == "shoe_is_bad"
    assert code(table, VoidRound()) is None
    for standing in table.alerts:
        if standing != "bad_shoe":
            assert code(table, ClearAlert(alert=table.alert_number(standing))) is None
    assert code(table, ClearAlert(alert=alert.number)) == "cannot_be_cleared"
    assert table.at(Phase.BETTING)
    assert len(table.all(BettingOpened)) == opened
    assert table.bet("1", "base.player", 50).refusal is not None
    table.deal("9S 8S 9D 8D")
    assert table.at(Phase.BETTING), "nothing is dealt from it"
    assert [type(fact.why) for fact in table.all(CardSetAside)[-4:]] == [FromBadShoe] * 4
    assert table.all(RoundResult) == []
    assert table.dealer(OpenShoe()).refusal is not None
    assert code(table, EndShoe()) is None
    assert table.alerts == []
    table.dealer(OpenShoe())
    assert table.state.shoe_number == 2
    table.check_replay()


def test_a_corrected_face_takes_the_proof_back() -> None:
    table = Sitting(house={"decks": 1})
    table.open_shoe()
    table.deal("KS KS")
    assert table.alerts == ["too_many_copies", "bad_shoe"]
    table.act(CorrectCard(number=2, card=card("QS")))
    assert table.alerts == []
    table.deal("8H 9D")
    table.dealer(Confirm())
    assert len(table.all(RoundResult)) == 1


def test_the_void_of_the_last_round_ends_a_bad_shoe() -> None:
    table = Sitting(house={"decks": 1}, last_rounds=0)
    table.open_shoe()
    table.event(CutCard())
    table.deal("KS KS")
    table.act(VoidRound())
    assert table.at(Phase.ENDED)
    assert table.alerts == []


def agreed(table: Sitting, act: AnyAct) -> str | None:
    """One supervisor proposes, another approves."""
    refused = code(table, act)
    return refused or code(table, Approve(proposal=table.state.lasting.proposals_made), person="ben")


@pytest.mark.parametrize("over", [False, True])
@pytest.mark.parametrize("cause", [one_copy_too_many, a_piece_twice, a_foreign_card])
def test_a_round_that_was_settled_before_the_proof_can_be_settled_again(cause, *, over: bool) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    table = Sitting(house={"decks": 1})
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.deal("9H 4D QS 2C")
    table.dealer(Confirm())
    cause(table)
    table.act(VoidRound())
    assert table.alerts == ["bad_shoe"]
    if over:
        table.act(EndShoe())
    assert agreed(table, UndoLastResult()) is None
    assert table.alerts == ["result_undone"]
    assert code(table, VoidAndReplay()) == "shoe_is_bad"
    assert code(table, Confirm()) is None
    assert len(table.all(RoundResult)) == 2
    assert table.last(RoundSettled).difference == {}
    opened = len(table.all(BettingOpened))
    assert (table.alerts, table.state.phase) == (([], Phase.ENDED) if over else (["bad_shoe"], Phase.BETTING))
    assert opened == 2, "no other round is bet"
    table.check_replay()


def test_nor_is_it_settled_with_a_card_that_proves_more() -> None:
    table = Sitting(house={"decks": 1})
    table.open_shoe()
    table.deal("9H 4D QS 2C")
    table.dealer(Confirm())
    one_copy_too_many(table)
    table.act(VoidRound())
    agreed(table, UndoLastResult())
    table.act(CorrectCard(number=3, card=card("KS")))
    assert "bad_shoe" in table.alerts
    assert code(table, Confirm()) == "stopped"


def test_wagers_are_opened_where_an_amended_round_takes_the_proof_back() -> None:
    table = Sitting(house={"decks": 1})
    table.open_shoe()
    table.deal("9H 4D KS 2C")
    table.dealer(Confirm())
    table.deal("9H")
    table.act(VoidRound())
    assert table.alerts == ["bad_shoe"]
    assert [fact.round for fact in table.all(BettingOpened)] == [1, 2]
    amended = AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=card("9D")),))
    assert agreed(table, amended) is None
    assert table.alerts == []
    assert [fact.round for fact in table.all(BettingOpened)] == [1, 2, 3]
    assert table.bet("1", "base.player", 50).refusal is None
    table.check_replay()


def test_they_are_not_opened_again_where_they_were_open_before_the_proof() -> None:
    table = Sitting(house={"decks": 1})
    table.open_shoe()
    table.deal("9H 4D KS 2C")
    table.dealer(Confirm())
    table.bet("1", "base.player", 50)
    table.event(CardDrawn(hand=Hand.BURN, card=card("9H")))
    assert "bad_shoe" in table.alerts
    agreed(table, AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=card("9D")),)))
    assert "bad_shoe" not in table.alerts
    assert [fact.round for fact in table.all(BettingOpened)] == [1, 2]
    assert table.state.round is not None
    assert len(table.state.round.wagers) == 1


def test_a_card_that_comes_after_the_count_asks_for_another() -> None:
    table = Sitting(remainder=Remainder.COUNTED)
    table.open_shoe()
    table.act(EndShoe())
    table.act(CountRemainder(cards=414))
    assert prompt(table.state) == ChangeCards()
    table.event(CardDrawn(hand=Hand.BURN, card=card("5H")))
    table.act(ClearAlert(alert=table.alert_number("card_after_end")))
    assert prompt(table.state) == CountCardsLeft(cards=413)
    assert code(table, OpenShoe()) == "remainder_not_counted"
    table.act(CountRemainder(cards=413))
    assert table.alerts == []
    assert table.dealer(OpenShoe()).refusal is None


def test_nothing_is_left_to_count_of_a_shoe_from_which_no_card_came() -> None:
    table = Sitting(remainder=Remainder.COUNTED)
    table.open_shoe(burn=None)
    table.act(EndShoe())
    assert prompt(table.state) == ChangeCards()
    assert table.dealer(OpenShoe()).refusal is None


@pytest.mark.parametrize("act", [BeginHandEntry(), UndoLastResult()])
def test_cards_that_are_run_out_stay_counted_until_the_last_one(act: AnyAct) -> None:
    table, _ = small()
    table.act(BeginRunOut())
    assert code(table, act) == "run_out_under_way"
    table.event(CardDrawn(hand=Hand.BURN, card=card("3C")))
    assert table.last(CardCounted).counted == 1
