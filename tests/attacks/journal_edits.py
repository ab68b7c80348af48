"""Everything that somebody with the journal's file in hands can do to it, and what a verifier should say.

`EDITS` is for any verifier: `edit` changes the journal of a `TableJournal` in place, and three columns say what is to
be found without anything else, with the heads that a witness kept (and the exports), and with the first public key of
the checkpoints. The edits are made in the fifth shoe, which is over, unless their name says another place: a checkpoint
and heads lie behind it. `journal_verify.py` runs them through `journal verify`, and `stand_alone_verifier.py`
through both verifiers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from shoe_controller.journal.opening import Identity
from tests.attacks import file_edits as edits
from tests.attacks.table_journal import IDENTITY, TableJournal


class Verdict(Enum):
    FOUND = "found"
    UNPROVED = "listed as not proved"
    BEHIND = "behind the last record that is proved"
    MISSED = "not found"


FOUND, UNPROVED, BEHIND, MISSED = Verdict


@dataclass(frozen=True, slots=True)
class Edit:
    name: str
    edit: Callable[[TableJournal], int | None]
    """Returns the first record that is no longer as it was, where there is one."""
    alone: Verdict
    with_heads: Verdict
    with_key: Verdict
    why: str = ""
    """Why it cannot be found, where it cannot."""
    stand_alone: Mapping[str, Verdict] = field(default_factory=dict)
    """Where `tools/verify_journal.py`, which does not replay, answers otherwise: by the way in which it is run."""

    def expected(self, way: str) -> tuple[Verdict, Verdict]:
        """What `journal verify` and the stand-alone verifier find; with a witness's file as with heads."""
        columns = {"alone": self.alone, "heads": self.with_heads, "key": self.with_key, "witness": self.with_heads}
        return columns[way], self.stand_alone.get(way, columns[way])


NOT_REPLAYED = {"alone": MISSED}
"""Only a replay of the inputs finds it alone."""
NOT_CHAINED = (
    "it changes without a record, so the chain does not cover it; it decides what is sent again, not what was dealt"
)
NOT_READ = "no program reads these bytes"
AT_THE_END = "whatever was written after the last head or checkpoint, no other place knows of it yet"
OLD_IS_GOOD = "it is a good journal as far as it goes; only an anchor, a witness or the clock knows that there was more"

EDITS: tuple[Edit, ...] = (
    Edit("one fact changed", edits.fact_changed, FOUND, FOUND, FOUND),
    Edit("one input changed", edits.column("input", "body = CAST(body || ' ' AS BLOB)"), FOUND, FOUND, FOUND),
    Edit("bytes of the shoe changed", edits.column("raw", "body = x'00'"), FOUND, FOUND, FOUND),
    Edit("time of a record changed", edits.column("event", "wall_ms = wall_ms + 1"), FOUND, FOUND, FOUND),
    Edit("version of a record changed", edits.column("event", "software = '0.0.9'"), FOUND, FOUND, FOUND),
    Edit("kind of a record changed", edits.column("input", "kind = 'raw'"), FOUND, FOUND, FOUND),
    Edit("number of an event changed", edits.column("event", "seq = seq + 10000"), FOUND, FOUND, FOUND),
    Edit("hash of a record changed", edits.column("event", "hash = zeroblob(32)"), FOUND, FOUND, FOUND),
    Edit("a record changed, with its own hash", edits.own_hash, FOUND, FOUND, FOUND),
    Edit("a record removed", edits.record_removed, FOUND, FOUND, FOUND),
    Edit("an entry removed", edits.entry_removed, FOUND, FOUND, FOUND),
    Edit("two records swapped", edits.swapped, FOUND, FOUND, FOUND),
    Edit("a record put in a pruned part", edits.put_in(lambda _: 5), FOUND, FOUND, FOUND),
    Edit("a record put before the first", edits.put_in(lambda _: -5), FOUND, FOUND, FOUND),
    Edit(
        "a record put behind the last",
        edits.put_in(lambda journal: edits.number_in(journal.path, "SELECT max(number) + 1 FROM record")),
        FOUND,
        FOUND,
        FOUND,
    ),
    Edit("one fact changed, chain recomputed", edits.fact_rechained, FOUND, FOUND, FOUND, stand_alone=NOT_REPLAYED),
    Edit("one fact changed, chain recomputed with another software", edits.other_software, MISSED, FOUND, FOUND),
    Edit("bytes of the shoe changed, chain recomputed", edits.rechained("raw", body=b"forged"), MISSED, FOUND, FOUND),
    Edit("time of bytes changed, chain recomputed", edits.rechained("raw", mono_ns=5), MISSED, FOUND, FOUND),
    Edit(
        "a record removed, chain recomputed",
        edits.removed_and_rechained,
        MISSED,
        FOUND,
        FOUND,
        stand_alone={"alone": FOUND},
    ),
    Edit("two records swapped, chain recomputed", edits.swapped_and_rechained, MISSED, FOUND, FOUND),
    Edit(
        "a round removed, chain recomputed",
        edits.round_removed_and_rechained,
        FOUND,
        FOUND,
        FOUND,
        stand_alone=NOT_REPLAYED,
    ),
    Edit("the table renamed, chain recomputed", edits.renamed_and_rechained, MISSED, FOUND, FOUND),
    Edit(
        "another evening dealt under the same names",
        edits.other_evening,
        MISSED,
        FOUND,
        UNPROVED,
        "the key proves nothing of a journal that it never signed",
    ),
    Edit("the last bytes changed, chain recomputed", edits.tail_rechained, MISSED, BEHIND, BEHIND, AT_THE_END),
    Edit("tail cut at an entry", lambda journal: edits.cut_at_entry(journal, set_back=False), FOUND, FOUND, FOUND),
    Edit(
        "tail cut at an entry, position set back",
        lambda journal: edits.cut_at_entry(journal, set_back=True),
        MISSED,
        FOUND,
        BEHIND,
        OLD_IS_GOOD,
    ),
    Edit(
        "tail cut inside an entry, position set back",
        edits.cut_in_entry,
        FOUND,
        FOUND,
        FOUND,
        OLD_IS_GOOD,
        stand_alone=NOT_REPLAYED | {"key": BEHIND},
    ),
    Edit("last entry cut, position set back", edits.last_entry_cut, MISSED, BEHIND, BEHIND, AT_THE_END),
    Edit("tombstone over a round", edits.buried(edits.second_round, told=False), FOUND, FOUND, FOUND),
    Edit("tombstone over a shoe", edits.buried(edits.oldest_shoe, told=False), FOUND, FOUND, FOUND),
    Edit(
        "tombstone over a round, told of by a record",
        edits.buried(edits.second_round, told=True),
        FOUND,
        FOUND,
        FOUND,
    ),
    Edit(
        "tombstone over a part of a shoe, told of by a record",
        edits.buried(edits.up_to_round, told=True),
        FOUND,
        FOUND,
        FOUND,
    ),
    Edit(
        "tombstone over a shoe, told of by a record",
        edits.buried(edits.oldest_shoe, told=True),
        MISSED,
        UNPROVED,
        UNPROVED,
        "pruning looks the same, but for the export, which is missing",
    ),
    Edit("range of a tombstone one longer", edits.longer_tombstone, FOUND, FOUND, FOUND),
    Edit("two tombstones made one", edits.merged_tombstones, FOUND, FOUND, FOUND),
    Edit("tombstone removed", edits.sql("DELETE FROM tombstone WHERE shoe = 4"), FOUND, FOUND, FOUND),
    Edit("first tombstone removed", edits.sql("DELETE FROM tombstone WHERE first = 1"), FOUND, FOUND, FOUND),
    Edit(
        "export of a tombstone renamed, its own record pruned",
        edits.sql("UPDATE tombstone SET export_name = 'other.jsonl' WHERE shoe = 1"),
        FOUND,
        FOUND,
        FOUND,
    ),
    Edit(
        "export digest of a tombstone changed",
        edits.sql("UPDATE tombstone SET export_digest = zeroblob(32) WHERE shoe = 4"),
        FOUND,
        FOUND,
        FOUND,
    ),
    Edit(
        "published_seq lowered", edits.sql("UPDATE position SET published_seq = 1"), MISSED, MISSED, MISSED, NOT_CHAINED
    ),
    Edit(
        "published_seq raised",
        edits.sql("UPDATE position SET published_seq = last_seq"),
        MISSED,
        MISSED,
        MISSED,
        NOT_CHAINED,
    ),
    Edit(
        "published_seq beyond the end",
        edits.sql("UPDATE position SET published_seq = last_seq + 1"),
        FOUND,
        FOUND,
        FOUND,
    ),
    Edit(
        "link_state changed", edits.sql("UPDATE position SET link_state = x'7b7d'"), MISSED, MISSED, MISSED, NOT_CHAINED
    ),
    Edit("link_state removed", edits.sql("UPDATE position SET link_state = NULL"), MISSED, MISSED, MISSED, NOT_CHAINED),
    Edit("created_ms changed", edits.sql("UPDATE journal SET created_ms = 1"), MISSED, MISSED, MISSED, NOT_CHAINED),
    Edit("last_seq changed", edits.sql("UPDATE position SET last_seq = last_seq + 1"), FOUND, FOUND, FOUND),
    Edit("head_hash changed", edits.sql("UPDATE position SET head_hash = zeroblob(32)"), FOUND, FOUND, FOUND),
    Edit("journal_id changed", edits.sql("UPDATE journal SET journal_id = '0'"), FOUND, FOUND, FOUND),
    Edit("table_name changed", edits.sql("UPDATE journal SET table_name = 'north/t2'"), FOUND, FOUND, FOUND),
    Edit("a guard of the file removed", edits.guard_removed, FOUND, FOUND, FOUND),
    Edit("bytes appended", edits.write(len, b"more"), FOUND, FOUND, FOUND),
    Edit("a page appended", edits.write(len, bytes(4096)), FOUND, FOUND, FOUND),
    Edit("bytes in an unused page changed", edits.write(edits.free_page, b"hidden"), MISSED, MISSED, MISSED, NOT_READ),
    Edit("a page overwritten", edits.write(edits.page_in_use, b"\xa5" * 4096), FOUND, FOUND, FOUND),
    Edit("file cut in the middle", edits.cut_file, FOUND, FOUND, FOUND),
    Edit("pages of an older file", edits.older_page, FOUND, FOUND, FOUND),
    Edit("older file", edits.older_file, MISSED, FOUND, BEHIND, OLD_IS_GOOD),
    Edit("lost WAL", edits.lost_log, MISSED, FOUND, BEHIND, OLD_IS_GOOD),
    Edit(
        "another table's journal",
        edits.put_in_its_place(Identity(table="north/t2", journal_id="aaaaaaaaaaaaaaaa")),
        MISSED,
        FOUND,
        FOUND,
        "alone it is a good journal; its name is in the answer, and the table refuses it at its start",
    ),
    Edit(
        "a new journal of the same table",
        edits.put_in_its_place(Identity(table=IDENTITY.table, journal_id="bbbbbbbbbbbbbbbb")),
        MISSED,
        FOUND,
        FOUND,
        "alone it is a good journal; its id is in the answer",
    ),
)
