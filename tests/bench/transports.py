"""How long a message takes from the shoe to the controller's callback, beside the least that reading it can cost.

Serial: another process writes to a pseudo-terminal, and the same terminal is read with a bare, blocking `os.read` and
then through the transport. USB: a thread sends on the emulator's bus, which is read with a bare,
blocking `bulk_read` and then through the transport. Each message carries the time at which it was sent.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import functools
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
from simulator.ports.port import plugged_in
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_shoe import DATA_IN, PACKET_SIZE, UsbIdentity
from tests.simulator.ports.shoe_end import ShoeEnd

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
    through = functools.partial(_through, port, shoe_on_pty)
    _compare("serial", "os.read", lambda: _bare_serial(slave, shoe_on_pty), lambda: asyncio.run(through()))
    os.close(master)
    os.close(slave)
    _compare("USB", "bulk_read", lambda: asyncio.run(_bare_usb()), lambda: asyncio.run(_through_usb()))


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


def _shoe_on_usb(shoe: UsbPort) -> StartShoe:
    def send() -> None:
        for _ in range(MESSAGES):
            time.sleep(PAUSE)
            shoe.write(STAMP.pack(time.monotonic_ns()))

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


async def _bare_usb() -> list[float]:
    bus = UsbBus()
    shoe = UsbPort(bus)
    async with plugged_in(shoe, ShoeEnd()):
        return await asyncio.to_thread(_read_usb, bus, _shoe_on_usb(shoe))


def _read_usb(bus: UsbBus, start_shoe: StartShoe) -> list[float]:
    ages: list[float] = []
    handle = bus.open_device(next(bus.enumerate_devices()))
    bus.claim_interface(handle, 0)
    buffer = array("B", bytes(PACKET_SIZE))
    wait = start_shoe()
    while len(ages) < MESSAGES:
        try:
            count = bus.bulk_read(handle, DATA_IN, 0, buffer, 250)
        except USBTimeoutError:
            continue
        _ages(buffer[:count].tobytes(), ages)
    wait()
    bus.release_interface(handle, 0)
    bus.close_device(handle)
    return ages


async def _through_usb() -> list[float]:
    bus, identity = UsbBus(), UsbIdentity()
    shoe = UsbPort(bus, identity)
    async with plugged_in(shoe, ShoeEnd()):
        return await _through(UsbDevice(identity.vendor, identity.product, backend=bus), _shoe_on_usb(shoe))


async def _through(port: Port, start_shoe: StartShoe) -> list[float]:
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
