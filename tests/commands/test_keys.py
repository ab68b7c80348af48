"""`shoe-controller keys` as its user types it: keys that both ends can read, PINs that nobody sees."""

import os
import select
import stat
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from shoe_controller.commands.decode import read_key
from shoe_controller.config.passwords import parse_password_hash, password_fits
from shoe_controller.config.pins import check_pin
from shoe_controller.config.secret_files import read_shoe_key
from shoe_controller.config.table_file import for_running
from simulator.cli import parser as emulator_parser
from simulator.options import settings_from
from tests.commands.running import PROGRAM, run, run_program
from tests.table_files import load, small_house

Capsys = pytest.CaptureFixture[str]

# --- Shoes. ----------------------------------------------------------------------------------------------------------


def test_a_key_is_in_a_file_for_its_owner_alone_and_not_on_the_screen(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "own.key"
    answer = run(capsys, "keys", "shoe", "--output", str(file))
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out.startswith(f"{file} contains a new key. Put it into the shoe")
    assert file.read_text(encoding="utf-8").strip() not in answer.out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("umask", [0, 0o777])
def test_a_key_is_for_its_owner_alone_under_any_umask(capsys: Capsys, tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert run(capsys, "keys", "shoe", "--output", str(tmp_path / "k")).exit_code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600


def test_controller_emulator_and_decoder_read_the_same_key(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "shoe.key"
    run(capsys, "keys", "shoe", "--output", str(file))
    key = read_shoe_key(file).reveal()
    assert settings_from(emulator_parser().parse_args(["run", "--key", str(file)])).wire.key == key
    assert read_key(file) == key


def test_without_a_name_the_file_is_shoe_key_here(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "keys", "shoe", "--json").json == {"file": "shoe.key"}
    assert [file.name for file in tmp_path.iterdir()] == ["shoe.key"]


def test_no_two_keys_are_alike(capsys: Capsys, tmp_path: Path) -> None:
    for number in range(20):
        run(capsys, "keys", "shoe", "--output", str(tmp_path / str(number)))
    assert len({read_shoe_key(file) for file in tmp_path.iterdir()}) == 20


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_file_that_is_there_is_left_alone(capsys: Capsys, tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "old.key").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("old.key", "link"):
        answer = run(capsys, "keys", "shoe", "--output", str(tmp_path / name), *options)
        assert answer.exit_code == 2
        assert f"{tmp_path / name} exists already and was left alone" in answer.err
        if options:
            assert answer.json["error"]["code"] == "file_exists"
    assert (tmp_path / "old.key").read_text(encoding="utf-8") == "old"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", ["nowhere/shoe.key", "a\0b", "x" * 300])
def test_a_file_that_cannot_be_made(capsys: Capsys, tmp_path: Path, name: str) -> None:
    answer = run(capsys, "keys", "shoe", "--output", f"{tmp_path}/{name}")
    assert (answer.exit_code, answer.out) == (2, "")
    assert "cannot be written: " in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_half_key(tmp_path: Path) -> None:
    limited = ("sh", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "sh", *PROGRAM)
    done = subprocess.run(
        [*limited, "keys", "shoe", "--output", str(tmp_path / "k")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 2
    assert "cannot be written: File too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


# --- PINs. -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"258013", b"258013\n", b"258013\r\n", b"258013\nmore\n"])
def test_a_pin_from_standard_input_is_hashed(capsys: Capsys, line: bytes) -> None:
    answer = run(capsys, "keys", "pin", stdin=line)
    assert (answer.exit_code, answer.err) == (0, "")
    assert check_pin("258013", answer.out.removesuffix("\n"))
    assert not check_pin("258113", answer.out.removesuffix("\n"))


def test_the_same_pin_never_has_the_same_hash(capsys: Capsys) -> None:
    one, other = (run(capsys, "keys", "pin", "--json", stdin=b"258013\n").json["pin"] for _ in range(2))
    assert one != other
    assert check_pin("258013", one)
    assert check_pin("258013", other)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"25801\n", "this PIN needs 6 to 12 digits"),
        (b"2580258025802\n", "this PIN needs 6 to 12 digits"),
        (b"\n", "this PIN needs 6 to 12 digits"),
        (b"258013 \n", "this PIN needs 6 to 12 digits"),
        (b"\xff\xfe\0\0", "this PIN needs 6 to 12 digits"),
        (b"5" * 100_000, "this PIN needs 6 to 12 digits"),
        (b"777777\n", "all digits of this PIN are the same"),
        (b"123456\n", "follow each other like 1234"),
        (b"987654\n", "follow each other like 1234"),
        (b"", "no PIN was given"),
    ],
)
def test_a_pin_that_cannot_be_used_is_refused_and_not_shown(capsys: Capsys, line: bytes, reason: str) -> None:
    answer = run(capsys, "keys", "pin", stdin=line)
    assert (answer.exit_code, answer.out) == (2, "")
    assert answer.err.startswith("shoe-controller keys: ")
    assert reason in answer.err
    assert answer.err.count("\n") == 1
    assert not any(pin in answer.err for pin in ("258", "777777", "987654", "55"))


def test_a_dealers_pin_may_have_four_digits(capsys: Capsys) -> None:
    answer = run(capsys, "keys", "pin", "--role", "dealer", stdin=b"2580\n")
    assert answer.exit_code == 0
    assert check_pin("2580", answer.out.strip())


def test_a_password_from_standard_input_is_hashed_and_a_weak_one_refused(capsys: Capsys) -> None:
    answer = run(capsys, "keys", "password", stdin=b"harbour lantern 58\r\n")
    assert (answer.exit_code, answer.err) == (0, "")
    assert password_fits("harbour lantern 58", parse_password_hash(answer.out.strip()))
    for line, why in (
        (b"short\n", "12 to 200 characters"),
        (b"", "no password was given"),
        (b"bikash.rana1\n", "id"),
    ):
        answer = run(capsys, "keys", "password", "--id", "bikash.rana", stdin=line)
        assert (answer.exit_code, answer.out) == (2, "")
        assert why in answer.err
        assert "short" not in answer.err


def test_the_program_answers_as_the_function_does() -> None:
    answer = run_program("keys", "pin", stdin=b"258013\n")
    assert (answer.exit_code, answer.err) == (0, "")
    assert check_pin("258013", answer.out.strip())


@pytest.mark.parametrize("arguments", [(), ("shoes",), ("pin", "258013"), ("shoe", "x", "y")])
def test_arguments_that_cannot_be_meant(capsys: Capsys, arguments: tuple[str, ...]) -> None:
    answer = run(capsys, "keys", *arguments)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "usage: shoe-controller" in answer.err


def test_what_is_made_here_is_what_a_table_runs_with(capsys: Capsys, tmp_path: Path) -> None:
    run(capsys, "keys", "shoe", "--output", str(tmp_path / "shoe.key"))
    hashed = run(capsys, "keys", "pin", stdin=b"258013\n").out.strip()
    sections = {
        "table": {"site": "s", "name": "t"},
        "shoe": {"port": "/dev/ttyACM0", "key_file": "shoe.key"},
        "people": [{"id": "anna", "name": "Anna", "role": "supervisor", "pin": hashed}],
    }
    running = for_running(load(tmp_path, small_house() | sections))
    assert running.shoe_key == read_shoe_key(tmp_path / "shoe.key")
    assert check_pin("258013", running.people[0].pin.reveal())


# --- At a terminal. --------------------------------------------------------------------------------------------------


class Typed(NamedTuple):
    exit_code: int
    out: str
    screen: str
    """What the terminal showed: prompts, errors, and what was typed, if that is not hidden."""


def wait_for(prompt: bytes, terminal: int, screen: bytearray) -> None:
    deadline = time.monotonic() + 30
    while prompt not in screen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"no {prompt!r} in {bytes(screen)!r}"
        screen += os.read(terminal, 1000)


def at_terminal(*answers: bytes) -> Typed:
    """Runs `keys pin` at a terminal, and answers each prompt when it is there."""
    terminal, line = os.openpty()
    screen = bytearray()
    with subprocess.Popen(
        # A session of its own has no /dev/tty, so that the program asks at this terminal and not at ours.
        [*PROGRAM, "keys", "pin"],
        stdin=line,
        stdout=subprocess.PIPE,
        stderr=line,
        start_new_session=True,
    ) as program:
        try:
            for prompt, answer in zip((b"PIN: ", b"The same PIN again: "), answers, strict=False):
                wait_for(prompt, terminal, screen)
                os.write(terminal, answer)
            out, _ = program.communicate(timeout=60)
            while select.select([terminal], [], [], 0)[0]:
                screen += os.read(terminal, 1000)
        finally:
            program.kill()
            os.close(line)
            os.close(terminal)
    return Typed(program.returncode, out.decode(), screen.decode())


def test_a_pin_is_asked_for_twice_and_not_shown() -> None:
    typed = at_terminal(b"258013\n", b"258013\n")
    assert typed.exit_code == 0
    assert check_pin("258013", typed.out.strip())
    assert "258" not in typed.screen


def test_two_different_pins_are_refused() -> None:
    typed = at_terminal(b"258013\n", b"258113\n")
    assert (typed.exit_code, typed.out) == (2, "")
    assert "two different PINs" in typed.screen
    assert "258" not in typed.screen


def test_a_weak_pin_is_refused_before_it_is_asked_for_again() -> None:
    typed = at_terminal(b"111111\n")
    assert (typed.exit_code, typed.out) == (2, "")
    assert "all digits of this PIN are the same" in typed.screen
    assert "again" not in typed.screen


def test_who_gives_up_gets_no_traceback() -> None:
    typed = at_terminal(b"\x04")
    assert (typed.exit_code, typed.out) == (2, "")
    assert "no PIN was given, so there is no hash" in typed.screen
    assert "Traceback" not in typed.screen
