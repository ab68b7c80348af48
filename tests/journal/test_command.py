"""`shoe-controller journal verify|export|prune`, as people and programs use it."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from shoe_controller.commands import journal as command
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Event, Start, StoredInput
from tests.commands.running import Answer
from tests.journal.samples import entry, moment, opened, replay, shoes, write
from tests.journal.tampering import query, tampered
from tests.journal.test_export import as_record, of_csv, of_json


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> "Say":
    return Say(capsys)


@pytest.fixture(autouse=True)
def _samples_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These journals are made of samples; `tests/table/test_replay.py` has real ones."""
    monkeypatch.setattr(command, "REPLAY", replay)


class Say:
    """Runs the command inside this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Answer:
        parser = argparse.ArgumentParser(prog="shoe-controller")
        command.add_parser(parser.add_subparsers(dest="command", required=True))
        try:
            args = parser.parse_args(["journal", *map(str, arguments)])
            exit_code: int = args.run(args)
        except SystemExit as stop:  # argparse leaves so when it does not like the arguments
            exit_code = stop.code if isinstance(stop.code, int) else 1
        sys.stdout.flush()
        return Answer(exit_code, *self._capsys.readouterr())


def test_verify_says_that_it_is_whole_and_what_was_not_replayed(path: Path, say: Say) -> None:
    events = query(path, "SELECT count(*) FROM record WHERE kind = 'event'")[0][0]
    newer = [entry(200, shoe=4, start=Start.SNAPSHOT), entry(201, shoe=4)]
    write(path, newer, software="7.0")
    answer = say("verify", path)
    assert answer.exit_code == 0
    assert f"{path} is whole: table pit 3 table 7, " in answer.out
    assert f"gave {events} events again, byte for byte" in answer.out
    assert f"Not replayed: {sum(len(one.events) for one in newer)} events written by version 7.0." in answer.out
    assert answer.err == ""


def test_verify_for_programs(path: Path, say: Say) -> None:
    answer = say("verify", "--json", path)
    assert answer.exit_code == 0
    with JournalReader(path) as reader:
        head = reader.position().head
    assert answer.json["good"] is True
    assert answer.json["head"] == str(head)
    assert answer.json["records"] == query(path, "SELECT count(*) FROM record")[0][0]
    assert answer.json["replay"] == {
        "same": query(path, "SELECT count(*) FROM record WHERE kind = 'event'")[0][0],
        "not_replayed": {},
    }
    assert answer.json["problems"] == []


def test_verify_tells_of_events_that_do_not_come_out_again(
    path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(inputs: Iterable[StoredInput]) -> list[Event]:
        return [event for event in replay(inputs) if not event.name]

    monkeypatch.setattr(command, "REPLAY", nothing)
    answer = say("verify", path)
    assert answer.exit_code == 1
    assert "replaying does not give this event" in answer.out


def test_verify_names_what_is_wrong(path: Path, say: Say) -> None:
    tampered(path, "UPDATE record SET body = x'00' WHERE number = 103")
    answer = say("verify", path)
    assert answer.exit_code == 1
    assert "IS DAMAGED" in answer.out
    assert "record 103 (" in answer.out
    problems = say("verify", "--json", path).json["problems"]
    assert [problem["record"] for problem in problems] == [103, 103], "by the chain and by the replay"


def test_verify_compares_heads_that_were_kept(path: Path, say: Say) -> None:
    with JournalReader(path) as reader:
        head = reader.position().head
    assert say("verify", path, "--head", str(head)).exit_code == 0
    answer = say("verify", path, "--head", str(head), "--head", f"{head.number}:{'00' * 32}")
    assert answer.exit_code == 1
    assert f"known as {head.number}:0000" in answer.out
    for nonsense in ("", "5", "5:zz", ":", "-1:" + "00" * 32, "5:" + "00" * 31):
        answer = say("verify", path, f"--head={nonsense}")
        assert answer.exit_code == 2
        assert "is not a head" in answer.err


def test_verify_with_a_key_says_up_to_where_it_is_proved(path: Path, whole: Path, say: Say, tmp_path: Path) -> None:
    (key,) = (whole.parent / "keys").glob("*.public")
    exports = [argument for file in whole.parent.glob("*.jsonl") for argument in ("--export", file)]
    answer = say("verify", path, "--key", key, *exports)
    assert answer.exit_code == 0
    assert "in checkpoint 3 at 2023-07-22 04:26:56 UTC." in answer.out
    assert "Whoever held the machine since then could have changed them" in answer.out
    assert say("verify", path, "--key", key, "--json").json["proof"]["checkpoint"] == 3
    assert "without --key nothing shows who signed them" in say("verify", path).out
    pruned_since = say("verify", path, "--key", key)
    assert pruned_since.exit_code == 3
    assert "were pruned, and no checkpoint or head covers the record that says so" in pruned_since.out
    other = tmp_path / "other.public"
    other.write_text("ab" * 32, encoding="ascii")
    answer = say("verify", path, "--key", other)
    assert answer.exit_code == 3
    assert "NOT PROVED: the key has signed none of its checkpoints." in answer.out
    other.write_text("nonsense", encoding="ascii")
    assert say("verify", path, "--key", other).exit_code == 2
    assert say("verify", path, "--key", tmp_path / "none").exit_code == 2
    assert say("verify", path, "--key", key, "--earlier", path, *exports).exit_code == 0
    tampered(path, "UPDATE record SET body = x'00' WHERE number = 70")
    assert say("verify", path, "--key", key).exit_code == 1


def test_export_writes_everything_in_both_forms(path: Path, say: Say, tmp_path: Path) -> None:
    answer = say("export", path)
    assert answer.exit_code == 0
    out = tmp_path / "out.csv"
    assert say("export", path, "--format", "csv", "--output", out).exit_code == 0
    in_json = [as_record(one) for one in of_json(answer.out.encode())]
    assert in_json == [as_record(one) for one in of_csv(out.read_bytes())]
    with JournalReader(path) as reader:
        assert in_json == list(reader.records(0, reader.position().head.number))
    again = say("export", path, "--output", out)
    assert again.exit_code == 2
    assert "cannot be written: File exists" in again.err


def test_export_of_a_part(path: Path, say: Say) -> None:
    shoe = of_json(say("export", path, "--shoe", "3").out.encode())
    assert {one["shoe"] for one in shoe} == {3}
    a_round = of_json(say("export", path, "--shoe", "3", "--round", "3").out.encode())
    assert {one["round"] for one in a_round} == {3}
    assert 0 < len(a_round) < len(shoe)
    moments = sorted({one["wall_ms"] for one in shoe})
    assert moments[2] == moment(15).wall_ms
    # 1 690 000 015 seconds after 1970, in two time zones.
    for since in ("2023-07-22T04:26:55", "2023-07-22T06:26:55+02:00"):
        late = of_json(
            say("export", path, "--shoe", "3", "--since", since, "--until", "2023-07-22T04:26:57").out.encode()
        )
        assert {one["wall_ms"] for one in late} == set(moments[2:4])


@pytest.mark.parametrize(
    "arguments", [("--shoe", "x"), ("--shoe", "-1"), ("--round", "9" * 30), ("--since", "soon"), ("--format", "xml")]
)
def test_export_refuses_nonsense(path: Path, say: Say, arguments: tuple[str, str]) -> None:
    answer = say("export", path, *arguments)
    assert answer.exit_code == 2
    assert answer.out == ""


def test_prune(tmp_path: Path, say: Say) -> None:
    path = tmp_path / "table.journal"
    exports = tmp_path / "exports"
    write(path, shoes(3))
    with opened(path) as journal:
        journal.confirm(18).result(timeout=10)
    no_folder = say("prune", path, "--older-than", "0", "--export-to", exports)
    assert no_folder.exit_code == 2
    assert "is not a folder" in no_folder.err
    exports.mkdir()
    assert say("prune", path, "--older-than", "10000", "--export-to", exports, "--json").json["shoes"] == 0
    answer = say("prune", path, "--older-than", "0", "--export-to", exports)
    assert answer.exit_code == 0
    assert "Pruned 2 shoes" in answer.out
    assert sorted(file.name for file in exports.iterdir()) == sorted(
        line.strip() for line in answer.out.splitlines()[1:]
    )
    assert say("verify", path).exit_code == 0
    for nonsense in ("-1", "x", "1.5", "9999999"):
        assert say("prune", path, f"--older-than={nonsense}", "--export-to", exports).exit_code == 2


@pytest.mark.parametrize("action", ["verify", "export", "prune"])
def test_files_that_are_no_good(tmp_path: Path, say: Say, action: str) -> None:
    more = ("--older-than", "1", "--export-to", str(tmp_path)) if action == "prune" else ()
    missing = say(action, tmp_path / "nothing", *more)
    assert missing.exit_code == 2
    assert "the file does not exist" in missing.err
    text = tmp_path / "text"
    text.write_text("dear diary")
    no_journal = say(action, text, *more)
    assert no_journal.exit_code == 1
    assert "not a journal" in no_journal.err
    folder = say(action, tmp_path, *more)
    assert folder.exit_code == 2
    newer = tmp_path / "newer"
    write(newer, [])
    tampered(newer, "PRAGMA user_version = 7", "CREATE TABLE later (x)")
    answer = say(action, newer, *more)
    assert answer.exit_code == 2
    assert "newer version" in answer.err
