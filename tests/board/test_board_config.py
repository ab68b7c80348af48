"""The `[board]` section: alone with a broker, or beside a table; everything wrong with it is reported at once."""

from pathlib import Path
from typing import Any

import pytest

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import BoardConfig, load_board
from tests.table_files import Data, example, load, small_house, write

BROKER: Data = {"host": "localhost"}


def board(folder: Path, /, mqtt: Data | None = None, **settings: Any) -> BoardConfig:  # noqa: ANN401 - keys of [board]
    return load_board(write(folder, {"mqtt": mqtt or BROKER, "board": {"site": "north"} | settings}))


def problems(folder: Path, data: Data) -> list[str]:
    with pytest.raises(BadFileError) as caught:
        load_board(write(folder, data))
    return [str(problem) for problem in caught.value.problems]


def secret(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o600)


def test_a_board_needs_no_house_and_no_table(tmp_path: Path) -> None:
    config = board(tmp_path)
    settings = config.settings
    assert (settings.site, settings.tables, settings.host, settings.port) == ("north", (), "127.0.0.1", 8080)
    assert (settings.language, settings.look, settings.pit) == ("en", "dark", True)
    assert (config.username, config.password, config.home) == (None, None, None)


def test_a_tables_file_will_do_without_a_board_section(tmp_path: Path) -> None:
    config = load_board(write(tmp_path, small_house() | {"table": {"site": "south", "name": "t7"}, "mqtt": BROKER}))
    assert (config.settings.site, config.home) == ("south", "t7")


def test_the_board_has_a_user_of_its_own(tmp_path: Path) -> None:
    secret(tmp_path / "table.password", "table's")
    secret(tmp_path / "board.password", "board's")
    mqtt = BROKER | {"username": "table-1", "password_file": "table.password"}
    own = board(tmp_path, mqtt, username="wall", password_file="board.password")  # noqa: S106 - a file's name
    assert own.username == "wall"
    assert own.password is not None
    assert own.password.reveal() == "board's"
    lent = board(tmp_path, mqtt)
    assert lent.username == "table-1"
    assert lent.password is not None
    assert lent.password.reveal() == "table's"
    open_to_all = board(tmp_path, mqtt, username="wall")
    assert open_to_all.password is None, "the table's password is not the board's"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"site": "a/b"}, "board.site"),
        ({"tables": ["t1", "+"]}, "board.tables"),
        ({"host": "example.org"}, "board.host"),
        ({"host": ""}, "board.host"),
        ({"port": 0}, "board.port"),
        ({"port": 65536}, "board.port"),
        ({"language": "klingon"}, "board.language"),
        ({"look": "pink"}, "board.look"),
        ({"pit": "yes"}, "board.pit"),
        ({"username": ""}, "board.username"),
        ({"password_file": "x"}, "board.password_file"),
        ({"username": "u", "password_file": "missing"}, "board.password_file"),
        ({"cert_file": "x"}, "board.cert_file"),
        ({"key_file": "x"}, "board.key_file"),
        ({"prot": 1}, "board.prot"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, settings: Data, problem: str) -> None:
    found = problems(tmp_path, {"mqtt": BROKER, "board": {"site": "north"} | settings})
    assert found
    assert all(line.startswith(f"{problem}:") for line in found)


def test_a_board_needs_a_broker_and_a_site(tmp_path: Path) -> None:
    found = problems(tmp_path, {"board": {}})
    assert [line.partition(":")[0] for line in found] == ["mqtt", "board.site"]


def test_everything_is_said_at_once(tmp_path: Path) -> None:
    assert len(problems(tmp_path, {"mqtt": {}, "board": {"site": "/", "port": -1, "host": "x y"}})) == 4


def test_a_tables_check_looks_at_the_board_too(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"board\.port"):
        load(tmp_path, small_house() | {"board": {"site": "x", "port": 0}})


def test_the_example_shows_the_defaults(tmp_path: Path) -> None:
    shown = load(tmp_path, example() | {"mqtt": BROKER}).board
    usual = board(tmp_path, site="kathmandu").settings
    assert shown == usual
