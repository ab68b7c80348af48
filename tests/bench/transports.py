"""How long a message takes from the shoe to the controller's callback, beside the least that reading it can cost.

Serial: another process writes to a pseudo-terminal, and the same terminal is read with a bare, blocking `os.read` and
then through the transport. USB: a thread puts packets on the software bus of the tests, which are read with a bare,
blocking `bulk_read` and then through the transport. Each message carries the time at which it was sent.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import os
import statistics
import struct
import subprocess
import sys
import threading
import time
import tty
from array import array
from collections.abc import Callable

from usb.core import USBTimeoutError  # type: ignore[import-untyped]  # pyusb has no types

from shoe_controller.transports.serial_port import SerialPort
from shoe_controller.transports.transport import Port
from shoe_controller.transports.usb_device import UsbDevice
from tests.transports.fake_usb import FakeShoe, UsbBus

ROUNDS = 7
"""The two ways of reading take turns, and the median round is shown: other work on the machine hits single rounds."""
MESSAGES = 400
WARM_UP = 20
PAUSE = 0.001
"""Seconds between two messages, so that each is read alone."""
STAMP = struct.Struct("=q")

PTY_SHOE = f"""
import os, struct, sys, time
for _ in range({MESSAGES}):
    time.sleep({PAUSE})
    os.write(int(sys.argv[1]), struct.pack("=q", time.monotonic_ns()))
"""


StartShoe = Callable[[], Callable[[], object]]
"""Has a shoe send its messages; what it returns waits until it has."""


def main() -> None:
    print(f"{ROUNDS} rounds of {MESSAGES} messages, microseconds from the shoe to the reader:    p50      p99")
    master, slave = os.openpty()
    tty.setraw(slave)
    port: Port = SerialPort(os.ttyname(slave))
    shoe_on_pty = _shoe_on_pty(master)
    _compare("serial", "os.read", lambda: _bare_serial(slave, shoe_on_pty), lambda: _through(port, shoe_on_pty))
    os.close(master)
    os.close(slave)
    shoe = FakeShoe()
    bus = UsbBus(shoe)
    device: Port = UsbDevice(shoe.vendor, shoe.product, backend=bus)
    shoe_on_usb = _shoe_on_usb(shoe)
    _compare("USB", "bulk_read", lambda: _bare_usb(bus, shoe, shoe_on_usb), lambda: _through(device, shoe_on_usb))


def _compare(kind: str, call: str, bare: Callable[[], list[float]], through: Callable[[], list[float]]) -> None:
    rounds = [(_p50_p99(bare()), _p50_p99(through())) for _ in range(ROUNDS)]
    floor, transport = (
        [statistics.median(one[which][figure] for one in rounds) for figure in (0, 1)] for which in (0, 1)
    )
    added = [slow - fast for fast, slow in zip(floor, transport, strict=True)]
    for name, (p50, p99) in ((f"bare {call}", floor), ("transport", transport), ("added by the transport", added)):
        print(f"  {kind + ', ' + name:<68}{p50:>8.1f} {p99:>8.1f}")


def _p50_p99(ages: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(ages[WARM_UP:], n=100)
    return cuts[49], cuts[98]


def _ages(data: bytes, ages: list[float]) -> None:
    """Note how old the messages in `data` are, in microseconds."""
    now = time.monotonic_ns()
    ages += [(now - sent) / 1000 for (sent,) in STAMP.iter_unpack(data)]


def _shoe_on_pty(master: int) -> StartShoe:
    def start() -> Callable[[], object]:
        return subprocess.Popen([sys.executable, "-c", PTY_SHOE, str(master)], pass_fds=[master]).wait

    return start


def _shoe_on_usb(shoe: FakeShoe) -> StartShoe:
    def send() -> None:
        for _ in range(MESSAGES):
            time.sleep(PAUSE)
            shoe.send(STAMP.pack(time.monotonic_ns()))

    def start() -> Callable[[], object]:
        thread = threading.Thread(target=send)
        thread.start()
        return thread.join

    return start


def _bare_serial(slave: int, start_shoe: StartShoe) -> list[float]:
    ages: list[float] = []
    wait = start_shoe()
    while len(ages) < MESSAGES:
        _ages(os.read(slave, 4096), ages)
    wait()
    return ages


def _bare_usb(bus: UsbBus, shoe: FakeShoe, start_shoe: StartShoe) -> list[float]:
    ages: list[float] = []
    handle = bus.open_device(shoe)
    bus.claim_interface(handle, 0)
    buffer = array("B", bytes(64))
    wait = start_shoe()
    while len(ages) < MESSAGES:
        try:
            count = bus.bulk_read(handle, 0x81, 0, buffer, 250)
        except USBTimeoutError:
            continue
        _ages(buffer[:count].tobytes(), ages)
    wait()
    bus.release_interface(handle, 0)
    bus.close_device(handle)
    return ages


def _through(port: Port, start_shoe: StartShoe) -> list[float]:
    return asyncio.run(_read_through(port, start_shoe))


async def _read_through(port: Port, start_shoe: StartShoe) -> list[float]:
    ages: list[float] = []
    done = asyncio.Event()

    def on_bytes(data: bytes) -> None:
        _ages(data, ages)
        if len(ages) >= MESSAGES:
            done.set()

    line = await port.open(on_bytes, print)
    wait = start_shoe()
    await done.wait()
    wait()
    await line.close()
    return ages
