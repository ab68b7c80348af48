"""Every edit of `journal_edits.py` through both verifiers: `journal verify`, and `tools/verify_journal.py`.

They share no code. Each edit is made in a journal without checkpoints, which is then verified alone and with the heads
that were kept elsewhere, and in one with checkpoints, with the first public key and with the file of a witness.
"""

# ruff: noqa: T201 - the table of answers is for the terminal

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from shoe_controller import cli
from shoe_controller.journal.reading import JournalReader
from shoe_controller.messages.checkpoints import Checkpoint
from shoe_controller.witness.lines import CheckpointSeen, ControllerSeen, HeadSeen, digest_of
from shoe_controller.witness.lines_file import LinesFile
from tests.attacks.attack import Attack
from tests.attacks.journal_edits import EDITS, Edit, Verdict
from tests.attacks.table_journal import IDENTITY, NAME, TableJournal, table_journal
from tools import verify_journal

WAYS = ("alone", "heads", "key", "witness")


class Made(NamedTuple):
    plain: TableJournal
    signed: TableJournal
    key: Path
    witness: Path

    def arguments(self, way: str) -> list[str]:
        exports = f"--export={self.signed.exports if way in {'key', 'witness'} else self.plain.exports}"
        return {
            "alone": [],
            "heads": [*(f"--head={head}" for head in self.plain.heads), exports],
            "key": [f"--key={self.key}", exports],
            "witness": [f"--witness={self.witness}", exports],
        }[way]


def make(folder: Path) -> Made:
    for name in ("plain", "signed"):
        (folder / name).mkdir()
    plain, signed = table_journal(folder / "plain"), table_journal(folder / "signed", signed=True)
    key = folder / "first.public"
    key.write_text(f"# the first public key\n{signed.key}\n", encoding="utf-8")
    return Made(plain, signed, key, witness_of(signed, folder / "north.witness"))


def witness_of(journal: TableJournal, path: Path) -> Path:
    """The file of a witness that has seen every head and checkpoint of the journal."""
    with JournalReader(journal.path) as reader:
        kept = msgspec.convert(reader.checkpoints_after(-1, 99), list[Checkpoint], from_attributes=True)
    file = LinesFile(path)
    assert list(file.restored()) == []
    file.start("0.1.0", 0, 1)
    file.add(ControllerSeen(table=NAME, journal=IDENTITY.journal_id, start="s", session=1), 1)
    for number, head in enumerate(journal.heads, 1):
        file.add(HeadSeen(table=NAME, journal=IDENTITY.journal_id, session=1, head=str(head)), number)
    *earlier, last = journal.heads
    file.add(
        HeadSeen(
            table=NAME,
            journal=IDENTITY.journal_id,
            session=1,
            head=str(last),
            earlier=tuple(head.number for head in earlier),
            digest=digest_of(head.hash.hex() for head in earlier),
        ),
        len(journal.heads) + 1,
    )
    for made in kept:
        file.add(CheckpointSeen(table=NAME, checkpoint=made), made.time)
    file.close()
    return path


# --- both verifiers ---------------------------------------------------------------------------------------------------


def _answer(command: Callable[[list[str]], int], arguments: list[str]) -> tuple[int, dict[str, Any]]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = command(arguments)
    out.seek(0)
    text = out.read()
    return code, json.loads(text) if text.startswith("{") else {}


def ours(arguments: list[str]) -> tuple[int, int]:
    """Exit code, and the last record that is proved."""
    code, answer = _answer(cli.main, ["journal", "verify", "--json", *arguments])
    if "heads" not in answer:
        return code, 0
    proof, (newest, *_) = answer["proof"] or {"number": 0}, [*(one["newest"] for one in answer["witness"]), None]
    return code, max(answer["heads"]["proved_up_to"], proof["number"], int((newest or "0").partition(":")[0]))


def stand_alone(arguments: list[str]) -> tuple[int, int]:
    code, answer = _answer(verify_journal.main, ["--json", *arguments])
    return code, answer["proved"]["record"] if answer else 0


def _verdict(answer: tuple[int, int], first: int | None, way: str) -> Verdict:
    code, proved = answer
    assert code in {0, 1, 3}, "the arguments can be used"
    if code == 3:
        return Verdict.UNPROVED
    if code != 0:
        return Verdict.FOUND
    if first is not None and way != "alone" and proved < first:
        return Verdict.BEHIND
    return Verdict.MISSED


def answers(edit: Edit, made: Made, folder: Path) -> dict[str, tuple[Verdict, Verdict]]:
    """What each verifier says, by the way in which it was run."""
    told: dict[str, tuple[Verdict, Verdict]] = {}
    for original, ways in ((made.plain, WAYS[:2]), (made.signed, WAYS[2:])):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        journal = replace(original, path=Path(shutil.copy(original.path, folder / "table.journal")))
        first = edit.edit(journal)
        for way in ways:
            arguments = [str(journal.path), *made.arguments(way)]
            # The one that leaves no trace first: `journal verify` may leave SQLite's own files beside the journal.
            by_itself = stand_alone(arguments)
            told[way] = _verdict(ours(arguments), first, way), _verdict(by_itself, first, way)
    return told


def edit_and_verify_with_both(folder: Path, tries: int) -> str:
    """Some of the edits, evenly from the table, or all of them, with the table of answers."""
    made = make(folder)
    for way in WAYS:
        good = [str((made.plain if way in WAYS[:2] else made.signed).path), *made.arguments(way)]
        assert (ours(good)[0], stand_alone(good)[0]) == (0, 0), f"a good journal is good: {way}"
    chosen = EDITS[:: -(-len(EDITS) // tries)]
    rows = [("edit", *(f"{way}: {who}" for way in WAYS for who in ("verify", "stand-alone")), "why not found")]
    for edit in chosen:
        told = answers(edit, made, folder / "edited")
        for way in WAYS:
            assert told[way] == edit.expected(way), f"{edit.name}, {way}: {told[way]}"
        for place in (0, 1):
            found = Verdict.FOUND in (told["key"][place], told["witness"][place])
            assert found or edit.why, f"{edit.name}: no reason why it is missed"
        rows.append((edit.name, *(one.value for way in WAYS for one in told[way]), edit.why))
    if tries >= len(EDITS):
        print("\n".join(" | ".join(row) for row in rows))
    same = sum(edit.expected(way)[0] is edit.expected(way)[1] for edit in chosen for way in WAYS)
    return f"{len(chosen)} edits, 4 ways: as the table says; the verifiers agree on {same} of {4 * len(chosen)} answers"


ATTACKS = (Attack("edits of a journal's file, both verifiers", edit_and_verify_with_both, tries=len(EDITS), sample=2),)
