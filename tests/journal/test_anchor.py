"""The anchor: what it holds after a power cut or a hanging disk, and what contradicts a journal."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoe_controller.journal.anchor import (
    MOST_JOURNALS,
    AnchorWriter,
    Claim,
    contradicts,
    is_sealed,
    read_anchor,
    seal,
    with_newest,
    write_anchor,
)
from shoe_controller.journal.errors import StorageError, UnreadableAnchorError
from shoe_controller.journal.reading import JournalReader
from shoe_controller.journal.records import Head, head_from
from tests.journal.samples import IDENTITY, entry, opened, shoes, write
from tests.journal.test_prune import pruned

PATIENCE = 20.0

HASHES = st.binary(min_size=32, max_size=32)
HEADS = st.builds(Head, number=st.integers(0, 2**63 - 1), hash=HASHES)
CLAIMS = st.builds(Claim, st.text("0123456789abcdef", min_size=1, max_size=16), HEADS)


def claim(number: int, journal: str = IDENTITY.journal_id) -> Claim:
    return Claim(journal, Head(number=number, hash=number.to_bytes(32, "big")))


# --- the file --------------------------------------------------------------------------------------------------------


@given(number=st.integers(0, 2**63 - 1), digest=HASHES)
def test_a_head_is_read_as_it_was_written(number: int, digest: bytes) -> None:
    head = Head(number=number, hash=digest)
    assert head_from(str(head)) == head


@pytest.mark.parametrize("text", ["", ":", "1", "x:00", "1:zz", "-1:00", "01:00", "1:0 0", " 1:00", f"{2**63}:00"])
def test_what_is_no_head_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        head_from(text)


def test_an_anchor_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "t.anchor"
    assert read_anchor(file) == ()
    claims = (claim(7, "older"), claim(9))
    write_anchor(file, claims)
    assert read_anchor(file) == claims
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("content", [b"nonsense", b"a 1:zz\n", b"a 1:00 more\n", b"\xff\xfe", b"\n", bytes(100_000)])
def test_an_anchor_that_says_nothing_is_an_error_of_its_own(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "t.anchor"
    file.write_bytes(content)
    with pytest.raises(UnreadableAnchorError, match="not an anchor"):
        read_anchor(file)


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no_such_folder"):
        write_anchor(tmp_path / "no_such_folder" / "t.anchor", [claim(1)])
    with pytest.raises(UnreadableAnchorError, match="cannot be read"):
        read_anchor(tmp_path)


def test_a_pipe_in_the_place_of_an_anchor_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableAnchorError, match="not a regular file"):
        read_anchor(tmp_path / "pipe")


@given(st.lists(CLAIMS, max_size=40))
def test_an_anchor_has_one_line_for_each_of_the_last_journals(claims: list[Claim]) -> None:
    kept: tuple[Claim, ...] = ()
    for each in claims:
        kept = with_newest(kept, each)
        assert kept[-1] == each
    assert len({each.journal for each in kept}) == len(kept) <= MOST_JOURNALS


# --- in a thread -----------------------------------------------------------------------------------------------------


def test_the_newest_claim_is_written_before_it_closes(tmp_path: Path) -> None:
    file = tmp_path / "t.anchor"
    writer = AnchorWriter(file, (claim(3, "older"),))
    for number in range(1, 200):
        writer.keep(claim(number))
    writer.close(PATIENCE)
    writer.close(PATIENCE)
    assert read_anchor(file) == (claim(3, "older"), claim(199))
    assert writer.trouble == ""


def test_trouble_is_remembered_until_it_is_over(tmp_path: Path) -> None:
    file = tmp_path / "later" / "t.anchor"
    writer = AnchorWriter(file, ())
    writer.keep(claim(1))
    writer.close(PATIENCE)
    assert "cannot be written" in writer.trouble
    file.parent.mkdir()
    writer = AnchorWriter(file, ())
    writer.keep(claim(2))
    writer.close(PATIENCE)
    assert writer.trouble == ""


def test_a_disk_that_hangs_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is the one thing that a test cannot let hang: `fsync` stands for it."""
    hangs, lets_go = threading.Event(), threading.Event()

    def fsync(_descriptor: int) -> None:
        hangs.set()
        lets_go.wait(PATIENCE)

    monkeypatch.setattr(os, "fsync", fsync)
    writer = AnchorWriter(tmp_path / "t.anchor", ())
    writer.keep(claim(1))
    assert hangs.wait(PATIENCE)
    for number in range(2, 100):
        writer.keep(claim(number))  # returns, although nothing can be written
    writer.close(0.0)  # and so does this
    lets_go.set()


# --- what contradicts a journal --------------------------------------------------------------------------------------


def test_only_what_is_ahead_or_different_contradicts(tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    write(journal, [entry(number) for number in range(1, 8)])
    with JournalReader(journal) as reader:
        end = reader.position().head
        for record in reader.records(0, end.number):
            same = Claim(IDENTITY.journal_id, Head(number=record.number, hash=record.hash))
            assert not contradicts(same, reader)
            assert contradicts(same._replace(head=Head(number=record.number, hash=bytes(32))), reader)
        assert not contradicts(Claim(IDENTITY.journal_id, Head(number=0, hash=IDENTITY.genesis)), reader)
        ahead = Head(number=end.number + 1, hash=end.hash)
        assert contradicts(Claim(IDENTITY.journal_id, ahead), reader)
        assert not contradicts(Claim("another journal", ahead), reader)


def test_what_was_pruned_contradicts_nothing(tmp_path: Path) -> None:
    journal = tmp_path / "t.journal"
    write(journal, shoes(3))
    with opened(journal) as writer:
        writer.confirm(12).result(timeout=PATIENCE)
    with JournalReader(journal) as reader:
        heads = [Head(number=each.number, hash=each.hash) for each in reader.records(0, reader.position().head.number)]
    (tmp_path / "exports").mkdir()
    assert pruned(journal, older_than=1000).shoes
    with JournalReader(journal) as reader:
        for head in heads:
            assert not contradicts(Claim(IDENTITY.journal_id, head), reader)
        assert not contradicts(Claim(IDENTITY.journal_id, Head(number=2, hash=bytes(32))), reader)


# --- seals -----------------------------------------------------------------------------------------------------------


@given(key=HASHES, other=HASHES, first=CLAIMS, second=CLAIMS)
def test_a_seal_is_for_one_key_one_table_and_one_claim(key: bytes, other: bytes, first: Claim, second: Claim) -> None:
    given_seal = seal(key, "north/t1", first)
    assert is_sealed(key, "north/t1", first, given_seal)
    assert not is_sealed(key, "north/t2", first, given_seal)
    assert is_sealed(other, "north/t1", first, given_seal) == (other == key)
    assert is_sealed(key, "north/t1", second, given_seal) == (first == second)
    assert not is_sealed(key, "north/t1", first, "")
    assert not is_sealed(key, "north/t1", first, "é")
