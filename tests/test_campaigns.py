"""`make campaigns` runs every target that it is given, and its table and exit code say which failed."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

STAND_INS = """
.PHONY: passes fails options waits
passes: ; @echo all is well; echo and a complaint >&2
fails: ; @echo before it breaks; exit 3
options: ; @echo seeds $(SEEDS) trials $(TRIALS)
waits: ; @echo waiting; sleep 60
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """With it, the project's own Makefile has the stand-ins as well."""
    stand_ins = tmp_path / "stand_ins.mk"
    stand_ins.write_text(STAND_INS, encoding="utf-8")
    # Without what `make test` hands to this test.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return {**inherited, "MAKEFILES": str(stand_ins)}


def make_campaigns(environment: dict[str, str], logs: Path, *options: str) -> tuple[int, dict[str, list[str]]]:
    """Its exit code, and its table by target."""
    python = f"BIN={Path(sys.executable).parent}"
    done = subprocess.run(
        ["/usr/bin/make", "--old-file=.venv/ready", "campaigns", python, f"CAMPAIGN_LOGS={logs}", *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, rows(done.stdout)


def rows(output: str) -> dict[str, list[str]]:
    """The one table, which is what stands last."""
    header, *lines = output.rsplit("\n\n", maxsplit=1)[-1].splitlines()
    assert header.split() == ["target", "result", "duration", "log"]
    return {target: values for target, *values in map(str.split, lines)}


def test_a_failure_is_in_the_table_and_the_rest_still_runs(environment: dict[str, str], tmp_path: Path) -> None:
    options = ("CAMPAIGNS=passes fails options", "SEEDS=7", "TRIALS=bookworm trixie")
    exit_code, table = make_campaigns(environment, tmp_path, *options)
    assert exit_code != 0
    assert {target: values[0] for target, values in table.items()} == {
        "passes": "passed",
        "fails": "failed",
        "options": "passed",
    }
    assert all(re.fullmatch(r"\d+:\d\d:\d\d", duration) for _, duration, _ in table.values())
    logs = {target: Path(log).read_text(encoding="utf-8") for target, (_, _, log) in table.items()}
    assert logs["passes"] == "all is well\nand a complaint\n"
    assert logs["fails"].startswith("before it breaks\n")
    assert logs["options"] == "seeds 7 trials bookworm trixie\n"


def test_it_succeeds_if_all_of_them_pass(environment: dict[str, str], tmp_path: Path) -> None:
    exit_code, table = make_campaigns(environment, tmp_path, "CAMPAIGNS=passes options")
    assert exit_code == 0
    assert [values[0] for values in table.values()] == ["passed", "passed"]


def test_a_mistyped_target_fails(environment: dict[str, str], tmp_path: Path) -> None:
    exit_code, table = make_campaigns(environment, tmp_path, "CAMPAIGNS=no-such-target passes")
    assert exit_code != 0
    assert [values[0] for values in table.values()] == ["failed", "passed"]


def test_ctrl_c_still_prints_the_table(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "waits.log"
    # A shell that runs the tests in the background lets them ignore Ctrl-C; whoever types it has a terminal.
    at_a_terminal = ("/usr/bin/env", "--default-signal=INT")
    with subprocess.Popen(
        [*at_a_terminal, sys.executable, "-m", "tests.campaigns", f"--logs={tmp_path}", "passes", "waits", "fails"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        end = time.monotonic() + 30
        while not log.exists() or "waiting" not in log.read_text(encoding="utf-8"):
            assert time.monotonic() < end
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        written, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert {target: row[0] for target, row in rows(written).items()} == {
        "passes": "passed",
        "waits": "stopped",
        "fails": "not",
    }
