"""A past that was signed is dealt anew, declared pruned, and handed out as exports; the checkpoints stay as they were.

Everything fits but the checkpoints: chain, tombstones, the record that tells of them, the exports and their digests.
Whoever does it without a key cannot sign that record; whoever has taken over the machine can, with the key of the next
checkpoint, and still cannot change what earlier keys have signed.
"""

import random
import shutil
from collections import Counter
from hashlib import blake2s
from pathlib import Path

from shoe_controller.journal.chain import genesis, link
from shoe_controller.journal.export import Form, line, record_of
from shoe_controller.journal.records import Head, Record, Tombstone
from shoe_controller.journal.tombstones import INSERT_TOMBSTONE, as_body, as_row
from tests.attacks.attack import Attack
from tests.attacks.journal_forging import end_with, records_of, replace_records, tombstones_of
from tests.attacks.stand_alone_verifier import Made, make, ours, stand_alone
from tests.attacks.table_journal import IDENTITY, TableJournal, sign_journal
from tests.journal.samples import key_folder
from tests.journal.tampering import tampered


def whole_history(journal: TableJournal) -> list[Record]:
    """Every record up to one after the last checkpoint, those of the exports too."""
    exported = [
        record_of(text)
        for stone in tombstones_of(journal.path)
        for text in (journal.exports / stone.export_name).read_bytes().splitlines()
    ]
    kept = [one for one in records_of(journal.path) if one.number > exported[-1].number]
    last = max(one.number for one in kept if one.kind == "checkpoint")
    return [*exported, *(one for one in kept if one.number <= last + 1)]


def dealt_anew(true: list[Record]) -> list[Record]:
    """The same records with other bytes from the shoe, in a chain of their own."""
    before, forged = genesis(IDENTITY.table, IDENTITY.journal_id), []
    for record in true:
        changed = record._replace(body=b"forged") if record.kind == "raw" else record
        before = link(before, changed)
        forged.append(changed._replace(hash=before))
    return forged


def pruned(records: list[Record], before: bytes, seq: int, folder: Path | None) -> Tombstone:
    """The tombstone of these records, and their export, unless there is to be none; `seq` is the event before them."""
    name = f"table.journal.records-{records[0].number}-{records[-1].number}.jsonl"
    content = b"".join(line(record, Form.JSON_LINES) for record in records)
    if folder is not None:
        (folder / name).write_bytes(content)
    return Tombstone(
        first=records[0].number,
        last=records[-1].number,
        previous_hash=before,
        first_hash=records[0].hash,
        last_hash=records[-1].hash,
        last_seq=max((record.seq for record in records if record.seq is not None), default=seq),
        shoe=records[-1].shoe,
        counts=dict(sorted(Counter(record.kind for record in records).items())),
        first_wall_ms=records[0].wall_ms,
        last_wall_ms=records[-1].wall_ms,
        export_name=name,
        export_digest=blake2s(content).digest(),
    )


def forge(path: Path, true: list[Record], borders: list[int], folder: Path) -> None:
    """Declare everything pruned, in parts up to these records; all but the last part have an export, or one alone."""
    forged = dealt_anew(true)
    before, first = genesis(IDENTITY.table, IDENTITY.journal_id), 1
    stones: list[Tombstone] = []
    for place, border in enumerate(borders):
        with_export = place == 0 or len(borders) == 1
        seq = stones[-1].last_seq if stones else 0
        stones.append(pruned(forged[first - 1 : border], before, seq, folder if with_export else None))
        before, first = stones[-1].last_hash, border + 1
    opening = next(one for one in true if one.kind == "opening")
    added: list[Record] = []
    seq = stones[-1].last_seq
    for record in (one for one in true if one.entry == opening.entry):
        seq += record.seq is not None
        number = len(true) + len(added) + 1
        moved = record._replace(number=number, entry=len(true) + 1, seq=None if record.seq is None else seq)
        before = link(before, moved)
        added.append(moved._replace(hash=before))
    for place in range(len(stones)):
        number = added[-1].number + 1
        note = added[-1]._replace(number=number, entry=number, kind="pruned", name="shoe 6", seq=None)
        note = note._replace(body=as_body(stones[: place + 1]))
        before = link(before, note)
        added.append(note._replace(hash=before))
    replace_records(path, [*(one for one in true if one.kind == "checkpoint"), *added])
    tampered(path, "DELETE FROM tombstone")
    for stone in stones:
        tampered(path, INSERT_TOMBSTONE, values=as_row(stone))
    end_with(path, Head(number=added[-1].number, hash=before), seq)


def forge_and_verify(folder: Path, tries: int) -> str:
    made = make(folder)
    true = whole_history(made.signed)
    first = next(one.number for one in true if one.kind == "checkpoint")
    chance = random.Random(1)  # noqa: S311 - the same places every time
    # One export with everything; then one that ends just before a checkpoint; then those that end anywhere.
    choices = [[len(true)], [first - 1, len(true)]]
    choices += [[chance.randrange(10, len(true) - 1), len(true)] for _ in range(tries)]
    for number, borders in enumerate(choices[:tries]):
        for with_key in (False, True):
            _forge_once(folder / f"{number} {with_key}", made, true, borders, with_key=with_key)
    return f"{2 * min(tries, len(choices))} forged pasts with exports: never called proved by either verifier"


def _forge_once(folder: Path, made: Made, true: list[Record], borders: list[int], *, with_key: bool) -> None:
    folder.mkdir()
    path = Path(shutil.copy(made.signed.path, folder / "table.journal"))
    forge(path, true, borders, folder)
    if with_key:
        shutil.copytree(made.signed.path.parent / "keys", folder / "keys")
        sign_journal(path, IDENTITY, key_folder(folder / "keys", "taken over", table=IDENTITY.table), 7)
    arguments = [str(path), f"--key={made.key}", f"--export={folder}"]
    answers = stand_alone(arguments)[0], ours(arguments)[0]
    assert set(answers) <= {1, 3}, f"{folder.name}, parts up to {borders}: {answers}"


ATTACKS = (Attack("a signed past dealt anew, in exports", forge_and_verify, tries=40, sample=2),)
