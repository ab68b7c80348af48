"""A controller that dies at any moment: what was answered is there, what was not is there whole or not at all."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import RecordKind
from tests.journal.samples import entry, opened, verified, write

CRASHES = 12

WRITER = """
import sys, threading
from pathlib import Path
from tests.journal.samples import entry, opened

first = int(sys.argv[2])
with opened(Path(sys.argv[1])) as journal:
    said = threading.Lock()

    def answered(answer):
        with said:
            print(answer.result().seqs[-1], flush=True)

    number = first
    while True:
        # A few at a time, as they come from several sides; each is answered for itself.
        answers = [journal.submit(entry(number + more, events=1)) for more in range(1 + number % 5)]
        for answer in answers:
            answer.add_done_callback(answered)
        journal.confirm(max(0, number - 10))
        answers[-1].result()
        number += len(answers)
"""


def crash(path: Path, first: int, answers: int) -> int:
    """Have a writer killed when it has given so many answers; the last message that it confirmed."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(first)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    heard = [int(writer.stdout.readline()) for _ in range(answers)]
    writer.send_signal(signal.SIGKILL)
    heard += [int(line) for line in writer.stdout.read().splitlines()]
    writer.stdout.close()
    assert writer.wait(timeout=10) == -signal.SIGKILL
    return max(heard)


def test_every_answered_entry_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    chance = random.Random(20261116)  # noqa: S311 - the same moments every time
    stored = 0
    for _ in range(CRASHES):
        answered = crash(path, stored + 1, chance.randint(1, 60))
        with JournalReader(path) as reader:
            position = reader.position()
            assert position.last_seq >= answered
            records = list(reader.records(0, position.head.number))
        stored = position.last_seq
        inputs = [record.body for record in records if record.kind == RecordKind.INPUT]
        assert inputs == [b"input %d" % number for number in range(1, stored + 1)]
        assert position.link_state == b"link %d" % stored
        assert position.published_seq <= stored
        # The last entry is whole.
        last = [record for record in records if record.entry == records[-1].entry]
        whole = entry(stored)
        assert len(last) == len(whole.raw) + 1 + len(whole.events)
        assert verified(path).good


@pytest.mark.parametrize("seed", range(3))
def test_a_log_torn_at_any_byte_loses_only_the_end(tmp_path: Path, seed: int) -> None:
    """The log as a dying disk might leave it: cut anywhere. Whole entries are left, and the chain is good."""
    path = tmp_path / "table.journal"
    write(path, [entry(1)])
    with opened(path) as journal:
        for number in range(2, 12):
            journal.submit(entry(number)).result(timeout=10)
        data, log = path.read_bytes(), path.with_name("table.journal-wal").read_bytes()
    chance = random.Random(seed)  # noqa: S311 - the same cuts every time
    seen = set()
    for cut in sorted(chance.randrange(len(log)) for _ in range(25)):
        torn = tmp_path / f"torn-{cut}.journal"
        torn.write_bytes(data)
        torn.with_name(f"{torn.name}-wal").write_bytes(log[:cut])
        with opened(torn) as journal:
            journal.confirm(0).result(timeout=10)
        assert verified(torn).good
        with JournalReader(torn) as reader:
            seen.add(reader.position().last_seq)
    assert min(seen) < max(seen)
