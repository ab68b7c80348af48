"""What the console offers is what the table would take: compared act by act, in every phase and with every alert."""

from collections.abc import Callable

import msgspec
import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import IndicatedWinner
from shoe_controller.console.allowed import HELD, RULES, OfferedAct, betting_is_open, dealer_acts, supervisor_acts
from shoe_controller.messages.acts import (
    ACTS,
    AnyAct,
    Approve,
    CorrectCard,
    FreeHand,
    IdentifyCard,
    NoMoreBets,
    RevealCards,
    Role,
    UndoLastResult,
)
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal
from shoe_controller.messages.requests import Stake
from shoe_controller.table.inputs import PersonActs, PinVerdict, SeatBets
from tests.console.bench import info_of, state_of
from tests.table.alert_cases import CASES
from tests.table.sitting import Sitting
from tests.table.test_phases import PLAYER_WINS, TO

Story = Callable[[], Sitting]


def in_phase(phase: Phase) -> Story:
    def story() -> Sitting:
        table = Sitting()
        TO[phase](table)
        return table

    return story


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


def settled() -> Sitting:
    table = with_wagers()
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    return table


def undone() -> Sitting:
    table = settled()
    table.act(UndoLastResult())
    table.act(Approve(proposal=1), person="ben")
    return table


def proposed() -> Sitting:
    table = settled()
    table.act(UndoLastResult())
    return table


def face_down(reveal: Reveal) -> Story:
    def story() -> Sitting:
        table = Sitting(reveal=reveal)
        table.open_shoe()
        table.deal(PLAYER_WINS)
        return table

    return story


def half_shown() -> Sitting:
    table = face_down(Reveal.BY_DEALER)()
    table.dealer(RevealCards())
    return table


def closed() -> Sitting:
    table = with_wagers()
    table.dealer(NoMoreBets())
    return table


STORIES: dict[str, Story] = {
    **{phase.value: in_phase(phase) for phase in Phase},
    **{case.name: case.table for case in CASES},
    **{story.__name__: story for story in (with_wagers, free_hand, settled, undone, proposed, half_shown, closed)},
    "face_down_by_dealer": face_down(Reveal.BY_DEALER),
    "face_down_at_result": face_down(Reveal.AT_RESULT),
}
every_story = pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)


def refused(table: Sitting, act: AnyAct, *, by_supervisor: bool) -> str | None:
    """What the table says to it, which it does not do."""
    given = PersonActs(
        act=act,
        person="ann",
        role=Role.SUPERVISOR if by_supervisor else Role.DEALER,
        pin=PinVerdict.RIGHT if by_supervisor else PinVerdict.NOT_GIVEN,
        reason="seen" if by_supervisor else "",
        shoe=table.state.shoe_number,
        round=table.state.round_number,
    )
    whole = table.table.new_shoe(table.rules, given) if table.table.opens_shoe(given) else given
    refusal = table.table.handle(whole, table.moment()).refusal
    return None if refusal is None else refusal.code


PLAIN: dict[str, AnyAct] = {
    rule.name: msgspec.convert({"act": rule.name}, AnyAct)
    for act, rule in ACTS.items()
    if not any(field.required for field in msgspec.structs.fields(act))
}


@every_story
def test_the_dealer_is_offered_what_the_table_would_take(story: Story) -> None:
    table = story()
    offered = {act.act for act in dealer_acts(info_of(table), state_of(table))}
    names = [
        rule.name for rule in ACTS.values() if rule.role is Role.DEALER and rule.name not in {"sign_in", "clear_alert"}
    ]
    taken = {name for name in names if refused(table, PLAIN[name], by_supervisor=False) is None}
    assert offered == taken


@every_story
def test_a_supervisor_is_offered_what_the_table_would_take(story: Story) -> None:
    table = story()
    for offered in supervisor_acts(info_of(table), state_of(table)):
        if offered.act in PLAIN:
            takes = refused(table, PLAIN[offered.act], by_supervisor=True) is None
            assert offered.possible == takes, offered.act
        else:
            check_card_act(table, offered)


def check_card_act(table: Sitting, offered: OfferedAct) -> None:
    """Every card that can be named or corrected is offered; of those face down the messages do not tell which."""
    kind = IdentifyCard if offered.act == "identify_card" else CorrectCard
    numbers = range(7)
    taken = {
        number
        for number in numbers
        if any(
            refused(table, kind(number=number, card=Card.parse(card)), by_supervisor=True) is None
            for card in ("3C", "4C")
        )
    }
    hidden = {place.number for place in state_of(table).cards if place.card is None}
    cards = set(offered.cards) if offered.possible else set()
    assert taken <= cards
    foreign = {alert.kind for alert in table.state.lasting.alerts} & {"foreign_card"}
    assert cards - taken <= hidden or foreign


@every_story
def test_wagers_are_open_just_when_the_table_takes_them(story: Story) -> None:
    table = story()
    bet = SeatBets(
        seat="2",
        stakes=(Stake("base.banker", 50),),
        shoe=table.state.shoe_number,
        round=table.state.round_number,
    )
    takes = table.table.handle(bet, table.moment()).refusal is None
    assert betting_is_open(state_of(table)) == takes


def test_every_act_has_its_place_and_what_cannot_be_taken_back_is_held() -> None:
    table = settled()
    info, state = info_of(table), state_of(table)
    beside = {"sign_in", "clear_alert", "approve", "withdraw"}
    own = {rule.name for rule in ACTS.values() if rule.role is Role.SUPERVISOR}
    listed = {act.act for act in supervisor_acts(info, state)}
    assert own - listed == {"approve", "withdraw"}
    assert set(RULES) - listed - beside == {
        rule.name for rule in ACTS.values() if rule.role is Role.DEALER and rule.name not in {*beside, "confirm"}
    }
    assert set(RULES) >= HELD
    assert {act.act for act in supervisor_acts(info, state) if act.two_people} == {"undo_last_result"}
