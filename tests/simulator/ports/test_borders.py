"""Who in the ports may import what."""

import ast
from pathlib import Path

import simulator.ports

FOLDER = Path(simulator.ports.__file__).parent
PURE = {"usb_shoe.py", "usbip_packets.py", "usbip_session.py"}


def imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
    return names


def test_pyusb_is_imported_by_one_file_and_no_other_outside_library_at_all() -> None:
    outside = {"usb": ["usb.py"], "serial": [], "msgspec": [], "rich": []}
    for library, files in outside.items():
        found = sorted(f.name for f in FOLDER.glob("*.py") if library in {n.split(".")[0] for n in imports(f)})
        assert found == files, library


def test_ports_know_nobody_else_of_the_product() -> None:
    for file in FOLDER.glob("*.py"):
        own = {n for n in imports(file) if n.split(".")[0] in {"shoe_controller", "firmware_protocol", "simulator"}}
        assert all(name.startswith("simulator.ports.") for name in own), file


def test_the_pure_files_do_nothing_outside_themselves() -> None:
    for name in PURE:
        assert not imports(FOLDER / name) & {"asyncio", "socket", "os", "threading", "time"}, name
