"""`python -m tests.deploy.nothing_lost JOURNAL TRUTH [RECEIVED]`: exits with 0 if nothing was lost, and says how much.

Runs where the package is installed, with the package's own libraries. The journal must be whole and replay to the same
facts; each card that left the emulated shoe must be in it once, in order; and what a subscriber received, one line for
each event, must be all that the journal holds. The shoe goes on meanwhile, so all three are taken at one moment; if a
card was under way just then, one has to ask again.
"""

import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from simulator.truth import read_truth
from tests.reckoning import reckoned, sound_journal


def heard_by(file: Path) -> dict[int, tuple[str, bytes]]:
    """Every event by its number; the same one may have come twice, and must then be the same."""
    has: dict[int, tuple[str, bytes]] = {}
    for line in file.read_bytes().splitlines():
        topic, _, payload = line.partition(b" ")
        event = "/".join(topic.decode().split("/")[-2:]), payload
        seq = json.loads(payload)["seq"]
        assert has.setdefault(seq, event) == event, f"event {seq} came twice, as {has[seq]} and as {event}"
    return has


def copy_of(journal: Path, folder: str) -> Path:
    """As it is at this moment, with what is still in its write-ahead log; opened so that nothing of it changes."""
    copy = Path(folder, journal.name)
    read_only = f"{journal.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(read_only, uri=True)) as here, closing(sqlite3.connect(copy)) as there:
        here.backup(there)
    return copy


def main(journal_file: str, truth_file: str, heard_file: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = copy_of(Path(journal_file), folder)
        truth = read_truth(Path(truth_file))
        journal = sound_journal(path, None if heard_file is None else heard_by(Path(heard_file)))
    found = reckoned(journal, truth)
    print(f"{found.cards} cards, {found.results} results, {found.events} events: nothing is lost")  # noqa: T201 - this is a command


if __name__ == "__main__":
    main(*sys.argv[1:])
