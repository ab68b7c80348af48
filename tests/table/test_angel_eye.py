"""What an Angel Eye shoe does, telegram by telegram: over-draws, restarts, rounds that come while the table waits."""

from typing import Any

import pytest

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    IndicatedWinner,
    ResultIndicated,
    Standby,
    Started,
)
from firmware_protocol.pace import held_up_reason
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import (
    AnyAct,
    BurnExtraCard,
    ClearAlert,
    Confirm,
    EndShoe,
    EnterCard,
    UseExtraCard,
    VoidAndReplay,
    VoidRound,
)
from shoe_controller.messages.facts import (
    AlertRaised,
    CardSetAside,
    ExtraCardDecided,
    RoundResult,
    RoundSettled,
    RoundVoided,
    ShoeEnded,
)
from shoe_controller.messages.procedure import Reveal, ShownCard
from shoe_controller.messages.prompts import AwaitExtraCard
from shoe_controller.table.inputs import EventsMissed, LinkBack, LinkLost
from shoe_controller.table.procedure import OverDrawn
from shoe_controller.table.view import view_of
from tests.table.sitting import QuickSitting, Sitting
from tests.table.test_acts import code_of

PLACES = [(Hand.PLAYER, 1), (Hand.BANKER, 1), (Hand.PLAYER, 2), (Hand.BANKER, 2)]
FACES = ["7H", "4D", "KS", "2C"]
"""Player has 7, Banker 6: no third card."""
EXTRA = Card.parse("5C")
LISTENS = LinkBack(keeps_events=False, authenticated=False)


def at_angel_eye(**procedure: Any) -> Sitting:  # noqa: ANN401 - as in `Sitting`
    table = QuickSitting(**procedure)
    table.give(LISTENS)
    table.open_shoe()
    return table


def drawn(*, at_draw: bool, faces: list[str] | None = None) -> list[AnyShoeEvent]:
    told = FACES if faces is None else faces
    cards = [Card.parse(face) if at_draw else None for face in told]
    return [CardDrawn(hand=hand, position=at, card=card) for (hand, at), card in zip(PLACES, cards, strict=True)]


def result(*, at_draw: bool) -> list[AnyShoeEvent]:
    faces = zip(PLACES, FACES, strict=True)
    told = [CardIdentified(hand=hand, position=at, card=Card.parse(face)) for (hand, at), face in faces]
    return [*([] if at_draw else told), ResultIndicated(winner=IndicatedWinner.PLAYER), Standby()]


def one_round(suit: str, *, at_draw: bool) -> list[AnyShoeEvent]:
    """A whole round in one suit: no deck holds more of a face than come in sixteen of them."""
    faces = [face[0] + suit for face in FACES]
    named = zip(PLACES, faces, strict=True)
    told = [CardIdentified(hand=hand, position=at, card=Card.parse(face)) for (hand, at), face in named]
    shown = ResultIndicated(winner=IndicatedWinner.PLAYER)
    return [*drawn(at_draw=at_draw, faces=faces), *([] if at_draw else told), shown, Standby()]


def over_draw(*, at_draw: bool, carried: bool) -> tuple[list[AnyShoeEvent], list[AnyShoeEvent]]:
    """The round up to `E` 82, and what follows up to the next round's cards."""
    burned = [] if carried or at_draw else [CardIdentified(hand=Hand.EXTRA, card=EXTRA)]
    following = drawn(at_draw=at_draw)
    if carried:
        first = CardDrawn(hand=Hand.PLAYER, position=1, card=EXTRA if at_draw else None, carried_over=True)
        following = [first, *following[1:]]
    before = [*drawn(at_draw=at_draw), Fault(code=FaultCode.OVER_DRAW, detail=2)]
    after = [
        CardDrawn(hand=Hand.EXTRA, card=EXTRA if at_draw else None),
        *burned,
        FaultCleared(code=FaultCode.OVER_DRAW, detail=2),
        *result(at_draw=at_draw),
        *following,
    ]
    return before, after


def offered(table: Sitting) -> set[str]:
    view = view_of(table.state, read_rules)
    by_clearing = {"clear_alert"} if any(act.alerts for act in view.acts if act.act == "clear_alert") else set()
    return {act.act for act in view.acts if act.act in ("use_extra_card", "burn_extra_card")} | by_clearing


def the_act(name: str, table: Sitting) -> AnyAct:
    if name == "clear_alert":
        return ClearAlert(alert=table.alert_number("over_draw"))
    return UseExtraCard() if name == "use_extra_card" else BurnExtraCard()


@pytest.mark.parametrize("carried", [True, False], ids=["carried", "burned"])
@pytest.mark.parametrize(("at_draw", "reveal"), [(True, Reveal.BY_DEALER), (False, Reveal.AT_RESULT)])
def test_an_over_draw_is_one_alert_and_one_act_at_whichever_telegram(
    reveal: Reveal, *, at_draw: bool, carried: bool
) -> None:
    """What is offered is accepted, and nothing else; nothing further arises, and the shoe's `R` is followed."""
    before, after = over_draw(at_draw=at_draw, carried=carried)
    moments = range(len(after) - len(PLACES))
    for moment in moments:
        for name in ("use_extra_card" if carried else "burn_extra_card", "clear_alert"):
            table = at_angel_eye(reveal=reveal, over_drawn=OverDrawn.USE if carried else OverDrawn.BURN)
            table.bet("1", "base.player", 50)
            for event in [*before, *after[:moment]]:
                table.event(event)
            assert table.alerts == ["over_draw"]
            if moment == 0:
                assert offered(table) == set(), "its card has not come"
                assert view_of(table.state, read_rules).prompt == AwaitExtraCard()
                assert code_of(table.act(the_act("clear_alert", table))) == "extra_card_awaited"
                continue
            assert offered(table) == {"use_extra_card", "burn_extra_card", "clear_alert"}
            assert code_of(table.act(the_act(name, table))) is None
            for event in after[moment:]:
                table.event(event)
            assert table.alerts == []
            assert [fact.alert.kind for fact in table.all(AlertRaised)] == ["over_draw"]
            assert len(table.all(RoundSettled)) == 1
            assert table.state.round is not None
            assert len(table.state.round.cards) == len(PLACES)
            assert table.state.round.cards[0].carried == carried


@pytest.mark.parametrize("at_draw", [True, False], ids=["at draw", "at result"])
def test_a_card_that_was_shown_is_burned_or_begins_a_free_hand_as_the_house_has_it(*, at_draw: bool) -> None:
    before, after = over_draw(at_draw=at_draw, carried=True)
    for house in ShownCard:
        table = at_angel_eye(reveal=Reveal.AT_DRAW, shown_card=house)
        for event in [*before, *after[:2]]:
            table.event(event)
        free = house is ShownCard.FREE_HAND
        assert offered(table) == {"burn_extra_card", "clear_alert", *(["use_extra_card"] if free else [])}
        assert code_of(table.act(UseExtraCard() if free else BurnExtraCard())) is None
        for event in after[2:]:
            table.event(event)
        assert table.alerts == ([] if free else ["shown_card_carried"])


def test_a_void_before_the_extra_card_has_come_burns_it_too() -> None:
    before, after = over_draw(at_draw=True, carried=False)
    table = at_angel_eye(reveal=Reveal.BY_DEALER)
    for event in before:
        table.event(event)
    assert table.state.shoe is not None
    assert code_of(table.act(VoidRound())) is None
    for event in after:
        table.event(event)
    assert table.alerts == []
    assert (table.state.shoe.burned, table.state.shoe.cards_out) == (2, 2 + 4 + 1 + 4)


def test_a_time_out_while_an_over_draw_stands_is_no_alert_of_its_own() -> None:
    before, after = over_draw(at_draw=False, carried=True)
    table = at_angel_eye(reveal=Reveal.AT_RESULT)
    for event in [*before, after[0], Fault(code=FaultCode.DRAW_TIMEOUT, stopped=True, detail=7)]:
        table.event(event)
    assert table.alerts == ["over_draw"]


# --- restarts --------------------------------------------------------------------------------------------------------


def test_a_restart_between_rounds_warns_and_the_inventory_is_uncertain() -> None:
    table = at_angel_eye()
    table.event(Started())
    assert table.alerts == ["restarted_between_rounds"]
    assert not view_of(table.state, read_rules).stopped
    assert code_of(table.bet("1", "base.player", 50)) is None
    table.deal(" ".join(FACES))
    table.dealer(Confirm())
    table.act(EndShoe())
    inventory = table.last(ShoeEnded).inventory
    assert inventory is not None
    assert inventory.uncertain


def test_a_restart_with_wagers_at_risk_stops_the_table() -> None:
    table = at_angel_eye()
    table.bet("1", "base.player", 50)
    table.event(Started())
    assert table.alerts == ["event_gap"]


@pytest.mark.parametrize("out", range(1, 5))
@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("void", [VoidRound(), VoidAndReplay()])
def test_after_a_restart_in_mid_round_a_void_is_enough(
    void: VoidRound | VoidAndReplay, out: int, *, late: bool
) -> None:
    """The shoe begins anew. Cards that come before the void are of the round that is dealt then."""
    table = at_angel_eye(reveal=Reveal.AT_RESULT)
    table.bet("1", "base.player", 50)
    again = [*drawn(at_draw=False), *result(at_draw=False)]
    for event in [*drawn(at_draw=False)[:out], Started(), *(again if late else [])]:
        table.event(event)
    assert table.alerts == ["shoe_restarted"]
    assert code_of(table.act(void)) is None
    for event in [] if late else again:
        table.event(event)
    assert (table.alerts, len(table.all(RoundResult)), len(table.all(RoundVoided))) == ([], 1, 1)
    assert len(table.all(RoundSettled)) == isinstance(void, VoidAndReplay)
    assert table.all(CardSetAside) == []


@pytest.mark.parametrize("out", range(1, 4))
@pytest.mark.parametrize("late", [True, False])
def test_after_a_restart_in_mid_round_clearing_goes_on_by_the_rules(out: int, *, late: bool) -> None:
    """Whatever the shoe says of hands, the next card is the next one of the round; the dealer confirms."""
    table = at_angel_eye()
    table.bet("1", "base.player", 50)
    rest = drawn(at_draw=True, faces=[*FACES[out:], *FACES[:out]])[: len(PLACES) - out]
    for event in [*drawn(at_draw=True)[:out], Started(), *(rest if late else [])]:
        table.event(event)
    assert code_of(table.act(ClearAlert(alert=table.alert_number("shoe_restarted")))) is None
    for event in [] if late else rest:
        table.event(event)
    assert table.alerts == []
    table.event(ResultIndicated(winner=None))
    assert table.alerts == [], "the shoe has seen another round"
    assert code_of(table.dealer(Confirm())) is None
    outcome = table.last(RoundResult).outcome
    assert [*outcome.player.cards, *outcome.banker.cards] == [Card.parse(FACES[n]) for n in (0, 2, 1, 3)]
    assert table.all(CardSetAside) == []


@pytest.mark.parametrize("over_drawn", OverDrawn)
@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize("reveal", [Reveal.BY_DEALER, Reveal.AT_RESULT])
@pytest.mark.parametrize("faces", [FACES, ["2H", "7H", "2S", "KS"]], ids=["complete", "a third card was lost"])
def test_what_may_be_done_with_an_extra_card_tells_nothing_of_cards_that_lie_face_down(
    faces: list[str], reveal: Reveal, over_drawn: OverDrawn, *, by_name: bool
) -> None:
    """The shoe discloses at the draw, and the house later. Whatever the cards are, the same is offered and accepted."""
    table = at_angel_eye(reveal=reveal, over_drawn=over_drawn, shown_card=ShownCard.FREE_HAND)
    table.bet("1", "base.player", 50)
    for event in drawn(at_draw=True, faces=faces):
        table.event(event)
    table.give(EventsMissed(reason="a telegram was missed"))
    table.event(Fault(code=FaultCode.OVER_DRAW, detail=2))
    table.event(CardDrawn(hand=Hand.EXTRA, card=EXTRA))
    assert offered(table) == {"use_extra_card", "burn_extra_card", "clear_alert"}
    assert code_of(table.act(UseExtraCard() if by_name else ClearAlert(alert=table.alert_number("over_draw")))) is None
    assert table.alerts == ["event_gap"]
    used = by_name or over_drawn is OverDrawn.USE
    assert [fact.used for fact in table.all(ExtraCardDecided)] == [used]
    if faces is not FACES:
        assert code_of(table.act(EnterCard(number=5, card=Card.parse("3C")))) is None, "the lost card has its place"
    assert code_of(table.act(ClearAlert(alert=table.alert_number("event_gap")))) is None
    assert table.alerts == []


# --- all at once -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at_draw", [True, False], ids=["at draw", "at result"])
@pytest.mark.parametrize("begun", [0, 2, 4])
def test_rounds_that_come_all_at_once_after_an_outage_end_in_one_alert(begun: int, *, at_draw: bool) -> None:
    table = at_angel_eye(reveal=Reveal.AT_RESULT)
    table.bet("1", "base.player", 50)
    rounds = [event for suit in "HDSC" * 4 for event in one_round(suit, at_draw=at_draw)]
    for event in rounds[:begun]:
        table.event(event)
    table.give(LinkLost(reason="the serial server cannot be reached"))
    table.give(LISTENS)
    for event in rounds[begun:]:
        table.event(event)
    assert table.alerts == ["event_gap"]
    assert table.all(RoundResult) == []
    assert code_of(table.act(ClearAlert(alert=table.alert_number("event_gap")))) is None
    assert table.alerts == []
    assert len(table.all(RoundResult)) == 16
    assert len(table.all(RoundSettled)) == 1, "nobody could wager on those that followed"
    assert table.all(CardSetAside) == []


def test_a_wager_placed_while_the_line_had_stalled_is_for_a_supervisor() -> None:
    """The link says so before the first card; nothing is settled until somebody has decided."""
    table = at_angel_eye(reveal=Reveal.AT_RESULT)
    table.bet("1", "base.player", 50)
    table.give(EventsMissed(reason=held_up_reason(64)))
    for event in [event for suit in "HDSC" * 4 for event in one_round(suit, at_draw=False)]:
        table.event(event)
    assert (table.alerts, table.all(RoundResult)) == (["event_gap"], [])
    assert code_of(table.act(VoidRound())) is None
    assert table.all(RoundSettled) == [], "the wager is returned"
    assert len(table.all(RoundResult)) == 15
    assert table.all(CardSetAside) == []


def test_a_gap_among_cards_that_wait_stops_where_it_is() -> None:
    table = at_angel_eye()
    a_round = [*drawn(at_draw=True), *result(at_draw=True)]
    table.give(EventsMissed(reason="a telegram was missed"))
    for event in [*a_round, *a_round, *a_round[:1]]:
        table.event(event)
    table.give(EventsMissed(reason="another was missed"))
    for event in a_round[2:]:
        table.event(event)
    assert table.alerts == ["event_gap"]
    table.act(ClearAlert(alert=table.alert_number("event_gap")))
    assert len(table.all(RoundResult)) == 2
    assert table.alerts[0] == "event_gap", "it is said in the round in which it is"
