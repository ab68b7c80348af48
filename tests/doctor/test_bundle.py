"""Comments and secrets of a configuration stay at the table; everything else of it is packed as it is."""

import tomllib
from pathlib import Path

import pytest

from shoe_controller.doctor.bundle import secrets_of, without_comments, without_secrets
from tests.table_files import EXAMPLE


@pytest.mark.parametrize(
    ("text", "packed"),
    [
        ("a = 1 # the owner's number is 555", "a = 1 "),
        ("# rana drinks\na = 1", "\na = 1"),
        ('a = "#1" # one', 'a = "#1" '),
        ("a = '#1' # one", "a = '#1' "),
        (r'a = "\"#" # one', r'a = "\"#" '),
        ('a = """\n# two\n""" # three', 'a = """\n# two\n""" '),
        ("a = '''\n# two\n''' # three", "a = '''\n# two\n''' "),
        ("a = [ # one\n 1, # two\n]", "a = [ \n 1, \n]"),
        ('a = """b"""" # one "two"', 'a = """b"""" '),
        ('a = "not closed # one "two" three', 'a = "not closed '),
        ("a = Don't # it's one, isn't it", "a = Don't "),
        ('a = "not closed # one\nb = 1 # two', 'a = "not closed \nb = 1 '),
    ],
)
def test_comments_are_left_out(text: str, packed: str) -> None:
    assert without_comments(text) == packed


def test_the_example_means_the_same_without_them() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    packed = without_comments(text)
    assert "#" not in packed
    assert tomllib.loads(packed) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        'password = "{}"',
        "mqtt_password='{}'",
        "MQTT_PASSWORD={} MORE=1",
        'pin = """{}"""',
        "pin = '''\n{}'''",
        r'pin = "1\"{}"',
        'pins = ["1", "{}"]',
        '{{"event":"x","pin":"{}"}}',
        r'{{"line":"{{\"pin\":\"{}\"}}"}}',
        'secret: {}, token = "{}"',
        'host = "mqtt://table:{}@broker:8883"',
        "-----BEGIN PRIVATE KEY-----\n{}",
    ],
)
def test_a_secret_that_was_written_where_it_does_not_belong_is_left_out(text: str) -> None:
    packed = without_secrets(text.replace("{}", "Kathmandu-4711").replace("{{", "{").replace("}}", "}"), [])
    assert "4711" not in packed
    assert "(left out)" in packed


def test_names_of_files_and_what_follows_a_secret_are_packed() -> None:
    text = 'password_file = "mqtt.password"\npassword = "x"\nkey_file = "shoe.key"\nspin = 1\n'
    assert without_secrets(text, []) == text.replace('"x"', "(left out)")


def test_secret_files_in_other_places_are_known_though_the_configuration_cannot_be_used(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text('Kathmandu-"4711"\n')
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "table.toml").write_text("not a table at all")
    (folder / "console.toml").write_text('[console]\npassword_file = "../elsewhere"\n')
    secrets = list(secrets_of(folder / "table.toml"))
    assert "4711" not in without_secrets(r'{"what": "Kathmandu-\"4711\" is wrong"} Kathmandu-"4711"', secrets)
