"""Paths that people name: what is no plain file is refused at once, and what is made has a mode of its own."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.config.plain_files import MOST_BYTES, check_plain, make_folder, read_plain
from shoe_controller.config.strict_reading import MOST_DOTS, BadFileError, parse_toml, read_text
from shoe_controller.words.printable import printable


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _loop(folder: Path) -> Path:
    (folder / "loop").symlink_to("loop")
    return folder / "loop"


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.parametrize(
    "made",
    [
        _loop,
        _pipe,
        lambda folder: folder,
        lambda _: Path("/dev/zero"),
        lambda _: Path("/proc/self/mem"),
        lambda folder: folder / "a\0b",
        lambda folder: folder / os.fsdecode(b"\xff"),
    ],
    ids=["loop", "pipe", "folder", "zeros", "memory", "nul", "bytes"],
)
def test_what_is_no_file_is_refused_in_a_sentence(tmp_path: Path, made: object) -> None:
    file = made(tmp_path)  # type: ignore[operator]  # one of the functions above
    with pytest.raises(OSError, match=r"\w"):
        read_plain(file)
    with pytest.raises(BadFileError, match="cannot be read: "):
        read_text(file)


def test_what_others_open_is_looked_at_before(tmp_path: Path) -> None:
    check_plain(tmp_path / "missing")
    (tmp_path / "file").write_text("")
    check_plain(tmp_path / "file")
    for made in (_loop, _pipe, lambda folder: folder):
        with pytest.raises(OSError, match=r"\w"):
            check_plain(made(tmp_path))


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(BadFileError, match=f"more than {MOST_BYTES} bytes"):
        read_text(tmp_path / "long")


@pytest.mark.parametrize("mode", [0o666, 0o602, 0o777])
def test_a_configuration_that_everybody_can_change_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "table.toml"
    file.write_text("")
    file.chmod(mode)
    with pytest.raises(BadFileError, match=rf"everybody on this machine can change it \(mode {mode:04o}\)"):
        read_text(file)
    file.chmod(0o664)
    assert read_text(file) == ""


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 200_000) + " = 1",
        "[" + ".".join(["a"] * 200_000) + "]",
        "x = {" + " . ".join(['"a"'] * 100_000) + " = 1}",
        "[" * 100_000,
        "x = " + "[" * 100_000,
        "x = " + "{a = " * 100_000,
    ],
    ids=["key", "table", "inline", "arrays", "lists", "tables"],
)
def test_deep_files_are_refused_at_once(text: str) -> None:
    with pytest.raises(BadFileError):
        parse_toml("deep.toml", text)


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000, "9223372036854775808", "-9223372036854775809"])
@pytest.mark.parametrize("text", ["a = {}", "a = [1, [{}]]", "[[a]]\nb = {{c = {}}}"])
def test_whole_numbers_of_more_than_64_bits_are_refused(text: str, number: str) -> None:
    with pytest.raises(BadFileError, match="is not valid TOML"):
        parse_toml("numbers.toml", text.format(number))


def test_whole_numbers_of_64_bits_are_read() -> None:
    numbers = [2**63 - 1, -(2**63)]
    assert parse_toml("numbers.toml", f"a = {numbers}") == {"a": numbers}


def test_ordinary_dots_are_no_depth() -> None:
    text = "x = [" + ", ".join(["1.5"] * 100) + "]\n# " + "." * 100 + "\n" + ".".join("a" * MOST_DOTS) + " = 1\n"
    assert parse_toml("dots.toml", text)["x"] == [1.5] * 100


@pytest.mark.usefixtures("no_umask")
def test_folders_have_their_mode_whatever_the_umask_is(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b")} == {0o750}


@pytest.mark.usefixtures("no_umask")
def test_a_command_makes_nothing_for_everybody(tmp_path: Path) -> None:
    program = "import sys; from shoe_controller.cli import main; main(['keys', 'shoe']); open('after', 'w').close()"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)
    assert stat.S_IMODE((tmp_path / "after").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "shoe.key").stat().st_mode) == 0o600


def test_what_moves_the_cursor_is_escaped_and_letters_are_not() -> None:
    assert printable("\x1b[2J\x9b\u202e\u2028 a\nb") == "\\x1b[2J\\x9b\\u202e\\u2028 a\\nb"
    assert printable("a\nb", keep="\n") == "a\nb"
    assert printable("Ünï 百家樂　桌") == "Ünï 百家樂　桌"
