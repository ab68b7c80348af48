"""The command `shoe-emulator` as a person uses it: what it refuses, what it does, and that it leaves nothing behind."""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.events import ResultIndicated
from firmware_protocol.link import Delivery
from simulator.cli import main
from simulator.faults import FAULTS
from simulator.recording import read_recording
from simulator.truth import CardOut, read_truth
from tests.simulator.agreement import assert_agreement

WITHIN = 30.0
ANGEL_EYE = ["--wire", "angel_eye"]


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "simulator.cli", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def wait_for_path(path: Path, *, there: bool = True) -> None:
    end = time.monotonic() + WITHIN
    while path.is_symlink() != there:
        assert time.monotonic() < end, f"{path} is {'not ' if there else ''}there after {WITHIN} s"
        time.sleep(0.005)


def listen(path: Path, results: int) -> list[object]:
    """Open a pty as an Angel Eye host would, and listen until so many results have come."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    link = AngelEyeController()
    link.connected(time.monotonic())
    seen: list[object] = []
    end = time.monotonic() + WITHIN
    try:
        tty.setraw(descriptor)
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while sum(isinstance(event, ResultIndicated) for event in seen) < results:
                assert selector.select(end - time.monotonic()), "nothing came"
                now = time.monotonic()
                for item in link.receive(os.read(descriptor, 65536), now):
                    if isinstance(item, Delivery):
                        link.committed(item, now)
                        seen.append(item.event)
    finally:
        os.close(descriptor)
    return seen


# --- what is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "the native wire needs a key: give --key FILE"),
        (["--key", "nowhere", "--insecure"], "either --key or --insecure, not both"),
        (["--key", "nowhere"], "--key nowhere cannot be read: No such file"),
        ([*ANGEL_EYE, "--insecure"], "the Angel Eye wire has no keys"),
        (["--insecure", "--port", "com1"], "--port com1 is not a port: write pty:/tmp/shoe, tcp:"),
        (["--insecure", "--port", "tcp:here"], "'here' is not a port number"),
        (["--insecure", "--port", "tcp:localhost:4001"], "'localhost' is not an address to listen at"),
        (["--insecure", "--port", "tcp:70000"], "70000 is not a port"),
        (["--insecure", "--speed", "fast"], "--speed fast: write a number from 0.01 to 10000, or max, or manual"),
        (["--insecure", "--speed", "-1"], "--speed -1: write a number"),
        (["--insecure", "--speed", "nan"], "--speed nan: write a number"),
        (["--insecure", "--decks", "0"], "--decks 0: write a number from 1 to 16"),
        (["--insecure", "--shoes", "0"], "--shoes 0: write a number at least 1"),
        (["--insecure", "--seed", "-5"], "--seed -5: write a number at least 0"),
        (["--insecure", "--decks", "1", "--cut-card", "52"], "--cut-card: the shoe has 52 cards"),
        (["--insecure", "--cards", "nowhere"], "--cards nowhere cannot be read"),
        (["--insecure", "--scenario", "nowhere"], "--scenario nowhere cannot be read"),
        (["--insecure", "--truth", "/no/such/folder/truth"], "/no/such/folder/truth cannot be written"),
        (["--insecure", "--serial-number", "Ü"], "--serial-number: write 1 to 32 printable ASCII"),
        (["play", "nowhere"], "nowhere cannot be read"),
        (["play", "nowhere", "--speed", "manual"], "not possible for a recording"),
        (["record", "/no/such/folder/file", *ANGEL_EYE], "/no/such/folder/file cannot be written"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    port = [] if "--port" in arguments else ["--port", "pty:/no/such/folder/shoe"]
    assert main([*arguments, *port]) != 0
    captured = capsys.readouterr()
    assert captured.err.startswith("shoe-emulator: ")
    assert problem in captured.err
    assert "Traceback" not in captured.err


def test_bad_keys_are_refused_and_never_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content, problem in (
        ("5ec4e7" * 3, "a key is 64 hexadecimal digits"),
        ("not hexadecimal, but 5ec4e7", "a key is 64 hexadecimal digits"),
        ("0" * 64, "a key of zeros"),
    ):
        (tmp_path / "key").write_text(content)
        assert main(["--key", str(tmp_path / "key")]) == 2
        message = capsys.readouterr().err
        assert problem in message
        assert "5ec4e7" not in message
    (tmp_path / "key").write_bytes(b"\xff\xfe")
    assert main(["--key", str(tmp_path / "key")]) == 2
    assert "is not text" in capsys.readouterr().err


def test_a_bad_scenario_is_refused_before_anything_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, link = tmp_path / "s.toml", tmp_path / "shoe"
    scenario.write_text('[[fault]]\nfault = "lid_opened"\nat_card = 1\n\n[[fault]]\nfault = "misred"\nchance = 2\n')
    assert main([*ANGEL_EYE, "--scenario", str(scenario), "--port", f"pty:{link}"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "line 2: the angel_eye wire cannot express lid_opened" in lines[0]
    assert "line 6: there is no fault 'misred'; did you mean 'misread'?" in lines[1]
    assert "line 7: a chance is above 0" in lines[2]
    assert not link.is_symlink()


def test_a_link_in_the_way_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = tmp_path / "shoe"
    link.symlink_to("/dev/null")
    assert main([*ANGEL_EYE, "--headless", "--port", f"pty:{link}"]) == 1
    assert "is in the way" in capsys.readouterr().err
    assert str(link.readlink()) == "/dev/null"


def test_a_port_that_is_taken_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        assert main([*ANGEL_EYE, "--headless", "--port", f"tcp:127.0.0.1:{number}"]) == 1
    assert str(number) in capsys.readouterr().err


# --- what it does ----------------------------------------------------------------------------------------------


def test_the_faults_are_listed_and_the_document_s_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["faults"]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name}: " in listed for name in FAULTS)
    assert main(["faults", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| fault | what happens |")


def test_a_shoe_is_dealt_and_the_truth_is_written(tmp_path: Path) -> None:
    link, truth = tmp_path / "shoe", tmp_path / "truth.jsonl"
    deal = ["--seed", "3", "--decks", "1", "--shoes", "1", "--speed", "max", "--headless"]
    with running(*ANGEL_EYE, *deal, "--disclose", "at_draw", "--port", f"pty:{link}", "--truth", str(truth)) as process:
        wait_for_path(link)
        seen = listen(link, results=2)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=WITHIN)
    assert process.returncode == 0
    assert errors == ""
    assert "Ctrl-C stops it" in output.splitlines()[0]
    assert not link.is_symlink()
    happened = read_truth(truth)
    cards = [happening for happening in happened if isinstance(happening, CardOut)]
    assert json.loads(truth.read_text().splitlines()[0])["what"] == "loaded"
    assert f"card {len(cards)}: " in output
    # The listener went away after its second result; up to there both tell the same.
    until = next(place for place, happening in enumerate(happened) if getattr(happening, "round", 0) == 2)
    assert_agreement(happened[: until + 1], seen[: _place_of_result(seen, 2)])


def _place_of_result(seen: list[object], number: int) -> int:
    return [place for place, event in enumerate(seen, start=1) if isinstance(event, ResultIndicated)][number - 1]


@pytest.mark.parametrize(
    ("command", "signal_number"),
    [
        ("run", signal.SIGINT),
        ("run", signal.SIGTERM),
        ("run", signal.SIGHUP),
        ("record", signal.SIGTERM),
        ("play", signal.SIGTERM),
    ],
)
def test_a_signal_ends_it_cleanly(tmp_path: Path, signal_number: signal.Signals, command: str) -> None:
    link, file = tmp_path / "shoe", tmp_path / "file"
    arguments = {
        "run": [*ANGEL_EYE, "--headless"],
        "record": [str(file), *ANGEL_EYE, "--headless"],
        "play": [str(file)],
    }[command]
    if command == "play":
        file.write_text('{"t":0,"dir":"shoe","hex":"05"}\n')
    with running(command, *arguments, "--port", f"pty:{link}") as process:
        wait_for_path(link)
        process.send_signal(signal_number)
        _, errors = process.communicate(timeout=WITHIN)
    assert (process.returncode, errors) == (0, "")
    assert not link.is_symlink()


def test_the_last_shoe_ends_the_run_by_itself(tmp_path: Path) -> None:
    link, cards = tmp_path / "shoe", tmp_path / "cards"
    cards.write_text("AC 9H   KC 8D KD 6H   # one burned, then a round\n5H 4H\n")
    with running(*ANGEL_EYE, "--cards", str(cards), "--speed", "max", "--headless", "--port", f"pty:{link}") as process:
        wait_for_path(link)
        listen(link, results=1)
        output, errors = process.communicate(timeout=WITHIN)
    assert (process.returncode, errors) == (0, "")
    assert "round 1: " in output
    assert not link.is_symlink()


def test_what_was_recorded_plays_again_byte_for_byte(tmp_path: Path) -> None:
    link, file = tmp_path / "shoe", tmp_path / "recording.jsonl"
    deal = ["--seed", "3", "--decks", "1", "--speed", "max", "--headless"]
    with running("record", str(file), *ANGEL_EYE, *deal, "--port", f"pty:{link}") as process:
        wait_for_path(link)
        listen(link, results=1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WITHIN)
    assert process.returncode == 0
    recorded = b"".join(chunk.data for chunk in read_recording(file) if chunk.dir == "shoe")

    with running("play", str(file), "--speed", "max", "--port", f"pty:{link}") as process:
        wait_for_path(link)
        heard = bytearray()
        descriptor = os.open(link, os.O_RDWR | os.O_NOCTTY)
        try:
            tty.setraw(descriptor)
            while len(heard) < len(recorded):
                heard += os.read(descriptor, 65536)
        finally:
            os.close(descriptor)
        output, errors = process.communicate(timeout=WITHIN)
    assert (process.returncode, errors) == (0, "")
    assert "chunks played" in output
    assert bytes(heard) == recorded


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """As with `| head -1`: the next line that nobody reads ends the run."""
    link = tmp_path / "shoe"
    with running(*ANGEL_EYE, "--headless", "--port", f"pty:{link}") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        end = time.monotonic() + WITHIN
        hosts: list[int] = []
        while process.poll() is None:
            assert time.monotonic() < end
            if not hosts:
                with suppress(FileNotFoundError):
                    # Nothing is printed until a host comes, unless the end was noticed before the port was opened.
                    hosts.append(os.open(link, os.O_RDWR | os.O_NOCTTY))
            time.sleep(0.01)
        for host in hosts:
            os.close(host)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    assert not link.is_symlink()


def test_a_full_disk_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this machine has no /dev/full")
    link = tmp_path / "shoe"
    with running(*ANGEL_EYE, "--headless", "--port", f"pty:{link}", "--truth", "/dev/full") as process:
        _, errors = process.communicate(timeout=WITHIN)
    assert process.returncode == 1
    assert errors.startswith("shoe-emulator: ")
    assert "No space left" in errors
    assert "Traceback" not in errors
    assert not link.is_symlink()


def test_a_start_that_fails_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    in_the_way = tmp_path / "shoe"
    in_the_way.write_text("mine")
    kept = {name: tmp_path / name for name in ("truth.jsonl", "recording.jsonl")}
    for file in kept.values():
        file.write_text("precious")
    words = ["record", *ANGEL_EYE, "--headless", "--port", f"pty:{in_the_way}"]
    with running(*words, "--truth", str(kept["truth.jsonl"]), str(kept["recording.jsonl"])) as process:
        output, errors = process.communicate(timeout=WITHIN)
    assert process.returncode == 1
    assert "is in the way" in errors
    assert output == "", "nothing is announced that is not there"
    assert [file.read_text() for file in kept.values()] == ["precious"] * 2


def test_recording_and_truth_need_two_names(tmp_path: Path) -> None:
    name = str(tmp_path / "both.jsonl")
    with running("record", *ANGEL_EYE, "--headless", "--truth", name, name) as process:
        _, errors = process.communicate(timeout=WITHIN)
    assert process.returncode == 2
    assert "give two names" in errors
