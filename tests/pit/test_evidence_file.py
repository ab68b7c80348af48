"""The file of what was found out about seats: it comes back whole, or it is set aside and said so."""

import itertools
from pathlib import Path

import pytest

from shoe_controller.pit.evidence_file import BadEvidenceError, EvidenceFile, JudgedShoe, KeptEvidence
from shoe_controller.pit.process import KeptSeats
from shoe_controller.protection.following import Evidence, SeatEvidence

pytestmark = pytest.mark.asyncio

EVIDENCE = KeptEvidence(
    seats=(
        SeatEvidence("t1", "6", {"base.tie": Evidence(value=812.25, shoes=7, rounds=41, staked=4.1e6, won=-1 / 3)}),
    ),
    judged=(JudgedShoe("t1", "4f2a", 3), JudgedShoe("t2", "b0b0", 1)),
)


class Logged:
    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, object]]] = []

    def warning(self, event: str, **more: object) -> None:
        self.lines.append((event, more))

    error = warning


def made(path: Path, site: str = "north") -> EvidenceFile:
    stamps = itertools.count(1)
    return EvidenceFile(path, site, lambda: str(next(stamps)))


async def test_what_is_written_is_read_by_the_next_process_and_for_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "north.alarms.evidence"
    assert made(path).read() == KeptEvidence()
    await made(path).write(lambda: EVIDENCE)
    assert made(path).read() == EVIDENCE
    await made(path).write(lambda: KeptEvidence(judged=EVIDENCE.judged))
    assert made(path).read() == KeptEvidence(judged=EVIDENCE.judged)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not path.with_name(f".{path.name}.new").exists()


async def test_every_damage_shows(tmp_path: Path) -> None:
    path = tmp_path / "evidence"
    await made(path).write(lambda: EVIDENCE)
    whole = path.read_bytes()
    for at in range(len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(BadEvidenceError):
            made(path).read()
        path.write_bytes(whole[:at])
        with pytest.raises(BadEvidenceError):
            made(path).read()


async def test_a_file_that_cannot_be_used_is_set_aside_and_evidence_begins_anew(tmp_path: Path) -> None:
    path, log = tmp_path / "evidence", Logged()
    await made(path, "south").write(lambda: EVIDENCE)
    foreign = path.read_bytes()
    kept = KeptSeats(made(path), log)
    assert kept.restored() == KeptEvidence()
    assert (tmp_path / "evidence.1.aside").read_bytes() == foreign
    ((event, said),) = log.lines
    assert (event, said["why"]) == ("evidence_begins_anew", "it is of the site 'south'")
    await kept.store(lambda: EVIDENCE)
    assert kept.restored() == EVIDENCE


async def test_a_folder_that_is_gone_is_said_once_and_the_next_shoe_tries_again(tmp_path: Path) -> None:
    folder, log = tmp_path / "gone", Logged()
    kept = KeptSeats(made(folder / "evidence"), log)
    await kept.store(lambda: EVIDENCE)
    await kept.store(lambda: EVIDENCE)
    assert [event for event, _ in log.lines] == ["evidence_not_written"]
    folder.mkdir()
    await kept.store(lambda: EVIDENCE)
    assert kept.restored() == EVIDENCE
