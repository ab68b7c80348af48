"""The programs of a demonstration, started as the installed package starts them."""

import subprocess
import sys
from pathlib import Path

import simulator

ROOT = Path(simulator.__file__).parent.parent

INSTALLED = """\
import subprocess, sys
sys.path[:] = [each for each in sys.path if "site-packages" not in each] + sys.argv[1:]
from shoe_controller.demo.programs import python
sys.exit(subprocess.run([*python("shoe_controller.cli"), "hand", "9H", "4D", "KS", "2C"]).returncode)
"""
"""Like the program of the package: isolated, with libraries in a folder that Python does not know by itself."""


def test_a_program_finds_the_libraries_of_an_installed_one(tmp_path: Path) -> None:
    libraries = [str(ROOT), *(each for each in sys.path if "site-packages" in each)]
    # The Python that our environment was made from, which does not know our libraries.
    command = [sys._base_executable, "-I", "-c", INSTALLED, *libraries]  # type: ignore[attr-defined]  # noqa: SLF001
    hand = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False)
    assert hand.returncode == 0, hand.stderr
    assert "Player wins" in hand.stdout
