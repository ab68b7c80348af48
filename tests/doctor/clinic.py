"""A table to be looked at by the doctor: its files, and single checks with those that they build on."""

from pathlib import Path
from typing import Any

from shoe_controller.doctor.checks import CHECKS, examine
from shoe_controller.doctor.findings import Finding, Patient, Verdict
from shoe_controller.doctor.users import User, service_user
from tests.daemon.house_file import SHOE_KEY, table_file, write_secret, write_table_file
from tests.table_files import Data

ALWAYS = ("configuration", "secrets")
"""What every other check builds on."""

NOBODY = User("nobody", 65534, frozenset({65534}))


def clinic_file(folder: Path, port: str = "/dev/no-such-shoe", **parts: Any) -> Data:  # noqa: ANN401 - parts of the file
    """What the file of a table in this folder holds, with a key."""
    key = write_secret(folder / "shoe.key", SHOE_KEY.hex())
    usual: dict[str, Any] = {"wire": "native", "shoe_port": port, "journal": folder / "table.journal", "key_file": key}
    return table_file(**(usual | parts))


def patient_with(folder: Path, data: Data, **more: Any) -> Patient:  # noqa: ANN401 - fields of a patient
    usual: dict[str, Any] = {"file": write_table_file(folder, data), "user": service_user()}
    return Patient(**(usual | more))


async def found(patient: Patient, *names: str) -> dict[str, list[Finding]]:
    """What these checks find, each in its turn, after the ones that they always build on."""
    chosen = [check for check in CHECKS if check.name in (*ALWAYS, *names)]
    assert len(chosen) == len({*ALWAYS, *names}), names
    return {check.name: findings async for check, findings in examine(patient, chosen)}


async def problems(patient: Patient, name: str, *before: str) -> str:
    """The sentences of a check that must find a problem, and nothing but problems."""
    findings = (await found(patient, *before, name))[name]
    assert findings
    assert {each.verdict for each in findings} == {Verdict.PROBLEM}, findings
    return "\n".join(f"{each.what} -> {each.to_do}" for each in findings)


async def good(patient: Patient, name: str, *before: str) -> str:
    (finding,) = (await found(patient, *before, name))[name]
    assert finding.verdict is Verdict.GOOD, finding
    return finding.what


async def not_looked(patient: Patient, name: str, *before: str) -> str:
    (finding,) = (await found(patient, *before, name))[name]
    assert finding.verdict is Verdict.NOT_LOOKED, finding
    return finding.what
