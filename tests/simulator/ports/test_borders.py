"""Which files of the ports may import what."""

from pathlib import Path

from tests.test_layers import files_in, imports_of, is_within, package_of

FILES = files_in("simulator/ports")
PURE = {"usb_shoe.py", "usbip_packets.py", "usbip_session.py"}


def imports(file: Path) -> list[str]:
    return list(imports_of(file.read_text(encoding="utf-8"), package_of(file)))


def test_pyusb_is_imported_by_one_file_and_no_other_outside_library_at_all() -> None:
    outside = {"usb": ["usb.py"], "serial": [], "msgspec": [], "rich": []}
    for library, files in outside.items():
        found = [file.name for file in FILES if any(is_within(name, [library]) for name in imports(file))]
        assert found == files, library


def test_ports_import_nothing_else_of_the_project() -> None:
    for file in FILES:
        own = [name for name in imports(file) if is_within(name, ["shoe_controller", "firmware_protocol", "simulator"])]
        assert all(is_within(name, ["simulator.ports"]) for name in own), file


def test_the_pure_files_do_nothing_outside_themselves() -> None:
    assert {file.name for file in FILES} > PURE
    for file in FILES:
        if file.name in PURE:
            assert not any(is_within(name, ["asyncio", "socket", "os", "threading", "time"]) for name in imports(file))
