"""Between the table and its journal: how inputs and facts are stored, and how a table is restored from them.

A fact of the table is an event of the journal. It is encoded here, once; the same bytes are stored and published.

The table knows no journal and the journal no table; this is the one file that knows both.
"""

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import NamedTuple

import msgspec

from firmware_protocol.events import CameAgain
from firmware_protocol.link import Delivery
from firmware_protocol.native.controller import MOST_NONCES
from firmware_protocol.native.recent import MOST_RECENT
from shoe_controller.clock.moment import Moment
from shoe_controller.daemon import layout_1
from shoe_controller.house.rules import read_rules
from shoe_controller.journal import records
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.facts import AnyFact, Fact
from shoe_controller.messages.topics import event_topic
from shoe_controller.table.inputs import AnyInput, JournalBegun, LinkBack, NewShoe, RolledBack, ShoeReport, Snapshot
from shoe_controller.table.state import REVISION
from shoe_controller.table.table import Handled, Table

SOFTWARE = f"{version('shoe-controller')}+{REVISION}"
"""The program, as it names itself in the journal: only what the same one decided is replayed byte for byte."""

LOOK_BACK = 20_000
"""Records in which the last events of the shoe are looked for: those of a busy hour."""

_STARTS = {
    NewShoe: records.Start.OPENING,
    **dict.fromkeys((Snapshot, RolledBack, JournalBegun), records.Start.SNAPSHOT),
}

_encode = msgspec.json.Encoder().encode
_decode_input: Callable[[bytes], AnyInput] = msgspec.json.Decoder(AnyInput).decode
_decode_fact: Callable[[bytes], AnyFact] = msgspec.json.Decoder(AnyFact).decode


def name_of(value: msgspec.Struct) -> str:
    return name_of_type(type(value))


def name_of_type(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def topic_of(fact: type[Fact]) -> str:
    """Where a fact is published, below the table's own topic."""
    return event_topic(fact.TOPIC)


TOPICS_BY_FACT = {str(fact.__struct_config__.tag): topic_of(fact) for fact in AnyFact.__args__}
"""Where each fact is published, by its name."""


def entry_for(
    given: AnyInput,
    handled: Handled,
    at: Moment,
    *,
    raw: tuple[records.Raw, ...] = (),
    link_state: bytes | None = None,
) -> records.Entry:
    """One entry: the input and the facts it led to, with the facts' numbers."""
    return records.Entry(
        at=at,
        shoe=handled.state.shoe_number,
        round=handled.state.round_number,
        raw=raw,
        input=records.Input(name=name_of(given), body=_encode(given), start=_STARTS.get(type(given))),
        events=events_of(handled),
        link_state=link_state,
    )


def events_of(handled: Handled) -> tuple[records.Event, ...]:
    return tuple(records.Event(name=name_of(fact), body=_encode(fact)) for fact in handled.facts)


def read_input(stored: records.Input) -> AnyInput:
    try:
        return _decode_input(stored.body)
    except msgspec.ValidationError:
        given: AnyInput = msgspec.convert(layout_1.upgraded_input(msgspec.json.decode(stored.body)), AnyInput)
        return given


def read_fact(stored: records.Event | records.StoredEvent) -> AnyFact:
    try:
        return _decode_fact(stored.body)
    except msgspec.ValidationError:
        fact: AnyFact = msgspec.convert(layout_1.upgraded_fact(msgspec.json.decode(stored.body)), AnyFact)
        return fact


class _WhichRound(msgspec.Struct):
    shoe: int
    round: int


_decode_round = msgspec.json.Decoder(_WhichRound).decode


class PublishedFact(NamedTuple):
    """A stored fact, as far as its envelope depends on it."""

    topic: str
    shoe: int
    round: int
    body: bytes


def published_fact(stored: records.StoredEvent) -> PublishedFact:
    """What is published of a stored event; one of layout 1 in its present form, on the topic that it names."""
    if stored.layout == 1:
        fact = read_fact(stored)
        return PublishedFact(stored.name, fact.shoe, fact.round, _encode(fact))
    topic = TOPICS_BY_FACT.get(stored.name)
    if topic is None:
        raise LookupError(f"event {stored.seq} of the journal is {stored.name!r}, which this version does not know")
    which = _decode_round(stored.body)
    return PublishedFact(topic, which.shoe, which.round, stored.body)


def same_fact(stored: records.Event, computed: records.Event) -> bool:
    """Whether a fact that was stored in layout 1, and the one that its input leads to now, agree but for words."""
    then, now = (layout_1.without_words(msgspec.to_builtins(read_fact(fact))) for fact in (stored, computed))
    return then == now


def _same_facts(step: records.ReplayStep, computed: tuple[records.Event, ...]) -> bool:
    if step.layout == 1 and len(step.events) == len(computed):
        return all(map(same_fact, step.events, computed))
    return step.events == computed


class ReplayDiffersError(Exception):
    """The journal's inputs do not lead to its facts: it was written by another program, or tampered with."""


def recover(reader: JournalReader, software: str | None = None) -> Table:
    """The table as it stood when the journal was last written to.

    The facts must come out the same, byte for byte; those of layout 1 as `same_fact` compares them. Where another
    version than `software` wrote the journal, only their number is compared.
    """
    table = Table(read_rules)
    same_version = software is None or written_by(reader) == software
    for step in reader.current_shoe():
        try:
            handled = _again(table, step.input)
        except Exception as error:
            raise ReplayDiffersError(_cannot(reader, step, f"stops: {type(error).__name__}: {error}.")) from error
        events = events_of(handled)
        if not _same_facts(step, events) if same_version else len(events) != len(step.events):
            raise ReplayDiffersError(_cannot(reader, step, "gives other facts than were recorded."))
    return table


def recent_events(reader: JournalReader) -> tuple[Delivery, ...]:
    """The last events of a shoe that numbers its power-ups, in order: by them a link knows what comes again."""
    found: list[Delivery] = []
    for record in reader.inputs_backwards((name_of_type(ShoeReport), name_of_type(NewShoe)), LOOK_BACK):
        given = read_input(records.stored_input(record).input)
        report = given.cause if isinstance(given, NewShoe) else given
        if isinstance(report, ShoeReport) and report.boot_id is not None:
            event = report.event.what if isinstance(report.event, CameAgain) else report.event
            found.append(Delivery(event=event, sequence=report.sequence, boot_id=report.boot_id))
            if len(found) == MOST_RECENT:
                break
    return tuple(reversed(found))


def used_nonces(reader: JournalReader) -> tuple[bytes, ...]:
    """The shoe's nonces of the last sessions, in order, since it last used one twice."""
    found: list[bytes] = []
    for record in reader.inputs_backwards((name_of_type(LinkBack),), LOOK_BACK):
        given = read_input(records.stored_input(record).input)
        nonce = bytes.fromhex(given.nonce) if isinstance(given, LinkBack) else b""
        if nonce in found or len(found) == MOST_NONCES:
            break
        if nonce:
            found.append(nonce)
    return tuple(reversed(found))


def _cannot(reader: JournalReader, step: records.ReplayStep, what: str) -> str:
    return (
        f"{reader.database.path}: replaying input {step.input.number} {what} "
        f"The journal was last written by version {written_by(reader)}; run `shoe-controller journal verify` on it, "
        "with that version."
    )


def written_by(reader: JournalReader) -> str | None:
    """The version of the program that stored the last input; nothing if there is none yet."""
    last = reader.last_input()
    return None if last is None else last.software


def snapshot_if_needed(reader: JournalReader, table: Table, software: str) -> Snapshot | None:
    """What this version must store before anything else, so that a replay by it can begin there.

    It is needed in a new journal, and in one that another version or one with layout 1 wrote: what that one did is not
    replayed by this one.
    """
    if written_by(reader) == software and not reader.ends_in_layout_1():
        return None
    return Snapshot(state=table.state)


def replay(inputs: Iterable[records.StoredInput]) -> Iterator[records.Event]:
    """What the inputs of a shoe lead to, for `journal verify`."""
    table = Table(read_rules)
    for stored in inputs:
        yield from events_of(_again(table, stored))


def _again(table: Table, stored: records.StoredInput) -> Handled:
    handled = table.handle(read_input(stored.input), stored.at)
    table.take_over(handled)
    return handled
