"""Hostile journals and files through `journal verify` and `tools/verify_journal.py`: both give the same answer."""

# ruff: noqa: S608 - the statements are made of what is in this file

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nacl import bindings

from shoe_controller import cli
from shoe_controller.journal import ed25519
from shoe_controller.journal.chain import link
from shoe_controller.journal.checkpoints import Checkpoint, as_body, signed_bytes
from shoe_controller.journal.export import record_of
from shoe_controller.process.lines_file import TornTail
from shoe_controller.witness.lines_file import read_lines
from tests.attacks import file_edits
from tests.attacks.journal_forging import records_of, replace_records
from tests.attacks.stand_alone_verifier import Made, make, ours, stand_alone
from tests.attacks.table_journal import IDENTITY, sign_journal, table_journal
from tests.journal.samples import key_folder
from tests.journal.tampering import query, tampered
from tools import verify_journal

NOON = 1_790_000_000_000
WHOLE, DAMAGED, UNUSABLE, UNPROVED = range(4)

DEEP = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("journals"))


@pytest.fixture
def path(made: Made, tmp_path: Path) -> Path:
    """A copy of the signed journal: six checkpoints, four of them in pruned parts."""
    return Path(shutil.copy(made.signed.path, tmp_path / "table.journal"))


def both(path: Path, *arguments: object) -> int:
    """Exit code of both verifiers, which is the same."""
    words = [str(path), *map(str, arguments)]
    by_itself, by_us = stand_alone(words)[0], ours(words)[0]
    assert by_itself == by_us, (by_itself, by_us)
    return by_us


# --- checkpoints made with the key of the moment ----------------------------------------------------------------------


def next_checkpoint(made: Made, path: Path, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of a checkpoint
    """The body of the checkpoint that comes next, signed by somebody who has found the key."""
    (file,) = (made.signed.path.parent / "keys").glob("*.key")
    key = json.loads(file.read_bytes())
    last = records_of(path)[-1]
    body = {
        "journal": IDENTITY.journal_id,
        "index": key["index"],
        "number": last.number,
        "hash": last.hash.hex(),
        "time": NOON,
        "key": key["public"],
        "next_key": "11" * 32,
        "succeeds": None,
        **fields,
    }
    unsigned = msgspec.convert(body, Checkpoint)
    _, secret = bindings.crypto_sign_seed_keypair(bytes.fromhex(key["seed"]))
    signature = bindings.crypto_sign(signed_bytes(unsigned), secret)[:64]
    return {**body, "signature": signature.hex()}


def appended(path: Path, body: bytes, time: int = NOON) -> None:
    """A checkpoint's record at the end, with a hash and a position that fit."""
    last = records_of(path)[-1]
    number = last.number + 1
    record = last._replace(number=number, entry=number, kind="checkpoint", name="checkpoint", wall_ms=time, seq=None)
    record = record._replace(body=body)
    record = record._replace(hash=link(last.hash, record))
    tampered(path, f"INSERT INTO record VALUES ({', '.join('?' * len(record))})", values=tuple(record))
    tampered(path, "UPDATE position SET head_number = ?, head_hash = ?", values=(number, record.hash))


def compact(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()


@pytest.mark.parametrize("time", [NOON, 2**62, -(2**62), 10**15])
def test_a_checkpoint_of_any_time_is_reported(made: Made, path: Path, time: int) -> None:
    appended(path, compact(next_checkpoint(made, path, time=time)), time)
    assert both(path, "--key", made.key, "--export", made.signed.exports) == WHOLE
    assert cli.main(["journal", "verify", str(path), "--key", str(made.key)]) == WHOLE


ODD: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "signature in capitals": lambda body: compact(body | {"signature": body["signature"].upper()}),
    "signature with a space": lambda body: compact(body | {"signature": " " + body["signature"]}),
    "key in capitals": lambda body: compact(body | {"key": body["key"].upper()}),
    "short next key": lambda body: compact(body | {"next_key": "11" * 20}),
    "field twice": lambda body: b'{"index":9,' + compact(body)[1:],
    "unknown field": lambda body: compact(body | {"x": 1}),
    "NaN": lambda body: compact(body | {"x": float("nan")}),
    "byte order mark": lambda body: b"\xef\xbb\xbf" + compact(body),
    "UTF-16": lambda body: compact(body).decode().encode("utf-16"),
    "spaces": lambda body: json.dumps(body).encode(),
    "field left out": lambda body: compact({name: body[name] for name in body if name != "succeeds"}),
    "nested deeply": lambda _: DEEP,
}


@pytest.mark.parametrize("odd", ODD)
def test_a_checkpoint_is_written_in_one_way_alone(made: Made, path: Path, odd: str) -> None:
    appended(path, ODD[odd](next_checkpoint(made, path)))
    assert both(path, "--key", made.key, "--export", made.signed.exports) == DAMAGED


def test_a_commitment_of_small_order_is_no_signature() -> None:
    """The holder of a key can make one that fits the equation of RFC 8032; libsodium refuses it."""
    seed, message = bytes(range(32)), b"message"
    scalar = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little") & ((1 << 254) - 8) | 1 << 254
    public, neutral = ed25519.public_half(seed), bytes([1, *bytes(31)])
    challenge = int.from_bytes(hashlib.sha512(neutral + public + message).digest(), "little")
    signature = neutral + (challenge * scalar % verify_journal.ORDER).to_bytes(32, "little")
    assert not ed25519.is_signed(public, message, signature)
    assert not verify_journal.is_signed(public, message, signature)


def test_only_checkpoint_0_names_an_earlier_journal(made: Made, path: Path) -> None:
    appended(path, compact(next_checkpoint(made, path, succeeds={"journal": "earlier", "index": 3})))
    assert both(path, "--key", made.key, "--export", made.signed.exports) == DAMAGED


def test_keys_that_begin_anew_are_not_proved_whatever_was_given(made: Made, path: Path) -> None:
    public, secret = bindings.crypto_sign_seed_keypair(bytes(32))
    own = next_checkpoint(made, path, key=public.hex())
    unsigned = Checkpoint(**{**own, "signature": ""})
    signature = bindings.crypto_sign(signed_bytes(unsigned), secret)[:64]
    appended(path, as_body(Checkpoint(**{**own, "signature": signature.hex()})))
    assert both(path) == UNPROVED
    assert both(path, "--witness", made.witness, "--export", made.signed.exports) == UNPROVED


# --- checkpoints in pruned parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("new_hash", [False, True])
@pytest.mark.parametrize("change", [{"software": "9"}, {"mono_ns": 7}, {"seq": 9999}, {"synchronised": 0}])
def test_a_checkpoint_left_in_a_pruned_part_is_not_changed(
    made: Made, path: Path, change: dict[str, Any], *, new_hash: bool
) -> None:
    first, *others = records_of(path)
    forged = first._replace(**change)
    if new_hash:
        forged = forged._replace(hash=link(bytes.fromhex(json.loads(first.body)["hash"]), forged))
    replace_records(path, [forged, *others])
    assert both(path, "--key", made.key) == DAMAGED


@pytest.mark.parametrize("body", [DEEP, b"\xff", b'{"journal":"\xff"}', b"[]", b""])
@pytest.mark.parametrize("which", ["min", "max"])
def test_a_checkpoint_that_cannot_be_read(made: Made, path: Path, body: bytes, which: str) -> None:
    tampered(
        path,
        f"UPDATE record SET body = ? WHERE number = (SELECT {which}(number) FROM record WHERE kind = 'checkpoint')",
        values=(body,),
    )
    assert both(path, "--witness", made.witness) == DAMAGED


def test_a_pruning_that_was_interrupted_is_no_damage(tmp_path: Path) -> None:
    made = table_journal(tmp_path, signed=True)
    (first, last), *_ = query(made.path, "SELECT first, last FROM tombstone ORDER BY first DESC LIMIT 1")
    (export,) = made.exports.glob(f"*.records-{first}-{last}.jsonl")
    kept = [record_of(line) for line in export.read_bytes().splitlines()[:20]]
    replace_records(made.path, sorted([*records_of(made.path), *kept], key=lambda record: record.number))
    key = tmp_path / "key"
    key.write_text(made.key, encoding="utf-8")
    assert both(made.path) == WHOLE
    assert both(made.path, "--key", key) == UNPROVED, "nothing ties them to what comes after the tombstone"
    assert both(made.path, "--key", key, "--export", made.exports) == WHOLE
    replace_records(made.path, [one for one in records_of(made.path) if one.number != kept[5].number])
    assert both(made.path, "--key", key) == DAMAGED


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER sqlitex AFTER INSERT ON record BEGIN UPDATE position SET published_seq = last_seq; END",
        "CREATE TABLE sqlitex (a)",
        "ANALYZE",
    ],
)
def test_nothing_hides_behind_a_name_like_those_of_sqlite(path: Path, statement: str) -> None:
    tampered(path, statement)
    assert both(path) == DAMAGED


def test_a_tombstone_up_to_the_largest_number(path: Path) -> None:
    tampered(path, f"UPDATE tombstone SET last = {2**63 - 1} WHERE first = (SELECT max(first) FROM tombstone)")
    assert both(path) == DAMAGED


# --- heads, witnesses and other files that are given ------------------------------------------------------------------


def test_the_head_of_an_empty_journal(path: Path) -> None:
    assert both(path, "--head", f"0:{IDENTITY.genesis.hex()}") == WHOLE
    assert both(path, "--head", f"0:{'00' * 32}") == DAMAGED


def witness_file(made: Made, file: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    """The witness's file with other lines, numbered and chained."""
    objects = [msgspec.to_builtins(written.line) for written in read_lines(made.witness, TornTail())]
    before, content = bytes(32), b""
    for number, value in enumerate(change(objects), 1):
        text = compact(value | {"line": number})
        before = hashlib.sha256(before + text).digest()
        content += before.hex().encode() + b" " + text + b"\n"
    file.write_bytes(content)
    return file


def test_both_of_two_heads_that_a_witness_saw_are_compared(made: Made, path: Path, tmp_path: Path) -> None:
    def twice(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        head = next(line for line in lines if line["kind"] == "head")
        return [*lines, head | {"head": head["head"][:-4] + "0000"}]

    file = witness_file(made, tmp_path / "forked", twice)
    assert both(path, "--witness", file, "--export", made.signed.exports) == DAMAGED


def test_a_witness_with_a_strange_clock(made: Made, path: Path, tmp_path: Path) -> None:
    file = witness_file(made, tmp_path / "late", lambda lines: [line | {"time": 10**18} for line in lines])
    words = ["--witness", str(file), "--export", str(made.signed.exports)]
    assert both(path, *words) == WHOLE
    assert cli.main(["journal", "verify", str(path), *words]) == WHOLE


def test_a_witness_whose_newest_record_was_pruned_proves_nothing(
    made: Made, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def old(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        heads = [line for line in lines if line["kind"] == "head"]
        return [lines[0], *heads[:7]]

    file = witness_file(made, tmp_path / "old", old)
    assert both(path, "--witness", file) == UNPROVED
    assert cli.main(["journal", "verify", str(path), "--witness", str(file)]) == UNPROVED
    told = capsys.readouterr().out
    assert "Proved by it" not in told
    assert f"NOT PROVED by {file}: the newest record that it saw, 243, was pruned." in told


def test_who_has_the_next_key_can_prune_but_not_before_a_witness(made: Made, path: Path, tmp_path: Path) -> None:
    oldest_shoe = file_edits.buried(file_edits.oldest_shoe, told=True)
    oldest_shoe(replace(made.signed, path=path))
    shutil.copytree(made.signed.path.parent / "keys", tmp_path / "keys")
    sign_journal(path, IDENTITY, key_folder(tmp_path / "keys", "taken over", table=IDENTITY.table), 7)
    assert both(path, "--key", made.key) == WHOLE
    assert both(path, "--witness", made.witness) == UNPROVED
    assert both(path, "--key", made.key, "--export", made.signed.exports) == UNPROVED


def test_a_pruned_part_that_only_a_record_after_the_last_head_tells_of(made: Made, tmp_path: Path) -> None:
    path = Path(shutil.copy(made.plain.path, tmp_path / "table.journal"))
    (told,) = query(path, "SELECT max(number) FROM record WHERE kind = 'pruned'")[0]
    before = next(one for one in records_of(path) if one.number == told - 1)
    assert both(path, "--head", f"{before.number}:{before.hash.hex()}") == UNPROVED


def _code_of(command: Callable[[list[str]], int], words: list[str]) -> object:
    try:
        return command(words)
    except SystemExit as stop:  # argparse leaves so
        return stop.code


@pytest.mark.parametrize("option", ["--key", "--witness", "--export", "--earlier"])
@pytest.mark.parametrize("kind", ["pipe", "device", "missing"])
def test_what_is_no_file_is_refused_at_once(path: Path, tmp_path: Path, option: str, kind: str) -> None:
    file = {"pipe": tmp_path / "pipe", "device": Path("/dev/zero"), "missing": tmp_path / "missing"}[kind]
    if kind == "pipe":
        os.mkfifo(file)
    words = [str(path), option, str(file)]
    assert cli.main(["journal", "verify", *words]) == UNUSABLE
    if option == "--earlier":
        return  # which the stand-alone verifier does not have
    assert _code_of(verify_journal.main, words) == UNUSABLE


def test_an_earlier_journal_that_cannot_be_read_is_no_damage_of_this_one(
    made: Made, path: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier"
    earlier.write_bytes(b"no journal")
    words = ["journal", "verify", str(path), "--key", str(made.key), "--earlier", str(earlier)]
    assert cli.main(words) == UNUSABLE


def test_a_file_that_is_no_export_of_this_journal(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"{}\n")
    assert both(path, "--export", other) == DAMAGED
