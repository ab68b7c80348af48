"""A sample of the power cuts of `make torture`, and proof that the disk really forgets."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.torture.power_cuts import Cuts, ForgetfulDisk, forgetful_disk, why_not

CUTS = 8


@pytest.fixture(scope="module")
def disk() -> Iterator[ForgetfulDisk]:
    if why_not():
        pytest.skip(why_not())
    with forgetful_disk() as mounted:
        yield mounted


def test_every_answered_entry_survives_a_power_cut(disk: ForgetfulDisk, tmp_path: Path) -> None:
    cuts = Cuts(disk, tmp_path, seed=5)
    for _ in range(CUTS):
        cuts.cut()
    assert cuts.answered > CUTS
    assert cuts.anchored, "no cut came after an anchor"


def test_an_anchor_on_a_disk_of_its_own_is_never_ahead_of_the_journal(disk: ForgetfulDisk, tmp_path: Path) -> None:
    with forgetful_disk() as anchors:
        cuts = Cuts(disk, tmp_path, seed=3, anchors=anchors)
        for _ in range(3):
            cuts.cut()
    assert cuts.anchored, "no cut came after an anchor"


def test_the_disk_forgets_what_was_not_synced(disk: ForgetfulDisk, tmp_path: Path) -> None:
    disk.cut(1_000_000, seed=1)
    for name in ("synced", "forgotten"):
        with (disk.folder / name).open("wb", buffering=0) as file:
            for number in range(100):
                file.write(b"%06d" % number)
            if name == "synced":
                os.fsync(file.fileno())
    folder = os.open(disk.folder, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
    disk.dump(tmp_path)
    whole = b"".join(b"%06d" % number for number in range(100))
    assert (tmp_path / "synced").read_bytes() == whole
    assert (tmp_path / "forgotten").read_bytes() != whole


def test_commits_that_are_not_synced_are_lost_on_it(disk: ForgetfulDisk, tmp_path: Path) -> None:
    """SQLite with `synchronous=NORMAL` loses commits here: so the journal keeps its own because it syncs them."""
    disk.cut(1_000_000, seed=2)
    with closing(sqlite3.connect(disk.folder / "careless", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("CREATE TABLE number (n)")
        database.execute("PRAGMA wal_checkpoint")
        for number in range(50):
            database.execute("INSERT INTO number VALUES (?)", (number,))
        disk.dump(tmp_path)
    with closing(sqlite3.connect(tmp_path / "careless")) as database:
        assert database.execute("SELECT count(*) FROM number").fetchone()[0] < 50
