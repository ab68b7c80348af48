"""Edits of a journal by somebody who can write every file of the machine, and computes the chain anew each time.

The auditor has the first public key alone. What was signed before the machine was taken over must show every change;
truncating and sealing on, and editing under seals, are what systemd's journal once missed (CVE-2023-31438, -31439).
"""

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from shoe_controller.journal.chain import genesis, link
from shoe_controller.journal.checkpoints import as_body, read_checkpoint
from shoe_controller.journal.records import Record
from shoe_controller.journal.store import INSERT_RECORD
from shoe_controller.journal.verify import Report, verify
from tests.attacks.attack import Attack
from tests.attacks.stand_alone_verifier import stand_alone
from tests.journal.samples import IDENTITY, SOFTWARE, first_keys, key_folder, shoes, signed, write
from tests.journal.tampering import query

CHECKPOINTS = 5

Chance = random.Random
Edit = Callable[[list[Record], Chance], list[Record]]
"""Gets the records up to the last checkpoint's, and returns others."""


def journal_in(folder: Path) -> tuple[Path, str]:
    """A journal with some checkpoints and an unsigned tail, and its first public key, which was taken away."""
    path, keys = folder / "table.journal", key_folder(folder / "keys")
    entries = list(shoes(CHECKPOINTS + 1))
    for number in range(CHECKPOINTS):
        write(path, entries[6 * number : 6 * number + 6])
        signed(path, keys, 6 * number + 6)
    write(path, entries[6 * CHECKPOINTS :])
    (key,) = first_keys(folder / "keys")
    return path, key


def records_of(path: Path) -> list[Record]:
    return [Record(*row) for row in query(path, "SELECT * FROM record ORDER BY number")]


def put(path: Path, records: list[Record]) -> None:
    """Store these in place of all records, with numbers and a chain that fit."""
    before, seq, rows = genesis(IDENTITY.table, IDENTITY.journal_id), 0, []
    for number, record in enumerate(records, 1):
        seq += record.seq is not None
        moved = record._replace(
            number=number, entry=record.entry - record.number + number, seq=None if record.seq is None else seq
        )
        before = link(before, moved)
        rows.append(moved._replace(hash=before))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        guards = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        for name, _ in guards:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("DELETE FROM record")
        database.executemany(INSERT_RECORD, rows)
        database.execute(
            "UPDATE position SET head_number = ?, head_hash = ?, last_seq = ?, published_seq = 0",
            (len(rows), before, seq),
        )
        for _, sql in guards:
            database.execute(sql)
        database.execute("COMMIT")


def proved(path: Path, *keys: str) -> Report:
    return verify(path, software=SOFTWARE, keys=keys, progress=lambda _done, _all: None)


# --- edits of what is signed ------------------------------------------------------------------------------------------


def _change_body(records: list[Record], chance: Chance) -> list[Record]:
    at = chance.choice([i for i, record in enumerate(records) if record.kind != "checkpoint"])
    return [*records[:at], records[at]._replace(body=records[at].body + b"!"), *records[at + 1 :]]


def _change_time(records: list[Record], chance: Chance) -> list[Record]:
    at = chance.randrange(len(records))
    return [*records[:at], records[at]._replace(wall_ms=records[at].wall_ms + 1), *records[at + 1 :]]


def _change_software(records: list[Record], _chance: Chance) -> list[Record]:
    return [record._replace(software="9.9.9") for record in records]


def _remove(records: list[Record], chance: Chance) -> list[Record]:
    at = chance.randrange(len(records) - 1)
    return records[:at] + records[at + 1 :]


def _swap(records: list[Record], chance: Chance) -> list[Record]:
    at = chance.randrange(len(records) - 1)
    return [*records[:at], records[at + 1], records[at], *records[at + 2 :]]


def _add(records: list[Record], chance: Chance) -> list[Record]:
    at, copied = chance.randrange(len(records)), chance.choice(records)
    return [*records[:at], copied, *records[at:]]


def _remove_checkpoint(records: list[Record], chance: Chance) -> list[Record]:
    at = chance.choice([i for i, record in enumerate(records[:-1]) if record.kind == "checkpoint"])
    return records[:at] + records[at + 1 :]


def _edit_under_seal(records: list[Record], chance: Chance) -> list[Record]:
    """A checkpoint is made to name the changed record; its signature cannot be made again."""
    at = chance.choice([i for i, record in enumerate(records) if record.kind == "checkpoint"])
    forged = records[at - 1]._replace(body=b"forged")
    before = records[at - 2].hash
    checkpoint = msgspec.structs.replace(read_checkpoint(records[at].body), hash=link(before, forged).hex())
    return [*records[: at - 1], forged, records[at]._replace(body=as_body(checkpoint)), *records[at + 1 :]]


EDITS: tuple[tuple[str, Edit], ...] = (
    ("a body changed", _change_body),
    ("a time changed", _change_time),
    ("another version of the program named", _change_software),
    ("a record removed", _remove),
    ("two records swapped", _swap),
    ("a record added", _add),
    ("a checkpoint removed", _remove_checkpoint),
    ("edited under a seal", _edit_under_seal),
)


def _edit_signed_records(folder: Path, tries: int) -> str:
    path, key = journal_in(folder)
    whole = proved(path, key)
    assert whole.good
    assert whole.proof is not None
    assert whole.proof.checkpoint == CHECKPOINTS
    records = records_of(path)
    last = max(i for i, record in enumerate(records) if record.kind == "checkpoint")
    for number in range(tries):
        name, edit = EDITS[number % len(EDITS)]
        chance = random.Random(number)  # noqa: S311 - the same edits every time
        copy = Path(shutil.copy(path, folder / f"{number}.journal"))
        put(copy, edit(records[: last + 1], chance) + records[last + 1 :])
        report = proved(copy, key)
        assert not report.good, f"{name}, try {number}: {report.proof}"
        assert stand_alone([str(copy), f"--key={key}"])[0] == 1, f"{name}, try {number}, by the stand-alone verifier"
        copy.unlink()
    return f"{tries} edits of {len(EDITS)} kinds with a new chain, all found by both verifiers with the first key"


# --- sealing on ------------------------------------------------------------------------------------------------------


def _seal_on(folder: Path, tries: int) -> str:
    """The end is cut off before a checkpoint, and the table, with the key that is left, goes on signing."""
    path, key = journal_in(folder)
    records = records_of(path)
    places = [record.number for record in records if record.kind == "checkpoint"]
    for number in range(tries):
        at = number % (CHECKPOINTS - 1)
        copy, keys = folder / f"{number}.journal", folder / f"keys-{number}"
        shutil.copy(path, copy)
        shutil.copytree(folder / "keys", keys)
        put(copy, records[: places[at + 1] - 1])
        write(copy, list(shoes(1)))
        for more in range(2):
            signed(copy, key_folder(keys, f"sealed on {number} {more}"), 100 + more)
        report = proved(copy, key)
        assert report.proof is not None
        assert report.proof.checkpoint == at + 1, "only what was signed before it was cut"
        assert report.keys_anew == [at + 2]
        assert stand_alone([str(copy), f"--key={key}"]) == (3, report.proof.number)
    return f"{tries} journals cut and sealed on: proved only up to the cut"


def _strip_or_sign_anew(folder: Path, tries: int) -> str:
    """All checkpoints are removed; then others are made with keys of the attacker's own."""
    path, key = journal_in(folder)
    for number in range(tries):
        copy = Path(shutil.copy(path, folder / f"{number}.journal"))
        put(copy, [record for record in records_of(copy) if record.kind != "checkpoint"])
        report = proved(copy, key)
        assert (report.checkpoints, report.proof) == (0, None)
        signed(copy, key_folder(folder / f"own-{number}", f"own {number}"), 500)
        report = proved(copy, key)
        assert (report.checkpoints, report.proof) == (1, None)
        assert stand_alone([str(copy), f"--key={key}"]) == (3, 0)
    return f"{tries} journals without checkpoints, or with the attacker's own: nothing counts as proved"


ATTACKS = (
    Attack("signed records edited, chain computed anew", _edit_signed_records, tries=400, sample=16),
    Attack("journal cut and sealed on", _seal_on, tries=40, sample=4),
    Attack("checkpoints stripped, or signed with other keys", _strip_or_sign_anew, tries=20, sample=1),
)
