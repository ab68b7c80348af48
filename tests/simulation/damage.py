"""What can become of a journal while nobody has it open, each so that the next start must notice it."""

from collections.abc import Callable
from pathlib import Path

from shoe_controller.clock.moment import Moment
from shoe_controller.daemon.table_journal import SOFTWARE, entry_for, recover
from shoe_controller.journal.database import files_of
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.store import BatchWriter, Submission
from shoe_controller.table.inputs import ClockStepped
from shoe_controller.table.table import Handled
from tests.journal.tampering import query, tampered


def _another_file(journal: Path) -> None:
    """It is another file altogether."""
    journal.write_bytes(b"this was a journal once\n" * 500)


def _cut_off(journal: Path) -> None:
    """The end of the file is gone, with pages of which its log has no copy: that of the journal's name, for one."""
    data = journal.read_bytes()
    journal.write_bytes(data[: len(data) // 8])


def _gone(journal: Path) -> None:
    """The file is gone, and its log is still there."""
    journal.unlink()
    _, log, _ = files_of(journal)
    log.write_bytes(bytes(64))


def _rewritten(journal: Path) -> None:
    """Somebody has changed the last record and did not know of the chain."""
    tampered(
        journal,
        "UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE number = (SELECT max(number) FROM record)",
    )


def _differs(journal: Path) -> None:
    """The chain is sound, but an input does not lead to its facts, as if another program had written it."""
    with JournalReader(journal) as reader:
        table = recover(reader, SOFTWARE)
    given, at = ClockStepped(by_ms=60_000), Moment(wall_ms=1_600_000_000_000, mono_ns=1, synchronised=True)
    if not table.handle(given, at).facts:
        # Such an alert stands already, and another step is no news.
        _rewritten(journal)
        return
    nothing = Handled(state=table.state, facts=(), refusal=None, changed=True)
    writer = BatchWriter(journal, SOFTWARE)
    writer.write([Submission(entry_for(given, nothing, at), lambda _: None)])
    writer.close()


_DAMAGES: tuple[Callable[[Path], None], ...] = (_another_file, _cut_off, _gone, _rewritten, _differs)
_NEED_RECORDS = (_rewritten, _differs)


def damage(journal: Path, number: int) -> dict[str, bytes]:
    """Do one of these to it; what is left, by the end of each file's name."""
    chosen = _DAMAGES[number % len(_DAMAGES)]
    if chosen in _NEED_RECORDS and not query(journal, "SELECT count(*) FROM record")[0][0]:
        chosen = _another_file
    chosen(journal)
    return left_of(journal)


def left_of(journal: Path) -> dict[str, bytes]:
    """The bytes of a journal and of its log. An empty log says as much as none, and SQLite's third file nothing."""
    main, log, _ = files_of(journal)
    found = {file.name.removeprefix(journal.name): file.read_bytes() for file in (main, log) if file.exists()}
    return {name: data for name, data in found.items() if data}
