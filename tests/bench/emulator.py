"""The emulated shoe: cards a second over a pty and over the pyusb backend, and how many shoes one process carries.

What reads at the other end of the ptys is a process of its own: bare for the Angel Eye wire, and for the native wire
with the controller's link, since that wire goes no further without acknowledgements. The floor is the same bytes, in
pieces of the same size, written to a pty and read by the bare reader, without an emulator.
"""

# ruff: noqa: T201 - a benchmark reports to the terminal

import asyncio
import gc
import os
import select
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from firmware_protocol.link import Delivery, DesiredShoe
from firmware_protocol.native.controller import NativeController
from shoe_controller.transports.usb_device import UsbDevice
from simulator.dealer import AS_FAST_AS_THE_LINE
from simulator.emulation import EmulationSettings
from simulator.emulator import EmulatedShoe
from simulator.ports.pty import PtyPort
from simulator.ports.usb import UsbBus, UsbPort
from simulator.ports.usb_shoe import UsbIdentity
from simulator.shoe_line import Wire, WireSettings

DECKS = 16
SHOES = 4
CROWDS = (500, 1000)
WATCHED = 10.0
"""Seconds that a crowd of shoes is watched, after all of them have begun."""
LATE = 0.1
"""Seconds after which a card is late: a tenth of a second is what a person at the table might notice."""
PAGE = os.sysconf("SC_PAGE_SIZE")

NATIVE = WireSettings(wire=Wire.NATIVE)
BARE_ANGEL_EYE = WireSettings(wire=Wire.ANGEL_EYE, copies=1, spacing=0.0)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # The crowds come first: memory that other work has used and given back would not show as theirs.
        for crowd in CROWDS:
            if not asyncio.run(_crowd(crowd, Path(folder))):
                break
        asyncio.run(_over_pty("Angel Eye, one copy, bare reader", BARE_ANGEL_EYE, Path(folder)))
        asyncio.run(_over_pty("native, acknowledging reader", NATIVE, Path(folder)))
        asyncio.run(_over_usb())


# --- one shoe as fast as the line ------------------------------------------------------------------------------


def _as_fast_as_possible(wire: WireSettings) -> EmulationSettings:
    return EmulationSettings(wire=wire, seed=1, decks=DECKS, shoes=SHOES, speed=AS_FAST_AS_THE_LINE)


async def _over_pty(name: str, wire: WireSettings, folder: Path) -> None:
    pieces: list[bytes] = []

    class Writing(PtyPort):
        def write(self, data: bytes) -> None:
            pieces.append(data)
            super().write(data)

    port = Writing(folder / "shoe")
    async with EmulatedShoe(port=port, settings=_as_fast_as_possible(wire)) as shoe:
        with Reader(wire.wire, [port.address]):
            await shoe.until(lambda: shoe.emulation.shoe.line.host_attached)
            took = await _dealt(shoe)
            cards = shoe.emulation.shoe.cards_out
    size = sum(map(len, pieces))
    floor = _floor(pieces)
    print(f"{name:36} {cards / took:10,.0f} cards/s  {size / took:12,.0f} bytes/s  {port.lost_bytes} bytes lost")
    print(f"{'  the same bytes without a shoe':36} {cards / floor:10,.0f} cards/s  {size / floor:12,.0f} bytes/s")
    print(f"{'  ratio':36} {floor / took:10.3f}")


async def _dealt(shoe: EmulatedShoe) -> float:
    begin = time.perf_counter()
    line = shoe.emulation.shoe.line
    await shoe.until(lambda: shoe.emulation.dealer.finished and not line.store.events, within=600)
    return time.perf_counter() - begin


def _floor(pieces: list[bytes]) -> float:
    """Seconds for the same pieces through a pty."""
    master, slave = os.openpty()
    try:
        tty.setraw(slave)
        with Reader(Wire.ANGEL_EYE, [os.ttyname(slave)], tell_at=sum(map(len, pieces))):
            os.read(master, 1)
            begin = time.perf_counter()
            for piece in pieces:
                os.write(master, piece)
            os.read(master, 1)
            return time.perf_counter() - begin
    finally:
        os.close(slave)
        os.close(master)


async def _over_usb() -> None:
    """Both ends in one process: the shoe's in the event loop, pyusb's reader in a thread of the transport."""
    bus, identity = UsbBus(), UsbIdentity()
    device = UsbDevice(identity.vendor, identity.product, identity.serial_number, backend=bus)
    loop = asyncio.get_running_loop()
    link = NativeController(insecure=True, nonce=lambda: os.urandom(16))

    def received(data: bytes) -> None:
        for item in link.receive(data, loop.time()):
            if isinstance(item, Delivery):
                link.committed(item, loop.time())
        transport.write(link.to_send())

    async with EmulatedShoe(port=UsbPort(bus, identity), settings=_as_fast_as_possible(NATIVE)) as shoe:
        transport = await device.open(received, lambda _: None)
        try:
            link.connected(loop.time())
            transport.write(link.to_send())
            took = await _dealt(shoe)
        finally:
            await transport.close()
        print(f"{'native, pyusb, both ends in here':36} {shoe.emulation.shoe.cards_out / took:10,.0f} cards/s")


# --- many shoes at a person's pace -----------------------------------------------------------------------------


async def _crowd(number: int, folder: Path) -> bool:
    """True if no card was late."""
    gc.collect()
    before = _memory()
    shoes = [
        EmulatedShoe(port=PtyPort(folder / f"shoe{place}"), settings=EmulationSettings(wire=NATIVE, seed=place))
        for place in range(number)
    ]
    async with AsyncExitStack() as stack:
        for shoe in shoes:
            await stack.enter_async_context(shoe)
        gc.collect()
        memory = (_memory() - before) / number
        with Reader(Wire.NATIVE, [shoe.port.address for shoe in shoes]):
            await asyncio.gather(*(shoe.until(_has_begun(shoe), within=120) for shoe in shoes))
            for shoe in shoes:
                shoe.emulation.dealer.latest = 0.0
            cards, busy = sum(shoe.emulation.shoe.cards_out for shoe in shoes), time.process_time()
            await asyncio.sleep(WATCHED)
            busy = (time.process_time() - busy) / WATCHED
            cards = sum(shoe.emulation.shoe.cards_out for shoe in shoes) - cards
            latest = max(shoe.emulation.dealer.latest for shoe in shoes)
            up = sum(shoe.emulation.shoe.link_up for shoe in shoes)
    late = "none late" if latest < LATE else "LATE"
    each = f", {memory / 1024:.0f} KiB each" if number == CROWDS[0] else ""
    print(
        f"{number:5} shoes at a person's pace: {cards / WATCHED:5.0f} cards/s, {up} connected, {busy:4.0%} of a core, "
        f"latest card {1000 * latest:4.0f} ms ({late}){each}"
    )
    return latest < LATE


def _has_begun(shoe: EmulatedShoe) -> Callable[[], bool]:
    return lambda: shoe.emulation.shoe.cards_out > 0


def _memory() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


# --- the process that reads ------------------------------------------------------------------------------------


class Reader:
    """A process that has these ptys open for as long as the block lasts."""

    def __init__(self, wire: Wire, paths: list[str], *, tell_at: int = 0) -> None:
        self._command = [sys.executable, "-m", "tests.bench.emulator", wire.value, str(tell_at), *paths]

    def __enter__(self) -> None:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE)

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def read(wire: Wire, tell_at: int, paths: list[str]) -> None:
    """Open the ptys and read them until our standard input ends; on the native wire, as a controller would.

    With `tell_at` it says a byte when it is ready, and another when it has read so many.
    """
    poll = select.epoll()
    poll.register(0, select.EPOLLIN | select.EPOLLHUP)
    links: dict[int, NativeController | None] = {}
    for path in paths:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(descriptor)
        poll.register(descriptor, select.EPOLLIN)
        links[descriptor] = _new_link(descriptor) if wire is Wire.NATIVE else None
    if tell_at:
        os.write(descriptor, b".")
    bytes_read = 0
    next_look = 0.0
    while True:
        for descriptor, _ in poll.poll(0.05):
            if descriptor == 0:
                return
            try:
                data = os.read(descriptor, 65536)
            except OSError:
                poll.unregister(descriptor)
                continue
            bytes_read += len(data)
            _take(links[descriptor], data, descriptor)
            if bytes_read == tell_at:
                os.write(descriptor, b".")
        if time.monotonic() >= next_look:
            next_look = time.monotonic() + 0.05
            _tick(links)


def _tick(links: "dict[int, NativeController | None]") -> None:
    now = time.monotonic()
    for descriptor, link in links.items():
        if link is not None and (link.next_deadline() or now + 1) <= now:
            link.tick(now)
            _write(link, descriptor)


def _new_link(descriptor: int) -> NativeController:
    link = NativeController(insecure=True, nonce=lambda: os.urandom(16))
    link.want(DesiredShoe(gate_locked=False), time.monotonic())
    link.connected(time.monotonic())
    _write(link, descriptor)
    return link


def _take(link: NativeController | None, data: bytes, descriptor: int) -> None:
    if link is None:
        return
    now = time.monotonic()
    last = None
    for item in link.receive(data, now):
        if isinstance(item, Delivery):
            last = item
    if last is not None:
        link.committed(last, now)
    _write(link, descriptor)


def _write(link: NativeController, descriptor: int) -> None:
    data = link.to_send()
    if data:
        os.write(descriptor, data)


if __name__ == "__main__":
    read(Wire(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
