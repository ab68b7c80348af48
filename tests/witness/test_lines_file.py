"""The file: what was written is read again, a torn end is passed over, and no change goes unnoticed."""

import os
from pathlib import Path

import msgspec
import pytest

from shoe_controller.process.lines_file import LinesFileError, TornTail
from shoe_controller.witness.lines import AnyLine, CheckpointSeen, ControllerSeen, HeadSeen, digest_of
from shoe_controller.witness.lines_file import LinesFile, read_lines
from tests.witness.samples import JOURNAL, checkpoint, digest

OLD_FILE = Path(__file__).parent / "old_files" / "north.witness"
"""As it was written before heads and checkpoints had dense lines; with an unfinished line in it."""


def seen(number: int) -> ControllerSeen:
    return ControllerSeen(table="t1", journal="4f2a", start=f"s{number}", session=number)


def open_file(path: Path) -> LinesFile:
    file = LinesFile(path)
    for _ in file.restored():
        pass
    file.start("1", 0, 1)
    return file


def lines(path: Path) -> list[AnyLine]:
    return [written.line for written in read_lines(path, TornTail())]


def starts(path: Path) -> list[str]:
    return [line.start for line in lines(path) if isinstance(line, ControllerSeen)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "north.witness"
    file = open_file(path)
    for number in range(4):
        file.add(seen(number), number)
    file.close()
    return path


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for use in (LinesFile, lines):
        with pytest.raises(LinesFileError, match="not a regular file"):
            use(pipe)


HEADS_AND_CHECKPOINTS: list[AnyLine] = [
    CheckpointSeen(table="t1", checkpoint=checkpoint(1)),
    HeadSeen(table="t1", journal=JOURNAL, session=7, head=f"30:{digest(30)}"),
    HeadSeen(
        table="t1",
        journal=JOURNAL,
        session=2,
        head=f"99:{digest(99)}",
        earlier=(41, 50, 98),
        digest=digest_of([digest(41), digest(50), digest(98)]),
    ),
    CheckpointSeen(table="t1", checkpoint=checkpoint(2)),
    CheckpointSeen(table="t1", checkpoint=checkpoint(2, line="x"), disputed=True),
    CheckpointSeen(table="t1", checkpoint=checkpoint(3)),
    HeadSeen(table="t2", journal=JOURNAL, session=2, head=f"100:{digest(100)}"),
    CheckpointSeen(table="t1", checkpoint=checkpoint(5, line="x")),
]


@pytest.fixture
def dense(path: Path) -> Path:
    """A file with dense lines, and some that cannot be dense."""
    file = open_file(path)
    for number, line in enumerate(HEADS_AND_CHECKPOINTS):
        file.add(line, 10 - number)
    file.close()
    return path


def test_dense_lines_are_read_as_they_were_written(dense: Path) -> None:
    written = [
        msgspec.structs.replace(line, line=6 + number, time=11 - number)
        for number, line in enumerate(HEADS_AND_CHECKPOINTS, 1)
    ]
    assert lines(dense)[6:] == written
    kinds = [text.startswith(b"[", 9) for text in dense.read_bytes().splitlines()[6:]]
    assert kinds == [False, True, True, True, False, True, False, False]


def test_a_file_of_before_dense_lines_opens_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "north.witness"
    path.write_bytes(OLD_FILE.read_bytes())
    before = lines(path)
    assert [type(line).__name__ for line in before] == [
        "Started",
        "ControllerSeen",
        "HeadSeen",
        "CheckpointSeen",
        "CheckpointSeen",
        "AlarmRaised",
        "Started",
        "HeadSeen",
    ]
    file = open_file(path)
    file.add(CheckpointSeen(table="t1", checkpoint=checkpoint(3)), 9)
    file.close()
    assert lines(path)[:8] == before
    last = lines(path)[-1]
    assert isinstance(last, CheckpointSeen)
    assert last.checkpoint == checkpoint(3)
    assert path.read_bytes().splitlines()[-1].startswith(b"[", 9), "it refers to lines of the old form"


def test_lines_are_numbered_over_restarts(path: Path) -> None:
    file = open_file(path)
    file.add(seen(4), 9)
    file.close()
    assert [line.line for line in lines(path)] == list(range(1, 8))
    assert starts(path) == [f"s{number}" for number in range(5)]


def test_a_power_cut_in_any_byte_of_a_line_loses_that_line_alone(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    before = whole[: whole[:-1].rindex(b"\n") + 1]
    for end in range(len(before), len(whole)):
        torn = tmp_path / "torn"
        torn.write_bytes(whole[:end])
        # A power cut while the start is written, too; again and again at some bytes, as each start syncs the file.
        for again in range(3 if end % 16 == 0 else 1):
            file = open_file(torn)
            file.add(seen(10 + again), 9)
            file.close()
            torn.write_bytes(torn.read_bytes()[:-7])
        open_file(torn).close()
        lost_nothing = end == len(whole) - 1  # but the line break
        assert starts(torn) == ["s0", "s1", "s2", *(["s3"] if lost_nothing else [])], end
    zeros = tmp_path / "zeros"
    zeros.write_bytes(before + bytes(len(whole) - len(before)))
    open_file(zeros).close()
    assert starts(zeros) == ["s0", "s1", "s2"]


def test_no_byte_of_a_whole_line_can_be_changed(dense: Path, tmp_path: Path) -> None:
    whole = dense.read_bytes()
    end = whole[:-1].rindex(b"\n")
    for place in range(0, end, 11):
        changed = tmp_path / "changed"
        changed.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(LinesFileError):
            lines(changed)


def test_no_line_can_be_removed_but_the_last_and_none_inserted_or_swapped(dense: Path, tmp_path: Path) -> None:
    whole = dense.read_bytes().splitlines(keepends=True)
    changed = tmp_path / "changed"
    for number in range(len(whole) - 1):
        for other in (
            [*whole[:number], *whole[number + 1 :]],
            [*whole[: number + 1], whole[number], *whole[number + 1 :]],
            [*whole[:number], whole[number + 1], whole[number], *whole[number + 2 :]],
        ):
            changed.write_bytes(b"".join(other))
            with pytest.raises(LinesFileError):
                lines(changed)


def test_a_cut_end_shows_against_the_line_that_was_published(path: Path) -> None:
    file = open_file(path)
    file.add(seen(4), 9)
    published = file.last
    assert published is not None
    assert not file.lacks(published.line.line, published.hash)
    assert file.lacks(published.line.line, bytes(32))
    file.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: whole[:-1].rindex(b"\n") + 1])
    file = open_file(path)
    assert file.lacks(published.line.line, published.hash)
    file.close()


def test_a_missing_folder_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LinesFileError, match="/missing does not exist: make it, or correct the file's path"):
        LinesFile(tmp_path / "missing" / "north.witness")


def test_two_witnesses_cannot_share_a_file(path: Path) -> None:
    first = open_file(path)
    with pytest.raises(LinesFileError, match="another process"):
        LinesFile(path)
    first.close()
