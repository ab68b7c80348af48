"""Everything that is an alarm, and everything that looks like one and is none; with and without restarts between."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from shoe_controller.process.lines_file import Started
from shoe_controller.witness.judgement import LIKE_ALARM_AGAIN, MOST_WAITING, Judgement
from shoe_controller.witness.lines import AlarmRaised, AnyLine, HeadSeen, digest_of
from tests.witness.samples import JOURNAL, TABLE, checkpoint, digest, seed, status

Step = Callable[[Judgement, int], Iterator[AnyLine]]


class Book:
    """A judgement with the lines that it has written; `restart` keeps nothing but the lines."""

    def __init__(self, heads_every: int = 0) -> None:
        self.lines: list[AnyLine] = []
        self.now = 1_790_000_000_000
        self._heads_every = heads_every
        self.judgement = Judgement(TABLE, heads_every)

    def take(self, step: Step) -> None:
        self.now += LIKE_ALARM_AGAIN
        for line in step(self.judgement, self.now):
            self.write(line)

    def write(self, line: AnyLine) -> None:
        self.lines.append(msgspec.structs.replace(line, line=len(self.lines) + 1, time=self.now))
        self.judgement.remember(self.lines[-1])

    def restart(self, acknowledged: int = 0) -> None:
        self.judgement = Judgement(TABLE, self._heads_every)
        for line in self.lines:
            self.judgement.remember(line)
        self.write(Started(version="1", acknowledged=acknowledged))

    @property
    def alarms(self) -> list[str]:
        return [line.alarm.code for line in self.lines if isinstance(line, AlarmRaised)]


def live(session: int, number: int | None = None, **more: Any) -> Step:  # noqa: ANN401 - fields of a status
    """A status that the controller publishes just now."""
    return lambda judged, now: judged.status(status(session, number, **more), retained=False, now=now)


def kept(session: int, number: int | None = None, **more: Any) -> Step:  # noqa: ANN401 - fields of a status
    """A status that the broker had retained."""
    return lambda judged, now: judged.status(status(session, number, **more), retained=True, now=now)


def signs(index: int, **more: Any) -> Step:  # noqa: ANN401 - fields of a checkpoint
    return lambda judged, now: judged.checkpoint(checkpoint(index, **more), now)


def newest(index: int) -> Step:
    return lambda judged, now: judged.newest_checkpoint(JOURNAL, index, now)


NEXT_JOURNAL: dict[str, Any] = {
    "journal": "77b3",
    "key": seed(JOURNAL, 2),
    "succeeds": {"journal": JOURNAL, "index": 2},
}

ALARMS: dict[str, tuple[list[Step], list[str]]] = {
    "head set back": ([live(1, 50), live(2, 40)], ["journal_rolled_back"]),
    "head set back in one session": ([live(1, 50), live(1, 40)], ["journal_rolled_back"]),
    "set back while the witness was away": ([live(1, 50), kept(2, 40)], ["journal_rolled_back"]),
    "set back, and offline again": ([live(1, 50), kept(2, 40, online=False)], ["journal_rolled_back"]),
    "set back, with the clock": ([live(5, 50), live(2, 40)], ["journal_rolled_back"]),
    "set back, and dealt on": ([live(1, 50), live(2, 40), live(2, 45), live(2, 60)], ["journal_rolled_back"]),
    "set back twice": ([live(1, 50), live(2, 40), live(2, 45), live(3, 30)], ["journal_rolled_back"] * 2),
    "set back to another record": (
        [live(1, 40), live(1, 50), live(2, 40, line="x")],
        ["journal_rolled_back", "record_forked"],
    ),
    "another record": ([live(1, 50), live(2, 50, line="x")], ["record_forked"]),
    "another record in an old message": ([live(1, 50), live(1, 60), kept(1, 50, line="x")], ["record_forked"]),
    "another record under a checkpoint": ([live(1, 30), signs(2, hash=checkpoint(3).hash)], ["record_forked"]),
    "two checkpoints of an index": ([signs(1), signs(1, time=7)], ["checkpoint_forked"]),
    "two checkpoints, by another key": ([signs(1), signs(2), signs(2, line="x")], ["checkpoint_forked"]),
    "a forged signature": (
        [lambda j, now: j.checkpoint(msgspec.structs.replace(checkpoint(1), signature="00" * 64), now)],
        ["checkpoint_not_genuine"],
    ),
    "a field changed after it was signed": (
        [lambda j, now: j.checkpoint(msgspec.structs.replace(checkpoint(1), number=9), now)],
        ["checkpoint_not_genuine"],
    ),
    "another next key": ([signs(1), signs(2, line="x")], ["key_not_vouched_for"]),
    "a new journal with keys of its own": ([signs(1), signs(1, journal="77b3")], ["key_not_vouched_for"]),
    "a new journal by a key that signed before": (
        [signs(1), signs(2), signs(0, **NEXT_JOURNAL)],
        ["key_not_vouched_for"],
    ),
    "a checkpoint that goes back": ([signs(1), signs(2, number=5)], ["journal_rolled_back"]),
    "fewer checkpoints": ([signs(1), signs(2), newest(1)], ["checkpoints_rolled_back"]),
    "no checkpoints": ([signs(1), newest(-1)], ["checkpoints_rolled_back"]),
    "set back and signed again": (
        [signs(1), signs(2), newest(1), signs(2, line="x")],
        ["checkpoints_rolled_back", "checkpoint_forked"],
    ),
    "two controllers in turn": ([live(1), live(2), live(1)], ["two_controllers"]),
    "two controllers with journals of their own": (
        [live(1), live(2, journal="77b3"), live(1)],
        ["two_controllers"],
    ),
}

NO_ALARMS: dict[str, list[Step]] = {
    "rounds": [live(1, 10), live(1, 20), live(1, 30)],
    "the same again": [live(1, 10), live(1, 10), kept(1, 10)],
    "a restart": [live(1, 10), live(2, 10), live(2, 20)],
    "a late will": [live(1, 10), live(2, 20), live(1, 10, online=False), live(2, 20)],
    "a will of this session": [live(1, 10), live(1, 30), live(1, 10, online=False), kept(1, 10, online=False)],
    "a broker that remembers the day before": [live(1, 10), live(2, 30), kept(1, 10), live(3, 30)],
    "a broker that remembers an older status of this session": [live(1, 10), live(1, 30), kept(1, 10)],
    "the clock set back": [live(5, 10), live(2, 10), live(2, 20)],
    "no head yet": [live(1), live(2, 10), live(3)],
    "a new journal": [
        live(1, 50),
        signs(1),
        live(2, 5, journal="77b3"),
        signs(0, **NEXT_JOURNAL),
        signs(1, journal="77b3"),
    ],
    "a new journal before any checkpoint": [live(1, 50), live(2, 5, journal="77b3"), signs(1, journal="77b3")],
    "checkpoints": [signs(1), signs(2), signs(2), signs(1), newest(2), newest(7)],
    "a head under a checkpoint": [live(1, 30), signs(2)],
    "a round's end after an hourly checkpoint": [signs(1), signs(2), live(1, 25)],
    "many restarts": [live(session) for session in range(1, 40)],
}


@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_is_raised_once(name: str, *, restarts: bool) -> None:
    steps, expected = ALARMS[name]
    book = Book()
    for step in steps:
        book.take(step)
        if restarts:
            book.restart()
    assert book.alarms == expected


@pytest.mark.parametrize("restarts", [False, True], ids=["running", "restarted"])
@pytest.mark.parametrize("name", NO_ALARMS)
def test_what_happens_on_any_day_is_no_alarm(name: str, *, restarts: bool) -> None:
    book = Book()
    for step in NO_ALARMS[name]:
        book.take(step)
        if restarts:
            book.restart()
    assert book.alarms == []


def test_an_alarm_stands_until_it_is_acknowledged() -> None:
    book = Book()
    for step in ALARMS["set back twice"][0]:
        book.take(step)
    first, second = (alarm.line for alarm in book.judgement.alarms)
    book.restart(acknowledged=first)
    assert [alarm.line for alarm in book.judgement.alarms] == [second]
    book.restart(acknowledged=second)
    assert book.judgement.alarms == []


def test_what_stays_wrong_is_alarmed_every_hour_and_messages_cannot_fill_the_disk() -> None:
    book = Book()
    for step in (live(1, 10), live(2, 20)):
        book.take(step)
    for number in range(600):
        book.now += 12_000 - LIKE_ALARM_AGAIN
        book.take(live(1 + number % 2, 20 + number, line=str(number)))
    assert 2 <= book.alarms.count("two_controllers") <= 2 * 60 + 1
    before = len(book.lines)
    for number in range(1000):
        book.now += 1 - LIKE_ALARM_AGAIN
        book.take(live(100 + number, start=f"made up {number}", journal=f"made up {number}"))
    assert len(book.lines) - before <= 25


def test_heads_wait_and_are_written_together_and_none_is_left_out() -> None:
    book = Book(heads_every=600)
    for number in range(60):  # a round a minute
        book.take(live(1, 10 + number))
    book.take(live(1, 100))
    book.take(lambda judged, _now: judged.heads_now())
    heads = [line for line in book.lines if isinstance(line, HeadSeen)]
    assert len(heads) == 7
    numbers = [number for line in heads for number in (*line.earlier, int(line.head.partition(":")[0]))]
    assert numbers == [*range(10, 70), 100]
    for line in heads:
        assert line.digest == digest_of(digest(number) for number in line.earlier)


def test_heads_that_wait_are_bounded() -> None:
    book = Book(heads_every=3600)
    for number in range(3 * MOST_WAITING):
        book.now += 1 - LIKE_ALARM_AGAIN
        book.take(live(1, 10 + number))
    book.take(lambda judged, _now: judged.heads_now())
    _, last = [line for line in book.lines if isinstance(line, HeadSeen)]
    assert len(last.earlier) == MOST_WAITING - 1
    assert last.head.startswith(f"{9 + 3 * MOST_WAITING}:")
