"""Cuts the power of a journal at seeded moments, and looks at what the disk has kept.

Needs FUSE: /dev/fuse, libfuse and mfusepy, and a user who may mount. `test_power_cuts.py` does a few cuts with every
run of the tests, `python -m tests.torture` does many.
"""

import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoe_controller.journal.anchor import contradicts, read_anchor
from shoe_controller.journal.errors import FileError
from shoe_controller.journal.key_folder import PRIVATE, KeyFolder
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import RecordKind
from shoe_controller.journal.verify import verify
from tests.journal.samples import IDENTITY, NOON, SOFTWARE, first_keys, opened, sign, verified

PATIENCE = 20.0
NEVER = 1_000_000
"""Changes after which no power was ever cut."""
ANCHOR = "table.anchor"
"""On a disk of its own it lasts from life to life."""

WRITER = """
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from shoe_controller.journal.errors import JournalError
from shoe_controller.journal.anchor import Claim, write_anchor
from shoe_controller.journal.key_folder import KeyFolder
from shoe_controller.journal.reading import JournalReader
from tests.journal.samples import IDENTITY, NOON, entry, opened, sign

path, anchor, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
try:
    while True:
        life = ExitStack()
        journal = life.enter_context(opened(path))
        with JournalReader(path) as reader:
            last = reader.last_checkpoint()
        keys = KeyFolder(path.parent, IDENTITY.table)
        keys.begin(IDENTITY.journal_id, last, NOON)
        for _ in range(6):
            sign(journal, keys, number)
            crowd = [journal.submit(entry(number + more)) for more in range(1 + number % 3)]
            for answer in crowd:
                print(answer.result().seqs[-1], flush=True)
            write_anchor(anchor, [Claim(IDENTITY.journal_id, crowd[-1].result().head)])
            number += len(crowd)
        journal.confirm(number - 1).result()
        # Closing empties the log into the file, so that the power goes at those moments too.
        life.close()
except (JournalError, OSError) as error:
    # At once: on a disk that has not lost its power yet, nothing may be written after the other has.
    print(error, file=sys.stderr, flush=True)
    os._exit(0)
"""


class ForgetfulDisk:
    """A mounted file system that forgets; see `forgetful_disk.py`."""

    def __init__(self, folder: Path, process: "subprocess.Popen[str]") -> None:
        self.folder = folder
        self._process = process

    def cut(self, after: int, seed: int) -> None:
        self._tell("cut", after, seed)

    def load(self, name: str, source: Path) -> None:
        self._tell("load", name, source)

    def dump(self, folder: Path) -> None:
        self._tell("dump", folder)

    def room(self, left: int | None) -> None:
        """So many bytes can be added from now on; `None` for any number."""
        self._tell("room", "all" if left is None else left)

    def _tell(self, *words: object) -> None:
        if self._process.stdin is None or self._process.stdout is None:
            raise AssertionError("the disk was started without pipes")
        self._process.stdin.write("\t".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != "done\n":
            raise AssertionError(f"the disk did not obey {words}")


def why_not() -> str:
    """Why there can be no forgetful disk here; nothing if there can."""
    if importlib.util.find_spec("mfusepy") is None:
        return "mfusepy is not installed"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "this user may not use /dev/fuse"
    if os.geteuid() != 0 and shutil.which("fusermount3") is None:
        return "fusermount3 is not installed"
    return ""


@contextmanager
def forgetful_disk() -> Iterator[ForgetfulDisk]:
    folder = Path(tempfile.mkdtemp(prefix="forgetful-"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.torture.forgetful_disk", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        give_up = time.monotonic() + PATIENCE
        while not folder.is_mount():
            if process.poll() is not None or time.monotonic() > give_up:
                raise OSError(f"the forgetful disk was not mounted (exit code {process.poll()})")
            time.sleep(0.01)
        yield ForgetfulDisk(folder, process)
    finally:
        unmount = ["umount", "--lazy"] if os.geteuid() == 0 else ["fusermount3", "-u", "-z"]
        subprocess.run([*unmount, str(folder)], capture_output=True, check=False)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait(PATIENCE)
        folder.rmdir()


class Cuts:
    """Cut after cut in the life of one journal, which goes on each time with what the disk has kept.

    The anchor lies on the same disk, or on one of its own (`anchors`), which loses its power in the same moment.
    """

    def __init__(self, disk: ForgetfulDisk, folder: Path, seed: int, *, anchors: ForgetfulDisk | None = None) -> None:
        self._disk = disk
        self._anchors = anchors
        self._folder = folder
        self._chance = random.Random(seed)  # noqa: S311 - the same cuts every time
        self._cuts = 0
        self._survivor: Path | None = None
        """The journal as the last cut left it; none if it was never begun."""
        self._keys: list[Path] = []
        """What the last cut left of the keys of its checkpoints."""
        self._anchor: Path | None = None
        """What the last cut left of the anchor, if anything."""
        self.stored = 0
        """Entries in the journal, each with one message."""
        self.answered = 0
        """Entries that were confirmed as stored, over all cuts."""
        self.anchored = 0
        """Cuts after which the disk had an anchor, on which the journal must not be behind."""

    def cut(self) -> None:
        """One life and its end; an AssertionError if anything is not as it should be."""
        self._cuts += 1
        name = f"cut-{self._cuts}.journal"
        for ending in ("", "-wal"):
            if self._survivor is not None and Path(f"{self._survivor}{ending}").exists():
                self._disk.load(f"{name}{ending}", Path(f"{self._survivor}{ending}"))
        for key in self._keys:
            self._disk.load(key.name, key)
        anchor = self._cut_power((self._disk.folder / name).with_suffix(".anchor"))
        writer = subprocess.run(
            [sys.executable, "-c", WRITER, str(self._disk.folder / name), str(anchor), str(self.stored + 1)],
            capture_output=True,
            check=False,
            timeout=60,
        )
        require(writer.returncode == 0, writer.stderr.decode())
        answers = [int(line) for line in writer.stdout.split()]
        self.answered += len(answers)
        kept = self._folder / str(self._cuts)
        kept.mkdir()
        self._disk.dump(kept)
        if self._anchors is not None:
            self._anchor = self._folder / f"{self._cuts}-{ANCHOR}"
            self._anchor.mkdir()
            self._anchors.dump(self._anchor)
            self._anchor /= ANCHOR
        else:
            self._anchor = (kept / name).with_suffix(".anchor")
        self._look(kept / name, answers[-1] if answers else self.stored)

    def _cut_power(self, beside: Path) -> Path:
        """Let the power go at a moment of one of the disks; where the anchor is written."""
        chance = self._chance
        if self._anchors is None:
            self._disk.cut(chance.randint(1, 500), chance.randrange(1 << 32))
            return beside
        if self._anchor is not None and self._anchor.exists():
            self._anchors.load(ANCHOR, self._anchor)
        # An anchor takes some six changes, of which there are many more at the journal's disk.
        at_anchor = chance.random() < 0.5
        self._disk.cut(NEVER if at_anchor else chance.randint(1, 500), chance.randrange(1 << 32))
        self._anchors.cut(chance.randint(1, 60) if at_anchor else NEVER, chance.randrange(1 << 32))
        return self._anchors.folder / ANCHOR

    def _look(self, journal: Path, answered: int) -> None:
        where = f"cut {self._cuts}: "
        claims = () if self._anchor is None else read_anchor(self._anchor)
        self.anchored += bool(claims)
        if not journal.exists():
            require(not claims, f"{where}an anchor of a journal that was never stored")
            require(answered == 0, f"{where}the whole journal is gone, with {answered} answered entries")
            require(self._survivor is None, f"{where}the journal that was there is gone")
            return
        # On a copy, so that the next life begins with exactly what the disk had.
        copy = journal.with_name("copy.journal")
        for ending in ("", "-wal"):
            if Path(f"{journal}{ending}").exists():
                shutil.copy(f"{journal}{ending}", f"{copy}{ending}")
        try:
            with opened(copy):
                pass
            report = verified(copy)
            with JournalReader(copy) as reader:
                for claim in claims:
                    require(not contradicts(claim, reader), f"{where}the anchor is ahead of the journal: {claim}")
                last = reader.position().last_seq
                records = reader.records(0, reader.position().head.number)
                inputs = [record.body for record in records if record.kind == RecordKind.INPUT]
        except FileError as error:
            raise AssertionError(f"{where}{error}") from error
        require(report.good, f"{where}{report.problems}")
        require(last >= answered, f"{where}entry {answered} was answered, but only {last} are there")
        require(
            inputs == [b"input %d" % number for number in range(1, last + 1)], f"{where}an entry is lost or doubled"
        )
        self.stored, self._survivor = last, journal
        self._keys = [file for file in journal.parent.iterdir() if not file.name.startswith(("cut-", "copy"))]
        self._sign_on(copy, where)

    def _sign_on(self, copy: Path, where: str) -> None:
        """Whatever the disk has kept of the keys, there is one way on, and the first of them proves everything."""
        folder = copy.with_name("keys")
        folder.mkdir()
        for key in self._keys:
            shutil.copy(key, folder)
        keys = KeyFolder(folder, IDENTITY.table)
        with JournalReader(copy) as reader:
            last = reader.last_checkpoint()
        begun = keys.begin(IDENTITY.journal_id, last, NOON)
        require(not begun.lost, f"{where}the key that {last} names is gone")
        require(begun.made is False or last is None, f"{where}a first key was made after {last}")
        left = list(folder.glob(f"*{PRIVATE}"))
        require(len(left) == 1, f"{where}these keys are left: {left}")
        with opened(copy) as journal:
            sign(journal, keys, self.stored)
        report = verify(copy, software=SOFTWARE, keys=first_keys(folder), progress=lambda _done, _all: None)
        require(report.good and not report.keys_anew, f"{where}{report.problems} {report.keys_anew}")
        reached = -1 if report.proof is None else report.proof.checkpoint
        require(reached == (1 if last is None else last.index + 1), f"{where}only checkpoint {reached} is proved")


def require(condition: bool, what: str) -> None:  # noqa: FBT001 - like assert, but also outside of tests
    if not condition:
        raise AssertionError(what)
