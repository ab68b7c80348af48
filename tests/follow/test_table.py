"""One table that is followed: late messages, repeats, gaps, old sessions, in any order a broker may deliver them."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.follow.event_sequencer import ASK_AGAIN, ASK_AGAIN_LAST, MOST_WAITING, PATIENCE, Event
from shoe_controller.follow.table import MOST_AT_ONCE, FollowedTable, Request
from shoe_controller.messages.facts import Fact
from shoe_controller.messages.refusals import JournalFull, Pruned
from shoe_controller.messages.requests import ReplayRequest
from shoe_controller.messages.topics import Topics
from tests.follow.samples import (
    JOURNAL,
    SITE,
    TABLE,
    after,
    answered,
    encode,
    info,
    other,
    published,
    refused_replay,
    replayed,
    roads_message,
    state,
    status,
)

SOON, LATER = PATIENCE * 0.9, PATIENCE * 1.1
REPLY = "reply/board/start-1/replay"
LATEST = 100


class Record:
    """An `EventFold` that keeps everything."""

    def __init__(self) -> None:
        self.began: list[tuple[str, int]] = []
        self.seqs: list[int] = []

    def begin(self, journal: str, after: int) -> None:
        self.began.append((journal, after))
        self.seqs.clear()

    def apply(self, event: Event, _now: float) -> None:
        self.seqs.append(event.seq)


class Table(FollowedTable):
    def __init__(self, latest: int | None = LATEST) -> None:
        self.record = Record()
        super().__init__(Topics(SITE, TABLE), self.record, client="board", instance="start-1", latest=latest)
        self.broker_up()

    def publish(self, *facts: Fact, now: float = 0.0, journal: str = JOURNAL) -> None:
        for fact in facts:
            self.receive(f"event/{fact.TOPIC}", published(fact, journal), now)

    def due(self, now: float) -> Request:
        request = self.request(now)
        assert request is not None
        return request


def followed(*facts: Fact, upto: int = 0, latest: int | None = LATEST) -> Table:
    """A table that is there, whose state includes `upto`, and these events."""
    table = Table(latest)
    table.receive("status", encode(status()), 0.0)
    table.receive("state", encode(state(upto)), 0.0)
    table.publish(*facts)
    return table


def others(*seqs: int) -> list[Fact]:
    return [other(seq) for seq in seqs]


# --- whether the controller is there ---------------------------------------------------------------------------------


def test_no_controller_is_there_before_a_status() -> None:
    assert not Table().online


@pytest.mark.parametrize("known", range(1, 4))
@pytest.mark.parametrize("known_online", [True, False])
@pytest.mark.parametrize("late", range(1, 4))
@pytest.mark.parametrize("online", [True, False])
def test_the_will_of_an_older_session_is_ignored(known: int, late: int, *, known_online: bool, online: bool) -> None:
    table = Table()
    table.receive("status", encode(status(known, online=known_online)), 0.0)
    table.receive("status", encode(status(late, online=online)), 0.0)
    assert table.online == (online or (late < known and known_online))


def test_after_a_new_connection_a_status_must_come_anew() -> None:
    table = followed()
    table.broker_down()
    assert not table.online
    table.broker_up()
    assert not table.online
    table.receive("status", encode(status(1)), 0.0, retained=True)
    assert table.online


@pytest.mark.parametrize("new_connection", [True, False])
def test_a_controller_whose_clock_was_set_back_is_believed_when_it_publishes(*, new_connection: bool) -> None:
    table = Table()
    table.receive("status", encode(status(900, online=False)), 0.0)
    if new_connection:
        table.broker_up()
    table.receive("status", encode(status(5)), 0.0)
    assert table.online


def test_an_older_status_that_a_broker_has_kept_is_not_believed() -> None:
    """A broker that restarts may bring up what it had stored long before."""
    table = Table()
    table.receive("status", encode(status(900)), 0.0)
    table.broker_up()
    table.receive("status", encode(status(5)), 0.0, retained=True)
    assert not table.online
    table.receive("status", encode(status(901)), 0.0)
    assert table.online


# --- retained messages -----------------------------------------------------------------------------------------------


@given(st.permutations(range(1, 7)))
def test_the_newest_retained_messages_stand_whatever_the_order(order: list[int]) -> None:
    table = followed()
    for seq in order:
        table.receive("state", encode(state(seq, round=seq)), 0.0)
        table.receive("roads", encode(roads_message(seq, "B" * seq)), 0.0)
        table.receive("info", encode(info(seq=seq, title=str(seq))), 0.0)
    assert table.state is not None
    assert table.roads is not None
    assert table.info is not None
    assert (table.state.round, table.roads.counts.banker, table.info.title) == (6, 6, "6")


@given(st.permutations(["status", "info", "state", "roads"]))
def test_retained_messages_come_in_any_order(order: list[str]) -> None:
    table = Table()
    messages = {"status": status(), "info": info(), "state": state(3), "roads": roads_message(3)}
    for below in order:
        table.receive(below, encode(messages[below]), 0.0, retained=True)
    assert (table.status, table.info, table.state, table.roads) == tuple(messages.values())
    assert table.have == 0


def test_a_message_that_cannot_be_read_changes_nothing() -> None:
    table = followed(upto=3)
    table.receive("info", encode(info()), 0.0)
    before = (table.state, table.info, table.status, table.roads, table.have, table.record.seqs)
    for below in ("status", "info", "state", "roads", "event/card"):
        for payload in (b"", b"{", b"{}", b"[]", b'{"seq": "x"}', b"\xff", b'"text"'):
            with pytest.raises(msgspec.DecodeError):
                table.receive(below, payload, 0.0)
    assert (table.state, table.info, table.status, table.roads, table.have, table.record.seqs) == before


def test_topics_that_a_follower_does_not_know_are_ignored() -> None:
    table = followed()
    version = table.version
    for below in (
        "something/else",
        "request/dealer/confirm",
        "reply/other/start-1/replay",
        "reply/board/start-1/other",
    ):
        table.receive(below, b"\x00", 0.0)
    assert table.version == version


# --- events ----------------------------------------------------------------------------------------------------------


def test_an_event_after_a_gap_waits_for_those_before_it() -> None:
    table = followed(*others(1, 3))
    assert table.record.seqs == [1]
    table.publish(other(2))
    assert table.record.seqs == [1, 2, 3]


def test_events_before_the_first_state_are_applied() -> None:
    table = Table()
    table.receive("status", encode(status()), 0.0)
    table.publish(other(1))
    table.receive("state", encode(state(0)), 0.0)
    assert table.record.seqs == [1]


def test_no_more_than_so_many_events_wait() -> None:
    table, last = followed(), MOST_WAITING + 10
    facts = others(*range(1, last + 1))
    table.publish(*facts[1:])
    table.publish(facts[0])
    assert table.have == MOST_WAITING + 1, "there was no room for those after it; they are requested"
    table.receive("state", encode(state(last)), 0.0)
    assert table.request(0.0) is None
    assert after(table.request(LATER)) == MOST_WAITING + 1
    table.receive(REPLY, replayed(*facts[MOST_WAITING + 1 :]), 0.0)
    assert table.have == last


# --- from which event on ---------------------------------------------------------------------------------------------


def test_a_display_begins_with_the_latest_events() -> None:
    table = followed(upto=1000)
    assert table.request(0.0) is None
    request = table.due(LATER)
    assert after(request) == 1000 - LATEST
    assert table.record.began[-1] == (JOURNAL, 1000 - LATEST)
    assert request.topic == f"shoe/v1/{SITE}/{TABLE}/request/display/board/replay"
    assert request.response_topic == f"shoe/v1/{SITE}/{TABLE}/{REPLY}"
    assert msgspec.json.decode(request.payload, type=ReplayRequest).limit == MOST_AT_ONCE


def test_who_keeps_books_begins_with_the_first_event() -> None:
    table = followed(upto=1000, latest=None)
    table.request(0.0)
    assert after(table.request(LATER)) == 0


@pytest.mark.parametrize("latest", [None, LATEST])
def test_after_pruned_it_follows_from_the_oldest_that_is_there(latest: int | None) -> None:
    table = followed(upto=1000, latest=latest)
    table.request(0.0)
    request = table.due(LATER)
    table.receive(REPLY, refused_replay(request, Pruned(oldest=950)), 1.0)
    assert table.record.began[-1] == (JOURNAL, 949)
    table.request(1.0)
    request = table.due(1.0 + LATER)
    assert after(request) == 949
    table.receive(REPLY, replayed(*others(*range(950, 980))), 2.0)
    table.receive(REPLY, replayed(*others(*range(980, 1001))), 2.0)
    table.receive(REPLY, answered(request, 1000), 2.0)
    assert table.record.seqs == list(range(950, 1001))
    assert table.request(100.0) is None


def test_events_that_waited_are_applied_after_pruned() -> None:
    table = followed(upto=0)
    table.publish(*others(5, 6, 7))
    table.request(0.0)
    table.receive(REPLY, refused_replay(table.due(LATER), Pruned(oldest=5)), 1.0)
    assert table.record.seqs == [5, 6, 7]


# --- requests for what is missing ------------------------------------------------------------------------------------


def test_nothing_is_requested_when_nothing_is_missing() -> None:
    table = followed(*others(1, 2), upto=2)
    assert table.request(0.0) is None
    assert table.request(100.0) is None


def test_a_missing_event_may_still_be_on_its_way() -> None:
    table = followed(*others(1, 3), upto=1)
    assert table.request(0.0) is None
    assert table.request(SOON) is None
    assert after(table.request(LATER)) == 1


def test_a_follower_that_is_only_a_moment_behind_never_asks() -> None:
    table = followed()
    for seq in range(1, 50):
        now = seq * SOON
        table.receive("state", encode(state(seq)), now)
        assert table.request(now) is None
        table.publish(other(seq), now=now)


def test_a_request_without_an_answer_is_sent_again_less_and_less_often() -> None:
    table = followed(upto=5)
    table.request(0.0)
    sent, now = [], 1.0
    while now < 600:
        if table.request(now) is not None:
            sent.append(now)
        now += 0.25
    waits = [later - before for before, later in pairwise(sent)]
    assert waits[:4] == [ASK_AGAIN, 2 * ASK_AGAIN, 4 * ASK_AGAIN, 8 * ASK_AGAIN]
    assert set(waits[5:]) == {ASK_AGAIN_LAST}


def test_nothing_is_requested_while_the_controller_is_away() -> None:
    table = followed(upto=5)
    table.receive("status", encode(status(online=False)), 0.0)
    assert table.request(0.0) is None
    assert table.request(10.0) is None


def test_a_lost_connection_loses_the_request_too() -> None:
    table = followed(upto=5)
    table.request(0.0)
    table.due(1.0)
    table.broker_down()
    table.broker_up()
    assert table.request(1.1) is None, "the controller may be gone"
    table.receive("status", encode(status()), 1.1)
    table.request(1.1)
    assert after(table.request(1.1 + LATER)) == 0


def test_a_refused_request_is_sent_again_later() -> None:
    table = followed(upto=5)
    table.request(0.0)
    table.receive(REPLY, refused_replay(table.due(1.0), JournalFull()), 1.1)
    assert table.request(1.2) is None
    assert after(table.request(1.0 + ASK_AGAIN * 1.1)) == 0


def test_an_answer_to_an_earlier_request_is_ignored() -> None:
    table = followed(upto=900)
    table.request(0.0)
    first = table.due(1.0)
    table.due(1.0 + ASK_AGAIN)
    table.receive(REPLY, refused_replay(first, Pruned(oldest=850)), 5.0)
    assert table.have == 900 - LATEST


# --- whatever the network does ---------------------------------------------------------------------------------------


class Happening(msgspec.Struct, frozen=True):
    """What the network does with an event: how often it arrives, and whether a state follows, or a new connection."""

    times: int
    state: bool
    reconnect: bool


HAPPENINGS = st.builds(Happening, times=st.integers(0, 2), state=st.booleans(), reconnect=st.booleans())


@given(st.lists(HAPPENINGS, min_size=1, max_size=40), st.sampled_from([None, LATEST]))
def test_in_the_end_every_event_was_applied_once_and_in_order(happenings: list[Happening], latest: int | None) -> None:
    facts = others(*range(1, len(happenings) + 1))
    table = followed(latest=latest)
    now, seen = 0.0, 0
    for fact, happening in zip(facts, happenings, strict=True):
        now += 0.1
        if happening.reconnect:
            table.broker_down()
            table.broker_up()
            table.receive("status", encode(status()), now)
        for _ in range(happening.times):
            table.publish(fact, now=now)
        if happening.state:
            table.receive("state", encode(state(fact.seq)), now)
        _answer(table, facts[: fact.seq], now)
        assert table.state is not None
        assert table.state.seq >= seen
        seen = table.state.seq
    table.receive("state", encode(state(len(facts))), now)
    for _ in range(5):
        now += ASK_AGAIN * 2
        _answer(table, facts, now)
    assert table.record.seqs == list(range(1, len(facts) + 1))


def _answer(table: Table, facts: list[Fact], now: float) -> None:
    request = table.request(now)
    if request is None:
        return
    asked = after(request) or 0
    found = facts[asked : asked + 10]
    table.receive(REPLY, replayed(*found), now)
    table.receive(REPLY, answered(request, len(facts), last=asked + len(found)), now)
