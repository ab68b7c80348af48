"""`shoe-controller init`: what it writes, for whom, and that it leaves alone what is there."""

import ssl
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

from shoe_controller.config.pins import check_pin
from shoe_controller.config.table_file import (
    for_running,
    load_archive,
    load_board,
    load_config,
    load_console,
    load_pit,
    load_witness,
)
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Remainder, ShownCard
from shoe_controller.setup.access_list import BrokerRole
from shoe_controller.setup.template import Template, example_text
from shoe_controller.setup.users_file import read_users
from shoe_controller.table.procedure import FinishedRound
from tests.commands.running import run
from tests.deploy.new_house import PINS, command, everything_in, init


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "house"
    answer = init(folder)
    assert answer.exit_code == 0, answer.err
    return folder


def test_every_program_can_read_its_own_file(house: Path) -> None:
    table = for_running(load_config(house / "table.toml"))
    assert (table.table.site, table.table.name) == ("north", "t1")
    assert table.shoe_key is not None
    assert table.seal_key is not None
    assert table.mqtt is not None
    assert table.mqtt.tls
    assert load_board(house / "board.toml").username == "board"
    assert load_console(house / "console.toml").username == "console-t1"
    witness = load_witness(house / "witness.toml")
    assert (witness.username, witness.settings.site) == ("witness", "north")
    pit = load_pit(house / "pit.toml")
    assert (pit.username, pit.settings.site, pit.people) == ("pit", "north", ())
    archive = load_archive(house / "archive.toml")
    assert (archive.username, archive.settings.site, archive.settings.retention_years) == ("archive", "north", 7)
    people = {person.id: person for person in table.people}
    assert people.keys() == PINS.keys()
    assert all(check_pin(pin, people[name].pin.reveal()) for name, pin in PINS.items())


def test_the_procedure_is_the_strictest_that_the_equipment_allows(house: Path, tmp_path: Path) -> None:
    """A console can close the wagers and sign dealers in; without one, the shoe may have a button for the wagers."""
    procedure = load_config(house / "table.toml").procedure
    assert procedure.bets_close is BetsClose.DEALER
    assert (procedure.dealer_signs_in, procedure.new_dealer_burns) == (True, True)
    assert procedure.remainder is Remainder.COUNTED
    assert procedure.finished_round is FinishedRound.TWO_SUPERVISORS
    assert procedure.shown_card is ShownCard.BURN
    assert procedure.discarded_card is DiscardedCard.VOID
    for more, closes in (((), BetsClose.FIRST_CARD), (("--bets-button",), BetsClose.DEALER)):
        folder = tmp_path / closes.value
        words = ("--site", "n", "--table", "t", "--port", "/dev/x", "--no-broker", "--insecure", *more)
        assert command("init", str(folder), *words).exit_code == 0
        procedure = load_config(folder / "table.toml").procedure
        assert procedure.bets_close is closes
        assert (procedure.dealer_signs_in, procedure.new_dealer_burns) == (False, False)
        assert procedure.remainder is Remainder.NOT_COUNTED, "nobody could enter the count"
        assert procedure.finished_round is FinishedRound.TWO_SUPERVISORS


def test_the_tables_file_explains_every_key_of_the_example(house: Path) -> None:
    written = (house / "table.toml").read_text(encoding="utf-8")
    names = ("house", "procedure", "table", "shoe", "mqtt", "journal", "log")
    for line in Template(example_text()).text(*names).splitlines():
        key = line.removeprefix("# ").partition(" =")[0]
        if " = " in line and key.replace("_", "").isalnum():
            assert f"{key} =" in written


def test_no_secret_is_in_a_file_that_others_may_read(house: Path) -> None:
    open_files = [name for name, (_, mode, _) in everything_in(house).items() if mode & stat.S_IRWXO]
    assert sorted(open_files) == ["broker/broker.pem", "broker/ca.pem", "ca.pem"]
    for content, mode, _ in everything_in(house).values():
        assert not mode & (stat.S_IWGRP | stat.S_IWOTH)
        assert not any(pin.encode() in content for pin in PINS.values())
    assert (house / "authority" / "ca.key").stat().st_mode & 0o777 == 0o600


def test_the_first_key_of_the_journal_is_made_once_and_is_private(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    answer = init(house)
    keys = house / "t1.journal.keys"
    assert f"{keys / 'first.public'}: made. Move it" in answer.out
    assert {(file.name, file.stat().st_mode & 0o777) for file in keys.iterdir()} == {
        ("first.key", 0o600),
        ("first.public", 0o600),
    }
    assert keys.stat().st_mode & 0o777 == 0o700
    before = everything_in(house)
    assert "first.public" not in command("init", str(house)).out
    assert everything_in(house) == before


def test_every_user_has_a_password_of_its_own(house: Path) -> None:
    users = read_users(house / "broker-users.toml")
    assert len(users) == len({each.password.reveal() for each in users}) == 9
    assert all(len(each.password.reveal()) >= 32 for each in users)
    hashed = (house / "broker" / "passwords").read_text(encoding="utf-8")
    assert not any(each.password.reveal() in hashed for each in users)


def test_the_certificate_is_made_out_to_the_broker_and_signed_by_the_house(house: Path) -> None:
    broker = house / "broker" / "broker.pem"
    verified = ["openssl", "verify", "-CAfile", str(house / "ca.pem"), "-purpose", "sslserver"]
    for host in ("-verify_hostname=localhost", "-verify_ip=127.0.0.1"):
        option, _, value = host.partition("=")
        done = subprocess.run([*verified, option, value, str(broker)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_user_for_each_seat(tmp_path: Path) -> None:
    house = tmp_path / "house"
    answer = init(house, "--seats", "1,2", "--seat-users")
    assert answer.exit_code == 0, answer.err
    mqtt = load_config(house / "table.toml").mqtt
    assert mqtt is not None
    assert mqtt.seat_users == {"seat-1-t1": "1", "seat-2-t1": "2"}
    users = {each.user.name: each.user.role for each in read_users(house / "broker-users.toml")}
    assert {name for name, role in users.items() if role is BrokerRole.WAGERS} == {"seats-t1", *mqtt.seat_users}
    access = (house / "broker" / "access").read_text(encoding="utf-8")
    assert "topic write shoe/v1/north/t1/request/wagers/seat-2-t1/place\n" in access
    assert (house / "users" / "seat-2-t1.password").read_text(encoding="utf-8")


def test_users_of_seats_that_a_person_wrote_down_are_made_by_the_next_run(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house).exit_code == 0
    asked = command("init", str(house), "--seat-users", "--yes")
    assert asked.exit_code == 2
    assert "put seat_users into its [mqtt]" in asked.err
    table = house / "table.toml"
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace("# seat_users = ", 'seat_users = { "first" = "1" } # '), encoding="utf-8")
    assert command("init", str(house), "--yes").exit_code == 0
    assert "first" in {each.user.name for each in read_users(house / "broker-users.toml")}
    assert "user first\n" in (house / "broker" / "access").read_text(encoding="utf-8")


def test_a_seat_that_cannot_be_part_of_a_user_is_named(tmp_path: Path) -> None:
    answer = init(tmp_path / "house", "--seats", "1,left of the dealer", "--seat-users")
    assert answer.exit_code == 2
    assert "'left of the dealer'" in answer.err


def test_running_it_again_changes_nothing(tmp_path: Path) -> None:
    assert init(tmp_path / "house").exit_code == 0
    before = everything_in(tmp_path)
    for words in ([], ["--yes"], ["--site", "north", "--table", "t1"]):
        again = command("init", str(tmp_path / "house"), *words)
        assert again.exit_code == 0, again.err
        assert everything_in(tmp_path) == before


def belong_together(certificate: Path, key: Path) -> bool:
    """Whether OpenSSL takes them for a pair."""
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    return True


def test_a_renewed_certificate_has_its_key(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house).exit_code == 0
    shown, hidden = house / "broker" / "broker.pem", house / "broker" / "broker.key"
    before = shown.read_bytes(), hidden.read_bytes()
    left = command("init", str(house), "--renew-certificate")
    assert left.exit_code == 1, "nobody could be asked, and it must not be taken for done"
    assert (shown.read_bytes(), hidden.read_bytes()) == before
    assert command("init", str(house), "--renew-certificate", "--yes").exit_code == 0
    assert shown.read_bytes() != before[0]
    assert belong_together(shown, hidden)


def test_what_is_missing_is_made_and_what_a_person_wrote_stays(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house).exit_code == 0
    table = house / "table.toml"
    table.write_text(table.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    key, access = (house / "shoe.key").read_bytes(), house / "broker" / "access"
    (house / "broker" / "broker.pem").unlink()
    access.write_text("# mine\n", encoding="utf-8")
    again = command("init", str(house))
    assert again.exit_code == 1
    assert f"{access} must be written again. Run it again with --yes." in again.err
    assert table.read_text(encoding="utf-8").endswith("# mine\n")
    assert access.read_text(encoding="utf-8") == "# mine\n"
    assert "access: exists already, and was left alone" in again.out
    assert belong_together(house / "broker" / "broker.pem", house / "broker" / "broker.key")
    assert (house / "shoe.key").read_bytes() == key
    assert command("init", str(house), "--yes").exit_code == 0
    assert "user board" in access.read_text(encoding="utf-8")


def test_a_second_table_joins_the_first(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house).exit_code == 0
    first, board = (house / "table.toml").read_bytes(), (house / "board.password").read_bytes()
    second = ("--file", "t2.toml", "--site", "north", "--table", "t2", "--port", "/dev/shoe/two", "--yes")
    answer = command("init", str(house), *second, "--journal", str(house / "t2.journal"))
    assert answer.exit_code == 0, answer.err
    assert (house / "table.toml").read_bytes() == first
    assert (house / "board.password").read_bytes() == board
    names = {each.user.name for each in read_users(house / "broker-users.toml")}
    assert {"table-t1", "table-t2", "board", "console-t1", "console-t2"} <= names
    access = (house / "broker" / "access").read_text(encoding="utf-8")
    assert access.count("user board\n") == 1
    assert for_running(load_config(house / "t2.toml")).shoe.key_file == house / "t2.shoe.key"
    assert load_console(house / "t2.console.toml").table == "t2"


def test_renewing_the_certificate_keeps_the_authority(tmp_path: Path) -> None:
    house = tmp_path / "house"
    assert init(house).exit_code == 0
    old = everything_in(house)
    assert command("init", str(house), "--renew-certificate", "--yes").exit_code == 0
    new = everything_in(house)
    changed = {name for name in new if new[name][0] != old[name][0]}
    assert changed == {"broker/broker.pem", "broker/broker.key"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--site is missing: the house"),
        ([], "--table is missing: the table's name"),
        ([], "--port is missing: where the shoe is plugged in"),
        (["--site", "north"], "--table is missing"),
        (["--site", "north", "--table", "t1"], "--port is missing"),
        (["--site", "nor th", "--table", "t1", "--port", "/dev/x"], "table.site: must be 1 to 40 letters"),
        (["--site", "n", "--table", "t", "--port", "COM3"], "shoe.port: 'COM3' is not the address of a shoe"),
        (["--site", "n", "--table", "t", "--port", "/dev/x", "--decks", "0"], "decks"),
        (["--site", "n", "--table", "t", "--port", "/dev/x", "--layout", "golden_bac"], "golden_bac"),
        (["--site", "n", "--table", "t", "--port", "/dev/x", "--supervisor", "rana"], "takes ID=NAME"),
        (
            ["--site", "n", "--table", "t", "--port", "/dev/x", "--supervisor", "r=R"],
            "the PIN of R (--supervisor r): standard input has ended",
        ),
        (["--site", "n", "--table", "t", "--port", "/dev/x", "--file", "../t.toml"], "--file must be a file name"),
    ],
)
def test_nonsense_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], told: str) -> None:
    answer = run(capsys, "init", str(tmp_path / "house"), *words)
    assert answer.exit_code == 2
    assert told in answer.err
    assert "Traceback" not in answer.err


def test_a_folder_that_cannot_be_written_to_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    answer = command("init", str(tmp_path / "file" / "house"))
    assert answer.exit_code == 2
    assert (
        answer.err == f"shoe-controller init: {tmp_path}/file cannot be written to: use sudo, or name another folder\n"
    )


def test_nonsense_leaves_nothing_behind(tmp_path: Path) -> None:
    words = ("--site", "n", "--table", "t", "--port", "COM3")
    assert command("init", str(tmp_path / "house"), *words).exit_code == 2
    assert not (tmp_path / "house").exists()


def test_names_with_odd_characters_come_out_as_they_went_in(tmp_path: Path) -> None:
    title = 'Table "7" \\ 百家樂 \x7f'.replace("\x7f", "")
    words = ("--site", "n", "--table", "t", "--port", "/dev/x", "--title", title, "--no-broker")
    answer = command("init", str(tmp_path / "house"), *words)
    assert answer.exit_code == 0, answer.err
    written = tomllib.loads((tmp_path / "house" / "table.toml").read_text(encoding="utf-8"))
    assert written["table"]["title"] == title
    assert "mqtt" not in written
    assert not (tmp_path / "house" / "broker").exists()
