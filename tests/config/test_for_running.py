"""What a running table needs of its file: everything that is missing is reported at once, and secrets are read."""

import os
from pathlib import Path

import pytest

from shoe_controller.config.secret_files import Secret
from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import for_running
from tests.table_files import CERTIFICATE, PRIVATE_KEY, Data, load, small_house

KEY = "5ec4e7" * 10 + "5ec4"
TABLE = {"site": "north", "name": "t-1"}
ANGEL_EYE = {"wire": "angel_eye", "port": "/dev/ttyUSB0"}


def private(file: Path, content: str) -> str:
    file.touch(mode=0o600)
    file.write_text(content, encoding="utf-8")
    return file.name


def missing_in(folder: Path, data: Data) -> list[str]:
    config = load(folder, data)
    with pytest.raises(BadFileError) as caught:
        for_running(config)
    assert caught.value.file == str(folder / "table.toml")
    return [str(problem) for problem in caught.value.problems]


def test_a_house_alone_is_not_enough(tmp_path: Path) -> None:
    assert missing_in(tmp_path, small_house()) == [
        "table: is missing: a table cannot run without its [table] section; add it",
        "shoe: is missing: a table cannot run without its [shoe] section; add it",
    ]


def test_the_least_that_runs_is_a_table_and_a_shoe(tmp_path: Path) -> None:
    config = load(tmp_path, small_house() | {"table": TABLE, "shoe": ANGEL_EYE})
    running = for_running(config)
    assert (running.shoe_key, running.mqtt, running.mqtt_password, running.people) == (None, None, None, ())
    assert running.journal.file == Path("/var/lib/shoe-controller/t-1.journal")
    shared = set(config._fields) & set(running._fields)
    assert shared == set(config._fields) - {"board", "console", "witness", "pit", "archive", "counted_limit"}, (
        "three have processes of their own, and `config check` has the limit of its figures"
    )
    for name in shared:
        assert getattr(running, name) is getattr(config, name)


def test_secrets_are_read_from_beside_the_configuration(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    shoe = {"port": "/dev/ttyACM0", "key_file": private(tmp_path / "shoe.key", f"{KEY}\n")}
    mqtt = {
        "host": "broker",
        "username": "t-1",
        "password_file": private(tmp_path / "password", "Kathmandu 5!\n"),
        "ca_file": private(tmp_path / "ca.pem", CERTIFICATE),
        "cert_file": private(tmp_path / "cert.pem", CERTIFICATE),
        "key_file": private(tmp_path / "key.pem", PRIVATE_KEY),
    }
    running = for_running(load(tmp_path, small_house() | {"table": TABLE, "shoe": shoe, "mqtt": mqtt}))
    assert running.shoe_key == Secret(bytes.fromhex(KEY))
    assert running.mqtt_password == Secret("Kathmandu 5!")
    shown = f"{running} {running!r}"
    assert KEY not in shown
    assert repr(bytes.fromhex(KEY)) not in shown
    assert "Kathmandu" not in shown


def test_everything_that_is_missing_or_open_to_others_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "open").write_text(KEY, encoding="utf-8")
    (tmp_path / "open").chmod(0o644)
    mqtt = {
        "host": "broker",
        "username": "t-1",
        "password_file": private(tmp_path / "empty", "\n"),
        "ca_file": "nowhere.pem",
        "cert_file": ".",
        "key_file": "open",
    }
    shoe = {"port": "/dev/ttyACM0", "key_file": "open"}
    problems = missing_in(tmp_path, small_house() | {"shoe": shoe, "mqtt": mqtt})
    assert [problem.partition(": ")[0] for problem in problems] == [
        "table",
        "shoe.key_file",
        "mqtt.password_file",
        "mqtt.key_file",
        "mqtt.cert_file",
        "mqtt.ca_file",
    ]
    assert KEY not in "".join(problems)
    (ca_file,) = (problem for problem in problems if problem.startswith("mqtt.ca_file"))
    assert ca_file.startswith(f"mqtt.ca_file: {tmp_path}/nowhere.pem cannot be read: No such file or directory")


def test_a_certificate_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    problems = missing_in(tmp_path, small_house() | {"mqtt": {"host": "broker", "ca_file": "pipe"}})
    named = "it is not a regular file; name the file of the certificate"
    assert f"mqtt.ca_file: {tmp_path}/pipe cannot be read: {named}" in problems
