"""A table on a real kernel: `shoe-controller run` takes up the shoe by its lasting name, whenever it is plugged in.

The daemon runs as the user and with the group that the package gives it, so the udev rule's permissions are what lets
it in. The shoe is `shoe-emulator`, which writes down the truth; at the end the journal is held against it.
"""

import asyncio
import grp
import json
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from shoe_controller.daemon.table_journal import SOFTWARE, replay
from shoe_controller.journal.verify import verify
from simulator.ports.usb_shoe import UsbKind
from simulator.ports.usbip import UsbIpPort
from simulator.truth import RoundEnded, read_truth
from tests.deploy.udev_checks import until, usb_devices
from tests.hardware.emulator_checks import IDENTITY, KEY, NUMBER, TRUTH, shoe_emulator
from tests.hardware.init_checks import NAME
from tests.hardware.usbip_command import attach, detach
from tests.reckoning import read_journal, reckoned

PROGRAM = (sys.executable, "-m", "shoe_controller.cli")
USER, SHOES = "shoe-controller", "shoe"
SPEED = 20
"""Times a person's pace: slow enough that the cable is pulled in the middle of a round, and not after the shoe."""


class RunningTable:
    """The daemon, and what it has logged."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "t1.journal"
        self.file = folder / "house" / "table.toml"
        self.log = folder / "log"

    def times(self, event: str, **fields: object) -> int:
        """How often it has logged this, with these values."""
        lines = self.log.read_text(encoding="utf-8").rpartition("\n")[0].splitlines()
        return sum(fields.items() <= line.items() for line in map(json.loads, lines) if line["event"] == event)

    async def logs(self, event: str, times: int, **fields: object) -> None:
        what = f"the table to log {event} {fields or ''} {times} times; it logged:\n"
        try:
            await until(lambda: self.times(event, **fields) >= times, what)
        except AssertionError as error:
            raise AssertionError(f"{error}{self.log.read_text(encoding='utf-8')}") from None


def _make(folder: Path, port: str, journal: Path, user: pwd.struct_passwd) -> None:
    """As a person would, with a key that the shoe has already; then all of it is the table's own user's."""
    (folder / "house").mkdir()
    key = folder / "house" / "shoe.key"
    key.touch(0o600)
    key.write_text(KEY.hex(), encoding="utf-8")
    words = ("--site", "guest", "--table", "t1", "--port", port, "--no-broker")
    init = [*PROGRAM, "init", str(folder / "house"), *words, "--journal", str(journal)]
    made = subprocess.run(init, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
        os.chown(path, user.pw_uid, user.pw_gid)


@asynccontextmanager
async def running_table(port: str) -> AsyncIterator[RunningTable]:
    """A table as `init` makes it, running without a shoe."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        table = RunningTable(folder)
        user = pwd.getpwnam(USER)
        _make(folder, port, table.journal, user)
        with table.log.open("wb") as log:
            daemon = await asyncio.create_subprocess_exec(
                *(*PROGRAM, "run", str(table.file)),
                stdout=log,
                stderr=log,
                user=user.pw_uid,
                group=user.pw_gid,
                extra_groups=[grp.getgrnam(SHOES).gr_gid],
            )
        try:
            await table.logs("ready", 1)
            await table.logs("no_shoe", 1)
            yield table
            assert daemon.returncode is None, table.log.read_text(encoding="utf-8")
            daemon.send_signal(signal.SIGTERM)
            assert await daemon.wait() == 0
        finally:
            if daemon.returncode is None:
                daemon.kill()
                await daemon.wait()


async def _takes_up(port_option: str, port: UsbIpPort, address: str, is_there: Callable[[], bool]) -> None:
    """No shoe when the table starts; plugged in, pulled in mid-shoe and plugged in again, twice; nothing is lost."""
    async with running_table(address) as table:
        async with shoe_emulator(port_option, speed=SPEED) as process:
            for turn in (1, 2):
                assert not is_there()
                await attach(port)
                await table.logs("shoe_link", turn, up=True)
                await table.logs("round_result", turn)
                assert is_there()
                await detach()
                await table.logs("shoe_link", turn, up=False)
                await until(lambda: not is_there(), "the shoe's name to go")
            await attach(port)
            assert await process.wait() == 0
            await detach()
        truth = read_truth(TRUTH)
        rounds = sum(isinstance(happening, RoundEnded) for happening in truth)
        assert rounds > 2
        await table.logs("round_result", rounds)
        reckoned(read_journal(table.journal), truth)
        report = verify(table.journal, replay=replay, software=SOFTWARE, progress=lambda _done, _all: None)
        assert report.good, report.problems
        assert table.times("round_result") == rounds
        assert table.times("alert_raised", kind="event_gap") == 0


async def the_table_takes_up_a_serial_shoe_by_its_name() -> None:
    port = UsbIpPort(port=NUMBER, identity=IDENTITY, kind=UsbKind.CDC_ACM)
    await _takes_up(f"usbip:127.0.0.1:{NUMBER}", port, NAME, Path(NAME).exists)


async def the_table_takes_up_a_vendor_shoe() -> None:
    port = UsbIpPort(port=NUMBER, identity=IDENTITY, kind=UsbKind.VENDOR)
    before = usb_devices()
    option = f"usbip-vendor:127.0.0.1:{NUMBER}"
    await _takes_up(option, port, IDENTITY.address, lambda: bool(usb_devices() - before))
