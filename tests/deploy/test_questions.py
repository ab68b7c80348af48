"""`shoe-controller init` at a terminal: it asks for what it must know, and PINs are not seen."""

import subprocess
from pathlib import Path

from shoe_controller.config.pins import check_pin
from shoe_controller.config.table_file import for_running, load_config
from tests.deploy.conversation import PROGRAM, Conversation


def test_a_table_is_set_up_by_answering(tmp_path: Path) -> None:
    house = tmp_path / "house"
    words = ("--supervisor", "rana=Rana", "--port", "/dev/shoe/native-1", "--journal", str(house / "t7.journal"))
    talk = Conversation("init", str(house), *words)
    talk.answer("The house", "north")
    talk.answer("The table's name", "t7")
    talk.answer("native, angel_eye or lines [native]", "")
    for question in ("The table's name on boards", "The currency", "The base game [commission]", "Decks", "The layout"):
        talk.answer(question, "")
    talk.answer("The groups and wagers offered [base,pairs]", "base")
    talk.answer("The seats", "1, 2,3")
    talk.answer("The lowest stake", "500")
    talk.answer("The highest stake", "")
    talk.answer("The broker's host", "")
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    assert talk.end() == 0, talk.said
    assert "480612" not in talk.said
    config = for_running(load_config(house / "table.toml"))
    assert (config.table.site, config.table.name, config.house.seats) == ("north", "t7", ("1", "2", "3"))
    assert check_pin("480612", config.people[0].pin.reveal())


def test_without_people_it_asks_for_them(tmp_path: Path) -> None:
    house = tmp_path / "house"
    words = ("--site", "n", "--table", "t", "--port", "/dev/x", "--no-broker", "--currency", "", "--title", "T")
    more = ("--wire", "native", "--base-game", "commission", "--decks", "8", "--layout", "nepal_super_baccarat")
    rest = ("--offer", "base", "--seats", "1", "--min", "2", "--max", "100", "--journal", str(house / "t.journal"))
    talk = Conversation("init", str(house), *words, *more, *rest)
    talk.answer("The id of a dealer", "")
    for identity, pin in (("rana", "480612"), ("shah", "719305")):
        talk.answer("The id of a supervisor", identity)
        talk.answer("The name", "")
        talk.answer(f"{identity}'s PIN:", pin)
        talk.answer("The same PIN again:", pin)
    talk.answer("The id of a supervisor", "")
    assert talk.end() == 0, talk.said
    people = for_running(load_config(house / "table.toml")).people
    assert [(each.id, each.role.value) for each in people] == [("rana", "supervisor"), ("shah", "supervisor")]


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


def test_two_different_pins_are_refused(tmp_path: Path) -> None:
    house = tmp_path / "house"
    words = ("--site", "n", "--table", "t", "--port", "/dev/x", "--no-broker", "--currency", "", "--title", "T")
    more = ("--wire", "native", "--base-game", "commission", "--decks", "8", "--layout", "nepal_super_baccarat")
    rest = ("--offer", "base", "--seats", "1", "--min", "1", "--max", "100", "--supervisor", "rana=Rana")
    talk = Conversation("init", str(house), *words, *more, *rest)
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480613")
    assert talk.end() == 2
    assert "two different PINs" in talk.said
    assert not house.exists()
