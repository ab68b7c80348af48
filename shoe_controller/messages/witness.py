"""What a witness publishes: how far it has followed the journal of a table, and what cannot be as it should.

A witness is a process of its own (`docs/witness.md`) that keeps heads and checkpoints of all tables in a file. Its
alarms are codes with their values; words for them are in `words/`.
"""

import msgspec

from shoe_controller.baccarat.codes import Code

MOST_ALARMS = 20
"""Alarms in one message; the file of the witness has all of them."""


class WitnessAlarm(Code, frozen=True):
    """What a journal that was only ever added to, by one controller, can never show."""


class JournalRolledBack(WitnessAlarm, frozen=True):
    """The journal ends before a record that it had: an older copy was put back, or its end was cut off."""

    journal: str
    """The journal's id."""
    number: int
    """The number of the record that it ends with now."""
    known: int
    """The number of the last record that was seen."""


class CheckpointsRolledBack(WitnessAlarm, frozen=True):
    """The journal's newest checkpoint is older than one that was seen."""

    journal: str
    """The journal's id."""
    index: int
    """The index of its newest checkpoint now; -1 if it has none."""
    known: int
    """The index of the newest one that was seen."""


class RecordForked(WitnessAlarm, frozen=True):
    """Two different records of one number were seen: the journal was rewritten, or there are two of it."""

    journal: str
    """The journal's id."""
    number: int
    """The number of the records."""


class CheckpointForked(WitnessAlarm, frozen=True):
    """Two different checkpoints of one index were seen: a key has signed twice, or somebody else signs."""

    journal: str
    """The journal's id."""
    index: int
    """The index of the checkpoints."""


class CheckpointNotGenuine(WitnessAlarm, frozen=True):
    """A checkpoint's signature is not genuine."""

    journal: str
    """The journal's id."""
    index: int
    """The index of the checkpoint."""


class KeyNotVouchedFor(WitnessAlarm, frozen=True):
    """A checkpoint is signed with a key that the checkpoint before it does not name."""

    journal: str
    """The journal's id."""
    index: int
    """The index of the checkpoint."""


class CheckpointMissing(WitnessAlarm, frozen=True):
    """The table cannot show a checkpoint, though there are later ones."""

    journal: str
    """The journal's id."""
    index: int
    """The index of the checkpoint."""


class CheckpointOverdue(WitnessAlarm, frozen=True):
    """The table is online, and no checkpoint came for longer than an hour."""

    journal: str
    """The journal's id."""
    index: int
    """The index of the newest checkpoint; -1 if there is none."""


class TwoControllers(WitnessAlarm, frozen=True):
    """Two controllers publish for this table in turn."""

    start: str
    """The start of one of them, as in `status`."""
    other: str
    """The start of the other."""


class WitnessFileCut(WitnessAlarm, frozen=True):
    """The file of the witness lacks a line that it had published, or has another in its place."""

    line: int
    """The number of the line."""


AnyWitnessAlarm = (
    JournalRolledBack
    | CheckpointsRolledBack
    | RecordForked
    | CheckpointForked
    | CheckpointNotGenuine
    | KeyNotVouchedFor
    | CheckpointMissing
    | CheckpointOverdue
    | TwoControllers
    | WitnessFileCut
)


class RaisedAlarm(msgspec.Struct, frozen=True, kw_only=True):
    """An alarm that nobody has acknowledged yet."""

    line: int
    """The number of its line in the file of the witness."""
    time: int
    """Milliseconds since 1970, by the clock of the witness."""
    alarm: AnyWitnessAlarm
    """What was seen."""


class WitnessMessage(msgspec.Struct, frozen=True, kw_only=True):
    """How far a witness has followed a table, and its alarms."""

    schema: int = 1
    """The version of this message."""
    table: str
    """The table, as in the topic."""
    journal: str
    """The id of the journal that is followed."""
    head: str
    """The newest end of the journal that was seen, as in `status`; empty if none was."""
    checkpoint: int
    """The index of the newest checkpoint that is kept; -1 if none is."""
    alarms: tuple[RaisedAlarm, ...]
    """The newest alarms that nobody has acknowledged, the oldest first."""
    line: str
    """The number of the last line of the witness's file, a colon and its hash: a file that lacks it was changed."""
