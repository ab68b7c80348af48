"""The [pit] section: what is wrong with it is said at once, and what the process needs is read."""

from pathlib import Path

import pytest

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import load_pit
from tests.daemon.house_file import write_secret

MQTT = '[mqtt]\nhost = "127.0.0.1"\n'


def problems(folder: Path, section: str) -> list[str]:
    file = folder / "pit.toml"
    file.write_text(f"{MQTT}[pit]\n{section}", encoding="utf-8")
    with pytest.raises(BadFileError) as caught:
        load_pit(file)
    return [problem.place for problem in caught.value.problems]


def test_a_good_file_has_defaults(tmp_path: Path) -> None:
    write_secret(tmp_path / "site_people.toml", "# Nobody yet.")
    (tmp_path / "pit.toml").write_text(f'{MQTT}[pit]\nsite = "north"\n', encoding="utf-8")
    config = load_pit(tmp_path / "pit.toml")
    assert config.settings.file == Path("/var/lib/shoe-pit/north.alarms")
    assert config.settings.evidence == Path("/var/lib/shoe-pit/north.alarms.evidence")
    assert config.settings.false_alarm_after == 10_000
    assert (config.settings.edge_limit, config.settings.port, config.people, config.client) == (0.0, 8090, (), "pit")


def test_everything_that_is_wrong_is_named(tmp_path: Path) -> None:
    wrong = 'site = "a/b"\ntables = ["+"]\nhost = "0.0.0.0"\nedge_limit = 40.0\nidle_timeout = 1\nacknowledged = -1\n'
    wrong += "false_alarm_after = 1\n"
    assert sorted(problems(tmp_path, wrong)) == [
        "pit.acknowledged",
        "pit.edge_limit",
        "pit.false_alarm_after",
        "pit.host",
        "pit.idle_timeout",
        "pit.people_file",
        "pit.site",
        "pit.tables",
    ]


def test_nan_is_no_limit(tmp_path: Path) -> None:
    write_secret(tmp_path / "site_people.toml", "# Nobody yet.")
    assert problems(tmp_path, 'site = "north"\nedge_limit = nan\n') == ["pit.edge_limit"]


def test_people_that_others_can_read_are_refused(tmp_path: Path) -> None:
    people = write_secret(tmp_path / "site_people.toml", "# Nobody yet.")
    people.chmod(0o644)
    assert problems(tmp_path, 'site = "north"\n') == ["pit.people_file"]
