"""A journal in which every kind of record occurs, to be read, changed and broken."""

import shutil
from pathlib import Path

import pytest

from shoe_controller.journal.prune import prune
from shoe_controller.journal.records import Start
from tests.journal.samples import SOFTWARE, entry, key_folder, moment, opened, shoes, signed, verified, write


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal in which every kind of record occurs, in its middle: nothing here is the last one."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "table.journal"
    entries, keys = list(shoes(4)), key_folder(folder / "keys")
    for first, last in ((0, 8), (8, 14), (14, 16)):
        write(path, entries[first:last])
        signed(path, keys, last)
    write(path, [*entries[16:], entry(100, shoe=4, start=Start.SNAPSHOT), entry(101, shoe=4)])
    with opened(path) as journal:
        journal.confirm(20).result(timeout=10)
    prune(
        path,
        older_than_ms=moment(13).wall_ms,
        folder=folder,
        now=moment(200),
        software=SOFTWARE,
        progress=lambda _done, _all: None,
        rest=lambda: None,
    )
    write(path, [entry(number, shoe=4) for number in range(102, 110)])
    assert verified(path).good
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "table.journal"))
