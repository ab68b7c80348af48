"""`shoe-controller doctor`, as people and programs use it."""

from pathlib import Path

import pytest

from shoe_controller.doctor.checks import CHECKS
from tests.commands.running import run
from tests.daemon.house_file import write_table_file
from tests.doctor.clinic import clinic_file

Capture = pytest.CaptureFixture[str]


def file_in(folder: Path) -> str:
    return str(write_table_file(folder, clinic_file(folder)))


def test_a_missing_shoe_is_a_problem_and_says_what_to_do(tmp_path: Path, capsys: Capture) -> None:
    answer = run(capsys, "doctor", file_in(tmp_path), "--skip", "clock", "--skip", "open-ports")
    assert answer.exit_code == 1
    assert "ok      configuration" in answer.out
    assert "PROBLEM port             /dev/no-such-shoe does not exist" in answer.out
    assert "what to do: Plug the shoe in and switch it on" in answer.out
    assert "-       shoe " in answer.out
    assert "1 problem. Put the first one right first" in answer.out


def test_json_has_every_check_and_every_problem_its_advice(tmp_path: Path, capsys: Capture) -> None:
    answer = run(capsys, "doctor", file_in(tmp_path), "--json")
    assert answer.exit_code == 1
    said = answer.json
    assert said["good"] is False
    assert {each["check"] for each in said["findings"]} == {check.name for check in CHECKS}
    wrong = [each for each in said["findings"] if each["verdict"] == "problem"]
    assert said["problems"] == len(wrong) > 0
    assert all(each["to_do"] for each in wrong)
    assert not any(each["to_do"] for each in said["findings"] if each["verdict"] != "problem")


def test_nothing_wrong_is_exit_code_0(tmp_path: Path, capsys: Capture) -> None:
    names = [check.name for check in CHECKS if check.name not in ("configuration", "people", "secrets", "journal")]
    skipped = [word for name in names for word in ("--skip", name)]
    answer = run(capsys, "doctor", file_in(tmp_path), *skipped)
    assert answer.exit_code == 0
    assert answer.out.endswith("Nothing is wrong.\n")


def test_the_list_of_checks(capsys: Capture) -> None:
    answer = run(capsys, "doctor", "--list")
    assert answer.exit_code == 0
    assert [line.split()[0] for line in answer.out.splitlines()] == [check.name for check in CHECKS]
    listed = run(capsys, "doctor", "--list", "--json").json
    assert listed[0]["check"] == "configuration"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--skip", "shoes"], "there is no check 'shoes'; the checks are configuration"),
        (["--listen", "0"], "--listen must be more than 0"),
        (["--listen", "nan"], "--listen must be more than 0"),
        (["--user", "no-such-user-here"], "no user 'no-such-user-here'"),
    ],
)
def test_nonsense_is_refused(tmp_path: Path, capsys: Capture, words: list[str], told: str) -> None:
    answer = run(capsys, "doctor", file_in(tmp_path), *words)
    assert answer.exit_code == 2
    assert told in answer.err


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path, capsys: Capture) -> None:
    answer = run(capsys, "doctor", str(tmp_path / "none.toml"), "--json")
    assert answer.exit_code == 1
    assert answer.json["findings"][0]["verdict"] == "problem"
