"""A table's file changed on the disk: whole or not at all, by one at a time, for the same people as before."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_controller.config.strict_reading import BadFileError
from shoe_controller.config.table_file import Config, for_running, load_config
from shoe_controller.setup import config_change
from shoe_controller.setup.config_change import Edit, Loaded, NotChangedError, change
from shoe_controller.setup.toml_edit import with_value
from tests.daemon.house_file import write_secret
from tests.table_files import small_house, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path, small_house())


def decks(number: int) -> Edit:
    return lambda text, _: with_value(text, ("house", "decks"), number)


def everything(folder: Path) -> dict[str, tuple[bytes, os.stat_result]]:
    return {each.name: (each.read_bytes(), each.stat()) for each in folder.iterdir()}


def test_mode_owner_and_rights_stay(file: Path) -> None:
    file.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(file, 1234, 4321)
    before = file.stat()
    changed = change(file, decks(6))
    assert changed is not None
    assert isinstance(changed.after, Config)
    assert (changed.after.file, changed.after.house.decks) == (file, 6)
    after = file.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (before.st_uid, before.st_gid, 0o640)
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    assert change(file, decks(6)) is None


def test_what_would_be_wrong_is_not_written(file: Path) -> None:
    before = everything(file.parent)
    with pytest.raises(BadFileError, match=f"{file}: house.decks: must be from 1 to 8, not 9"):
        change(file, decks(9))
    assert everything(file.parent) == before


def test_what_a_running_table_needs_must_not_get_lost(tmp_path: Path) -> None:
    parts = {"table": {"site": "s", "name": "t"}, "shoe": {"port": "/dev/x", "key_file": "key"}}
    file = write(tmp_path, small_house() | parts)
    key = tmp_path / "key"
    key.write_text("12" * 32, encoding="utf-8")
    key.chmod(0o600)
    with pytest.raises(BadFileError, match=r"shoe\.key_file: \S+/other cannot be read: No such file"):
        change(file, lambda text, _: with_value(text, ("shoe", "key_file"), "other"))
    key.unlink()
    assert change(file, decks(6)) is not None, "it was missing before: that is no reason against another change"


def test_a_file_that_was_wrong_before_is_corrected_first(tmp_path: Path) -> None:
    file = write(tmp_path, small_house(seats=["1", "1"]))
    with pytest.raises(NotChangedError, match=r"it was wrong before, so correct it with an editor first:\n.*more than"):
        change(file, decks(6))


def test_behind_a_link_the_file_itself_is_changed(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "linked.toml"
    link.parent.mkdir()
    link.symlink_to(file)
    assert change(link, decks(6)) is not None
    assert link.is_symlink()
    assert load_config(file).house.decks == 6
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(NotChangedError, match="it cannot be opened: "):
        change(link, decks(5))


def test_a_linked_file_is_judged_where_the_link_is(tmp_path: Path) -> None:
    """As `run` and `config check` do: what it names by relative paths lies beside the link."""
    parts = {"table": {"site": "s", "name": "t"}, "shoe": {"port": "/dev/x", "key_file": "key"}}
    kept, house = tmp_path / "kept", tmp_path / "house"
    kept.mkdir()
    house.mkdir()
    write(kept, small_house() | parts)
    link = house / "table.toml"
    link.symlink_to(kept / "table.toml")
    write_secret(house / "key", "12" * 32)
    changed = change(link, decks(6))
    assert changed is not None
    assert changed.before.shoe == changed.after.shoe  # type: ignore[union-attr]  # both of a table
    assert for_running(load_config(link)).house.decks == 6
    with pytest.raises(BadFileError, match=rf"^{link}: shoe\.key_file: {house}/other cannot be read: No such file"):
        change(link, lambda text, _: with_value(text, ("shoe", "key_file"), "other"))


def test_what_a_file_is_for_is_judged_as_config_check_does(tmp_path: Path) -> None:
    file = tmp_path / "console.toml"
    file.write_text('[table]\nsite = "s"\nname = "t"\n[mqtt]\nhost = "h"\n[console]\nport = 8082\n', "utf-8")
    before = everything(tmp_path)
    with pytest.raises(BadFileError, match=f"{file}: house: is missing"):
        change(file, lambda text, _: with_value(text, ("procedure", "burn"), value=False))
    assert everything(tmp_path) == before


def edited_meanwhile(file: Path, how: Callable[[Path], object]) -> Edit:
    def edit(text: str, config: Loaded) -> str:
        how(file)
        return decks(6)(text, config)

    return edit


@pytest.mark.parametrize(
    "how",
    [
        lambda file: file.write_text("# mine\n", encoding="utf-8"),
        lambda file: file.unlink(),
        lambda file: (file.with_name("new").write_text("# mine\n", "utf-8"), file.with_name("new").replace(file)),
    ],
)
def test_a_file_that_an_editor_saves_meanwhile_is_left_alone(file: Path, how: Callable[[Path], object]) -> None:
    with pytest.raises((NotChangedError, BadFileError)):
        change(file, edited_meanwhile(file, how))
    assert [each.read_text(encoding="utf-8") for each in file.parent.iterdir()] in (["# mine\n"], [])


def test_two_changes_at_once_both_count(file: Path) -> None:
    """The second waits until the first has put the new file in its place, and then changes that one."""
    inside, errors = threading.Barrier(2, timeout=30), []

    def slowly(text: str, config: Loaded) -> str:
        inside.wait()
        return decks(6)(text, config)

    def other() -> None:
        try:
            inside.wait()
            change(file, lambda text, _: with_value(text, ("house", "seats"), ["7"]))
        except Exception as error:  # noqa: BLE001 - shown below
            errors.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    change(file, slowly)
    thread.join(30)
    assert errors == []
    house = load_config(file).house
    assert (house.decks, house.seats) == (6, ("7",))


@pytest.mark.parametrize("step", ["_fill", "_checked", "_check_unchanged"])
def test_ctrl_c_at_any_step_leaves_the_file_and_nothing_else(
    file: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = everything(file.parent)
    monkeypatch.setattr(config_change, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        change(file, decks(6))
    assert everything(file.parent) == before


@pytest.mark.parametrize("name", ["nowhere.toml", "", "\0"])
def test_a_file_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises((NotChangedError, BadFileError)):
        change(tmp_path / name, decks(6))
