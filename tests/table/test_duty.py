"""The dealer on duty: acts carry the token of a sign-in, one dealer is on duty, and a new one burns a card."""

from typing import Any

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import Button, ButtonPressed, CardDrawn, Hand, IndicatedWinner
from firmware_protocol.link import DesiredShoe
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.actors import Person
from shoe_controller.messages.acts import (
    ACTS,
    Act,
    BlinkShoe,
    CallSupervisor,
    ClearAlert,
    CollectCommission,
    Confirm,
    EndShoe,
    NoMoreBets,
    OpenShoe,
    Role,
    SignIn,
    SignOut,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.facts import (
    BettingClosed,
    CardBurned,
    DealerChanged,
    PersonActed,
    RoundResult,
    ShoeOpened,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.messages.prompts import NewDealerBurns, SignInFirst, TakeWagers, TakeWagersAndDraw
from shoe_controller.table.inputs import ControllerStarted, DealerStruckOff, LinkBack, PersonActs, PinVerdict
from shoe_controller.table.state import REVISION
from shoe_controller.table.succession import for_new_journal
from shoe_controller.table.table import Handled
from shoe_controller.table.view import prompt, view_of
from tests.table.sitting import Sitting

DEALERS_ACTS = [act for act, rule in ACTS.items() if rule.role is Role.DEALER and act not in (SignIn, BlinkShoe)]
"""Those of the dealer on duty alone."""


def code_of(handled: Handled) -> str | None:
    return None if handled.refusal is None else handled.refusal.code


def made(act: type[Act]) -> Any:  # noqa: ANN401 - an act
    fields: dict[type[Act], dict[str, Any]] = {ClearAlert: {"alert": 1}, CollectCommission: {"seat": "1"}}
    return act(**fields.get(act, {}))


FIRST, SECOND = "a first token", "a second token"


def guarded(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in Sitting
    """A table at which dealers sign in; dan has opened a shoe."""
    table = Sitting(dealer_signs_in=True, **procedure)
    table.open_shoe()
    return table


def play(table: Sitting) -> None:
    """A round to its end."""
    if table.rules.procedure.bets_close is BetsClose.DEALER and table.at(Phase.BETTING):
        table.dealer(NoMoreBets())
    table.deal("9H 2D KS 4C")
    table.result(IndicatedWinner.PLAYER)


# --- who may act -----------------------------------------------------------------------------------------------------


NOT_THE_DEALERS: list[dict[str, Any]] = [
    {"token_digest": ""},
    {"token_digest": SECOND},
    {"person": "eve"},
    {"person": "eve", "token_digest": SECOND},
    {"pin": PinVerdict.RIGHT, "token_digest": ""},
]


def test_what_is_not_the_dealers_on_duty_is_refused() -> None:
    table = guarded()
    before = len(table.facts)
    for act in DEALERS_ACTS:
        for given in NOT_THE_DEALERS:
            handled = table.dealer(made(act), **given)
            assert code_of(handled) == "not_signed_in", (act, given)
            assert (handled.changed, len(table.facts)) == (False, before)


@pytest.mark.parametrize("person", ["dan", "dealer"])
def test_an_act_is_recorded_in_the_name_of_the_dealer_on_duty(person: str) -> None:
    table = guarded()
    assert code_of(table.dealer(CallSupervisor(), person=person)) is None
    assert table.last(PersonActed).person == "dan"


@pytest.mark.parametrize("asks", [True, False])
def test_before_the_first_shoe_it_is_as_the_controller_was_started(*, asks: bool) -> None:
    table = Sitting(dealer_signs_in=asks)
    table.give(ControllerStarted(boot="first", revision=REVISION, dealer_signs_in=asks))
    assert table.at(Phase.NO_SHOE)
    assert code_of(table.dealer(CallSupervisor(), token_digest="")) == ("not_signed_in" if asks else None)
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench"))
    assert (prompt(table.state) == SignInFirst()) == asks


def test_the_first_shoe_is_opened_by_a_dealer_who_signed_in() -> None:
    table = Sitting(dealer_signs_in=True)
    handled = table.dealer(OpenShoe())
    assert code_of(handled) == "not_signed_in"
    assert not handled.changed
    assert table.at(Phase.NO_SHOE)
    table.sign_in()
    assert code_of(table.dealer(OpenShoe(), person="dealer")) is None
    assert table.last(ShoeOpened).opened_by == Person(person="dan")
    assert table.last(ShoeOpened).rules.dealer_signs_in  # type: ignore[union-attr]  # of layout 1 alone it is null


@pytest.mark.parametrize(("now", "next_shoe"), [(True, False), (False, True)])
def test_the_next_shoe_needs_a_dealer_if_this_one_or_that_one_does(now: bool, next_shoe: bool) -> None:  # noqa: FBT001 - a table of cases
    table = Sitting(dealer_signs_in=now)
    table.open_shoe()
    table.duty_token = ""
    table.rules = msgspec.structs.replace(
        table.rules, procedure=msgspec.structs.replace(table.rules.procedure, dealer_signs_in=next_shoe)
    )
    table.act(EndShoe())
    assert code_of(table.dealer(OpenShoe())) == "not_signed_in"
    table.sign_in()
    assert code_of(table.dealer(OpenShoe())) is None


def test_a_file_that_asks_for_it_now_counts_when_the_shoe_is_over() -> None:
    table = Sitting()
    table.open_shoe()
    table.give(ControllerStarted(boot="first", revision=REVISION, dealer_signs_in=True))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench"))
    assert not any(each.token for each in view_of(table.state, read_rules).acts), "in this shoe it is as it was"
    table.act(EndShoe())
    table.rules = msgspec.structs.replace(
        table.rules, procedure=msgspec.structs.replace(table.rules.procedure, dealer_signs_in=True)
    )
    offered = {each.act for each in view_of(table.state, read_rules).acts if each.role is Role.DEALER}
    assert offered == {"sign_in"}
    assert prompt(table.state) == SignInFirst()
    assert code_of(table.dealer(OpenShoe())) == "not_signed_in"
    table.sign_in()
    assert code_of(table.dealer(OpenShoe())) is None


def test_a_supervisor_needs_no_sign_in() -> None:
    table = guarded()
    table.dealer(SignOut())
    assert code_of(table.act(CallSupervisor())) is None
    table.dealer(ClearAlert(alert=1))
    assert table.alerts == ["supervisor_called"]
    assert code_of(table.act(ClearAlert(alert=1))) is None


def test_where_the_house_does_not_ask_for_it_any_name_will_do_and_the_rules_say_so() -> None:
    table = Sitting()
    table.open_shoe()
    assert code_of(table.dealer(CallSupervisor(), person="eve")) is None
    assert table.last(PersonActed).person == "eve"
    assert table.last(ShoeOpened).rules.dealer_signs_in is False  # type: ignore[union-attr]  # as above


# --- signing in and out ----------------------------------------------------------------------------------------------


def test_a_sign_in_ends_anothers_and_one_dealer_is_on_duty() -> None:
    table = guarded()
    dans = table.duty_token
    assert code_of(table.sign_in("eve")) is None
    assert table.last(DealerChanged).dealer == "eve"
    assert table.last(DealerChanged).before == "dan"
    assert view_of(table.state, read_rules).dealer == "eve"
    assert code_of(table.dealer(CallSupervisor(), person="dan", token_digest=dans)) == "not_signed_in"
    assert code_of(table.dealer(CallSupervisor())) is None


def test_a_second_sign_in_of_the_same_dealer_ends_the_first_token() -> None:
    table = guarded()
    before, changes = table.duty_token, len(table.all(DealerChanged))
    table.sign_in("dan", token=SECOND)
    assert len(table.all(DealerChanged)) == changes
    assert code_of(table.dealer(CallSupervisor(), token_digest=before)) == "not_signed_in"
    assert code_of(table.dealer(CallSupervisor())) is None


@pytest.mark.parametrize("pin", [PinVerdict.WRONG, PinVerdict.NOT_GIVEN])
def test_without_the_right_pin_nobody_goes_on_duty(pin: PinVerdict) -> None:
    table = guarded()
    handled = table.act(SignIn(), person="eve", role=Role.DEALER, pin=pin, token_digest=FIRST)
    assert code_of(handled) in ("wrong_pin", "pin_missing")
    assert table.state.lasting.dealer_id == "dan"


def test_a_dealers_sign_in_needs_a_token_and_a_supervisors_changes_nothing() -> None:
    table = guarded()
    assert code_of(table.act(SignIn(), person="eve", role=Role.DEALER)) == "token_missing"
    assert code_of(table.act(SignIn(), person="ann", token_digest=FIRST)) is None
    assert table.state.lasting.dealer_id == "dan"


@pytest.mark.parametrize("asks", [True, False])
def test_before_the_first_shoe_too(*, asks: bool) -> None:
    table = Sitting(dealer_signs_in=asks)
    table.give(ControllerStarted(boot="first", revision=REVISION, dealer_signs_in=asks))
    handled = table.act(SignIn(), person="eve", role=Role.DEALER)
    assert code_of(handled) == ("token_missing" if asks else None)
    assert handled.changed is not asks


def test_an_older_terminals_sign_in_proves_the_pin_alone() -> None:
    table = Sitting()
    table.open_shoe()
    assert code_of(table.act(SignIn(), person="eve", role=Role.DEALER)) is None
    assert table.all(DealerChanged) == []
    assert table.state.lasting.dealer is None


def test_a_repeat_of_a_sign_in_does_not_end_the_one_after_it() -> None:
    table = guarded()
    first = PersonActs(
        act=SignIn(),
        person="dan",
        role=Role.DEALER,
        pin=PinVerdict.RIGHT,
        shoe=1,
        round=1,
        request_id="r1",
        contents="c1",
        token_digest=FIRST,
    )
    table.give(first)
    table.sign_in("eve")
    assert not table.give(first).changed
    assert table.state.lasting.dealer_id == "eve"


def test_signing_out_ends_the_token() -> None:
    table = guarded()
    assert code_of(table.dealer(SignOut())) is None
    assert table.last(DealerChanged).dealer is None
    assert code_of(table.dealer(CallSupervisor())) == "not_signed_in"
    assert code_of(table.dealer(SignOut())) == "not_signed_in"
    assert code_of(table.act(SignOut())) == "nobody_on_duty"


def test_a_supervisor_signs_the_dealer_out() -> None:
    table = guarded()
    assert code_of(table.act(SignOut())) is None
    assert table.last(PersonActed).person == "ann"
    assert table.last(DealerChanged).before == "dan"


def test_nobody_signs_another_out_where_any_name_will_do() -> None:
    table = Sitting()
    table.sign_in()
    assert code_of(table.dealer(SignOut(), token_digest="")) == "not_signed_in"
    assert table.state.lasting.dealer_id == "dan"


def test_a_dealer_who_is_struck_off_is_off_duty_and_another_is_not() -> None:
    table = guarded()
    table.give(DealerStruckOff(person="eve"))
    assert table.state.lasting.dealer_id == "dan"
    table.give(DealerStruckOff(person="dan"))
    assert table.state.lasting.dealer is None
    assert table.last(DealerChanged).before == "dan"


def test_nobody_is_on_duty_after_a_rollback() -> None:
    """The older journal may have a sign-in that has ended since."""
    assert for_new_journal(guarded().state).lasting.dealer is None


# --- what the record and the displays say ----------------------------------------------------------------------------


def test_every_round_names_the_dealer_who_began_it_and_the_one_who_ended_it() -> None:
    table = guarded()
    play(table)
    table.sign_in("eve")
    table.deal("9H 2D")
    assert table.last(BettingClosed).dealer == "eve"
    table.sign_in("fay")
    table.deal("KS 4C")
    table.dealer(Confirm())
    assert [fact.dealer for fact in table.all(BettingClosed)] == ["dan", "eve"]
    assert [fact.dealer for fact in table.all(RoundResult)] == ["dan", "fay"]


def test_a_round_that_the_dealer_closes_names_the_dealer_too() -> None:
    table = guarded(bets_close=BetsClose.DEALER)
    table.dealer(NoMoreBets())
    assert table.last(BettingClosed).dealer == "dan"


def test_without_a_dealer_the_table_asks_for_one_and_locks_the_gate() -> None:
    table = guarded()
    assert table.table.desired_shoe.gate_locked is False
    table.dealer(SignOut())
    assert prompt(table.state) == SignInFirst()
    assert table.table.desired_shoe == DesiredShoe(gate_locked=True)
    offered = {each.act for each in view_of(table.state, read_rules).acts if each.role is Role.DEALER}
    assert offered == {"sign_in", "blink_shoe"}
    table.sign_in()
    assert prompt(table.state) == TakeWagersAndDraw()
    assert not table.table.desired_shoe.gate_locked


def test_a_round_under_way_goes_on_without_a_dealer() -> None:
    table = guarded()
    table.deal("9H 2D")
    table.dealer(SignOut())
    assert prompt(table.state) != SignInFirst()
    table.deal("KS 4C")
    table.result(IndicatedWinner.PLAYER)
    assert table.last(RoundResult).dealer is None
    assert prompt(table.state) == SignInFirst()


@pytest.mark.parametrize("bets_close", BetsClose)
def test_a_round_that_begins_with_nobody_on_duty_waits_for_a_dealer(bets_close: BetsClose) -> None:
    table = guarded(bets_close=bets_close)
    if bets_close is BetsClose.DEALER:
        table.dealer(NoMoreBets())
    table.dealer(SignOut())
    table.deal("9H 2D KS 4C")
    assert table.alerts == ["nobody_on_duty"], "no card is lost"
    table.result(IndicatedWinner.PLAYER)
    assert table.all(RoundResult) == []
    table.sign_in("eve")
    assert table.alerts == []
    assert table.last(RoundResult).dealer == "eve"


def test_a_shoe_that_opened_itself_is_not_dealt_with_nobody_on_duty() -> None:
    table = Sitting(dealer_signs_in=True)
    table.event(ButtonPressed(button=Button.NEW_SHOE))
    table.event(CardDrawn(hand=Hand.BURN, card=Card.parse("AS"), first_of_shoe=True))
    table.event(CardDrawn(hand=Hand.BURN))
    table.card("7H")
    assert table.alerts == ["nobody_on_duty"]


def test_where_an_earlier_version_ran_the_table_a_round_began_without_a_dealer() -> None:
    table = guarded()
    table.give(ControllerStarted(boot="first", revision=3, dealer_signs_in=True))
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1, shoe_name="bench"))
    table.dealer(SignOut())
    table.deal("9H")
    assert table.alerts == [], "recorded facts are replayed"


def test_possible_acts_say_where_a_token_is_needed() -> None:
    for signs_in in (True, False):
        table = Sitting(dealer_signs_in=signs_in)
        table.open_shoe()
        table.sign_in()
        acts = view_of(table.state, read_rules).acts
        assert {each.act for each in acts if each.token} == {
            each.act
            for each in acts
            if each.role is Role.DEALER and each.act != "blink_shoe" and (signs_in or each.act == "sign_out")
        }


# --- a new dealer burns ----------------------------------------------------------------------------------------------


def relieved(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in Sitting
    """Dan has dealt a round, and eve takes over."""
    table = guarded(new_dealer_burns=True, **procedure)
    play(table)
    table.sign_in("eve")
    return table


@pytest.mark.parametrize("hand", [Hand.BURN, None])
@pytest.mark.parametrize("bets_close", BetsClose)
def test_a_new_dealer_burns_a_card_before_the_round(hand: Hand | None, bets_close: BetsClose) -> None:
    table = relieved(bets_close=bets_close)
    burned = table.state.shoe.burned  # type: ignore[union-attr]  # a shoe is open
    assert prompt(table.state) == NewDealerBurns()
    assert table.table.desired_shoe.next_hand is Hand.BURN
    assert not table.table.desired_shoe.gate_locked
    table.event(CardDrawn(hand=hand))
    assert table.last(CardBurned).burned == burned + 1
    assert table.alerts == []
    assert table.at(Phase.BETTING)
    by_dealer = bets_close is BetsClose.DEALER
    assert prompt(table.state) == (TakeWagers() if by_dealer else TakeWagersAndDraw())
    play(table)
    assert table.last(RoundResult).dealer == "eve"
    assert prompt(table.state) != NewDealerBurns()


def test_one_card_is_burned_and_a_second_is_one_too_many() -> None:
    table = relieved()
    table.event(CardDrawn(hand=Hand.BURN))
    table.event(CardDrawn(hand=Hand.BURN))
    assert table.alerts == ["burned_between_rounds"]


def test_a_card_of_a_round_instead_stops_the_table_until_a_supervisor_decides() -> None:
    table = relieved()
    table.card("9H", Hand.PLAYER)
    assert table.alerts == ["burn_due"]
    assert code_of(table.dealer(ClearAlert(alert=table.alert_number("burn_due")))) == "not_a_supervisor"
    assert code_of(table.act(ClearAlert(alert=table.alert_number("burn_due")))) is None
    table.deal("2D KS 4C")
    table.result(IndicatedWinner.PLAYER)
    assert prompt(table.state) != NewDealerBurns()


@pytest.mark.parametrize("way_out", [VoidRound(), VoidAndReplay()])
def test_a_void_ends_it_too(way_out: VoidRound | VoidAndReplay) -> None:
    table = relieved()
    table.card("9H", Hand.PLAYER)
    table.act(way_out)
    assert table.alerts == []


def test_it_is_burned_after_no_more_bets_as_well() -> None:
    table = relieved(bets_close=BetsClose.DEALER)
    table.dealer(NoMoreBets())
    assert prompt(table.state) == NewDealerBurns()
    table.event(CardDrawn(hand=Hand.BURN))
    assert table.at(Phase.CLOSED)
    play(table)
    assert table.alerts == []


def test_who_takes_over_in_mid_round_burns_before_the_next() -> None:
    table = guarded(new_dealer_burns=True)
    table.deal("9H 2D")
    table.sign_in("eve")
    assert prompt(table.state) != NewDealerBurns()
    table.deal("KS 4C")
    table.result(IndicatedWinner.PLAYER)
    assert table.alerts == []
    assert prompt(table.state) == NewDealerBurns()


@pytest.mark.parametrize(
    ("comings", "due"),
    [
        (("dan",), False),
        (("eve",), True),
        (("eve", "dan"), False),
        (("eve", "fay"), True),
        (("eve", "eve"), True),
    ],
)
def test_only_another_than_the_last_dealer_burns(comings: tuple[str, ...], *, due: bool) -> None:
    table = guarded(new_dealer_burns=True)
    play(table)
    for person in comings:
        table.dealer(SignOut())
        table.sign_in(person)
    assert (prompt(table.state) == NewDealerBurns()) == due


def test_who_burned_and_is_relieved_again_is_the_last_dealer() -> None:
    table = relieved()
    table.event(CardDrawn(hand=Hand.BURN))
    table.sign_in("dan")
    assert prompt(table.state) == NewDealerBurns()


@pytest.mark.parametrize("rounds", [0, 1])
def test_nothing_is_burned_before_the_first_round_or_where_the_house_does_not_ask(rounds: int) -> None:
    table = guarded(new_dealer_burns=rounds == 0)
    for _ in range(rounds):
        play(table)
    table.sign_in("eve")
    assert prompt(table.state) == TakeWagersAndDraw()
    assert table.event(CardDrawn(hand=Hand.BURN)).changed
    assert table.alerts == ["burned_between_rounds"]


def test_a_new_shoe_is_nobodys_yet() -> None:
    table = relieved()
    table.open_shoe()
    table.sign_in("fay")
    assert prompt(table.state) == TakeWagersAndDraw()


def test_the_shoes_own_burn_button_changes_nothing_at_the_table() -> None:
    table = relieved()
    table.event(ButtonPressed(button=Button.BURN))
    assert prompt(table.state) == NewDealerBurns()
    assert table.alerts == []
