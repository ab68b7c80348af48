"""A journal that commit c95fc04 wrote: this program has the same version, and decides otherwise."""

import shutil
from pathlib import Path

import msgspec
import pytest

from shoe_controller.daemon.table_journal import SOFTWARE, recover, replay, same_fact, snapshot_if_needed
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.verify import verify
from shoe_controller.messages.phases import Phase

WRITTEN = Path(__file__).with_name("old_files") / "c95fc04" / "mid_round.journal"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    shutil.copy(WRITTEN, tmp_path / "table.journal")
    return tmp_path / "table.journal"


def test_the_table_stands_in_the_middle_of_its_round(path: Path) -> None:
    with JournalReader(path) as reader:
        table = recover(reader, SOFTWARE)
        assert snapshot_if_needed(reader, table, SOFTWARE) is not None, "so that it is replayed no more"
    playing = table.state.round
    assert (table.state.phase, playing is not None) == (Phase.DEALING, True)
    assert [str(laid.card) for laid in playing.cards] == ["9H", "4D"]  # type: ignore[union-attr]  # asserted above
    assert msgspec.to_builtins(playing.wagers)[0] | {"accepted_ns": 0} == {  # type: ignore[union-attr]  # as above
        "seat": "1",
        "wager": "base.player",
        "stake": 500,
        "accepted_ns": 0,
    }


def test_it_is_verified(path: Path) -> None:
    report = verify(path, replay=replay, agree=same_fact, software=SOFTWARE, progress=lambda *_: None)
    assert report.good, report.problems
    assert report.not_replayed.keys() == {"0.1.0"}
