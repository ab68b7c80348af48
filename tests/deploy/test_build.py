"""The package does not depend on the machine that builds it, and the installer says which Python it needs."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.hardware.guest_image import PROJECT

DEPLOY = PROJECT / "deploy"

CONTROL = "Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n"
FILES = {"DEBIAN/control": CONTROL, "opt/x/b": "b", "opt/x/a": "a", "usr/lib/c": "c"}


def tree(folder: Path, names: Iterable[str], umask: int) -> Path:
    """The same files, written in this order by a builder with this umask."""
    before = os.umask(umask)
    try:
        folder.mkdir()
        for name in names:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(FILES[name], encoding="utf-8")
        (folder / "opt" / "x" / "b").chmod(0o700)
        (folder / "opt" / "link").symlink_to("/opt/x/a")
    finally:
        os.umask(before)
    (folder / "DEBIAN").chmod(0o755)
    return folder


def test_the_same_files_give_the_same_package_whoever_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(DEPLOY))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    builder = importlib.import_module("build_deb")
    packages = []
    for number, (names, umask) in enumerate([(list(FILES), 0o022), (list(reversed(FILES)), 0o077)]):
        made = tree(tmp_path / f"tree {number}", names, umask)
        os.utime(made / "opt" / "x" / "a", (number, number))
        packages.append(tmp_path / f"{number}.deb")
        builder.pack(made, packages[-1])
    assert packages[0].read_bytes() == packages[1].read_bytes()


def test_a_command_of_the_package_can_use_all_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process that it starts reads its launcher again, and must not run the command."""
    monkeypatch.syspath_prepend(str(DEPLOY))
    builder = importlib.import_module("build_deb")
    launcher = tmp_path / "shoe-controller"
    text = builder.LAUNCHER.format(python="3", libraries=str(PROJECT).lstrip("/"), module="shoe_controller.cli")
    launcher.write_text(text, encoding="utf-8")
    words = ("odds", "--counted", "--decks", "1", "--wager", "base.tie", "--shoes", "11", "--json")
    done = subprocess.run([sys.executable, "-I", str(launcher), *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)[0]["shoes"] == 11


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("3.12", "is Python 3.12. deploy/dependencies.lock has libraries for Python 3.11 and 3.13 alone"),
        ("3.13", "has no venv: apt install python3-venv"),
        ("", "does not run. Install Debian's own"),
    ],
)
def test_the_installer_refuses_a_python_that_the_lock_is_not_for(tmp_path: Path, version: str, says: str) -> None:
    for name, script in {
        "id": "echo 0",
        "python": f'case $2 in *version_info*) echo "{version}"; [ -n "{version}" ];; *) exit 1;; esac',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        [DEPLOY / "install.sh"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHON": str(tmp_path / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"{tmp_path}/python {says}"), done.stderr
