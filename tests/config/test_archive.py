"""The [archive] section: what is wrong with it is said at once, and what the process needs is read."""

from pathlib import Path

import pytest

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import load_archive
from tests.daemon.house_file import write_secret

MQTT = '[mqtt]\nhost = "127.0.0.1"\n'
DATABASE = 'database = "postgresql://archive@/house?host=/run/postgresql"\n'


def problems(folder: Path, section: str, mqtt: str = MQTT) -> list[str]:
    file = folder / "archive.toml"
    file.write_text(f"{mqtt}[archive]\n{section}", encoding="utf-8")
    with pytest.raises(BadFileError) as caught:
        load_archive(file)
    assert "hunter2" not in str(caught.value)
    return [problem.place for problem in caught.value.problems]


def test_a_good_file_has_defaults(tmp_path: Path) -> None:
    (tmp_path / "archive.toml").write_text(f'{MQTT}[archive]\nsite = "north"\n{DATABASE}', encoding="utf-8")
    config = load_archive(tmp_path / "archive.toml")
    assert (config.settings.retention_years, config.settings.tables, config.client) == (7, (), "archive")
    assert (config.password, config.database_password) == (None, None)


def test_passwords_are_in_files(tmp_path: Path) -> None:
    for name in ("archive.password", "database.password"):
        write_secret(tmp_path / name, f"secret of {name}\n")
    section = 'site = "north"\nusername = "a"\npassword_file = "archive.password"\n'
    section += f'database_password_file = "database.password"\n{DATABASE}'
    (tmp_path / "archive.toml").write_text(f"{MQTT}[archive]\n{section}", encoding="utf-8")
    config = load_archive(tmp_path / "archive.toml")
    assert config.password is not None
    assert config.database_password is not None
    assert config.database_password.reveal() == "secret of database.password"
    assert config.client == "a"


def test_everything_that_is_wrong_is_named(tmp_path: Path) -> None:
    wrong = 'site = "a/b"\ntables = ["+"]\nretention_years = -1\ndatabase_password_file = "nothing"\n'
    assert sorted(problems(tmp_path, f'{wrong}database = "house"\n', "")) == [
        "archive.database",
        "archive.database_password_file",
        "archive.retention_years",
        "archive.site",
        "archive.tables",
        "mqtt",
    ]
    assert problems(tmp_path, "") == ["archive.site", "archive.database"]


@pytest.mark.parametrize(
    "address",
    ["postgresql://a:hunter2@db/house", "postgresql://db/house?user=a&password=hunter2", "mysql://db/house", "\\u0007"],
)
def test_an_address_with_a_password_or_of_another_database_is_refused(tmp_path: Path, address: str) -> None:
    assert problems(tmp_path, f'site = "north"\ndatabase = "{address}"\n') == ["archive.database"]
