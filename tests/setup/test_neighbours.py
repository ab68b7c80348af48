"""What belongs to one table of a machine, under whatever spelling a second one names it."""

from pathlib import Path

import pytest

from shoe_controller.setup.neighbours import Neighbour, check_alone, check_journal_alone, neighbours
from tests.table_files import Data, load, small_house, write


def table(name: str, port: str, **journal: str) -> Data:
    shoe = {"port": port, "insecure": True}
    return small_house() | {"table": {"site": "north", "name": name}, "shoe": shoe, "journal": journal}


def there(folder: Path, port: str = "/dev/x", **journal: str) -> tuple[Neighbour, ...]:
    write(folder, table("t1", port, **journal))
    return neighbours(folder)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("socket://127.0.0.1:7001", "socket://localhost:7001"),
        ("socket://127.0.0.1:7001", "socket://[::1]:07001"),
        ("socket://SERVER:7001", "socket://server:7001"),
        ("usb:12ab:34cd", "usb:12AB:34CD"),
        ("/dev/x", "/dev/../dev/x"),
    ],
)
def test_a_shoe_is_one_whatever_its_port_is_called(tmp_path: Path, first: str, second: str) -> None:
    with pytest.raises(ValueError, match=r"is where the shoe of 't1' is .*: name this table's own with --port"):
        check_alone("north", "t2", second, there(tmp_path, first), publishes=False)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("socket://127.0.0.1:7001", "socket://127.0.0.1:7002"),
        ("socket://127.0.0.1:7001", "socket://127.0.0.2:7001"),
        ("usb:12ab:34cd:A1", "usb:12ab:34cd:a1"),
        ("/dev/x", "/dev/X"),
    ],
)
def test_another_shoe_is_another_one(tmp_path: Path, first: str, second: str) -> None:
    check_alone("north", "t2", second, there(tmp_path, first), publishes=False)


def test_a_name_that_differs_in_capitals_alone_is_taken(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is the table 't1' already: give this one another name with --table"):
        check_alone("north", "T1", "/dev/y", there(tmp_path), publishes=False)


@pytest.mark.parametrize(
    ("journal", "told"),
    [
        (
            {"file": "kept/t1.journal"},
            r"kept/t1\.journal is the journal of 't1' .*: name this table's own with --journal",
        ),
        ({"file": "link/t1.journal"}, r"is the journal of 't1' .*: name this table's own with --journal"),
        (
            {"file": "t2.journal", "anchor": "t1.anchor"},
            r"is the anchor of 't1' .*: name this table's own with --anchor",
        ),
        ({"file": "t1.anchor"}, r"is the anchor of 't1' .*: name this table's own with --journal"),
    ],
)
def test_a_journal_and_an_anchor_belong_to_one_table(tmp_path: Path, journal: dict[str, str], told: str) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    others = there(tmp_path, file="kept/t1.journal", anchor="t1.anchor")
    with pytest.raises(ValueError, match=told):
        check_journal_alone(load(tmp_path, table("t2", "/dev/y", **journal)).journal, others)
    check_journal_alone(load(tmp_path, table("t2", "/dev/y", file="t2.journal", anchor="t2.anchor")).journal, others)
