"""The sentences that tell a person what to do."""

import errno
import grp
import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shoe_controller.transports.transport import TransportError
from shoe_controller.transports.troubles import explain


def sentence(code: int | None, detail: str = "odd thing", device: Path | None = None) -> str:
    error = explain("/dev/shoe", code, detail, {errno.ENOENT: "no shoe is there. Plug it in."}, device)
    assert isinstance(error, TransportError)
    return str(error)


@pytest.mark.parametrize("code", [None, *sorted(errno.errorcode)])
def test_every_error_is_a_sentence_that_names_the_port_and_says_what_to_do(code: int | None) -> None:
    text = sentence(code)
    assert text.startswith("/dev/shoe")
    assert text.endswith(".")
    assert re.search(r"Plug|Check|Restart|restart|Stop|Switch|Install|Correct", text)


def test_an_error_without_a_better_sentence_shows_its_own_text() -> None:
    assert sentence(None) == "/dev/shoe: odd thing. Check the cable and the power of the shoe."


def test_the_sentences_of_a_port_come_first() -> None:
    assert sentence(errno.ENOENT) == "/dev/shoe: no shoe is there. Plug it in."


def test_permission_names_the_user_and_the_group(tmp_path: Path) -> None:
    device = tmp_path / "device"
    device.touch()
    group = next(each for each in grp.getgrall() if each.gr_gid != 0)
    if os.geteuid() == 0:
        os.chown(device, 0, group.gr_gid)
    name = grp.getgrgid(device.stat().st_gid).gr_name
    user = pwd.getpwuid(os.geteuid()).pw_name
    assert f"belongs to the group {name}. Run `sudo usermod -aG {name} {user}`" in sentence(errno.EACCES, device=device)


@pytest.mark.parametrize("device", [None, Path("/proc/self/nothing"), Path("/proc/1/limits")])
def test_permission_without_a_group_to_join_asks_for_the_udev_rule(device: Path | None) -> None:
    assert "Install the controller's udev rule" in sentence(errno.EACCES, device=device)


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EAGAIN])
def test_busy_names_the_process_that_holds_the_device(tmp_path: Path, code: int) -> None:
    device = tmp_path / "device"
    device.touch()
    hold = "import sys; file = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", hold, str(device)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        assert f"is in use by process {process.pid} (python" in sentence(code, device=device)
        process.communicate()


def test_busy_without_a_known_process(tmp_path: Path) -> None:
    assert "is in use by another program. Stop it" in sentence(errno.EBUSY)
    device = tmp_path / "device"
    device.touch()
    assert f"is in use by another program (`sudo fuser -v {device}` shows which)" in sentence(
        errno.EBUSY, device=device
    )
