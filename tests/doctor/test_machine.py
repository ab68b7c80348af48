"""The doctor and the machine: clock, power, service."""

from pathlib import Path

import pytest

from shoe_controller.clock.moment import Moment
from shoe_controller.doctor.findings import Machine, Patient, Verdict
from shoe_controller.doctor.machine import judge_service
from tests.doctor.clinic import clinic_file, good, not_looked, patient_with, problems

NOON = 1_794_830_400_000
"""A day in 2026."""


class StandingClock:
    """A `Clock` that stands still."""

    def __init__(self, wall_ms: int, *, synchronised: bool) -> None:
        self._moment = Moment(wall_ms=wall_ms, mono_ns=0, synchronised=synchronised)

    def now(self) -> Moment:
        return self._moment

    def boot(self) -> str:
        return "boot"


def at(folder: Path, wall_ms: int, *, synchronised: bool) -> Patient:
    return patient_with(folder, clinic_file(folder), clock=StandingClock(wall_ms, synchronised=synchronised))


@pytest.mark.asyncio
async def test_clock_fails_when_nobody_has_set_it(tmp_path: Path) -> None:
    assert "is not synchronised" in await problems(at(tmp_path, NOON, synchronised=False), "clock")
    assert "the clock shows 1970-01-01" in await problems(at(tmp_path, 5000, synchronised=True), "clock")
    assert "is synchronised; it is 2026-11-16" in await good(at(tmp_path, NOON, synchronised=True), "clock")


def raspberry_pi(folder: Path, throttled: str) -> Machine:
    firmware = folder / "sys" / "devices" / "platform" / "soc" / "soc:firmware"
    firmware.mkdir(parents=True, exist_ok=True)
    (firmware / "get_throttled").write_text(throttled)
    return Machine(sys=folder / "sys")


@pytest.mark.asyncio
async def test_power_fails_when_the_kernel_tells_of_under_voltage(tmp_path: Path) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path), machine=raspberry_pi(tmp_path, "50005\n"))
    told = await problems(patient, "power")
    assert "the supply voltage is too low now" in told
    assert "the supply voltage has been too low since the last start" in told
    assert "too hot" not in told
    patient.machine = raspberry_pi(tmp_path, "80008\n")
    assert "the processor is too hot now" in await problems(patient, "power")


@pytest.mark.asyncio
async def test_power_fails_when_the_firmware_tells_of_throttling(tmp_path: Path) -> None:
    command = tmp_path / "vcgencmd"
    patient = patient_with(tmp_path, clinic_file(tmp_path), machine=Machine(sys=tmp_path, vcgencmd=str(command)))
    assert "not a Raspberry Pi" in await not_looked(patient, "power")
    command.write_text("#!/bin/sh\necho throttled=0x40000\n")
    command.chmod(0o755)
    assert "the processor has been throttled since the last start" in await problems(patient, "power")
    command.write_text("#!/bin/sh\necho throttled=0x0\n")
    assert "have been good" in await good(patient, "power")
    command.write_text("#!/bin/sh\necho VCHI initialization failed\nexit 1\n")
    assert "not a Raspberry Pi" in await not_looked(patient, "power")


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"NRestarts": "7", "Result": "exit-code", "UnitFileState": "enabled"}, "was restarted 7 times by itself"),
        ({"NRestarts": "1", "Result": "watchdog", "UnitFileState": "enabled"}, "it ended with: watchdog"),
        ({"NRestarts": "0", "Result": "success", "UnitFileState": "disabled"}, "does not start with the machine"),
    ],
)
def test_service_fails_when_it_restarts_again_and_again_or_is_not_enabled(state: dict[str, str], told: str) -> None:
    (finding,) = judge_service("shoe-controller.service", state)
    assert finding.verdict is Verdict.PROBLEM
    assert told in finding.what
    assert "shoe-controller.service" in finding.to_do


def test_a_service_that_runs_is_good() -> None:
    state = {"NRestarts": "0", "Result": "success", "UnitFileState": "enabled", "ActiveState": "active"}
    (finding,) = judge_service("shoe-controller.service", state)
    assert finding.verdict is Verdict.GOOD
