"""A name that belongs to another file, or to none, is noticed; by either way of asking."""

import os
from pathlib import Path

import pytest

from shoe_controller.journal.inode_watch import InodeWatch, WhichFile, by_stat, by_statx


@pytest.fixture(params=["statx", "stat"])
def which_file(request: pytest.FixtureRequest) -> WhichFile:
    if request.param == "stat":
        return by_stat
    found = by_statx()
    if found is None:
        pytest.skip("this libc has no statx")
    return found


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    names = [tmp_path / "journal", tmp_path / "journal-wal \N{GREEK SMALL LETTER ALPHA}"]
    for name in names:
        name.write_bytes(b"old")
    return names


def test_both_ways_name_the_same_file(files: list[Path]) -> None:
    found = by_statx()
    if found is None:
        pytest.skip("this libc has no statx")
    for name in map(os.fsencode, files):
        assert found(name) == by_stat(name) is not None


def test_files_that_are_written_to_are_still_the_same(files: list[Path], which_file: WhichFile) -> None:
    same = InodeWatch(files, which_file)
    assert same.are_still_there()
    for name in files:
        with name.open("ab") as file:
            file.write(b"more")
    assert same.are_still_there()


@pytest.mark.parametrize("place", [0, 1])
def test_a_file_moved_away_is_missed_until_it_is_back(files: list[Path], which_file: WhichFile, place: int) -> None:
    same, elsewhere = InodeWatch(files, which_file), files[place].with_name("elsewhere")
    files[place].rename(elsewhere)
    assert not same.are_still_there()
    # Another one in its place, with the same bytes, is not the same.
    files[place].write_bytes(elsewhere.read_bytes())
    assert not same.are_still_there()
    elsewhere.rename(files[place])
    assert same.are_still_there()


@pytest.mark.parametrize("place", [0, 1])
def test_a_file_removed_while_it_is_open_does_not_come_back(
    files: list[Path], which_file: WhichFile, place: int
) -> None:
    same = InodeWatch(files, which_file)
    # As SQLite does: while it is open, no other file gets its number.
    with files[place].open("rb"):
        files[place].unlink()
        assert not same.are_still_there()
        files[place].write_bytes(b"old")
        assert not same.are_still_there()


def test_what_was_never_there_is_not_still_there(files: list[Path], which_file: WhichFile) -> None:
    files[1].unlink()
    assert not InodeWatch(files, which_file).are_still_there()
