"""`tools/verify_journal.py` runs by itself, changes nothing, and says what is proved; `tests/attacks` has the edits."""

import ast
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey

from tests.attacks.signed_journal import journal_in, put, records_of
from tests.attacks.stand_alone_verifier import Made, make
from tests.documents.snippets import ROOT, snippets_of
from tests.journal.old_journals import NAMES, copied
from tests.journal.samples import key_folder, shoes, signed, write
from tests.journal.test_old_journals import upgraded
from tools import verify_journal
from tools.verify_journal import is_signed

PROGRAM = ROOT / "tools" / "verify_journal.py"


def run(*arguments: object) -> tuple[int, dict[str, Any]]:
    """Run it as an auditor would: nothing of ours, and nothing that was installed, can be imported (-I -S)."""
    words = [sys.executable, "-I", "-S", str(PROGRAM), "--json", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", timeout=60)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("journals"))


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.parse(PROGRAM.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "." for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_what_is_proved_and_by_what(made: Made) -> None:
    code, answer = run(made.signed.path, f"--key={made.key}")
    assert (code, answer["proved"]["by"]) == (0, "checkpoint 6, from the key that was given")
    assert any("were pruned, and their export was not given" in note for note in answer["notes"])
    head = made.plain.heads[-1]
    code, answer = run(made.plain.path, f"--head={head}")
    assert (code, answer["proved"]["record"]) == (0, head.number)
    assert run(made.plain.path, f"--head={made.plain.heads[0]}")[0] == 3
    assert run(made.plain.path, f"--head={made.plain.heads[0]}", f"--export={made.plain.exports}")[0] == 0
    assert run(made.plain.path, f"--head={head.number}:{'00' * 32}")[0] == 1
    assert run(made.plain.path, f"--key={made.key}")[0] == 3


@pytest.mark.parametrize("name", NAMES)
def test_old_journals_are_whole_in_either_layout_and_stay_as_they_are(tmp_path: Path, name: str) -> None:
    path = copied(name, tmp_path)
    for layout in (1, 2):
        if layout == 2:
            upgraded(path)
        before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
        assert run(path)[0] == 0
        assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_keys_that_begin_anew_prove_nothing_more(tmp_path: Path) -> None:
    path, key = journal_in(tmp_path)
    records = records_of(path)
    third = [record.number for record in records if record.kind == "checkpoint"][2]
    put(path, records[: third - 1])
    write(path, list(shoes(1)))
    signed(path, key_folder(tmp_path / "other keys", "other"), 100)
    code, answer = run(path, f"--key={key}")
    assert (code, answer["proved"]["by"]) == (3, "checkpoint 2, from the key that was given")
    assert any("The keys begin anew at checkpoint 3" in line for line in answer["unproved"])


def test_the_witness_file_is_checked_before_it_counts(made: Made, tmp_path: Path) -> None:
    journal, exports = made.signed.path, f"--export={made.signed.exports}"
    assert run(journal, f"--witness={made.witness}", exports)[0] == 0
    assert run(made.plain.path, f"--witness={made.witness}")[0] == 1
    whole, changed = made.witness.read_bytes(), tmp_path / "changed.witness"
    chance = random.Random(1)  # noqa: S311 - the same places every time
    for _ in range(40):
        place = chance.randrange(whole[:-1].rindex(b"\n"))
        changed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert verify_journal.main([str(journal), f"--witness={changed}"]) == 2
    changed.write_bytes(whole[:-9])
    assert run(journal, f"--witness={changed}", exports)[0] == 0


def test_arguments_that_cannot_be_used(made: Made, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert run(tmp_path / "missing")[0] == 2
    assert run(tmp_path)[0] == 2
    assert run(tmp_path / "empty")[0] == 1
    for option in ("--head=1:2", "--head=x", "--key=12", f"--key={'x' * 5000}", f"--witness={tmp_path / 'empty'}"):
        assert run(made.plain.path, option)[0] == 2


def test_signatures_are_judged_like_those_of_libsodium() -> None:
    chance = random.Random(1)  # noqa: S311 - the same keys every time
    for size in range(12):
        key, message = SigningKey(chance.randbytes(32)), chance.randbytes(size * 7)
        public, signature = bytes(key.verify_key), key.sign(message).signature
        assert is_signed(public, message, signature)
        at = chance.randrange(64)
        assert not is_signed(public, message, signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :])
        assert not is_signed(public, message + b"!", signature)
        order = int.from_bytes(signature[32:], "little") + verify_journal.ORDER
        assert not is_signed(public, message, signature[:32] + order.to_bytes(32, "little"))
    identity = bytes([1]) + bytes(31)
    assert not is_signed(identity, b"anything", identity + bytes(32))


def normal(sql: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"(?<=[(]) *| *(?=[)])", "", re.sub(r"\s+", " ", sql))).strip(" ;")


def test_the_layout_of_the_document_is_that_of_a_journal(made: Made, tmp_path: Path) -> None:
    (block,) = (snippet.text for snippet in snippets_of("docs/journal.md") if snippet.language == "sql")
    documented = sqlite3.connect(":memory:")
    documented.executescript(block)
    journal = sqlite3.connect(shutil.copy(made.plain.path, tmp_path / "table.journal"))
    layouts = [
        {name: normal(sql) for name, sql in database.execute("SELECT name, sql FROM sqlite_schema")}
        for database in (documented, journal)
    ]
    for database in (documented, journal):
        database.close()
    assert layouts[0] == layouts[1]
