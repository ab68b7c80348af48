"""Notices that the journal is an older copy of itself, and begins the journal that replaces it.

At the end of each round the table notes the journal's head in its anchor file and in two retained messages, `status`
and `head`. At its start it compares the journal with the anchor, and before it publishes anything, with the messages.
An anchor counts, and so does a message with the table's own seal; any other message is only reported.
"""

import secrets
from collections.abc import Callable
from typing import Protocol

import msgspec

from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.table_journal import entry_for
from shoe_controller.house.rules import read_rules
from shoe_controller.journal.anchor import Claim, contradicts, is_sealed, seal
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry, Head, head_from
from shoe_controller.messages.details import HeadSource, JournalBehind
from shoe_controller.mqtt.presence import NotedHead
from shoe_controller.table.inputs import RolledBack, StatusAhead
from shoe_controller.table.state import TableState
from shoe_controller.table.succession import for_new_journal
from shoe_controller.table.table import Table

NewJournalId = Callable[[], str]


def new_journal_id() -> str:
    return secrets.token_hex(8)


class Anchor(Protocol):
    """The anchor of a table: `AnchorWriter`, or what a simulation puts in its place."""

    claims: tuple[Claim, ...]
    trouble: str

    def keep(self, claim: Claim) -> None: ...

    def close(self, patience: float) -> None: ...


class NoAnchor:
    """For a table that keeps none."""

    claims: tuple[Claim, ...] = ()

    def __init__(self, trouble: str = "") -> None:
        self.trouble = trouble

    def keep(self, claim: Claim) -> None:
        """Do nothing."""

    def close(self, patience: float) -> None:
        """Do nothing."""


class RolledBackError(Exception):
    """The journal is not what it was when this claim was made."""

    def __init__(self, claim: Claim, source: HeadSource) -> None:
        super().__init__(f"the journal {claim.journal} has had record {claim.head.number}, says the {source}")
        self.claim = claim
        self.source = source


class _OwnMessage(msgspec.Struct):
    """What `status` and `head` have in common."""

    journal: str = ""
    head: str = ""
    seal: str = ""


_decode = msgspec.json.Decoder(_OwnMessage).decode


class HeadNotes:
    """What a running table notes of its journal's head, and what it compares itself with."""

    def __init__(self, reader: JournalReader, anchor: Anchor, key: bytes | None) -> None:
        self._reader = reader
        self._anchor = anchor
        self._key = key
        self.noted = self._sealed(reader.position().head)
        """As `status` and `head` publish it."""

    def note(self, head: Head) -> None:
        """Note a head that is on the disk."""
        self.noted = self._sealed(head)
        self._anchor.keep(Claim(self._reader.identity.journal_id, head))

    def compare(self, payload: bytes) -> StatusAhead | None:
        """Compare the journal with a message of this table; returns what to report of one that nobody vouches for.

        Raises `RolledBackError` where the table itself has sealed it.
        """
        try:
            message = _decode(payload)
            claim = Claim(message.journal, head_from(message.head))
        except (msgspec.MsgspecError, ValueError):
            return None  # from a version without heads, or not from a table at all
        if not contradicts(claim, self._reader):
            return None
        if self._key is not None and is_sealed(self._key, self._reader.identity.table, claim, message.seal):
            raise RolledBackError(claim, HeadSource.STATUS)
        return StatusAhead(number=self._reader.position().head.number, noted=claim.head.number)

    def _sealed(self, head: Head) -> NotedHead:
        if self._key is None:
            return NotedHead(str(head), "")
        identity = self._reader.identity
        return NotedHead(str(head), seal(self._key, identity.table, Claim(identity.journal_id, head)))


def what_contradicts(
    reader: JournalReader, anchor: Anchor, in_message: RolledBackError | None
) -> RolledBackError | None:
    """What the anchor, or a message that the table has read, has against the journal; nothing if they agree."""
    seen = [] if in_message is None else [in_message]
    seen += [RolledBackError(claim, HeadSource.ANCHOR) for claim in anchor.claims]
    return next((error for error in seen if contradicts(error.claim, reader)), None)


def first_entry(reader: JournalReader, state: TableState, seen: RolledBackError, kept_as: str, at: Moment) -> Entry:
    """The first entry of the journal that replaces a rolled-back one: it names that one, and takes over its state."""
    position = reader.position()
    given = RolledBack(
        state=for_new_journal(state),
        behind=JournalBehind(
            journal=reader.identity.journal_id,
            number=position.head.number,
            hash=position.head.hash.hex(),
            noted=seen.claim.head.number,
            noted_hash=seen.claim.head.hash.hex(),
            source=seen.source,
            file=kept_as,
        ),
    )
    return entry_for(given, Table(read_rules).handle(given, at), at, link_state=position.link_state)
