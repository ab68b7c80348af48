"""The part of `verify.py` that follows the checkpoints: each fits its place in the chain and is signed with its key.

Given the public half of a first key, kept elsewhere, it finds out up to which record the journal is proved: from the
checkpoint that this key has signed, over keys that each name the next one, without a gap.
"""

from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from shoe_controller.journal.chain import link
from shoe_controller.journal.checkpoints import Checkpoint, is_genuine, read_checkpoint
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Record

Tell = Callable[[Record, str], object]
"""Called with a record and what is wrong with it."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Every record up to this one is as it was when the checkpoint was signed."""

    checkpoint: int
    number: int
    time: int
    """When it was signed, by the table's clock: milliseconds since 1970."""
    next_key: str
    """The public key of the checkpoint that follows."""


class CheckpointCheck:
    def __init__(self, journal: str, keys: Collection[str], tell: Tell) -> None:
        self._journal = journal
        self._keys = frozenset(keys)
        self._tell = tell
        self.count = 0
        self.last: Checkpoint | None = None
        self.proof: Proof | None = None
        self.keys_anew: list[int] = []
        """Checkpoints signed with a key that the one before does not name, nor the caller."""
        self._proving = False

    def take(self, record: Record, before: bytes | None) -> None:
        """The next checkpoint; `before` is the hash of the record before it, if that is still in the journal."""
        self.count += 1
        try:
            checkpoint = read_checkpoint(record.body)
        except ValueError:
            self._wrong(record, "cannot be read as a checkpoint.")
            return
        last, self.last = self.last, checkpoint
        fault = self._fault(record, checkpoint, last, before)
        if fault:
            self._wrong(record, fault)
            return
        if checkpoint.key in self._keys:
            self._proving = True
        elif last is not None and checkpoint.key != last.next_key:
            self._proving = False
            self.keys_anew.append(checkpoint.index)
        if self._proving:
            self.proof = Proof(
                checkpoint=checkpoint.index,
                number=checkpoint.number,
                time=checkpoint.time,
                next_key=checkpoint.next_key,
            )

    def _wrong(self, record: Record, what: str) -> None:
        self._proving = False
        self._tell(record, what)

    def _fault(self, record: Record, checkpoint: Checkpoint, last: Checkpoint | None, before: bytes | None) -> str:
        if checkpoint.index not in ((0, 1) if last is None else (last.index + 1,)):
            return f"is {checkpoint}, after {'none' if last is None else last}."
        place = checkpoint.journal, checkpoint.number, checkpoint.time, checkpoint.succeeds is not None
        if place != (self._journal, record.number - 1, record.wall_ms, checkpoint.index == 0):
            return (
                f"is {checkpoint} of another place: record {checkpoint.number + 1} of journal {checkpoint.journal!r}."
            )
        if before is not None and checkpoint.hash != before.hex():
            return f"does not fit record {checkpoint.number}: that was changed after {checkpoint} was signed."
        if link(bytes.fromhex(checkpoint.hash), record) != record.hash:
            return f"is {checkpoint}, but its record was changed: it does not follow from record {checkpoint.number}."
        if not is_genuine(checkpoint):
            return f"is {checkpoint} with a signature that is not genuine."
        return ""


def next_key_of(path: Path, keys: Collection[str]) -> str | None:
    """The key that the last checkpoint of an earlier journal names; nothing unless these keys prove all of them.

    Only its checkpoints are read: a journal that was set aside may be damaged elsewhere.
    """
    wrong: list[str] = []
    with JournalReader(path) as reader:
        check = CheckpointCheck(reader.identity.journal_id, keys, lambda record, what: wrong.append(f"{record} {what}"))
        for record in reader.checkpoints():
            check.take(record, None)
    proved = check.last is not None and check.proof is not None and check.proof.checkpoint == check.last.index
    return check.proof.next_key if check.proof is not None and proved and not wrong else None
