"""Between the table and its journal: how inputs and facts are stored, and how a table is got back from them.

The table knows no journal and the journal no table; this is the one file that knows both.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from shoe_controller.clock.moment import Moment
from shoe_controller.house.rules import read_rules
from shoe_controller.journal import records
from shoe_controller.journal.reading import JournalReader
from shoe_controller.table.facts import AnyFact, Fact
from shoe_controller.table.inputs import AnyInput, NewShoe, Snapshot
from shoe_controller.table.table import Handled, Table

_STARTS = {NewShoe: records.Start.OPENING, Snapshot: records.Start.SNAPSHOT}

LOOK_BACK = 100
"""Records read at once on the way back to the last input; it is almost always among the first of them."""

_encode = msgspec.json.Encoder().encode
_decode_input: Callable[[bytes], AnyInput] = msgspec.json.Decoder(AnyInput).decode
_decode_fact: Callable[[bytes], AnyFact] = msgspec.json.Decoder(AnyFact).decode


def name_of(value: msgspec.Struct) -> str:
    return str(value.__struct_config__.tag)


def topic_of(fact: Fact) -> str:
    """Where a fact goes, below the table's own topic."""
    return f"event/{fact.TOPIC}"


def entry_for(
    given: AnyInput,
    handled: Handled,
    at: Moment,
    *,
    raw: tuple[records.Raw, ...] = (),
    link_state: bytes | None = None,
) -> records.Entry:
    """One entry: what came, what it led to, and a message for each fact, numbered as the facts are."""
    facts = tuple(records.Fact(name=name_of(fact), body=_encode(fact)) for fact in handled.facts)
    return records.Entry(
        at=at,
        shoe=handled.state.shoe_number,
        round=handled.state.round_number,
        raw=raw,
        input=records.Input(name=name_of(given), body=_encode(given), start=_STARTS.get(type(given))),
        facts=facts,
        messages=tuple(
            records.Message(topic=topic_of(fact), payload=stored.body)
            for fact, stored in zip(handled.facts, facts, strict=True)
        ),
        link_state=link_state,
    )


def read_input(stored: records.Input) -> AnyInput:
    return _decode_input(stored.body)


def read_fact(stored: records.Fact) -> AnyFact:
    return _decode_fact(stored.body)


class ReplayDiffersError(Exception):
    """The journal's inputs do not lead to its facts: it was written by another program, or tampered with."""


def recover(reader: JournalReader, software: str | None = None) -> Table:
    """The table as it stood when the journal was last written to.

    What comes out must be the same, byte for byte. Only where another version than `software` wrote it, that one may
    have used other words, and must have said as much.
    """
    table = Table(read_rules)
    same_version = software is None or written_by(reader) == software
    for step in reader.current_shoe():
        try:
            handled = _again(table, step.input)
        except Exception as error:
            raise ReplayDiffersError(_cannot(reader, step, f"stops: {type(error).__name__}: {error}.")) from error
        facts = tuple(_stored(handled))
        if facts != step.facts if same_version else len(facts) != len(step.facts):
            raise ReplayDiffersError(_cannot(reader, step, "gives other facts than were recorded."))
    return table


def _cannot(reader: JournalReader, step: records.ReplayStep, what: str) -> str:
    return (
        f"{reader.database.path}: replaying input {step.input.number} {what} "
        f"The journal was last written by version {written_by(reader)}; run `shoe-controller journal verify` on it, "
        "with that version."
    )


def written_by(reader: JournalReader) -> str | None:
    """The version of the program that stored the last input; nothing if there is none yet."""
    end = reader.position().head.number
    while end > 0:
        start = max(0, end - LOOK_BACK)
        for record in reversed(list(reader.records(start, end))):
            if record.kind in records.INPUTS:
                return record.software
        end = start
    return None


def snapshot_if_needed(reader: JournalReader, table: Table, software: str) -> Snapshot | None:
    """What this version must store before anything else, so that a replay by it can begin there.

    It is needed in a new journal, and in one that another version wrote: what that one did is not replayed by this one.
    """
    return None if written_by(reader) == software else Snapshot(state=table.state)


def replay(inputs: Iterable[records.StoredInput]) -> Iterator[records.Fact]:
    """What the inputs of a shoe lead to, for `journal verify`."""
    table = Table(read_rules)
    for stored in inputs:
        yield from _stored(_again(table, stored))


def _again(table: Table, stored: records.StoredInput) -> Handled:
    handled = table.handle(read_input(stored.input), stored.at)
    table.take_over(handled)
    return handled


def _stored(handled: Handled) -> Iterator[records.Fact]:
    return (records.Fact(name=name_of(fact), body=_encode(fact)) for fact in handled.facts)
