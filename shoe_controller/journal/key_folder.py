"""The private keys of a journal's checkpoints, each in a file of its own, in a folder that holds nothing else.

There is one key most of the time. Around a checkpoint there are two, in this order, which a power cut may end anywhere:

1. the next key is written and synced (`prepare`)
2. the checkpoint, signed with the present key, is committed
3. the present key is overwritten and removed (`retire`); the next key is the present one from here on

`begin` reads at start-up from the folder and from the journal's last checkpoint where that was, and leaves one way on.

Public halves of first keys (`*.public`) stay in the folder until a person has taken them elsewhere. Whatever is
unexpected is left where it is: a key that is gone cannot be made again.
"""

import os
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from shoe_controller.journal import ed25519
from shoe_controller.journal.checkpoints import Checkpoint, Signing, SucceededKey
from shoe_controller.journal.errors import StorageError
from shoe_controller.journal.opening import sync

PREPARED = "first.key"
"""Made by `init`, before there is a journal that it could belong to."""

PRIVATE, PUBLIC = ".key", ".public"

Random = Callable[[int], bytes]


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the folder."""

    table: str
    journal: str
    """Empty in the key that `init` makes."""
    index: int
    public: str
    seed: str

    def __repr__(self) -> str:
        return f"Key({self.journal!r}, {self.index})"


class KeysBegun(NamedTuple):
    """How the folder was found at start-up."""

    made: bool
    """A first key was made: its public half waits to be taken elsewhere."""
    lost: bool
    """The key that the last checkpoint names is gone; another one was made, which nothing vouches for."""
    succeeds: bool
    """A key of an earlier journal is left and is to sign the first key of this one, as checkpoint 0."""


class KeyFolder:
    def __init__(self, folder: Path, table: str, random: Random = os.urandom) -> None:
        self.folder = folder
        self._table = table
        self._random = random
        self._present: Key | None = None
        self._next: Key | None = None
        """Prepared, and not yet named by a checkpoint in the journal."""
        self._earlier: Key | None = None
        """Of the journal before this one; signs checkpoint 0."""

    # --- at start-up -------------------------------------------------------------------------------------------------

    def begin(self, journal: str, last: Checkpoint | None, now_ms: int) -> KeysBegun:
        """Find the key that signs next; `last` is the journal's newest checkpoint."""
        self._make_folder()
        keys = [key for key in self._keys() if key.table == self._table]
        mine = [key for key in keys if key.journal == journal]
        others = [key for key in keys if key.journal not in (journal, "")]
        index = 1 if last is None else last.index + 1
        due = [key for key in mine if key.index == index]
        vouched = [key for key in due if last is None or key.public == last.next_key]
        lost = last is not None and not vouched
        made = False
        self._next = self._earlier = None
        if vouched or due:
            self._present = (vouched or due)[0]
        else:
            made = True
            self._present = self._first(journal, index, now_ms)
        prepared = self._read(self.folder / PREPARED)
        if prepared is not None and prepared.public == self._present.public:
            self._destroy(self.folder / PREPARED)
        if not lost:
            # Used ones, and ones that were prepared and that no checkpoint names.
            self._remove(*(key for key in mine if key != self._present))
        if last is None:
            self._earlier = self._left_by_earlier_journal(others)
        elif last.succeeds is not None:
            signed = (last.succeeds.journal, last.succeeds.index)
            self._remove(*(key for key in others if (key.journal, key.index) == signed))
        return KeysBegun(made=made, lost=lost, succeeds=self._earlier is not None)

    def _left_by_earlier_journal(self, others: list[Key]) -> Key | None:
        """The key that was written last, of a journal that has one alone.

        Of two keys the present one cannot be told from the next, and one that has signed must not sign again.
        """
        count = Counter(key.journal for key in others)
        alone = [key for key in others if count[key.journal] == 1]
        return max(alone, key=lambda key: self._file(key).stat().st_mtime_ns, default=None)

    def _first(self, journal: str, index: int, now_ms: int) -> Key:
        """The key that `init` made, or a new one; its public half is on the disk before it."""
        prepared = self._read(self.folder / PREPARED)
        if index == 1 and prepared is not None and prepared.table == self._table:
            key = msgspec.structs.replace(prepared, journal=journal)
        else:
            key = self._new(journal, index)
            text = public_text(self._table, key, now_ms)
            self._put(self.folder / f"{_plain(journal)}.{index}{PUBLIC}", text.encode())
        self._write(key)
        return key

    # --- around a checkpoint -----------------------------------------------------------------------------------------

    def prepare(self) -> Signing:
        """Put the next key on the disk; returns what signs with the present one."""
        present = self._present
        if present is None:
            raise RuntimeError("`begin` comes before `prepare`")
        if self._earlier is not None:
            earlier = self._earlier
            return Signing(
                journal=present.journal,
                index=0,
                key=earlier.public,
                next_key=present.public,
                seed=bytes.fromhex(earlier.seed),
                succeeds=SucceededKey(journal=earlier.journal, index=earlier.index),
            )
        if self._next is None:
            key = self._new(present.journal, present.index + 1)
            self._write(key)
            self._next = key
        return Signing(
            journal=present.journal,
            index=present.index,
            key=present.public,
            next_key=self._next.public,
            seed=bytes.fromhex(present.seed),
        )

    def retire(self) -> None:
        """The checkpoint is in the journal: remove the key that signed it."""
        if self._earlier is not None:
            self._remove(self._earlier)
            self._earlier = None
        elif self._present is not None and self._next is not None:
            self._remove(self._present)
            self._present, self._next = self._next, None

    # --- files -------------------------------------------------------------------------------------------------------

    def _new(self, journal: str, index: int) -> Key:
        return new_key(self._table, journal, index, self._random)

    def _keys(self) -> list[Key]:
        files = [file for file in sorted(self.folder.glob(f"*{PRIVATE}")) if file.name != PREPARED and file.is_file()]
        found = [(file, self._read(file)) for file in files]
        # A key under another name would be used, and stay when it is to be removed.
        return sorted(
            (key for file, key in found if key is not None and file == self._file(key)), key=lambda key: key.index
        )

    def _read(self, file: Path) -> Key | None:
        try:
            key = msgspec.json.decode(file.read_bytes(), type=Key)
            # What a damaged key signs would not be genuine, and could never be taken out of the journal again.
            whole = ed25519.public_half(bytes.fromhex(key.seed)).hex() == key.public
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(file, f"the key cannot be read: {error.strerror}.") from error
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None  # damaged, or not ours; it is left alone
        return key if whole else None

    def _file(self, key: Key) -> Path:
        return self.folder / f"{_name(key)}{PRIVATE}"

    def _write(self, key: Key) -> None:
        self._put(self._file(key), msgspec.json.encode(key))

    def _put(self, file: Path, content: bytes) -> None:
        try:
            put(file, content)
        except OSError as error:
            raise StorageError(file, f"it cannot be written: {error.strerror}.") from error

    def _remove(self, *keys: Key) -> None:
        for key in keys:
            self._destroy(self._file(key))

    def _destroy(self, file: Path) -> None:
        """Overwrite and remove it. Flash memory may keep the old block all the same (`docs/security.md`)."""
        try:
            with suppress(FileNotFoundError):
                with file.open("r+b") as opened:
                    size = opened.seek(0, os.SEEK_END)
                    opened.seek(0)
                    opened.write(bytes(size))
                    opened.flush()
                    os.fsync(opened.fileno())
                file.unlink()
                sync(self.folder)
        except OSError as error:
            raise StorageError(file, f"the used key cannot be removed: {error.strerror}.") from error

    def _make_folder(self) -> None:
        try:
            make_folder(self.folder)
            for file in self.folder.iterdir():
                unfinished = file.name.startswith(".") and file.suffix == ".new"
                # Overwritten, and the power failed before its name was gone.
                destroyed = file.suffix == PRIVATE and file.is_file() and not any(file.read_bytes())
                if unfinished or destroyed:
                    self._destroy(file)
        except OSError as error:
            raise StorageError(self.folder, f"the folder of keys cannot be used: {error.strerror}.") from error


def new_key(table: str, journal: str, index: int, random: Random) -> Key:
    seed = random(ed25519.SEED_BYTES)
    public = ed25519.public_half(seed)
    return Key(table=table, journal=journal, index=index, public=public.hex(), seed=seed.hex())


def make_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
        sync(folder.absolute().parent)


def put(file: Path, content: bytes) -> None:
    """Write a file that no other user may read; it has its name only when it is complete and synced."""
    unfinished = file.with_name(f".{file.name}.new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(descriptor)
    unfinished.replace(file)
    sync(file.absolute().parent)


def public_text(table: str, key: Key, now_ms: int) -> str:
    """The file of a public half, for people: what it is, and what to do with it."""
    made = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    which = f"journal {key.journal}, checkpoint {key.index}" if key.journal else "its first journal"
    return (
        f"# Public key for the journal of table {table}, made {made}: {which}.\n"
        "# Keep it where the table's machine cannot write, then delete this copy:\n"
        "# shoe-controller journal verify FILE --key THIS_FILE proves with it that the journal was not changed.\n"
        f"{key.public}\n"
    )


def read_public(text: str) -> str | None:
    """The key in the file of a public half; nothing if there is not exactly one."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) == 1 and re.fullmatch("[0-9a-fA-F]{64}", lines[0]):
        return lines[0].lower()
    return None


def _name(key: Key) -> str:
    """Two keys never share a name, not even after an older copy of the journal was put back."""
    return f"{_plain(key.journal)}.{key.index}.{key.public[:16]}"


def _plain(journal: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]", "_", journal)[:40]
