"""numpy takes a while to import and memory to hold: no table pays for it."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", ["run", "config", "odds", "doctor", "board", "console"])
def test_no_command_imports_numpy_before_it_needs_it(command: str) -> None:
    code = f"import sys; from shoe_controller.cli import parser; parser({command!r}); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
