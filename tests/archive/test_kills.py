"""A sample of what `python -m tests.archive.kills` does at length."""

import asyncio
from pathlib import Path

from tests.archive.kills import Times, kill_everything


def test_whatever_dies_every_event_is_stored_once(tmp_path: Path) -> None:
    # The broker dies with the journal that is set aside.
    times = Times(archive=1, database=1, broker=0, journals=1)
    outcome = asyncio.run(kill_everything(tmp_path, seed=3, times=times, longest_pause=0.2))
    assert outcome.journals == 2
    assert outcome.events > 100
