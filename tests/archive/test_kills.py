"""A sample of what `python -m tests.archive.kills` does at length."""

import asyncio
from pathlib import Path

from tests.archive.kills import Times, kill_everything


def test_whatever_dies_every_event_is_stored_once(tmp_path: Path) -> None:
    times = Times(archive=2, database=2, broker=1, journals=1)
    outcome = asyncio.run(kill_everything(tmp_path, seed=3, times=times, longest_pause=0.2))
    assert outcome.journals == 2
    assert outcome.events > 100
