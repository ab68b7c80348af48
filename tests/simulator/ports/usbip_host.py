"""A host of USB/IP for tests, written from the protocol's description: what `usbip` and a kernel's vhci_hcd do."""

import asyncio
import struct
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

IN, OUT = 1, 0
ECONNRESET, EPIPE = -104, -32
PATIENCE = 10.0


@dataclass
class Done:
    """A transfer that came back."""

    status: int
    length: int
    data: bytes


@dataclass
class UsbIpHost:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    device_id: int = 0
    _number: int = 0
    _waiting: dict[int, tuple[asyncio.Future[Done], int]] = field(default_factory=dict)
    _unlinking: dict[int, asyncio.Future[int]] = field(default_factory=dict)
    _listening: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, port: int) -> Self:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        return cls(reader, writer)

    @classmethod
    async def attach(cls, port: int) -> Self:
        """Import the device, and begin to take what comes back."""
        host = await cls.connect(port)
        try:
            status, record = await host.ask_for_import("1-1")
            assert status == 0
        except BaseException:
            host.writer.close()
            raise
        bus, device, speed = struct.unpack_from(">III", record, 256 + 32)
        assert (record[256:].split(b"\0")[0], speed) == (b"1-1", 2)
        host.device_id = bus << 16 | device
        host.listen()
        return host

    def listen(self) -> None:
        self._listening = asyncio.create_task(self._take_what_comes_back())

    async def list_devices(self) -> list[bytes]:
        """The records of the devices, each with those of its interfaces."""
        self.writer.write(struct.pack(">HHI", 0x0111, 0x8005, 0))
        assert await self.read(8) == struct.pack(">HHI", 0x0111, 0x0005, 0)
        devices = []
        for _ in range(*struct.unpack(">I", await self.read(4))):
            record = await self.read(0x138)
            devices.append(record + await self.read(4 * record[-1]))
        return devices

    async def ask_for_import(self, bus_id: str) -> tuple[int, bytes]:
        self.writer.write(struct.pack(">HHI32s", 0x0111, 0x8003, 0, bus_id.encode()))
        version, operation, status = struct.unpack(">HHI", await self.read(8))
        assert (version, operation) == (0x0111, 0x0003)
        return status, b"" if status else await self.read(0x138)

    async def read(self, size: int) -> bytes:
        async with asyncio.timeout(PATIENCE):
            return await self.reader.readexactly(size)

    async def ended(self) -> None:
        """Wait until the server has closed the connection; what it still sent is discarded."""
        async with asyncio.timeout(PATIENCE):
            if self._listening is not None:
                await asyncio.wait([self._listening])
                return
            with suppress(ConnectionError):
                while await self.reader.read(65536):
                    pass

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()

    def submit(self, endpoint: int, direction: int, room: int = 0, data: bytes = b"", setup: bytes = bytes(8)) -> int:
        """Send a transfer off; its number."""
        self._number += 1
        length = room if direction == IN else len(data)
        self.writer.write(
            struct.pack(">IIIII", 1, self._number, self.device_id, direction, endpoint)
            + struct.pack(">IIIII8s", 0, length, 0, 0xFFFFFFFF, 0, setup)
            + data
        )
        self._waiting[self._number] = asyncio.get_running_loop().create_future(), direction
        return self._number

    async def result(self, number: int) -> Done:
        async with asyncio.timeout(PATIENCE):
            return await self._waiting[number][0]

    def is_back(self, number: int) -> bool:
        return self._waiting[number][0].done()

    async def unlink(self, number: int) -> int:
        self._number += 1
        self.writer.write(struct.pack(">IIIIII24x", 2, self._number, self.device_id, 0, 0, number))
        self._unlinking[self._number] = asyncio.get_running_loop().create_future()
        async with asyncio.timeout(PATIENCE):
            return await self._unlinking[self._number]

    async def control(self, *setup: int, data: bytes = b"") -> bytes | None:
        """A control transfer; `None` for a stall."""
        direction = IN if setup[0] & 0x80 else OUT
        packed = struct.pack("<BBHHH", *setup)
        done = await self.result(self.submit(0, direction, setup[4], data, packed))
        if done.status == EPIPE:
            return None
        assert done.status == 0
        return done.data

    async def write(self, data: bytes) -> None:
        done = await self.result(self.submit(2, OUT, data=data))
        assert (done.status, done.length) == (0, len(data))

    async def read_bulk(self, size: int, room: int = 512) -> bytes:
        """Bytes until there are `size`, with four transfers under way, as a driver would."""
        data = bytearray()
        under_way = [self.submit(1, IN, room) for _ in range(4)]
        while len(data) < size:
            data += (await self.result(under_way.pop(0))).data
            under_way.append(self.submit(1, IN, room))
        for number in under_way:
            await self.unlink(number)
        return bytes(data)

    async def open_tty(self) -> None:
        """What cdc_acm does when a program opens the port."""
        assert await self.control(0x21, 0x20, 0, 0, 7, data=struct.pack("<IBBB", 115_200, 0, 0, 8)) == b""
        assert await self.control(0x21, 0x22, 3, 0, 0) == b""

    async def close_tty(self) -> None:
        assert await self.control(0x21, 0x22, 0, 0, 0) == b""

    async def _take_what_comes_back(self) -> None:
        try:
            while True:
                command, number, *zeros = struct.unpack(">IIIII", await self.reader.readexactly(20))
                assert zeros == [0, 0, 0]
                status, length, *_ = struct.unpack(">iI20x", await self.reader.readexactly(28))
                if command == 4:
                    self._unlinking[number].set_result(status)
                    continue
                assert command == 3
                future, direction = self._waiting[number]
                data = await self.reader.readexactly(length) if direction == IN else b""
                future.set_result(Done(status, length, data))
        except (asyncio.IncompleteReadError, ConnectionError):
            return
