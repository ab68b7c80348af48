"""Who opens the next shoe: before the cut card, or beside a supervisor's alert, a supervisor alone."""

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CutCard,
    DoubleFeed,
    Hand,
    LidChanged,
    Misread,
)
from shoe_controller.messages.acts import (
    Approve,
    BeginHandEntry,
    CallSupervisor,
    ClearAlert,
    Confirm,
    CountRemainder,
    DealCard,
    EndHandEntry,
    EndShoe,
    NoMoreBets,
    OpenDispute,
    OpenShoe,
    Role,
    UndoLastResult,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.facts import (
    CardBurned,
    CardDealt,
    CardSetAside,
    PersonActed,
    RoundVoided,
    ShoeEnded,
    ShoeOpened,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose, Remainder
from shoe_controller.table.inputs import (
    ControllerStarted,
    EventsMissed,
    LineRefused,
    NewShoe,
    PersonActs,
    PinVerdict,
    RequestsFlooded,
)
from shoe_controller.table.state import REVISION
from shoe_controller.table.table import Handled
from tests.table.sitting import Sitting

PLAYER_WINS = "7H 4D KS 2C"


def first(text: str = "2S") -> CardDrawn:
    return CardDrawn(hand=Hand.BURN, card=Card.parse(text), first_of_shoe=True)


def code_of(handled: Handled) -> str | None:
    return None if handled.refusal is None else handled.refusal.code


def played(remainder: Remainder = Remainder.NOT_COUNTED) -> Sitting:
    table = Sitting(remainder=remainder)
    table.open_shoe()
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    return table


def to_cut_card(table: Sitting) -> None:
    table.event(CutCard())


def to_end(table: Sitting) -> None:
    table.act(EndShoe())


# --- people ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", range(3))
def test_a_dealer_does_not_end_a_shoe_before_the_cut_card(drawn: int) -> None:
    """Not a fresh one either, nor one that is being burned."""
    table = Sitting()
    table.dealer(OpenShoe())
    for event in (first("3S"), CardDrawn(hand=Hand.BURN))[:drawn]:
        table.event(event)
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    assert code_of(table.act(OpenShoe(), pin=PinVerdict.NOT_GIVEN)) == "not_a_supervisor"
    assert code_of(table.act(OpenShoe(), reason=" ")) == "reason_missing"
    assert code_of(table.act(OpenShoe())) is None
    acted = table.last(PersonActed)
    assert (acted.person, acted.role, table.state.shoe_number) == ("ann", Role.SUPERVISOR, 2)


@pytest.mark.parametrize("ready", [to_cut_card, to_end])
def test_a_dealer_opens_the_next_one_after_the_cut_card(ready) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    table = played()
    ready(table)
    assert code_of(table.dealer(OpenShoe())) is None
    assert table.state.shoe_number == 2


@pytest.mark.parametrize("ready", [to_cut_card, to_end])
def test_not_beside_an_alert_that_is_a_supervisors(ready) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    table = played()
    ready(table)
    if table.at(Phase.ENDED):
        table.card("7S", Hand.PLAYER)
    else:
        table.event(LidChanged(opened=True))
        table.event(LidChanged(opened=False))
    before = table.alerts
    assert before in (["lid_opened"], ["card_after_end"])
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    assert table.alerts == before
    assert code_of(table.act(OpenShoe())) is None


def test_not_beside_a_dispute_nor_a_warning_that_ends_with_the_shoe() -> None:
    table = played()
    table.act(OpenDispute(round=1))
    to_end(table)
    assert table.alerts == ["dispute_open"]
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    table.event(first())
    assert table.alerts == ["dispute_open", "shoe_change_unconfirmed"]
    assert code_of(table.act(OpenShoe())) is None
    table = played()
    table.event(CardDrawn(hand=Hand.BURN))
    to_cut_card(table)
    assert table.alerts == ["burned_between_rounds"]
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"


def test_nor_before_a_supervisor_who_was_called_has_come() -> None:
    table = played()
    to_end(table)
    table.dealer(CallSupervisor())
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"


def test_a_first_shoe_is_opened_also_when_a_supervisor_was_called() -> None:
    table = Sitting()
    table.dealer(CallSupervisor())
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert (table.state.shoe_number, table.alerts) == (1, ["supervisor_called"])


def test_nor_while_a_dispute_is_open_in_a_shoe_that_could_go_on() -> None:
    table = played()
    table.act(OpenDispute(round=1))
    to_cut_card(table)
    assert table.alerts == []
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"


def test_nor_where_the_dealer_says_when_the_cut_card_comes() -> None:
    table = played()
    table.act(BeginHandEntry())
    table.dealer(DealCard(cut_card=True))
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    to_end(table)
    assert code_of(table.dealer(OpenShoe())) is None, "a supervisor has ended it"


def said_alone(*, over: bool) -> Sitting:
    """The dealer has said that the cut card came; with `over`, the last round of the shoe is settled."""
    table = played()
    table.act(BeginHandEntry())
    table.dealer(DealCard(cut_card=True))
    if over:
        for text in PLAYER_WINS.split():
            table.dealer(DealCard(card=Card.parse(text)))
        table.dealer(Confirm())
    assert table.at(Phase.ENDED if over else Phase.BETTING)
    return table


@pytest.mark.parametrize("over", [True, False])
@pytest.mark.parametrize("back", [True, False])
def test_what_the_dealer_alone_says_of_the_cut_card_ends_no_shoe(*, over: bool, back: bool) -> None:
    table = said_alone(over=over)
    if back:
        table.act(EndHandEntry())
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    if back:
        table.event(first())
        assert table.alerts == ["shoe_change_unconfirmed"]
    assert code_of(table.act(OpenShoe())) is None
    assert (table.state.shoe_number, table.alerts) == (2, [])
    table.check_replay()


@pytest.mark.parametrize("over", [True, False])
def test_the_shoe_that_reports_its_cut_card_bears_the_dealer_out(*, over: bool) -> None:
    table = said_alone(over=over)
    table.act(EndHandEntry())
    table.event(CutCard())
    assert code_of(table.dealer(OpenShoe())) is None


@pytest.mark.parametrize("ready", [to_cut_card, to_end])
def test_nor_while_one_supervisor_waits_for_another(ready) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    table = played()
    ready(table)
    table.act(UndoLastResult())
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert (table.state.shoe_number, table.alerts) == (1, ["shoe_change_unconfirmed"])
    assert code_of(table.act(Approve(proposal=1), person="ben")) is None
    assert table.at(Phase.COMPLETE)


def test_nor_beside_a_dispute_that_was_opened_after_the_end() -> None:
    table = played()
    to_end(table)
    table.act(OpenDispute(round=1))
    assert table.alerts == ["dispute_open"]
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.state.shoe_number == 1
    table.act(ClearAlert(alert=table.alert_number("shoe_change_unconfirmed")))
    table.act(ClearAlert(alert=table.alert_number("dispute_open")))
    assert code_of(table.dealer(OpenShoe())) is None, "a supervisor goes on before the decision"


def test_a_warning_that_a_stranger_can_raise_does_not_call_for_one() -> None:
    table = played()
    to_end(table)
    table.give(RequestsFlooded(user="board"))
    table.give(LineRefused(reason="not authentic"))
    assert table.alerts == ["request_flood", "line_refused"]
    assert code_of(table.dealer(OpenShoe())) is None


# --- a result that was taken back ------------------------------------------------------------------------------------


def taken_back() -> Sitting:
    """A round was paid; its result was taken back, it is to be dealt again, and its wager was withdrawn."""
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 500)
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    table.act(UndoLastResult())
    table.act(Approve(proposal=1), person="ben")
    table.act(VoidAndReplay())
    table.bet("1", "base.player", 0)
    return table


@pytest.mark.parametrize("cut_card", [True, False])
def test_a_shoe_does_not_end_with_a_result_that_was_paid_and_taken_back(*, cut_card: bool) -> None:
    table = taken_back()
    if cut_card:
        to_cut_card(table)
    assert code_of(table.act(EndShoe())) == "round_taken_back"
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    assert code_of(table.act(OpenShoe())) == "round_taken_back"
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.alerts == ["shoe_change_unconfirmed"]
    assert (table.state.shoe_number, table.all(ShoeEnded)) == (1, [])
    assert code_of(table.act(VoidRound())) is None
    assert table.last(RoundVoided).difference == {"1": -500}
    assert code_of(table.act(OpenShoe())) is None
    assert table.state.shoe_number == 2


# --- the shoe itself -------------------------------------------------------------------------------------------------


def test_the_button_before_the_cut_card_ends_nothing() -> None:
    table = played()
    table.bet("1", "base.player", 50)
    table.give(EventsMissed(reason="a gap"))
    table.event(LidChanged(opened=True))
    table.event(LidChanged(opened=False))
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.alerts == ["event_gap", "lid_opened", "shoe_change_unconfirmed"]
    assert (table.state.shoe_number, table.all(ShoeEnded)) == (1, [])
    number = table.alert_number("shoe_change_unconfirmed")
    assert code_of(table.dealer(ClearAlert(alert=number))) == "not_a_supervisor"
    table.act(ClearAlert(alert=number))
    for kind in ("event_gap", "lid_opened"):
        table.act(ClearAlert(alert=table.alert_number(kind)))
    table.act(UndoLastResult())
    assert code_of(table.act(Approve(proposal=1), person="ben")) is None
    assert table.at(Phase.COMPLETE)
    table.check_replay()


def test_the_button_after_it_opens_the_next_shoe_as_ever() -> None:
    table = played()
    to_cut_card(table)
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert (table.state.shoe_number, table.alerts) == (2, [])


AFTER_IT = (
    CardDrawn(hand=Hand.BURN, burns_left=1),
    CardDrawn(hand=Hand.BURN, burns_left=0),
)


@pytest.mark.parametrize("more", range(3))
def test_a_card_marked_as_the_first_waits_and_is_the_first_of_the_shoe_that_a_supervisor_opens(more: int) -> None:
    table = played()
    table.event(first("2S"))
    for event in AFTER_IT[:more]:
        table.event(event)
    assert table.alerts == ["shoe_change_unconfirmed"]
    assert (table.state.shoe_number, table.state.shoe.cards_out) == (1, 6)  # type: ignore[union-attr]
    assert table.bet("1", "base.player", 50).refusal is not None
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    assert code_of(table.act(OpenShoe())) is None
    shoe = table.state.shoe
    assert shoe is not None
    assert (shoe.number, shoe.cards_out, shoe.burns, shoe.burned) == (2, 1 + more, 2, more)
    assert table.last(ShoeEnded).cards_out == 6
    assert table.all(CardSetAside) == []
    assert [fact.card for fact in table.all(CardBurned) if fact.shoe == 2 and fact.card] == [Card.parse("2S")]
    assert table.alerts == []
    assert table.at(Phase.BETTING if more == 2 else Phase.BURNING)
    table.check_replay()


def test_it_waits_after_no_more_bets_as_well() -> None:
    table = Sitting(bets_close=BetsClose.DEALER)
    table.open_shoe()
    table.bet("1", "base.player", 50)
    table.dealer(NoMoreBets())
    table.event(first("2S"))
    assert (table.alerts, table.state.phase) == (["shoe_change_unconfirmed"], Phase.CLOSED)
    burned = len(table.all(CardBurned))
    table.act(ClearAlert(alert=table.alert_number("shoe_change_unconfirmed")))
    assert (table.alerts, len(table.all(CardBurned))) == ([], burned + 1)
    table.deal(PLAYER_WINS)
    assert table.at(Phase.COMPLETE)
    table.check_replay()


def test_a_refusal_burns_it_from_the_shoe_that_goes_on() -> None:
    table = played()
    table.event(first("2S"))
    table.event(Misread(hand=Hand.BURN))
    table.event(CardIdentified(hand=Hand.BURN, card=Card.parse("5S")))
    table.event(DoubleFeed(cards=2))
    assert len(table.all(CardDealt)) == 4
    table.act(ClearAlert(alert=table.alert_number("shoe_change_unconfirmed")))
    shoe = table.state.shoe
    assert shoe is not None
    assert (shoe.number, shoe.cards_out, sum(shoe.copies)) == (1, 10, 7)
    assert (len(table.all(CardBurned)), shoe.burned) == (6, 5)
    assert len(table.all(CardDealt)) == 4
    for alert in table.alerts:
        table.act(ClearAlert(alert=table.alert_number(alert)))
    table.deal(PLAYER_WINS)
    table.dealer(Confirm())
    assert len(table.all(CardDealt)) == 8
    table.act(EndShoe())
    inventory = table.last(ShoeEnded).inventory
    assert inventory is not None
    assert (inventory.unseen, inventory.remainder) == (3, 416 - 14)
    table.check_replay()


def test_the_end_of_the_shoe_does_not_tell_whose_it_is_and_a_supervisor_opens_the_next_with_it() -> None:
    table = played(Remainder.COUNTED)
    table.event(first("2S"))
    assert code_of(table.act(OpenShoe())) == "remainder_not_counted"
    table.act(EndShoe())
    assert table.last(ShoeEnded).cards_out == 6
    table.act(CountRemainder(cards=410))
    assert table.alerts == ["shoe_change_unconfirmed"]
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    assert code_of(table.act(OpenShoe())) is None
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, table.state.shoe.burns, table.alerts) == (1, 2, [])
    table.check_replay()


def test_or_says_that_it_came_out_of_the_one_that_ended() -> None:
    table = played()
    table.event(first("2S"))
    table.act(EndShoe())
    table.act(ClearAlert(alert=table.alert_number("shoe_change_unconfirmed")))
    assert table.alerts == ["card_after_end"]
    table.act(CountRemainder(cards=409))
    assert table.alerts == ["card_after_end"]
    table.act(OpenShoe())
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, table.alerts) == (0, [])
    table.check_replay()


def test_a_round_that_was_taken_back_meanwhile_goes_on_without_it() -> None:
    table = played()
    table.event(first("2S"))
    table.act(UndoLastResult())
    table.act(Approve(proposal=1), person="ben")
    table.act(ClearAlert(alert=table.alert_number("shoe_change_unconfirmed")))
    assert (table.alerts, table.state.phase) == (["result_undone"], Phase.COMPLETE)


def test_no_card_is_lost_where_no_shoe_is_open() -> None:
    table = Sitting()
    table.card("7S", Hand.PLAYER)
    table.event(first("2S"))
    assert table.alerts == ["card_without_shoe", "shoe_change_unconfirmed"]
    table.act(OpenShoe())
    assert table.state.shoe is not None
    assert (table.state.shoe.cards_out, table.state.shoe.burns) == (1, 2)
    table = Sitting()
    table.card("7S", Hand.PLAYER)
    table.event(first("2S"))
    table.act(ClearAlert(alert=table.alert_number("shoe_change_unconfirmed")))
    assert len(table.all(CardSetAside)) == 2


# --- shoes of an earlier version -------------------------------------------------------------------------------------


def test_it_holds_for_a_shoe_that_an_earlier_version_opened_as_soon_as_this_one_runs() -> None:
    table = Sitting()
    table.revision = 2
    table.give(ControllerStarted(boot="first", revision=2))
    table.open_shoe()
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert table.state.shoe_number == 2, "as that version decided, and recorded"
    table.event(first("3S"))
    table.give(ControllerStarted(boot="first", revision=REVISION))
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    assert (table.state.shoe_number, table.alerts) == (2, ["shoe_change_unconfirmed"])
    assert code_of(table.dealer(OpenShoe())) == "not_a_supervisor"
    table.check_replay()


def test_what_a_dealer_opened_before_the_upgrade_is_replayed() -> None:
    table = Sitting()
    table.revision = 2
    table.give(ControllerStarted(boot="first", revision=2))
    for _ in range(3):
        table.dealer(OpenShoe())
        table.event(first("AS"))
    assert len(table.all(ShoeOpened)) == 3
    openings = [given for given, *_ in table.history if isinstance(given, NewShoe)]
    assert all(isinstance(given.cause, PersonActs) and given.cause.role is Role.DEALER for given in openings)
    assert msgspec.structs.replace(openings[0], rules=openings[1].rules).rules == openings[1].rules
    table.check_replay()
