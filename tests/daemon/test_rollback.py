"""A table whose journal is an older copy of itself notices it, keeps the copy, goes on in a new journal, and stops.

Real processes on a real Mosquitto; the journal is copied and put back while no controller runs.
"""

import shutil
from pathlib import Path

import pytest

from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import RunningConfig, for_running
from shoe_controller.daemon.assembly import open_table
from shoe_controller.daemon.table_journal import SOFTWARE, entry_for
from shoe_controller.journal.anchor import Claim, read_anchor, write_anchor
from shoe_controller.journal.database import files_of
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.journal.store import open_journal
from shoe_controller.messages.alerts import AlertMessage
from shoe_controller.messages.details import JournalBehind
from shoe_controller.messages.retained import StateMessage
from shoe_controller.table.inputs import Snapshot
from tests.daemon.clients import Display
from tests.daemon.harness import Chain
from tests.journal.old_journals import TABLE, copied
from tests.table_files import load, small_house


def copies(chain: Chain) -> dict[Path, bytes]:
    """The journal and its log, as they are."""
    return {file: file.read_bytes() for file in (chain.journal, Path(f"{chain.journal}-wal")) if file.exists()}


def put_back(chain: Chain, files: dict[Path, bytes]) -> None:
    for file in chain.folder.glob(f"{chain.journal.name}-*"):
        file.unlink()
    for file, content in files.items():
        file.write_bytes(content)


async def deal(chain: Chain, rounds: int) -> None:
    """Wait for so many rounds more."""
    before = chain.times_logged("round_result")
    await chain.becomes(lambda: chain.times_logged("round_result") >= before + rounds, what=f"{rounds} rounds")


def shown(display: Display) -> StateMessage:
    assert display.state is not None
    return display.state


async def raised(display: Display, kind: str) -> AlertMessage:
    """The alert of that kind, when it stands."""
    await display.until(
        lambda: display.state is not None and any(alert.kind == kind for alert in display.state.alerts), what=kind
    )
    return next(alert for alert in shown(display).alerts if alert.kind == kind)


@pytest.mark.asyncio
@pytest.mark.parametrize("seen_by", ["anchor", "status"])
async def test_an_older_copy_stops_the_table_until_two_supervisors_accept_it(tmp_path: Path, seen_by: str) -> None:
    async with Chain(tmp_path, speed="100") as chain:
        await chain.start_daemon()
        await chain.start_emulator()
        await deal(chain, 1)
        await chain.stop_daemon()
        older = copies(chain)
        with JournalReader(chain.journal) as reader:
            old_id, old_head = reader.identity.journal_id, reader.position().head
        await chain.start_daemon()
        await deal(chain, 2)
        await chain.kill_daemon()  # as a power cut: what the broker has now is the will
        put_back(chain, older)
        if seen_by == "status":
            chain.anchor.unlink()
        else:
            await chain.broker.kill()
            await chain.broker.start()
        await chain.start_daemon()

        display = await chain.display()
        alert = await raised(display, "journal_rolled_back")
        assert shown(display).stopped
        behind = alert.detail
        assert isinstance(behind, JournalBehind)
        assert (behind.journal, behind.source) == (old_id, seen_by)
        assert behind.noted > old_head.number
        with JournalReader(chain.folder / behind.file) as kept, JournalReader(chain.journal) as new:
            assert kept.identity.journal_id == old_id
            assert str(kept.position().head) == f"{behind.number}:{behind.hash}"
            assert kept.hash_at(old_head.number) == old_head.hash
            assert new.identity.journal_id != old_id
        assert shown(display).shoe == 1, "the table's state was taken over"

        terminal = await chain.terminal(display)
        assert (await terminal.supervisor("accept_rollback", reason="compared with the displays")).status == "ok"
        proposal = shown(display).proposal
        assert proposal is not None
        assert (await terminal.supervisor("approve", proposal=proposal.proposal)).code == "same_person"
        assert (await terminal.supervisor("approve", "shah", proposal=proposal.proposal)).status == "ok"
        await display.until(
            lambda: all(each.kind != "journal_rolled_back" for each in shown(display).alerts), what="the alert's end"
        )
        await chain.stop_daemon()
        with JournalReader(chain.journal) as reader:
            assert read_anchor(chain.anchor)[-1] == Claim(reader.identity.journal_id, reader.position().head)


# --- beside other troubles -------------------------------------------------------------------------------------------


def running_config(folder: Path, site: str, table: str) -> RunningConfig:
    sections = {
        "table": {"site": site, "name": table},
        "shoe": {"wire": "angel_eye", "port": "/dev/ttyS99"},
        "journal": {"file": "t.journal", "anchor": "t.anchor"},
    }
    return for_running(load(folder, small_house() | sections))


@pytest.mark.asyncio
async def test_what_is_no_anchor_is_not_replaced_by_one(tmp_path: Path) -> None:
    """The path in the file may be that of a key, or of another journal."""
    config = running_config(tmp_path, "north", "t1")
    open_table(config, SystemClock()).close()
    other = copied("killed_in_a_round", tmp_path, "t.anchor")
    before = other.read_bytes()
    opened = open_table(config, SystemClock())
    assert "not an anchor" in opened.anchor.trouble
    opened.anchor.keep(Claim("another", Head(number=1, hash=bytes(32))))
    opened.close()
    assert other.read_bytes() == before


@pytest.mark.asyncio
async def test_a_journal_that_was_set_aside_before_is_still_reported(tmp_path: Path) -> None:
    """The journal after it was rolled back before it had told of that; so must be the one that takes over."""
    config = running_config(tmp_path, "north", "t1")
    open_table(config, SystemClock()).close()
    with JournalReader(config.journal.file) as reader:
        ahead = Claim(reader.identity.journal_id, Head(number=1, hash=bytes(32)))
    write_anchor(tmp_path / "t.anchor", [ahead])
    (tmp_path / "t.journal.damaged-20261116T120000Z").write_bytes(b"damaged")
    for start in ("the first", "one after a crash"):
        opened = open_table(config, SystemClock())
        try:
            assert opened.reader.identity.journal_id != ahead.journal
            assert "t.journal.damaged-20261116T120000Z" in opened.damaged, start
        finally:
            opened.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["killed_in_a_round", "pruned_shoe"])
async def test_a_journal_of_layout_1_is_no_rollback_but_its_backup_is(tmp_path: Path, name: str) -> None:
    """An upgrade changes no record, so an anchor fits before and after it; what was stored since is missing later."""
    config = running_config(tmp_path, *TABLE.split("/"))
    journal, anchor = copied(name, tmp_path, "t.journal"), tmp_path / "t.anchor"
    with JournalReader(journal) as reader:
        identity, before = reader.identity, reader.position().head
    write_anchor(anchor, [Claim(identity.journal_id, before)])
    opened = open_table(config, SystemClock())
    assert opened.reader.identity == identity, "the upgrade was taken for a rollback"
    backup, snapshot = opened.backup, Snapshot(state=opened.table.state)
    assert backup is not None
    at = SystemClock().now()
    added = entry_for(snapshot, opened.table.handle(snapshot, at), at)
    opened.close()
    writer = open_journal(journal, identity=identity, software=SOFTWARE, now_ms=at.wall_ms, stamp="20261116T120000Z")
    write_anchor(anchor, [Claim(identity.journal_id, writer.submit(added).result(timeout=30).head)])
    writer.close()
    open_table(config, SystemClock()).close()  # the record that the anchor has noted is there

    for file in files_of(journal):
        file.unlink(missing_ok=True)
    shutil.copy(backup, journal)
    opened = open_table(config, SystemClock())
    try:
        assert opened.reader.identity.journal_id != identity.journal_id, "the backup was taken for the journal"
        alerts = opened.table.state.lasting.alerts
        assert alerts[-1].kind == "journal_rolled_back"
        assert isinstance(alerts[-1].detail, JournalBehind)
        assert (alerts[-1].detail.number, alerts[-1].detail.source) == (before.number, "anchor")
    finally:
        opened.close()
