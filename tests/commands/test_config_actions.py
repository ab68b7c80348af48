"""`shoe-controller config set`, `person add` and `wager off` as their user types them."""

import difflib
import re
import shutil
from pathlib import Path

import pytest

from shoe_controller.commands import config_actions
from shoe_controller.config.passwords import password_fits
from shoe_controller.config.pins import check_pin, hash_pin
from shoe_controller.config.site_people import SiteRole, read_site_people
from shoe_controller.config.table_file import load_config
from tests.commands.running import run
from tests.deploy.conversation import Conversation
from tests.table_files import EXAMPLE, small_house, write

Capsys = pytest.CaptureFixture[str]

PASSWORD = "harbour lantern 58"  # noqa: S105 - of nobody


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(EXAMPLE, tmp_path / "table.toml"))


def changes(file: Path) -> list[str]:
    """The lines that differ from the example."""
    before, after = (each.read_text(encoding="utf-8").splitlines() for each in (EXAMPLE, file))
    return [line for line in difflib.unified_diff(before, after, n=0, lineterm="") if re.match(r"[+-][^+-]", line)]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("table.title", "Table 7", 'title = "Table 7"'),
        ("table.name", "7", 'name = "7"'),
        ("table.title", '"7"', 'title = "7"'),
        ("house.seats", "1,2, 3", 'seats = ["1", "2", "3"]'),
        ("house.needs_base", "[]", "needs_base = []"),
        ("procedure.burn", "false", "burn = false"),
        ("procedure.draw_within", "90", "draw_within = 90"),
        ("procedure.draw_within", "never", 'draw_within = "never"'),
        ('house.limits."base.tie".max', "200000", '"base.tie" = { min = 500, max = 200000 }'),
        ("mqtt.port", "8884", "port = 8884"),
        ("house.commission.taken", "marked", 'taken = "marked"'),
        ("table.title", "2026-01-01", 'title = "2026-01-01"'),
        ("table.title", "12:30:00", 'title = "12:30:00"'),
        ("table.title", "5.50", 'title = "5.50"'),
        ("table.title", "[VIP", 'title = "[VIP"'),
        ("procedure.draw_within", "90.5", "draw_within = 90.5"),
        ('house.limits."base.tie"', "{ min = 5, max = 9 }", '"base.tie" = { min = 5, max = 9 }'),
    ],
)
def test_one_key_is_set_and_the_rest_stays(capsys: Capsys, file: Path, key: str, value: str, line: str) -> None:
    answer = run(capsys, "config", "set", str(file), key, value)
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out.startswith(f"{file} is changed.\n")
    removed, added = changes(file)
    assert added == f"+{line}"
    assert removed.removeprefix("-").removeprefix("# ").partition(" =")[0] == line.partition(" =")[0]
    assert run(capsys, "config", "set", str(file), key, value).out == f"{file} says so already.\n"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("house.decks", "9", "house.decks: must be from 1 to 8, not 9"),
        ("house.decks", "six", "house.decks: expected a whole number, got 'six'"),
        ("house.deck", "6", "house.deck: unknown key; did you mean 'decks'?"),
        ("house.rounding.unit", "0", "house.rounding.unit: must be at least 1 minor unit"),
        ("table.site", "a/b", "table.site: must be 1 to 40 letters"),
        ("shoe.port", "COM3", "shoe.port: 'COM3' is not the address of a shoe"),
        ("decks", "6", "'decks' is not a key: write it with its section before it, such as house.decks"),
        ("house.decks.x", "6", "house.decks has no keys below it"),
        ("people.anita.name", "A", "people has no keys below it"),
        ("house.limits.all.max", "5.00", "expected a whole number, got 5.0; an amount is in whole minor units"),
        ("house.commission.rate", "0.04", "must be a percentage like '5%', not '0.04': write rate = \"4%\""),
        ("mqtt.keep_alive", "2.5", "mqtt.keep_alive: expected a whole number, got 2.5"),
        ("house.decks", "6.0", "house.decks: expected a whole number, got 6.0; write 6, without a decimal point"),
        ("house.decks", "2026-01-01", "house.decks: expected a whole number, got 2026-01-01"),
        ("house.decks", "nan", "house.decks: expected a whole number, got 'nan'"),
        ("house.decks", "[" * 2000, "house.decks: expected a whole number, got '[["),
        (
            "house.limits",
            "5",
            "house.limits is a section: set a key in it, such as house.limits.all, house.limits.base",
        ),
        ("house.rounding", "{ unit = 5 }", "house.rounding is a section: set a key in it, such as house.rounding.mode"),
        ("house.seats", "4", 'house.seats: expected a list, got 4; write ["4"], in brackets'),
        ("house.seats", "[1, 2", "house.seats: expected a list, got '[1, 2'\n"),
        ("house.seats", "[A,B]", "house.seats: expected a list, got '[A,B]'\n"),
        ("house.offer", "base,pairs", "house.needs_base: five_dragons is not offered at this table"),
        ("table.title", "a\udcffb", "it is not UTF-8: type it in a terminal that uses UTF-8"),
        ('house.limits."\udcff"', "5", "it is not UTF-8: type it in a terminal that uses UTF-8"),
        ('house.limits."\U0001f600"', "{}", 'house.limits."\U0001f600".min: is missing: write min = a whole number'),
    ],
)
def test_what_would_not_be_valid_is_refused(capsys: Capsys, file: Path, key: str, value: str, told: str) -> None:
    answer = run(capsys, "config", "set", str(file), key, value)
    assert (answer.exit_code, answer.out) == (2, "")
    assert told in answer.err
    assert changes(file) == []


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("house.decks", "takes it up with the next shoe after a reload: sudo systemctl reload shoe-controller\n"),
        ("mqtt.keep_alive", "when it is restarted, also in mid-shoe: sudo systemctl restart shoe-controller\n"),
        ("console.port", "The console takes it up when it is restarted.\n"),
    ],
)
def test_what_to_do_next(capsys: Capsys, file: Path, key: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_actions, "FOLDER", file.parent)
    assert run(capsys, "config", "set", str(file), key, "6").out.endswith(told)


def test_what_to_do_next_where_the_file_is_named_from_its_folder(
    capsys: Capsys, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    told = "takes it up with the next shoe after a reload: send it SIGHUP\n"
    assert run(capsys, "config", "set", file.name, "house.decks", "6").out.endswith(told)
    installed = file.parent / "installed"
    installed.symlink_to(".")
    monkeypatch.setattr(config_actions, "FOLDER", installed)
    answer = run(capsys, "config", "person", "add", file.name, "--supervisor", "rana=B. Rana", stdin=b"480612\n")
    assert answer.out.endswith("takes it up after a reload: sudo systemctl reload shoe-controller\n")


def test_what_to_do_next_for_another_table_and_for_a_file_of_ones_own(
    capsys: Capsys, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys, "config", "set", str(file), "house.decks", "6").out.endswith("after a reload: send it SIGHUP\n")
    monkeypatch.setattr(config_actions, "FOLDER", file.parent)
    second = file.rename(file.with_name("t2.toml"))
    answer = run(capsys, "config", "set", str(second), "procedure.burn", "false")
    assert answer.out.endswith("sudo systemctl reload shoe-controller@t2\n")


def test_a_person_is_added_with_a_pin_from_standard_input(capsys: Capsys, file: Path) -> None:
    words = ("config", "person", "add", str(file), "--supervisor", "rana=B. Rana")
    answer = run(capsys, *words, stdin=b"480612\n")
    assert (answer.exit_code, answer.err) == (0, "")
    assert "takes it up after a reload" in answer.out
    person = load_config(file).people[-1]
    assert (person.id, person.name, person.role.value) == ("rana", "B. Rana", "supervisor")
    assert check_pin("480612", person.pin.reveal())
    assert "480612" not in answer.out
    assert file.read_text(encoding="utf-8").startswith(EXAMPLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("person", "pin", "told"),
    [
        ("--supervisor=rana=Rana", b"4806\n", "this PIN needs 6 to 12 digits"),
        ("--supervisor=rana=Rana", b"", "the PIN of Rana (--supervisor rana): standard input has ended"),
        ("--supervisor=rana=Rana", b"111111\n", "all digits of this PIN are the same"),
        ("--supervisor=rana", b"480612\n", "--supervisor takes ID=NAME"),
        ("--dealer=ANITA=Anna", b"480612\n", "'ANITA' is the id of Anita Rai already"),
        ("--dealer=a b=Anna", b"480612\n", "people[3].id: must be 1 to 40 letters"),
        ("--dealer=a=Ann\udcff", b"480612\n", "it is not UTF-8: type it in a terminal that uses UTF-8"),
    ],
)
def test_a_person_who_cannot_be_added(capsys: Capsys, file: Path, person: str, pin: bytes, told: str) -> None:
    answer = run(capsys, "config", "person", "add", str(file), person, stdin=pin)
    assert (answer.exit_code, answer.out) == (2, "")
    assert told in answer.err
    assert changes(file) == []


@pytest.fixture
def people(tmp_path: Path) -> Path:
    file = tmp_path / "site_people.toml"
    file.write_text("# Nobody yet.\n", encoding="utf-8")
    file.chmod(0o640)
    return file


def test_a_person_of_the_site_is_added_with_a_password_from_standard_input(capsys: Capsys, people: Path) -> None:
    words = ("config", "person", "add", str(people), "--pit")
    answer = run(capsys, *words, "rana=B. Rana", stdin=f"{PASSWORD}\n".encode())
    assert (answer.exit_code, answer.err) == (0, "")
    assert PASSWORD not in answer.out
    checked = run(capsys, "config", "check", str(people))
    assert (checked.exit_code, checked.err) == (0, "")
    assert "people of the site: 1 with the role pit, 0 with the role reports" in checked.out
    (person,) = read_site_people(people)
    assert (person.id, person.name, list(person.roles)) == ("rana", "B. Rana", [SiteRole.PIT])
    assert password_fits(PASSWORD, person.password.reveal())
    assert people.read_text(encoding="utf-8").startswith("# Nobody yet.\n")
    assert people.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("person", "password", "mode", "told"),
    [
        ("--pit=rana=Rana", "short", 0o640, "a password has 12 to 200 characters"),
        ("--pit=rana=Rana", "", 0o640, "standard input has ended"),
        ("--auditor=rana", PASSWORD, 0o640, "--auditor takes ID=NAME"),
        ("--reports=harbour.lantern=H", PASSWORD.replace(" ", "."), 0o640, "little more than the person's id"),
        ("--reports=a b=Anna", PASSWORD, 0o640, "people[1].id: must be 1 to 40 letters"),
        ("--pit=rana=Rana", PASSWORD, 0o644, "is open to others"),
        ("--supervisor=rana=Rana", "480612", 0o640, "was wrong before"),
    ],
)
def test_a_person_of_the_site_who_cannot_be_added(  # noqa: PLR0917 - a row of the table
    capsys: Capsys, people: Path, person: str, password: str, mode: int, told: str
) -> None:
    people.chmod(mode)
    answer = run(
        capsys, "config", "person", "add", str(people), person, stdin=f"{password}\n".encode() if password else b""
    )
    assert (answer.exit_code, answer.out) == (2, "")
    assert told in answer.err
    assert people.read_text(encoding="utf-8") == "# Nobody yet.\n"


def test_nobody_gets_the_pin_of_somebody_else(capsys: Capsys, tmp_path: Path) -> None:
    there = {"id": "shah", "name": "S", "role": "supervisor", "pin": hash_pin("719305", bytes(16), log_cost=12)}
    file = write(tmp_path, small_house() | {"people": [there]})
    answer = run(capsys, "config", "person", "add", str(file), "--supervisor", "rana=Rana", stdin=b"719305\n")
    assert answer.exit_code == 2
    assert "somebody else at this table has this PIN: choose another" in answer.err


def test_at_a_terminal_the_pin_is_asked_for_until_it_will_do(file: Path) -> None:
    talk = Conversation("config", "person", "add", str(file), "--supervisor", "rana=Rana")
    talk.answer("Rana's PIN:", "123456")
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480613")
    talk.answer("Rana's PIN:", "480612")
    talk.answer("The same PIN again:", "480612")
    assert talk.end() == 0, talk.said
    assert "480612" not in talk.said
    assert "follow each other" in talk.said
    assert "two different PINs" in talk.said
    assert load_config(file).people[-1].id == "rana"


def test_ctrl_c_at_the_pin_leaves_the_file_alone(file: Path) -> None:
    talk = Conversation("config", "person", "add", str(file), "--supervisor", "rana=Rana")
    talk.interrupt("Rana's PIN:")
    assert talk.end() == 130
    assert "Traceback" not in talk.said
    assert changes(file) == []
    assert [each.name for each in file.parent.iterdir()] == ["table.toml"]


def test_a_group_of_wagers_goes_with_what_was_about_it(capsys: Capsys, file: Path) -> None:
    answer = run(capsys, "config", "wager", "off", str(file), "five_dragons")
    assert (answer.exit_code, answer.err) == (0, "")
    house = load_config(file).house
    assert not any(wager.startswith("five_dragons") for wager in house.offered)
    assert house.needs_base == frozenset()
    assert changes(file) == [
        '-offer = ["base", "pairs", "lucky_6", "banker_wins_on", "player_wins_on", "tie_wins_on", "five_dragons"]',
        '+offer = ["base", "pairs", "lucky_6", "banker_wins_on", "player_wins_on", "tie_wins_on"]',
        '-needs_base = ["five_dragons"]',
        "+needs_base = []",
        '-"five_dragons.any_dragon" = "B"',
        '+# "five_dragons.any_dragon" = "B"',
    ]


def test_one_wager_of_a_group_goes(capsys: Capsys, file: Path) -> None:
    before = load_config(file).house.offered
    assert run(capsys, "config", "wager", "off", str(file), "base.tie").exit_code == 0
    assert load_config(file).house.offered == tuple(wager for wager in before if wager != "base.tie")
    assert '# "base.tie" = { min = 500, max = 100_000 }' in file.read_text(encoding="utf-8")


def test_without_an_offer_what_the_layout_offers_is_written_down(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house())
    before = load_config(file).house.offered
    assert run(capsys, "config", "wager", "off", str(file), "lucky_6").exit_code == 0
    assert load_config(file).house.offered == tuple(each for each in before if not each.startswith("lucky_6"))


@pytest.mark.parametrize(
    ("wager", "told"),
    [
        ("lucky_8", "lucky_8 is not offered at this table: base.player, base.banker"),
        ("lucky_66", "lucky_66"),
    ],
)
def test_a_wager_that_cannot_go(capsys: Capsys, file: Path, wager: str, told: str) -> None:
    answer = run(capsys, "config", "wager", "off", str(file), wager)
    assert (answer.exit_code, answer.out) == (2, "")
    assert told in answer.err
    assert changes(file) == []


def test_a_file_that_is_not_there_is_named_once(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "nowhere.toml"
    told = f"{file} was left as it is: it cannot be opened: No such file or directory; correct its path\n"
    assert run(capsys, "config", "set", str(file), "house.decks", "6").err == f"shoe-controller config: {told}"


def test_the_file_of_a_page_has_keys_to_set_but_no_people(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "t2.console.toml"
    text = '[table]\nsite = "s"\nname = "t2"\n\n[mqtt]\nhost = "h"\n\n[console]\n# Where.\nport = 8082 # free\n'
    file.write_text(text, encoding="utf-8")
    answer = run(capsys, "config", "set", str(file), "console.port", "8090")
    assert (answer.exit_code, answer.err) == (0, "")
    assert answer.out == f"{file} is changed.\nIt is taken up when the program of this file is restarted.\n"
    assert file.read_text(encoding="utf-8") == text.replace("8082", "8090")
    assert (
        "console.port: must be from 1 to 65535, not 0"
        in run(capsys, "config", "set", str(file), "console.port", "0").err
    )
    for words in (("person", "add", str(file), "--dealer", "a=A"), ("wager", "off", str(file), "pairs")):
        answer = run(capsys, "config", *words)
        assert answer.exit_code == 2
        assert "it is not a table's file: name the table's own, such as table.toml" in answer.err


def test_a_file_that_begins_with_a_byte_order_mark_keeps_it(capsys: Capsys, file: Path) -> None:
    file.write_text(f"\ufeff{file.read_text(encoding='utf-8')}", encoding="utf-8")
    before = file.read_bytes()
    for words in (("set", str(file), "house.decks", "6"), ("wager", "off", str(file), "pairs")):
        answer = run(capsys, "config", *words)
        assert (answer.exit_code, answer.err) == (0, "")
    assert run(capsys, "config", "set", str(file), "house.decks", "6").out == f"{file} says so already.\n"
    assert file.read_bytes().startswith(before[:9])
    house = load_config(file).house
    assert (house.decks, "pairs.player" in house.offered) == (6, False)


def test_the_last_wager_cannot_go(capsys: Capsys, tmp_path: Path) -> None:
    file = write(tmp_path, small_house(offer=["base.tie"]))
    answer = run(capsys, "config", "wager", "off", str(file), "base.tie")
    assert answer.exit_code == 2
    assert "without base.tie the table would offer nothing" in answer.err
