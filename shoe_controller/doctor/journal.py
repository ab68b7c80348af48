"""Checks of the journal and its disk: whether it is intact, and whether the next card can be stored in time."""

import asyncio
import errno
import os
import statistics
import time
from contextlib import closing, nullcontext
from pathlib import Path

from shoe_controller.config.table import TableSettings
from shoe_controller.config.table_file import Config
from shoe_controller.daemon.beginning import is_missing, signs
from shoe_controller.daemon.table_journal import SOFTWARE, replay, same_fact
from shoe_controller.doctor.findings import Finding, Patient, Verdict, good, not_looked, problem
from shoe_controller.doctor.rights import make_writable, quoted
from shoe_controller.doctor.users import READ, SEARCH, WRITE, may
from shoe_controller.journal.anchor import contradicts, read_anchor
from shoe_controller.journal.errors import JournalError, NotAnAnchorError
from shoe_controller.journal.key_folder import PRIVATE, PUBLIC
from shoe_controller.journal.opening import refuse_hard_links
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.verify import Report, verify

TRIES = 15
BLOCK = b"\0" * 4096
FORGETFUL = {
    "tmpfs": "is in memory",
    "ramfs": "is in memory",
    "overlay": "is an overlay, as on a Raspberry Pi with a read-only file system",
    "squashfs": "is read-only",
}
"""File systems that lose a journal at a power cut."""

_UNWRITABLE = {
    errno.ENOSPC: "Make room on the disk: `shoe-controller journal prune` exports old shoes and removes them.",
    errno.EDQUOT: "Raise the quota of the service's user on this disk, or move the journal to another disk.",
    errno.EROFS: "Look at `dmesg` for errors of the disk, and mount it for writing again; replace a worn SD card.",
}

_ELSEWHERE = "Name a file in a folder of a disk as file in [journal]."

_NO_JOURNAL = "the configuration does not say where the journal is"


async def look_at_journal(patient: Patient) -> list[Finding]:
    file = _file_of(patient.config)
    if file is None:
        return not_looked(_NO_JOURNAL)
    shut = _not_writable(patient, file)
    if shut:
        return shut
    if not file.exists():
        return _judge_missing(patient, file)
    try:
        refuse_hard_links(file)
        report = await asyncio.to_thread(
            verify,
            file,
            replay=replay,
            agree=same_fact,
            software=SOFTWARE,
            progress=lambda *_: None,
        )
    except JournalError as error:
        return problem(str(error))
    return _judge(report, file, None if patient.config is None else patient.config.table)


def _judge_missing(patient: Patient, file: Path) -> list[Finding]:
    settings = None if patient.config is None else patient.config.journal
    status_of = None if patient.status is None else patient.status.journal
    found = [] if settings is None or not is_missing(settings) else signs(settings, status_of)
    if not found:
        return good(f"{file} does not exist yet; the table creates it at its first start")
    return problem(
        f"{file} does not exist, and the table has dealt before: {'; '.join(sign.what for sign in found)}",
        "Correct file in [journal], mount its disk, or put the journal back. If it is lost, "
        f"`sudo shoe-controller journal begin {patient.file}` begins a new one, on the record.",
    )


def _judge(report: Report, file: Path, table: TableSettings | None) -> list[Finding]:
    if table is not None and report.identity.table != f"{table.site}/{table.name}":
        return problem(
            f"{file} is the journal of table {report.identity.table}, not of {table.site}/{table.name}",
            "Correct the site and name in [table], or file in [journal].",
        )
    if report.problems:
        found = [Finding(verdict=Verdict.PROBLEM, what=f"{file}: {each.what}") for each in report.problems[:10]]
        more = len(report.problems) - len(found) + report.more_problems
        return [*found, *(problem(f"{file}: and {more} more of this sort") if more else [])]
    return good(f"{file} is intact: {report.records} records, and replaying its inputs gives the same facts")


async def look_at_keys(patient: Patient) -> list[Finding]:
    """The keys of the journal's checkpoints, and that their public halves are not only on this machine."""
    settings = None if patient.config is None else patient.config.journal
    if settings is None:
        return not_looked(_NO_JOURNAL)
    folder = settings.keys
    try:
        mode = folder.stat().st_mode
        waiting = sorted(folder.glob(f"*{PUBLIC}"))
        private = list(folder.glob(f"*{PRIVATE}"))
    except FileNotFoundError:
        return good(f"{folder} does not exist yet; the table makes it with the first key when it starts")
    if mode & 0o077:
        return problem(f"{folder} holds private keys, and is open to other users", f"sudo chmod 700 {quoted([folder])}")
    if waiting:
        return problem(
            f"{', '.join(map(str, waiting))}: the public key of the journal is still on this machine",
            "Move it to a place that this machine cannot write to. Only from there it proves anything.",
        )
    if not private and settings.file.exists():
        return problem(
            f"{folder} holds no key: the journal is not signed",
            "Restart the table, which makes one; if none is there then, its log says why: checkpoint_failed.",
        )
    return good(f"{folder} is closed to others, and the public key has been taken elsewhere")


async def look_at_space(patient: Patient) -> list[Finding]:
    folder = _folder_of(patient.config)
    if folder is None:
        return not_looked(_NO_JOURNAL)
    disk = os.statvfs(folder)
    free, limits = disk.f_bavail * disk.f_frsize, patient.limits
    if free < limits.free_bytes:
        return problem(f"{folder} has {free >> 20} MiB left; {limits.free_bytes >> 20} MiB are needed")
    if disk.f_files and disk.f_favail < limits.free_inodes:
        return problem(f"{folder} has room for only {disk.f_favail} more files")
    return good(f"{folder} has {free >> 20} MiB left")


async def look_at_speed(patient: Patient) -> list[Finding]:
    folder = _folder_of(patient.config)
    if folder is None:
        return not_looked(_NO_JOURNAL)
    if not may(patient.user, folder, WRITE | SEARCH):
        return not_looked(f"{patient.user.name} may not write to {folder}, see above")
    try:
        taken = await asyncio.to_thread(_fsync_times, folder)
    except PermissionError as error:
        return not_looked(f"{folder} is not writable for who runs this ({error.strerror}): run it with sudo")
    except OSError as error:
        return problem(
            f"{folder} cannot be written to: {error.strerror}", _UNWRITABLE.get(error.errno or 0, _ELSEWHERE)
        )
    usual, worst = statistics.median(taken), max(taken)
    what = f"a card is on the disk after {usual * 1000:.1f} ms, at worst {worst * 1000:.1f} ms"
    if usual > patient.limits.fsync_seconds:
        return problem(f"{what}: every card has to wait that long")
    return good(what)


async def look_at_file_system(patient: Patient) -> list[Finding]:
    folder = _folder_of(patient.config)
    if folder is None:
        return not_looked(_NO_JOURNAL)
    mount = _mount_of(folder, patient.machine.proc)
    if mount is None:
        return not_looked("the kernel's list of mounted file systems is not available")
    place, kind, options = mount
    if kind in FORGETFUL:
        return problem(f"{folder} is on {place}, which {FORGETFUL[kind]} ({kind}): a power cut would empty it")
    if "ro" in options.split(","):
        return problem(
            f"{place} is mounted read-only: the disk has failed, or was switched to read-only",
            "Look at `dmesg` for errors of the disk; a worn SD card must be replaced.",
        )
    return good(f"{folder} is on {kind} at {place}, which keeps what is written")


async def look_at_anchor(patient: Patient) -> list[Finding]:
    settings = None if patient.config is None else patient.config.journal
    if settings is None or settings.anchor is None:
        return not_looked(_NO_JOURNAL)
    anchor, file = settings.anchor, settings.file
    shut = _not_writable(patient, anchor)
    if shut:
        return shut
    try:
        claims = read_anchor(anchor)
        with closing(JournalReader(file)) if file.exists() else nullcontext() as reader:
            behind = [] if reader is None else [claim for claim in claims if contradicts(claim, reader)]
            noted = reader is None or any(claim.journal == reader.identity.journal_id for claim in claims)
    except NotAnAnchorError as error:
        return problem(
            str(error),
            "Correct anchor in the section [journal]. If it was an anchor and is damaged, move it away: the table "
            "makes a new one at its next start.",
        )
    except JournalError as error:
        return problem(str(error))
    if behind:
        return problem(
            f"{file} is older than {anchor} says: it has had record {behind[0].head.number}",
            "Somebody has put an older copy back, or a part was lost. Leave both files as they are: the table begins a "
            "new journal at its next start, and stops until two supervisors accept it.",
        )
    return _judge_anchor(anchor, file) if noted else problem(f"{anchor} does not name the present journal")


def _judge_anchor(anchor: Path, file: Path) -> list[Finding]:
    if _existing(anchor).stat().st_dev == _existing(file).stat().st_dev:
        return good(f"{anchor} can be written; on another file system than the journal's it would be safer")
    return good(f"{anchor} can be written, and lies on another file system than the journal")


def _existing(file: Path) -> Path:
    return next(folder for folder in file.absolute().parents if folder.is_dir())


def _file_of(config: Config | None) -> Path | None:
    return None if config is None or config.journal is None else config.journal.file


def _folder_of(config: Config | None) -> Path | None:
    """The journal's folder, or the nearest above it that exists."""
    file = _file_of(config)
    return None if file is None else _existing(file)


def _not_writable(patient: Patient, file: Path) -> list[Finding]:
    folder, user = file.absolute().parent, patient.user
    if not folder.is_dir():
        made = f"sudo install -d -o {user.name} -m 750 {quoted([folder])}"
        return problem(f"the folder {folder} does not exist", made)
    wanted = [(folder, READ | WRITE | SEARCH), *((each, READ | WRITE) for each in (file,) if each.exists())]
    shut = [path for path, rights in wanted if not may(user, path, rights)]
    if shut:
        what = f"the service's user {user.name} may not write to {', '.join(map(str, shut))}"
        return problem(what, make_writable(user, shut))
    return []


def _fsync_times(folder: Path) -> list[float]:
    probe = folder / f".doctor-{os.getpid()}"
    descriptor = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        taken = []
        for _ in range(TRIES):
            started = time.perf_counter()
            os.write(descriptor, BLOCK)
            os.fsync(descriptor)
            taken.append(time.perf_counter() - started)
        return taken
    finally:
        os.close(descriptor)
        probe.unlink()


def _mount_of(folder: Path, proc: Path) -> tuple[str, str, str] | None:
    """Mount point, type and options of a folder's file system."""
    try:
        lines = (proc / "self" / "mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    real = str(folder.resolve())
    best: tuple[str, str, str] | None = None
    for line in lines:
        _, place, kind, options, *_ = line.split(" ")
        place = place.replace("\\040", " ")
        within = real == place or real.startswith(f"{place.rstrip('/')}/")
        # The longest mount point wins, and of two equal ones the later.
        if within and (best is None or len(place) >= len(best[0])):
            best = (place, kind, options)
    return best
