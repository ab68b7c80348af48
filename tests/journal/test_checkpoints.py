"""Checkpoints: what they sign and prove, how keys come and go, and that every interrupted step leaves one way on."""

import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_controller.journal.checkpoint_check import next_key_of
from shoe_controller.journal.checkpoints import (
    AlreadyStoredError,
    Checkpoint,
    OutOfOrderError,
    SucceededKey,
    is_genuine,
    read_checkpoint,
    signed_bytes,
)
from shoe_controller.journal.errors import StorageError
from shoe_controller.journal.key_folder import PREPARED, PRIVATE, KeyFolder, new_key, public_text, put, read_public
from shoe_controller.journal.opening import Identity
from shoe_controller.journal.prune import prune
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Entry
from shoe_controller.journal.verify import Report, verify
from shoe_controller.messages import checkpoints as messages
from tests.journal.samples import (
    IDENTITY,
    NOON,
    SOFTWARE,
    entry,
    first_keys,
    key_folder,
    moment,
    opened,
    shoes,
    sign,
    signed,
    write,
)
from tests.journal.test_document import CHECK_SIGNATURES, run

JOURNAL = IDENTITY.journal_id


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal without checkpoints."""
    path = tmp_path / "table.journal"
    write(path, list(shoes(1)))
    return path


def proved(path: Path, *keys: str) -> Report:
    return verify(path, software=SOFTWARE, keys=keys, progress=lambda _done, _all: None)


def checkpoints(path: Path) -> list[Checkpoint]:
    with JournalReader(path) as reader:
        return [read_checkpoint(record.body) for record in reader.checkpoints()]


def last_of(path: Path) -> Checkpoint | None:
    with JournalReader(path) as reader:
        return reader.last_checkpoint()


def indices(folder: Path) -> list[int]:
    """The indices of the private keys in a folder."""
    found = [msgspec.json.decode(file.read_bytes()) for file in folder.glob(f"*{PRIVATE}") if file.name != PREPARED]
    return sorted(key["index"] for key in found)


def test_checkpoints_are_found_by_their_index_also_where_others_were_pruned(whole: Path) -> None:
    """The first journal of a table begins with 1; what a witness asks for is read a few at a time."""
    everything = checkpoints(whole)
    assert [each.index for each in everything] == [1, 2, 3]
    with JournalReader(whole) as reader:
        for after in (-1, 0, 1, 2, 3, 9):
            for limit in (1, 2, 40):
                wanted = [each for each in everything if each.index > after][:limit]
                assert reader.checkpoints_after(after, limit) == wanted


# --- what is signed ---------------------------------------------------------------------------------------------------


CHECKPOINTS = st.builds(
    Checkpoint,
    journal=st.text(max_size=3),
    index=st.integers(0, 3),
    number=st.integers(0, 3),
    hash=st.sampled_from(["00" * 32, "01" * 32]),
    time=st.integers(0, 3),
    key=st.just(""),
    next_key=st.sampled_from(["00" * 32, "01" * 32]),
    succeeds=st.none() | st.builds(SucceededKey, journal=st.text(min_size=1, max_size=3), index=st.integers(0, 3)),
)


@given(CHECKPOINTS, CHECKPOINTS)
@settings(max_examples=300, deadline=None)
def test_two_checkpoints_are_never_the_same_bytes(one: Checkpoint, other: Checkpoint) -> None:
    assert (signed_bytes(one) == signed_bytes(other)) == (one == other)


def test_the_published_checkpoint_has_the_fields_of_the_stored_one(path: Path, tmp_path: Path) -> None:
    signed(path, key_folder(tmp_path / "keys"), 7)
    with JournalReader(path) as reader:
        (record,) = reader.checkpoints()
    published = msgspec.json.decode(record.body, type=messages.Checkpoint)
    assert msgspec.json.encode(published) == record.body


def test_every_field_is_signed(path: Path, tmp_path: Path) -> None:
    signed(path, key_folder(tmp_path / "keys"), 7)
    (genuine,) = checkpoints(path)
    assert is_genuine(genuine)
    other = {
        "journal": "other",
        "succeeds": SucceededKey(journal="x", index=1),
        "signature": genuine.signature[::-1],
        **dict.fromkeys(("hash", "key", "next_key"), "00" * 32),
        **{name: getattr(genuine, name) + 1 for name in ("index", "number", "time")},
    }
    assert set(other) == set(Checkpoint.__struct_fields__)
    for name, value in other.items():
        assert not is_genuine(msgspec.structs.replace(genuine, **{name: value})), name


# --- what they prove --------------------------------------------------------------------------------------------------


def test_a_journal_is_proved_up_to_its_last_checkpoint(path: Path, tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys")
    for number in (7, 8, 9):
        signed(path, keys, number)
        write(path, [entry(number)])
    (key,) = first_keys(tmp_path / "keys")
    report = proved(path, key)
    assert report.good
    assert report.checkpoints == 3
    assert report.proof is not None
    assert (report.proof.checkpoint, report.proof.time) == (3, moment(9).wall_ms)
    assert report.proof.number == checkpoints(path)[-1].number
    assert proved(path).proof is None
    assert proved(path, checkpoints(path)[1].key).proof == report.proof, "a later key proves it too"
    public = tmp_path / "key.public"
    public.write_text(f"# a comment\n{key}\n", encoding="ascii")
    checked = run(CHECK_SIGNATURES, str(path), str(public))
    assert checked.stdout == (
        f"3 checkpoints; everything up to record {report.proof.number}, signed at {report.proof.time} is proved\n"
    ), checked.stderr


def test_pruning_leaves_the_checkpoints_and_what_they_prove(path: Path, tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys")
    signed(path, keys, 7)
    write(path, list(shoes(3))[6:])
    signed(path, keys, 20)
    with opened(path) as journal:
        journal.confirm(18).result(timeout=10)
    prune(
        path,
        older_than_ms=moment(13).wall_ms,
        folder=tmp_path,
        now=moment(30),
        software=SOFTWARE,
        progress=lambda _done, _all: None,
        rest=lambda: None,
    )
    report = proved(path, *first_keys(tmp_path / "keys"))
    assert report.good, report.problems
    assert report.pruned
    assert report.proof is not None
    assert report.proof.checkpoint == 2
    signed(path, keys, 40)
    assert [one.index for one in checkpoints(path)] == [1, 2, 3]
    public = next((tmp_path / "keys").glob("*.public"))
    assert run(CHECK_SIGNATURES, str(path), str(public)).stdout.startswith("3 checkpoints; everything")


# --- the writer -------------------------------------------------------------------------------------------------------


def test_a_checkpoint_that_cannot_be_signed_does_not_hurt_the_others(path: Path, tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys")
    keys.begin(JOURNAL, None, NOON)
    signing = keys.prepare()
    with opened(path) as journal:
        journal.submit(Entry(at=moment(9), shoe=1, round=1, checkpoint=signing)).result(timeout=10)
        again = journal.submit(Entry(at=moment(9), shoe=1, round=1, checkpoint=signing))
        card = journal.submit(entry(10))
        with pytest.raises(AlreadyStoredError) as stored:
            again.result(timeout=10)
        assert card.result(timeout=10).seqs
        assert read_checkpoint(stored.value.body) == checkpoints(path)[0]
        keys.retire()
        sign(journal, keys, 11)
        late = journal.submit(Entry(at=moment(12), shoe=1, round=1, checkpoint=signing))
        with pytest.raises(OutOfOrderError):
            late.result(timeout=10)
    assert [one.index for one in checkpoints(path)] == [1, 2]
    assert proved(path, *first_keys(tmp_path / "keys")).good


# --- keys, and where a power cut may end ------------------------------------------------------------------------------


class _PowerCutError(Exception):
    pass


class _CutKeys(KeyFolder):
    """Dies before the file operation of that number."""

    left: int | None = None

    def _operation(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise _PowerCutError

    def _put(self, file: Path, content: bytes) -> None:
        self._operation()
        super()._put(file, content)

    def _destroy(self, file: Path) -> None:
        self._operation()
        super()._destroy(file)


def _sign_on(path: Path, keys: KeyFolder) -> None:
    with opened(path) as journal:
        keys.begin(JOURNAL, None, NOON)
        for number in range(7, 12):
            sign(journal, keys, number)


@pytest.mark.parametrize("steps_done", range(7))
@pytest.mark.parametrize("made_by", ["init", "the table"])
def test_every_interrupted_step_leaves_one_way_on(path: Path, tmp_path: Path, steps_done: int, made_by: str) -> None:
    folder = tmp_path / "keys"
    if made_by == "init":
        folder.mkdir()
        key = new_key(IDENTITY.table, "", 1, lambda size: bytes(range(size)))
        put(folder / "first.public", public_text(IDENTITY.table, key, NOON).encode())
        put(folder / PREPARED, msgspec.json.encode(key))
    keys = _CutKeys(folder, IDENTITY.table)
    keys.left = steps_done
    with pytest.raises(_PowerCutError):
        _sign_on(path, keys)
    made = len(checkpoints(path))
    again = KeyFolder(folder, IDENTITY.table)
    begun = again.begin(JOURNAL, last_of(path), NOON)
    assert not begun.lost
    assert indices(folder) == [made + 1], "one key, and it has not signed"
    assert not (folder / PREPARED).exists()
    with opened(path) as journal:
        sign(journal, again, 20)
    report = proved(path, *first_keys(folder))
    assert report.good, report.problems
    assert report.keys_anew == []
    assert report.proof is not None
    assert report.proof.checkpoint == made + 1
    assert len(first_keys(folder)) == 1


def test_files_of_keys_are_private_and_removed_ones_are_gone(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    keys = key_folder(folder)
    signed(path, keys, 7)
    assert folder.stat().st_mode & 0o777 == 0o700
    (file,) = folder.glob("*.key")
    assert file.stat().st_mode & 0o777 == 0o600
    held = file.open("rb")
    with held, opened(path) as journal:
        sign(journal, keys, 8)
        assert not file.exists()
        assert set(held.read()) == {0}, "overwritten before it was removed"


def test_a_lost_key_begins_anew_and_nothing_after_it_is_proved(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    signed(path, key_folder(folder), 7)
    (key,) = first_keys(folder)
    shutil.rmtree(folder)
    with JournalReader(path) as reader:
        begun = key_folder(folder, "after").begin(JOURNAL, reader.last_checkpoint(), NOON)
    assert begun.lost
    assert begun.made
    signed(path, key_folder(folder, "later"), 8)
    report = proved(path, key)
    assert report.good
    assert report.keys_anew == [2]
    assert report.proof is not None
    assert report.proof.checkpoint == 1
    (new,) = first_keys(folder)
    later = proved(path, key, new)
    assert later.keys_anew == []
    assert later.proof is not None
    assert later.proof.checkpoint == 2


@pytest.mark.parametrize("damage", ["seed", "public", "no text", "nested", "another name"])
def test_a_damaged_key_never_signs(path: Path, tmp_path: Path, damage: str) -> None:
    """What it signs would not be genuine: the journal would count as damaged for ever."""
    signed(path, key_folder(tmp_path / "keys"), 7)
    (key,) = first_keys(tmp_path / "keys")
    (file,) = (tmp_path / "keys").glob(f"*{PRIVATE}")
    content = file.read_bytes()
    if damage in {"seed", "public"}:
        found = msgspec.json.decode(content)
        found[damage] = f"{int(found[damage][0], 16) ^ 1:x}{found[damage][1:]}"
        file.write_bytes(msgspec.json.encode(found))
    elif damage == "another name":
        file.rename(file.with_name(f"other{PRIVATE}"))
    else:
        file.write_bytes(b'{"table":"\xff"}' if damage == "no text" else b'{"x":' + b"[" * 100_000)
    signed(path, key_folder(tmp_path / "keys", "after the damage"), 8)
    report = proved(path, key)
    assert report.good
    assert report.keys_anew == [2]


def test_an_older_copy_does_not_cost_the_newer_one_its_key(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    keys = key_folder(folder)
    signed(path, keys, 7)
    older = Path(shutil.copy(path, tmp_path / "older.journal"))
    signed(path, keys, 8)
    key = first_keys(folder)[0]
    signed(older, key_folder(folder, "older"), 9)
    assert proved(older, key).keys_anew == [2]
    signed(path, key_folder(folder, "newer"), 10)
    report = proved(path, key)
    assert report.good
    assert report.keys_anew == []
    assert report.proof is not None
    assert report.proof.checkpoint == 3


def test_a_key_of_another_table_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    other = key_folder(folder, "other", table="north/t2")
    other.begin("their journal", None, NOON)
    begun = key_folder(folder).begin(JOURNAL, None, NOON)
    assert not begun.succeeds
    assert len(list(folder.glob("*.key"))) == 2


def test_keys_on_a_full_or_closed_disk_are_an_error_of_the_file(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.write_text("a file where the folder should be", encoding="ascii")
    with pytest.raises(StorageError, match="cannot be used"):
        key_folder(closed).begin(JOURNAL, None, NOON)


# --- from journal to journal ------------------------------------------------------------------------------------------


def test_the_first_key_of_a_new_journal_is_signed_with_the_old_ones(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    signed(path, key_folder(folder), 7)
    signed(path, key_folder(folder, "2"), 8)
    (first,) = first_keys(folder)
    new = tmp_path / "new.journal"
    with opened(new, identity=Identity(table=IDENTITY.table, journal_id="n3w")) as journal:
        keys = key_folder(folder, "new")
        assert keys.begin("n3w", None, NOON).succeeds
        for number in (9, 10):
            sign(journal, keys, number)
    zero, one = checkpoints(new)
    assert (zero.index, zero.number, zero.succeeds) == (0, 0, SucceededKey(journal=JOURNAL, index=3))
    assert one.index == 1
    assert proved(new, first).proof is None, "without the old journal the old key does not reach it"
    handed_on = next_key_of(path, {first})
    assert handed_on == zero.key
    report = proved(new, first, zero.key)
    assert report.good, report.problems
    assert report.proof is not None
    assert report.proof.checkpoint == 1
    (own,) = set(first_keys(folder)) - {first}
    assert proved(new, own).proof == report.proof
    assert indices(folder) == [2], "the old journal's key is removed"
    assert next_key_of(path, {own}) is None


def test_a_key_that_may_have_signed_does_not_sign_for_a_new_journal(tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys")
    keys.begin(JOURNAL, None, NOON)
    keys.prepare()
    assert not key_folder(tmp_path / "keys", "new").begin("n3w", None, NOON).succeeds


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ab" * 32, "ab" * 32),
        (f"# x\n\n{'AB' * 32}\r\n", "ab" * 32),
        ("", None),
        ("ab" * 31, None),
        ("ab" * 32 + "\n" + "cd" * 32, None),
        ("zz" * 32, None),
    ],
)
def test_the_file_of_a_public_key(text: str, key: str | None) -> None:
    assert read_public(text) == key
