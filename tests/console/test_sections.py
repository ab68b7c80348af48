"""What the page is sent, made from a real table's messages."""

import msgspec

from firmware_protocol.events import IndicatedWinner
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sections import ConsoleFeed, PlaySection, SupervisorAct, sections
from shoe_controller.messages.acts import (
    ACTS,
    ActName,
    Approve,
    CallSupervisor,
    CollectCommission,
    Confirm,
    Role,
    UndoLastResult,
    VoidRound,
)
from shoe_controller.messages.retained import StatusMessage
from shoe_controller.mqtt.retained import storing_alert
from tests.console.bench import encode, model_of, new_model, online, send_event, send_state, state_of
from tests.follow.samples import JOURNAL
from tests.table.sitting import Sitting
from tests.table.test_amendments import BANKER_WINS, MARKED, amend, approved, card, opened, play
from tests.table.test_phases import PLAYER_WINS


def at_the_table() -> Sitting:
    table = Sitting()
    table.open_shoe()
    table.bet("1", "base.player", 50)
    return table


def told(table: Sitting) -> dict[str, object]:
    made: dict[str, object] = msgspec.json.decode(encode(sections(model_of(table))))
    return made


def part(value: object, *keys: str) -> object:
    for key in keys:
        assert isinstance(value, dict)
        value = value[key]
    return value


def test_before_anything_was_heard_there_is_nothing_to_draw() -> None:
    model = new_model()
    model.followed.broker_down()
    made = sections(model)
    assert (made["table"], made["play"], made["payment"]) == (None, None, None)
    assert part(msgspec.to_builtins(made["live"]), "why") == "broker"


def test_the_table_as_it_is_posted() -> None:
    table = told(at_the_table())["table"]
    assert part(table, "title") == "t1", "a table without a title is called by its name"
    assert part(table, "seats") == ["1", "2", "3"]
    wagers = part(table, "wagers")
    assert isinstance(wagers, list)
    assert wagers[0] == {
        "id": "base.player",
        "names": {"en": "Player", "zh_hant": "閒", "zh_hans": "闲"},
        "min": 1,
        "max": 1000,
    }


def test_nothing_can_be_done_while_the_controller_is_away() -> None:
    model = model_of(at_the_table())
    live = msgspec.to_builtins(sections(model)["play"])
    assert part(live, "betting")
    assert part(live, "acts")
    assert any(act.possible for act in supervisor_acts(model))
    model.followed.receive("status", online(session=2, online=False), 0.0)
    assert_nothing_possible(model)
    model.followed.receive("status", online(session=3), 0.0)
    model.followed.broker_down()
    assert_nothing_possible(model)
    assert part(msgspec.to_builtins(sections(model)["live"]), "why") == "broker"


def play_section(model: ConsoleModel) -> PlaySection:
    play = sections(model)["play"]
    assert isinstance(play, PlaySection)
    return play


def supervisor_acts(model: ConsoleModel) -> tuple[SupervisorAct, ...]:
    return play_section(model).supervisor


def assert_nothing_possible(model: ConsoleModel) -> None:
    play = play_section(model)
    assert (play.betting, play.acts) == (False, ())
    assert not any(act.possible for act in play.supervisor)


def test_the_list_of_supervisor_mode_has_every_act_of_a_supervisor_and_says_which_are_possible() -> None:
    """Those for an alert or a proposal are beside it."""
    table = at_the_table()
    listed = {act.act: act for act in supervisor_acts(model_of(table))}
    own = {rule.name for rule in ACTS.values() if rule.role is Role.SUPERVISOR}
    assert listed.keys() == own - {"approve", "withdraw"} | {"open_shoe", "confirm", "note", "sign_out"}
    assert {act.act for act in listed.values() if act.two_people} == {
        rule.name for rule in ACTS.values() if rule.two_people
    }
    possible = {act.act: act for act in state_of(table).acts if act.role is Role.SUPERVISOR}
    assert {name: act.possible for name, act in listed.items()} == {name: possible.get(name) for name in listed}
    assert listed[ActName.VOID_ROUND].possible
    assert listed[ActName.UNDO_LAST_RESULT].possible is None


def test_what_stops_the_table_is_told_first_and_what_cannot_be_stored_too() -> None:
    table = at_the_table()
    table.dealer(CallSupervisor())
    table.card(None)
    model = model_of(table)
    trouble = storing_alert("the disk is full")
    full = StatusMessage(online=True, session=1, journal=JOURNAL, storing=False, alert=trouble)
    model.followed.receive("status", encode(full), 0.0)
    play = msgspec.to_builtins(sections(model)["play"])
    alerts = part(play, "alerts")
    assert isinstance(alerts, tuple)
    kinds = [alert["kind"] for alert in alerts]
    assert kinds[0] == "journal_full"
    assert kinds[-1] == "supervisor_called"
    assert not part(msgspec.to_builtins(sections(model)["live"]), "storing")


def test_a_round_that_was_settled_anew_says_so() -> None:
    table = at_the_table()
    table.deal(PLAYER_WINS)
    table.result(IndicatedWinner.PLAYER)
    assert part(told(table)["payment"], "again") is False
    table.act(UndoLastResult())
    table.act(Approve(proposal=1), person="ben")
    assert told(table)["payment"] is None
    table.act(Confirm())
    assert part(told(table)["payment"], "again") is True
    assert part(told(table)["payment"], "settlement", "steps") == [
        {"step": "pay", "seat": "1", "wager": "base.player", "amount": 50}
    ]


def owed_of(table: Sitting) -> list[tuple[int, dict[str, int]]]:
    """The round and the difference of each panel that is shown."""
    shown = sections(model_of(table))["differences"]
    assert isinstance(shown, tuple)
    return [(each.round, each.difference) for each in shown]


def test_every_difference_is_shown_until_wagers_are_closed() -> None:
    """Also when another follows, and when the result that it was for is taken back: the next one counts on it."""
    table = opened()
    play(table, BANKER_WINS, ("1", "base.player", 50))
    play(table, BANKER_WINS, ("2", "base.player", 30))
    assert owed_of(table) == []
    assert amend(table, card(2, "4D"), round=1) is None
    assert amend(table, card(2, "4D"), round=2) is None
    two = [(1, {"1": 100}), (2, {"2": 60})]
    assert owed_of(table) == two
    table.act(UndoLastResult())
    assert approved(table) is None
    assert owed_of(table) == two
    table.act(VoidRound())
    assert owed_of(table) == [*two, (2, {"2": -30})]
    table.card("9H")
    assert owed_of(table) == []


BOTH_HANDS = (("1", "base.player", 100), ("1", "base.banker", 100))


def commission_of(table: Sitting) -> list[tuple[int, dict[str, int], dict[str, int], bool]]:
    shown = sections(model_of(table))["differences"]
    assert isinstance(shown, tuple)
    return [(each.round, each.commission, each.commission_back, each.was_collected) for each in shown]


def test_commission_is_told_also_where_nothing_else_is_paid() -> None:
    """Collected, and not owed any more: to be paid back; of an earlier shoe only if it was collected. Or owed more."""
    table = opened(MARKED)
    play(table, BANKER_WINS, *BOTH_HANDS)
    table.dealer(CollectCommission(seat="1"))
    assert amend(table, card(2, "4D")) is None
    assert owed_of(table) == [(1, {})]
    back = (1, {"1": -5}, {"1": 5}, True)
    assert commission_of(table) == [back]
    assert amend(table, card(2, "6D")) is None
    assert commission_of(table) == [back, (1, {"1": 5}, {}, True)]
    table.dealer(CollectCommission(seat="1"))
    table.open_shoe()
    assert amend(table, card(2, "4D"), shoe=1) is None
    assert commission_of(table)[2:] == [(1, {"1": -5}, {"1": 5}, False)]


def test_commission_that_an_undo_pays_back_is_told() -> None:
    table = opened(MARKED)
    play(table, BANKER_WINS, ("1", "base.banker", 100))
    table.act(UndoLastResult())
    assert approved(table) is None
    assert commission_of(table) == [], "it was not collected"
    table.act(Confirm())
    table.dealer(CollectCommission(seat="1"))
    table.act(UndoLastResult())
    assert approved(table) is None
    assert commission_of(table) == [(1, {}, {"1": 5}, True)]


def test_a_round_without_wagers_leaves_nothing_of_the_one_before() -> None:
    table = at_the_table()
    for _ in range(2):
        table.deal(PLAYER_WINS)
        table.result(IndicatedWinner.PLAYER)
    assert told(table)["payment"] is None


def test_a_feed_tells_everything_once_and_then_what_changed() -> None:
    table = at_the_table()
    model = model_of(table)
    feed = ConsoleFeed(model)
    first = feed.news()
    assert first is not None
    assert set(msgspec.json.decode(first)) == {"live", "table", "play", "payment", "differences"}
    assert feed.news() is None
    model.followed.receive("status", online(), 0.0)
    assert feed.news() is None, "the same once more is no news"
    known = len(table.facts)
    table.bet("2", "base.tie", 5)
    for fact in table.facts[known:]:
        send_event(model, fact)
    send_state(model, table)
    second = feed.news()
    assert second is not None
    assert set(msgspec.json.decode(second)) == {"play"}
