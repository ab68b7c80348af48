"""The doctor and the journal: real files, real damage, real file systems."""

from pathlib import Path

import pytest

from shoe_controller.clock.system_clock import SystemClock
from shoe_controller.config.table_file import for_running, load_config
from shoe_controller.daemon.assembly import open_table
from shoe_controller.doctor.findings import Machine, Patient, Thresholds
from shoe_controller.journal.anchor import Claim, write_anchor
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head
from tests.commands.running import run_program
from tests.daemon.harness import Chain
from tests.doctor.clinic import NOBODY, clinic_file, good, not_looked, patient_with, problems
from tests.journal.samples import IDENTITY, entry, write
from tests.journal.tampering import tampered

pytestmark = pytest.mark.asyncio

MEMORY = Path("/dev/shm")  # noqa: S108 - the one file system in memory that every Linux has


def with_journal(folder: Path) -> Patient:
    """A table that has been opened once."""
    patient = patient_with(folder, clinic_file(folder))
    opened = open_table(for_running(load_config(patient.file, guarded=False)), SystemClock())
    opened.reader.close()
    opened.writer.close()
    return patient


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


async def test_a_journal_in_use_is_whole(tmp_path: Path) -> None:
    async with Chain(tmp_path, seed=3) as chain, chain.emulated_shoe(cut_card=390) as shoe:
        await chain.start_daemon()
        await shoe.until(lambda: shoe.emulation.shoe.cards_out >= 4, within=30)
        assert "is intact" in await good(patient_with(tmp_path, chain.data), "journal")
        await chain.kill_daemon()
        tampered(chain.journal, "UPDATE record SET body = x'7b7d' WHERE number = 2")
        told = await problems(patient_with(tmp_path, chain.data), "journal")
        assert "record 2" in told


async def test_journal_key_fails_until_the_public_half_is_taken_away(tmp_path: Path) -> None:
    async with Chain(tmp_path, seed=3) as chain, chain.emulated_shoe(cut_card=390):
        assert "does not exist yet" in await good(patient_with(tmp_path, chain.data), "journal-key")
        await chain.start_daemon()
        patient, keys = patient_with(tmp_path, chain.data), chain.journal.with_name(f"{chain.journal.name}.keys")
        await chain.becomes(lambda: any(keys.glob("*.key")), 30)
        told = await problems(patient, "journal-key")
        assert "is still on this machine" in told
        (public,) = keys.glob("*.public")
        assert str(public) in told
        public.rename(tmp_path / "elsewhere.public")
        assert "has been taken elsewhere" in await good(patient, "journal-key")
        keys.chmod(0o755)
        assert "open to other users" in await problems(patient, "journal-key")


async def test_journal_fails_when_it_is_damaged(tmp_path: Path) -> None:
    patient = with_journal(tmp_path)
    assert "is intact" in await good(patient, "journal")
    journal = tmp_path / "table.journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole[: len(whole) // 2])
    assert str(journal) in await problems(patient, "journal")
    journal.write_bytes(b"no journal at all")
    assert str(journal) in await problems(patient, "journal")


async def test_journal_fails_when_its_file_has_a_second_name(tmp_path: Path) -> None:
    patient = with_journal(tmp_path)
    (tmp_path / "second.journal").hardlink_to(tmp_path / "table.journal")
    assert "has 2 names (hard links)" in await problems(patient, "journal")
    (tmp_path / "second.journal").unlink()
    assert "is intact" in await good(patient, "journal")


async def test_journal_fails_when_it_is_another_tables(tmp_path: Path) -> None:
    with_journal(tmp_path)
    data = clinic_file(tmp_path)
    data["table"]["name"] = "table-9"
    told = await problems(patient_with(tmp_path, data), "journal")
    assert "is the journal of table test-site/table-1, not of test-site/table-9" in told


async def test_journal_fails_when_the_service_cannot_write_it(tmp_path: Path) -> None:
    patient = with_journal(tmp_path)
    patient.user = NOBODY
    assert "user nobody may not write to" in await problems(patient, "journal")
    data = clinic_file(tmp_path, journal=tmp_path / "missing" / "table.journal")
    missing = f"the folder {tmp_path / 'missing'} does not exist"
    assert missing in await problems(patient_with(tmp_path, data), "journal")


async def test_a_journal_that_is_not_there_yet_is_no_problem(tmp_path: Path) -> None:
    assert "does not exist yet" in await good(patient_with(tmp_path, clinic_file(tmp_path)), "journal")


async def test_disk_space_fails_when_little_is_left(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path), limits=Thresholds(free_bytes=1 << 60))
    assert "MiB left; " in await problems(patient, "disk-space")
    patient.limits = Thresholds(free_bytes=0, free_inodes=1 << 60)
    assert "room for only" in await problems(patient, "disk-space")
    patient.limits = Thresholds(free_bytes=0, free_inodes=0)
    assert "MiB left" in await good(patient, "disk-space")


async def test_disk_speed_fails_when_a_card_would_wait(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path), limits=Thresholds(fsync_seconds=0.0))
    before = names_in(tmp_path)
    assert "every card has to wait" in await problems(patient, "disk-speed")
    patient.limits = Thresholds(fsync_seconds=60.0)
    assert "a card is on the disk after" in await good(patient, "disk-speed")
    assert names_in(tmp_path) == before


async def test_disk_speed_fails_when_nothing_can_be_written(tmp_path: Path) -> None:
    # The kernel's own file system takes no files, from root either.
    patient = patient_with(tmp_path, clinic_file(tmp_path, journal=Path("/proc/table.journal")))
    assert "/proc cannot be written to" in await problems(patient, "disk-speed")


@pytest.mark.skipif(not MEMORY.is_dir(), reason="this machine has no file system in memory")
async def test_disk_kind_fails_when_a_power_cut_would_empty_it(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path, journal=MEMORY / "doctor" / "table.journal"))
    assert "which is in memory (tmpfs)" in await problems(patient, "disk-kind")


@pytest.mark.parametrize(
    ("mounts", "told"),
    [
        ("overlay / overlay rw,lowerdir=/a 0 0\n", "is an overlay"),
        ("/dev/root / ext4 rw 0 0\ntmpfs {folder} tmpfs rw 0 0\n", "which is in memory"),
        ("/dev/root / ext4 ro,noatime 0 0\n", "is mounted read-only"),
    ],
)
async def test_disk_kind_fails_on_other_file_systems(tmp_path: Path, mounts: str, told: str) -> None:
    proc = tmp_path / "proc" / "self"
    proc.mkdir(parents=True)
    (proc / "mounts").write_text(mounts.format(folder=tmp_path))
    patient = patient_with(tmp_path, clinic_file(tmp_path), machine=Machine(proc=tmp_path / "proc"))
    assert told in await problems(patient, "disk-kind")
    (proc / "mounts").write_text(f"tmpfs /run tmpfs rw 0 0\n/dev/sda1 {tmp_path} ext4 rw 0 0\n")
    assert "which keeps what is written" in await good(patient, "disk-kind")
    (proc / "mounts").unlink()
    assert "not available" in await not_looked(patient, "disk-kind")


@pytest.mark.asyncio
async def test_anchor_fails_where_it_cannot_be_written_or_the_journal_is_behind_it(tmp_path: Path) -> None:
    data = clinic_file(tmp_path)
    patient = patient_with(tmp_path, data)
    assert "can be written" in await good(patient, "anchor")
    journal, anchor = tmp_path / "table.journal", tmp_path / "table.anchor"
    write(journal, [entry(number) for number in range(1, 4)])
    assert "does not name the present journal" in await problems(patient, "anchor")
    write_anchor(anchor, [Claim(IDENTITY.journal_id, Head(number=3, hash=bytes(32)))])
    assert "has had record 3" in await problems(patient, "anchor")
    with JournalReader(journal) as reader:
        write_anchor(anchor, [Claim(IDENTITY.journal_id, reader.position().head)])
    assert "on another file system than the journal's it would be safer" in await good(patient, "anchor")
    anchor.write_text("nonsense")
    told = await problems(patient, "anchor")
    assert "not an anchor" in told
    assert "move it away: the table makes a new one" in told
    data["journal"]["anchor"] = str(tmp_path / "missing" / "t.anchor")
    assert "does not exist" in await problems(patient_with(tmp_path, data), "anchor")


async def test_journal_fails_where_it_is_missing_and_the_table_has_dealt_before(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path))
    assert "creates it at its first start" in await good(patient, "journal")
    write_anchor(tmp_path / "table.anchor", [Claim("4f2a9c1e", Head(number=412, hash=bytes(32)))])
    told = await problems(patient, "journal")
    assert "knows the journal 4f2a9c1e, with 412 records" in told
    assert f"sudo shoe-controller journal begin {patient.file}" in told
    assert run_program("journal", "begin", str(patient.file)).exit_code == 0
    assert "is intact" in await good(patient, "journal")
