"""Secrets from files: what is taken, what is refused with which sentence, and that nothing ever shows one."""

import copy
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_controller.config.secret_files import (
    MOST_BYTES,
    Secret,
    SecretFileError,
    read_password,
    read_secret,
    read_shoe_key,
)

KEY = "5ec4e7" * 10 + "5ec4"
READERS = [read_secret, read_shoe_key, read_password]
Reader = Callable[[Path], Secret[bytes] | Secret[str]]


def private(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    file = folder / "secret"
    file.write_bytes(content)
    file.chmod(mode)
    return file


def refusal_of(reader: Reader, file: Path) -> str:
    with pytest.raises(SecretFileError) as caught:
        reader(file)
    # Not even the errors behind it may show what was in the file.
    assert "5ec4e7" not in "".join(traceback.format_exception(caught.value))
    assert str(file) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("value", ["5ec4e7", b"5ec4e7"])
def test_a_secret_is_shown_nowhere(value: str | bytes) -> None:
    secret = Secret(value)
    shown = [str(secret), repr(secret), f"{secret}", f"{secret!r:>40}", repr([secret]), repr(copy.copy(secret))]
    assert not any("5ec4e7" in text for text in shown)
    with pytest.raises(TypeError):
        vars(secret)
    assert secret.reveal() == value


def test_secrets_can_be_compared_and_kept_in_sets() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a"), Secret("b")}) == 2


@pytest.mark.parametrize("content", [KEY, f"{KEY}\n", f"  {KEY.upper()}\r\n", " ".join((KEY[:32], KEY[32:]))])
def test_a_key(tmp_path: Path, content: str) -> None:
    assert read_shoe_key(private(tmp_path, content.encode())).reveal() == bytes.fromhex(KEY)


@pytest.mark.parametrize(
    ("content", "password"),
    [
        ("hush", "hush"),
        ("hush\n", "hush"),
        ("hush\r\n", "hush"),
        (" hush ", " hush "),
        ("pass wörd 密\n", "pass wörd 密"),
    ],
)
def test_a_password_is_one_line(tmp_path: Path, content: str, password: str) -> None:
    assert read_password(private(tmp_path, content.encode())).reveal() == password


@pytest.mark.parametrize("content", [KEY[:-2], KEY + "00", KEY[:-1], KEY[:-1] + "g", "5ec4e7 is no key", "\0" * 64])
def test_what_is_no_key_is_refused(tmp_path: Path, content: str) -> None:
    assert "a key is 64 hexadecimal digits" in refusal_of(read_shoe_key, private(tmp_path, content.encode()))


def test_a_key_of_zeros_is_no_key(tmp_path: Path) -> None:
    assert "only zeros" in refusal_of(read_shoe_key, private(tmp_path, b"0" * 64))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = private(tmp_path, b"5ec4e7\xff")
    assert "a key is 64 hexadecimal digits" in refusal_of(read_shoe_key, file)
    assert "it is not UTF-8 text" in refusal_of(read_password, file)


@pytest.mark.parametrize("content", ["5ec4e7\nmore", "5ec4e7\0", "5ec4e7\n\n", "\n5ec4e7"])
def test_a_password_of_several_lines_is_refused(tmp_path: Path, content: str) -> None:
    assert "write it on one line" in refusal_of(read_password, private(tmp_path, content.encode()))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n"])
def test_an_empty_file_is_refused(tmp_path: Path, reader: Reader, content: bytes) -> None:
    assert " is empty" in refusal_of(reader, private(tmp_path, content))


def test_who_may_read_the_file_beside_its_owner(tmp_path: Path) -> None:
    """Its group may read it, as with systemd's credentials; anything more is refused. All modes there are."""
    file = private(tmp_path, b"hush")
    for mode in range(0o1000):
        file.chmod(mode)
        if not os.access(file, os.R_OK):  # never for root, who may read everything
            assert "cannot be read: Permission denied" in refusal_of(read_secret, file)
        elif mode & 0o037:
            assert f"is open to others (mode {mode:04o})" in refusal_of(read_secret, file)
        else:
            assert read_secret(file).reveal() == b"hush"


@pytest.mark.parametrize("reader", READERS)
def test_files_that_are_none(tmp_path: Path, reader: Reader) -> None:
    assert "cannot be read: No such file" in refusal_of(reader, tmp_path / "nowhere")
    assert "is not a file" in refusal_of(reader, tmp_path)
    assert "cannot be read: Not a directory" in refusal_of(reader, private(tmp_path, b"x") / "more")
    (tmp_path / "loop").symlink_to("loop")
    assert "cannot be read: Too many levels" in refusal_of(reader, tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "is not a file" in refusal_of(reader, tmp_path / "pipe")
    assert "is not a file" in refusal_of(reader, Path("/dev/zero"))
    with pytest.raises(SecretFileError, match="cannot be read: embedded null"):
        reader(Path("a\0b"))


def test_a_file_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = private(tmp_path, b"x" * MOST_BYTES)
    assert len(read_secret(file).reveal()) == MOST_BYTES
    os.truncate(file, 1 << 40)
    assert "is too long" in refusal_of(read_secret, file)


def test_a_secret_is_not_in_a_programs_last_words() -> None:
    """A traceback shows source lines and errors, not values; this keeps it so for the wrapper itself."""
    program = (
        "from shoe_controller.config.secret_files import Secret\nraise ValueError(Secret(''.join(['5ec', '4e7'])))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert "ValueError: Secret(hidden)" in done.stderr
    assert "5ec4e7" not in done.stderr
