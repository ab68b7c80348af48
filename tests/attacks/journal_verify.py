"""Every edit of `journal_edits.py`, through `shoe-controller journal verify`, alone and with the heads of a witness."""

import contextlib
import io
import json
import shutil
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from shoe_controller import cli
from tests.attacks.attack import Attack
from tests.attacks.journal_edits import EDITS, Edit, Verdict
from tests.attacks.table_journal import TableJournal, table_journal


def edit_and_verify(folder: Path, tries: int) -> str:
    """Some of the edits, evenly from the table, or all of them."""
    (folder / "made").mkdir()
    made = table_journal(folder / "made")
    assert len({edit.name for edit in EDITS}) == len(EDITS)
    assert _verdict(made, None) is _verdict(made, None, *_witness(made)) is Verdict.MISSED, "a good journal is good"
    alone: Counter[Verdict] = Counter()
    with_heads: Counter[Verdict] = Counter()
    chosen = EDITS[:: -(-len(EDITS) // tries)]
    for edit in chosen:
        told = _outcome(edit, made, folder / "edited")
        assert told == (edit.alone, edit.with_heads), f"{edit.name}: {told}"
        assert edit.why or Verdict.FOUND in {edit.alone, edit.with_heads}, f"{edit.name}: no reason why it is missed"
        alone[edit.alone] += 1
        with_heads[edit.with_heads] += 1
    return f"{len(chosen)} edits; alone: {_counts(alone)}; with heads and exports: {_counts(with_heads)}"


def _outcome(edit: Edit, made: TableJournal, folder: Path) -> tuple[Verdict, Verdict]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    journal = replace(made, path=Path(shutil.copy(made.path, folder / "table.journal")))
    first = edit.edit(journal)
    # Reading may add SQLite's own files beside it; the edited file is looked at twice in the same state.
    return _verdict(journal, first), _verdict(journal, first, *_witness(journal))


def _witness(journal: TableJournal) -> list[str]:
    return [*(f"--head={head}" for head in journal.heads), f"--export={journal.exports}"]


def _verdict(journal: TableJournal, first: int | None, *arguments: str) -> Verdict:
    code, answer = _verify(journal.path, *arguments)
    if code == 3:
        return Verdict.UNPROVED
    if code != 0:
        return Verdict.FOUND
    if first is not None and arguments and json.loads(answer)["heads"]["proved_up_to"] < first:
        return Verdict.BEHIND
    return Verdict.MISSED


def _verify(path: Path, *arguments: str) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+") as out, contextlib.redirect_stdout(out):
        with contextlib.redirect_stderr(io.StringIO()):
            code = cli.main(["journal", "verify", "--json", str(path), *arguments])
        out.seek(0)
        return code, out.read()


def _counts(verdicts: Counter[Verdict]) -> str:
    return ", ".join(f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict])


ATTACKS = (Attack("edits of a journal's file", edit_and_verify, tries=len(EDITS), sample=6),)
