"""All tables of a site: which messages are whose, what is asked of whom, and that nobody can fill the memory."""

import msgspec
import pytest

from shoe_controller.board.floor import MOST_ASKED, MOST_TABLES, Floor
from shoe_controller.follow.event_sequencer import ASK_AGAIN, PATIENCE
from shoe_controller.messages.requests import ReplayRequest
from shoe_controller.mqtt.broker import Incoming
from tests.follow.samples import SITE, answered, encode, replayed, result, state, status

PREFIX = f"shoe/v1/{SITE}"


def floor(*, tables: tuple[str, ...] = ()) -> Floor:
    made = Floor(SITE, client="board", instance="id", tables=frozenset(tables))
    made.broker_up()
    return made


def receive(floor: Floor, topic: str, payload: bytes, now: float = 0.0) -> None:
    floor.receive(Incoming(topic=topic, payload=payload), now)


def test_it_subscribes_to_all_tables_and_to_the_answers_to_itself() -> None:
    assert floor().subscriptions == (
        f"{PREFIX}/+/status",
        f"{PREFIX}/+/info",
        f"{PREFIX}/+/state",
        f"{PREFIX}/+/event/#",
        f"{PREFIX}/+/reply/board/id/replay",
        f"{PREFIX}/+/roads",
    )


def test_each_table_gets_its_own_messages() -> None:
    all_tables = floor()
    for number, name in enumerate(("t1", "t2"), 1):
        receive(all_tables, f"{PREFIX}/{name}/status", encode(status()), 0.0)
        receive(all_tables, f"{PREFIX}/{name}/state", encode(state(number)), 0.0)
    assert [table.followed.state for table in all_tables.tables.values()] == [state(1), state(2)]


@pytest.mark.parametrize(
    "topic",
    [
        "shoe/v1/south/t1/state",
        "shoe/v2/north/t1/state",
        f"{PREFIX}",
        f"{PREFIX}/",
        f"{PREFIX}//state",
        f"{PREFIX}/a b/state",
        f"{PREFIX}/../state",
        f"{PREFIX}/<b>/state",
        f"{PREFIX}/{'x' * 41}/state",
        "",
    ],
)
def test_topics_of_others_and_names_that_no_table_can_have_are_left_alone(topic: str) -> None:
    all_tables = floor()
    receive(all_tables, topic, encode(state(1)), 0.0)
    assert all_tables.tables == {}


def test_only_the_tables_that_are_wanted_are_looked_at() -> None:
    all_tables = floor(tables=("t2",))
    for name in ("t1", "t2", "t3"):
        receive(all_tables, f"{PREFIX}/{name}/state", encode(state(1)), 0.0)
    assert list(all_tables.tables) == ["t2"]


def test_no_more_tables_than_so_many() -> None:
    all_tables = floor()
    for number in range(MOST_TABLES + 5):
        receive(all_tables, f"{PREFIX}/t{number}/state", encode(state(1)), 0.0)
    assert len(all_tables.tables) == MOST_TABLES


def test_a_table_whose_status_is_cleared_is_no_more() -> None:
    all_tables = floor()
    receive(all_tables, f"{PREFIX}/t1/status", encode(status()), 0.0)
    before = all_tables.version
    receive(all_tables, f"{PREFIX}/t1/status", b"", 0.0)
    assert all_tables.tables == {}
    assert all_tables.versions == {}
    assert all_tables.version > before
    receive(all_tables, f"{PREFIX}/t1/status", b"", 0.0)
    receive(all_tables, f"{PREFIX}/t1/roads", b"", 0.0)
    assert all_tables.tables == {}


def test_a_table_is_live_when_broker_and_controller_are_there() -> None:
    all_tables = floor()
    receive(all_tables, f"{PREFIX}/t1/status", encode(status()), 0.0)
    assert is_live(all_tables)
    all_tables.broker_down()
    assert not is_live(all_tables)
    all_tables.broker_up()
    assert not is_live(all_tables), "no status has come over this connection"
    receive(all_tables, f"{PREFIX}/t1/status", encode(status(online=False)), 0.0)
    assert not is_live(all_tables)
    receive(all_tables, f"{PREFIX}/t1/status", encode(status(2)), 0.0)
    assert is_live(all_tables)


def is_live(floor: Floor) -> bool:
    return floor.tables["t1"].followed.online


def test_every_change_is_a_new_version_of_that_table_alone() -> None:
    all_tables = floor()
    receive(all_tables, f"{PREFIX}/t1/state", encode(state(1)), 0.0)
    receive(all_tables, f"{PREFIX}/t2/state", encode(state(1)), 0.0)
    first = dict(all_tables.versions)
    receive(all_tables, f"{PREFIX}/t2/state", encode(state(2)), 0.0)
    assert all_tables.versions["t1"] == first["t1"]
    assert all_tables.versions["t2"] > first["t2"]
    all_tables.touch()
    assert all_tables.versions["t1"] > first["t1"]


def test_what_is_missing_is_asked_of_its_table_and_the_answer_is_taken() -> None:
    all_tables = floor()
    for name in ("t1", "t2"):
        receive(all_tables, f"{PREFIX}/{name}/status", encode(status()), 0.0)
    receive(all_tables, f"{PREFIX}/t1/state", encode(state(0)), 0.0)
    receive(all_tables, f"{PREFIX}/t2/state", encode(state(1)), 0.0)
    assert list(all_tables.requests(0.0)) == []
    (request,) = all_tables.requests(PATIENCE * 2)
    assert request.topic == f"{PREFIX}/t2/request/display/board/replay"
    assert request.response_topic == f"{PREFIX}/t2/reply/board/id/replay"
    asked = msgspec.json.decode(request.payload, type=ReplayRequest)
    assert (asked.request_id, asked.after) == ("id-1", 0)
    assert list(all_tables.requests(PATIENCE * 2)) == []
    receive(all_tables, request.response_topic, replayed(result(1)), 1.0)
    receive(all_tables, request.response_topic, answered(request, 1), 1.0)
    assert all_tables.tables["t2"].result == result(1)


def test_only_so_many_tables_are_asked_at_once() -> None:
    all_tables = floor()
    for number in range(MOST_ASKED + 3):
        receive(all_tables, f"{PREFIX}/t{number}/status", encode(status()), 0.0)
        receive(all_tables, f"{PREFIX}/t{number}/state", encode(state(1)), 0.0)
    assert list(all_tables.requests(0.0)) == []
    first = list(all_tables.requests(1.0))
    assert len(first) == MOST_ASKED
    assert list(all_tables.requests(1.1)) == []
    receive(all_tables, first[0].response_topic, replayed(result(1)), 1.2)
    receive(all_tables, first[0].response_topic, answered(first[0], 1), 1.2)
    assert len(list(all_tables.requests(1.2))) == 1
    assert len(list(all_tables.requests(1.0 + ASK_AGAIN))) == MOST_ASKED - 1, "the others had their time"


def test_answers_to_others_are_not_ours() -> None:
    all_tables = floor()
    receive(all_tables, f"{PREFIX}/t1/status", encode(status()), 0.0)
    receive(all_tables, f"{PREFIX}/t1/state", encode(state(0)), 0.0)
    receive(all_tables, f"{PREFIX}/t1/reply/other/id/replay", replayed(result(1)), 0.0)
    assert all_tables.tables["t1"].result is None
