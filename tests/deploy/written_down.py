"""Commands as docs/install.md has them, word for word, for tests that follow it on a machine of their own."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
INSTALL = ROOT / "docs" / "install.md"
UNITS = ROOT / "deploy" / "systemd"


def commands_below(heading: str, number: int = 1) -> list[list[str]]:
    """The words of every command in a section's block of shell commands, the first one if no other is asked for."""
    section = re.split(r"\n#{2,3} ", INSTALL.read_text(encoding="utf-8").split(f"# {heading}\n", 1)[1], maxsplit=1)[0]
    block = section.split("```sh\n")[number].split("```", 1)[0]
    return [shlex.split(line) for line in block.splitlines()]


def started_by(unit: str, folder: Path) -> list[str]:
    """What a service starts: the words after the program, with this folder in place of the installed one."""
    name, at, instance = unit.partition("@")
    text = (UNITS / f"{name}{at}.service").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=/opt/shoe-controller/bin/shoe-controller (.*)$", text, re.MULTILINE)
    return shlex.split(line.replace("%i", instance).replace("/etc/shoe-controller", str(folder)))
