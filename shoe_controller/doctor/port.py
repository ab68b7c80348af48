"""Checks of the shoe's port: whether it is there, whether the service may open it, and what else holds it."""

import asyncio
import socket
from pathlib import Path
from urllib.parse import urlsplit

from shoe_controller.config.shoe import USB_PREFIX, ShoeSettings
from shoe_controller.config.table_file import Config
from shoe_controller.doctor.configuration import NO_CONFIGURATION
from shoe_controller.doctor.findings import Finding, Patient, Verdict, good, not_looked, problem
from shoe_controller.doctor.holders import holders_of, writers_of
from shoe_controller.doctor.users import READ, WRITE, group_name, may
from shoe_controller.transports.socket_port import SOCKET_PREFIX

PATIENCE = 3.0
"""Seconds within which a serial server must answer."""


async def look_at_port(patient: Patient) -> list[Finding]:
    if patient.config is None or patient.config.shoe is None:
        return not_looked(NO_CONFIGURATION)
    shoe = patient.config.shoe
    if shoe.address.startswith(SOCKET_PREFIX):
        # Most serial servers serve one client at a time: a second connection would cost the table its shoe.
        patient.table_runs = bool(_writers(patient.config, patient.machine.proc))
        if patient.table_runs:
            return not_looked("the table's controller is using the serial server, which may serve only one client")
        found = await _look_at_server(shoe.address)
        patient.server_answers = found[0].verdict is Verdict.GOOD
        return found
    return _look_at_device(shoe, patient.machine.sys)


def _look_at_device(shoe: ShoeSettings, sys: Path) -> list[Finding]:
    device = device_of(shoe, sys)
    if device is None:
        attached = _attached_usb(sys)
        return problem(
            f"no USB device {shoe.address.removeprefix(USB_PREFIX)} is plugged in",
            f"Plug the shoe in and switch it on. Plugged in now: {', '.join(attached) or 'nothing'}.",
        )
    if not device.exists():
        return problem(
            f"{device} does not exist",
            "Plug the shoe in and switch it on, or correct port in the [shoe] section. "
            f"Serial ports now: {', '.join(_attached_serial()) or 'none'}.",
        )
    if not device.is_char_device():
        return problem(f"{device} is not a device", "Correct port in the [shoe] section.")
    return good(f"{device} is there{_behind(device)}")


async def look_at_permission(patient: Patient) -> list[Finding]:
    device = _present_device(patient)
    if isinstance(device, str):
        return not_looked(device)
    user = patient.user
    if may(user, device, READ | WRITE):
        return good(f"the service's user {user.name} may open {device}")
    group = group_name(device)
    if group == "root":
        return problem(
            f"{user.name} may not open {device}, which belongs to root alone",
            "Install the udev rule (60-shoe-controller.rules), then unplug the shoe and plug it in again.",
        )
    return problem(
        f"{user.name} may not open {device}, which belongs to the group {group}",
        f"sudo usermod -aG {group} {user.name}, then restart the service.",
    )


async def look_at_holders(patient: Patient) -> list[Finding]:
    device = _present_device(patient)
    if isinstance(device, str):
        patient.port_ready = device == _NO_DEVICE and patient.server_answers and not patient.table_runs
        return not_looked(device)
    proc = patient.machine.proc
    holders = holders_of(device, proc)
    own = set() if patient.config is None else _writers(patient.config, proc)
    strangers = [holder for holder in holders if holder.pid not in own]
    patient.table_runs = any(holder.pid in own for holder in holders)
    if strangers:
        return problem(
            f"{device} is held by {', '.join(map(str, strangers))}",
            "Stop it: only one program may talk to a shoe. ModemManager is kept away by the udev rule.",
        )
    patient.port_ready = not patient.table_runs
    if patient.table_runs:
        return good(f"{device} is held by the table's own controller alone")
    return good(f"no program holds {device}")


def device_of(shoe: ShoeSettings, sys: Path) -> Path | None:
    """The device file behind a port; `None` where a USB device is not plugged in."""
    if not shoe.address.startswith(USB_PREFIX):
        return Path(shoe.address)
    vendor, product, *rest = shoe.address.removeprefix(USB_PREFIX).split(":", 2)
    for folder in sorted((sys / "bus" / "usb" / "devices").glob("*")):
        here = [_text(folder / name).lower() for name in ("idVendor", "idProduct")]
        if here == [vendor.lower(), product.lower()] and rest in ([], [_text(folder / "serial")]):
            return Path(f"/dev/bus/usb/{int(_text(folder / 'busnum')):03}/{int(_text(folder / 'devnum')):03}")
    return None


_NO_DEVICE = "a serial server has no device on this machine"


def _present_device(patient: Patient) -> Path | str:
    """The device, or why there is none to check."""
    shoe = None if patient.config is None else patient.config.shoe
    if shoe is None:
        return NO_CONFIGURATION
    if shoe.address.startswith(SOCKET_PREFIX):
        return _NO_DEVICE
    device = device_of(shoe, patient.machine.sys)
    return device if device is not None and device.is_char_device() else "the port is not there"


def _writers(config: Config, proc: Path) -> set[int]:
    return set() if config.journal is None else writers_of(config.journal.file, proc)


async def _look_at_server(address: str) -> list[Finding]:
    place = urlsplit(address)
    try:
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except (OSError, TimeoutError, socket.gaierror) as error:
        reason = getattr(error, "strerror", None) or "no answer in time"
        return problem(
            f"no serial server answers at {address} ({reason})",
            "Switch the serial server on, and check its address, the network and the firewall.",
        )
    writer.close()
    return good(f"a serial server answers at {address}")


def _behind(device: Path) -> str:
    real = device.resolve()
    return f" ({real.name})" if real != device else ""


def _attached_serial() -> list[str]:
    return sorted(str(path) for folder in ("shoe", "serial/by-id") for path in Path("/dev", folder).glob("*"))


def _attached_usb(sys: Path) -> list[str]:
    folders = (path.parent for path in sorted((sys / "bus" / "usb" / "devices").glob("*/idVendor")))
    return [f"{_text(each / 'idVendor')}:{_text(each / 'idProduct')}" for each in folders]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
