"""The doctor's advice is tried: the trouble is made, what it advises is done, and it is content."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_controller.doctor.checks import CHECKS
from shoe_controller.doctor.findings import Finding, Patient, Verdict
from tests.doctor.clinic import NOBODY, clinic_file, found, not_looked, patient_with
from tests.doctor.troubles import TROUBLES, Trouble, Ward
from tests.mqtt.certificates import Certificates

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, other than those that pytest makes."""
    folder = Path(tempfile.mkdtemp(prefix="doctor-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


async def problems_in(patient: Patient, trouble: Trouble) -> list[Finding]:
    findings = (await found(patient, *trouble.before, trouble.check))[trouble.check]
    return [each for each in findings if each.verdict is Verdict.PROBLEM]


@pytest.mark.parametrize("trouble", TROUBLES, ids=[trouble.what for trouble in TROUBLES])
async def test_advice_that_is_followed_helps(open_folder: Path, certificates: Certificates, trouble: Trouble) -> None:
    if trouble.root and os.geteuid() != 0:
        pytest.skip("only root can give files to another user")
    (check,) = (each for each in CHECKS if each.name == trouble.check)
    ward = Ward(open_folder, certificates)
    async with trouble.made(ward) as follow:
        problems = await problems_in(ward.patient(), trouble)
        assert problems, f"{trouble.check} found nothing"
        advice = problems[0].to_do or check.to_do
        assert trouble.advised.replace("@", str(open_folder)) in advice
        await follow(advice)
        assert await problems_in(ward.patient(), trouble) == []


async def test_a_disk_that_may_not_be_written_to_is_not_called_slow(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path), user=NOBODY)
    assert "may not write to" in await not_looked(patient, "disk-speed")
