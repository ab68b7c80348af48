"""What the page of the pit gets: edges that count at this moment, why there are none, and never an old one."""

import msgspec
import pytest

from shoe_controller.baccarat.house import PlacedWager
from shoe_controller.board.feeds import PitFeed
from shoe_controller.messages.pit import CardsUncertain, EventsAwaited, NoEdges, TableAway
from shoe_controller.pit.exposure import Exposure
from shoe_controller.pit.feeds import DetailsFeed
from shoe_controller.pit.sections import Moment, exposed_row, table_details
from tests.follow.samples import encode, status
from tests.pit.served import FULL_SHOE, LASTS, WALL, Served, edges, exposed, exposure
from tests.test_layers import LAYERS, ROOT, package_of, wrong_arrows

NOW = Moment(0.0, WALL)
TIE, PLAYER = ("base.tie", 0.0321), ("base.player", -0.0124)


@pytest.fixture
def served() -> Served:
    made = Served(())
    wagers = (PlacedWager("1", "base.tie", 500), PlacedWager("4", "base.tie", 250), PlacedWager("4", "base.player", 70))
    made.add_table(wagers=wagers)
    made.expose("t1", exposure(TIE, PLAYER, alarms=(exposed(*TIE),)))
    return made


def why(served: Served, now: Moment = NOW) -> NoEdges | None:
    shown = exposed_row(served.floor, "t1", served.exposures.of("t1"), now).exposure
    assert (shown.most is None) == (shown.none is not None)
    return shown.none


def test_the_most_exposed_wager_is_shown_with_what_is_staked_on_it(served: Served) -> None:
    shown = exposed_row(served.floor, "t1", served.exposures.of("t1"), NOW).exposure
    assert shown.most is not None
    assert (shown.most.id, shown.most.edge, shown.most.full_shoe, shown.most.staked) == (*TIE, FULL_SHOE, 750)
    assert shown.curve == ((1, TIE[1]),)
    assert [alarm.raised for alarm in shown.alarms] == [exposed(*TIE)]


def test_the_details_have_every_wager_with_its_names(served: Served) -> None:
    details = table_details(served.floor, "t1", served.exposures.of("t1"), NOW)
    assert details is not None
    assert [(wager.id, wager.edge, wager.staked) for wager in details.wagers] == [(*TIE, 750), (*PLAYER, 70)]
    assert details.wagers[1].names is not None
    assert details.unseen == 300


def test_an_edge_that_has_expired_is_no_edge(served: Served) -> None:
    assert why(served, Moment(0.0, WALL + LASTS - 1)) is None
    assert why(served, Moment(0.0, WALL + LASTS)) == EventsAwaited()
    details = table_details(served.floor, "t1", served.exposures.of("t1"), Moment(0.0, WALL + LASTS))
    assert details is not None
    assert details.wagers == ()


def test_a_table_that_is_away_has_no_edge_whatever_was_there_before(served: Served) -> None:
    served.publish("t1", "status", encode(status(online=False)))
    assert why(served) == TableAway()


def test_where_the_broker_is_away_there_is_no_edge(served: Served) -> None:
    served.floor.broker_down()
    assert why(served) == TableAway()


def test_the_reason_for_no_edges_is_passed_on_and_an_unknown_table_is_awaited(served: Served) -> None:
    served.expose("t1", Exposure(edges(none=CardsUncertain()), (), ()))
    assert why(served) == CardsUncertain()
    served.exposures.forget("t1")
    assert why(served) == EventsAwaited()
    assert table_details(served.floor, "t9", None, NOW) is None


def row_feed(served: Served) -> PitFeed:
    exposures = served.exposures
    return PitFeed(
        served.floor, lambda name: exposed_row(served.floor, name, exposures.of(name), NOW), exposures.version_of
    )


def test_a_page_gets_a_row_anew_when_its_edges_move_and_no_other(served: Served) -> None:
    served.add_table("t2")
    feed = row_feed(served)
    assert set(msgspec.json.decode(feed.news() or b"")) == {"t1", "t2"}
    assert feed.news() is None
    served.expose("t1", exposure(("base.tie", 0.04)))
    news = msgspec.json.decode(feed.news() or b"")
    assert list(news) == ["t1"]
    assert news["t1"]["exposure"]["most"]["edge"] == 0.04
    assert feed.news() is None


def test_a_table_that_is_gone_takes_its_details_away(served: Served) -> None:
    feed = DetailsFeed(served.floor, served.exposures, "t1", lambda: NOW)
    assert msgspec.json.decode(feed.news() or b"")["table"]["wagers"]
    served.publish("t1", "status", b"")
    assert msgspec.json.decode(feed.news() or b"") == {"table": None}
    assert feed.news() is None


(PIT,) = (layer for layer in LAYERS if layer.folder == "shoe_controller/pit")


@pytest.mark.parametrize("name", ["exposure", "exposures", "feeds", "sections"])
def test_the_core_of_the_page_is_pure(name: str) -> None:
    file = ROOT / PIT.folder / f"{name}.py"
    assert wrong_arrows(file.read_text(encoding="utf-8"), package_of(file), PIT._replace(pure=True)) == []
