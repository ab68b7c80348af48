"""The doctor at the shoe's port: real pseudo-terminals, real sockets, real processes that hold them."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoe_controller.doctor.findings import Machine
from tests.daemon.harness import Chain
from tests.doctor.clinic import NOBODY, clinic_file, good, not_looked, patient_with, problems
from tests.transports.pty_shoe import PtyShoe
from tests.transports.test_serial_sharing import another_controller

pytestmark = pytest.mark.asyncio

OPEN_AND_WAIT = "import sys; port = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[PtyShoe]:
    plugged_in = PtyShoe(tmp_path / "shoe")
    plugged_in.plug_in()
    yield plugged_in
    plugged_in.unplug()


async def test_port_fails_when_nothing_is_plugged_in(tmp_path: Path) -> None:
    told = await problems(patient_with(tmp_path, clinic_file(tmp_path)), "port")
    assert "/dev/no-such-shoe does not exist" in told
    assert "Plug the shoe in" in told


async def test_port_fails_when_it_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "shoe").touch()
    patient = patient_with(tmp_path, clinic_file(tmp_path, str(tmp_path / "shoe")))
    assert "is not a device" in await problems(patient, "port")


async def test_port_fails_when_no_such_usb_device_is_plugged_in(tmp_path: Path) -> None:
    other = tmp_path / "sys" / "bus" / "usb" / "devices" / "1-1"
    other.mkdir(parents=True)
    for name, text in {"idVendor": "1d6b", "idProduct": "0002", "busnum": "1", "devnum": "2"}.items():
        (other / name).write_text(f"{text}\n")
    data = clinic_file(tmp_path, "usb:1209:5b0e:T1")
    patient = patient_with(tmp_path, data, machine=Machine(sys=tmp_path / "sys"))
    told = await problems(patient, "port")
    assert "no USB device 1209:5b0e:T1 is plugged in" in told
    assert "Plugged in now: 1d6b:0002" in told


async def test_port_fails_when_no_serial_server_answers(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"socket://127.0.0.1:{taken.getsockname()[1]}"
        patient = patient_with(tmp_path, clinic_file(tmp_path, address))
        assert f"no serial server answers at {address}" in await problems(patient, "port")
        taken.listen()
        assert "a serial server answers" in await good(patient, "port")
    assert "no device on this machine" in await not_looked(patient, "port-free")


async def test_a_port_that_is_there_permitted_and_free(tmp_path: Path, shoe: PtyShoe) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path, shoe.path))
    assert "is there (" in await good(patient, "port")
    assert "may open" in await good(patient, "port-permission")
    # This process holds the shoe's own end, and both of its files; a process does not stand in its own way.
    assert "no program holds" in await good(patient, "port-free")
    assert patient.port_ready


async def test_port_permission_fails_when_the_service_may_not_open_it(tmp_path: Path, shoe: PtyShoe) -> None:
    shoe.link.chmod(0o600)
    patient = patient_with(tmp_path, clinic_file(tmp_path, shoe.path), user=NOBODY)
    patient.file.chmod(0o600)
    told = await problems(patient, "port-permission")
    assert "nobody may not open" in told
    assert "udev rule" in told or "usermod -aG" in told


async def test_port_free_fails_when_another_controller_holds_it(tmp_path: Path, shoe: PtyShoe) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path, shoe.path))
    with another_controller(shoe.path) as other:
        told = await problems(patient, "port-free")
        assert f"is held by process {other.pid} (python" in told
        assert not patient.port_ready
    assert "no program holds" in await good(patient, "port-free")


@contextmanager
def terminal_program(path: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that opens the port and asks for no lock."""
    command = [sys.executable, "-c", OPEN_AND_WAIT, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b"open\n"
        yield process
        process.stdin.close()


async def test_port_free_fails_when_a_program_reads_it_without_a_lock(tmp_path: Path, shoe: PtyShoe) -> None:
    patient = patient_with(tmp_path, clinic_file(tmp_path, shoe.path))
    with terminal_program(shoe.path) as other:
        assert f"is held by process {other.pid} " in await problems(patient, "port-free")


async def test_the_tables_own_controller_may_hold_it(tmp_path: Path) -> None:
    async with Chain(tmp_path) as chain, chain.emulated_shoe(cut_card=400) as shoe:
        await chain.start_daemon()
        display = await chain.display()
        await display.until(lambda: display.status is not None and display.status.shoe_link)
        patient = patient_with(tmp_path, chain.data)
        assert "held by the table's own controller" in await good(patient, "port-free")
        assert patient.table_runs
        told = await good(patient, "shoe", "broker", "table", "port-free")
        assert "connected to the table's controller; to see which one it is, touch `Make the shoe blink`" in told
        assert "holds the right key" in await good(patient, "shoe-key", "broker", "table", "port-free", "shoe")
        assert shoe.plugged_in
