"""`python -m tests.simulation` as an engineer types it."""

import subprocess
import sys


def simulation(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.simulation", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_a_seed_is_told_step_by_step() -> None:
    done = simulation("3")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("seed 3: ")
    assert lines[-1].startswith("all promises kept: ")
    assert any("truth    CardOut" in line for line in lines)
    assert any("stored   shoe_report" in line for line in lines)


def test_many_seeds_end_with_a_table_of_what_was_met() -> None:
    done = simulation("--seeds", "6", "--first", "20")
    assert done.returncode == 0, done.stdout
    assert "6 of 6 seeds" in done.stdout
    assert "seeds/min" in done.stdout
    assert "over_draw_burned" in done.stdout
    assert "killed_in_commit" in done.stdout


def test_nonsense_is_a_sentence() -> None:
    for arguments, said in (
        ((), "which seed?"),
        (("--seeds", "0"), "a number from 1 up"),
        (("seventeen",), "invalid int value"),
    ):
        done = simulation(*arguments)
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
