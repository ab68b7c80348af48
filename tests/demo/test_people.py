"""What people do at the demonstration's table: for every alert something that the table permits, or nothing."""

import random
from pathlib import Path

import msgspec
import pytest

from firmware_protocol.cards import Card
from shoe_controller.baccarat.sides import Side
from shoe_controller.demo.folder import DEALER, OTHER_SUPERVISOR, SUPERVISOR
from shoe_controller.demo.players import stakes_of_seat
from shoe_controller.demo.supervisor import AtTheShoe, ScriptedAct, dealer_may_deal, next_act
from shoe_controller.demo.truth import Happening, Truth
from shoe_controller.house.rules import read_rules
from shoe_controller.messages.acts import ActName, Adjust, AnyAct, Role
from shoe_controller.messages.alerts import AlertKind, AlertMessage, Clearer, Remedy
from shoe_controller.messages.details import CardOfRound
from shoe_controller.messages.facts import AsideCard, CardPlace
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.requests import RequestRole, acts_of
from shoe_controller.messages.retained import PossibleAct, ProposalView, TableView
from shoe_controller.table.alerts import ALERTS, Scope, alert_message
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import Alert, TableState
from shoe_controller.table.view import view_of

PHASES = [Phase.DEALING, Phase.COMPLETE, Phase.BETTING]


def truth_with(*, in_round: bool, reading: str = "read") -> Truth:
    truth = Truth(Path("nowhere"))
    truth.cards = [
        Happening(what="card_out", t=0.0, card=Card("9H"), to="player", position=1),
        Happening(what="card_out", t=1.0, card=Card("4D"), to="banker", position=1, reading=reading),
    ]
    truth.in_round = in_round
    return truth


def table_with(kind: AlertKind, phase: Phase, *, extra_cards: int = 0) -> TableView:
    alert = alert_message(Alert(number=7, kind=kind, seq=1))
    cards = (
        CardPlace(number=1, hand=Side.PLAYER, card=Card("9H")),
        CardPlace(number=2, hand=Side.BANKER, card=None),
    )
    return msgspec.structs.replace(
        view_of(TableState(), read_rules),
        phase=phase,
        link_up=True,
        dealer=DEALER,
        alerts=(alert,),
        cards=cards if phase in CARDS_OUT else (),
        extra_cards=extra_cards,
    )


@pytest.mark.parametrize("kind", ALERTS)
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("in_round", [True, False])
@pytest.mark.parametrize("extra_cards", [0, 1])
def test_the_supervisor_does_what_ends_the_alert(
    *, kind: AlertKind, phase: Phase, in_round: bool, extra_cards: int
) -> None:
    scripted = next_act(table_with(kind, phase, extra_cards=extra_cards), truth_with(in_round=in_round))
    rule = ALERTS[kind]
    if scripted is None:
        assert kind in ("journal_full", "journal_damaged", "misread", "undisclosed_card", "shoe_fault")
        assert kind != "shoe_fault" or rule.ends_itself
        return
    if isinstance(scripted, AtTheShoe):
        assert in_round
        return
    assert scripted.act in acts_of(scripted.role)
    msgspec.convert({"act": scripted.act, **scripted.details}, AnyAct)
    assert scripted.reason
    if scripted.act == "clear_alert":
        assert rule.cleared_by is not Clearer.NOBODY
        assert rule.cleared_by is Clearer.DEALER or scripted.role is RequestRole.SUPERVISOR
    elif scripted.act == "void_round":
        assert rule.scope is Scope.ROUND or not in_round
        assert not in_round, "the dealer ends the round at the shoe first"
    else:
        assert scripted.act in rule.ended_by


def test_an_unread_card_is_named_as_it_lies_there() -> None:
    scripted = next_act(table_with(AlertKind.MISREAD, Phase.DEALING), truth_with(in_round=True))
    assert isinstance(scripted, ScriptedAct)
    assert (scripted.act, scripted.details) == ("identify_card", {"number": 2, "card": "4D"})


def test_a_card_in_the_wrong_hand_is_assigned_and_a_foreign_one_discarded() -> None:
    table = table_with(AlertKind.OUT_OF_TURN, Phase.DEALING)
    alert = msgspec.structs.replace(table.alerts[0], remedy=Remedy.ASSIGN)
    aside = (AsideCard(order=2, hand=Side.PLAYER, card=Card("4D")),)
    table = msgspec.structs.replace(table, alerts=(alert,), cards=table.cards[:1], aside=aside)
    scripted = next_act(table, truth_with(in_round=True))
    assert isinstance(scripted, ScriptedAct)
    assert (scripted.act, scripted.details) == ("assign_cards", {"cards": [{"hand": "player"}, {"hand": "banker"}]})
    detail = CardOfRound(number=2, hand=Side.BANKER)
    alert = msgspec.structs.replace(alert, kind=AlertKind.FOREIGN_CARD, remedy=Remedy.DISCARD, detail=detail)
    scripted = next_act(msgspec.structs.replace(table, alerts=(alert,)), truth_with(in_round=True))
    assert isinstance(scripted, ScriptedAct)
    assert (scripted.act, scripted.details) == ("discard_card", {"number": 2, "cause": "foreign", "card": None})


def test_where_two_cards_lie_the_round_is_voided() -> None:
    table = table_with(AlertKind.MISREAD, Phase.DEALING)
    assert next_act(table, truth_with(in_round=True, reading="with_another")) is AtTheShoe.END_ROUND_BY_FORCE
    scripted = next_act(table, truth_with(in_round=False, reading="with_another"))
    assert isinstance(scripted, ScriptedAct)
    assert scripted.act == "void_round"


def alerts_of(*kinds: AlertKind) -> tuple[AlertMessage, ...]:
    return tuple(alert_message(Alert(number=number, kind=kind, seq=1)) for number, kind in enumerate(kinds, 1))


def test_a_bad_shoe_is_ended_when_its_round_is_void() -> None:
    table = table_with(AlertKind.BAD_SHOE, Phase.DEALING)
    assert next_act(table, truth_with(in_round=True)) is AtTheShoe.END_ROUND_BY_FORCE
    assert act_of(next_act(table, truth_with(in_round=False))) == "void_round"
    table = table_with(AlertKind.BAD_SHOE, Phase.BETTING)
    assert act_of(next_act(table, truth_with(in_round=False))) == "end_shoe"


def test_a_bad_shoe_waits_for_a_round_that_goes_on_without_the_card() -> None:
    table = table_with(AlertKind.FOREIGN_CARD, Phase.DEALING)
    alerts = alerts_of(AlertKind.FOREIGN_CARD, AlertKind.BAD_SHOE)
    detail = CardOfRound(number=2, hand=Side.BANKER)
    foreign = msgspec.structs.replace(alerts[0], remedy=Remedy.DISCARD, detail=detail)
    table = msgspec.structs.replace(table, alerts=(foreign, alerts[1]))
    assert act_of(next_act(table, truth_with(in_round=True))) == "discard_card"


def test_what_is_left_is_taken_out_and_counted_before_the_next_shoe() -> None:
    count = PossibleAct(act=ActName.COUNT_REMAINDER, role=Role.SUPERVISOR, pin=True, reason=True, two_people=False)
    table = msgspec.structs.replace(
        table_with(AlertKind.MISREAD, Phase.ENDED), alerts=alerts_of(AlertKind.SHOE_CHANGE_UNCONFIRMED), acts=(count,)
    )
    truth = truth_with(in_round=False)
    truth.new_cards, truth.left = True, 17
    scripted = next_act(table, truth)
    assert isinstance(scripted, ScriptedAct)
    assert (scripted.act, scripted.details) == ("count_remainder", {"cards": 17})
    counted = msgspec.structs.replace(table, acts=(msgspec.structs.replace(count, act=ActName.OPEN_SHOE),))
    assert act_of(next_act(counted, truth)) == "open_shoe"
    truth.new_cards = False
    assert next_act(msgspec.structs.replace(table, alerts=()), truth) is AtTheShoe.TAKE_OUT


def act_of(scripted: ScriptedAct | AtTheShoe | None) -> str:
    assert isinstance(scripted, ScriptedAct)
    return scripted.act


def test_a_jam_is_cleared_and_an_empty_shoe_ends_the_round() -> None:
    table = table_with(AlertKind.NO_CARD_CAME, Phase.DEALING)
    truth = truth_with(in_round=True)
    jam = next_act(table, truth)
    assert isinstance(jam, ScriptedAct)
    assert jam.act == "clear_alert"
    truth.empty = True
    assert next_act(table, truth) is AtTheShoe.END_ROUND_BY_FORCE


def test_nothing_wrong_is_nothing_to_do() -> None:
    table = msgspec.structs.replace(table_with(AlertKind.MISREAD, Phase.DEALING), alerts=())
    assert next_act(table, truth_with(in_round=True)) is None


def test_a_table_without_a_dealer_gets_one() -> None:
    table = msgspec.structs.replace(table_with(AlertKind.MISREAD, Phase.DEALING), dealer=None)
    scripted = next_act(table, truth_with(in_round=True))
    assert isinstance(scripted, ScriptedAct)
    assert (scripted.role, scripted.act, scripted.person) == (RequestRole.DEALER, "sign_in", DEALER)


@pytest.mark.parametrize(("one", "other"), [(SUPERVISOR, OTHER_SUPERVISOR), (OTHER_SUPERVISOR, SUPERVISOR)])
def test_what_one_supervisor_proposes_the_other_approves(one: str, other: str) -> None:
    proposal = ProposalView(proposal=3, act=Adjust(seat="1", amount=100), person=one, reason="a chip")
    table = msgspec.structs.replace(table_with(AlertKind.MISREAD, Phase.DEALING), proposal=proposal)
    scripted = next_act(table, truth_with(in_round=True))
    assert isinstance(scripted, ScriptedAct)
    assert (scripted.act, scripted.person, scripted.details) == ("approve", other, {"proposal": 3})


def test_players_stake_what_is_offered_and_permitted() -> None:
    offered = [
        {"id": name, "min": 300, "max": 400} for name in ("base.player", "base.banker", "base.tie", "pairs.player")
    ]
    info = msgspec.convert({"rules": {"offered": offered}}, _Info)
    generator = random.Random(1)  # noqa: S311 - no real money is bet
    seen = set()
    for _ in range(200):
        stakes = stakes_of_seat(info, generator)  # type: ignore[arg-type]  # it has all that players look at
        seen |= {stake.wager for stake in stakes}
        assert all(300 <= stake.stake <= 400 for stake in stakes)
        assert len(stakes) <= 2
    assert seen == {"base.player", "base.banker", "base.tie", "pairs.player"}


class _Offer(msgspec.Struct):
    id: str
    min: int
    max: int


class _Offers(msgspec.Struct):
    offered: tuple[_Offer, ...]


class _Info(msgspec.Struct):
    rules: _Offers


def quiet_table(phase: Phase) -> TableView:
    return msgspec.structs.replace(table_with(AlertKind.MISREAD, phase), alerts=(), stopped=False)


@pytest.mark.parametrize(
    ("phase", "in_round", "given_up", "act"),
    [
        (Phase.COMPLETE, True, False, None),
        (Phase.COMPLETE, False, False, "confirm"),
        (Phase.DEALING, False, True, "void_round"),
        (Phase.BETTING, False, True, None),
        (Phase.ENDED, False, False, "open_shoe"),
    ],
)
def test_what_a_reader_of_ids_does_not_tell_is_said_at_the_console(
    *, phase: Phase, in_round: bool, given_up: bool, act: str | None
) -> None:
    truth = truth_with(in_round=in_round)
    truth.given_up = given_up
    truth.new_cards = phase is Phase.ENDED
    scripted = next_act(quiet_table(phase), truth, reads_ids=True)
    assert (scripted.act if isinstance(scripted, ScriptedAct) else scripted) == act
    assert next_act(quiet_table(phase), truth) is None, "other shoes tell it"


def test_without_a_gate_the_dealer_goes_by_the_display() -> None:
    truth = truth_with(in_round=False)
    assert dealer_may_deal(quiet_table(Phase.BETTING), truth)
    assert not dealer_may_deal(msgspec.structs.replace(quiet_table(Phase.BETTING), stopped=True), truth)
    assert not dealer_may_deal(msgspec.structs.replace(quiet_table(Phase.BETTING), link_up=False), truth)
    assert not dealer_may_deal(quiet_table(Phase.COMPLETE), truth), "the result is not confirmed yet"
    assert not dealer_may_deal(quiet_table(Phase.ENDED), truth), "the next shoe is not opened yet"
    truth.given_up = True
    assert not dealer_may_deal(quiet_table(Phase.DEALING), truth), "the round is not void yet"
