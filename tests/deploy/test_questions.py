"""`shoe-controller init` at a terminal: one dialogue for each way through, with answers right and wrong."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.config.pins import check_pin
from shoe_controller.config.table_file import Config, for_running, load_config
from tests.deploy.conversation import PROGRAM, Conversation
from tests.deploy.new_house import everything_in

NO_BROKER = ("--site", "n", "--table", "t", "--port", "/dev/x", "--no-broker", "--currency", "", "--title", "T")
GAME = ("--base-game", "commission", "--decks", "8", "--layout", "nepal_super_baccarat", "--offer", "base")
LIMITS = ("--seats", "1", "--min", "2", "--max", "100")


FINDS_SHOES = """
import sys
from pathlib import Path
from shoe_controller.cli import main
from shoe_controller.setup import attached_shoes
attached_shoes.FOLDERS = (Path(sys.argv.pop(1)),)
sys.exit(main())
"""
"""The program with this folder in place of those in which the system names its ports."""


def with_ports_in(folder: Path) -> tuple[str, ...]:
    return (sys.executable, "-c", FINDS_SHOES, str(folder))


def own_folders(house: Path) -> tuple[str, ...]:
    return ("--journal", str(house / "t.journal"), "--anchor", str(house / "t.anchor"))


def rules_are_right(talk: Conversation) -> None:
    talk.answer("Are these the rules of the table? [Y/n]", "")


def written_and_left(talk: Conversation) -> None:
    talk.answer("and all that the table needs? [Y/n]", "")
    talk.answer("Deal a test round with an emulated shoe?", "n")
    talk.answer("Let the doctor look?", "n")
    assert talk.end() == 0, talk.said


def test_a_table_is_set_up_by_answering(tmp_path: Path) -> None:
    house = tmp_path / "house"
    talk = Conversation("init", str(house), "--supervisor", "rana=Rana", "--port", "/dev/x", *own_folders(house))
    talk.answer("native, angel_eye or lines [native]", "")
    talk.answer("The house", "north")
    talk.answer("The table's name", "t7")
    for question in ("The table's name on boards", "The currency", "The broker's host"):
        talk.answer(question, "")
    for question in ("The base game [commission]", "Decks", "The layout"):
        talk.answer(question, "")
    talk.answer("The groups and wagers offered [base,pairs]", "base")
    talk.answer("The seats", "1, 2,3")
    talk.answer("The lowest stake", "500")
    talk.answer("The highest stake", "")
    rules_are_right(talk)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    written_and_left(talk)
    assert "480612" not in talk.said
    # The figures of `odds` and `config check`: 1.06 % is the edge of the Banker with 5 % commission.
    row = next(line for line in talk.said.splitlines() if "base.banker" in line and "│" in line)
    assert [cell.strip() for cell in row.strip().strip("│").split("│")] == [
        *("base.banker", "1.06%", "500", "475", "100,000", "95,000")
    ]
    config = for_running(load_config(house / "table.toml"))
    assert (config.table.site, config.table.name, config.house.seats) == ("north", "t7", ("1", "2", "3"))
    assert check_pin("480612", config.people[0].pin.reveal())


def test_every_wrong_answer_is_asked_for_again_with_what_is_wrong(tmp_path: Path) -> None:
    house = tmp_path / "house"
    talk = Conversation("init", str(house), *own_folders(house), program=with_ports_in(tmp_path / "none"))
    for answer, wrong in (
        ("", "this needs an answer"),
        ("COM3", "socket://host:port, or usb:VENDOR:PRODUCT.\r\n"),
    ):
        talk.answer("Where the shoe is plugged in", answer)
        talk.expect(wrong)
    talk.answer("Where the shoe is plugged in", "/dev/x")
    talk.answer("The shoe's wire", "usb")
    talk.expect("the wire is native, angel_eye or lines, not 'usb'")
    talk.answer("The shoe's wire", "native")
    for question, wrong, told, right in (
        ("The house", "nor th", "must be 1 to 40 letters", "north"),
        ("The table's name,", "témoin", "must be 1 to 40 letters", "t"),
        ("The table's name on boards", "T" * 81, "80", "T"),
        ("The currency", "N" * 21, "20", "NPR"),
        ("The broker's host", "no host", "must be a host name or an IP address", "localhost"),
        ("The base game", "nepall", "nepall", "nepal"),
        ("Decks", "9", "must be from 1 to 8, not 9", "8"),
        ("The layout", "golden", "golden", "nepal_super_baccarat"),
        ("The groups and wagers", "base,pear", "pear", "base,pairs"),
        ("The seats", "1,1", "listed more than once", "1,2"),
        ("The lowest stake", "5.00", "takes a whole number, not '5.00'", "500"),
        ("The highest stake", "100", "an amount here is at least 500, not 100", "50000"),
    ):
        talk.answer(question, wrong)
        talk.expect(told)
        talk.answer(question, right)
    talk.answer("Are these the rules of the table? [Y/n]", "maybe")
    talk.expect("Answer y or n.")
    rules_are_right(talk)
    for identity in ("a b", "anita"):
        talk.answer("The id of a dealer", identity)
    talk.answer("The name [anita]", "Anita Rai")
    for pin in ("12", "1111", "264079"):
        talk.answer("Anita Rai's PIN:", pin)
    talk.answer("The same PIN again:", "264078")
    talk.answer("Anita Rai's PIN:", "264079")
    talk.answer("The same PIN again:", "264079")
    talk.answer("The id of a dealer", "ANITA")
    talk.expect("'ANITA' is the id of Anita Rai already: each person needs their own.")
    talk.answer("The id of a dealer", "")
    talk.answer("The id of a supervisor", "")
    talk.answer("Without a supervisor no alert can be cleared. Go on without? [y/N]", "")
    talk.answer("The id of a supervisor", "rana")
    talk.answer("The name", "")
    talk.answer("rana's PIN:", "264079")
    talk.expect("somebody else has this PIN")
    talk.answer("rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    talk.answer("The id of a supervisor", "")
    talk.answer("With one supervisor no result can be taken back: that takes two. Go on with one? [y/N]", "y")
    written_and_left(talk)
    config = for_running(load_config(house / "table.toml"))
    assert [(each.id, each.name, each.role.value) for each in config.people] == [
        ("anita", "Anita Rai", "dealer"),
        ("rana", "rana", "supervisor"),
    ]
    assert config.table.currency == "NPR"


def test_rules_that_the_guard_refuses_are_asked_for_again(tmp_path: Path) -> None:
    house = tmp_path / "house"
    words = ("--wire", "native", "--base-game", "nepal", "--layout", "five_dragons_b", "--offer", "five_dragons,base")
    rest = ("--decks", "7", *LIMITS, "--supervisor", "rana=Rana")
    talk = Conversation("init", str(house), *NO_BROKER, *words, *rest, *own_folders(house))
    talk.expect("may be dealt with 6 or 8 decks, not with 7")
    talk.answer("Answer the questions about the game again? [Y/n]", "")
    talk.answer("The base game [nepal]", "")
    talk.answer("Decks in the shoe [7]", "8")
    for question in ("The layout", "The groups", "The seats", "The lowest", "The highest"):
        talk.answer(question, "")
    talk.answer("Are these the rules of the table? [Y/n]", "n")
    talk.answer("The base game [nepal]", "")
    talk.answer("Decks in the shoe [8]", "6")
    for question in ("The layout", "The groups", "The seats", "The lowest", "The highest"):
        talk.answer(question, "")
    rules_are_right(talk)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    written_and_left(talk)
    assert load_config(house / "table.toml").house.decks == 6


@pytest.fixture(scope="module")
def shoes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two shoes that are plugged in: one without a key, and one of the Angel Eye wire, from which cards are drawn."""
    folder = tmp_path_factory.mktemp("by-id")
    emulator = (sys.executable, "-m", "simulator.cli", "run", "--headless", "--port")
    native = (*emulator, f"pty:{folder}/native-1", "--insecure", "--speed", "manual")
    angel_eye = (*emulator, f"pty:{folder}/serial-2", "--wire", "angel_eye", "--disclose", "at_draw", "--speed", "1")
    with folder.with_suffix(".log").open("wb") as log:
        running = [
            subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
            for words, out in ((native, log), (angel_eye, subprocess.DEVNULL))
        ]
        try:
            yield folder
        finally:
            for each in running:
                each.kill()
                each.wait()


def test_a_native_shoe_is_found_and_blinks(tmp_path: Path, shoes: Path) -> None:
    house = tmp_path / "house"
    talk = Conversation(
        *("init", str(house), "--no-broker", "--insecure", "--supervisor", "rana=Rana"),
        *own_folders(house),
        *(*GAME, *LIMITS, "--title", "T", "--currency", "", "--site", "n", "--table", "t"),
        program=with_ports_in(shoes),
        ready=lambda: len(list(shoes.iterdir())) == 2,
    )
    talk.answer("Open each of them, to see which is the shoe? A native shoe blinks. [Y/n]", "")
    talk.expect("native shoe Emulated Shoe, serial number EMU-0001, without a key; it blinks for 5 s")
    talk.answer(f"Where the shoe is plugged in, its number or its path or address [{shoes}/native-1]:", "1")
    talk.answer("The shoe's wire, native, angel_eye or lines [native]", "")
    rules_are_right(talk)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    written_and_left(talk)
    shoe = load_config(house / "table.toml").shoe
    assert shoe is not None
    assert (shoe.address, shoe.wire) == (f"{shoes}/native-1", "native")
    assert "blink" in shoes.with_suffix(".log").read_text(encoding="utf-8")


def test_the_wire_of_a_shoe_without_a_handshake_is_heard_when_a_card_is_drawn(tmp_path: Path, shoes: Path) -> None:
    house = tmp_path / "house"
    talk = Conversation(
        *("init", str(house), "--no-broker", "--supervisor", "rana=Rana"),
        *own_folders(house),
        *(*GAME, *LIMITS, "--title", "T", "--currency", "", "--site", "n", "--table", "t"),
        program=with_ports_in(shoes),
        ready=lambda: len(list(shoes.iterdir())) == 2,
    )
    talk.answer("Open each of them", "")
    talk.answer("Where the shoe is plugged in", str((shoes / "serial-2").resolve()))
    talk.expect(f"That is {shoes}/serial-2, a name that stays when it is plugged in anew.")
    talk.answer("Draw a card, to hear which wire the shoe speaks? It is listened to at 4800 baud. [y/N]", "y")
    talk.expect("That was the wire angel_eye.")
    talk.answer("The shoe's wire, native, angel_eye or lines [angel_eye]", "")
    rules_are_right(talk)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    written_and_left(talk)
    shoe = load_config(house / "table.toml").shoe
    assert shoe is not None
    assert (shoe.address, shoe.wire) == (f"{shoes}/serial-2", "angel_eye")


def test_a_second_table_asks_what_it_takes_over(tmp_path: Path) -> None:
    house = tmp_path / "house"
    first = [*PROGRAM, "init", str(house), "--site", "n", "--table", "t", "--port", "/dev/x", "--supervisor", "rana=R"]
    subprocess.run([*first, *own_folders(house)], check=True, capture_output=True, input=b"480612\n")
    more = (*GAME, *LIMITS, "--wire", "native", "--journal", str(house / "t2.journal"))
    words = ("--file", "t2.toml", *more, "--anchor", str(house / "t2.anchor"))
    talk = Conversation("init", str(house), *words, program=with_ports_in(tmp_path / "none"))
    talk.answer("Where the shoe is plugged in", "/dev/x")
    talk.expect("a shoe belongs to one table")
    talk.answer("Where the shoe is plugged in", "/dev/y")
    talk.answer("The house, as part of every topic (letters, digits, - and _) [n]", "south")
    talk.expect("or give the other site a folder and a broker of its own")
    talk.answer("The house", "")
    talk.answer("The table's name,", "t")
    talk.expect("is the table 't' already: give this one another name")
    talk.answer("The table's name,", "t2")
    talk.answer("on boards [t2]", "")
    talk.answer("The currency", "")
    talk.answer("The broker's host, as tables reach it [127.0.0.1]", "")
    rules_are_right(talk)
    talk.answer("Take over the people of t (rana)? [Y/n]", "")
    talk.answer("and all that the table needs? [Y/n]", "n")
    assert talk.end() == 2


def test_a_changed_file_is_asked_about(tmp_path: Path) -> None:
    house = tmp_path / "house"
    first = [*PROGRAM, "init", str(house), "--site", "n", "--table", "t", "--port", "/dev/x"]
    subprocess.run(first, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    access = house / "broker" / "access"
    good = access.read_text(encoding="utf-8")
    for answer, becomes in (("", "# mine\n"), ("no", "# mine\n"), ("y", good)):
        access.write_text("# mine\n", encoding="utf-8")
        talk = Conversation("init", str(house))
        talk.answer("access has changed. Write it again? [y/N]", answer)
        assert talk.end() == 0, talk.said
        assert access.read_text(encoding="utf-8") == becomes


QUESTIONS = (
    ("The shoe's wire", ""),
    ("The house", "north"),
    ("The table's name,", "t"),
    ("The table's name on boards", ""),
    ("The currency", ""),
    ("The broker's host", ""),
    ("The base game", ""),
    ("Decks", ""),
    ("The layout", ""),
    ("The groups", ""),
    ("The seats", ""),
    ("The lowest", ""),
    ("The highest", ""),
    ("Are these the rules", ""),
    ("Rana's PIN:", "480612"),
    ("The same PIN again:", "480612"),
    ("and all that the table needs?", ""),
)


@pytest.mark.parametrize("number", [14, 16])
def test_ctrl_c_before_the_last_answer_writes_nothing(tmp_path: Path, number: int) -> None:
    talk = Conversation("init", str(tmp_path / "house"), "--port", "/dev/x", "--supervisor", "rana=Rana")
    for question, answer in QUESTIONS[:number]:
        talk.answer(question, answer)
    talk.interrupt(QUESTIONS[number][0])
    assert talk.end() == 130, talk.said
    assert "stopped. Nothing was written." in talk.said
    assert "Traceback" not in talk.said
    assert list(tmp_path.iterdir()) == []


def the_table(house: Path) -> Config:
    return load_config(house / "table.toml")


def test_a_test_round_is_dealt_and_the_doctor_looks_and_ctrl_c_leaves_a_whole_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    house = tmp_path / "house"
    words = (*NO_BROKER, *GAME, *LIMITS, "--wire", "native", "--supervisor", "rana=Rana", *own_folders(house))
    talk = Conversation("init", str(house), *words)
    rules_are_right(talk)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    talk.answer("and all that the table needs? [Y/n]", "")
    talk.wait_for("Deal a test round with an emulated shoe? It leaves the table alone. [Y/n]")
    before = everything_in(house)
    talk.answer("[Y/n]", "")
    talk.expect("Shoe 1, round 1: ")
    talk.expect("Settled: 2 on base.player: ")
    talk.expect("That round was dealt, stored and settled. Its journal and its key are thrown away.")
    talk.wait_for("Let the doctor look? Restart the broker and start the table first. [Y/n]")
    assert everything_in(house) == before
    talk.answer("[Y/n]", "")
    talk.expect("/dev/x does not exist")
    assert talk.end() == 0, talk.said
    assert not (house / "t.journal").exists()
    again = tmp_path / "again"
    talk = Conversation("init", str(again), *words[:-4], *own_folders(again))
    rules_are_right(talk)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    talk.answer("and all that the table needs? [Y/n]", "")
    talk.answer("Deal a test round with an emulated shoe?", "")
    talk.interrupt("It is dealt; this takes some seconds.")
    assert talk.end() == 130, talk.said
    assert list(scratch.iterdir()) == []
    assert "stopped. Everything that the table needs is written." in talk.said
    assert for_running(load_config(again / "table.toml")).people[0].id == "rana"


def test_a_closed_terminal_ends_the_questions(tmp_path: Path) -> None:
    talk = Conversation("init", str(tmp_path / "house"), "--port", "/dev/x")
    talk.answer("The shoe's wire", "native")
    talk.answer("The house", "\x04")
    assert talk.end() == 2
    assert "the terminal was closed before all was answered" in talk.said
    assert list(tmp_path.iterdir()) == []
