"""What pages are sent: everything a player may see, nothing that is for staff, and never an old result as the last."""

from typing import Any

import msgspec
import pytest

from shoe_controller.baccarat.facts import Winner
from shoe_controller.baccarat.reasons import FirstCard, SecondCard
from shoe_controller.baccarat.sides import Side
from shoe_controller.board.feeds import BoardFeed, PitFeed
from shoe_controller.board.floor import Floor
from shoe_controller.board.sections import (
    MINI_COLUMNS,
    LastResult,
    LiveSection,
    PitRow,
    ResultMoment,
    RoundSection,
    ShownHand,
    TableSection,
    VoidMoment,
    WonWager,
    board_sections,
    pit_row,
)
from shoe_controller.messages.alerts import AlertKind, Severity
from shoe_controller.messages.details import CalledBy
from shoe_controller.messages.facts import Dispute
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.retained import (
    InfoMessage,
    LastVoid,
    RoadsMessage,
    RoundsMessage,
    StateMessage,
    StatusMessage,
)
from shoe_controller.messages.witness import RaisedAlarm, TwoControllers, WitnessMessage
from shoe_controller.mqtt.broker import Incoming
from tests.board.texts import LANGUAGES
from tests.follow.samples import (
    BANKER_CARDS,
    PLAYER_CARDS,
    SITE,
    TABLE,
    alert,
    encode,
    info,
    last_outcome,
    names,
    place,
    roads_message,
    rounds_message,
    standing,
    state,
    status,
)

PREFIX = f"shoe/v1/{SITE}/{TABLE}"


def no_tables() -> Floor:
    return Floor(SITE)


def floor(*messages: msgspec.Struct) -> Floor:
    """A floor with one table, which has published this."""
    made = no_tables()
    made.broker_up()
    say(made, status(), info(), *messages)
    return made


TOPICS = {
    StatusMessage: "status",
    InfoMessage: "info",
    StateMessage: "state",
    RoadsMessage: "roads",
    RoundsMessage: "rounds",
}


def say(floor: Floor, *messages: msgspec.Struct) -> None:
    for message in messages:
        receive(floor, f"{PREFIX}/{TOPICS[type(message)]}", encode(message))


def receive(floor: Floor, topic: str, payload: bytes) -> None:
    floor.receive(Incoming(topic=topic, payload=payload), 0.0)


def the_round(*messages: msgspec.Struct) -> RoundSection:
    made = floor(*messages)
    section = board_sections(made, made.tables[TABLE])["round"]
    assert isinstance(section, RoundSection)
    return section


def the_row(*messages: msgspec.Struct) -> PitRow:
    made = floor(*messages)
    return pit_row(made, TABLE, 0.0)


# --- a round ---------------------------------------------------------------------------------------------------------


def test_cards_as_they_lie_and_face_down_where_they_are_not_shown() -> None:
    cards = (place(1, Side.PLAYER, "5S"), place(2, Side.BANKER, None), place(3, Side.PLAYER, "3S"))
    section = the_round(
        state(
            1, phase=Phase.DEALING, cards=cards, standing=standing(SecondCard(hand=Side.BANKER), Side.BANKER, 8, None)
        )
    )
    assert section.player == ShownHand(PLAYER_CARDS, 8)
    assert section.banker == ShownHand((None,), None)
    assert (section.next, section.reason, section.moment) == (Side.BANKER, SecondCard(hand=Side.BANKER), None)


def test_before_the_first_card_there_is_no_total_and_nobody_draws() -> None:
    section = the_round(state(1, standing=standing(FirstCard(hand=Side.PLAYER), Side.PLAYER, 0, 0)))
    assert (section.player, section.banker) == (ShownHand((), None), ShownHand((), None))
    assert (section.next, section.reason) == (None, None)


def test_the_result_stays_with_its_cards_until_the_next_card() -> None:
    last = last_outcome(1, {"lucky_6.lucky_6": "20:1", "base.player": "1:1"})
    section = the_round(state(2, round=2, last_outcome=last))
    assert (section.player, section.banker) == (ShownHand(PLAYER_CARDS, 8), ShownHand(BANKER_CARDS, 5))
    won = (WonWager(names("Lucky 6"), "20:1"),)
    assert section.moment == ResultMoment(round=1, winner=Winner.PLAYER, wagers=won)
    dealt = state(3, round=2, last_outcome=last, cards=(place(1, Side.PLAYER, "2H"),))
    assert the_round(dealt).moment is None


def test_wagers_that_are_not_offered_are_not_shown() -> None:
    last = last_outcome(1, {"gone.gone": "9:1"})
    moment = the_round(state(2, last_outcome=last)).moment
    assert isinstance(moment, ResultMoment)
    assert moment.wagers == ()


@pytest.mark.parametrize("replay", [True, False])
def test_a_void_takes_the_place_of_the_result_before_it(*, replay: bool) -> None:
    void = {"round": 2, "last_outcome": last_outcome(1), "last_void": LastVoid(round=2, replay=replay)}
    section = the_round(state(2, **void))
    assert section.moment == VoidMoment(round=2, again=replay)
    assert section.player == ShownHand((), None)
    assert the_round(state(3, **void, cards=(place(1, Side.PLAYER, "2H"),))).moment is None


@pytest.mark.parametrize(
    ("more", "trouble"),
    [
        ({}, False),
        ({"stopped": True}, True),
        ({"link_up": False}, True),
        ({"link_up": False, "phase": Phase.ENDED}, False),
        ({"link_up": False, "phase": Phase.NO_SHOE}, False),
        ({"stopped": True, "phase": Phase.ENDED}, True),
    ],
)
def test_trouble_is_told_without_saying_what_it_is(more: dict[str, Any], *, trouble: bool) -> None:
    assert the_round(state(1, **more)).trouble is trouble


def test_a_full_disk_is_trouble_too() -> None:
    assert the_round(state(1), status(storing=False)).trouble


def test_the_last_round_is_announced() -> None:
    assert not the_round(state(1, round=8, last_round=None)).last
    assert not the_round(state(1, round=8, last_round=9)).last
    assert the_round(state(1, round=9, last_round=9)).last


def test_every_phase_can_be_said() -> None:
    for texts in LANGUAGES.values():
        assert {phase.value for phase in Phase} <= texts.keys()


# --- a board ---------------------------------------------------------------------------------------------------------


def test_a_board_is_told_nothing_that_is_for_staff() -> None:
    secret = "kept from players"  # noqa: S105 - a text to look for
    grave = alert(1, detail=CalledBy(person=secret))
    troubled = state(1, stopped=True, alerts=(grave,), disputes=(disputed(secret),))
    made = floor(troubled, status(publishing=secret, alert=grave))
    news = BoardFeed(made, TABLE).news()
    assert news is not None
    assert secret.encode() not in news
    pit = PitFeed(made, lambda name: pit_row(made, name, 0.0)).news()
    assert pit is not None
    assert secret.encode() in pit


def test_what_is_posted() -> None:
    made = floor()
    posted = board_sections(made, made.tables[TABLE])["table"]
    assert isinstance(posted, TableSection)
    assert (posted.title, posted.headline, posted.currency, posted.round_limit) == ("Table One", "Welcome", "NPR", 5000)
    assert posted.decimals == 2
    assert [(w.id, w.min, w.max, w.limited, [p.pays for p in w.prices]) for w in posted.wagers] == [
        ("base.player", 100, 1000, False, ["1:1"]),
        ("lucky_6.lucky_6", 50, 500, True, ["20:1", "12:1"]),
    ]


def test_a_table_without_a_title_goes_by_its_name() -> None:
    made = floor(info(title=""))
    posted = board_sections(made, made.tables[TABLE])["table"]
    assert isinstance(posted, TableSection)
    assert posted.title == TABLE


@pytest.mark.parametrize(
    ("news", "section"),
    [
        (status(), LiveSection(live=True, why="", unverified=False)),
        (status(online=False), LiveSection(live=False, why="controller", unverified=False)),
        (status(authenticated=False), LiveSection(live=True, why="", unverified=True)),
        (status(authenticated=False, shoe_link=False), LiveSection(live=True, why="", unverified=False)),
        (status(keeps_events=False), LiveSection(live=True, why="", unverified=False, unkept=True)),
        (status(keeps_events=False, shoe_link=False), LiveSection(live=True, why="", unverified=False)),
    ],
)
def test_whether_it_is_live(news: msgspec.Struct, section: LiveSection) -> None:
    made = floor(news)
    assert board_sections(made, made.tables[TABLE])["live"] == section
    made.broker_down()
    assert board_sections(made, made.tables[TABLE])["live"] == LiveSection(live=False, why="broker", unverified=False)


def test_a_table_that_nobody_has_heard_of() -> None:
    sections = board_sections(no_tables(), None)
    assert sections["live"] == LiveSection(live=False, why="unknown", unverified=False)
    assert all(sections[name] is None for name in ("table", "round", "roads"))


# --- the pit ---------------------------------------------------------------------------------------------------------


def test_alerts_that_stop_the_table_come_first() -> None:
    row = the_row(state(1, alerts=(alert(3, Severity.WARNS), alert(5), alert(2, Severity.WARNS), alert(4))))
    assert [each.number for each in row.alerts] == [4, 5, 2, 3]


def test_an_alert_that_cannot_be_stored_is_shown_once_and_one_that_is_stored_not_twice() -> None:
    full = alert(0, kind=AlertKind.JOURNAL_FULL)
    assert the_row(state(1), status(storing=False, alert=full)).alerts == (full,)
    assert the_row(state(1, alerts=(alert(3),)), status(alert=alert(3))).alerts == (alert(3),)


def disputed(text: str) -> Dispute:
    return Dispute(number=1, shoe=1, round=1, seat="3", text=text, person="rana", time=1_790_000_000_000)


def test_open_disputes_are_in_the_row() -> None:
    assert the_row(state(1, disputes=(disputed("says 300"),))).disputes == (disputed("says 300"),)
    assert the_row(state(1)).disputes == ()


def test_the_mini_road_has_the_last_columns() -> None:
    winners = "BP" * MINI_COLUMNS
    road = the_row(state(1), roads_message(1, winners)).road
    assert road.cells == tuple((column, 0, "BP"[column % 2], 0) for column in range(MINI_COLUMNS))
    assert the_row(state(1), roads_message(1, "TTB")).road.cells == ((0, 0, "B", 2),)
    assert the_row(state(1), roads_message(1, "T")).road.cells == ((0, 0, "", 1),)


def test_a_row_has_the_last_result_and_the_pace() -> None:
    row = the_row(state(3, last_outcome=last_outcome(2)), rounds_message(3, 1, 3))
    assert (row.last, row.pace) == (LastResult(winner=Winner.PLAYER, player=8, banker=5), 30)


def test_a_row_of_a_table_that_has_only_said_that_it_is_there() -> None:
    made = no_tables()
    made.broker_up()
    say(made, status())
    row = pit_row(made, TABLE, 0.0)
    assert (row.title, row.live, row.phase, row.last, row.pace, row.alerts) == (TABLE, True, None, None, None, ())


def test_alarms_of_witnesses_are_in_the_row_whether_they_come_before_or_after_the_table() -> None:
    raised = RaisedAlarm(line=7, time=1, alarm=TwoControllers(start="a", other="b"))
    known = WitnessMessage(table=TABLE, journal="4f2a", head="", checkpoint=3, alarms=(raised,), line="7:00")
    for late in (False, True):
        made = no_tables()
        made.broker_up()
        say(made, *([status()] if late else []))
        receive(made, f"shoe/v1/{SITE}/witness/pit-1/{TABLE}", encode(known))
        say(made, status())
        receive(made, f"shoe/v1/{SITE}/witness/regulator/{TABLE}", encode(known))
        assert pit_row(made, TABLE, 0.0).witness == (raised, raised)
        before = made.version
        receive(made, f"shoe/v1/{SITE}/witness/regulator/{TABLE}", b"")
        assert pit_row(made, TABLE, 0.0).witness == (raised,)
        assert made.version > before
        assert list(made.tables) == [TABLE]


# --- feeds -----------------------------------------------------------------------------------------------------------


def decoded(news: bytes | None) -> dict[str, object]:
    assert news is not None
    assert b"\n" not in news, "a line break would end the message"
    found: dict[str, object] = msgspec.json.decode(news)
    return found


def test_a_board_gets_everything_first_and_then_what_changes() -> None:
    made = floor(state(1), roads_message(1, "B"))
    feed = BoardFeed(made, TABLE)
    assert decoded(feed.news()).keys() == {"live", "table", "round", "roads"}
    assert feed.news() is None
    say(made, state(2, round=2))
    assert decoded(feed.news()).keys() == {"round"}
    say(made, state(3, round=2))
    assert feed.news() is None, "nothing that is shown has changed"
    made.broker_down()
    assert decoded(feed.news()).keys() == {"live"}


def test_a_board_of_a_table_that_comes_and_goes() -> None:
    made = no_tables()
    feed = BoardFeed(made, TABLE)
    assert decoded(feed.news())["live"] == {
        "live": False,
        "why": "unknown",
        "unverified": False,
        "by_hand": False,
        "unkept": False,
    }
    made.broker_up()
    say(made, status(), state(1))
    assert decoded(feed.news()).keys() == {"live", "round"}
    receive(made, f"{PREFIX}/status", b"")
    gone = decoded(feed.news())
    assert gone["round"] is None


def test_the_pit_gets_all_tables_first_and_then_those_that_changed() -> None:
    made = floor(state(1))
    receive(made, f"shoe/v1/{SITE}/t2/status", encode(status()))
    feed = PitFeed(made, lambda name: pit_row(made, name, 0.0))
    assert decoded(feed.news()).keys() == {TABLE, "t2"}
    assert feed.news() is None
    say(made, state(2, phase=Phase.DEALING))
    assert decoded(feed.news()).keys() == {TABLE}
    receive(made, f"shoe/v1/{SITE}/t2/status", b"")
    assert decoded(feed.news()) == {"t2": None}


def test_a_pit_without_tables_is_told_so() -> None:
    assert PitFeed(no_tables(), lambda name: pit_row(no_tables(), name, 0.0)).news() == b"{}"


def test_line_breaks_in_texts_do_not_end_a_message() -> None:
    made = floor(info(headline="one\ntwo\r\n\ndata: {}\u2028"))
    assert b"\\n" in (BoardFeed(made, TABLE).news() or b"")
    decoded(BoardFeed(made, TABLE).news())


def test_a_table_that_is_dealt_by_hand_is_marked_and_its_missing_shoe_is_no_trouble() -> None:
    for by_hand in (False, True):
        made = floor(state(1, phase=Phase.DEALING, link_up=False, hand_entry=by_hand))
        sections = board_sections(made, made.tables[TABLE])
        live, playing = sections["live"], sections["round"]
        assert isinstance(live, LiveSection)
        assert isinstance(playing, RoundSection)
        row = pit_row(made, TABLE, 0.0)
        assert (live.by_hand, row.by_hand) == (by_hand, by_hand)
        assert (playing.trouble, row.stopped) == (not by_hand, not by_hand)
