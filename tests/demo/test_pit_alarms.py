"""A player who counts cards in a demonstration: what is said when the pit's process finds the seat."""

import os
import re
import signal

import msgspec
import pytest

from shoe_controller.demo.pit_alarms import PitAlarms, SeatAlarm
from shoe_controller.messages.pit import (
    PitAlarmsMessage,
    RaisedPitAlarm,
    StakesFollowEdge,
    WagerExposed,
)
from tests.demo.watched_demo import YES, Folder

FOUND = StakesFollowEdge(
    seat="6", wager="base.tie", shoe=9, shoes=8, rounds=31, mean_edge=0.08, evidence=1812.0, suggested=()
)
EXPOSED = WagerExposed(shoe=9, round=3, wager="base.tie", edge=0.1, limit=0.0, staked=0, suggested=())

CAUGHT = 900.0
"""Seconds in which the counter of a demonstration is found, with much to spare."""


def message(*alarms: RaisedPitAlarm) -> bytes:
    return msgspec.json.encode(PitAlarmsMessage(start="5e1f", journal="4f2a", alarms=alarms))


def test_a_seat_that_is_found_is_said_once() -> None:
    said: list[SeatAlarm] = []
    alarms = PitAlarms(said.append)
    exposed, found = (RaisedPitAlarm(line=line, time=1, alarm=alarm) for line, alarm in ((3, EXPOSED), (4, FOUND)))
    assert not alarms.take("pit/edges", "table-1", b"{}", 1.0)
    for at, published in ((1.0, message(exposed)), (75.5, message(exposed, found)), (76.0, message(found))):
        assert alarms.take("pit/alarms", "table-1", published, at)
    assert alarms.take("pit/alarms", "table-1", b"", 77.0)
    assert said == alarms.all == [SeatAlarm("table-1", 75.5, FOUND)]
    assert said[0].minutes == "1:15"
    assert said[0].words.startswith("Seat 6: the stakes on base.tie follow its edge.")


@pytest.mark.asyncio
@pytest.mark.timeout(2 * CAUGHT)
@pytest.mark.skipif(not os.environ.get("LONG_TESTS"), reason="takes minutes; LONG_TESTS=1 runs it")
async def test_the_counter_is_caught(folder: Folder) -> None:
    demo = folder.demo("--counter")
    await demo.start()
    await demo.shows("PIT ALARM: Seat 6: the stakes on golden_bacc.natural_9_over_7 follow its edge.", CAUGHT)
    demo.signal(signal.SIGINT)
    assert await demo.ended() == 0, demo.text
    found = r"^  pit +after \d+:\d\d minutes, table-1: Seat 6: the stakes on golden_bacc\.natural_9_over_7 "
    assert re.search(found, demo.report, re.MULTILINE), demo.report
    assert YES in demo.report
    assert folder.is_clean()


@pytest.mark.asyncio
async def test_a_table_with_a_counter_says_that_it_was_not_found_yet(folder: Folder) -> None:
    demo = folder.demo("--counter", "--rounds", "1", "--broker", "emulated")
    await demo.start()
    assert await demo.ended() == 0, demo.text
    assert "2 decks, speed 40; emulated broker" in demo.text
    assert "  pit       no seat was found that follows an edge" in demo.report
    assert YES in demo.report
    assert folder.is_clean()
