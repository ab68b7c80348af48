"""`shoe-controller cards` as its user types it: a set is learned at a real port, broken off, and gone on with."""

import os
import pty
import signal
import subprocess
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_protocol.lines.cards_file import CardRow, CardsFile, CardsHeader, encode, read_cards_file
from firmware_protocol.lines.controller import QUIET_AFTER
from firmware_protocol.lines.learning import Learner
from firmware_protocol.lines.pattern import LinePattern
from shoe_controller.commands.cards import Lesson
from tests.commands.running import PROGRAM, Answer, run
from tests.firmware_protocol.lines.sets import PATTERN, piece, some_set

Capsys = pytest.CaptureFixture[str]

IDS = [row.id for row in some_set(decks=1).rows]
"""Those of a deck in the order in which it is learned, then the cut card."""
AT_A_TERMINAL = ("/usr/bin/env", "--default-signal=INT")
"""A shell that runs the tests in the background lets them ignore Ctrl-C; whoever types it has a terminal."""


def content(file: Path) -> CardsFile:
    return read_cards_file(file.read_bytes(), str(file))


def typed(capsys: Capsys, file: Path, ids: list[str], *options: str) -> Answer:
    """A reader that types like a keyboard."""
    words = ("cards", "learn", str(file), "--port", "-", *(options or ("--decks", "1")))
    return run(capsys, *words, stdin="".join(f"{each}\n" for each in ids).encode())


@contextmanager
def learning(file: Path, *options: str) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    """`cards learn` at a pty; the number of its other end, and the program."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    words = ["cards", "learn", str(file), "--port", os.ttyname(theirs), "--decks", "1", *options]
    process = subprocess.Popen(
        [*AT_A_TERMINAL, *PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield ours, process
    finally:
        process.kill()
        process.communicate()
        os.close(ours)
        os.close(theirs)


def until(process: "subprocess.Popen[str]", text: str) -> str:
    """The line that says this."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"the program ended and never said {text!r}")


def test_a_deck_is_learned_at_a_port_killed_interrupted_and_gone_on_with(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "cards.jsonl"
    form = ("--prefix", "$", "--suffix", "*", "--checksum", "crc16", "--ignore", "# ", "--cut-card")
    with learning(file, *form) as (reader, process):
        until(process, "53 to go. Next: AC of deck 1")
        os.write(reader, b"# PN532 found\r\n" + PATTERN.write(IDS[0]) + PATTERN.write(IDS[0]) + PATTERN.write(IDS[1]))
        until(process, "51 to go. Next: 3C of deck 1")
        os.write(reader, b"$junk*0000\r\n" + PATTERN.write(IDS[0]))
        until(process, "Read the card again")
        assert f"{IDS[0]} is AC of deck 1, which was read before" in until(process, IDS[0])
        process.kill()
    with file.open("ab") as torn:
        torn.write(b'{"id":"E00')
    with learning(file, *form) as (reader, process):
        until(process, "Next: 3C of deck 1")
        os.write(reader, b"".join(map(PATTERN.write, IDS[2:10])))
        until(process, "Next: JC of deck 1")
        process.send_signal(signal.SIGINT)
        until(process, "broken off before JC of deck 1: 43 cards are left. The same command goes on there.")
        assert process.wait() == 1
    assert [row.id for row in content(file).rows] == IDS[:10]
    assert typed(capsys, file, IDS[10:], "--decks", "1", "--cut-card").exit_code == 0
    assert content(file) == some_set(decks=1)


def test_half_a_line_is_learned_for_no_card(tmp_path: Path) -> None:
    """The first line since the port was opened counts when its card is read a second time."""
    file = tmp_path / "cards.jsonl"
    with learning(file) as (reader, process):
        until(process, "52 to go. Next: AC of deck 1")
        os.write(reader, f"{IDS[0][3:]}\r\n".encode())
        assert "may be the end of a line only. Read AC of deck 1 once more" in until(process, IDS[0][3:])
        os.write(reader, f"{IDS[0]}\r\n{IDS[1]}\r\n".encode())
        until(process, "50 to go. Next: 3C of deck 1")
        assert [row.id for row in content(file).rows] == IDS[:2]


def test_a_line_that_breaks_off_is_glued_to_no_other() -> None:
    stored: list[CardRow] = []
    learner = Learner(CardsFile(CardsHeader(decks=1), ()), cut_card=False, repeat_within=2.0)
    lesson = Lesson(learner, stored.append, LinePattern(), joins=True)
    lesson.pass_over(b"ready\r\n", 0.0)
    lesson.feed(b"04A1B200\n04A1", 1.0)
    lesson.feed(b"04A1B202\n", 1.0 + QUIET_AFTER)
    assert [row.id for row in stored] == ["04A1B200"]
    lesson.feed(b"04A1B202\n", 4.0)
    assert [row.id for row in stored] == ["04A1B200", "04A1B202"]


def test_an_id_that_is_the_end_of_another_is_refused_at_once(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "cards.jsonl"
    answer = typed(capsys, file, ["12345", "345", "777", "0777"])
    assert "345 and 12345, which is AC of deck 1: one is the end of the other" in answer.out
    assert "0777 and 777, which is 2C of deck 1" in answer.out
    assert [row.id for row in content(file).rows] == ["12345", "777"]
    assert typed(capsys, file, ["888"]).exit_code == 1, "it can be gone on with"


CR_FILE = encode(CardsHeader(decks=1)).replace(b"\n", b"\r") + b"".join(
    encode(row).replace(b"\n", b"\r") for row in some_set(decks=1).rows[:3]
)


@pytest.mark.parametrize(
    "text",
    [
        b"notes without an end of line",
        b"notes\n",
        b'\xef\xbb\xbf{"cards_file":1,"ids":"pieces","decks":1,"set":""}\n{"id":"E00AC01","card":"AC","deck":1}',
        encode(CardsHeader(decks=2)) + b'{"id":"E00AC01","card":"AC","deck":1}',
        encode(CardsHeader(decks=2)) + b'{"id":"E00',
        encode(CardsHeader(decks=1)) + b"notes at the end",
    ],
)
def test_a_file_that_is_not_to_be_gone_on_with_stays_as_it_is(capsys: Capsys, tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "cards.jsonl"
    file.write_bytes(text)
    assert typed(capsys, file, IDS[:1]).exit_code == 2
    assert file.read_bytes() == text


@pytest.mark.parametrize("name", ["rouge é", "two\nlines", "x" * 33])
def test_a_name_that_no_file_may_have_is_refused_before_a_card_is_read(
    capsys: Capsys, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "cards.jsonl"
    answer = typed(capsys, file, IDS, "--decks", "1", "--set", name)
    assert answer.exit_code == 2
    assert "set is at most 32 printable ASCII characters" in answer.err
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "learned"),
    [
        (encode(CardsHeader(decks=1))[:20], 0),
        (encode(CardsHeader(decks=1))[:-1], 0),
        (encode(CardsHeader(decks=1)) + encode(some_set().rows[0])[:-1], 1),
        (encode(CardsHeader(decks=1)) + encode(some_set().rows[0])[:-2], 0),
        (encode(CardsHeader(decks=1)) + b"{", 0),
        (CR_FILE, 3),
        (CR_FILE[:-1], 3),
    ],
)
def test_a_file_that_was_cut_off_or_edited_keeps_every_whole_card(
    capsys: Capsys, tmp_path: Path, text: bytes, learned: int
) -> None:
    file = tmp_path / "cards.jsonl"
    file.write_bytes(text)
    assert typed(capsys, file, IDS[learned : learned + 1]).exit_code == 1
    assert content(file).header == CardsHeader(decks=1)
    assert [row.id for row in content(file).rows] == IDS[: learned + 1]


def test_a_reader_that_is_pulled_out_is_named(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)
    process = subprocess.Popen(
        [*PROGRAM, "cards", "learn", str(tmp_path / "c"), "--port", name, "--decks", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.close(theirs)
    until(process, "52 to go")
    os.close(ours)
    assert name in process.communicate()[0]
    assert process.returncode == 2


def test_a_reader_that_types_and_a_set_of_faces(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "cards.jsonl"
    cards = [row.card for row in some_set("faces").rows[:-1]]
    assert typed(capsys, file, cards, "--faces", "--set", "red").exit_code == 0
    assert content(file) == some_set("faces", name="red")._replace(rows=some_set("faces").rows[:-1])
    assert (
        run(capsys, "cards", "check", str(file)).out == f"{file}: one of each face, set red, the cut card has no id\n"
    )
    assert run(capsys, "cards", "check", str(file), "--json").json == {
        "ids": "faces",
        "decks": 1,
        "set": "red",
        "cards": 52,
        "cut_card": False,
    }
    assert "is whole already" in typed(capsys, file, [], "--faces", "--set", "red").out


def test_what_cannot_be_learned_or_played_with_is_said(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "cards.jsonl"
    learn = ("cards", "learn", str(file), "--port")
    for options, said in (
        (("-",), "give --decks N for ids that name pieces, or --faces"),
        (("-", "--decks", "1", "--faces"), "and not both"),
        (("-", "--decks", "17"), "write a number from 1 to 16"),
        (("/dev/no-such-reader", "--decks", "1"), "/dev/no-such-reader"),
        (("reader", "--decks", "1"), "is not the address"),
    ):
        answer = run(capsys, *learn, *options)
        assert answer.exit_code == 2
        assert said in answer.err
    assert typed(capsys, file, IDS[:5]).exit_code == 1
    answer = run(capsys, "cards", "check", str(file))
    assert answer.exit_code == 2
    assert "5 of 52 cards, 6C of deck 1 is the first without an id" in answer.err
    assert "begun for another set" in run(capsys, *learn, "-", "--decks", "2").err
    file.write_bytes(file.read_bytes() + encode(some_set().rows[0]))
    assert f"line 7: the id {piece('AC')!r} is that of AC of deck 1" in run(capsys, "cards", "check", str(file)).err
    assert run(capsys, "cards", "check", "/no/such/file").exit_code == 2
