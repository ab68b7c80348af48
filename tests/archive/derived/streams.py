"""Events of simulated tables, as an archive gets them: the seeds of `tests/simulation`, with everything in them."""

import gc
import random
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from shoe_controller.archive.event import ArchivedEvent
from shoe_controller.journal.records import Head
from shoe_controller.mqtt.envelope import Envelopes
from tests.simulation.seeds import plan_of
from tests.simulation.world import World, quick_folder

Json = dict[str, Any]

TABLES_ON = "north"
"""The site."""

_HEAD = Head(number=1, hash=bytes.fromhex("ab" * 32))


def archived(
    site: str, table: str, journal_id: int, journal: str, bodies: Iterable[tuple[str, bytes]]
) -> Iterator[ArchivedEvent]:
    """The events of a journal: topic and bytes of each, as they are in its file."""
    envelopes = Envelopes(journal)
    for seq, (topic, body) in enumerate(bodies, 1):
        fact = msgspec.json.decode(body)
        shoe, round_ = fact["shoe"], fact["round"]
        message = envelopes.message(seq=seq, topic=topic, shoe=shoe, round_number=round_, head=_HEAD, body=body)
        yield ArchivedEvent(
            journal_id=journal_id,
            site=site,
            table=table,
            journal=journal,
            seq=seq,
            at_ms=fact["time"],
            fact=fact["fact"],
            shoe=shoe,
            round=round_,
            topic=topic,
            payload=message.payload,
        )


def events_of_seed(seed: int, first_journal: int = 1) -> list[ArchivedEvent]:
    """All journals of one simulated table, one after another."""
    folder = Path(tempfile.mkdtemp(prefix="archive-", dir=quick_folder()))
    world = World(plan_of(seed), folder, None)
    gc.disable()  # as in the simulation: it has the most to clear away when the table is gone
    try:
        with world.time.passing():
            world.run()
    finally:
        gc.enable()
        world.machine.bury()
        shutil.rmtree(folder)
    journals = world.observer.journals.items()
    return [
        event
        for journal_id, (journal, bodies) in enumerate(journals, first_journal)
        for event in archived(TABLES_ON, str(seed), journal_id, journal, bodies)
    ]


def events_of_seeds(seeds: Iterable[int]) -> list[ArchivedEvent]:
    events: list[ArchivedEvent] = []
    for seed in seeds:
        events += events_of_seed(seed, 1 if not events else events[-1].journal_id + 1)
    return events


def mixed(events: Sequence[ArchivedEvent], chance: random.Random) -> list[ArchivedEvent]:
    """The same events in another order, those of each journal in theirs."""
    by_journal: dict[int, list[ArchivedEvent]] = {}
    for event in reversed(events):
        by_journal.setdefault(event.journal_id, []).append(event)
    turns = [event.journal_id for event in events]
    chance.shuffle(turns)
    return [by_journal[turn].pop() for turn in turns]


def in_batches(events: Sequence[ArchivedEvent], chance: random.Random, most: int) -> Iterator[list[ArchivedEvent]]:
    done = 0
    while done < len(events):
        size = chance.randint(1, most)
        yield list(events[done : done + size])
        done += size
