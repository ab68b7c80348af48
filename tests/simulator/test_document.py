"""docs/emulator.md is true: its table is the one in the code, its scenario loads, its commands are understood."""

import re
from pathlib import Path

import pytest

from simulator.cli import parser
from simulator.faults import markdown_table
from simulator.options import port_from
from simulator.scenario import read_scenario
from simulator.shoe_line import Wire

DOCUMENT = (Path(__file__).parents[2] / "docs" / "emulator.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    shoe-emulator (.*?)(?:\s+#.*)?$", DOCUMENT, re.MULTILINE)
PORTS = re.findall(r"^\| `((?:pty|tcp|usbip)[^`]*)`", DOCUMENT, re.MULTILINE)


def test_the_table_of_faults_is_the_one_in_the_code() -> None:
    assert markdown_table() in DOCUMENT


def test_the_scenario_can_be_used() -> None:
    (scenario,) = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
    assert len(read_scenario(scenario, "emulator.md", Wire.NATIVE).faults) == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_are_understood(command: str) -> None:
    words = command.split()
    arguments = words if words[0] in ("record", "play", "faults", "run") else ["run", *words]
    assert parser().parse_args(arguments).command == arguments[0]


@pytest.mark.parametrize("port", PORTS)
def test_the_ports_are_understood(port: str) -> None:
    assert port_from(port).address


def test_the_document_names_them_all() -> None:
    assert len(COMMANDS) >= 7
    assert len(PORTS) == 4
