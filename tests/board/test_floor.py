"""All tables of a site: which messages are whose, and that no client can fill the memory."""

import pytest

from shoe_controller.board.floor import MOST_TABLES, TOUCH_EVERY, Floor
from shoe_controller.mqtt.broker import Incoming
from tests.follow.samples import SITE, encode, state, status

PREFIX = f"shoe/v1/{SITE}"


def floor(*, tables: tuple[str, ...] = ()) -> Floor:
    made = Floor(SITE, tables=frozenset(tables))
    made.broker_up()
    return made


def receive(floor: Floor, topic: str, payload: bytes, now: float = 0.0) -> None:
    floor.receive(Incoming(topic=topic, payload=payload), now)


def test_it_subscribes_to_the_retained_messages_of_all_tables_and_to_no_events() -> None:
    assert floor().subscriptions == (
        f"{PREFIX}/+/status",
        f"{PREFIX}/+/info",
        f"{PREFIX}/+/state",
        f"{PREFIX}/+/roads",
        f"{PREFIX}/+/rounds",
        f"{PREFIX}/witness/+/+",
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


def test_pages_look_again_after_a_while_and_nothing_is_ever_requested() -> None:
    rung: list[None] = []
    all_tables = Floor(SITE, changed=lambda: rung.append(None))
    all_tables.broker_up()
    receive(all_tables, f"{PREFIX}/t1/status", encode(status()))
    receive(all_tables, f"{PREFIX}/t1/state", encode(state(1000)))
    before = all_tables.versions["t1"]
    assert all_tables.requests(0.0) == ()
    assert all_tables.requests(TOUCH_EVERY - 1) == ()
    assert (all_tables.versions["t1"], rung) == (before, [])
    assert all_tables.requests(TOUCH_EVERY) == ()
    assert all_tables.versions["t1"] > before
    assert rung == [None]
