"""`state.acts` lists an act for a role just where the table accepts it from that role, with these targets."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    ACTS,
    Act,
    AnyAct,
    Approve,
    ClearAlert,
    CorrectCard,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    OpenShoe,
    RevealCards,
    Role,
    UndoLastResult,
    Withdraw,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.requests import Stake
from shoe_controller.messages.retained import PossibleAct
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from shoe_controller.table.view import view_of
from tests.table.alert_cases import CASES, Case
from tests.table.sitting import Sitting
from tests.table.test_phases import PLAYER_WINS, TO

OTHER_FACE = Card.parse("3C")
"""No card of the cases has it, so that a correction to it is one."""


def attempts(act: type[Act]) -> Iterator[tuple[AnyAct, Callable[[PossibleAct], bool]]]:
    """An act with each of its possible targets, and whether a listed act offers that target."""
    if act in (IdentifyCard, CorrectCard):
        for number in range(7):
            yield act(number=number, card=OTHER_FACE), lambda listed, number=number: number in listed.cards  # type: ignore[misc]
    elif act is RevealCards:
        for hand in Side:
            yield RevealCards(hand=hand), lambda listed, hand=hand: hand in listed.hands  # type: ignore[misc]
    elif act is ClearAlert:
        for number in range(5):
            yield ClearAlert(alert=number), lambda listed, number=number: number in listed.alerts  # type: ignore[misc]
    elif act in (Approve, Withdraw):
        for number in range(3):
            yield act(proposal=number), lambda listed, number=number: number in listed.proposals  # type: ignore[misc]
    else:
        yield act(), lambda _: True  # type: ignore[misc]


def accepted(table: Sitting, act: AnyAct, role: Role, listed: PossibleAct | None) -> bool:
    """Whether the table would do it for somebody who gives no more than what the list says is needed."""
    pin = role is Role.SUPERVISOR if listed is None else listed.pin
    reason = listed is None or listed.reason
    given = PersonActs(
        act=act,
        person="cat",
        role=role,
        pin=PinVerdict.RIGHT if pin else PinVerdict.NOT_GIVEN,
        reason="as seen on the table" if reason else "",
        shoe=table.state.shoe_number,
        round=table.state.round_number,
    )
    return table.table.opens_shoe(given) or table.table.handle(given, table.moment()).refusal is None


def assert_list_is_right(table: Sitting) -> None:
    acts = view_of(table.state, read_rules).acts
    assert len({(listed.role, listed.act) for listed in acts}) == len(acts)
    for act, rule in ACTS.items():
        for role in Role:
            if act is OpenShoe and role is Role.SUPERVISOR:
                continue  # there is no such request; the dealer's will do
            listed = next((one for one in acts if one.act is rule.name and one.role is role), None)
            for attempt, offered in attempts(act):
                is_listed = listed is not None and offered(listed)
                assert accepted(table, attempt, role, listed) == is_listed, (attempt, role)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("wagers", [False, True])
def test_in_each_phase(phase: Phase, *, wagers: bool) -> None:
    table = Sitting()
    TO[phase](table)
    if wagers:
        table.bet("1", "base.player", 50)
    assert_list_is_right(table)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_with_each_alert(case: Case) -> None:
    table = case.table()
    assert_list_is_right(table)
    case.ready(table)
    assert_list_is_right(table)


def test_with_cards_face_down_that_the_dealer_shows() -> None:
    table = Sitting(reveal=Reveal.BY_DEALER)
    table.open_shoe()
    table.card("7H")
    listed = next(act for act in view_of(table.state, read_rules).acts if act.act == "reveal_cards")
    assert listed.hands == (Side.PLAYER,)
    table.deal("4D")
    table.dealer(RevealCards(hand=Side.PLAYER))
    listed = next(act for act in view_of(table.state, read_rules).acts if act.act == "reveal_cards")
    assert listed.hands == (Side.BANKER,)
    table.dealer(RevealCards())
    assert_list_is_right(table)


def test_with_a_proposal_while_it_can_be_approved_and_after() -> None:
    table = Sitting()
    TO[Phase.COMPLETE](table)
    table.result(IndicatedWinner.PLAYER)
    table.act(UndoLastResult(), person="ann")
    assert "approve" in [act.act for act in view_of(table.state, read_rules).acts]
    assert_list_is_right(table)
    table.deal("7H")
    assert "approve" not in [act.act for act in view_of(table.state, read_rules).acts]
    assert_list_is_right(table)
    table.deal("4D KS 2C")
    table.result(IndicatedWinner.PLAYER)
    assert_list_is_right(table)


# --- rounds in other states ------------------------------------------------------------------------------------------


def in_phase_of(phase: Phase) -> Sitting:
    table = Sitting()
    TO[phase](table)
    return table


def with_wagers() -> Sitting:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    return table


def free_hand() -> Sitting:
    table = Sitting()
    table.open_shoe()
    table.dealer(FreeHand())
    return table


def closed() -> Sitting:
    table = with_wagers()
    table.dealer(NoMoreBets())
    return table


def settled() -> Sitting:
    table = with_wagers()
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    return table


def proposed() -> Sitting:
    table = settled()
    table.act(UndoLastResult(), person="ann")
    return table


def undone() -> Sitting:
    table = proposed()
    table.act(Approve(proposal=1), person="ben")
    return table


STORIES = (with_wagers, free_hand, closed, settled, proposed, undone)


@pytest.mark.parametrize("story", STORIES)
def test_in_each_state_of_a_round(story: Callable[[], Sitting]) -> None:
    assert_list_is_right(story())


@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
def test_while_cards_lie_face_down_nothing_that_is_possible_is_left_out(reveal: Reveal) -> None:
    """More may be listed: the acts of both phases that the table may be in, and every card that cannot be seen."""
    table = Sitting(reveal=reveal)
    table.open_shoe()
    for cards in ("9H", "KD", "KS", "5C"):
        table.deal(cards)
        acts = view_of(table.state, read_rules).acts
        for act, rule in ACTS.items():
            for role in (Role.DEALER,) if act is OpenShoe else Role:
                listed = next((one for one in acts if one.act is rule.name and one.role is role), None)
                for attempt, offered in attempts(act):
                    if accepted(table, attempt, role, listed):
                        assert listed is not None, (attempt, role)
                        assert offered(listed), (attempt, role)


@pytest.mark.parametrize(
    "table",
    [
        *(pytest.param(partial(in_phase_of, phase), id=f"phase_{phase}") for phase in Phase),
        *(pytest.param(case.table, id=f"alert_{case.name}") for case in CASES),
        *(pytest.param(story, id=story.__name__) for story in STORIES),
    ],
)
def test_betting_is_open_just_where_the_table_accepts_a_wager(table: Callable[[], Sitting]) -> None:
    sitting = table()
    bet = SeatBets(
        seat="2",
        stakes=(Stake("base.banker", 50),),
        shoe=sitting.state.shoe_number,
        round=sitting.state.round_number,
    )
    accepts = sitting.table.handle(bet, sitting.moment()).refusal is None
    assert view_of(sitting.state, read_rules).betting_open == accepts
