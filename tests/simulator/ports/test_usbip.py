"""The USB/IP server: against Debian's `usbip` command, against a host written from the protocol, and against nonsense.

A real kernel does the same in `tests/hardware`.
"""

import asyncio
import re
import shutil
import socket
import struct
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from simulator.ports import usbip
from simulator.ports.port import LINE_BUFFER, PortError, plugged_in
from simulator.ports.usb_shoe import UsbIdentity, UsbKind
from simulator.ports.usbip import UsbIpPort
from tests.simulator.ports.shoe_end import ShoeEnd
from tests.simulator.ports.usbip_host import ECONNRESET, EPIPE, IN, OUT, UsbIpHost
from tests.transports.noise import BURST, noise

OK, BUSY, NO_DEVICE = 0, 2, 4


def number(port: UsbIpPort) -> int:
    match = re.search(r"--tcp-port ([0-9]+) ", port.address)
    assert match
    return int(match[1])


@asynccontextmanager
async def attached(port: UsbIpPort) -> AsyncIterator[UsbIpHost]:
    host = await UsbIpHost.attach(number(port))
    try:
        yield host
    finally:
        await host.close()


@pytest.fixture
def serial() -> UsbIpPort:
    return UsbIpPort(port=0, identity=UsbIdentity("TEST-1"))


@pytest.fixture
def vendor() -> UsbIpPort:
    return UsbIpPort(port=0, identity=UsbIdentity("TEST-1"), kind=UsbKind.VENDOR)


@pytest.fixture(params=UsbKind)
def either(request: pytest.FixtureRequest) -> UsbIpPort:
    return UsbIpPort(port=0, identity=UsbIdentity("TEST-1"), kind=request.param)


async def begin(host: UsbIpHost, shoe: ShoeEnd) -> None:
    """Have a program open the device: a tty is opened, a vendor device is read."""
    if await host.control(0xA1, 0x21, 0, 0, 7) is not None:
        await host.open_tty()
    else:
        await host.unlink(host.submit(1, IN, 64))
    await shoe.until_host()


async def usbip_command(*arguments: str) -> str:
    command = shutil.which("usbip", path="/usr/sbin:/usr/bin:/sbin:/bin")
    assert command, "the Debian package usbip is missing: sudo apt install usbip"
    done = await asyncio.to_thread(
        subprocess.run,
        [command, *arguments],
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=30,
    )
    return done.stdout


@pytest.mark.asyncio
async def test_debians_usbip_command_shows_a_serial_shoe(serial: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(serial, shoe):
        shown = await usbip_command("--tcp-port", str(number(serial)), "list", "--remote", "127.0.0.1")
    assert re.search(r"1-1: .*\(1209:5b0e\)", shown)
    assert re.search(r"0 - Communications .*\(02/02/00\)", shown)
    assert re.search(r"1 - CDC Data .*\(0a/00/00\)", shown)


@pytest.mark.asyncio
async def test_debians_usbip_command_shows_a_vendor_shoe_while_it_is_plugged_in(
    vendor: UsbIpPort, shoe: ShoeEnd
) -> None:
    async with plugged_in(vendor, shoe):
        arguments = ("--tcp-port", str(number(vendor)), "list", "--remote", "127.0.0.1")
        assert re.search(r"0 - Vendor Specific Class .*\(ff/00/00\)", await usbip_command(*arguments))
        await vendor.unplug()
        assert "no exportable devices found" in await usbip_command(*arguments)
        await vendor.replug()
        assert "(1209:5b0e)" in await usbip_command(*arguments)


@pytest.mark.asyncio
async def test_what_a_person_types(serial: UsbIpPort, vendor: UsbIpPort, shoe: ShoeEnd) -> None:
    assert UsbIpPort().address == "usbip --tcp-port 3240 attach --remote 127.0.0.1 --busid 1-1"
    assert serial.device == "/dev/serial/by-id/usb-Shoe_emulator_Emulated_shoe_TEST-1-if00"
    assert vendor.device == "usb:1209:5b0e:TEST-1"
    strange = UsbIpPort(identity=UsbIdentity("№ 7/8", manufacturer="Ü", product_name="a:b"))
    assert strange.device == "/dev/serial/by-id/usb-__a:b___7_8-if00"
    async with plugged_in(serial, shoe):
        address = serial.address
        await serial.unplug()
        await serial.replug()
        assert serial.address == address


@pytest.mark.asyncio
async def test_enumerated_as_a_linux_kernel_does_it(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe), attached(either) as host:
        device = await host.control(0x80, 0x06, 0x0100, 0, 64)
        assert device is not None
        assert struct.unpack_from("<HH", device, 8) == (0x1209, 0x5B0E)
        head = await host.control(0x80, 0x06, 0x0200, 0, 9)
        assert head is not None
        total = struct.unpack_from("<H", head, 2)[0]
        assert len(await host.control(0x80, 0x06, 0x0200, 0, total) or b"") == total
        assert await host.control(0x80, 0x06, 0x0300, 0, 255) == bytes([4, 3, 9, 4])
        texts = [await host.control(0x80, 0x06, 0x0300 | index, 0x0409, 255) or b"" for index in (1, 2, 3)]
        assert [text[2:].decode("utf-16-le") for text in texts] == ["Shoe emulator", "Emulated shoe", "TEST-1"]
        assert await host.control(0x80, 0x06, 0x0600, 0, 10) is None, "no device qualifier"
        assert await host.control(0x00, 0x09, 1, 0, 0) == b""
        assert await host.control(0x80, 0x08, 0, 0, 1) == b"\x01"
        assert await host.control(0x80, 0x00, 0, 0, 2) == b"\0\0"
        assert await host.control(0x01, 0x0B, 0, 0, 0) == b""
        assert await host.control(0x02, 0x01, 0, 0x81, 0) == b""
        assert not shoe.attached, "a kernel is no host yet"


@pytest.mark.asyncio
async def test_bytes_go_both_ways_in_order(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe), attached(either) as host:
        await begin(host, shoe)
        either.write(noise(BURST, 1))
        for start in range(0, BURST, 4096):
            await host.write(noise(BURST, 2)[start : start + 4096])
        assert await host.read_bulk(BURST) == noise(BURST, 1)
        assert shoe.data == noise(BURST, 2)
    assert not shoe.attached
    assert either.lost_bytes == 0


@pytest.mark.asyncio
async def test_reads_wait_for_bytes_and_are_answered_in_turn(serial: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(serial, shoe), attached(serial) as host:
        await host.open_tty()
        first, second, third = (host.submit(1, IN, 64) for _ in range(3))
        await host.control(0x80, 0x08, 0, 0, 1)
        assert not host.is_back(first)
        serial.write(noise(256)[:100])
        assert (await host.result(first)).data == noise(256)[:64]
        assert (await host.result(second)).data == noise(256)[64:100]
        assert await host.unlink(third) == ECONNRESET
        serial.write(b"for the next one")
        assert not host.is_back(third)
        assert (await host.result(host.submit(1, IN, 64))).data == b"for the next one"
        assert await host.unlink(first) == 0, "it was answered long ago"
        assert await host.unlink(12345) == 0


@pytest.mark.asyncio
async def test_a_serial_shoe_sees_the_port_opened_and_closed(serial: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(serial, shoe), attached(serial) as host:
        serial.write(b"nobody hears this")
        await host.write(b"nor this")
        for opened in range(1, 4):
            notification = host.submit(3, IN, 16)
            await host.open_tty()
            assert (shoe.attached, shoe.hosts) == (True, opened)
            assert (await host.result(notification)).data == bytes([0xA1, 0x20, 0, 0, 0, 0, 2, 0, 3, 0])
            assert await host.unlink(host.submit(3, IN, 16)) == ECONNRESET, "it is reported once"
            serial.write(b"unread")
            await host.close_tty()
            assert not shoe.attached
        await host.open_tty()
        serial.write(b"new")
        assert await host.read_bulk(3) == b"new"
    assert shoe.data == b""
    assert serial.lost_bytes == 0


@pytest.mark.asyncio
async def test_a_tty_that_is_left_open_is_closed_by_a_detach(serial: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(serial, shoe):
        async with attached(serial) as host:
            await host.open_tty()
        await shoe.until_no_host()
        async with attached(serial) as host:
            await host.control(0x80, 0x08, 0, 0, 1)
            assert not shoe.attached, "the next kernel has not opened it yet"


@pytest.mark.asyncio
async def test_a_vendor_shoe_has_a_host_while_somebody_reads(
    vendor: UsbIpPort, shoe: ShoeEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usbip, "SILENCE_SECONDS", 0.05)
    async with plugged_in(vendor, shoe), attached(vendor) as host:
        read = host.submit(1, IN, 64)
        await shoe.until_host()
        await asyncio.sleep(0.15)
        assert shoe.attached, "a read that waits is no silence"
        await host.unlink(read)
        await shoe.until_no_host()
        vendor.write(b"nobody hears this")
        await host.write(b"hello")
        assert shoe.data == b"hello"
        assert shoe.hosts == 2
        await shoe.until_no_host()


@pytest.mark.asyncio
async def test_the_silence_of_one_host_is_not_held_against_the_next(
    vendor: UsbIpPort, shoe: ShoeEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usbip, "SILENCE_SECONDS", 0.05)
    async with plugged_in(vendor, shoe):
        async with attached(vendor) as host:
            await host.write(b"hello")
        await shoe.until_no_host()
        async with attached(vendor) as host:
            host.submit(1, IN, 64)
            await shoe.until_host()
            await asyncio.sleep(0.15)
            assert (shoe.attached, shoe.hosts) == (True, 2)


@pytest.mark.asyncio
async def test_a_vendor_shoe_that_always_has_bytes_for_its_reader_keeps_it(
    vendor: UsbIpPort, shoe: ShoeEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No read ever waits then, and still the host is there."""
    monkeypatch.setattr(usbip, "SILENCE_SECONDS", 0.05)
    async with plugged_in(vendor, shoe), attached(vendor) as host:
        await begin(host, shoe)
        vendor.write(noise(BURST))
        received = bytearray()
        for _ in range(64):
            received += (await host.result(host.submit(1, IN, 1024))).data
            await asyncio.sleep(0.005)
        assert received == noise(BURST)
        assert shoe.hosts == 1


@pytest.mark.asyncio
async def test_unplugging_ends_the_connection_and_a_replug_is_a_new_device(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe):
        identifiers = set()
        for turn in range(1, 4):
            async with attached(either) as host:
                identifiers.add(host.device_id)
                await begin(host, shoe)
                reads = [host.submit(1, IN, 64) for _ in range(4)]
                await host.control(0x80, 0x08, 0, 0, 1)  # the reads have arrived when this has
                either.write(b"last words")
                await either.unplug()
                assert not shoe.attached
                await host.ended()
                assert (await host.result(reads[0])).data == b"last words"
                assert not any(host.is_back(read) for read in reads[1:])
                await either.replug()
            assert shoe.hosts == turn
        assert len(identifiers) == 3


@pytest.mark.asyncio
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, 13, 30])
async def test_unplugged_at_any_moment(either: UsbIpPort, shoe: ShoeEnd, turns: int) -> None:
    async def use() -> None:
        async with attached(either) as host:
            await begin(host, shoe)
            either.write(noise(BURST))
            await host.read_bulk(BURST)

    async with plugged_in(either, shoe):
        for _ in range(3):
            using = asyncio.create_task(use())
            for _ in range(turns):
                await asyncio.sleep(0)
            await either.unplug()
            assert not shoe.attached
            using.cancel()
            await asyncio.wait([using])
            await either.replug()
        await use()
        await shoe.until_no_host()


@pytest.mark.asyncio
async def test_one_host_at_a_time(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe):
        async with attached(either) as first:
            second = await UsbIpHost.connect(number(either))
            assert await second.ask_for_import("1-1") == (BUSY, b"")
            assert len(await second.list_devices()) == 1
            assert await second.ask_for_import("2-1") == (NO_DEVICE, b"")
            assert await first.control(0x80, 0x08, 0, 0, 1) is not None
        for _ in range(100):  # the server notices the first one's end a moment later
            status, _ = await second.ask_for_import("1-1")
            if status == OK:
                break
            await asyncio.sleep(0.01)
        assert status == OK
        await second.close()


@pytest.mark.asyncio
async def test_nothing_to_import_while_it_is_unplugged(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe):
        await either.unplug()
        host = await UsbIpHost.connect(number(either))
        assert await host.list_devices() == []
        assert await host.ask_for_import("1-1") == (NO_DEVICE, b"")
        await host.close()


def _submit(device: int = 0x10002, command: int = 1, endpoint: int = 1, length: int = 64, packets: int = 0) -> bytes:
    return struct.pack(">IIIII", command, 1, device, IN, endpoint) + struct.pack(">IIIII8x", 0, length, 0, packets, 0)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "nonsense",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack(">HHI", 0x0106, 0x8005, 0),
        struct.pack(">HHI", 0x0111, 0x0005, 0),
        struct.pack(">HHI", 0x0111, 0x1234, 0),
        noise(5000),
    ],
)
async def test_a_client_that_asks_nonsense_is_sent_away_alone(
    either: UsbIpPort, shoe: ShoeEnd, nonsense: bytes
) -> None:
    async with plugged_in(either, shoe), attached(either) as host:
        client = await UsbIpHost.connect(number(either))
        client.writer.write(nonsense)
        await client.ended()
        await client.close()
        assert await host.control(0x80, 0x08, 0, 0, 1) == b"\0"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "nonsense",
    [
        _submit(device=0x10003),
        _submit(command=3),
        _submit(endpoint=16),
        _submit(length=1 << 31),
        _submit(packets=8),
        noise(5000),
    ],
    ids=["another device", "not a command", "no endpoint", "too long", "isochronous", "noise"],
)
async def test_a_host_that_sends_nonsense_is_cut_off_and_the_next_one_is_welcome(
    either: UsbIpPort, shoe: ShoeEnd, nonsense: bytes
) -> None:
    async with plugged_in(either, shoe):
        async with attached(either) as host:
            await begin(host, shoe)
            host.writer.write(nonsense)
            await host.ended()
            assert not shoe.attached
        async with attached(either) as host:
            await begin(host, shoe)
            await host.write(b"fine")
            assert shoe.data == b"fine"


@pytest.mark.asyncio
async def test_bytes_before_the_nonsense_are_not_lost(serial: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(serial, shoe), attached(serial) as host:
        await host.open_tty()
        host.submit(2, OUT, data=b"sense")
        host.writer.write(noise(256))
        await host.ended()
        assert shoe.data == b"sense"


@pytest.mark.asyncio
async def test_endpoints_that_the_device_does_not_have(vendor: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(vendor, shoe), attached(vendor) as host:
        for endpoint, direction in ((1, OUT), (2, IN), (3, IN), (15, OUT)):
            assert (await host.result(host.submit(endpoint, direction))).status == EPIPE


@pytest.mark.asyncio
async def test_more_reads_than_any_driver_has(vendor: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(vendor, shoe), attached(vendor) as host:
        for _ in range(2000):
            host.submit(1, IN, 64)
        await host.ended()


@pytest.mark.asyncio
async def test_a_host_that_takes_no_answers_is_cut_off(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe):
        with socket.create_connection(("127.0.0.1", number(either))) as host:
            host.setblocking(False)  # noqa: FBT003 - the standard library takes it no other way
            await asyncio.get_running_loop().sock_sendall(host, struct.pack(">HHI32s", 0x0111, 0x8003, 0, b"1-1"))
            question = struct.pack(">IIIIIIIIII8s", 1, 1, 0x10002, IN, 0, 0, 64, 0, 0, 0, b"\x80\x06\0\x01\0\0\x40\0")
            async with asyncio.timeout(20):
                with pytest.raises(ConnectionError):
                    await _send_for_ever(host, question * 1000)


async def _send_for_ever(host: socket.socket, data: bytes) -> None:
    while True:
        await asyncio.get_running_loop().sock_sendall(host, data)


@pytest.mark.asyncio
async def test_a_client_that_says_nothing_is_sent_away(
    either: UsbIpPort, shoe: ShoeEnd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usbip, "IMPORT_SECONDS", 0.05)
    async with plugged_in(either, shoe):
        silent = await UsbIpHost.connect(number(either))
        async with attached(either) as host:
            await silent.ended()
            await silent.close()
            await asyncio.sleep(0.1)
            assert await host.control(0x80, 0x08, 0, 0, 1) is not None, "the host may stay as long as it likes"


@pytest.mark.asyncio
async def test_only_so_many_clients(either: UsbIpPort, shoe: ShoeEnd) -> None:
    async with plugged_in(either, shoe):
        clients = [await UsbIpHost.connect(number(either)) for _ in range(usbip.MOST_CLIENTS)]
        address = ("127.0.0.1", number(either))
        with socket.create_connection(address) as one_too_many, pytest.raises(ConnectionResetError):
            await asyncio.to_thread(one_too_many.recv, 1)
        assert len(await clients[0].list_devices()) == 1
        for client in clients:
            await client.close()


@pytest.mark.asyncio
async def test_a_host_that_never_reads_loses_the_newest_bytes(either: UsbIpPort, shoe: ShoeEnd) -> None:
    sent = noise(LINE_BUFFER + 5000)
    async with plugged_in(either, shoe), attached(either) as host:
        await begin(host, shoe)
        either.write(sent[:-1000])
        either.write(sent[-1000:])
        assert either.lost_bytes == 5000
        assert await host.read_bulk(LINE_BUFFER, room=16384) == sent[:LINE_BUFFER]


@pytest.mark.asyncio
async def test_a_port_that_is_taken(shoe: ShoeEnd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = UsbIpPort(port=other.getsockname()[1])
        with pytest.raises(PortError, match="is in use by another program"):
            await port.open(shoe)
        await port.close()
    async with plugged_in(port, shoe), attached(port) as host:
        await host.open_tty()
