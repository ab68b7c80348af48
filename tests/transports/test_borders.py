"""Who in the transports may import what: each outside library has one file, and nothing of the table is known here."""

import ast
from pathlib import Path

import shoe_controller.transports

FOLDER = Path(shoe_controller.transports.__file__).parent


def imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
    return names


def files_importing(library: str) -> list[str]:
    return sorted(file.name for file in FOLDER.glob("*.py") if any(library == n.split(".")[0] for n in imports(file)))


def test_each_outside_library_is_imported_by_one_file() -> None:
    assert files_importing("serial") == ["serial_port.py"]
    assert files_importing("usb") == ["usb_device.py"]


def test_transports_know_nobody_else_of_the_product() -> None:
    for file in FOLDER.glob("*.py"):
        own = {n for n in imports(file) if n.split(".")[0] in {"shoe_controller", "firmware_protocol", "simulator"}}
        assert all(name.startswith("shoe_controller.transports.") for name in own), file
