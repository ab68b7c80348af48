"""Reads journals for the reckoner (`simulator/reckoner`), and asserts that truth, journal and display agree.

    journal = sound_journal(path, display.events)   # whole, replays to the same facts, and is what the display has
    reckoned(journal, truth, info=info)             # cards, results and settlements; counted a second time

Also used where the package is installed (`tests/deploy/nothing_lost.py`), so it needs nothing else of the tests.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from shoe_controller.daemon.table_journal import SOFTWARE, published_fact, replay, same_fact
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.journal.verify import verify
from simulator.reckoner.displays import Event, display_problems, same_event
from simulator.reckoner.house import house_of
from simulator.reckoner.mismatch import Json
from simulator.reckoner.reckoning import Reckoning, Step, reckon
from simulator.second_sum import differences
from simulator.truth import AnyHappening


class StoredJournal(NamedTuple):
    """Everything in a journal's file, as JSON."""

    steps: list[Step]
    events: dict[int, Event]
    """As they are stored, by their numbers."""
    heads: dict[int, str]
    """The head of the chain after each of them, as it is published with a result."""
    earlier: dict[int, Event]
    """Those of layout 1, as the program of that time published them."""

    def as_now(self, seq: int, shown: Event) -> Event:
        """What a display has, in the present form if it came from a program of layout 1."""
        then = self.earlier.get(seq)
        return self.events[seq] if then is not None and same_event(then, shown) else shown

    @property
    def facts(self) -> list[Json]:
        return [event for step in self.steps for event in step.events]

    def of(self, kind: str) -> list[Json]:
        return [event for event in self.facts if event["fact"] == kind]

    def alerts(self) -> set[str]:
        """Every kind that was ever raised."""
        return {event["alert"]["kind"] for event in self.of("alert_raised")}


def read_journal(path: Path) -> StoredJournal:
    decode = msgspec.json.decode
    with JournalReader(path) as reader:
        steps = [
            Step(decode(step.input.input.body), [decode(event.body) for event in step.events])
            for step in reader.steps(reader.oldest())
        ]
        events: dict[int, Event] = {}
        earlier: dict[int, Event] = {}
        heads: dict[int, str] = {}
        while more := reader.events(len(events), 1000):
            events |= {event.seq: (published_fact(event).topic, published_fact(event).body) for event in more}
            earlier |= {event.seq: (event.name, event.body) for event in more if event.layout == 1}
            heads |= {event.seq: str(event.head) for event in more}
    return StoredJournal(steps, events, heads, earlier)


def last_number(path: Path) -> int:
    """The number of the last event that the journal holds."""
    with JournalReader(path) as reader:
        return reader.position().last_seq


def sound_journal(path: Path, shown: Mapping[int, Event] | None, *, software: str = SOFTWARE) -> StoredJournal:
    """The journal is whole, replays to the same facts, and is what the display has, if there is one."""
    journal = read_journal(path)
    heads: dict[int, str] = {}
    if shown is not None:
        assert display_problems(journal.events, {seq: journal.as_now(seq, one) for seq, one in shown.items()}) == []
        heads = {seq: head for seq, (_, payload) in shown.items() if (head := msgspec.json.decode(payload).get("head"))}
        assert set(heads) >= {event["seq"] for kind in ("round_result", "result_undone") for event in journal.of(kind)}
        assert heads == {seq: journal.heads[seq] for seq in heads}
    report = verify(
        path,
        replay=replay,
        agree=same_fact,
        software=software,
        heads=list(map(_head, heads.values())),
        progress=lambda *_: None,
    )
    assert report.good, f"the journal does not verify: {report.problems}"
    assert not report.not_replayed, f"some of the journal could not be replayed: {report.not_replayed}"
    assert report.replayed == len(journal.events), "every fact is published"
    return journal


def _head(text: str) -> Head:
    number, _, digest = text.partition(":")
    return Head(number=int(number), hash=bytes.fromhex(digest))


def as_lines(truth: Iterable[AnyHappening]) -> list[Json]:
    """The truth as an emulator writes it."""
    return [msgspec.to_builtins(happening) for happening in truth]


def reckoned(
    journal: StoredJournal,
    truth: Iterable[AnyHappening] | None,
    *,
    info: msgspec.Struct | None = None,
    **how: Any,  # noqa: ANN401 - as in `reckon`
) -> Reckoning:
    """Truth and journal agree; wagers are settled as `info` posts them. What was counted is counted again."""
    house = None if info is None else house_of(msgspec.to_builtins(info)["rules"])
    found = reckon(None if truth is None else as_lines(truth), journal.steps, house, **how)
    assert not found.problems, "\n".join(found.problems[:10])
    assert differences(found, journal.facts) == []
    assert house is None or not found.unpriced
    return found
