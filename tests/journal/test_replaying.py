"""Replaying the inputs must give every event again, byte for byte; where it does not, the event is named."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import pytest

from shoe_controller.journal.records import Event, Start, StoredInput
from shoe_controller.journal.verify import Report, verify
from tests.journal.samples import SOFTWARE, entry, events_of, named, replay, shoes, verified, write
from tests.journal.tampering import query


def with_replay(
    path: Path, function: Callable[[Iterable[StoredInput]], Iterable[Event]], software: str = SOFTWARE
) -> Report:
    return verify(path, replay=function, software=software, progress=lambda _done, _all: None)


def test_without_a_replay_nothing_is_said_about_one(path: Path) -> None:
    report = verify(path, software=SOFTWARE, progress=lambda _done, _all: None)
    assert report.good
    assert report.replayed is None


def test_a_replay_may_answer_all_at_once(path: Path) -> None:
    report = with_replay(path, lambda inputs: list(replay(inputs)))
    assert report.good
    assert report.replayed == verified(path).replayed


def test_each_replay_begins_with_an_opening_or_a_snapshot(path: Path) -> None:
    seen: list[list[Start | None]] = []

    def watching(inputs: Iterable[StoredInput]) -> Iterator[Event]:
        seen.append([])
        for given in inputs:
            seen[-1].append(given.input.start)
            yield from events_of(given.input)

    assert with_replay(path, watching).good
    assert [one[0] for one in seen] == [Start.OPENING, Start.OPENING, Start.SNAPSHOT]
    assert all(start is None for one in seen for start in one[1:])


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda event: msgspec.structs.replace(event, body=event.body + b"!"), "replaying gives another event"),
        (lambda event: msgspec.structs.replace(event, name="other"), "replaying gives another event"),
    ],
)
def test_an_event_that_does_not_follow_is_named(path: Path, wrong: Callable[[Event], Event], what: str) -> None:
    (number,) = query(path, "SELECT max(number) FROM record WHERE kind = 'event' AND shoe = 3")[0]
    (body,) = query(path, "SELECT body FROM record WHERE kind = 'event' AND shoe = 3 ORDER BY number DESC LIMIT 1")[0]

    def replay_wrongly(inputs: Iterable[StoredInput]) -> Iterator[Event]:
        for event in replay(inputs):
            yield wrong(event) if event.body == body else event

    report = with_replay(path, replay_wrongly)
    assert named(report) == {number}
    assert what in report.problems[0].what


def test_an_event_too_few_and_an_event_too_many(path: Path) -> None:
    few = with_replay(path, lambda inputs: list(replay(inputs))[:-1])
    assert {problem.what.partition(": ")[2] for problem in few.problems} == {"replaying does not give this event."}
    assert len(few.problems) == 3
    many = with_replay(path, lambda inputs: [*replay(inputs), Event(name="more", body=b"")])
    assert all('one more event "more"' in problem.what for problem in many.problems)
    assert len(many.problems) == 3


def test_a_replay_that_stumbles_is_reported_and_the_chain_checked_to_its_end(path: Path) -> None:
    def stumble(inputs: Iterable[StoredInput]) -> Iterator[Event]:
        for given in inputs:
            yield from events_of(given.input)
            raise ValueError("what is this?")

    report = with_replay(path, stumble)
    assert len(report.problems) == 3
    assert "ValueError: what is this?" in report.problems[0].what
    assert report.records == verified(path).records


def test_events_of_another_version_are_counted_and_not_replayed(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    old = list(shoes(2))
    write(path, old, software="0.0.9")
    write(path, [entry(50, shoe=2, start=Start.SNAPSHOT), entry(51, shoe=2)])
    # A version that forgot its snapshot: its events are not held against the wrong replay either.
    write(path, [entry(52, shoe=2)], software="0.2.0")
    report = verified(path)
    assert report.good
    assert report.not_replayed == {
        "0.0.9": sum(len(one.events) for one in old),
        "0.2.0": len(entry(52).events),
    }
    assert report.replayed == len(entry(50, start=Start.SNAPSHOT).events) + len(entry(51).events)
