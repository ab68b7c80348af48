"""A journal that is not where the file says: a table that has dealt before does not begin another one unasked."""

import os
import shutil
import stat
from pathlib import Path

import msgspec
import pytest

from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import RunningConfig
from shoe_controller.daemon import beginning
from shoe_controller.daemon.assembly import open_table
from shoe_controller.daemon.table_journal import SOFTWARE, recover
from shoe_controller.journal import opening
from shoe_controller.journal.anchor import Claim, write_anchor
from shoe_controller.journal.database import files_of
from shoe_controller.journal.errors import NotBegunError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from shoe_controller.messages.details import DealtSign, NewJournalBegun
from shoe_controller.messages.retained import StatusMessage
from tests.commands.running import run_program
from tests.daemon.harness import Chain
from tests.daemon.in_process import ClockThatIsSet, daemon_running
from tests.daemon.test_rollback import raised, running_config
from tests.journal.samples import STAMP
from tests.mqtt.brokers import connected

pytestmark = pytest.mark.asyncio

CLOCK = SystemClock()
NOTED = Claim("4f2a9c1e", Head(number=412, hash=bytes(32)))


def opened(config: RunningConfig, status_of: str | None = None) -> str:
    """The id of the journal that a start opens or begins."""
    table = open_table(config, CLOCK, status_of=status_of)
    try:
        return table.reader.identity.journal_id
    finally:
        table.close()


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def table_in(folder: Path) -> RunningConfig:
    return running_config(folder, "north", "t1")


# --- what says that a table has dealt before -------------------------------------------------------------------------


async def test_a_new_table_begins_its_journal_by_itself(tmp_path: Path) -> None:
    config = table_in(tmp_path)
    begun = opened(config)
    assert opened(config, status_of="of any other journal") == begun, "a journal that is there is opened"


@pytest.mark.parametrize("sign", ["anchor", "unreadable anchor", "damaged", "rolled-back", "schema-1", "status"])
async def test_a_table_that_has_dealt_before_begins_none(tmp_path: Path, sign: str) -> None:
    config, status_of = table_in(tmp_path), None
    named = sign
    match sign:
        case "anchor":
            write_anchor(tmp_path / "t.anchor", [NOTED])
            named = "knows the journal 4f2a9c1e, with 412 records"
        case "unreadable anchor":
            (tmp_path / "t.anchor").write_bytes(b"\0\0")
            named = "an anchor that says nothing"
        case "status":
            status_of = "4f2a9c1e"
            named = "the broker has its status, from the journal 4f2a9c1e"
        case _:
            (tmp_path / f"t.journal.{sign}-{STAMP}").write_bytes(b"an earlier one")
    before = names_in(tmp_path)
    with pytest.raises(NotBegunError) as refused:
        opened(config, status_of)
    assert named in str(refused.value)
    assert "shoe-controller journal begin" in str(refused.value)
    assert names_in(tmp_path) == before, "nothing was made"


async def test_a_folder_is_made_unasked_only_where_journals_are_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = table_in(tmp_path)
    folder = tmp_path / "jounrals"
    config = config._replace(journal=config.journal._replace(file=folder / "t.journal", keys=folder / "keys"))
    with pytest.raises(NotBegunError, match=f"its folder {folder} does not exist"):
        opened(config)
    assert not folder.exists()
    monkeypatch.setattr(beginning, "JOURNALS", folder)
    assert opened(config)


async def test_power_that_fails_between_a_damaged_journal_and_its_successor_stops_nothing(tmp_path: Path) -> None:
    config = table_in(tmp_path)
    opened(config)
    write_anchor(tmp_path / "t.anchor", [NOTED])
    config.journal.file.write_bytes(b"this was a journal once")
    aside = opening.set_aside(config.journal.file, stamp=STAMP)
    table = open_table(config, CLOCK)
    table.close()
    assert aside.name in table.damaged, "it is reported"
    for file in files_of(config.journal.file):
        file.unlink(missing_ok=True)
    with pytest.raises(NotBegunError):
        opened(config)


async def test_a_log_without_its_journal_is_a_damaged_journal(tmp_path: Path) -> None:
    config = table_in(tmp_path)
    opened(config)
    write_anchor(tmp_path / "t.anchor", [NOTED])
    main, log, _ = files_of(config.journal.file)
    main.unlink()
    log.write_bytes(bytes(64))
    table = open_table(config, CLOCK)
    table.close()
    assert "its log t.journal-wal is still there" in table.damaged


# --- on the record ---------------------------------------------------------------------------------------------------


async def test_a_mistyped_journal_is_refused_and_begun_when_asked(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        await chain.start_daemon()
        await chain.becomes(lambda: chain.times_logged("broker_up"), what="the table to have published")
        await chain.stop_daemon()
        file = chain.write_file()
        assert run_program("journal", "begin", str(file)).exit_code == 2, "there is one"
        mistyped = tmp_path / "tabel.journal"
        chain.data["journal"] |= {"file": str(mistyped), "keys": f"{chain.journal}.keys"}
        chain.write_file()
        await chain.daemon.start()
        assert await chain.daemon.ended() == 2
        with JournalReader(chain.journal) as reader:
            journal = reader.identity.journal_id
        told = chain.daemon.output.splitlines()[-1]
        assert f"{mistyped}: there is no journal here, and this table has dealt before" in told
        assert f"its anchor {chain.anchor} knows the journal {journal}" in told
        assert f"the broker has its status, from the journal {journal}" in told
        assert f"If it is lost: `shoe-controller journal begin {file}` begins a new one" in told
        assert not mistyped.exists()

        begun = run_program("journal", "begin", str(file))
        assert begun.exit_code == 0, begun.err
        assert f"{mistyped}: begun, as the journal " in begun.out
        assert f"the broker has its status, from the journal {journal}" in begun.out
        assert stat.S_IMODE(mistyped.stat().st_mode) == 0o600
        await chain.daemon.start()
        display = await chain.display()
        alert = await raised(display, "journal_begun")
        assert alert.severity.value == "stops"
        assert alert.detail == NewJournalBegun(signs=(DealtSign.ANCHOR, DealtSign.STATUS))
        terminal = await chain.terminal(display)
        cleared = await terminal.supervisor("clear_alert", alert=alert.number, reason="the disk is lost")
        assert cleared.status == "ok", cleared
        assert await chain.stop_daemon() == 0
        with JournalReader(mistyped) as reader:
            recover(reader, SOFTWARE)


async def test_journal_begin_makes_the_folder_it_is_asked_for_and_raises_nothing_for_a_new_table(
    tmp_path: Path,
) -> None:
    async with Chain(tmp_path, with_broker=False) as chain:
        journal = tmp_path / "new" / "folder" / "t.journal"
        chain.data["journal"] |= {"file": str(journal)}
        file = chain.write_file()
        before = os.umask(0)
        try:
            begun = run_program("journal", "begin", str(file))
        finally:
            os.umask(before)
        assert begun.exit_code == 0, begun.err
        assert "has dealt before" not in begun.out
        assert stat.S_IMODE(journal.stat().st_mode) == 0o600
        assert stat.S_IMODE(journal.parent.stat().st_mode) == 0o750
        with JournalReader(journal) as reader:
            assert recover(reader, SOFTWARE).state.lasting.alerts == ()


async def test_a_sign_that_shows_later_is_an_alert(tmp_path: Path) -> None:
    """The broker was away when the journal was begun; what it has retained is from another journal."""
    async with Chain(tmp_path) as chain:
        earlier = StatusMessage(online=False, session=1, start="gone", journal="4f2a9c1e")
        async with connected(chain.broker.port, client_id="before") as session:
            await session.publish(chain.topics.status, msgspec.json.encode(earlier), retain=True)
        async with daemon_running(chain.write_file(), ClockThatIsSet()):
            display = await chain.display()
            alert = await raised(display, "journal_begun")
            assert alert.detail == NewJournalBegun(signs=(DealtSign.STATUS,))
        # Now it is on the record why this journal was begun, and the broker's status is that of this one.
        async with daemon_running(chain.write_file(), ClockThatIsSet()):
            display = await chain.display()
            await raised(display, "journal_begun")
        with JournalReader(chain.journal) as reader:
            stood = recover(reader, SOFTWARE).state.lasting
            assert stood.alerts_raised == 1


@pytest.mark.long
async def test_a_journal_that_replaces_a_damaged_one_is_no_sign(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain:
        await chain.start_daemon()
        await chain.becomes(lambda: chain.times_logged("broker_up"), what="the table to have published")
        await chain.stop_daemon()
        shutil.rmtree(f"{chain.journal}.keys")
        chain.journal.write_bytes(b"this was a journal once")
        await chain.start_daemon()
        display = await chain.display()
        await raised(display, "journal_damaged")
        await chain.stop_daemon()
        assert not chain.times_logged("dealt_before")
