"""The files of deploy/, as far as they can be judged without installing them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from shoe_controller.setup.apply import ARCHIVE_GROUP, BOARD_GROUP, CONSOLE_GROUP, TABLE_GROUP, WITNESS_GROUP
from tests.deploy.renew import FOLDER, MADE

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
KIOSK = "shoe-kiosk.service"
SANDBOXED = [unit for unit in UNITS if unit.name != KIOSK]
MOST_EXPOSED, MOST_EXPOSED_KIOSK = 20, 40
"""Tenths of 10. A browser brings a sandbox of its own, which needs some of what ours would close."""

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_service_is_closed_as_far_as_it_can_be(unit: Path) -> None:
    most = MOST_EXPOSED_KIOSK if unit.name == KIOSK else MOST_EXPOSED
    words = ["systemd-analyze", "security", "--offline=true", f"--threshold={most}", "--no-pager", str(unit)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_understands_every_line(unit: Path, tmp_path: Path) -> None:
    # It says nothing of what it does not know but on standard error, and exits with 0. Our program is not installed.
    copy = tmp_path / unit.name.replace("@.", "@t1.")
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(encoding="utf-8"), flags=re.MULTILINE)
    copy.write_text(re.sub(r"^(After|Documentation)=.*$", "", text, flags=re.MULTILINE), encoding="utf-8")
    done = subprocess.run(
        [str(shutil.which("systemd-analyze")), "verify", str(copy)], capture_output=True, text=True, check=False
    )
    complaints = [line for line in done.stderr.splitlines() if copy.name in line and "SupplementaryGroups" not in line]
    assert complaints == []


@pytest.mark.parametrize(
    ("one", "many", "differences"),
    [
        ("shoe-controller.service", "shoe-controller@.service", {"table.toml": "%i.toml", "table\n": "table %i\n"}),
        (
            "shoe-console.service",
            "shoe-console@.service",
            {"console.toml": "%i.console.toml", "table\n": "table %i\n", "shoe-controller.s": "shoe-controller@%i.s"},
        ),
    ],
)
def test_several_tables_run_as_one_does(one: str, many: str, differences: dict[str, str]) -> None:
    text = (DEPLOY / "systemd" / one).read_text(encoding="utf-8")
    for here, there in differences.items():
        text = text.replace(here, there, 1)
    assert (DEPLOY / "systemd" / many).read_text(encoding="utf-8") == text


def test_a_table_is_watched_and_never_given_up() -> None:
    text = (DEPLOY / "systemd" / "shoe-controller.service").read_text(encoding="utf-8")
    for line in ("Type=notify", "WatchdogSec=20", "Restart=always", "StartLimitIntervalSec=0"):
        assert f"\n{line}\n" in text
    # The daemon asks the kernel with adjtimex whether the clock is right, and reads the name of the power-up in /proc.
    assert "adjtimex" in text
    assert "\nProtectClock=" not in text
    assert "\nProcSubset=" not in text


def test_every_driver_that_a_service_may_open_is_loaded_at_boot() -> None:
    modules = (DEPLOY / "modules-load.d" / "shoe-controller.conf").read_text(encoding="utf-8").split()
    assert {"cdc_acm", "ftdi_sio"} <= set(modules)


def test_users_of_the_services_are_made_and_get_their_files() -> None:
    made = (DEPLOY / "sysusers.d" / "shoe-controller.conf").read_text(encoding="utf-8")
    for unit in UNITS:
        (user,) = re.findall(r"^User=(\S+)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        assert re.search(rf"^u {user} ", made, re.MULTILINE)
    for group in (TABLE_GROUP, BOARD_GROUP, CONSOLE_GROUP, WITNESS_GROUP, ARCHIVE_GROUP):
        assert re.search(rf"^u {group} ", made, re.MULTILINE)


def test_every_command_of_a_unit_exists() -> None:
    for unit in SANDBOXED:
        (words,) = re.findall(r"^ExecStart=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
        command = words.split()[1]
        assert (DEPLOY.parent / "shoe_controller" / "commands" / f"{command}.py").exists()


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_from_the_program_is_up_to_date(name: str) -> None:
    """If not: python -m tests.deploy.renew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == MADE[name]


@pytest.mark.parametrize(
    "script", ["install.sh", "kiosk/shoe-kiosk", "debian/postinst", "debian/prerm", "debian/postrm"]
)
def test_scripts_are_scripts(script: str) -> None:
    file = DEPLOY / script
    shell = "bash" if "bash" in file.read_text(encoding="utf-8").splitlines()[0] else "sh"
    done = subprocess.run([f"/bin/{shell}", "-n", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o100
