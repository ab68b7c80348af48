"""The envelope of a published event: fields that are put before its stored bytes, so that it is encoded only once.

    {"journal":"4f2a","round_id":"4f2a-3-12","head":"8812:9c1e…",    the envelope
     "fact":"round_result","seq":412,"shoe":3,"round":12,…}         the bytes in the journal, after their brace

What is published at once, after an outage and as a replay comes from here; the schemas describe the same fields.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from shoe_controller.journal.records import Head
from shoe_controller.messages.facts import EventTopic
from shoe_controller.messages.topics import event_topic


class EventMessage(NamedTuple):
    """An event as it is published."""

    seq: int
    topic: str
    """Below the table's own topic, as `event/card`."""
    payload: bytes


class Envelopes:
    """Makes the messages of one journal's events."""

    def __init__(self, journal_id: str) -> None:
        name = msgspec.json.encode(journal_id)
        self._begin = b'{"journal":' + name + b',"round_id":' + name[:-1]

    def message(  # noqa: PLR0913 - the parts of a message, each given by name
        self, *, seq: int, topic: str, shoe: int, round_number: int, head: Head, body: bytes
    ) -> EventMessage:
        """`shoe` and `round_number` are those that the event itself names."""
        begin = b'%b-%d-%d",' % (self._begin, shoe, round_number)
        if topic == _OUTCOME:
            begin += b'"head":"%b",' % str(head).encode()
        return EventMessage(seq, topic, begin + body[1:])


def replayed(message: EventMessage) -> bytes:
    """An event that is sent again: as it was published, with its topic before everything else."""
    return b'{"topic":"' + message.topic.encode() + b'",' + message.payload[1:]


def replayed_in_batches(messages: Sequence[EventMessage], largest: int) -> Iterator[bytes]:
    """Events that are sent again, several in a message; none is larger than `largest` bytes unless one event is."""
    batch: list[bytes] = []
    size = 0
    for each in map(replayed, messages):
        if batch and size + len(each) > largest:
            yield _batch(batch)
            batch, size = [], 0
        batch.append(each)
        size += len(each)
    if batch:
        yield _batch(batch)


def _batch(events: list[bytes]) -> bytes:
    return b'{"events":[' + b",".join(events) + b"]}"


_OUTCOME = event_topic(EventTopic.OUTCOME)
