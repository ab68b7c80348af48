"""Checks of the machine: its clock, its power, its open ports, and whether the service keeps running."""

import asyncio
import re
import shutil
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from shoe_controller.doctor.findings import Finding, Patient, good, not_looked, problem

EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""This software did not exist before then; a clock that shows an earlier date has lost the time."""

THROTTLED = {
    0: "the supply voltage is too low now",
    1: "the processor runs slower because of it",
    2: "the processor is throttled now",
    3: "the processor is too hot now",
    16: "the supply voltage has been too low since the last start",
    17: "the processor has run slower since the last start",
    18: "the processor has been throttled since the last start",
    19: "the processor has been too hot since the last start",
}
"""Meaning of the bits of a Raspberry Pi's `get_throttled`."""

LISTENING = "0A"
MOST_RESTARTS = 3
UNIT = "shoe-controller"
PATIENCE = 5.0

_BOOTED_WITH_SYSTEMD = Path("/run/systemd/system").is_dir()
"""As checked by sd_booted(3)."""


async def look_at_clock(patient: Patient) -> list[Finding]:
    now = patient.clock.now()
    today = datetime.fromtimestamp(now.wall_ms / 1000, UTC)
    if today < EARLIEST:
        return problem(f"the clock shows {today:%Y-%m-%d}: it was lost with the power, and has not been set")
    if not now.synchronised:
        return problem(f"the clock ({today:%Y-%m-%d %H:%M} UTC) is not synchronised with a time server")
    return good(f"the clock is synchronised; it is {today:%Y-%m-%d %H:%M} UTC")


async def look_at_power(patient: Patient) -> list[Finding]:
    flags = _from_kernel(patient.machine.sys) or await _from_firmware(patient.machine.vcgencmd)
    if flags is None:
        return not_looked("this is not a Raspberry Pi, or its firmware gives no information")
    troubles = [what for bit, what in THROTTLED.items() if flags >> bit & 1]
    if troubles:
        return problem(f"{'; '.join(troubles)} (throttled=0x{flags:x})")
    return good("the power supply and the temperature have been good since the last start")


async def look_at_open_ports(patient: Patient) -> list[Finding]:
    """Check that plain MQTT cannot be reached from elsewhere: a listener without TLS is easily left open."""
    port = patient.machine.plain_port
    try:
        reachable = sorted({str(address) for address in _listening_on(port, patient.machine.proc)})
    except OSError:
        return not_looked("the kernel's list of open ports is not available")
    if reachable:
        return problem(f"a broker on this machine can be reached without TLS, at port {port} of {', '.join(reachable)}")
    return good(f"plain MQTT (port {port}) cannot be reached from other machines")


async def look_at_service(patient: Patient) -> list[Finding]:
    systemctl = shutil.which("systemctl")
    if systemctl is None or not _BOOTED_WITH_SYSTEMD:
        return not_looked("this machine is not run by systemd")
    name = None if patient.config is None or patient.config.table is None else patient.config.table.name
    for unit in (f"{UNIT}@{name}.service", f"{UNIT}.service"):
        shown = await _output(
            systemctl, "show", "--property=LoadState,UnitFileState,NRestarts,Result,ActiveState", unit
        )
        state = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
        if state.get("LoadState") == "loaded" and (
            state.get("UnitFileState") == "enabled" or unit == f"{UNIT}.service"
        ):
            return judge_service(unit, state)
    return not_looked("the service is not installed here")


def judge_service(unit: str, state: dict[str, str]) -> list[Finding]:
    """Judge the output of `systemctl show` for the service."""
    restarts = int(state.get("NRestarts", "0") or 0)
    if restarts >= MOST_RESTARTS or state.get("Result") == "watchdog":
        return problem(
            f"{unit} was restarted {restarts} times by itself; the last time it ended with: {state.get('Result')}",
            f"journalctl -u {unit} shows why; `shoe-controller support-bundle` collects it for support.",
        )
    if state.get("UnitFileState") != "enabled":
        return problem(f"{unit} does not start with the machine", f"sudo systemctl enable --now {unit}")
    return good(f"{unit} starts with the machine, and is {state.get('ActiveState')}")


def _from_kernel(sys: Path) -> int | None:
    for file in sys.glob("devices/platform/soc/soc:firmware/get_throttled"):
        try:
            return int(file.read_text(encoding="ascii").strip(), 16)
        except (OSError, ValueError):
            continue
    return None


async def _from_firmware(command: str) -> int | None:
    found = shutil.which(command)
    output = "" if found is None else await _output(found, "get_throttled")
    match = re.search(r"throttled=0x([0-9a-fA-F]{1,8})", output)
    return None if match is None else int(match[1], 16)


async def _output(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(PATIENCE):
            output, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return output.decode(errors="replace")


def _listening_on(port: int, proc: Path) -> list[IPv4Address | IPv6Address]:
    """Addresses other than loopback at which a program on this machine listens on that port."""
    found: list[IPv4Address | IPv6Address] = []
    for name in ("tcp", "tcp6"):
        file = proc / "net" / name
        for line in file.read_text(encoding="ascii").splitlines()[1:] if file.exists() else ():
            fields = line.split()
            address, _, number = fields[1].partition(":")
            if fields[3] == LISTENING and int(number, 16) == port:
                found.append(_address(address))
    return [each for each in found if not each.is_loopback]


def _address(text: str) -> IPv4Address | IPv6Address:
    """An address as /proc/net/tcp writes it: words of 32 bits, each in the byte order of the machine."""
    words = b"".join(bytes.fromhex(text[start : start + 8])[::-1] for start in range(0, len(text), 8))
    return IPv4Address(words) if len(words) == 4 else IPv6Address(words)
