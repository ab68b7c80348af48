"""What a witness requests of a table, and what it makes of the answers: gaps, absences, tables that cannot answer."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.messages.requests import Answer, CheckpointsRequest, SentCheckpoints
from shoe_controller.messages.topics import Topics
from shoe_controller.witness.judgement import Judgement
from shoe_controller.witness.lines import AlarmRaised, AnyLine, CheckpointSeen
from shoe_controller.witness.table import CHECKPOINT, OVERDUE, PATIENCE, WatchedTable
from tests.witness.samples import JOURNAL, TABLE, checkpoint, status

TOPICS = Topics("north", TABLE)


class Watch:
    """A watched table, and the table itself, as far as it can show checkpoints."""

    def __init__(self, *checkpoints: Checkpoint, answers: bool = True) -> None:
        self.has = list(checkpoints)
        self.answers = answers
        self.lines: list[AnyLine] = []
        self.asked: list[int] = []
        self.now = 0.0
        self.watched = WatchedTable(TOPICS, Judgement(TABLE, 0), client="witness", instance="i")
        self.watched.broker_up(self.now)

    def receive(self, below: str, message: object, *, retained: bool = False) -> None:
        payload = msgspec.json.encode(message)
        wall = 1_790_000_000_000 + int(self.now * 1000)
        self.keep(self.watched.receive(below, payload, retained=retained, now=self.now, wall=wall))

    def keep(self, lines: Iterable[AnyLine]) -> None:
        for line in lines:
            self.lines.append(line)
            self.watched.judgement.remember(line)

    def publish(self, made: Checkpoint) -> None:
        self.receive(CHECKPOINT, {"journal": made.journal, "fact": "checkpoint_signed", "checkpoint": made})

    def online(self, session: int = 1, *, online: bool = True, journal: str = JOURNAL) -> None:
        self.receive("status", status(session, online=online, journal=journal))

    def passes(self, seconds: float) -> None:
        """Time passes, and requests are answered."""
        end = self.now + seconds
        while self.now < end:
            self.now += 0.25 if seconds < 600 else 5.0
            self.keep(self.watched.look(self.now, 1_790_000_000_000 + int(self.now * 1000)))
            request = self.watched.request(self.now)
            if request is not None:
                assert request.topic == "shoe/v1/north/t1/request/witness/witness/checkpoints"
                wanted = msgspec.json.decode(request.payload, type=CheckpointsRequest)
                self.asked.append(wanted.after)
                if self.answers:
                    self.answer(wanted, TOPICS.below(request.response_topic))

    def answer(self, wanted: CheckpointsRequest, below: str) -> None:
        found = [each for each in self.has if each.index > wanted.after][: wanted.limit]
        newest = max((each.index for each in self.has), default=-1)
        sent = SentCheckpoints(journal=JOURNAL, newest=newest, checkpoints=tuple(found))
        self.receive(below, Answer(status="ok", request_id=wanted.request_id, checkpoints=sent))

    @property
    def kept(self) -> list[int]:
        return [line.checkpoint.index for line in self.lines if isinstance(line, CheckpointSeen) and not line.disputed]

    @property
    def alarms(self) -> list[str]:
        return [line.alarm.code for line in self.lines if isinstance(line, AlarmRaised)]


@pytest.mark.parametrize("first", [0, 1])
def test_everything_from_before_is_requested_and_what_is_published_follows(first: int) -> None:
    before: dict[str, Any] = {"succeeds": {"journal": "old", "index": 5}} if first == 0 else {}
    made = [checkpoint(first, **before), *(checkpoint(index) for index in range(first + 1, 100))]
    watch = Watch(*made)
    watch.online()
    watch.passes(10)
    assert watch.kept == list(range(first, 100))
    asked = len(watch.asked)
    assert asked == 3
    watch.publish(checkpoint(100))
    watch.publish(checkpoint(100))
    watch.passes(60)
    assert watch.kept == list(range(first, 101))
    assert (len(watch.asked), watch.alarms) == (asked, [])


def test_a_lost_event_is_requested_when_the_next_one_comes() -> None:
    watch = Watch(*map(checkpoint, (1, 2)))
    watch.online()
    watch.passes(5)
    watch.has += map(checkpoint, (3, 4))
    watch.publish(checkpoint(4))
    watch.passes(5)
    assert (watch.kept, watch.alarms) == ([1, 2, 3, 4], [])


def test_a_checkpoint_that_the_table_cannot_show_is_missing_and_the_next_are_kept() -> None:
    watch = Watch(*map(checkpoint, (1, 2, 4, 5)))
    watch.online()
    watch.passes(30)
    watch.publish(checkpoint(6))
    assert (watch.kept, watch.alarms) == ([1, 2, 4, 5, 6], ["checkpoint_missing"])


def test_a_table_that_does_not_answer_cannot_hide_a_gap() -> None:
    watch = Watch(*map(checkpoint, (1, 2)))
    watch.online()
    watch.passes(5)
    watch.answers = False
    watch.publish(checkpoint(4))
    watch.passes(PATIENCE + 5)
    assert watch.alarms == ["checkpoint_missing"]


def test_no_checkpoint_for_over_an_hour_is_overdue_while_the_table_is_online() -> None:
    watch = Watch(checkpoint(1))
    watch.online()
    watch.passes(OVERDUE - 60)
    watch.online(online=False)
    watch.passes(10 * OVERDUE)
    assert watch.alarms == []
    watch.online(2)
    watch.passes(OVERDUE - 60)
    assert watch.alarms == []
    watch.passes(120 + PATIENCE)
    assert watch.alarms == ["checkpoint_overdue"]


def test_a_checkpoint_whose_event_was_lost_is_not_overdue() -> None:
    watch = Watch(checkpoint(1))
    watch.online()
    watch.passes(60)
    watch.has.append(checkpoint(2))
    watch.passes(OVERDUE + 10 * PATIENCE)
    assert (watch.kept, watch.alarms) == ([1, 2], [])


def test_every_connection_of_the_table_is_asked_whether_the_last_checkpoint_is_still_the_same() -> None:
    watch = Watch(*map(checkpoint, (1, 2, 3)))
    watch.online()
    watch.passes(5)
    watch.online(2)
    watch.passes(5)
    assert watch.asked == [-1, 2]
    watch.has[2:] = [checkpoint(3, line="x"), checkpoint(4, line="x")]
    watch.online(3)
    watch.passes(5)
    assert watch.alarms == ["checkpoint_forked", "key_not_vouched_for"]


def test_fewer_checkpoints_after_a_restart_are_a_rollback() -> None:
    watch = Watch(*map(checkpoint, (1, 2, 3)))
    watch.online()
    watch.passes(5)
    del watch.has[1:]
    watch.online(2)
    watch.passes(5)
    assert watch.alarms == ["checkpoints_rolled_back"]


def test_an_answer_that_nobody_asked_for_and_events_of_another_journal_count_for_nothing() -> None:
    watch = Watch()
    watch.online()
    watch.passes(5)
    watch.publish(checkpoint(1, journal="other"))
    made_up = SentCheckpoints(journal=JOURNAL, newest=9, checkpoints=(checkpoint(1),))
    watch.receive("reply/witness/i/replay", Answer(status="ok", request_id="x", checkpoints=made_up))
    assert (watch.kept, watch.alarms) == ([], [])
