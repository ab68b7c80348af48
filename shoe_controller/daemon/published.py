"""The events of a journal as they are published: the bytes of the journal in their envelope."""

from shoe_controller.daemon.table_journal import PublishedFact, published_fact
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.mqtt.envelope import Envelopes, EventMessage


class PublishedEvents:
    """What a table publishes of its journal, now or years later: the same bytes."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._envelopes = Envelopes(reader.identity.journal_id)

    def events(self, after: int, limit: int) -> list[EventMessage]:
        """Those with numbers above `after`, in order, at most `limit`; `EventsPrunedError` if the first is gone."""
        return [
            self.message(stored.seq, published_fact(stored), stored.head)
            for stored in self._reader.events(after, limit)
        ]

    def message(self, seq: int, fact: PublishedFact, head: Head) -> EventMessage:
        return self._envelopes.message(
            seq=seq, topic=fact.topic, shoe=fact.shoe, round_number=fact.round, head=head, body=fact.body
        )
