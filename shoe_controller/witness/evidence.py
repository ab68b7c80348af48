"""What the file of a witness shows about one journal, for `journal verify --witness`."""

from contextlib import suppress
from pathlib import Path

import msgspec

from shoe_controller.journal.checkpoints import Checkpoint, as_body, read_checkpoint
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.process.lines_file import TornTail
from shoe_controller.witness.lines import AlarmRaised, CheckpointSeen, HeadSeen, digest_of
from shoe_controller.witness.lines_file import read_lines


class HeadDigest(msgspec.Struct, frozen=True, kw_only=True):
    """Heads that were written as one digest."""

    line: int
    numbers: tuple[int, ...]
    digest: str


class Evidence(msgspec.Struct, kw_only=True):
    """What was seen of one journal, and when: milliseconds since 1970, by the clock of the witness."""

    heads: dict[Head, None] = {}
    """Ends of the chain, those of checkpoints among them, each once; both, where two of one number were seen."""
    digests: list[HeadDigest] = []
    """Further ends of the chain, between those."""
    newest: Head | None = None
    """The one with the largest number."""
    seen: int = 0
    """When that one was seen first."""
    checkpoints: dict[Checkpoint, None] = {}
    """Each once; both, where two of one index were seen."""
    alarms: list[AlarmRaised] = []
    """All about this journal, or about its table as a whole."""
    end: str = ""
    """The last line of the file, as the witness publishes it."""

    @property
    def head_count(self) -> int:
        return len(self.heads) + sum(len(each.numbers) for each in self.digests)

    def add(self, head: Head, time: int) -> None:
        if self.newest is None or head.number > self.newest.number:
            self.newest, self.seen = head, time
        self.heads[head] = None


def evidence_of(file: Path, journal: str) -> Evidence:
    """Read a witness's file; `LinesFileError` if it is not as it was written."""
    found = Evidence(heads={}, digests=[], checkpoints={}, alarms=[])
    tables: set[str] = set()
    alarms: list[AlarmRaised] = []
    for written in read_lines(file, TornTail()):
        found.end = written.end
        match written.line:
            case HeadSeen() as line if line.journal == journal:
                number, _, digest = line.head.partition(":")
                found.add(Head(number=int(number), hash=bytes.fromhex(digest)), line.time)
                if line.earlier:
                    found.digests.append(HeadDigest(line=line.line, numbers=line.earlier, digest=line.digest))
                tables.add(line.table)
            case CheckpointSeen() as line if line.checkpoint.journal == journal and not line.disputed:
                kept = line.checkpoint
                found.add(Head(number=kept.number, hash=bytes.fromhex(kept.hash)), line.time)
                found.checkpoints[msgspec.convert(kept, Checkpoint, from_attributes=True)] = None
                tables.add(line.table)
            case AlarmRaised() as line:
                alarms.append(line)
            case _:
                pass
    found.alarms += [
        line for line in alarms if getattr(line.alarm, "journal", journal if line.table in tables else "") == journal
    ]
    return found


def differing_heads(evidence: Evidence, journal: Path) -> list[str]:
    """What a journal says about heads that the witness has as digests, in sentences.

    Those of which a record was pruned, or lies after the journal's end, are passed over: the newest head of their line,
    which is compared like any other, shows that.
    """
    wrong = []
    with JournalReader(journal) as reader:
        for each in evidence.digests:
            hashes = [reader.hash_at(number) for number in each.numbers]
            if None not in hashes and digest_of(found.hex() for found in hashes if found is not None) != each.digest:
                numbers = ", ".join(map(str, each.numbers))
                wrong.append(f"not all of the records {numbers} are those that the witness saw (its line {each.line}).")
    return wrong


def differing_checkpoints(evidence: Evidence, journal: Path) -> list[str]:
    """What a journal says about checkpoints that the witness saw otherwise, in sentences."""
    with JournalReader(journal) as reader:
        bodies = {record.body for record in reader.checkpoints()}
    there = set()
    for body in bodies:
        with suppress(ValueError):  # reported by `verify` itself
            there.add(read_checkpoint(body).index)
    return [
        f"checkpoint {seen.index} is not the one that the witness saw."
        if seen.index in there
        else f"checkpoint {seen.index} is missing; the witness saw it."
        for seen in evidence.checkpoints
        if as_body(seen) not in bodies
    ]
