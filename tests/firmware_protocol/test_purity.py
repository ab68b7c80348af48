"""The wire has no clock, no port and no chance in it: what its files import says so."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import firmware_protocol

FOLDER = Path(firmware_protocol.__file__).parent
FORBIDDEN = {
    "asyncio",
    "concurrent",
    "datetime",
    "importlib",
    "multiprocessing",
    "os",
    "random",
    "secrets",
    "select",
    "selectors",
    "serial",
    "shoe_controller",
    "simulator",
    "socket",
    "ssl",
    "subprocess",
    "threading",
    "time",
    "usb",
}
WELCOME = {"firmware_protocol", "msgspec"}


def imported(source: str) -> Iterator[str]:
    """The top-level packages that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "firmware_protocol" if node.level else (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Name) and node.id == "__import__":
            yield "importlib"


def complaints(source: str) -> set[str]:
    names = set(imported(source))
    strange = {name for name in names if name not in WELCOME and name not in sys.stdlib_module_names}
    return (names & FORBIDDEN) | strange


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_file_of_the_wire_imports_only_what_is_pure(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import time", {"time"}),
        ("from datetime import datetime", {"datetime"}),
        ("def f():\n    import os.path", {"os"}),
        ("import serial.tools", {"serial"}),
        ("from shoe_controller.table import x", {"shoe_controller"}),
        ("import rich", {"rich"}),
        ("__import__('time')", {"importlib"}),
        ("import struct\nfrom hashlib import blake2s\nfrom . import cards\nimport msgspec", set()),
    ],
)
def test_the_check_finds_what_it_must(source: str, found: set[str]) -> None:
    assert complaints(source) == found
