"""One table's model: late news, repeats, gaps, old sessions and new journals, in any order a broker may bring."""

from collections.abc import Iterator
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.board.model import HISTORY, PACE_LASTS, TableModel
from shoe_controller.messages.facts import Fact, RoundResult
from shoe_controller.web.event_sequencer import ASK_AGAIN, ASK_AGAIN_LAST, MOST_WAITING, PATIENCE
from tests.follow.samples import (
    answered,
    encode,
    info,
    other,
    replayed,
    result,
    roads_message,
    state,
    status,
    undone,
    voided,
)

SOON, LATER = PATIENCE * 0.9, PATIENCE * 1.1


def model(*facts: Fact, upto: int = 0) -> TableModel:
    """A table that is there, whose state includes `upto`, and these events."""
    table = TableModel("t1")
    table.heard("status", encode(status()), 0.0)
    table.heard("state", encode(state(upto)), 0.0)
    for fact in facts:
        table.heard(f"event/{fact.TOPIC}", encode(fact), 0.0)
    return table


# --- who is there ----------------------------------------------------------------------------------------------------


def test_nobody_is_there_before_a_status() -> None:
    assert not TableModel("t1").online


@pytest.mark.parametrize("known", range(1, 4))
@pytest.mark.parametrize("known_online", [True, False])
@pytest.mark.parametrize("news", range(1, 4))
@pytest.mark.parametrize("online", [True, False])
def test_the_end_of_an_older_session_is_ignored(known: int, news: int, *, known_online: bool, online: bool) -> None:
    table = TableModel("t1")
    table.heard("status", encode(status(known, online=known_online)), 0.0)
    table.heard("status", encode(status(news, online=online)), 0.0)
    assert table.online == (online or (news < known and known_online))


def test_after_a_new_connection_a_table_must_say_anew_that_it_is_there() -> None:
    table = model()
    table.connected()
    assert not table.online
    table.heard("status", encode(status(1)), 0.0)
    assert table.online


@pytest.mark.parametrize("new_connection", [True, False])
def test_a_controller_whose_clock_was_set_back_is_believed(*, new_connection: bool) -> None:
    table = TableModel("t1")
    table.heard("status", encode(status(900, online=False)), 0.0)
    if new_connection:
        table.connected()
    table.heard("status", encode(status(5)), 0.0)
    assert table.online


# --- retained messages -----------------------------------------------------------------------------------------------


@given(st.permutations(range(1, 7)))
def test_the_newest_state_and_roads_stand_whatever_the_order(order: list[int]) -> None:
    table = model()
    for seq in order:
        table.heard("state", encode(state(seq, round=seq)), 0.0)
        table.heard("roads", encode(roads_message(seq, "B" * seq)), 0.0)
    assert table.state is not None
    assert table.roads is not None
    assert (table.state.round, table.roads.counts.banker) == (6, 6)


def test_a_message_that_cannot_be_read_changes_nothing() -> None:
    table = model(upto=3)
    table.heard("info", encode(info()), 0.0)
    before = (table.state, table.info, table.status, table.roads, table.have)
    for below in ("status", "info", "state", "roads", "event/card"):
        for payload in (b"{", b"[]", b'{"seq": "x"}', b"\xff", b'"text"'):
            with pytest.raises(msgspec.DecodeError):
                table.heard(below, payload, 0.0)
    assert (table.state, table.info, table.status, table.roads, table.have) == before


def test_topics_that_a_board_does_not_know_are_passed_over() -> None:
    table = model()
    table.heard("something/else", b"\x00", 0.0)
    table.heard("request/dealer/confirm", b"{}", 0.0)


# --- events ----------------------------------------------------------------------------------------------------------


def test_a_result_is_kept_until_it_is_taken_back() -> None:
    assert model(result(1, 1), result(2, 2)).result == result(2, 2)
    taken_back = model(result(1, 1), result(2, 2), undone(3, replaces=2))
    assert taken_back.result is None
    assert taken_back.have == 3


def test_an_older_result_that_is_taken_back_leaves_the_last_one() -> None:
    assert model(result(1, 1), result(2, 2), undone(3, replaces=1)).result == result(2, 2)


def test_a_void_is_kept() -> None:
    assert model(voided(1, 4)).void == voided(1, 4)


def test_an_event_after_a_gap_waits_for_those_before_it() -> None:
    table = model(result(1, 1), result(3, 3))
    assert table.result == result(1, 1)
    table.heard("event/outcome", encode(result(2, 2)), 0.0)
    assert table.result == result(3, 3)


def test_events_that_come_before_the_first_state_are_not_lost() -> None:
    table = TableModel("t1")
    table.heard("event/outcome", encode(result(1)), 0.0)
    table.heard("state", encode(state(0)), 0.0)
    table.heard("event/round", encode(other(2)), 0.0)
    assert table.result == result(1)


def test_no_more_than_so_many_events_wait() -> None:
    table, last = model(), MOST_WAITING + 10
    facts = [other(seq) for seq in range(1, last)] + [result(last)]
    for fact in facts[1:]:
        table.heard(f"event/{fact.TOPIC}", encode(fact), 0.0)
    table.heard("event/round", encode(facts[0]), 0.0)
    assert table.have == MOST_WAITING + 1, "there was no room for those after it; they are asked for"
    table.heard("state", encode(state(last)), 0.0)
    table.wanted(0.0)
    assert table.wanted(LATER) == MOST_WAITING + 1
    for fact in facts[MOST_WAITING + 1 :]:
        table.heard_reply(replayed(fact), 0.0)
    assert (table.have, table.result) == (last, result(last))


# --- asking for what is missing --------------------------------------------------------------------------------------


def test_a_board_that_is_switched_on_asks_for_the_last_rounds() -> None:
    table = model(upto=1000)
    assert table.wanted(0.0) is None
    assert table.wanted(LATER) == 1000 - HISTORY


def test_nothing_is_asked_for_when_nothing_is_missing() -> None:
    table = model(other(1), other(2), upto=2)
    assert table.wanted(0.0) is None
    assert table.wanted(100.0) is None


def test_a_missing_event_may_still_be_on_its_way() -> None:
    table = model(other(1), other(3), upto=1)
    assert table.wanted(0.0) is None
    assert table.wanted(SOON) is None
    assert table.wanted(LATER) == 1


def test_a_board_that_is_only_a_moment_behind_never_asks() -> None:
    table = model()
    for seq in range(1, 50):
        now = seq * SOON
        table.heard("state", encode(state(seq)), now)
        assert table.wanted(now) is None
        table.heard("event/round", encode(other(seq)), now)


def test_a_question_is_asked_again_when_nobody_answers_and_not_before() -> None:
    table = model(upto=5)
    table.wanted(0.0)
    assert table.wanted(1.0) == 0
    table.asked(1.0)
    assert table.wanted(1.0 + ASK_AGAIN * 0.9) is None
    assert table.wanted(1.0 + ASK_AGAIN * 1.1) == 0


def test_a_question_that_is_never_answered_is_asked_less_and_less_often() -> None:
    table = model(upto=5)
    table.wanted(0.0)
    asked, now = [], 1.0
    while now < 600:
        if table.wanted(now) is not None:
            table.asked(now)
            asked.append(now)
        now += 0.25
    waits = [after - before for before, after in pairwise(asked)]
    assert waits[:4] == [ASK_AGAIN, 2 * ASK_AGAIN, 4 * ASK_AGAIN, 8 * ASK_AGAIN]
    assert set(waits[5:]) == {ASK_AGAIN_LAST}


def test_nobody_is_asked_while_the_controller_is_away() -> None:
    table = model(upto=5)
    table.heard("status", encode(status(online=False)), 0.0)
    assert table.wanted(0.0) is None
    assert table.wanted(10.0) is None


def test_a_lost_connection_loses_the_question_too() -> None:
    table = model(upto=5)
    table.wanted(0.0)
    table.asked(1.0)
    table.connected()
    table.heard("status", encode(status()), 1.1)
    table.wanted(1.1)
    assert table.wanted(1.1 + LATER) == 0


def test_what_is_no_longer_in_the_journal_is_not_asked_for_for_ever() -> None:
    table = model(upto=900)
    table.wanted(0.0)
    table.asked(1.0)
    table.heard_reply(replayed(result(890)), 1.0)
    table.heard_reply(answered(last=900, newest=900, sent=1), 1.0)
    assert table.have == 900
    assert table.wanted(50.0) is None


def test_a_refused_question_is_asked_again_later() -> None:
    table = model(upto=5)
    table.wanted(0.0)
    table.asked(1.0)
    table.heard_reply(b'{"status":"error","code":"journal_full","message":"","request_id":"","data":null}', 1.1)
    assert table.wanted(1.2) is None
    assert table.wanted(1.0 + ASK_AGAIN * 1.1) == 0


def test_an_answer_that_was_made_before_the_newest_event_came_starts_nothing_anew() -> None:
    table = model(other(1), upto=3)
    table.wanted(0.0)
    table.asked(1.0)
    table.heard("state", encode(state(4)), 1.0)
    table.heard_reply(replayed(other(2)), 1.0)
    table.heard_reply(replayed(other(3)), 1.0)
    table.heard_reply(answered(last=3, newest=3, sent=2), 1.0)
    assert table.state == state(4)
    assert table.have == 3


def test_a_new_journal_is_found_out_and_shown() -> None:
    table = model(result(1, 1), result(2, 2), upto=2)
    table.heard("roads", encode(roads_message(2, "BB")), 0.0)
    table.heard("state", encode(state(1, round=9)), 1.0)
    table.heard("roads", encode(roads_message(0)), 1.0)
    assert table.state == state(2), "it may be late news"
    table.wanted(1.0)
    assert table.wanted(1.0 + LATER) == 2
    table.asked(2.0)
    table.heard_reply(answered(last=2, newest=1), 2.0)
    assert table.state == state(1, round=9)
    assert table.roads == roads_message(0)
    assert table.result is None
    assert table.have == 0


def test_late_news_is_found_out_and_forgotten() -> None:
    table = model(other(1), other(2), upto=2)
    table.heard("state", encode(state(1, round=9)), 1.0)
    table.wanted(1.0)
    table.asked(2.0)
    table.heard_reply(answered(last=2, newest=2), 2.0)
    assert table.state == state(2)
    assert table.wanted(50.0) is None


# --- whatever the network does ---------------------------------------------------------------------------------------


def _life(count: int) -> Iterator[Fact]:
    """Rounds of three events each; some are void, and some results are taken back."""
    for seq in range(1, count + 1):
        number = seq // 3 + 1
        match seq % 9:
            case 3:
                yield voided(seq, number)
            case 0:
                yield undone(seq, replaces=seq - 3)
            case 6 | 2:
                yield result(seq, number, minute=seq)
            case _:
                yield other(seq)


class Happening(msgspec.Struct, frozen=True):
    """What the network does with an event: how often it arrives, and whether a state follows, or a new connection."""

    times: int
    state: bool
    reconnect: bool


HAPPENINGS = st.builds(Happening, times=st.integers(0, 2), state=st.booleans(), reconnect=st.booleans())


@given(st.lists(HAPPENINGS, min_size=1, max_size=40))
def test_in_the_end_a_board_has_everything_once_and_never_went_back(happenings: list[Happening]) -> None:
    facts = list(_life(len(happenings)))
    table = model()
    now, seen = 0.0, 0
    for fact, happening in zip(facts, happenings, strict=True):
        now += 0.1
        if happening.reconnect:
            table.connected()
            table.heard("status", encode(status()), now)
        for _ in range(happening.times):
            table.heard(f"event/{fact.TOPIC}", encode(fact), now)
        if happening.state:
            table.heard("state", encode(state(fact.seq)), now)
        _answer(table, facts[: fact.seq], now)
        assert table.state is not None
        assert table.state.seq >= seen
        seen = table.state.seq
    table.heard("state", encode(state(len(facts))), now)
    for _ in range(3):
        now += ASK_AGAIN * 2
        _answer(table, facts, now)
    complete = model(*facts)
    assert table.have == len(facts)
    assert (table.result, table.void, table.pace(now)) == (complete.result, complete.void, complete.pace(0.0))


def _answer(table: TableModel, facts: list[Fact], now: float) -> None:
    after = table.wanted(now)
    if after is None:
        return
    table.asked(now)
    found = facts[after : after + 10]
    for fact in found:
        table.heard_reply(replayed(fact), now)
    table.heard_reply(answered(last=found[-1].seq if found else after, newest=len(facts), sent=len(found)), now)


# --- how fast --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rounds", "minutes", "pace"), [(2, 1, 60), (11, 1, 60), (11, 2, 30), (60, 1, 60)])
def test_the_pace_is_that_of_the_last_rounds(rounds: int, minutes: int, pace: int) -> None:
    table = model(*(result(seq, seq, minute=seq * minutes) for seq in range(1, rounds + 1)))
    assert table.pace(1.0) == pace


def test_one_round_has_no_pace_nor_has_a_table_that_stopped_dealing() -> None:
    assert model(result(1)).pace(0.0) is None
    table = model(result(1, minute=1), result(2, minute=2))
    assert table.pace(PACE_LASTS - 1) == 60
    assert table.pace(PACE_LASTS + 1) is None


def test_a_clock_that_was_set_back_gives_no_pace() -> None:
    assert model(result(1, minute=9), result(2, minute=2)).pace(0.0) is None


def test_a_result_that_was_taken_back_does_not_count() -> None:
    facts = [result(1, minute=1), result(2, minute=2), undone(3, replaces=2), result(4, minute=3)]
    assert model(*facts).pace(0.0) == 30
    assert isinstance(facts[0], RoundResult)
