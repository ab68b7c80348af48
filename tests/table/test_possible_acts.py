"""`state.acts` lists an act for a role just where the table accepts it from that role, with these targets."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.baccarat.sides import Side
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    ACTS,
    Act,
    Adjust,
    AmendedCard,
    AmendRound,
    AnyAct,
    Approve,
    AssignCards,
    AssignedCard,
    BeginHandEntry,
    ClearAlert,
    CloseDispute,
    CollectCommission,
    Confirm,
    CorrectCard,
    CountRemainder,
    DealCard,
    DiscardCard,
    EnterCard,
    FreeHand,
    IdentifyCard,
    MoveWager,
    NoMoreBets,
    OpenDispute,
    RevealCards,
    Role,
    SetWager,
    SignOut,
    UndoLastResult,
    WaiveCommission,
    Withdraw,
)
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.requests import Stake
from shoe_controller.messages.retained import MOST_DISPUTES, PossibleAct
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from shoe_controller.table.view import view_of
from tests.table.alert_cases import CASES, Case
from tests.table.sitting import Sitting
from tests.table.test_phases import PLAYER_WINS, TO

OTHER_FACE = Card.parse("3C")
"""No card of the cases has it, so that a correction to it is one."""


TARGETS: dict[type[Act], tuple[str, Sequence[object], str, dict[str, object]]] = {
    IdentifyCard: ("number", range(7), "cards", {"card": OTHER_FACE}),
    CorrectCard: ("number", range(7), "cards", {"card": OTHER_FACE}),
    DiscardCard: ("number", range(7), "cards", {"cause": DiscardCause.DAMAGED, "card": None}),
    EnterCard: ("number", range(7), "cards", {"card": OTHER_FACE}),
    RevealCards: ("hand", tuple(Side), "hands", {}),
    ClearAlert: ("alert", range(5), "alerts", {}),
    Approve: ("proposal", range(3), "proposals", {}),
    Withdraw: ("proposal", range(3), "proposals", {}),
    CloseDispute: ("dispute", range(3), "disputes", {}),
    CollectCommission: ("seat", "12", "seats", {}),
    WaiveCommission: ("seat", "12", "seats", {}),
}
"""The acts that are about something: the field that names it, what is tried, where it is listed, and other fields."""

OTHERS: dict[type[Act], AnyAct] = {
    SetWager: SetWager(seat="3", wager="base.tie", stake=30),
    MoveWager: MoveWager(seat="1", wager="base.player", to_seat="3"),
    AmendRound: AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=Card.parse("7D")),)),
    Adjust: Adjust(seat="1", amount=-50),
    DealCard: DealCard(card=OTHER_FACE),
    AssignCards: AssignCards(cards=(AssignedCard(hand=Side.PLAYER, card=OTHER_FACE),)),
    CountRemainder: CountRemainder(cards=80),
}
"""Acts that need more than their name; whatever they are about, they are offered."""


def attempts(act: type[Act]) -> Iterator[tuple[AnyAct, Callable[[PossibleAct], bool]]]:
    """An act with each of its possible targets, and whether a listed act offers that target."""
    if act not in TARGETS:
        yield OTHERS.get(act) or act(), lambda _: True  # type: ignore[misc]
        return
    field, targets, listed_in, more = TARGETS[act]
    for target in targets:
        yield act(**{field: target}, **more), partial(_offers, listed_in, target)  # type: ignore[misc]


def as_displayed(table: Sitting, act: AnyAct) -> AnyAct:
    """A card is discarded by what is displayed of it."""
    cards = view_of(table.state, read_rules).cards
    if not isinstance(act, DiscardCard) or not 1 <= act.number <= len(cards):
        return act
    return msgspec.structs.replace(act, card=cards[act.number - 1].card)


def _offers(listed_in: str, target: object, listed: PossibleAct) -> bool:
    return target in getattr(listed, listed_in)


def accepted(table: Sitting, act: AnyAct, role: Role, listed: PossibleAct | None) -> bool:
    """Whether the table would do it for somebody who gives no more than what the list says is needed."""
    pin = role is Role.SUPERVISOR if listed is None else listed.pin
    reason = listed is None or listed.reason
    given = PersonActs(
        act=act,
        person="cat" if role is Role.SUPERVISOR else table.state.lasting.dealer_id or "cat",
        role=role,
        pin=PinVerdict.RIGHT if pin else PinVerdict.NOT_GIVEN,
        reason="as seen on the table" if reason else "",
        shoe=table.state.shoe_number,
        round=table.state.round_number,
        token_digest=table.duty_token if listed is not None and listed.token else "",
    )
    at = table.moment()
    return table.table.opens_shoe(given, at) or table.table.handle(table.with_past(given), at).refusal is None


def assert_list_is_right(table: Sitting) -> None:
    acts = view_of(table.state, read_rules).acts
    assert len({(listed.role, listed.act) for listed in acts}) == len(acts)
    for act, rule in ACTS.items():
        for role in Role:
            listed = next((one for one in acts if one.act is rule.name and one.role is role), None)
            for attempt, offered in attempts(act):
                is_listed = listed is not None and offered(listed)
                done = accepted(table, as_displayed(table, attempt), role, listed)
                # Where other cards were drawn after it, a card's face decides whether it fits; so with assigned cards.
                assert done == is_listed or (act in (EnterCard, AssignCards) and is_listed), (attempt, role)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("wagers", [False, True])
def test_in_each_phase(phase: Phase, *, wagers: bool) -> None:
    table = Sitting()
    TO[phase](table)
    if wagers:
        table.bet("1", "base.player", 50)
    assert_list_is_right(table)


SHOWN = [case for case in CASES if case.procedure.get("reveal", Reveal.AT_DRAW) is Reveal.AT_DRAW]
"""Where cards lie face down, an act may be listed and refused: the list must not tell of them."""


@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.name)
def test_with_each_alert(case: Case) -> None:
    table = case.table()
    assert_list_is_right(table)
    case.ready(table)
    assert_list_is_right(table)


@pytest.mark.parametrize("signs_in", [False, True])
@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING, Phase.ENDED])
def test_with_a_dealer_on_duty_and_with_none(phase: Phase, *, signs_in: bool) -> None:
    table = Sitting(dealer_signs_in=signs_in)
    table.sign_in()
    TO[phase](table)
    assert_list_is_right(table)
    table.dealer(SignOut())
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


def by_hand() -> Sitting:
    table = with_wagers()
    table.act(BeginHandEntry())
    return table


def dealt_by_hand() -> Sitting:
    table = by_hand()
    for text in PLAYER_WINS.split()[:3]:
        table.dealer(DealCard(card=Card.parse(text)))
    return table


def settled_by_hand() -> Sitting:
    table = dealt_by_hand()
    table.dealer(DealCard(card=Card.parse(PLAYER_WINS.split()[3])))
    table.dealer(Confirm())
    return table


def marked() -> Sitting:
    table = Sitting({"base_game": "commission", "commission": {"taken": "marked"}})
    table.open_shoe()
    table.bet("1", "base.banker", 100)
    table.deal("2H 9D 3S KC")
    table.result(IndicatedWinner.BANKER)
    return table


def disputed() -> Sitting:
    table = settled()
    table.act(OpenDispute(round=1, seat="1"))
    return table


def as_many_disputes_as_can_be() -> Sitting:
    table = settled()
    for _ in range(MOST_DISPUTES):
        table.act(OpenDispute())
    return table


def adjusting() -> Sitting:
    table = settled()
    table.act(Adjust(seat="1", amount=50), person="ann")
    return table


STORIES = (
    by_hand,
    dealt_by_hand,
    settled_by_hand,
    with_wagers,
    free_hand,
    closed,
    settled,
    proposed,
    undone,
    marked,
    disputed,
    as_many_disputes_as_can_be,
    adjusting,
)


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
            for role in Role:
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
