"""docs/emulator.md is true: its table is the one in the code, its scenario loads, its lines of Python run.

Its commands are run in `tests/documents`.
"""

import asyncio
import os
import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.faults import markdown_table
from simulator.options import port_from
from simulator.ports.pty import PtyPort
from simulator.scenario import read_scenario
from simulator.shoe_line import Wire, WireSettings

DOCUMENT = (Path(__file__).parents[2] / "docs" / "emulator.md").read_text(encoding="utf-8")
PORTS = re.findall(r"^\| `((?:pty|tcp|usbip)[^`]*)`", DOCUMENT, re.MULTILINE)


def test_the_table_of_faults_is_the_one_in_the_code() -> None:
    assert markdown_table() in DOCUMENT


def test_the_scenario_can_be_used() -> None:
    (scenario,) = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
    assert len(read_scenario(scenario, "emulator.md", Wire.NATIVE).faults) == 3


@pytest.mark.asyncio
async def test_the_lines_of_python_run(tmp_path: Path) -> None:
    (lines,) = re.findall(r"(?<=\n\n)((?: {4}async with EmulatedShoe.*\n)(?: {4}.*\n)+)", DOCUMENT)
    port = tmp_path / "shoe"
    quickly = partial(EmulationSettings, wire=WireSettings(wire=Wire.ANGEL_EYE), speed=200.0)
    names: dict[str, Any] = {
        "Path": Path,
        "PtyPort": PtyPort,
        "EmulatedShoe": EmulatedShoe,
        "EmulationSettings": quickly,
    }
    exec("async def run():\n" + lines.replace("/tmp/shoe", str(port)), names)  # noqa: S102, S108 - the document's own lines
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        listening = group.create_task(_listen(port))
        await names["run"]()
        listening.cancel()


async def _listen(port: Path) -> None:
    """Somebody must be on the line before the dealer begins."""
    while not port.is_symlink():  # noqa: ASYNC110, ASYNC240 - nobody announces it
        await asyncio.sleep(0.01)
    descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        while True:
            with suppress(BlockingIOError):
                os.read(descriptor, 1 << 16)
            await asyncio.sleep(0.01)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("port", PORTS)
def test_the_ports_are_understood(port: str) -> None:
    assert port_from(port).address


def test_the_document_names_them_all() -> None:
    assert len(PORTS) == 4
