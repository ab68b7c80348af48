"""What the page is told, made from a real table's messages."""

import msgspec

from firmware_protocol.events import IndicatedWinner
from shoe_controller.console.model import ConsoleModel
from shoe_controller.console.sections import Feed, sections
from shoe_controller.mqtt.contract import StatusMessage
from shoe_controller.mqtt.retained import storing_alert
from shoe_controller.table.acts import Approve, CallSupervisor, Confirm, UndoLastResult
from tests.console.bench import encode, model_of, online, tell_event, tell_state
from tests.table.sitting import Sitting
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
    made = sections(ConsoleModel())
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
    assert part(live, "dealer")
    model.heard("status", online(session=2, online=False))
    play = msgspec.to_builtins(sections(model)["play"])
    assert (part(play, "betting"), part(play, "dealer"), part(play, "supervisor")) == (False, (), ())
    model.heard("status", online(session=3))
    model.broker_down()
    play = msgspec.to_builtins(sections(model)["play"])
    assert (part(play, "betting"), part(play, "dealer"), part(play, "supervisor")) == (False, (), ())
    assert part(msgspec.to_builtins(sections(model)["live"]), "why") == "broker"


def test_what_stops_the_table_is_told_first_and_what_cannot_be_stored_too() -> None:
    table = at_the_table()
    table.dealer(CallSupervisor())
    table.card(None)
    model = model_of(table)
    full = StatusMessage(online=True, session=1, storing=False, alert=storing_alert("the disk is full"))
    model.heard("status", encode(full))
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


def test_a_round_without_wagers_leaves_nothing_of_the_one_before() -> None:
    table = at_the_table()
    for _ in range(2):
        table.deal(PLAYER_WINS)
        table.result(IndicatedWinner.PLAYER)
    assert told(table)["payment"] is None


def test_a_feed_tells_everything_once_and_then_what_changed() -> None:
    table = at_the_table()
    model = model_of(table)
    feed = Feed(model)
    first = feed.news()
    assert first is not None
    assert set(msgspec.json.decode(first)) == {"live", "table", "play", "payment"}
    assert feed.news() is None
    model.heard("status", online())
    assert feed.news() is None, "the same once more is no news"
    known = len(table.facts)
    table.bet("2", "base.tie", 5)
    for fact in table.facts[known:]:
        tell_event(model, fact)
    tell_state(model, table)
    second = feed.news()
    assert second is not None
    assert set(msgspec.json.decode(second)) == {"play"}
